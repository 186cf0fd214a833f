"""What is got ready for the first opening is what the opening itself would do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.css import stylesheet

from inspector.app.conversation.panes.registry import PANES
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.conversations.reading import import_pane
from inspector.app.styling import parse_ahead
from tests.app.running import CHECKOUT, made, settled
from tests.styles import parse_rules


async def test_an_opening_finds_every_style_parsed(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the app itself gets ready a moment after its start has other panes too.
    monkeypatch.setattr("inspector.app.conversations.screen._PREPARE_SECONDS", 3_600.0)
    app = made(rotating)
    async with app.run_test(size=(120, 40)) as pilot:
        import_pane(PANES[0])
        await parse_ahead(app, ConversationScreen(app.store, "", app.saved, {}, None))
        parsed = set(app.stylesheet.source)
        rules = len(app.stylesheet.rules)
        app.open_conversation(CHECKOUT)
        await settled(pilot)
        assert isinstance(app.screen, ConversationScreen)
        assert set(app.stylesheet.source) == parsed
        assert len(app.stylesheet.rules) == rules


async def test_a_source_is_parsed_once(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stylesheet.Stylesheet, "_parse_rules", parse_rules)
    parsed: list[object] = []
    parse = stylesheet.parse
    # The app itself does the same a moment after its start.
    monkeypatch.setattr("inspector.app.conversations.screen._PREPARE_SECONDS", 3_600.0)

    def counting(scope: str, css: str, *more: Any, **kinds: Any) -> Any:
        parsed.append((scope, css, kinds.get("tie_breaker")))
        return parse(scope, css, *more, **kinds)

    for tab in PANES:
        import_pane(tab)
    app = made(rotating)
    async with app.run_test(size=(120, 40)):
        screen = ConversationScreen(app.store, "", app.saved, {}, None)
        with monkeypatch.context() as patched:
            patched.setattr(stylesheet, "parse", counting)
            await parse_ahead(app, screen)
        assert len(app.stylesheet.source) > 64
        assert len(parsed) == len(set(parsed)) > 64


async def test_it_parses_nothing_twice(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = made(rotating)
    async with app.run_test(size=(120, 40)):
        screen = ConversationScreen(app.store, "", app.saved, {}, None)
        await parse_ahead(app, screen)
        asked: list[object] = []
        monkeypatch.setattr(type(app.stylesheet), "parse", lambda sheet: asked.append(sheet))
        await parse_ahead(app, screen)
        assert asked == []


async def test_what_looks_like_the_app_looks_so_without_it(rotating: Path) -> None:
    """The picture of an opening does not depend on whether its styles were parsed ahead."""
    pictures = []
    for ahead in (False, True):
        app: App[None] = made(rotating, state=rotating.parent / f"state-{ahead}")
        async with app.run_test(size=(120, 40)) as pilot:
            if ahead:
                await parse_ahead(app, ConversationScreen(app.store, "", app.saved, {}, None))  # type: ignore[attr-defined]
            app.open_conversation(CHECKOUT)  # type: ignore[attr-defined]
            await settled(pilot)
            pictures.append([[(s.text, s.style) for s in strip] for strip in _strips(app)])
    assert pictures[0] == pictures[1]


def _strips(app: App[None]) -> list[object]:
    return list(app.screen._compositor.render_strips())
