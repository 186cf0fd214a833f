"""Record the input of the summary model in real releases. Run by a Python that has hermes-agent installed:

    python tests/conformance/record_inputs.py --cases 600 --out tests/conformance/inputs-0.13.0.jsonl.gz

The cases are the same as in `record.py`. For each it records a digest of the serialized turns, a digest of the focus,
and the budget. The texts are not masked, so that they are compared exactly.
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

import record  # type: ignore[import-not-recorded,unused-ignore]
import vectors  # type: ignore[import-not-recorded,unused-ignore]


class InputRecorder(record.Recorder):  # type: ignore[misc,name-defined,unused-ignore]
    """Records the input of the summary model too."""

    focus = ""
    turns: str | None = None
    task = ""

    def compressor(self) -> Any:
        compressor = super().compressor()
        generate, serialize = compressor._generate_summary, compressor._serialize_for_summary

        def generating(*args: Any, focus_topic: str | None = None, **rest: Any) -> Any:
            self.focus = focus_topic or ""
            # The summary model is a stand-in, so the turns are serialized here.
            self.turns = serialize(args[0])
            if hasattr(compressor, "_latest_user_task_snapshot"):
                snapshot = compressor._latest_user_task_snapshot(args[0]) or ""
                task = re.match(r"[^:]*: (.*)\n", snapshot)
                self.task = ast.literal_eval(task[1]) if task else ""
            return generate(*args, focus_topic=focus_topic, **rest)

        compressor._generate_summary = generating
        return compressor

    def result(self) -> dict[str, Any] | None:
        """Return the recorded input; None if the release summarized nothing or failed."""
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
        recorded = InputRecorder(record.lists.case(seed, texts), texts, stands_in).result()
        if recorded is not None:
            yield recorded


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
