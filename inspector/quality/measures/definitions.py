"""Every measure as data. docs/quality.md says the same."""

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
    "link": "What things rest on that survives",
}

_ALL = (
    Definition(
        "artifact-files",
        "Artifact trail: files",
        "Of the files that summarized messages named (in calls of tools and in what was said; no web addresses), those "
        "that the list after still names, in full or by a file name that no other of them has.",
        f"artifact trail, a dimension of its own in {_PROBES}",
    ),
    Definition(
        "artifact-commands",
        "Artifact trail: commands",
        "Of the commands that summarized messages ran, those whose first 60 characters the list after still has.",
        f"artifact trail in {_PROBES}",
    ),
    Definition(
        "read-again",
        "Read again",
        "Of the files and pages that the agent opened between this compaction and the next, those that it had opened "
        "before in messages that left the list. Fewer is better.",
        f"the artifact trail in {_PROBES}, asked of what the agent did next",
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
        "Whether the list after says what comes next: the summary lists something as in progress, next, blocked or "
        "asked, a to-do list follows it, or the last message before is still there.",
        f"continuity and the continuation probe in {_PROBES}",
        "yes or no",
    ),
    Definition(
        "compression",
        "Compression achieved",
        "The share of the tokens before that the list after no longer has; beside it what the summary made of the "
        "middle alone.",
        "the compression ratio that every report on compaction gives",
    ),
    Definition(
        "stayed-pruned",
        "Stayed, but pruned to a line",
        "Of the messages that stayed in the list, those whose results or arguments pruning cut. Fewer is better.",
        "the pruning that comes before every summary, which counts of messages do not show",
    ),
    Definition(
        "cost",
        "Tokens spent",
        "What the summary model had to read, as it was pruned, and what it wrote; the prompt around it is not "
        "counted. Beside it the tokens by which the list got shorter.",
        f"tokens per task instead of tokens per request, in {_PROBES}",
        "tokens",
    ),
    *(
        Definition(
            f"survival-{kind}",
            _KIND_TITLES[kind],
            "Of the facts of this kind that summarized messages said, those whose value can still be read in the "
            "list after, verbatim or in other words.",
            f"the recall and decision probes in {_PROBES}, asked of the text instead of a model",
        )
        for kind in KINDS
    ),
)

DEFINITIONS: Mapping[str, Definition] = MappingProxyType({definition.id: definition for definition in _ALL})
