"""Runs of a conversation side by side as plain text, to be pasted anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from inspector.core.shares import figure, plural
from inspector.core.text import safe_title
from inspector.engines.base import BUDGET_NAMES, Budgets
from inspector.engines.settings import SETTING_NAMES
from inspector.export.config import setting_words, settings_written
from inspector.export.console import Table
from inspector.replay.metrics import METRICS
from inspector.replay.recording import Recording
from inspector.replay.summary_model import SummaryModel
from inspector.replay.whatif import Metrics, WhatIf, stuck

#: Maximum characters of a line.
_ROOM = 1_000


def figure_rows(runs: Sequence[Callable[[str], float | None]]) -> list[list[str]]:
    """Rows of words and the figures of each run by name; without figures that no run has."""
    rows = []
    for metric in METRICS:
        values = [run(metric.name) for run in runs]
        if any(value is not None for value in values):
            rows.append([metric.label, *(figure(metric.form, value) for value in values)])
    return rows


def summary_words(model: SummaryModel) -> str:
    """Return the assumed size of summaries."""
    if model.recorded:
        return "the size of recorded summaries of about as many messages"
    return f"{model.ratio:.0%} of their budget" if model.tokens is None else f"{model.tokens:,} tokens each"


def comparison_text(
    title: str,
    recording: Recording,
    recorded: Metrics,
    runs: Sequence[tuple[str, WhatIf]],
    model: SummaryModel,
) -> str:
    """The recording and some runs: their settings, their figures, their compactions, and the settings as YAML."""
    names = ["recorded", *(name for name, _ in runs)]
    lines = [f"Compaction of {safe_title(title) or 'a conversation'}", ""]
    sizes = recording.course.scale.sentence()
    lines.append(f"{plural(len(recording.transcript), 'message')}, each counted once. {sizes}")
    lines += [f"Summaries have {summary_words(model)}.", ""]
    lines += _table(
        ["settings", *names[1:]],
        [[name, *(setting_words(getattr(run.settings, name)) for _, run in runs)] for name in SETTING_NAMES],
    )
    derived = [
        [words, *(_budget(run.budgets, name) for _, run in runs)] for name, words in BUDGET_NAMES.items()
    ]
    lines += ["", *_table(["derived, tokens", *names[1:]], derived), ""]
    metrics = [recorded, *(run.metrics for _, run in runs)]
    lines += _table(["figures", *names], figure_rows([partial(getattr, metric) for metric in metrics]))
    for name, events in [("recorded", recording.events), *((name, run.events) for name, run in runs)]:
        lines += ["", f"Compactions, {name}"]
        if not events:
            lines.append("  none")
        lines += [
            f"  after {event.step:,} messages ({event.fires}): "
            f"{event.tokens_before:,} → {event.tokens_after:,} tokens, "
            f"head {event.head_end}, middle {event.tail_start - event.head_end}, tail {event.before - event.tail_start}"
            for event in events
        ]
    for name, run in runs:
        if stuck(run):
            lines += ["", f"{name}: {stuck(run)}"]
        written = settings_written(run.settings)
        lines += ["", f"{name}, for {written.file or 'the agent'}", ""]
        lines += [f"  {line}" for line in written.text.splitlines()]
    return "\n".join(lines) + "\n"


def _budget(budgets: Budgets, name: str) -> str:
    value = getattr(budgets, name)
    if not value and name == "hygiene_tokens":
        return "–"
    return f"~{value:,}" if budgets.observed and name == "max_summary_tokens" else f"{value:,}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    names, *lines = Table(head[0], *(f">{name}" for name in head[1:]), rows=rows).lines(_ROOM)
    return [names, "-" * max(map(len, (names, *lines))), *lines]
