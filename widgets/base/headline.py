"""A few lines at the top of a pane: facts, sizes, warnings. As high as its text."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.strips import fit, one_line, width_of
from widgets.base.text_layout import TextLayout
from widgets.base.text_lines import TextLine, draw_part


class Headline(Inked):
    """Styled lines, wrapped to at most `limit` rows. An ellipsis ends a text that needs more rows."""

    DEFAULT_CSS = """
    Headline {
        height: auto;
    }
    """

    def __init__(self, limit: int = 8, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._limit = limit
        self._lines: tuple[TextLine, ...] = ()
        self._texts: tuple[str, ...] = ()

    def set_lines(self, lines: Sequence[TextLine]) -> None:
        """Show lines. The screen is laid out again only where the number of rows changes."""
        value = tuple(lines)
        if value == self._lines:
            return
        self._lines = value
        self._texts = tuple(one_line(line.text, 4_000) for line in value)
        self._fit()
        self.refresh()

    def on_resize(self) -> None:
        """Another width may need other rows."""
        self._fit()

    def _fit(self) -> None:
        # A height that is set is seen by the layout at once; one asked for while another layout is under way is not.
        if self.size.width:
            self.styles.height = min(self._limit, self._laid_out(self.size.width).rows)
        else:
            self.refresh(layout=True)

    @property
    def text(self) -> str:
        """The text on screen."""
        return "\n".join(line.prefix + text for line, text in zip(self._lines, self._texts, strict=True))

    def _laid_out(self, width: int) -> TextLayout:
        layout = TextLayout(
            len(self._texts), width, self._texts.__getitem__, lambda line: width_of(self._lines[line].prefix)
        )
        layout.advance(1, rows=self._limit)
        return layout

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows of the text."""
        return min(self._limit, self._laid_out(width).rows)

    def render_line(self, y: int) -> Strip:
        """Draw a row."""
        width = self.size.width
        layout = self._laid_out(width)
        if y >= layout.rows:
            return Strip.blank(width, self.base_style)
        line, start, stop = layout.place(y)
        text, styled = self._texts[line], self._lines[line]
        shown = text[start:stop]
        if y == self._limit - 1 and (text[stop:].strip() or line + 1 < len(self._texts)):
            shown = fit(f"{shown.rstrip()} …", width - width_of(styled.prefix)).rstrip()
        row = draw_part(self.ink, styled, text, start, shown)
        return row.strip(width, self.base_style)
