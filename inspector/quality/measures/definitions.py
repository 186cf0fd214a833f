"""Definitions of the measures as data. docs/quality.md explains them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inspector.quality.facts.fact import KINDS, Kind
from inspector.quality.measures.measure import Definition

_PROBES = "Factory Research, Evaluating Context Compression for AI Agents (December 2025)"
_KIND_TITLES: Mapping[Kind, str] = {
    "constraint": "Hard constraints that survive",
    "preference": "Preferences that survive",
    "decision": "Decisions that survive",
    "value": "Exact values that survive",
    "link": "Links that survive",
}

_ALL = (
    Definition(
        "artifact-files",
        "Artifact trail: files",
        "The share of the files named in summarized messages (in texts and tool calls; no web addresses) that the list "
        "after still names, in full or by a unique file name.",
        f"artifact trail, a separate dimension in {_PROBES}",
    ),
    Definition(
        "artifact-commands",
        "Artifact trail: commands",
        "The share of the commands in summarized messages whose first 60 characters the list after still has.",
        f"artifact trail in {_PROBES}",
    ),
    Definition(
        "read-again",
        "Read again",
        "The share of the files and pages opened between this compaction and the next that messages no longer in the "
        "list had opened before. Fewer is better.",
        f"the artifact trail in {_PROBES}, applied to the next acts of the agent",
    ),
    Definition(
        "continuity-request",
        "Continuity: the open request",
        "Whether the user's last request before the compaction is in the list after: as the message itself, or in "
        "the summary word for word or with 60% of its words.",
        f"continuity and the continuation probe in {_PROBES}",
        "yes or no",
    ),
    Definition(
        "continuity-next",
        "Continuity: the next step",
        "Whether the list after has the next step: the summary lists work in progress, next, blocked or asked, a to-do "
        "list follows it, or the last message before was kept.",
        f"continuity and the continuation probe in {_PROBES}",
        "yes or no",
    ),
    Definition(
        "compression",
        "Compression",
        "The share of the tokens before that the list after no longer has, and the same for the middle alone.",
        "the compression ratio of every report on compaction",
    ),
    Definition(
        "stayed-pruned",
        "Kept, but pruned",
        "The share of the kept messages whose results or arguments pruning shortened. Fewer is better.",
        "the pruning before every summary, which counts of messages do not show",
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
