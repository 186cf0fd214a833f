"""Example values for the panes: one of each kind, with all optional parts."""

from __future__ import annotations

from typing import Any

from inspector.core.conversations import Compaction
from inspector.engines.base import Budgets, DerivationStep, Plan, Settings
from inspector.quality.facts.fact import Fact, Fate, Life, Saying, Value
from inspector.quality.facts.risk import AtRisk
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.measures import Share, Survival
from inspector.replay.whatif import Metrics
from inspector.summaries.drift import drift_of
from inspector.summaries.lineage import follow
from tests.summaries.test_lineage import BODIES, columns
from widgets.lists.message_list import ListSource, MessageRow
from widgets.panes.compaction_lines import CompactionView
from widgets.panes.diff_lines import compare
from widgets.panes.knob_values import TuneState
from widgets.panes.lineage_lines import LineageView
from widgets.panes.losses_view import FactScope, LossesView
from widgets.panes.run_lines import NamedRun, ReplayView
from widgets.panes.summary_lines import summary_view
from widgets.panes.summary_pane import SummaryPaneView
from widgets.panes.token_graph import GraphState

# A summary.

BODIES_OF_TWO = (
    "## Goal\n- Pass the tests\n\n## In Progress\n- old\n- ship the release soon to all\n- fix the parser of dates\n",
    "## Goal\n- Pass the tests\n\n## In Progress\n- ship the release by Friday to all\n\n## Done\n"
    "- fix the parser of dates\n",
)
BODY = (
    "## Goal\n- Pass the tests\n\n## Progress\n\n### Done\n1. fixed a\n   - sub\n2. fixed b\n\n### Blocked\n"
)


def compaction(index: int = 2, summary: str | None = BODY, **values: Any) -> Compaction:
    """Return a recorded compaction that removed 214 of 343 messages."""
    base: dict[str, Any] = {
        "index": index,
        "session": "session_1",
        "before": 343,
        "after": 130,
        "head_end": 3,
        "tail_start": 217,
        "head_after": 3,
        "tail_after": 4,
        "summary_at": 3,
        "summary": summary,
        "merged": False,
        "fallback": False,
        "tokens_before": 100_400,
        "tokens_after": 32_100,
        "at": 1.7e9,
    }
    return Compaction(**{**base, **values})


SUMMARY = summary_view(compaction(note="A note."), 3, 100)
_COMPARED = compare(compaction(1, BODIES_OF_TWO[0]), compaction(2, BODIES_OF_TWO[1]))
assert _COMPARED is not None
DIFF = _COMPARED


