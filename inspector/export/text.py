"""The same answers as text for people. Documents come in, lines go to standard output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.core.shares import percent
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.answers.answers import Answers

Document = dict[str, Any]
_GUTTERS = {"head": "▎", "middle": "┊", "tail": "▌"}
_SIGNS = {"kept": "=", "added": "+", "removed": "−", "reworded": "~", "moved": "→"}
_STYLES = {"added": "green", "removed": "red", "reworded": "yellow", "moved": "cyan", "kept": "dim"}


#: The width of text that goes to a file or a pipe, in characters.
_WIDTH = 120


def _console() -> Console:
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def _table(*columns: tuple[str, bool]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name, right in columns:
        wraps = name in ("text", "title")
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=not wraps,
            overflow="fold",
            ratio=1 if name == "text" else None,
        )
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*(Text("" if cell is None else safe(str(cell))) for cell in cells))


def _say(console: Console, text: str, style: str = "") -> None:
    """One line, safe for a terminal; a pipe or a file gets it unbroken."""
    console.print(Text(safe(text), style=style), soft_wrap=not console.is_terminal)


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def print_conversations(documents: Sequence[Document]) -> None:
    """One line a conversation."""
    if not documents:
        _say(_console(), "There are no conversations in this database.")
        return
    table = _table(
        ("title", False), ("model", False), ("messages", True), ("generations", True), ("compactions", True),
        ("profile", False), ("id", False),
    )  # fmt: skip
    for entry in documents:
        kind = "" if entry["kind"] == "conversation" else f" ({entry['kind']})"
        _row(
            table, (entry["title"] or entry["id"]) + kind, entry["model"], _number(entry["messages"]),
            entry["generations"], entry["compactions"], entry["profile"], entry["id"],
        )  # fmt: skip
    _console().print(table)


def print_show(document: Document) -> None:
    """A generation: what its numbers are and one line a message."""
    console = _console()
    tokens = document["tokens"]
    state = "live" if document["live"] else "compacted"
    _say(
        console,
        f"generation {document['generation']} of {document['generations']} ({state}) · {document['profile']} · "
        f"{len(document['messages']):,} messages",
    )
    _say(console, f"profile {document['profile']}: {document['profile_reason']}")
    threshold = document["threshold_tokens"]
    share = percent(tokens["rough"], threshold)
    exact = f", {tokens['exact']:,} exact ({tokens['exact_encoding']})" if tokens["exact"] is not None else ""
    _say(
        console,
        f"tokens ~{tokens['rough']:,} rough{exact} · threshold {threshold:,} ({share}) · "
        f"tail budget {document['tail_token_budget']:,} · summary at most {document['max_summary_tokens']:,}",
    )
    print_steps(console, document["explained"]["threshold_tokens"])
    if not document["compacts"]:
        _say(console, f"a compaction now would change nothing: {document['reason']}")
    recorded = document.get("recorded")
    if recorded:
        _say(
            console,
            f"recorded: compaction {recorded['index']}, head_end {recorded['head_end']}, "
            f"tail_start {recorded['tail_start']}; planned: head_end {document['head_end']}, "
            f"tail_start {document['tail_start']}",
        )
    console.print()
    table = _table(("", False), ("#", True), ("role", False), ("tokens", True), ("", False), ("text", False))
    prompt = document["system_prompt"]
    if prompt["tokens"]:
        mark = _marks(prompt["breakpoint"], False, False)
        _row(table, "▎", "sys", "system", f"~{prompt['tokens']:,}", mark, prompt["text"][:100])
    head, tail = document["head_end"], document["tail_start"]
    for entry in document["messages"]:
        if document["compacts"] and entry["index"] in (head, tail):
            _row(table, "╌", "", "╌ head_end" if entry["index"] == head else "╌ tail_start", "", "", "")
        mark = _marks(entry["breakpoint"], entry["pruned"], entry["summary"])
        _row(
            table, _GUTTERS[entry["region"]], entry["index"], entry["role"], f"~{entry['tokens']:,}", mark,
            entry["text"][:100],
        )  # fmt: skip
    console.print(table)


def _marks(breakpoint: int | None, pruned: bool, summary: bool) -> str:
    return " ".join(
        part for part in (f"⚑{breakpoint}" if breakpoint else "", "✂" * pruned, "Σ" * summary) if part
    )


def print_steps(console: Console, steps: Iterable[Document]) -> None:
    """How a number came to be, a line a step; a star marks the rules that changed it."""
    for step in steps:
        value = f"{step['value']:,.0f}" if step["value"] > 1 else f"{step['value']:g}"
        _say(console, f"  {'*' if step['bound'] else ' '} {step['rule']:<15} {value:>10}  {step['why']}")


def print_compactions(documents: Sequence[Document]) -> None:
    """Two lines a compaction: what it did, and recorded beside planned."""
    console = _console()
    if not documents:
        _say(console, "This conversation was never compacted.")
        return
    for entry in documents:
        planned = entry["planned"]
        size = "no summary" if entry["summary"] is None else f"summary {len(entry['summary']):,} characters"
        kind = " (a fallback text: no model wrote it)" if entry["fallback"] else ""
        kind = kind or (" (merged into the first tail message)" if entry["merged"] else "")
        line = Text(f"compaction {entry['index']}  ", style="bold")
        line.append(
            f"{entry['before']:,} → {entry['after']:,} messages · {entry['tokens_before']:,} → "
            f"{entry['tokens_after']:,} tokens · {size}{kind}",
            style="not bold",
        )
        console.print(line, soft_wrap=not console.is_terminal)
        recorded = f"recorded head_end {entry['head_end']}, tail_start {entry['tail_start']}"
        if not planned["compacts"]:
            told = f"{planned['profile']} would not compact: {planned['reason']}"
        elif planned["agrees"]:
            told = f"planned by {planned['profile']}: the same"
        else:
            told = (
                f"planned by {planned['profile']}: head_end {planned['head_end']}, "
                f"tail_start {planned['tail_start']} (differs)"
            )
        _say(console, f"  {recorded} · {told} · session {entry['session']}")
        for finding in entry["findings"]:
            _say(console, f"  {finding['severity']}: {finding['text']}")
        if entry["note"]:
            _say(console, f"  {entry['note']}")


def print_plans(documents: Sequence[Document]) -> None:
    """What a compaction of each file would do."""
    console = _console()
    for entry in documents:
        _say(console, entry["file"], "bold")
        _say(
            console,
            f"{entry['profile']}: threshold {entry['threshold_tokens']:,} · "
            f"tail budget {entry['tail_token_budget']:,} · summary at most {entry['max_summary_tokens']:,}",
        )
        print_steps(console, entry["explained"]["threshold_tokens"])
        if not entry["compacts"]:
            _say(console, f"nothing would be compacted: {entry['reason']}")
            continue
        _say(
            console,
            f"head [0:{entry['head_end']}], middle [{entry['head_end']}:{entry['tail_start']}], tail from "
            f"{entry['tail_start']}; {len(entry['pruned'])} pruned, summary budget {entry['summary_budget']:,}; "
            f"{entry['tokens_before']:,} → about {entry['tokens_after']:,} tokens, "
            f"{len(entry['output'])} messages after",
        )
        print_steps(console, entry["steps"])


def print_diff(documents: Sequence[Document]) -> None:
    """Section by section, item by item."""
    console = _console()
    if not documents:
        _say(console, "There are not two summaries to compare.")
    for entry in documents:
        _say(console, f"summary {entry['from']} → summary {entry['to']}", "bold")
        for section in entry["sections"]:
            _say(console, f"\n{section['name']}", "underline")
            for item in section["items"]:
                text = f"  {_SIGNS[item['change']]} {item['text']}"
                if item["change"] == "moved":
                    text += f"   (from {item['from_section']})"
                _say(console, text.replace("\n", "\n    "), _STYLES[item["change"]])
                if item.get("was") and item["was"] != item["text"]:
                    _say(console, f"      was: {item['was']}".replace("\n", "\n      "), "dim")


def print_breakpoints(document: Document) -> None:
    """The breakpoints of a generation."""
    console = _console()
    _say(
        console,
        f"generation {document['generation']} · {document['layout']} layout · ttl {document['ttl']} · "
        f"caching {'on' if document['enabled'] else 'off'}: {document['reason']}",
    )
    table = _table(
        ("", False),
        ("message", True),
        ("role", False),
        ("part", False),
        ("tokens up to there", True),
        ("text", False),
    )
    for entry in document["breakpoints"]:
        where = "sys" if entry["message"] is None else entry["message"]
        tokens = f"~{entry['tokens']:,}" if entry["tokens"] is not None else ""
        text = entry["why"] if entry["honored"] else f"wasted: {entry['why']}"
        _row(table, f"⚑{entry['number']}", where, entry["role"], entry["part"], tokens, text)
    console.print(table)


def print_replay(document: Document) -> None:
    """Recorded and what-if side by side, and the tokens over the steps as a graph."""
    console = _console()
    run, recorded = document["whatif"], document["recorded"]
    _say(
        console,
        f"{recorded['messages']:,} messages · threshold {document['threshold_tokens']:,} · "
        f"{document['settings']['profile']}",
    )
    table = _table(("", False), ("step", True), ("messages", True), ("tokens", True), ("head:tail", True))
    for kind, events in (("recorded", recorded["compactions"]), ("what-if", run["compactions"])):
        for event in events:
            _row(
                table, kind, event["step"], f"{event['before']:,} → {event['after']:,}",
                f"{event['tokens_before']:,} → {event['tokens_after']:,}", f"{event['head_end']}:{event['tail_start']}",
            )  # fmt: skip
    console.print(table)
    told = (
        "compacts where the recording did" if run["as_recorded"] else "compacts elsewhere than the recording"
    )
    _say(console, f"what-if: {told}; summaries take {run['summary_size']}")
    _say(
        console,
        f"  peak {run['peak_tokens']:,} · mean {run['mean_tokens']:,} · input {run['input_tokens']:,} tokens over "
        f"{run['calls']:,} calls\n  {percent(run['summarized_share'])} of what was said went through a summary, "
        f"{percent(run['resummarized_share'])} more than once · a user message stayed verbatim for "
        f"{run['user_steps']:.0f} steps on average",
    )
    if "facts" in run:
        _say(
            console,
            f"  of {run['facts']:,} facts {run['facts_at_risk']:,} at risk (recorded: {recorded['facts_at_risk']:,}), "
            f"{run['constraints_at_risk']:,} of them hard constraints",
        )
    console.print()
    for line in graph(
        [step["tokens"] for step in document["steps"]], document["threshold_tokens"], _WIDTH - 12
    ):
        _say(console, line)


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
    console = _console()
    rows, columns = document["axes"]
    _say(console, _conversations(document["conversations"]))
    for name, lines in document["metrics"].items():
        best = document["best"].get(name)
        if best is None:
            marked = "nothing was run"
        elif best["all_equal"]:
            marked = "all cells are equal"
        else:
            marked = f"best ({_cell(best['value'])}) marked *"
        title = f"\n{name.replace('_', ' ')}   rows {rows}, columns {columns}, {marked}"
        _say(console, title, "bold")
        table = _table((rows, True), *((f"{value:g}", True) for value in document[columns]))
        for value, line in zip(document[rows], lines, strict=True):
            shown = ["–" if cell is None else _cell(cell) for cell in line]
            better = best is not None and not best["all_equal"]
            marks = ["*" if better and cell == best["value"] else "" for cell in line]
            _row(table, f"{value:g}", *(text + mark for text, mark in zip(shown, marks, strict=True)))
        console.print(table)


def _cell(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.2f}"


def _conversations(number: int) -> str:
    return f"{number:,} conversation{'' if number == 1 else 's'}"


def print_stores(documents: Sequence[Document]) -> None:
    """What each database is."""
    console = _console()
    for entry in documents:
        _say(console, entry["path"], "bold")
        schema = "of no known schema" if entry["schema"] is None else f"schema {entry['schema']}"
        _say(console, f"{entry['kind']}, {schema} · profile {entry['profile']}: {entry['profile_reason']}")
        _say(
            console,
            f"{_conversations(entry['conversations'])} · {entry['size']:,} bytes · journal {entry['journal_mode']}",
        )
        table = _table(("table", False), ("rows", True), ("text", False))
        for found in entry["tables"]:
            what = "full-text index" if found["full_text"] else ", ".join(found["columns"])
            _row(table, found["name"], "unreadable" if found["rows"] is None else f"{found['rows']:,}", what)
        console.print(table)


def print_hits(documents: Sequence[Document]) -> None:
    """The hits of a search."""
    table = _table(("conversation", False), ("message", True), ("role", False), ("text", False))
    for entry in documents:
        _row(table, entry["title"], entry["message"], entry["role"], entry["text"])
    _console().print(table if documents else Text("No message contains that."))


def print_overview(answers: Answers, name: str | None) -> None:
    """What the app would show first, as text: the conversations, then one of them with its compactions."""
    console = _console()
    chosen = answers.store.resolve(name) if name is not None else ""
    documents = answers.conversations()
    print_conversations(documents)
    if not documents:
        return
    chosen = chosen or max(documents, key=lambda entry: (entry["compactions"], entry["messages"]))["id"]
    console.print()
    title = next((entry["title"] for entry in documents if chosen == entry["id"]), chosen)
    _say(console, title, "bold")
    print_compactions(answers.compactions(chosen))
    console.print()
    print_show(answers.show(chosen, None, exact=True))
