"""The colours of widgets that draw their own lines."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.style import Style as VisualStyle
from textual.widget import Widget

from widgets.base.scroll_bar import LineBar

#: The styles that widgets, lines and spans can name, in Textual's style markup.
INKS: dict[str, str] = {
    "heading": "bold $text-primary",
    "strong": "bold $foreground",
    "label": "$foreground 80%",
    "kept": "$foreground 75%",
    "column": "$foreground 70%",
    "muted": "$foreground 60%",
    "quiet": "auto 60%",
    "join": "$foreground 40%",
    "line": "$foreground 30%",
    "rest": "$foreground 25%",
    "key": "$text-primary",
    "string": "$text-success",
    "number": "$text-accent",
    "accent": "$text-accent",
    "mark": "bold $text-accent",
    "curve": "$primary 60%",
    "good": "bold $text-success",
    "warning": "bold $text-warning",
    "error": "bold $text-error",
    "added": "$text-success",
    "added-word": "bold underline $text-success",
    "removed": "$text-error",
    "removed-word": "bold strike $text-error",
    "changed": "$text-warning",
    "moved": "$text-accent",
    "head": "$text-primary",
    "middle": "$text-warning",
    "tail": "$text-success",
    "chosen": "bold reverse",
    "here": "bold underline",
    "header": "bold $foreground 70% on $panel",
    "tab": "bold $foreground on $primary 40%",
    "cursor": "bold on $primary 45%",
    "cursor-blurred": "on $primary 20%",
    "knob": "on $primary 35%",
    "knob-blurred": "on $primary 12%",
    "hover": "on $foreground 5%",
    "active": "on $primary 25%",
    "found": "bold auto on $warning",
    "found-other": "auto on $warning 60%",
    "found-current": "bold underline auto on $warning",
    "edit": "auto on $accent",
    **{f"shade-{shade}": f"on $primary {15 * shade}%" for shade in range(1, 5)},
    "footer-key": "bold $footer-key-foreground",
    "footer-text": "$footer-description-foreground",
    "footer-off": "$footer-foreground 50%",
    "footer-line": "$foreground 20%",
    "pointed": "underline $foreground",
}
#: Styles that differ with 16 colours, which cannot be blended. Other styles with a share are dimmed.
_SIXTEEN = {
    "label": "$foreground",
    "quiet": "dim $foreground",
    "curve": "$primary",
    "header": "bold on $panel",
    "tab": "bold reverse",
    "cursor": "bold reverse",
    "cursor-blurred": "bold",
    "knob": "bold reverse",
    "knob-blurred": "",
    "hover": "",
    "active": "reverse",
    **dict.fromkeys(("shade-1", "shade-2", "shade-3", "shade-4"), ""),
    "found": "bold ansi_black on ansi_yellow",
    "found-other": "ansi_black on ansi_yellow",
    "found-current": "bold underline ansi_black on ansi_bright_yellow",
}


class Inked(Widget):
    """Mixes each of INKS with its own background on first use, and again when its styles change.

    Textual matches the styles of component classes whenever it styles a widget: on an opening screen that takes longer
    than drawing.
    """

    DEFAULT_CSS = """
    Inked { background: $surface; color: $foreground; }
    """

    def __init__(self, *children: Widget, **options: Any) -> None:
        super().__init__(*children, **options)
        self._inks: dict[str, Style] = {}
        self._base: Style | None = None

    def ink(self, name: str) -> Style:
        """Return a style of INKS; "" is plain. It has a background only if the style names one. Raises KeyError."""
        style = self._inks.get(name)
        if style is None:
            style = self._inks[name] = self.mixed(INKS[name], _SIXTEEN.get(name)) if name else Style()
        return style

    def mixed(self, definition: str, sixteen: str | None) -> Style:
        """Mix a style in Textual's markup with the background. `sixteen` is the style with 16 colours, if it
        differs."""
        if self.app.native_ansi_color:
            dim = "dim " if "%" in definition else ""
            definition = dim + definition if sixteen is None else sixteen
        background = VisualStyle(self.background_colors[1])
        style = (background + VisualStyle.parse(definition)).rich_style
        if "on " in definition:
            return style
        return style.without_color + Style(color=style.color)

    @property
    def base_style(self) -> Style:
        """The widget's own colours."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def notify_style_update(self) -> None:
        """Colours changed."""
        self._inks.clear()
        self._base = None
        super().notify_style_update()


class InkedScroll(Inked, ScrollView):
    """An Inked whose lines scroll."""

    DEFAULT_CSS = """
    InkedScroll {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        scrollbar-color: $foreground 25%;
    }
    """

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar, with a renderer that takes little to draw."""
        bar = super().vertical_scrollbar
        bar.renderer = LineBar  # type: ignore[misc]
        return bar

    def jump_to(self, y: int) -> None:
        """Scroll to a row at once."""
        self.scroll_to(y=max(0, y), animate=False, force=True, immediate=True)

    def scroll_over(self, rows: int) -> None:
        """Set the number of rows to scroll over.

        The screen is laid out again only where the scrollbar appears or disappears.
        """
        size, height = Size(0, rows), self.styles.height
        shown = self.styles.overflow_y == "scroll" or rows > self.container_size.height
        if self.size and height is not None and not height.is_auto and shown == self.show_vertical_scrollbar:
            self.set_reactive(InkedScroll.virtual_size, size)
            if shown:
                self.vertical_scrollbar.window_virtual_size = rows
            self.scroll_y = self.validate_scroll_y(self.scroll_y)
        else:
            self.virtual_size = size
        self.refresh()
