"""Replays, sweeps and recommendations, as JSON and text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isnan

from msgspec import convert

from inspector.answers.recommending import Recommendation, confidence
from inspector.answers.replaying import Replay
from inspector.answers.sweeping import all_equal
from inspector.core.conversations import ROLE_NAMES
from inspector.core.shares import dollars, figure, percent, plural
from inspector.engines.registry import profile_status, words_of
from inspector.engines.settings import SETTINGS
from inspector.export.comparison import figure_rows, summary_words
from inspector.export.config import settings_document, settings_written
from inspector.export.console import Table, console_for, print_table, say
from inspector.export.document import Document, built, fields_of
from inspector.replay.event import Event, places_of
from inspector.replay.metrics import BY_NAME
from inspector.replay.reproducing import Reproduction
from inspector.replay.sweep import Cell, Sweep
from inspector.replay.whatif import Metrics, stuck

#: The names of alternative costs in a sentence.
CACHE_NAMES = {
    "for 5 minutes": "a cache of 5 minutes",
    "for 1 hour": "a cache of 1 hour",
    "native layout": "the native layout",
    "envelope layout": "the envelope layout",
}

#: Maximum number of compactions of a run next to others.
_MAX_COMPACTIONS = 12
#: Rows of the graph of tokens.
_GRAPH_ROWS = 10


def replay_document(answer: Replay) -> Document:
    """The answer of `replay`: recorded and what-if side by side, and every step of the recording."""
    recording, budgets = answer.recording, answer.run.budgets
    steps = []
    asked = frozenset(recording.course.calls)
    hygiene = budgets.hygiene_tokens if recording.course.gateway else 0
    for step, (place, tokens) in enumerate(
        zip(recording.transcript.places, recording.tokens, strict=True), 1
    ):
        fires = None
        if step in asked and tokens >= min(budgets.threshold_tokens, hygiene or budgets.threshold_tokens):
            fires = "agent" if tokens >= budgets.threshold_tokens else "hygiene"
        steps.append(
            {
                "step": step,
                "tokens": tokens,
                "pressure": round(tokens / budgets.threshold_tokens, 4),
                "fires": fires,
                "role": ROLE_NAMES[place.role],
                **fields_of(place, "generation index message"),
            }
        )
    return {
        "conversation": answer.conversation,
        "reproduces": reproduction_document(answer.reproduces),
        "settings": settings_document(answer.resolved),
        **fields_of(budgets, "threshold_tokens hygiene_tokens:null"),
        "context_length": answer.resolved.settings.context_length,
        "recorded": _recorded(answer),
        "whatif": _whatif(answer),
        "steps": steps,
    }


def beside_documents(answer: Iterable[Replay]) -> list[Document]:
    """Return the answer of `beside`: for each profile its settings, its run, and its reliability."""
    return [
        {
            "profile": replay.resolved.settings.profile,
            "standing": profile_status(replay.resolved.settings.profile),
            "settings": settings_document(replay.resolved),
            "threshold_tokens": replay.run.budgets.threshold_tokens,
            "sizes": replay.recording.course.scale.sentence(),
            "whatif": _whatif(replay),
        }
        for replay in answer
    ]


def reproduction_document(fit: Reproduction) -> Document:
    """Return the fit of the settings in force to the record."""
    return {**built(fit), "trusted": fit.trusted, "text": fit.agreement}


def _cost(answer: Replay, metrics: Metrics, events: Sequence[Event]) -> Document | None:
    """Return the cost of a run; None if unknown."""
    if metrics.cost is None:
        return None
    return {
        "currency": "USD",
        "amount": metrics.cost,
        "modelled": answer.costing.is_estimated,
        "otherwise": dict(answer.costing.alternative_costs(events)),
    }


def _recorded(answer: Replay) -> Document:
    """Return the recorded compactions, in steps of the transcript."""
    recording = answer.recording
    return {
        "messages": len(recording.transcript),
        "compactions": list(map(_event, recording.events)),
        "sizes": recording.course.scale.sentence(),
        **_figures(answer.recorded),
        "cost": _cost(answer, answer.recorded, recording.events),
    }


def _event(event: Event) -> Document:
    """Return a recorded compaction. Values that are unknown without the list before it are None."""
    document: Document = built(event)
    if not event.before:
        document |= dict.fromkeys(("before", "head_end", "tail_start", "rough_before"))
        document["tokens_before"] = event.tokens_before or None
    return document


def _whatif(answer: Replay) -> Document:
    """Return the run under the settings."""
    run, recording = answer.run, answer.recording
    return {
        "compactions": built(run.events),
        **_figures(run.metrics),
        **fields_of(run, "tokens gives_up"),
        "compacts_every_call": run.every_call,
        "stuck": stuck(run) or None,
        "as_recorded": places_of(run.events) == places_of(recording.events),
        "summary_size": summary_words(recording.model)
        + ("" if recording.model.recorded else ", because no summary was recorded"),
        "cost": _cost(answer, run.metrics, run.events),
        "range": built(answer.range),
    }


def _figures(metrics: Metrics) -> Document:
    """Return the figures by name; figures of facts only if facts were counted."""
    return {
        name: value
        for name, value in built(metrics).items()
        if name not in ("compactions", "cost") and value is not None
    }


def sweep_document(swept: Sweep) -> Document:
    """Return a sweep as a document; null for a cell that was not run."""
    rows, columns = swept.rows, swept.columns
    document: Document = {
        "axes": [rows.name, columns.name],
        rows.name: list(rows.values),
        columns.name: list(columns.values),
        "conversations": swept.conversations,
        "metrics": built(swept.cells),
        "best": {
            name: {
                **_settings(swept, (best.row, best.column)),
                "value": best.value,
                "all_equal": all_equal(swept, name),
                "alike": [_settings(swept, cell) for cell in swept.alike(name)],
            }
            for name in swept.cells
            if swept.conversations and (best := swept.best(name))
        },
        "ranges": {
            name: [[None if isnan(low) else [low, high] for low, high in line] for line in lines]
            for name, lines in swept.ranges.items()
        },
        "identical_to": [
            [None if cell is None else _settings(swept, cell) for cell in line] for line in swept.identical_to
        ],
    }
    if swept.reproduces is not None:
        document["reproduces"] = reproduction_document(swept.reproduces)
    document |= fields_of(swept, "unpriced unused gives_up compacts_every_call=every_call")
    if not swept.complete:
        document["complete"] = False
    return document


def _settings(swept: Sweep, cell: Cell) -> Document:
    """Return the two settings of a cell."""
    return {
        axis.name: axis.values[place] for axis, place in zip((swept.rows, swept.columns), cell, strict=True)
    }


def sweep_csv(swept: Sweep) -> str:
    """Return a line for each cell: both settings, then every metric."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    marks = {"gives_up": swept.gives_up, "compacts_every_call": swept.every_call}
    writer.writerow([swept.rows.name, swept.columns.name, *swept.cells, *marks, "identical_to"])
    for row, value in enumerate(swept.rows.values):
        for column, other_value in enumerate(swept.columns.values):
            cells = [lines[row][column] for lines in swept.cells.values()]
            signs = [lines[row][column] for lines in marks.values()]
            same = swept.identical_to[row][column]
            writer.writerow(
                [
                    value,
                    other_value,
                    *("" if isnan(cell) else cell for cell in cells),
                    *(int(sign) if swept.conversations else "" for sign in signs),
                    "" if same is None else "/".join(map(str, _settings(swept, same).values())),
                ]
            )
    return out.getvalue()


