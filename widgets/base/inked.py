"""The colours of a widget that draws its own lines."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


class Inked(Widget):
    """Works each of its colours out once, and again when its styles change.

    Textual forgets them whenever a widget is drawn anew, and working one out costs more than drawing a line with it.
    """

    def __init__(self, *children: Widget, **options: Any) -> None:
        super().__init__(*children, **options)
        self._inks: dict[str, Style] = {}
        self._papers: dict[str, Style] = {}
        self._base: Style | None = None

    def ink(self, name: str) -> Style:
        """The colour and text style of a component class, without its background.

        Taken from the full style, because only there are alpha and automatic colours blended.
        """
        style = self._inks.get(name)
        if style is None:
            full = self.get_component_rich_style(name)
            style = self._inks[name] = full.without_color + Style(color=full.color)
        return style

    def paper(self, name: str) -> Style:
        """Only the background of a component class."""
        style = self._papers.get(name)
        if style is None:
            style = self._papers[name] = Style(bgcolor=self.get_component_rich_style(name).bgcolor)
        return style

    @property
    def base_style(self) -> Style:
        """The widget's own colours."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def notify_style_update(self) -> None:
        """Colours changed."""
        self._inks.clear()
        self._papers.clear()
        self._base = None
        super().notify_style_update()


class InkedScroll(Inked, ScrollView):
    """An Inked whose lines scroll."""

    def scroll_over(self, rows: int) -> None:
        """Scroll over so many rows from now on.

        The screen is laid out anew only where the scrollbar comes or goes: otherwise nothing around this moves.
        """
        size, height = Size(0, rows), self.styles.height
        shown = self.styles.overflow_y == "scroll" or rows > self.container_size.height
        if self.size and height is not None and not height.is_auto and shown == self.show_vertical_scrollbar:
            self.set_reactive(InkedScroll.virtual_size, size)
            self._scroll_update(size)
        else:
            self.virtual_size = size
        self.refresh()
