"""The keys of the conversation screen and their actions. The digits of the panes come from the order of the panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from inspector.app.conversation.attempts import Attempts
    from inspector.app.conversation.clipboard import Clipboard
    from inspector.app.conversation.finder import Finder
    from inspector.app.conversation.navigation import Navigation
    from inspector.app.conversation.panes.host import Panes
    from inspector.app.conversation.player import Player
    from inspector.app.conversation.prompts import Prompts
    from inspector.app.conversation.report import ReportWriter
    from inspector.app.conversation.tracer import Tracer
    from inspector.app.conversation.tuner import Tuner
    from inspector.replay.moments import Unit

_COMPACTIONS = Binding.Group("Compaction ", compact=True)


def _hidden(key: str, action: str, words: str, id: str, display: str | None = None) -> Binding:
    """A key that help and the palette show, but not the foot of the screen."""
    return Binding(key, action, words, show=False, id=id, key_display=display)


KEYS: list[BindingType] = [
    Binding("escape", "back", "Back", id="conversation.back"),
    Binding("slash", "find", "Find", id="conversation.find", key_display="/"),
    Binding(
        "left_square_bracket", "compaction(-1)", "Earlier compaction", id="conversation.earlier", key_display="[",
        group=_COMPACTIONS,
    ),
    Binding(
        "right_square_bracket", "compaction(1)", "Later compaction", id="conversation.later", key_display="]",
        group=_COMPACTIONS,
    ),
    _hidden("n", "hit(1)", "Next hit", "conversation.next_hit"),
    _hidden("N", "hit(-1)", "Previous hit", "conversation.earlier_hit"),
    _hidden("b", "jump('boundary', 1)", "Next boundary", "jump.boundary"),
    _hidden("B", "jump('boundary', -1)", "Previous boundary", "jump.boundary_back"),
    _hidden("u", "jump('user', 1)", "Next user message", "jump.user"),
    _hidden("U", "jump('user', -1)", "Previous user message", "jump.user_back"),
    _hidden("x", "jump('error', 1)", "Next tool error", "jump.error"),
    _hidden("X", "jump('error', -1)", "Previous tool error", "jump.error_back"),
    _hidden("exclamation_mark", "pane('findings')", "Findings", "pane.findings_key", "!"),
    _hidden("0", "life", "Life of the summaries", "pane.life"),
    _hidden("t", "pane('what-if')", "What-if", "pane.what_if_key"),
    _hidden("space", "play", "Play, pause", "replay.play"),
    _hidden("left,h", "step('message', -1)", "Step back", "replay.back"),
    _hidden("right,l", "step('message', 1)", "Step forward", "replay.forward"),
    _hidden("shift+left,A", "step('call', -1)", "Previous API call", "replay.call_back"),
    _hidden("shift+right,a", "step('call', 1)", "Next API call", "replay.call"),
    _hidden("ctrl+left", "step('turn', -1)", "Previous user turn", "replay.turn_back"),
    _hidden("ctrl+right", "step('turn', 1)", "Next user turn", "replay.turn"),
    _hidden("less_than_sign", "speed(-1)", "Play slower", "replay.slower", "<"),
    _hidden("greater_than_sign", "speed(1)", "Play faster", "replay.faster", ">"),
    _hidden("colon", "ask_step", "Go to a step", "replay.number", ":"),
    _hidden("p", "profiles", "Profiles", "conversation.profile"),
    _hidden("equals_sign", "keep", "Keep as A, compare", "tune.keep", "="),
    _hidden("backslash", "swap", "Swap A and B", "tune.swap", "\\"),
    _hidden("v", "sweep", "Sweep", "tune.sweep"),
    _hidden("ctrl+o", "recommend", "Recommend settings", "tune.recommend"),
    _hidden("P", "attempt", "Another summary", "conversation.attempt"),
    _hidden("T", "trace", "Trace a phrase", "conversation.trace"),
    _hidden("W", "ask_file", "Write settings to a file", "copy.write"),
    _hidden("ctrl+r", "copy_comparison", "Copy the comparison", "copy.comparison"),
    _hidden("ctrl+e", "report", "Write a report", "conversation.report"),
    _hidden("ctrl+z", "undo", "Undo the last setting", "tune.undo"),
    _hidden("y", "copy('message')", "Copy message", "copy.message"),
    _hidden("Y", "copy('summary')", "Copy summary", "copy.summary"),
    _hidden("ctrl+y", "copy('settings')", "Copy settings", "copy.settings"),
    _hidden("o", "open_outside('PAGER')", "Open in $PAGER", "outside.pager"),
    _hidden("e", "open_outside('EDITOR')", "Open in $EDITOR", "outside.editor"),
]  # fmt: skip


class KeyActions:
    """The actions of KEYS, each handed to the part of the screen that does it."""

    attempts: Attempts
    clipboard: Clipboard
    finder: Finder
    navigation: Navigation
    panes: Panes
    player: Player
    prompts: Prompts
    reports: ReportWriter
    state: Any
    tracer: Tracer
    tuner: Tuner

    def action_find(self) -> None:
        """Ask for a text to find in the list."""
        self.finder.ask()

    def action_hit(self, direction: int) -> None:
        """Go to the next or previous hit."""
        self.finder.next_hit(direction)

    def action_jump(self, kind: str, direction: int) -> None:
        """Go to the next message of a kind; in a replay to the step of the next user message."""
        if self.state.moment is not None and kind == "user":
            self.player.step("turn", direction)
        else:
            self.finder.jump(kind, direction)

    def action_compaction(self, direction: int) -> None:
        """Choose another compaction and show the list after it; in a replay go to the step before it."""
        if self.state.moment is not None:
            self.player.step("compaction", direction)
        else:
            self.navigation.step_compaction(direction)

    def action_pane(self, name: str) -> None:
        """Show a pane and give it the focus."""
        self.panes.show(name, focus=True)

    async def action_life(self) -> None:
        """Show the life of the summaries' items."""
        await self.panes.bring("summary", "life")

    def action_play(self) -> None:
        """Play or pause the replay."""
        self.player.toggle()

    def action_step(self, unit: Unit, direction: int) -> None:
        """Go one step of the replay forward or back."""
        self.player.step(unit, direction)

    def action_speed(self, by: int) -> None:
        """Play faster or slower."""
        self.player.speed(by)

    def action_ask_step(self) -> None:
        """Ask for the number of a step."""
        self.prompts.ask("step")

    def action_ask_file(self) -> None:
        """Ask for a file to write the settings to."""
        self.prompts.ask("write")

    def action_profiles(self) -> None:
        """Choose a profile."""
        self.tuner.choose_profile()

    def action_keep(self) -> None:
        """Keep the settings as A to compare with."""
        self.tuner.keep()

    def action_swap(self) -> None:
        """Swap the settings A and B."""
        self.tuner.swap()

    def action_sweep(self) -> None:
        """Open the sweep."""
        self.tuner.sweep()

    def action_recommend(self) -> None:
        """Recommend settings for the conversation, and take them."""
        self.tuner.recommend()

    def action_undo(self) -> None:
        """Undo the last change of settings."""
        self.tuner.undo()

    def action_copy_comparison(self) -> None:
        """Copy the comparison of runs."""
        self.tuner.copy_comparison()

    def action_attempt(self) -> None:
        """Have the summary made again."""
        self.attempts.ask()

    def action_trace(self) -> None:
        """Show the history of the selected text, of the text that is looked for, or of the message's statement."""
        self.tracer.trace()

    def action_report(self) -> None:
        """Write a report of the conversation."""
        self.reports.ask()

    def action_copy(self, what: str) -> None:
        """Copy the message, the summary or the settings."""
        self.clipboard.copy(what)

    def action_open_outside(self, variable: str) -> None:
        """Open the message in the program that an environment variable names."""
        self.clipboard.open_outside(variable)


def key_of(identity: str) -> str:
    """Return the key of an action as help texts write it. Raises StopIteration for an unknown binding id."""
    binding = next(binding for binding in KEYS if isinstance(binding, Binding) and binding.id == identity)
    return binding.key_display or binding.key
