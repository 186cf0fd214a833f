"""Settings of every app test: a counter without a vocabulary, UTC, no other state directory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.notifications import Notification

from inspector.app.app import InspectorApp
from inspector.app.conversations import reading, screen
from inspector.app.saved_state import SavedState
from inspector.stores.detect import open_store
from inspector.stores.several import SeveralStores
from inspector.tokens.tokenizers import Counter
from tests.app.running import ASK_WORKER, LOOK_UP_MODELS, NOW, app_on
from tests.idle import draw_at_rest
from widgets.base import human

MakeApp = Callable[..., InspectorApp]


class Quarters:
    """A counter with one token per four characters."""

    def encode_ordinary(self, text: str) -> list[int]:
        return [0] * ((len(text) + 3) // 4)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "HOME", "HERMES_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for name in ("NO_COLOR", "PAGER", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(
        "inspector.tokens.tokenizers.counter_for", lambda model: Counter("quarters", Quarters())
    )
    # No user waits here, so threads need not rest after every key.
    monkeypatch.setattr("inspector.app.throttle.QUIET", 0.0)
    draw_at_rest(monkeypatch)
    # A notification stays until it is dismissed, because the duration of a test depends on the machine.
    monkeypatch.setattr(Notification, "time_left", property(lambda notification: 3_600.0))
    ago = human.ago
    monkeypatch.setattr(human, "ago", lambda then, now=None: ago(then, NOW if now is None else now))
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes work, as in the app of a user."""
    monkeypatch.setattr(reading, "ask_worker", ASK_WORKER)
    monkeypatch.setattr(screen, "look_up_models", LOOK_UP_MODELS)


@pytest.fixture
def rotating(fixtures_dir: Path) -> Path:
    """Return a copy of the bundled database of the release that rotates."""
    return fixtures_dir / "hermes-0.13-rotating.db"


@pytest.fixture
def in_place(fixtures_dir: Path) -> Path:
    """Return a copy of the bundled database of the release that compacts in place."""
    return fixtures_dir / "hermes-0.19-in-place.db"


@pytest.fixture
def demo(fixtures_dir: Path, tmp_path: Path) -> MakeApp:
    """Return a function that makes the app on copies of the bundled databases; a name opens that conversation."""

    def make(name: str | None = None, theme: str = "") -> InspectorApp:
        stores = [open_store(path) for path in sorted(fixtures_dir.glob("*.db"))]
        store = SeveralStores(stores, fixtures_dir)
        saved = SavedState.load(fixtures_dir, tmp_path / "place")
        if theme:
            saved.theme = theme
        return app_on(store, saved, name=name)

    return make
