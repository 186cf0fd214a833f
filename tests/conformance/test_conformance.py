"""Comparison of our engines with recorded results of the real releases for thousands of random lists."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import adapter, lists, vectors
from tests.examples import also

HERE = Path(__file__).resolve().parent
RELEASES = tuple(adapter.PROFILES)
#: The test command compares every 160th list, 25 per release. With --slow all lists are compared, in parts.
FEW, PARTS = slice(0, None, 160), 16
#: Fields that are not compared directly.
_NOT_COMPARED = {"seed", "raises"}
_OF_A_COMPACTION = {"pruned", "pruned_digests", "pruned_list", "head_end", "tail_start", "summary_budget"}


@cache
def recorded(release: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return vectors.read(HERE / f"vectors-{release}.jsonl.gz")


def differences(result: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Return a text for every field in which our result differs."""
    release_fails, engine_fails = result.get("raises"), ours.get("raises")
    if release_fails and release_fails["phase"] == "fallback":
        raised = ours.get("fallback_raises")
        return (
            []
            if raised == release_fails["type"]
            else [f"a fallback text raises {release_fails}, not {raised}"]
        )
    if result.get("fallback") and ours.get("fallback_raises"):
        return [f"a fallback text does not raise {ours['fallback_raises']}"]
    if release_fails or engine_fails:
        expected = {key: release_fails[key] for key in ("type", "phase")} if release_fails else None
        return [] if expected == engine_fails else [f"raises {expected}, not {engine_fails}"]
    skipped = _NOT_COMPARED if result["compacts"] else _NOT_COMPARED | _OF_A_COMPACTION
    if ours.get("fallback", False) is None:
        skipped = skipped | {"fallback", "dropped"}
    return [
        f"{name} is {value!r}, not {ours.get(name)!r}"
        for name, value in result.items()
        if name not in skipped and ours.get(name) != value
    ]


def contradictions(ours: dict[str, Any]) -> list[str]:
    """Return the fields (role, merge, pruned indexes) in which the plan differs from its resulting list."""
    plan = ours.get("planned")
    if plan is None:
        return []
    merged = ours["merged"] is not None
    # A summary may be merged into a result without its call: then both leave the list.
    gone = plan["merged"] and not merged and "summary" not in ours["layout"]
    agrees = {"pruned": plan["pruned"] == ours["pruned"]}
    agrees["role"] = gone or plan["role"] == ours["role"]
    agrees["merged"] = gone or plan["merged"] == merged
    return [f"the plan and its list differ in {name}" for name, same in agrees.items() if not same]


@pytest.mark.parametrize(
    "part",
    also(FEW, *(slice(first, None, PARTS) for first in range(PARTS))),
    ids=lambda part: str(part.start),
)
@pytest.mark.parametrize("release", RELEASES)
def test_the_engine_has_the_results_of_the_release(release: str, part: slice) -> None:
    header, results = recorded(release)
    engine = adapter.engine_of(release, header["masks"])
    wrong: list[str] = []
    for result in results[part]:
        case = lists.case(result["seed"], header["masks"])
        ours = adapter.planned(engine, case)
        found = differences(result, ours) + contradictions(ours)
        if found:
            wrong.append(f"seed {case.seed} ({case.kind}): " + "; ".join(found)[:400])
    assert not wrong, f"{len(wrong)} of {len(results[part])} differ:\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("release", RELEASES)
def test_the_engine_knows_the_handoff_prefixes_of_the_release(release: str) -> None:
    header, _ = recorded(release)
    known = [[w.length, w.sha256] for w in adapter.engine_of(release).policies.wordings]
    assert known == header["wordings"]


@pytest.mark.parametrize("release", RELEASES)
def test_the_guard_counts_the_same_refusals_as_the_release(release: str) -> None:
    header, _ = recorded(release)
    assert sorted(adapter.engine_of(release).policies.refusals_counted) == header["refusals_counted"]


@pytest.mark.parametrize("release", RELEASES)
def test_fallback_texts_fail_in_the_same_cases_as_in_the_release(release: str) -> None:
    header, results = recorded(release)
    engine = adapter.engine_of(release, header["masks"])
    for result in results:
        if result.get("raises", {}).get("phase") == "fallback":
            ours = adapter.planned(engine, lists.case(result["seed"], header["masks"]))
            assert differences(result, ours) == [], result["seed"]


@pytest.mark.parametrize("release", RELEASES)
def test_the_vectors_cover_every_outcome(release: str) -> None:
    """There are enough cases, and enough of each outcome to reveal a wrong rule."""
    header, results = recorded(release)
    assert header["release"] == release
    assert sum(result.get("raises", {}).get("phase") == "fallback" for result in results) < 12
    assert len(results) == header["cases"] >= 3_000
    seen: Counter[str] = Counter()
    for result in results:
        if "raises" in result:
            seen["raises " + result["raises"]["phase"]] += 1
        elif not result["compacts"]:
            seen["nothing"] += 1
        else:
            seen["compacts"] += 1
            seen["merged " + result["merged_shape"].partition(",")[0]] += 1
            seen["role " + result["role"]] += 1
            seen["pruned"] += bool(result["pruned"])
            seen["fallback"] += result["fallback"]
            seen["mended"] += bool(result["touched"]) or "stub" in result["layout"]
            seen["ceiling"] += result["summary_budget"] == result["max_summary_tokens"]
            seen["long"] += result["length"] > 500
    wanted = (
        "nothing",
        "compacts",
        "merged text",
        "role user",
        "role assistant",
        "pruned",
        "fallback",
        "mended",
    )
    assert all(seen[name] >= 100 for name in (*wanted, "ceiling")), seen
    assert all(seen[name] > 0 for name in ("raises prune", "raises summary", "merged list", "long")), seen


def test_cases_depend_only_on_their_seed() -> None:
    header, _ = recorded(RELEASES[0])
    assert lists.case(17, header["masks"]) == lists.case(17, header["masks"])
    assert lists.case(17, header["masks"]) != lists.case(18, header["masks"])
