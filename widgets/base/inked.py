"""The colours of a widget that draws its own lines."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from widgets.base.scroll_bar import LineScrollBar


class Inked(Widget):
    """Computes each colour on first use, and again when the styles change. DEFAULT_CSS alone names component classes.

    Textual matches the styles of all component classes whenever it styles the widget: on an opening screen that takes
    longer than drawing it. It also drops colours on each refresh, and computing one costs more than drawing a line.
    """

    def __init__(self, *children: Widget, **options: Any) -> None:
        super().__init__(*children, **options)
        self._inks: dict[str, Style] = {}
        self._papers: dict[str, Style] = {}
        self._base: Style | None = None

    def _get_component_classes(self) -> frozenset[str]:  # type: ignore[override]
        """Return none, so that Textual styles no component class before it is drawn with."""
        if self._component_styles:
            self._component_styles.clear()
            self.notify_style_update()
            self.refresh()
        return frozenset()

    def get_component_styles(self, *names: str) -> RenderStyles:
        """The styles of component classes. Raises KeyError for one that no style sheet names."""
        known = self.app.stylesheet.rules_map
        for name in names:
            if name not in self._component_styles and f".{name}" in known:
                node = DOMNode(classes=name)
                node._attach(self)
                self.app.stylesheet.apply(node)
                self._component_styles[name] = node.styles
        return super().get_component_styles(*names)

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

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar, made when it is first asked for."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = LineScrollBar(
                name="vertical", thickness=self.scrollbar_size_vertical
            )
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def scroll_over(self, rows: int) -> None:
        """Set the number of rows to scroll over.

        The screen is laid out again only where the scrollbar appears or disappears.
        """
        size, height = Size(0, rows), self.styles.height
        shown = self.styles.overflow_y == "scroll" or rows > self.container_size.height
        if self.size and height is not None and not height.is_auto and shown == self.show_vertical_scrollbar:
            self.set_reactive(InkedScroll.virtual_size, size)
            self._scroll_update(size)
        else:
            self.virtual_size = size
        self.refresh()
