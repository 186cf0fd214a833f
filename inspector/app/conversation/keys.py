"""The keys of the conversation screen. The digits of the panes come from their order."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_COMPACTIONS = Binding.Group("Compaction ", compact=True)


def _hidden(key: str, action: str, words: str, id: str, display: str | None = None) -> Binding:
    """A key that the line at the foot does not name: help and the palette do."""
    return Binding(key, action, words, show=False, id=id, key_display=display)


KEYS: list[BindingType] = [
    Binding("escape", "back", "Back", id="conversation.back"),
    Binding("slash", "part('finder', 'ask')", "Find", id="conversation.find", key_display="/"),
    Binding(
        "left_square_bracket", "compaction(-1)", "Earlier compaction", id="conversation.earlier", key_display="[",
        group=_COMPACTIONS,
    ),
    Binding(
        "right_square_bracket", "compaction(1)", "Later compaction", id="conversation.later", key_display="]",
        group=_COMPACTIONS,
    ),
    _hidden("n", "part('finder', 'next_hit', 1)", "Next hit", "conversation.next_hit"),
    _hidden("N", "part('finder', 'next_hit', -1)", "Earlier hit", "conversation.earlier_hit"),
    _hidden("b", "jump('boundary', 1)", "Next boundary", "jump.boundary"),
    _hidden("B", "jump('boundary', -1)", "Earlier boundary", "jump.boundary_back"),
    _hidden("u", "jump('user', 1)", "Next user message", "jump.user"),
    _hidden("U", "jump('user', -1)", "Earlier user message", "jump.user_back"),
    _hidden("x", "jump('error', 1)", "Next tool error", "jump.error"),
    _hidden("X", "jump('error', -1)", "Earlier tool error", "jump.error_back"),
    _hidden("8,exclamation_mark", "pane('findings')", "Findings", "pane.findings_key", "!"),
    _hidden("9", "pane('losses')", "Losses", "pane.losses_key"),
    _hidden("0", "life", "Life of the summaries", "pane.life"),
    _hidden("V", "measures", "Measures", "pane.measures"),
    _hidden("t", "pane('what-if')", "What-if", "pane.what_if_key"),
    _hidden("space", "part('player', 'toggle')", "Play, pause", "replay.play"),
    _hidden("left,h", "part('player', 'step', 'message', -1)", "Step back", "replay.back"),
    _hidden("right,l", "part('player', 'step', 'message', 1)", "Step forward", "replay.forward"),
    _hidden("shift+left,A", "part('player', 'step', 'call', -1)", "Earlier API call", "replay.call_back"),
    _hidden("shift+right,a", "part('player', 'step', 'call', 1)", "Next API call", "replay.call"),
    _hidden("ctrl+left", "part('player', 'step', 'turn', -1)", "Earlier user turn", "replay.turn_back"),
    _hidden("ctrl+right", "part('player', 'step', 'turn', 1)", "Next user turn", "replay.turn"),
    _hidden("less_than_sign", "part('player', 'speed', -1)", "Play slower", "replay.slower", "<"),
    _hidden("greater_than_sign", "part('player', 'speed', 1)", "Play faster", "replay.faster", ">"),
    _hidden("colon", "part('prompts', 'ask', 'step')", "Go to a step", "replay.number", ":"),
    _hidden("p", "part('tuner', 'choose_profile')", "Profiles", "conversation.profile"),
    _hidden("equals_sign", "part('tuner', 'keep')", "Keep as A, compare", "tune.keep", "="),
    _hidden("backslash", "part('tuner', 'swap')", "A and B change places", "tune.swap", "\\"),
    _hidden("v", "part('tuner', 'sweep')", "Sweep", "tune.sweep"),
    _hidden("P", "part('attempts', 'ask')", "Another summary", "conversation.attempt"),
    _hidden("W", "part('prompts', 'ask', 'write')", "Write to a file", "copy.write"),
    _hidden("ctrl+r", "part('tuner', 'copy_comparison')", "Copy the comparison", "copy.comparison"),
    _hidden("ctrl+e", "part('reports', 'ask')", "Write a report", "conversation.report"),
    _hidden("ctrl+z", "part('tuner', 'undo')", "Undo the last setting", "tune.undo"),
    _hidden("y", "part('clipboard', 'copy', 'message')", "Copy message", "copy.message"),
    _hidden("Y", "part('clipboard', 'copy', 'summary')", "Copy summary", "copy.summary"),
    _hidden("ctrl+y", "part('clipboard', 'copy', 'settings')", "Copy settings", "copy.settings"),
    _hidden("o", "part('clipboard', 'open_outside', 'PAGER')", "Open in $PAGER", "outside.pager"),
    _hidden("e", "part('clipboard', 'open_outside', 'EDITOR')", "Open in $EDITOR", "outside.editor"),
]  # fmt: skip