def recommendation_document(advice: Recommendation) -> Document:
    """The answer of `recommend`."""
    written = settings_written(advice.settings, advice.force)
    return {
        "agent": advice.agent,
        "conversations": len(advice.conversations),
        **fields_of(advice, "goal changes"),
        "settings": {
            **fields_of(advice.settings, "profile threshold target_ratio"),
            "changed": _changed(advice),
        },
        "why": list(advice.why),
        "against": {
            "recorded": built(advice.recorded),
            "in_force": built(advice.in_force) | {"range": built(advice.ranges[0])},
            "recommended": built(advice.recommended) | {"range": built(advice.ranges[1])},
        },
        "reproduces": reproduction_document(advice.reproduces),
        "confidence": confidence(advice),
        "write": built(written) if advice.changes else None,
    }


def _changed(advice: Recommendation) -> list[str]:
    """Return the names of the recommended settings that differ from those in force."""
    names = ("threshold", "target_ratio") if advice.changes else ()
    return [name for name in names if getattr(advice.settings, name) != getattr(advice.force, name)]


def _compared(run: Document, recorded: Document) -> str:
    """Compare the compactions of a run with the recorded ones, in words."""
    steps, others = ([event["step"] for event in entry["compactions"]] for entry in (run, recorded))
    if steps != others:
        return "compacts at other steps than recorded"
    if not steps:
        return "compacts nothing, as recorded"
    return "compacts at the recorded steps" + ("" if run["as_recorded"] else ", with other boundaries")


