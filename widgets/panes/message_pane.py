"""One message in full: its text, calls with results, reasoning, and the stored row."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.binding import Binding, BindingType

from inspector.core.signs import ROUGH
from inspector.quality.facts.fact import Life
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.readable import readable
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, counted, line_of
from widgets.lists.fact_list import OUTCOMES
from widgets.lists.message_list import GUTTERS, MessageRow
from widgets.panes.fact_lines import fact_lines
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView


class CallView(Struct, frozen=True):
    """A tool call and its result (None: no result follows in the list)."""

    name: str
    arguments: str
    id: str = ""
    result: str | None = None
    error: bool = False


class MessageView(Struct, frozen=True):
    """A message: its row in the list, and its whole text. `time` is in seconds since the epoch; `raw` is its JSON.

    `markdown` are the lines of a text that is Markdown. `pruned` is the text that pruning would leave (None: it leaves
    the message alone). `whole` is the full result where the text is its beginning. `facts` are more pairs for the head
    ("finish", "stop"), `notes` are sentences. `statements` are the facts that it says, with their fates.
    """

    row: MessageRow
    text: str
    time: float = 0.0
    calls: tuple[CallView, ...] = ()
    reasoning: str = ""
    raw: str = ""
    pruned: str | None = None
    whole: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    markdown: tuple[TextLine, ...] = ()
    statements: tuple[Life, ...] = ()


class MessagePane(TextPart[MessageView]):
    """A MessageView in one of several modes. The mode stays from message to message where it can."""

    DEFAULT_CSS = """
    MessagePane > ModeBar { margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "m",
            "mode(1)",
            "Next view",
            id="message.next_mode",
            tooltip="Text, plain text, calls, reasoning, pruned, raw",
        ),
        Binding("M", "mode(-1)", "Previous view", id="message.previous_mode", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        self._find = ""
        self.head, self._bar, self.body = Headline(6), ModeBar(), TextView()
        super().__init__(self.head, self._bar, self.body, id=id)

    @property
    def mode(self) -> str:
        """text, plain, calls, fates, reasoning, pruned, whole or raw."""
        return self._bar.mode

    def set_message(self, shown: tuple[MessageView | None, str] | None) -> None:
        """Show a message and mark a text in it; a text that only the plain form has brings that up."""
        view, find = shown if shown is not None else (None, "")
        if (view, find) == (self.view, self._find):
            return
        self.set_view(view)
        self._find = find
        if view is not None and find and self.mode == "text" and view.markdown:
            words = find.casefold()
            if (
                not any(words in line.text.casefold() for line in view.markdown)
                and words in view.text.casefold()
            ):
                self.set_mode("plain")
        self.body.find(find)

    def show_view(self) -> None:
        """Show the head and the mode."""
        view = self.view
        if view is None:
            self.head.set_lines([TextLine("No message is chosen.", "muted")])
            self._bar.set_modes(())
            self.body.set_text("")
            return
        self.head.set_lines(_facts(view))
        before = self._bar.mode
        offered = _modes(view)
        names = [mode.name for mode in offered]
        first = "calls" if view.calls and not view.text.strip() else "text"
        self._bar.set_modes(offered, before if before in names and before != "text" else first)
        self._show()

    @on(ModeBar.ModeChosen)
    def _mode_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._show()

    def action_mode(self, by: int) -> None:
        """Show the next or previous mode."""
        self._bar.step(by)

    def set_mode(self, mode: str) -> None:
        """Show a mode if the message has it."""
        self._bar.choose(mode)

    def _show(self) -> None:
        view, mode = self.view, self._bar.mode
        if view is None:
            return
        texts = {"reasoning": view.reasoning, "pruned": view.pruned or "", "whole": view.whole}
        if mode in texts:
            self.body.set_text(texts[mode])
        elif mode == "calls":
            self.body.set_lines(_call_lines(view.calls))
        elif mode == "fates":
            self.body.set_lines(_statement_lines(view.statements))
        elif mode == "raw":
            self.body.set_lines(list(readable(view.raw)))
        elif mode == "text" and view.markdown:
            self.body.set_lines(view.markdown)
        elif view.text.lstrip()[:1] in ("{", "["):
            self.body.set_lines(list(readable(view.text)))
        else:
            self.body.set_text(view.text)


def _modes(view: MessageView) -> list[Mode]:
    modes = [Mode("text", "text" if view.text else "text (empty)", "The text of the message")]
    if view.markdown:
        modes.append(Mode("plain", "plain", "The text as written, with its Markdown"))
    if view.calls:
        modes.append(Mode("calls", f"calls {len(view.calls)}", "Tool calls, each with its result"))
    if view.statements:
        count = f"fates {len(view.statements)}"
        modes.append(
            Mode("fates", count, "The facts that the message says, and their fates after each compaction")
        )
    if view.reasoning:
        modes.append(Mode("reasoning", "reasoning", "The reasoning of the model"))
    if view.pruned is not None:
        modes.append(Mode("pruned", "✂ pruned", "The message after pruning"))
    if view.whole:
        modes.append(Mode("whole", "whole result", "The full result; the model was sent its beginning"))
    if view.raw:
        modes.append(Mode("raw", "raw", "The stored message as JSON"))
    return modes


def _facts(view: MessageView) -> list[TextLine]:
    row = view.row
    parts: list[tuple[str, str]] = [
        (f"{one_line(row.label, 20)} ", "muted"),
        (one_line(row.role, 40) or "no role", "strong"),
    ]
    if row.region in GUTTERS:
        parts.append((f"  {GUTTERS[row.region]}{row.region}", row.region))
    if row.tokens is not None:
        is_exact = row.token_kind == "exact"
        parts.append(
            (f"  {'' if is_exact else ROUGH}{row.tokens:,} tokens{' exact' if is_exact else ''}", "")
        )
        if row.pruned_tokens is not None:
            parts.append((f"  ✂ → {row.pruned_tokens:,}", "warning"))
    if row.breakpoint:
        parts.append((f"  cache breakpoint {row.breakpoint}", "accent"))
    lines = [line_of(*parts)]
    quiet = [] if view.time <= 0 else [human.clock(view.time)]
    quiet += [f"{one_line(name, 40)} {one_line(value, 200)}" for name, value in view.facts]
    if quiet:
        lines.append(TextLine(" · ".join(quiet), "muted"))
    if view.statements:
        counts: Counter[str] = Counter(life.outcome for life in view.statements)
        words = counted(OUTCOMES, counts, "   {count:,} {name}")
        lines.append(line_of((human.plural(len(view.statements), "fact"), "muted"), *words))
    lines += [TextLine(note, "warning", prefix="! ") for note in view.notes]
    return lines


def _statement_lines(lives: tuple[Life, ...]) -> list[TextLine]:
    lines: list[TextLine] = []
    for life in lives:
        lines += [*([TextLine("")] if lines else []), *fact_lines(life, low=True)]
    return lines


def _call_lines(calls: tuple[CallView, ...]) -> list[TextLine]:
    lines: list[TextLine] = []
    for number, call in enumerate(calls, 1):
        if lines:
            lines.append(TextLine(""))
        head = [(f"{number} ", "muted"), (one_line(call.name, 200), "heading")]
        if call.id:
            head.append((f"  {one_line(call.id, 80)}", "muted"))
        lines.append(line_of(*head))
        lines += readable(call.arguments, "  ")
        if call.result is None:
            lines.append(TextLine("no result in this list", "warning", prefix="  ! "))
            continue
        words, style = ("failed, result", "error") if call.error else ("result", "accent")
        lines.append(TextLine(words, style, prefix="  "))
        lines += readable(call.result, "    ")
    return lines
