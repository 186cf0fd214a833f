"""Values for the panes: one of each kind, with something of everything in it."""

from __future__ import annotations

from inspector.config.fact_rules import load_stemmer
from inspector.engines.base import Budgets, DerivationStep, Settings
from inspector.summaries.drift import drift_of
from inspector.summaries.lineage import follow
from tests.summaries.test_lineage import BODIES, columns
from widgets.lists.evidence_list import EvidenceView
from widgets.lists.fact_list import FactPlace, FactView
from widgets.lists.measure_table import MeasureCell, MeasureColumn, MeasureRow, MeasuresView
from widgets.lists.message_list import ListSource, MessageRow
from widgets.panes.compaction_pane import BoundsView, CompactionView
from widgets.panes.losses_pane import FactScope, LossesView
from widgets.panes.summary_pane import (
    DiffItem,
    DiffSection,
    DiffView,
    LineageView,
    SummaryItem,
    SummaryPaneView,
    SummarySection,
    SummaryView,
)
from widgets.panes.token_graph import GraphState
from widgets.panes.what_if_pane import Preset, ReplayView, RunView, TuneState

# A summary.

SECTIONS = (
    SummarySection("Goal", (SummaryItem("Pass the tests", "-"),), 12, 2),
    SummarySection("Progress", (), None, 2),
    SummarySection(
        "Done", (SummaryItem("fixed a", "1."), SummaryItem("sub", "-", 1), SummaryItem("x\ny")), 30, 3
    ),
    SummarySection("Blocked", (), 1, 3),
)
SUMMARY = SummaryView("summary", "compaction 2 of 3", SECTIONS, 3_200, 10_000, "A note.")
DIFF = DiffView(
    "compaction 1",
    "compaction 2",
    (
        DiffSection("Goal", (DiffItem("kept", "Pass the tests"),)),
        DiffSection(
            "In Progress", (DiffItem("removed", "old"), DiffItem("reworded", "ship by Friday", "ship soon"))
        ),
        DiffSection("Done", (DiffItem("moved", "fix a", "fix a", "In Progress", "Done"),), "added"),
    ),
    "same\nold line",
    "same\nnew line",
)