def print_replay(document: Document) -> None:
    """Print the recorded compactions next to the run, and the tokens over the steps as a graph."""
    run, recorded = document["whatif"], document["recorded"]
    print_reproduction(convert(document["reproduces"], Reproduction))
    say(
        f"{plural(recorded['messages'], 'message')} · threshold {document['threshold_tokens']:,} · "
        f"{words_of(document['settings']['profile'])}"
    )
    table = Table("", ">step", ">messages", ">tokens", ">boundaries")
    for kind, events in (("recorded", recorded["compactions"]), ("what-if", run["compactions"])):
        for event in events:
            tokens = "unknown" if event["tokens_before"] is None else f"~{event['tokens_before']:,}"
            is_known = event["before"] is not None
            table.add(
                kind,
                event["step"],
                f"{event['before']:,} → {event['after']:,}" if is_known else f"unknown → {event['after']:,}",
                f"{tokens} → ~{event['tokens_after']:,}",
                f"{event['head_end']}:{event['tail_start']}" if is_known else "unknown, left out",
            )
    print_table(table)
    say(f"what-if: {_compared(run, recorded)}; summaries have {run['summary_size']}")
    if recorded["sizes"]:
        say(f"  {recorded['sizes']}")
    if run["stuck"]:
        say(f"  {run['stuck']}", "bold")
    window = document["context_length"]
    # If the settings changed, the peak may be of a part with another window.
    is_above = run["peak_tokens"] > window and not document["reproduces"]["changed"]
    say(f"  recorded: {_sizes(recorded)}")
    say(f"  what-if: {_sizes(run, f' (the window has {window:,})' if is_above else '')}")
    say(
        f"  what-if: {percent(run['summarized_share'])} of the conversation went through a summary, "
        f"{percent(run['resummarized_share'])} through more than one · a user message stayed verbatim for "
        f"{plural(round(run['user_steps']), 'step')} on average"
    )
    say(f"  {_range(run['range'])}")
    for name, entry in (("recorded", recorded), ("what-if", run)):
        if entry["cost"]:
            say(f"  cost with summaries, {name}: {_costs(entry['cost'])}")
    if "facts" in run:
        say(
            f"  {run['facts_at_risk']:,} of {run['facts']:,} facts at risk (recorded: {recorded['facts_at_risk']:,}), "
            f"{run['constraints_at_risk']:,} of them constraints"
        )
    if document.get("beside"):
        _print_beside(document)
    say()
    for line in graph(
        [step["tokens"] for step in document["steps"]], document["threshold_tokens"], console_for().width - 12
    ):
        say(line)


def _sizes(figures: Document, note: str = "") -> str:
    """Return the sizes of the requests of the recording or of the run, in words. The `note` is about the peak."""
    return (
        f"peak ~{figures['peak_tokens']:,}{note} · mean ~{figures['mean_tokens']:,} · "
        f"input ~{figures['input_tokens']:,} tokens over {plural(figures['calls'], 'request')}"
    )


def print_reproduction(fit: Reproduction) -> None:
    """Print the fit of the settings in force to the record, with reasons."""
    say(f"Reproduces {fit.agreement}." if fit.recorded else f"{fit.agreement.capitalize()}.")
    for reason in (*fit.inferred, *fit.changed, *fit.why_not):
        say(f"  {reason}")


def _range(ranges: Document) -> str:
    low, high = ranges["compactions"]
    least, most = ranges["input_tokens"]
    compactions = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    tokens = f"~{least:,}" if least == most else f"~{least:,} to ~{most:,}"
    return f"with summaries of half and twice the size: compactions {compactions}, input tokens {tokens}"


def _print_beside(document: Document) -> None:
    """Print the recording next to every profile."""
    columns = [
        ("recorded", None, document["recorded"]),
        (document["settings"]["profile"], document["threshold_tokens"], document["whatif"]),
        *((other["profile"], other["threshold_tokens"], other["whatif"]) for other in document["beside"]),
    ]
    say()
    thresholds = ["threshold", *("–" if limit is None else f"{limit:,}" for _, limit, _ in columns)]
    figures = figure_rows([_run_figures(run).get for _, _, run in columns])
    print_table(Table("", *(f">{name}" for name, _, _ in columns), rows=[thresholds, *figures]))
    for other in document["beside"]:
        events = other["whatif"]["compactions"]
        steps = ", ".join(
            f"{event['step']:,} ({event['head_end']}:{event['tail_start']})"
            for event in events[:_MAX_COMPACTIONS]
        )
        hidden = len(events) - _MAX_COMPACTIONS
        more = f" and {hidden:,} more" if hidden > 0 else ""
        places = f" at {steps}{more}" if events else ""
        say(f"{other['profile']} ({other['standing']}): {plural(len(events), 'compaction')}{places}")
        if other["whatif"]["stuck"]:
            say(f"  {other['whatif']['stuck']}", "bold")


def _run_figures(run: Document) -> Document:
    """Return the figures of a run by the names of their metrics."""
    cost = None if run["cost"] is None else run["cost"]["amount"]
    return {**run, "compactions": len(run["compactions"]), "cost": cost}


