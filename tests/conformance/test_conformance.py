"""Our engines against what the real releases did with thousands of made lists, to the last digest."""

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
#: In the test command every 160th list is compared, 25 of a release; where all tests run, all of them in parts.
FEW, PARTS = slice(0, None, 160), 16
#: Set on the way, or about messages that the release gave up on.
_NOT_COMPARED = {"seed", "raises"}
_OF_A_COMPACTION = {"pruned", "pruned_digests", "pruned_list", "head_end", "tail_start", "summary_budget"}


@cache
def recorded(release: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return vectors.read(HERE / f"vectors-{release}.jsonl.gz")


def differences(result: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Every field in which our answer differs, in words."""
    theirs_fails, ours_fails = result.get("raises"), ours.get("raises")
    if theirs_fails and theirs_fails["phase"] == "fallback":
        told = ours.get("fallback_raises")
        return [] if told == theirs_fails["type"] else [f"a fallback text raises {theirs_fails}, not {told}"]
    if result.get("fallback") and ours.get("fallback_raises"):
        return [f"a fallback text does not raise {ours['fallback_raises']}"]
    if theirs_fails or ours_fails:
        told = {key: theirs_fails[key] for key in ("type", "phase")} if theirs_fails else None
        return [] if told == ours_fails else [f"raises {told}, not {ours_fails}"]
    skipped = _NOT_COMPARED if result["compacts"] else _NOT_COMPARED | _OF_A_COMPACTION
    if ours.get("fallback", False) is None:
        skipped = skipped | {"fallback", "dropped"}
    return [
        f"{name} is {value!r}, not {ours.get(name)!r}"
        for name, value in result.items()
        if name not in skipped and ours.get(name) != value
    ]


def contradictions(ours: dict[str, Any]) -> list[str]:
    """Where the plan's own role, merge and pruned indexes are not those of the list that comes out."""
    plan = ours.get("planned")
    if plan is None:
        return []
    merged = ours["merged"] is not None
    # A result that lost its call may be what the summary is merged into: both leave the list then.
    gone = plan["merged"] and not merged and "summary" not in ours["layout"]
    told = {"pruned": plan["pruned"] == ours["pruned"]}
    told["role"] = gone or plan["role"] == ours["role"]
    told["merged"] = gone or plan["merged"] == merged
    return [f"the plan tells another {name} than its list has" for name, same in told.items() if not same]


@pytest.mark.parametrize(
    "part",
    also(FEW, *(slice(first, None, PARTS) for first in range(PARTS))),
    ids=lambda part: str(part.start),
)
@pytest.mark.parametrize("release", RELEASES)
def test_engine_does_what_the_release_did(release: str, part: slice) -> None:
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
def test_engine_knows_the_releases_handoff_prefixes(release: str) -> None:
    header, _ = recorded(release)
    known = [[w.length, w.sha256] for w in adapter.engine_of(release).policies.wordings]
    assert known == header["wordings"]


@pytest.mark.parametrize("release", RELEASES)
def test_guard_counts_the_refusals_that_the_release_counted(release: str) -> None:
    header, _ = recorded(release)
    assert sorted(adapter.engine_of(release).policies.refusals_counted) == header["refusals_counted"]


@pytest.mark.parametrize("release", RELEASES)
def test_fallback_texts_fail_where_the_release_did(release: str) -> None:
    header, results = recorded(release)
    engine = adapter.engine_of(release, header["masks"])
    for result in results:
        if result.get("raises", {}).get("phase") == "fallback":
            ours = adapter.planned(engine, lists.case(result["seed"], header["masks"]))
            assert differences(result, ours) == [], result["seed"]


@pytest.mark.parametrize("release", RELEASES)
def test_vectors_cover_what_they_are_for(release: str) -> None:
    """Enough cases, and each of the outcomes often enough that a wrong rule shows."""
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


def test_cases_depend_on_their_seed_alone() -> None:
    header, _ = recorded(RELEASES[0])
    assert lists.case(17, header["masks"]) == lists.case(17, header["masks"])
    assert lists.case(17, header["masks"]) != lists.case(18, header["masks"])
