"""Exact comparison of the input for the summary model between our engines and the real releases."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.core.messages import messages_from
from inspector.engines.base import Settings
from inspector.engines.capabilities import summary_input
from tests.conformance import adapter, lists, vectors
from tests.examples import also

HERE = Path(__file__).resolve().parent
RELEASES = ("0.13.0", "0.16.0", "0.17.0", "0.18.2", "0.19.0")
#: The test command compares every n-th list, with --slow all lists are compared.
CHUNKS = 30


@cache
def recorded(release: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return vectors.read(HERE / f"inputs-{release}.jsonl.gz")


@pytest.mark.parametrize("chunk", also(*range(CHUNKS)))
@pytest.mark.parametrize("release", RELEASES)
def test_the_input_is_that_of_the_release(release: str, chunk: int) -> None:
    header, results = recorded(release)
    assert len(results) > 200
    engine = adapter.engine_of(release, header["masks"])
    wrong: list[str] = []
    for result in results[chunk::CHUNKS]:
        case = lists.case(result["seed"], header["masks"])
        messages = messages_from(case.messages)
        settings = Settings(
            case.threshold, case.target_ratio, case.protect_first_n, case.protect_last_n, case.context_length,
            case.max_tokens, profile=engine.name,
        )  # fmt: skip
        earlier = max(case.earlier, int(case.previous_summary))
        plan = engine.plan(engine.measure(messages), settings, earlier)
        ours = summary_input(engine, messages, plan)
        found = {
            "chars": len(ours.turns),
            "turns": vectors.digest(ours.turns),
            "focus": vectors.digest(ours.focus),
            "budget": ours.budget,
            "task": vectors.digest(ours.task),
        }
        differing = [name for name, value in found.items() if result[name] not in (None, value)]
        if differing:
            wrong.append(f"seed {case.seed} ({case.kind}): {', '.join(differing)}")
    assert not wrong, f"{len(wrong)} of {len(results[chunk::CHUNKS])} differ:\n" + "\n".join(wrong[:10])