def lineage_view(*bodies: str | None, column: int = 0, budget: int | None = 2_000) -> LineageView:
    """Return the lineage of the items of these summaries."""
    lineage = follow(columns(*bodies))
    tokens = [None if body is None else len(body) // 4 for body in bodies]
    return LineageView(lineage, drift_of(lineage, load_stemmer(), tokens, [budget] * len(bodies)), column)


SUMMARY_PANE = SummaryPaneView(SUMMARY, DIFF, lineage_view(*BODIES, column=1))

# What was lost.

SAID, KEPT = (1, 7, "Retry 1 times, never more than 37."), (2, 3, "37")
_FATES: dict[str, dict[str, Any]] = {
    "value lost": {"index": 3, "where": "summary", "excerpt": "retries are limited"},
    "verbatim": {"index": 3, "where": "summary", "excerpt": "never more than 37"},
}


def fact(
    number: int,
    outcome: str,
    kind: str = "constraint",
    role: str = "user",
    text: str = "",
    values: tuple[str, ...] = ("37",),
    **fate: Any,
) -> Life | AtRisk:
    """Return a fact with a fate after compaction 1; "at risk" is a fact of the list on screen."""
    saying = Saying(7, 1, 7, 7, "session_1", role, (0, 10), 1)
    exact = tuple(Value(value, "number", value, "", False, (0, 1)) for value in values)
    text = text or f"Retry {number} times, never more than 37."
    constraint = Fact(
        f"k{number}", kind, text, "37", exact, (), "rule", 5, (0, 0), role, (saying,), 0, 1.0,  # type: ignore[arg-type]
    )  # fmt: skip
    if outcome == "at risk":
        return AtRisk(constraint, (7,))
    return Life(constraint, 1, (Fate(1, outcome, **{**_FATES.get(outcome, {}), **fate}),))  # type: ignore[arg-type]


def life(number: int, outcome: str, **values: Any) -> Life:
    """Return the life of a fact with a fate."""
    made = fact(number, outcome, **values)
    assert isinstance(made, Life)
    return made


FACTS = (
    fact(1, "lost"),
    fact(2, "value lost"),
    fact(3, "paraphrased", "decision", "assistant"),
    fact(4, "verbatim", "value", "tool"),
)
SCOPES = (
    FactScope("1", FACTS, "Facts in its messages."),
    FactScope("2", (fact(5, "lost"), fact(6, "verbatim"))),
    FactScope("pruned", (fact(8, "lost", role="tool"),)),
    FactScope("risk", (fact(9, "at risk"),)),
)
SURVIVAL = Survival(
    (compaction(1), compaction(2, fallback=True), compaction(3, None)),
    {
        "constraint": (Share(1, 2), Share(0, 2), None),
        "statement": (None, None, None),
        "value": (Share(1, 1), None, None),
    },
)
LOSSES = LossesView(SCOPES, 1, SURVIVAL, total=3)

# What if.

PROFILES = ("documented", "hermes-0.13", "hermes-0.19")
DEFAULTS = Settings()
BUDGETS = Budgets(
    100_000,
    20_000,
    10_000,
    170_000,
    {
        "threshold_tokens": (
            DerivationStep("share", 100_000, "50% of a context of 200,000"),
            DerivationStep("floor", 100_000, "never below 64,000", True),
        ),
        "tail_token_budget": (DerivationStep("ratio", 20_000, "20% of the threshold"),),
    },
)
TUNE = TuneState(DEFAULTS, DEFAULTS, BUDGETS, PROFILES, {}, ("The next one: 343 → 130 messages.",))
RUN = NamedRun("recorded", Metrics(12, 90, 98_100, 41_000, 3_200_000, 0.45, 0.1, 3.0, 80, 12, 2))
WHAT_IF = NamedRun("what-if", Metrics(9, 90, 80_000, 39_000, 2_900_000, 0.4, 0.1, 4.0))
GRAPH = GraphState(
    recorded=tuple(step % 40 * 1_000 for step in range(100)),
    whatif=tuple(step % 30 * 1_000 for step in range(100)),
    threshold=35_000,
    recorded_events=(40, 80),
    whatif_events=(30, 60, 80),
)
RUNS = ReplayView(GRAPH, (RUN, WHAT_IF), ("These settings compact elsewhere.",))

# A compaction.

COMPACTION = CompactionView(
    compaction(note="Saved little before."),
    3,
    Plan(
        "hermes-0.13", Budgets(64_000, 20_000, 10_000, 0, {}), 343, True, "", 3, 214, 0, (), 3, 3_000, "user", False,
        1_000, 61_000, 20_000, 100_000, 33_000, 3_000,
    ),
    61_000,
    lost=(life(1, "lost"), life(2, "value lost", role="assistant"), life(3, "lost")),
    lost_notes=("and 31 more",),
    summary=SUMMARY,
)  # fmt: skip


class Rows(ListSource):
    """Rows of a compaction that are completely loaded."""

    def missing(self, wanted: range) -> dict[int, range]:
        return {}

    def source_of(self, row: int) -> tuple[int, int]:
        return 2, row


ROWS = Rows(
    [MessageRow(str(i), "user", f"kept {i}", flags=frozenset({"copied"})) for i in range(3)]
    + [MessageRow(str(i), "tool", f"gone {i}", flags=frozenset({"struck"})) for i in range(3, 10)]
    + [MessageRow("Σ", "user", "summary", flags=frozenset({"summary"}))]
    + [MessageRow(str(i), "user", f"kept {i}", flags=frozenset({"copied"})) for i in range(10, 12)]
)
