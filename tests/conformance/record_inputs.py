"""Record what real releases hand to the summary model. Run by a Python that has hermes-agent installed:

    python tests/conformance/record_inputs.py --cases 600 --out tests/conformance/inputs-0.13.0.jsonl.gz

The cases are those of `record.py`; of each there is a digest of the turns as the release wrote them out, of the focus
that it took, and the budget. Nothing is masked, so that texts can be compared to the letter.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HERMES_REDACT_SECRETS"] = "false"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import record  # type: ignore[import-not-found,unused-ignore]
import vectors  # type: ignore[import-not-found,unused-ignore]


class InputRecorder(record.Recorder):  # type: ignore[misc,name-defined,unused-ignore]
    """A case of which the summarizer's input is wanted too."""

    focus = ""
    turns: str | None = None
    task = ""

    def compressor(self) -> Any:
        made = super().compressor()
        generate, serialize = made._generate_summary, made._serialize_for_summary

        def generating(*args: Any, focus_topic: str | None = None, **rest: Any) -> Any:
            self.focus = focus_topic or ""
            # The first recorder's stand-in writes nothing out, which is what is wanted here.
            self.turns = serialize(args[0])
            if hasattr(made, "_latest_user_task_snapshot"):
                told = made._latest_user_task_snapshot(args[0]) or ""
                found = re.match(r"[^:]*: (.*)\n", told)
                self.task = ast.literal_eval(found[1]) if found else ""
            return generate(*args, focus_topic=focus_topic, **rest)

        made._generate_summary = generating
        return made

    def result(self) -> dict[str, Any] | None:
        """What was handed over; None where the release summarized nothing or failed."""
        if not self.record()["compacts"] or self.turns is None:
            return None
        return {
            "seed": self.case.seed,
            "chars": len(self.turns),
            "turns": vectors.digest(self._plain(self.turns)),
            # A handoff prefix that was cut has no stand-in.
            "focus": None if "[CONTEXT COMPACTION" in self.focus else vectors.digest(self.focus),
            "budget": self.budget,
            "task": vectors.digest(self._plain(self.task)),
        }


def results(count: int) -> Iterator[dict[str, Any]]:
    texts = record.wordings()
    stands_in = record.masks(texts)
    for seed in range(count):
        found = InputRecorder(record.lists.case(seed, texts), texts, stands_in).result()
        if found is not None:
            yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    header = {
        "format": vectors.FORMAT,
        "release": record.VERSION,
        "cases": options.cases,
        "masks": record.masks(record.wordings()),
    }
    vectors.write(options.out, header, results(options.cases), None)
    print(f"{options.out.name}: {record.VERSION}, {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
