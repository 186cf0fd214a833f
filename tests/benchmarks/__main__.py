"""python -m tests.benchmarks [--small] [--only NAME] [--against PATH] [--messages N] [--dir DIR] ..."""

from __future__ import annotations

import argparse
import compileall
import importlib
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.context import ROOT, Context
from tests.benchmarks.figures import table
from tests.benchmarks.generator import Shape, ensure

#: Module and measuring function by name of the benchmark.
_MEASURES = {
    "imports": ("imports", "measure"),
    "start": ("driving", "measure_start"),
    "terminal": ("driving", "measure"),
    "store": ("work", "measure_store"),
    "search": ("work", "measure_search"),
    "engine": ("work", "measure_engine"),
    "tokens": ("work", "measure_tokens"),
    "replay": ("replaying", "measure"),
    "costs": ("costs", "measure"),
    "lineage": ("lineages", "measure"),
    "idle": ("idle_list", "measure"),
    "homes": ("homes", "measure"),
    "mixed": ("mixed", "measure"),
    "hermes": ("hermes", "measure"),
    "fleets": ("fleets", "measure"),
    "labels": ("labels", "measure"),
}
#: Default benchmarks with --against: they only press keys, so they work with any checkout.
_AGAINST = ("start", "terminal")
#: Benchmarks that need no database, or make their own.
_WITHOUT_DATABASE = ("imports", "idle", "homes", "mixed", "labels")
#: Approximate bytes on disk per message, with both full-text tables.
_BYTES_PER_MESSAGE = 2_300


def main(words: Sequence[str] | None = None) -> int:
    """Make the database if it is missing, measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=main.__doc__)
    parser.add_argument("--small", action="store_true", help="50,000 messages in 200 conversations")
    parser.add_argument(
        "--only", action="append", choices=sorted(_MEASURES), help="only this benchmark; repeat for more"
    )
    parser.add_argument("--messages", type=int, help="messages in the database; default: 1,000,000")
    parser.add_argument("--conversations", type=int, help="conversations in the database; default: 2,000")
    parser.add_argument(
        "--release",
        choices=["0.13", "0.19"],
        default="0.19",
        help="release of the database schema; default: 0.19",
    )
    parser.add_argument("--runs", type=int, default=7, help="measurements of each start; default: 7")
    parser.add_argument("--dir", type=Path, default=ROOT / "bench-data", help="folder of the databases")
    parser.add_argument("--hermes-python", type=Path, help="a Python with hermes-agent, to compare with")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="PATH",
        help="another checkout with its .venv; both are measured in turn",
    )
    parser.add_argument(
        "--labels", type=Path, help="file with the labels of COMPINT, for the benchmark labels"
    )
    options = parser.parse_args(words)
    if options.against is not None and not (options.against / ".venv" / "bin" / "python").exists():
        sys.exit(f"{options.against} has no .venv; run make demo there.")
    shape = Shape(
        options.messages or (50_000 if options.small else 1_000_000),
        options.conversations or (200 if options.small else 2_000),
        options.release,
    )
    database = options.dir / shape.name
    names = options.only or (_MEASURES if options.against is None else _AGAINST)
    wanted = not set(names) <= set(_WITHOUT_DATABASE)
    if wanted and not database.exists():
        options.dir.mkdir(parents=True, exist_ok=True)
        needed = shape.messages * _BYTES_PER_MESSAGE
        if shutil.disk_usage(options.dir).free < 2 * needed:
            sys.exit(f"{options.dir} has too little free space: about {2 * needed / 1e9:.1f} GB are needed.")
        print(f"Making {database} ...", file=sys.stderr)
    # Compile the checkouts, because an installed program is compiled.
    checkouts = [ROOT] if options.against is None else [ROOT, options.against.resolve()]
    for checkout in checkouts:
        for package in ("inspector", "widgets"):
            compileall.compile_dir(checkout / package, quiet=1)
    if wanted:
        ensure(options.dir, shape)
        size = database.stat().st_size / 1e6
        print(
            f"{shape.messages:,} messages, {shape.conversations:,} conversations, {size:,.0f} MB, "
            f"release {shape.release}; long generations of {shape.long:,} and {shape.longest:,}"
        )
    context = Context(
        database, shape, options.runs, options.hermes_python, *checkouts[1:], labels=options.labels
    )
    figures = []
    for name in names:
        if name == "hermes" and context.hermes is None:
            continue
        module, function = _MEASURES[name]
        start = time.perf_counter()
        figures += getattr(importlib.import_module(f"tests.benchmarks.{module}"), function)(context)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    print(table(figures))
    over = [figure.name for figure in figures if figure.verdict == "over"]
    print(f"\n{len(over)} over their targets." if over else "\nAll targets are met.")
    return 0


sys.exit(main())
