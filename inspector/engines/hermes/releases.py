"""The releases, as data. Each fact was read off the release named, or off its documentation."""

from __future__ import annotations

from types import MappingProxyType

from inspector.engines.hermes.policies import Policies, Wording

_WORDING_0_13 = Wording(772, "1624c5d8e3ce9a50ba9b4cddce02e5468eb553078350a720bdf2558a0c4519f8")
_WORDINGS_0_19 = (
    Wording(1632, "1c004c9c0ec1a25cbc96ae326724269d8ee67d363a8aeca17e722801e0f4b672"),
    Wording(1428, "f953b27ebb6288ec9aea994184be18cbc56783d2237241df2b1f24b55f3b0230"),
    Wording(1378, "2999da51e1781fab13ee35aa6b0f6d2815091130426d1c840a3b0fc9b7df7141"),
    Wording(586, "5cd6c1b9dc95f8ff066df65c33abb66cad2718fe6f12bf736491ae9ea3b1c013"),
)

DOCUMENTED = Policies(
    name="documented",
    release="the documentation",
    summary="The algorithm as Hermes' documentation describes it.",
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
    summary="Hermes Agent 0.13.0: a floor of 64,000 tokens, a head that never decays.",
    floor=64_000,
    heeds_summary_window=True,
    wordings=(_WORDING_0_13,),
)

HERMES_0_19 = Policies(
    name="hermes-0.19",
    release="0.19.0",
    summary="Hermes Agent 0.19.0: at least 75% of windows under 512,000 tokens, a head that decays.",
    floor=64_000,
    raise_below=512_000,
    raise_to=0.75,
    window_share=0.85,
    heeds_summary_window=True,
    reserves_output=True,
    head_decays=True,
    tail_floor="bounded",
    second_walk=True,
    anchor_assistant=True,
    keeps_pairs=True,
    realigns_forward=True,
    skips_summaries=True,
    guards_lines=True,
    summary_ceiling=10_000,
    searches_head=True,
    forces_user=True,
    stubs_calls=False,
    strips_old_images=True,
    merges_behind=True,
    counts_whole_calls=True,
    wordings=_WORDINGS_0_19,
)

RELEASES = MappingProxyType({p.name: p for p in (DOCUMENTED, HERMES_0_13, HERMES_0_19)})
