"""A vertical scrollbar that takes little to draw."""

from __future__ import annotations

from rich.segment import Segment
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class LineScrollBar(ScrollBar):
    """Looks like Textual's own, which takes a third of the drawing time of the list next to it."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region."""
        bar = self.render()
        if not isinstance(bar, ScrollBarRender):
            return super().render_lines(crop)
        width, height = self.size
        style = self.app.console.get_style(bar.style)
        assert style.color is not None
        assert style.bgcolor is not None
        segments = bar.render_bar(
            height, bar.virtual_size, bar.window_size, bar.position, width, True, style.bgcolor, style.color
        ).segments
        base = self.rich_style
        strips = {
            segment: Strip(Segment.apply_style([segment], base), width) for segment in dict.fromkeys(segments)
        }
        background = self.background_colors[1]
        for line_filter in self.get_line_filters():
            strips = {
                segment: strip.apply_filter(line_filter, background) for segment, strip in strips.items()
            }
        return [strips[segments[y]].crop(crop.x, crop.right) for y in crop.line_range]
