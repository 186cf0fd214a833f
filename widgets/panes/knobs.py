"""The settings as knobs. Arrows (faster while held), typing, the wheel, a click and a drag turn them."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from inspector.core.errors import UsageProblem
from inspector.engines.base import Settings, overridden_words
from inspector.engines.registry import with_changes
from inspector.engines.settings import Setting
from widgets.base.inked import Inked
from widgets.base.strips import Row, fit, one_line, width_of
from widgets.base.wrapping import breaks
from widgets.intents import UseSettings
from widgets.panes.knob_values import (
    SUMMARY_SIZE,
    TuneState,
    Value,
    clamped,
    help_of,
    meant,
    parse,
    share_of,
    show,
    turned,
    value_at,
)

#: Maximum seconds between two presses of a held key.
HELD = 0.15
#: (minimum presses of a held key, factor of a step), largest first.
SPEEDS = ((60, 50), (36, 20), (20, 10), (10, 4), (4, 2))
#: Widths in cells of a setting's name and value.
_LABEL, _VALUE = 16, 12
#: Minimum width of a slider in cells.
_LEAST_SLIDER = 4
#: Keys that end the typing of a value.
_LEAVING = frozenset({"enter", "escape", "tab", "shift+tab", "up", "down"})
#: Maximum rows of the foot, which explains the setting and the source of its value.
_FOOT = 4
_TYPING = "Type a number, 150k, 1.5m or 35%. Enter, tab, ↑ ↓ or a click confirms it; escape cancels."


class Knobs(Inked, can_focus=True):
    """One row for each setting. Posts UseSettings at every turn.

    A turn is drawn at once, and `set_state` may correct it. Enter confirms a typed value. A key or click that leaves
    the row confirms it too. Escape cancels it.
    """

    DEFAULT_CSS = """
    Knobs {
        height: auto;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "knob(-1)", "Knob above", id="knobs.up", show=False),
        Binding("down,j", "knob(1)", "Knob below", id="knobs.down", show=False),
        Binding("left,h", "turn(-1)", "Less", id="knobs.less"),
        Binding("right,l", "turn(1)", "More", id="knobs.more"),
        Binding("shift+left,H", "turn(-1, True)", "Much less", id="knobs.much_less", show=False),
        Binding("shift+right,L", "turn(1, True)", "Much more", id="knobs.much_more", show=False),
        Binding("r,delete", "reset", "Reset", id="knobs.reset", tooltip="Reset this setting"),
        Binding("R", "reset_all", "Reset all", id="knobs.reset_all", tooltip="Reset all settings"),
        Binding(
            "enter", "type", "Type a value", id="knobs.type", tooltip="Type a value: a number, 150k, 35%"
        ),
        Binding("enter", "take_typed", "Confirm the value", id="knobs.take", system=True),
        Binding("escape", "drop_typed", "Cancel", id="knobs.leave", system=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._state = TuneState(Settings(), Settings())
        #: The settings on screen.
        self.settings = self._state.settings
        self._summary = self._state.summary_size
        #: The row of the cursor.
        self._row = 0
        #: The characters of the value that is being typed; None if none is.
        self._typed: str | None = None
        self._error = ""
        #: The last turn: its row, its direction (-1 or 1), and its time in seconds.
        self._last_turn = (0, 0, 0.0)
        #: The number of repeated presses of the held key.
        self._repeats = 0
        self._dragging = False
        #: The actions that have nothing to reset.
        self._idle = self._nothing_to_reset()
        #: The clock that detects a held key. Tests set it.
        self.clock = time.monotonic

    def set_state(self, state: TuneState) -> None:
        """Show other settings or consequences. Draw only the rows that change."""
        before, chosen = self._state, self.knob
        shown = {knob.name: self.value(knob.name) for knob in before.knobs}
        self._state, self.settings, self._summary = state, state.settings, state.summary_size
        if _beside_values(state) != _beside_values(before):
            names = [knob.name for knob in state.knobs]
            self._row = names.index(chosen) if chosen in names else min(self._row, len(names) - 1)
            self.refresh(layout=True)
        for row, knob in enumerate(state.knobs):
            if shown.get(knob.name) != self.value(knob.name):
                self._refresh_row(row)
        self._offer_resets()

    def _refresh_row(self, row: int) -> None:
        self.refresh(Region(0, row, self.size.width, 1))

    @property
    def _knobs(self) -> tuple[Setting, ...]:
        return self._state.knobs

    @property
    def _chosen(self) -> Setting:
        """The knob under the cursor."""
        return self._knobs[self._row]

    @property
    def knob(self) -> str:
        """The name of the setting under the cursor."""
        return self._chosen.name

    def value(self, name: str) -> Value:
        """Return the current value of a knob."""
        value: Value = self._summary if name == SUMMARY_SIZE else getattr(self.settings, name)
        return value

    def _default(self, name: str) -> Value:
        default: Value = None if name == SUMMARY_SIZE else getattr(self._state.defaults, name)
        return default

    # Turning.

    def action_knob(self, by: int) -> None:
        """Go `by` rows down."""
        self._go(self._row + by)

    def action_turn(self, by: int, coarse: bool = False) -> None:
        """Turn the knob by one step up (1) or down (-1). The steps grow while the key is held."""
        now = self.clock()
        row, direction, at = self._last_turn
        held = (row, direction) == (self._row, by) and now - at <= HELD
        self._repeats = self._repeats + 1 if held else 0
        self._last_turn = (self._row, by, now)
        speed = next((factor for least, factor in SPEEDS if self._repeats >= least), 1)
        limit = {"choice": 1, "count": 10, "share": 10}.get(self._chosen.kind, speed)
        self._step(self._chosen, by * min(speed, limit), coarse)

    def action_reset(self) -> None:
        """Reset the setting to the value in force."""
        self._set(self.knob, self._default(self.knob))

    def action_reset_all(self) -> None:
        """Reset every setting to the value in force. The size of summaries stays."""
        self.post_message(UseSettings((self._state.defaults, self._summary)))

    def _go(self, row: int) -> None:
        """Confirm a typed value, and move the cursor to a row."""
        self._error = ""
        self.action_take_typed()
        before, self._row = self._row, max(0, min(row, len(self._knobs) - 1))
        self.refresh()
        self._offer_resets()
        if "choice" in (self._knobs[before].kind, self._chosen.kind):
            # The key that types a value is off for a choice.
            self.refresh_bindings()
        if isinstance(self.parent, Widget):
            # If not all knobs fit, scroll the current knob into view.
            region = Region(0, self._row, 1, 1).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False)

    def _step(self, knob: Setting, by: int, coarse: bool) -> None:
        value = self.value(knob.name)
        if knob.kind == "choice":
            offered = self._offered(knob)
            place = offered.index(str(value)) if value in offered else 0
            self._set(knob.name, offered[(place + by) % len(offered)])
        elif not isinstance(value, str):
            self._set(knob.name, turned(knob, value, by, coarse))

    def _offered(self, knob: Setting) -> tuple[str, ...]:
        """Return the values that a knob of choices offers."""
        return knob.choices or self._state.profiles

    def _set(self, name: str, value: Value) -> None:
        if self._typed is not None or self._error:
            self._error = ""
            self._type(None)
        if self.value(name) == value:
            return
        try:
            if name == SUMMARY_SIZE:
                self._summary = value if isinstance(value, int | float) else None
            else:
                self.settings = with_changes(self.settings, **{name: value})
        except UsageProblem as problem:
            self._error = str(problem)
            return
        if name in ("profile", "context_length"):
            # With another profile or window, the threshold may change too.
            self.refresh()
        self._refresh_row(self._row)
        self._offer_resets()
        self.post_message(UseSettings((self.settings, self._summary)))

    # Typing a value.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable most actions while a value is typed, typing for a choice, and a reset of what is not changed."""
        if action in ("take_typed", "drop_typed"):
            return self.editing
        if action == "type" and self._chosen.kind == "choice":
            return False
        if action in self._idle:
            return False
        return not self.editing or action == "knob"

    def _nothing_to_reset(self) -> frozenset[str]:
        """Return the actions that would reset nothing."""
        same = {
            "reset": self.value(self.knob) == self._default(self.knob),
            "reset_all": self.settings == self._state.defaults,
        }
        return frozenset(action for action, idle in same.items() if idle)

    def _offer_resets(self) -> None:
        """Turn the keys of the resets on and off."""
        before, self._idle = self._idle, self._nothing_to_reset()
        if self._idle != before:
            self.refresh_bindings()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Consume keys while a value is typed, except the keys that end it and keys with ctrl."""
        return self.editing and key not in _LEAVING and not key.startswith("ctrl+")

    def on_key(self, event: events.Key) -> None:
        """Add the key to the value that is being typed, or end the typing."""
        character = event.character or ""
        if self._typed is None:
            return
        if event.key == "backspace":
            self._type(self._typed[:-1])
        elif len(character) == 1 and character in "0123456789.,_%kKmM":
            self._type(self._typed + character)
        elif event.key in _LEAVING:
            if event.key in ("tab", "shift+tab"):
                # Without another field the focus stays.
                self.action_take_typed()
            return
        event.stop()
        event.prevent_default()

    def _type(self, text: str | None) -> None:
        """Show the characters typed so far. None ends the typing."""
        toggled = (text is None) != (self._typed is None)
        self._typed = text
        if text is not None:
            self._error = ""
        self.refresh()
        if toggled:
            # Typing turns keys on and off.
            self.refresh_bindings()

    def action_type(self) -> None:
        """Begin to type a value."""
        self._type("")

    def action_drop_typed(self) -> None:
        """Cancel the typing. The setting stays as it is."""
        self._type(None)

    def action_take_typed(self) -> None:
        """Set the typed value. An empty text changes nothing."""
        knob, text = self._chosen, self._typed
        if text is None:
            return
        self._type(None)
        value = parse(text)
        if value is None:
            self._error = f"{knob.name}: {text} is not a number" if text else ""
            return
        self._set(knob.name, meant(knob, value))

    @property
    def editing(self) -> bool:
        """Whether a value is being typed."""
        return self._typed is not None

    # Mouse.

    def _slider(self) -> tuple[int, int]:
        """Return the columns [start, stop) of the sliders."""
        start = 2 + _LABEL + _VALUE + 2
        notes = 36 if self._state.binding else 18
        return start, start + max(0, min(40, self.size.width - start - notes))

    def _slide(self, x: int) -> None:
        """Set the value at column `x` of the slider."""
        start, stop = self._slider()
        knob = self._chosen
        if knob.kind == "choice" or stop - start < 2:
            return
        share = max(0.0, min(1.0, (x - start) / (stop - start - 1)))
        value = value_at(knob, share)
        self._set(knob.name, clamped(knob, round(value / knob.slider.step) * knob.slider.step))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose the knob. A press on its slider also sets the value."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self._knobs):
            return
        self._go(offset.y)
        start, stop = self._slider()
        if start <= offset.x < stop:
            if self._knobs[offset.y].kind == "choice":
                self._step(self._knobs[offset.y], 1, False)
                return
            self._dragging = True
            self.capture_mouse()
            self._slide(offset.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Turn the knob while dragging; otherwise show a tooltip about the setting."""
        if self._dragging:
            self._slide(event.x - self.gutter.left)
            return
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self._knobs):
            unused = offset is not None and self._state.unused and offset.y == len(self._knobs)
            self.tooltip = "\n".join(self._state.unused) if unused else None
            return
        knob = self._knobs[offset.y]
        lines = [f"{knob.name}: {help_of(knob)}", self._origin(knob)]
        lines.append(
            "← → turn the knob, with shift in larger steps. The wheel, a click and a drag turn it too."
        )
        self.tooltip = "\n".join(line for line in lines if line)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Turn up the knob whose value or slider is under the pointer."""
        self._wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Turn down the knob whose value or slider is under the pointer."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self._knobs) or offset.x < 2 + _LABEL:
            return
        event.stop()
        event.prevent_default()
        self._go(offset.y)
        self._step(self._knobs[offset.y], by, event.shift)

    def on_blur(self) -> None:
        """Take the typed value, unless the whole terminal lost the focus."""
        if self.app.app_focus:
            self.action_take_typed()

    # Drawing.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height: a row for each setting, one for the unused settings, and the rows of the longest foot.

        With the longest foot, nothing moves when the cursor moves.
        """
        foot = max(len(self._explained(knob, width)) for knob in self._knobs)
        return len(self._knobs) + bool(self._state.unused) + foot

    def _explained(self, knob: Setting, width: int) -> list[str]:
        """Return the rows of the foot: the effect of a setting, and the full source of its value."""
        return _rows(f"{help_of(knob)} {self._origin(knob)}", width)

    def _origin(self, knob: Setting) -> str:
        """Return the source of the value in force, and the rule that overrides it, as sentences; "" if unknown."""
        origin = one_line(self._state.origins.get(knob.name, ""), 200)
        source = f"In force: {show(knob, self._default(knob.name))}, {origin}." if origin else ""
        binding = self._state.binding.get(knob.name, "")
        return f"{source} {overridden_words(binding)}" if binding else source

    def render_line(self, y: int) -> Strip:
        """Draw a row: a knob, the unused settings, or a row of the foot."""
        width = self.size.width
        below = y - len(self._knobs)
        if below == 0 and self._state.unused:
            names = ", ".join(entry.partition(":")[0] for entry in self._state.unused)
            note = fit(f"  unused by this profile: {names}", width)
            return Row().add(note, self.ink("muted")).strip(width, self.base_style)
        if below >= 0:
            return self._draw_help(below - bool(self._state.unused), width)
        knob = self._knobs[y]
        value, default = self.value(knob.name), self._default(knob.name)
        here = y == self._row
        row = Row().add("› " if here else "  ", Style())
        row.add(fit(knob.name, _LABEL), self.ink("label"))
        if here and self._typed is not None:
            row.add(fit(self._typed + "▏", _VALUE, right=True), self.ink("edit"))
        else:
            ink, text = "warning" if value != default else "strong", show(knob, value)
            # A longer name of a choice uses the room of the slider.
            room = max(_VALUE, min(width_of(text), width - row.width))
            row.add(fit(text, room, right=True), self.ink(ink))
        row.add("  ", Style())
        if (cells := self._slider()[1] - row.width) >= _LEAST_SLIDER:
            self._draw_slider(row, knob, value, cells)
            row.add("  ", Style())
        note = one_line(self._state.origins.get(knob.name, ""), 60)
        if value != default:
            note = f"default {show(knob, default)}"
            note = note if len(note) <= width - row.width else f"not {show(knob, default)}"
        if knob.name in self._state.binding:
            note = f"rule: {self._state.binding[knob.name]}"
        row.add(fit(note, max(0, width - row.width)), self.ink("muted"))
        base = self.base_style
        if here:
            base += self.ink("knob" if self.has_focus else "knob-blurred")
        return row.strip(width, base, flat=here and self.has_focus and self.app.native_ansi_color)

    def _draw_slider(self, row: Row, knob: Setting, value: Value, cells: int) -> None:
        rest, slider = self.ink("rest"), self.ink("key")
        if knob.kind == "choice":
            offered = self._offered(knob)
            place = offered.index(str(value)) + 1 if value in offered else 0
            words = (f"◂ {place} of {len(offered)} ▸", f"{place}/{len(offered)}", "◂ ▸")
            row.add(fit(next((word for word in words if len(word) <= cells), ""), cells), self.ink("muted"))
            return
        at = round(share_of(knob, value) * (cells - 1))
        row.add("━" * at, slider).add("●" if value is not None else "○", slider).add(
            "─" * (cells - 1 - at), rest
        )

    def _draw_help(self, row: int, width: int) -> Strip:
        note = self.ink("muted")
        if self._error:
            rows, style = _rows(f"! {self._error}", width), self.ink("error")
        elif self._typed is not None:
            rows, style = _rows(_TYPING, width), note
        else:
            rows, style = self._explained(self._chosen, width), note
        text = rows[row] if row < len(rows) else ""
        return Row().add("  " + fit(text, max(0, width - 2)), style).strip(width, self.base_style)


def _beside_values(state: TuneState) -> tuple[object, ...]:
    """Return the parts of a state that the knobs show in addition to the values."""
    return state.defaults, state.profiles, state.origins, state.knobs, state.unused, state.binding


def _rows(text: str, width: int) -> list[str]:
    """Wrap a text to at most `_FOOT` rows of `width - 2` cells. The last row has the rest, and is cut when drawn."""
    text = one_line(text, 400).strip()
    starts = [0, *(breaks(text, max(1, width - 2)) or ())]
    ends = [*starts[1:_FOOT], len(text)]
    return [text[start:end].rstrip() for start, end in zip(starts, ends, strict=False)]
