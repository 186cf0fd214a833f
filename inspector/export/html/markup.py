"""Elements from plain functions. A string is always text: only what these functions made counts as markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from inspector.core.text import safe

_VOID = frozenset({"meta", "br", "hr", "col"})


class Html(str):
    """Markup that is finished. Made only here, of names and attributes from code and of texts that were escaped."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]


def text(value: str) -> Html:
    """A text as it is to be read: nothing in it acts on a browser or changes the direction of what stands around."""
    return Html(escape(safe(value), quote=True))


def join(*children: Child) -> Html:
    """Children in order; None leaves no trace."""
    return Html("".join(_parts(children)))


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Html:
    """An element. `cls` is its class; an underscore in an attribute's name stands for a hyphen. None and False leave an
    attribute out, True writes its name alone."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{''.join(_parts(children))}</{name}>")


def _attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = "class" if key == "cls" else key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    shown = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else text(str(value))
    return f' {name}="{shown}"'


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str):
            yield text(child)
        elif isinstance(child, int):
            yield f"{child:,}"
        else:
            yield from _parts(child)


def anchor(compaction: int) -> str:
    """The id of a compaction's section."""
    return f"compaction-{compaction}"


def words(value: str, *, cls: str = "said") -> Html:
    """Text of the conversation: line breaks kept, its direction its own."""
    return tag("span", value, cls=cls, dir="auto")


def more(count: int, what: str, where: str = "") -> Html | None:
    """What was left out, said; nothing where that is nothing."""
    if count <= 0:
        return None
    return tag("p", f"and {count:,} more {what}{f' ({where})' if where else ''}", cls="more")