def _costs(cost: Document) -> str:
    how = ", estimated" if cost["modelled"] else ""
    alternatives = ", ".join(
        f"{dollars(amount)} with {CACHE_NAMES.get(name, name)}" for name, amount in cost["otherwise"].items()
    )
    return f"{dollars(cost['amount'])} US dollars{how}{f' ({alternatives})' if alternatives else ''}"


def graph(tokens: Sequence[int], threshold: int, width: int) -> list[str]:
    """Return tokens over the steps as lines of blocks. Each column shows its highest step, a rule the threshold."""
    if not tokens:
        return []
    columns = min(width, len(tokens))
    bounds = [column * len(tokens) // max(1, columns) for column in range(columns + 1)]
    highest = [max(tokens[start:stop]) for start, stop in pairwise(bounds)]
    top = max(*highest, threshold, 1)
    blocks = " ▁▂▃▄▅▆▇█"
    lines = []
    for row in range(_GRAPH_ROWS, 0, -1):
        low, high = (row - 1) * top / _GRAPH_ROWS, row * top / _GRAPH_ROWS
        cells = (min(8, max(0, int((value - low) / (top / _GRAPH_ROWS) * 8))) for value in highest)
        rule = low < threshold <= high
        body = "".join(blocks[cell] if cell or not rule else "╌" for cell in cells)
        label = f"{threshold:>9,}" if rule else f"{int(high):>9,}" if row == _GRAPH_ROWS else " " * 9
        lines.append(f"{label} {body}")
    return lines


def print_sweep(swept: Sweep) -> None:
    """Print a table for each metric, with a mark at the best cell."""
    rows, columns = swept.rows, swept.columns
    say(plural(swept.conversations, "conversation"))
    if swept.reproduces is not None:
        print_reproduction(swept.reproduces)
    any_alike = False
    for name, lines in swept.cells.items():
        metric = BY_NAME[name]
        best = swept.best(name) if swept.conversations else None
        alike = swept.alike(name) if best else ()
        any_alike |= bool(alike)
        if not swept.conversations:
            marked = "nothing was run"
        elif best is None:
            marked = "no cell is the best"
        elif all_equal(swept, name):
            marked, best, alike = "all cells are equal", None, ()
        else:
            marked = f"best ({figure(metric.form, best.value)}) marked *"
            marked += f", {len(alike):,} alike marked ≈" if alike else ""
        say(f"\n{metric.label}   rows {rows.name}, columns {columns.name}, {marked}", "bold")
        table = Table(
            f">{rows.name}", *(f">{SETTINGS[columns.name].words(value)}" for value in columns.values)
        )
        for row, (setting, line) in enumerate(zip(rows.values, lines, strict=True)):
            cells = []
            for column, value in enumerate(line):
                sign = "≈" if (row, column) in alike else ""
                sign = "*" if best is not None and value == best.value else sign
                sign = "!" if swept.stuck(row, column) else sign
                shown = figure(metric.form, value).removeprefix("~")
                cells.append(f"{'=' if (row, column) in swept.repeated else ''}{shown}{sign}")
            table.add(SETTINGS[rows.name].words(setting), *cells)
        print_table(table)
    if swept.repeated:
        say(f"= {len(swept.repeated):,} of the cells are identical to an earlier one")
    if any_alike:
        say("≈ alike: with summaries of half or twice the size the cell may be as good as the best")
    for marks, words in (
        (swept.gives_up, "the agent gives up compacting"),
        (swept.every_call, "the agent compacts at every call"),
    ):
        count = sum(map(sum, marks))
        if count:
            say(f"! in {count:,} of the cells {words}; such a cell is never the best")


def print_recommendation(advice: Recommendation) -> None:
    """Print recommended settings, the reasons, and the lines to write."""
    conversations = plural(len(advice.conversations), "conversation")
    say(f"{advice.agent}, {conversations}, goal: {advice.goal}")
    print_reproduction(advice.reproduces)
    written = settings_written(advice.settings, advice.force)
    if advice.changes:
        changed = ", ".join(
            f"{name} {SETTINGS[name].words(getattr(advice.settings, name))}" for name in _changed(advice)
        )
        lead = "Recommended" if written.file else "Better, but it cannot be set"
        say(f"{lead}: {changed}. Confidence {confidence(advice)}.", "bold")
    else:
        say("Keep the settings in force.", "bold")
    for reason in advice.why:
        say(f"  {reason}")
    if advice.changes:
        say(f"\nTo be written into {written.file}:" if written.file else "")
        for line in written.text.splitlines():
            say(f"  {line}" if written.file else line.removeprefix("# "))
