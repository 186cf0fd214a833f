"""Definitions of the measures as data. docs/measures.md explains them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inspector.quality.facts.fact import KINDS, Kind
from inspector.quality.measures.measure import Definition

_PROBES = "Factory Research, Evaluating Context Compression for AI Agents (December 2025)"
_KIND_TITLES: Mapping[Kind, str] = {
    "constraint": "Constraints that survive",
    "preference": "Preferences that survive",
    "decision": "Decisions that survive",
    "value": "Exact values that survive",
    "link": "Links that survive",
}

_ALL = (
    Definition(
        "compression",
        "Compression",
        "The share of the tokens before that the list after no longer has, and the same for the middle alone.",
        "the compression ratio of every report on compaction",
    ),
    Definition(
        "cost",
        "Tokens spent",
        "The pruned tokens that the summary model read, and the tokens that it wrote, without the prompt around them; "
        "also the tokens by which the list became shorter.",
        f"tokens per task instead of tokens per request, in {_PROBES}",
        "tokens",
    ),
    *(
        Definition(
            f"survival-{kind}",
            _KIND_TITLES[kind],
            "The share of the facts of this kind in summarized messages whose value the list after still has, verbatim "
            "or in other words.",
            f"the recall and decision probes in {_PROBES}, applied to the text instead of a model",
        )
        for kind in KINDS
    ),
)

DEFINITIONS: Mapping[str, Definition] = MappingProxyType({definition.id: definition for definition in _ALL})
