"""The numbers that follow from settings as lines, each with the steps that led to it."""

from __future__ import annotations

from inspector.engines.base import BUDGET_NAMES, Budgets, DerivationStep
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of


def budget_lines(budgets: Budgets) -> list[TextLine]:
    """Each number with its name and its steps; “rule” marks steps that changed it."""
    lines: list[TextLine] = []
    names = [*BUDGET_NAMES, *(name for name in budgets.steps if name not in BUDGET_NAMES)]
    for name in names:
        steps = budgets.steps.get(name, ())
        value = getattr(budgets, name, None)
        if value is None and steps:
            value = steps[-1].value
        if value is None or not (value or steps):
            continue
        if lines:
            lines.append(TextLine(""))
        # The observed number is the usual size of a summary, not the maximum that it may have.
        usual = budgets.observed and name == "max_summary_tokens"
        title = "usual summary" if usual else BUDGET_NAMES.get(name, one_line(name, 40).replace("_", " "))
        lines.append(line_of((title, "heading"), (f"  {_number(value)}", "strong")))
        lines += [_step(step) for step in steps]
    return lines


def _step(step: DerivationStep) -> TextLine:
    why = one_line(step.why, 400)
    number = _number(step.value)
    lead, style, ink = ("rule: ", "warning", "") if step.bound else ("", "muted", "kept")
    return line_of((f"{number:>9}  {lead}", style), (why, ink), prefix="   ")


def _number(value: float) -> str:
    return f"{round(value):,}" if float(value).is_integer() else f"{value:,.4g}"
