"""The keys of the conversation screen. The digits of the panes come from the order of the panes."""

from __future__ import annotations

from textual.binding import Binding, BindingType

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
    _hidden("0", "lineage", "Lineage of the items", "pane.lineage"),
    _hidden("t", "pane('what-if')", "What-if", "pane.what_if_key"),
    _hidden("space", "play", "Play, pause", "replay.play"),
    _hidden("left,h", "step('message', -1)", "Step back", "replay.back"),
    _hidden("right,l", "step('message', 1)", "Step forward", "replay.forward"),
    _hidden("shift+left,A", "step('call', -1)", "Previous request", "replay.call_back"),
    _hidden("shift+right,a", "step('call', 1)", "Next request", "replay.call"),
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
    _hidden("V", "decide", "Let a model judge", "conversation.decide"),
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


def key_of(identity: str) -> str:
    """Return the key of an action as help texts write it. Raises StopIteration for an unknown binding id."""
    binding = next(binding for binding in KEYS if isinstance(binding, Binding) and binding.id == identity)
    return binding.key_display or binding.key
