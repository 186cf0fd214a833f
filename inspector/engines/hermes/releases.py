"""The releases as data. Each value was read in the release or in its documentation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from inspector.engines.hermes.policies import HandoffPrefix, Policies
from inspector.engines.loop import BEFORE_REQUESTS, Loop

_WORDING_FIRST = HandoffPrefix(586, "5cd6c1b9dc95f8ff066df65c33abb66cad2718fe6f12bf736491ae9ea3b1c013")
_WORDING_0_13 = HandoffPrefix(772, "1624c5d8e3ce9a50ba9b4cddce02e5468eb553078350a720bdf2558a0c4519f8")
_WORDING_0_16 = HandoffPrefix(1378, "2999da51e1781fab13ee35aa6b0f6d2815091130426d1c840a3b0fc9b7df7141")
_WORDING_0_17 = HandoffPrefix(1428, "f953b27ebb6288ec9aea994184be18cbc56783d2237241df2b1f24b55f3b0230")
_WORDING_0_19 = HandoffPrefix(1632, "1c004c9c0ec1a25cbc96ae326724269d8ee67d363a8aeca17e722801e0f4b672")
_WORDING_0_20 = HandoffPrefix(1527, "ff3014fed07c965aa893a69b555a91f0f63cacb013bd276d47efeefb35399391")
_WORDING_CURRENT = HandoffPrefix(1954, "7e9c6ce1b413ec6c11da5f2f7b5a3313bfeaf120c23b262d83ae5531e23da9eb")

DOCUMENTED = Policies(
    name="documented",
    release="the documentation",
    summary="The algorithm as Hermes' documentation describes it.",
    compared=False,
    counts_system=True,
    soft_ceiling=1.0,
    tail_floor="protect_last_n",
    anchor_user=False,
    placeholder=True,
    deduplicates=False,
    shrinks_arguments=False,
)

HERMES_0_13 = Policies(
    name="hermes-0.13",
    release="0.13.0",
    also=("0.14.0",),
    summary="Hermes Agent 0.13.0 and 0.14.0: a threshold of at least 64,000 tokens. Every compaction keeps the head.",
    floor=64_000,
    message_limit=400,
    uses_summary_window=True,
    judged_by="savings",
    loop=Loop(results=True, turns=True),
    wordings=(_WORDING_0_13,),
)

HERMES_0_15 = replace(
    HERMES_0_13,
    name="hermes-0.15",
    release="0.15.2",
    also=("0.15.0", "0.15.1"),
    summary="Hermes Agent 0.15.0 to 0.15.2: as 0.14, but old pictures are removed.",
    strips_old_images=True,
    loop=HERMES_0_13.loop._replace(guards_turns=True),
)

HERMES_0_16 = replace(
    HERMES_0_15,
    name="hermes-0.16",
    release="0.16.0",
    also=(),
    summary="Hermes Agent 0.16.0: as 0.15, but the fallback text lists the removed messages.",
    tells_dropped=True,
    loop=HERMES_0_15.loop._replace(defers=True),
    wordings=(_WORDING_0_16, _WORDING_FIRST),
)

HERMES_0_17 = replace(
    HERMES_0_16,
    name="hermes-0.17",
    release="0.17.0",
    summary="Hermes Agent 0.17.0: as 0.16, but up to 8 of the last messages and the last answer stay.",
    tail_floor="bounded",
    second_walk=True,
    anchor_assistant=True,
    refusals_counted=frozenset({"fits"}),
    focuses_itself=True,
    wordings=(_WORDING_0_17, *HERMES_0_16.wordings),
)

HERMES_0_18_0 = replace(
    HERMES_0_17,
    name="hermes-0.18.0",
    release="0.18.0",
    summary="Hermes Agent 0.18.0: as 0.17, but only the first compaction keeps the head. Room for the answer is kept.",
    message_limit=5_000,
    window_share=0.85,
    reserves_output=True,
    head_decays=True,
    keeps_pairs=True,
    skips_summaries=True,
    forces_user=True,
    stubs_calls=False,
    merges_behind=True,
    counts_whole_calls=True,
    loop=HERMES_0_17.loop._replace(large_turns=True, awaits=True),
)

HERMES_0_18 = replace(
    HERMES_0_18_0,
    name="hermes-0.18",
    release="0.18.2",
    also=("0.18.1",),
    summary="Hermes Agent 0.18.1 and 0.18.2: as 0.18.0, but reasoning counts, and one user message always stays.",
    keeps_a_user=True,
    counts_reasoning=True,
    loop=HERMES_0_18_0.loop._replace(calls=True),
)

HERMES_0_19 = replace(
    HERMES_0_18,
    name="hermes-0.19",
    release="0.19.0",
    also=(),
    summary="Hermes Agent 0.19.0: as 0.18, but the threshold is at least 75% of a window under 512,000 tokens.",
    raise_below=512_000,
    raise_to=0.75,
    realigns_forward=True,
    guards_lines=True,
    joins_parts=True,
    summary_ceiling=10_000,
    judged_by="usage",
    refusals_counted=frozenset({"fits", "too few"}),
    wordings=(_WORDING_0_19, *HERMES_0_18.wordings),
)

HERMES_0_20 = replace(
    HERMES_0_19,
    name="hermes-0.20",
    release="0.20.0",
    summary="Hermes Agent 0.20.0: as 0.19, but large results of the tail are shortened, and old summaries are removed.",
    uses_cap=True,
    reads_texts=True,
    wordings=(_WORDING_0_20, *HERMES_0_19.wordings),
)

HERMES_CURRENT = replace(
    HERMES_0_20,
    name="hermes-current",
    release="current",
    compared=False,
    summary="The current sources of Hermes Agent (not compared with a run): a smaller tail, and calls count in full.",
    eases_floor=True,
    lean_tail=True,
    restates=True,
    shrinks_arguments=False,
    refusals_counted=frozenset(),
    loop=BEFORE_REQUESTS,
    wordings=(_WORDING_CURRENT, *HERMES_0_20.wordings),
)

#: By name, oldest first.
RELEASES: Mapping[str, Policies] = MappingProxyType(
    {
        policies.name: policies
        for policies in (
            DOCUMENTED,
            HERMES_0_13,
            HERMES_0_15,
            HERMES_0_16,
            HERMES_0_17,
            HERMES_0_18_0,
            HERMES_0_18,
            HERMES_0_19,
            HERMES_0_20,
            HERMES_CURRENT,
        )
    }
)

#: Every release of a profile, such as `hermes-0.18.1`, and short names such as `hermes-0.14` if no profile has that
#: name.
BY_RELEASE: Mapping[str, Policies] = MappingProxyType(
    {
        f"hermes-{name}": policies
        for policies in RELEASES.values()
        if policies.release[0].isdigit()
        for release in (*policies.also, policies.release)
        for name in (release, release.rpartition(".")[0])
        if f"hermes-{name}" not in RELEASES
    }
)


def policies_of(profile: str) -> Policies | None:
    """Return the rules of a profile or a release by its name; None for other names."""
    return RELEASES.get(profile) or BY_RELEASE.get(profile)
