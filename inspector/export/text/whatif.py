"""Replays and sweeps."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from inspector.core.scatter import placed
from inspector.core.shares import percent
from inspector.export.comparison import figure_rows
from inspector.export.documents.document import Document
from inspector.export.text.console import Table, console_for, print_table, say
from inspector.export.text.conversations import conversations

#: Columns and rows of a picture of points.
_WIDE, _HIGH = 60, 12
#: Maximum number of compactions of a run next to others.
_MOST = 12


def print_replay(document: Document) -> None:
    """Recorded and what-if side by side, and the tokens over the steps as a graph."""
    console = console_for()
    run, recorded = document["whatif"], document["recorded"]
    print_reproduction(console, document["reproduces"])
    say(
        console,
        f"{recorded['messages']:,} messages · threshold {document['threshold_tokens']:,} · "
        f"{document['settings']['profile']}",
    )
    table = Table(("", False), ("step", True), ("messages", True), ("tokens", True), ("head:tail", True))
    for kind, events in (("recorded", recorded["compactions"]), ("what-if", run["compactions"])):
        for event in events:
            table.add(kind, event["step"], f"{event['before']:,} → {event['after']:,}",
                f"~{event['tokens_before']:,} → ~{event['tokens_after']:,}",
                f"{event['head_end']}:{event['tail_start']}",
            )  # fmt: skip
    print_table(console, table)
    told = (
        "compacts where the recording did" if run["as_recorded"] else "compacts elsewhere than the recording"
    )
    say(console, f"what-if: {told}; summaries take {run['summary_size']}")
    if recorded["sizes"]:
        say(console, f"  {recorded['sizes']}")
    if run["stuck"]:
        say(console, f"  {run['stuck']}", "bold")
    say(
        console,
        f"  peak ~{run['peak_tokens']:,} · mean ~{run['mean_tokens']:,} · input ~{run['input_tokens']:,} tokens over "
        f"{run['calls']:,} calls\n  {percent(run['summarized_share'])} of what was said went through a summary, "
        f"{percent(run['resummarized_share'])} more than once · a user message stayed verbatim for "
        f"{run['user_steps']:.0f} steps on average",
    )
    say(console, f"  {_range(run['range'])}")
    for name, one in (("recorded", recorded), ("what-if", run)):
        if one["cost"]:
            say(console, f"  {name}: {_costs(one['cost'])}")
    if "facts" in run:
        say(
            console,
            f"  of {run['facts']:,} facts {run['facts_at_risk']:,} at risk (recorded: {recorded['facts_at_risk']:,}), "
            f"{run['constraints_at_risk']:,} of them hard constraints",
        )
    if document.get("beside"):
        _print_beside(console, document)
    console.print()
    for line in graph(
        [step["tokens"] for step in document["steps"]], document["threshold_tokens"], console.width - 12
    ):
        say(console, line)


def print_reproduction(console: Console, found: Document) -> None:
    """How well the settings in force reproduce the recording, and why not."""
    say(console, f"Reproduces {found['text']}." if found["recorded"] else f"{found['text'].capitalize()}.")
    for reason in (*found["changed"], *found["why_not"]):
        say(console, f"  {reason}")


def _range(found: Document) -> str:
    low, high = found["compactions"]
    least, most = found["input_tokens"]
    compactions = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    tokens = f"~{least:,}" if least == most else f"~{least:,} to ~{most:,}"
    return f"with summaries of half and twice the size: compactions {compactions}, input tokens {tokens}"


def _print_beside(console: Console, document: Document) -> None:
    """The recording and every profile side by side."""
    columns = [
        ("recorded", None, document["recorded"]),
        (document["settings"]["profile"], document["threshold_tokens"], document["whatif"]),
        *((one["profile"], one["threshold_tokens"], one["whatif"]) for one in document["beside"]),
    ]
    console.print()
    table = Table(("", False), *((name, True) for name, _, _ in columns))
    table.add("threshold", *("–" if limit is None else f"{limit:,}" for _, limit, _ in columns))
    for row in figure_rows([_figures(run).get for _, _, run in columns]):
        table.add(*row)
    print_table(console, table)
    for one in document["beside"]:
        events = one["whatif"]["compactions"]
        steps = ", ".join(
            f"{event['step']:,} ({event['head_end']}:{event['tail_start']})" for event in events[:_MOST]
        )
        more = f" and {len(events) - _MOST:,} more" if len(events) > _MOST else ""
        told = f" at {steps}{more}" if events else ""
        count = "1 compaction" if len(events) == 1 else f"{len(events):,} compactions"
        say(console, f"{one['profile']} ({one['standing']}): {count}{told}")
        if one["whatif"]["stuck"]:
            say(console, f"  {one['whatif']['stuck']}", "bold")


def _figures(run: Document) -> Document:
    """The figures of a run by the names of their metrics."""
    cost = None if run["cost"] is None else run["cost"]["amount"]
    return {**run, "compactions": len(run["compactions"]), "cost": cost}


def _costs(cost: Document) -> str:
    how = "modelled, " if cost["modelled"] else ""
    otherwise = [f"{name} {amount:,.2f}" for name, amount in cost["otherwise"].items()]
    told = f" ({', '.join(otherwise)})" if otherwise else ""
    return f"{how}{cost['amount']:,.2f} US dollars{told}"


def graph(tokens: Sequence[int], threshold: int, width: int, height: int = 10) -> list[str]:
    """Tokens over the steps as lines of blocks, the threshold as a rule; each column shows its highest step."""
    if not tokens:
        return []
    columns = min(width, len(tokens))
    highest = [
        max(
            tokens[
                column * len(tokens) // columns : max(
                    (column + 1) * len(tokens) // columns, column * len(tokens) // columns + 1
                )
            ]
        )
        for column in range(columns)
    ]
    top = max(*highest, threshold, 1)
    blocks = " ▁▂▃▄▅▆▇█"
    lines = []
    for row in range(height, 0, -1):
        low = (row - 1) * top / height
        cells = (min(8, max(0, int((value - low) / (top / height) * 8))) for value in highest)
        rule = low < threshold <= row * top / height
        body = "".join(blocks[cell] if cell or not rule else "╌" for cell in cells)
        label = f"{threshold:>9,}" if rule else f"{int(row * top / height):>9,}" if row == height else " " * 9
        lines.append(f"{label} {body}")
    return lines


def print_sweep(document: Document) -> None:
    """A table a metric, the best cell marked."""
    console = console_for()
    rows, columns = document["axes"]
    say(console, conversations(document["conversations"]))
    if "reproduces" in document:
        print_reproduction(console, document["reproduces"])
    identical = [[cell is not None for cell in line] for line in document["identical_to"]]
    for name, lines in document["metrics"].items():
        best = document["best"].get(name)
        if not document["conversations"]:
            marked = "nothing was run"
        elif best is None:
            marked = "no cell is the best"
        elif best["all_equal"]:
            marked = "all cells are equal"
        else:
            marked = f"best ({_cell(name, best['value'])}) marked *"
            if best["alike"]:
                marked += f", {len(best['alike']):,} alike marked ≈"
        title = f"\n{name.replace('_', ' ')}   rows {rows}, columns {columns}, {marked}"
        say(console, title, "bold")
        table = Table((rows, True), *((f"{value:g}", True) for value in document[columns]))
        for row, (value, line) in enumerate(zip(document[rows], lines, strict=True)):
            table.add(f"{value:g}",
                *(
                    ("=" if identical[row][column] else "")
                    + ("–" if cell is None else _cell(name, cell))
                    + _mark(document, best, (row, column), cell)
                    for column, cell in enumerate(line)
                ),
            )  # fmt: skip
        print_table(console, table)
    count = sum(map(sum, identical))
    if count:
        say(console, f"= {count:,} of the cells are identical to an earlier one")
    if any(best["alike"] for best in document["best"].values()):
        say(console, "≈ alike: with summaries of half or twice the size the cell may be as good as the best")
    for name, words in (
        ("gives_up", "the agent gives up compacting"),
        ("compacts_every_call", "the agent compacts at call after call"),
    ):
        count = sum(map(sum, document[name]))
        if count:
            say(console, f"! in {count:,} of the cells {words}; such a cell is never the best")
    if document.get("unbeaten"):
        _print_unbeaten(console, document)


def _mark(document: Document, best: Document | None, place: tuple[int, int], value: float | None) -> str:
    """The sign behind a cell: the run is stuck, the best, or alike."""
    (rows, columns), (row, column) = document["axes"], place
    if document["gives_up"][row][column] or document["compacts_every_call"][row][column]:
        return "!"
    if best is None or best["all_equal"]:
        return ""
    if value == best["value"]:
        return "*"
    return "≈" if {rows: document[rows][row], columns: document[columns][column]} in best["alike"] else ""


def _print_unbeaten(console: Console, document: Document) -> None:
    """Cost against facts at risk: every cell a point, and what is worth taking."""
    (rows, columns), unbeaten = document["axes"], document["unbeaten"]
    points = [(one["facts_at_risk"], one["cost"]) for one in document["points"]]
    best = {(one["facts_at_risk"], one["cost"]) for one in unbeaten}
    force = document["in_force"]
    here = None if force is None else (force["facts_at_risk"], force["cost"])
    grid = [[" "] * _WIDE for _ in range(_HIGH)]
    for point, (column, row) in zip(points, placed(points, _WIDE, _HIGH), strict=True):
        signs = grid[row][column], "◆" if point in best else "·"
        grid[row][column] = "◇" if point == here else max(signs, key=" ·◆◇".index)
    say(console, "\ncost against facts at risk", "bold")
    for row, line in enumerate(grid):
        label = {0: max(up for _, up in points), _HIGH - 1: min(up for _, up in points)}.get(row)
        say(console, f"{'' if label is None else f'{label:,.2f}':>9} │{''.join(line)}".rstrip())
    say(console, f"{'USD':>9} └{'─' * _WIDE}")
    few, many = (f"{pick(across for across, _ in points):,.0f}" for pick in (min, max))
    say(console, f"{'':>9}  {few}{'facts at risk':^{_WIDE - len(few) - len(many)}}{many}")
    say(console, "◆ no cell beats it on both  ◇ the settings in force")
    for one in unbeaten:
        told = f"{one['facts_at_risk']:,.0f} facts at risk, {one['cost']:,.2f} US dollars"
        say(console, f"  {one[rows]:g} / {one[columns]:g}: {told}")
    say(console, document["sentence"])


def _cell(name: str, value: float) -> str:
    if name == "cost":
        return f"{value:,.2f}"
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.2f}"


def print_recommendation(document: Document) -> None:
    """Which settings to take, why, and the lines to write."""
    console = console_for()
    settings = document["settings"]
    say(console, f"{document['agent']}, {conversations(document['conversations'])}, for {document['goal']}")
    print_reproduction(console, document["reproduces"])
    if document["changes"]:
        changed = ", ".join(f"{name} {settings[name]:g}" for name in settings["changed"])
        say(console, f"Recommended: {changed}. Confidence {document['confidence']}.", "bold")
    else:
        say(console, f"Keep the settings in force. Confidence {document['confidence']}.", "bold")
    for sentence in document["why"]:
        say(console, f"  {sentence}")
    if document["write"]:
        say(console, f"\nTo be written into {document['write']['file']}:")
        for line in document["write"]["text"].splitlines():
            say(console, f"  {line}")