def lineage_view(*bodies: str | None, column: int = 0, budget: int | None = 2_000) -> LineageView:
    """The life of the items of these summaries."""
    lineage = follow(columns(*bodies))
    tokens = [None if body is None else len(body) // 4 for body in bodies]
    return LineageView(lineage, drift_of(lineage, load_stemmer(), tokens, [budget] * len(bodies)), column)


SUMMARY_PANE = SummaryPaneView(SUMMARY, DIFF, lineage_view(*BODIES, column=1))

# What was lost.

SAID = FactPlace(1, 7, "never more than 37", "message 7 of generation 1")
KEPT = FactPlace(2, 3, "37", "summary, message 3 of generation 2")


def fact(
    number: int, outcome: str, kind: str = "constraint", role: str = "user", **values: object
) -> FactView:
    """A fact of that outcome."""
    base = {
        "key": f"k{number}",
        "kind": kind,
        "text": f"Retry {number} times, never more than 37.",
        "values": ("37",),
        "role": role,
        "outcome": outcome,
        "source": SAID,
    }
    return FactView(**{**base, **values})  # type: ignore[arg-type]


FACTS = (
    fact(1, "lost"),
    fact(2, "value lost", survivor=KEPT, excerpt="retries are limited"),
    fact(3, "paraphrased", "decision", "assistant"),
    fact(4, "verbatim", "value", "tool", where="summary", survivor=KEPT, excerpt="never more than 37"),
)
SCOPES = (
    FactScope("1", "compaction 1", "1", FACTS, "What its summarized messages said."),
    FactScope("2", "compaction 2", "2", (fact(5, "lost"), fact(6, "verbatim"))),
    FactScope("pruned", "pruned", "pruned", (fact(8, "lost", role="tool"),)),
    FactScope("risk", "at risk", "at risk", (fact(9, "at risk"),)),
)

EVIDENCE_SAID = FactPlace(1, 7, "deploy.yaml")
EVIDENCE_FOUND = FactPlace(2, 3, "deploy.yaml")
EVIDENCE = (
    EvidenceView(
        "deploy.yaml", True, 1, "assistant", "by its name alone", EVIDENCE_SAID, EVIDENCE_FOUND, "summary"
    ),
    EvidenceView("never on Fridays", False, 1, "user", "value lost", FactPlace(1, 9, "never on Fridays")),
    EvidenceView("ask Ann", True, 1, "summary", "Next", None, FactPlace(2, 4, "ask Ann"), "tail"),
)
NONE = MeasureCell()


def cell(count: int, of: int, evidence: tuple[EvidenceView, ...] = (), so_far: str = "") -> MeasureCell:
    """A share with its numbers."""
    share = count / of
    return MeasureCell(
        f"{share:.0%} {count}/{of}",
        f"{share:.0%}",
        share,
        share if so_far else None,
        so_far,
        (("used", f"{count}/{of}"),),
        evidence,
    )


def measure(name: str, group: str, cells: tuple[MeasureCell, ...], whole: MeasureCell) -> MeasureRow:
    """A row of the table."""
    counts, practice = f"Of all {name}, those that are known.", "probes"
    return MeasureRow(name, group, name, f"Title of {name}", counts, practice, cells, whole)


COLUMNS = (MeasureColumn(1), MeasureColumn(2, fallback=True), MeasureColumn(3, summary=False))
MEASURES = MeasuresView(
    COLUMNS,
    (
        measure(
            "files",
            "trail",
            (cell(2, 3, EVIDENCE, "67% 2/3"), cell(0, 4, so_far="20% 1/5"), NONE),
            cell(2, 7, EVIDENCE),
        ),
        measure("commands", "trail", (NONE, cell(1, 2), cell(1, 1)), cell(2, 3)),
        measure("survival-constraint", "survival", (cell(1, 2), cell(1, 2), NONE), cell(2, 4)),
        measure("survival-link", "survival", (NONE, NONE, NONE), NONE),
        measure("survival-value", "survival", (cell(1, 1), NONE, NONE), cell(1, 1)),
        measure(
            "spent", "tokens", (MeasureCell("17.8k", "17.8k"), NONE, NONE), MeasureCell("17.8k", "17.8k")
        ),
    ),
)
LOSSES = LossesView(SCOPES, 1, MEASURES, total=3)

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
PRESETS = (Preset("defaults", DEFAULTS), Preset("recorded", Settings(threshold=0.7)))
TUNE = TuneState(DEFAULTS, DEFAULTS, BUDGETS, PROFILES, PRESETS, {}, ("The next one: 343 → 130 messages.",))
RUN = RunView("recorded", 12, 98_100, 41_000, 3_200_000, 0.45, 0.1, 3.0, 80, 12, 2)
WHAT_IF = RunView("what-if", 9, 80_000, 39_000, 2_900_000, 0.4, 0.1, 4.0)
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
    2,
    3,
    343,
    130,
    100_400,
    32_100,
    "summary",
    (
        BoundsView("recorded", "recorded", 3, 217, 3_100, 32_100),
        BoundsView("planned", "planned by hermes-0.13", 3, 214, None, 33_000, "tail budget 20,000"),
    ),
    214,
    61_000,
    128,
    1,
    1.7e9,
    "session_1",
    ("Saved little before.",),
    (fact(1, "lost"), fact(2, "value lost", role="assistant"), fact(3, "lost", source=None)),
    "and 31 more",
    SUMMARY,
)
ROWS = ListSource(
    [MessageRow(str(i), "user", f"kept {i}", flags=frozenset({"copied"})) for i in range(3)]
    + [MessageRow(str(i), "tool", f"gone {i}", flags=frozenset({"struck"})) for i in range(3, 10)]
    + [MessageRow("Σ", "user", "summary", flags=frozenset({"summary"}))]
    + [MessageRow(str(i), "user", f"kept {i}", flags=frozenset({"copied"})) for i in range(10, 12)]
)
