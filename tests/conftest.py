"""Shared fixtures. Tests get copies of recordings and of the bundled fixtures, so no test can change them."""

from __future__ import annotations

import gc
import gzip
import lzma
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.examples import set_budget
from tests.program import program  # noqa: F401 (a fixture)
from tests.recipes import recipe

ROOT = Path(__file__).resolve().parent.parent
_FOLDER_NUMBERS = count()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too, with many examples")


def pytest_configure(config: pytest.Config) -> None:
    _limit_open_files()
    set_budget(everything=config.getoption("--slow"))


def _limit_open_files() -> None:
    """Set the default limit of open files, so that a test that leaves files open fails."""
    with suppress(ImportError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, most) if most >= 0 else 1024, most))


def pytest_collection_finish() -> None:
    """Freeze all objects before the first test, so that the garbage collector skips them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 1_000, 1_000)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect once and freeze the rest, because pytest would collect about five times more."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        slow = [item for item in items if "slow" in item.keywords]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Use temporary directories for the tests of this process, instead of the user's: cache, data and state.

    A test that needs an empty cache takes `empty_cache`. A test that stores something in the others sets its own.
    """
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield folder


def bundled_conversations() -> int:
    """Return the number of conversations in `fixtures/agents`: 11 of four agents, and one for each other session."""
    return 11 + len(recipe("more_agents").SESSIONS)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty cache directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another cache"))


@pytest.fixture(scope="session", autouse=True)
def shared() -> Iterator[None]:
    """Share work between the tests of a process. The imports are here for processes that run tests."""
    from tests.idle import wait_for_the_event_loop
    from tests.sharing import share_digests, share_fates, share_parsed_styles, share_readings

    share_parsed_styles()
    wait_for_the_event_loop()
    with pytest.MonkeyPatch.context() as patch:
        share_fates(patch)
        share_digests(patch)
        share_readings(patch)
        yield


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that unpacks a recorded database by name, with its truth file; skip if it is absent."""
    folder = Path(os.environ.get("COMPACTION_INSPECTOR_RECORDINGS") or ROOT.parent / "shared" / "recordings")
    unpacked: dict[str, Path] = {}

    def path(name: str) -> Path:
        if name not in unpacked:
            packed = folder / f"{name}.db.gz"
            if not packed.is_file():
                pytest.skip(f"recording {name} is absent")
            target = tmp_path_factory.mktemp("recording") / f"{name}.db"
            with gzip.open(packed, "rb") as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
            truth = folder / f"{name}.db.truth.json"
            if truth.is_file():
                shutil.copyfile(truth, f"{target}.truth.json")
            unpacked[name] = target
        return unpacked[name]

    return path


@pytest.fixture(scope="session")
def agent_recordings(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Path]]:
    """Return a function that unpacks the transcripts of an agent; skip if they are absent."""
    recordings = Path(
        os.environ.get("COMPACTION_INSPECTOR_RECORDINGS") or ROOT.parent / "shared" / "recordings"
    )

    def paths(agent: str) -> list[Path]:
        packed = sorted((recordings / "agents" / agent).glob("*.xz"))
        if not packed:
            pytest.skip(f"transcripts of {agent} are absent")
        folder = tmp_path_factory.mktemp(agent)
        for path in packed:
            (folder / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
        return sorted(folder.iterdir())

    return paths


def new_folder(name: str, factory: pytest.TempPathFactory) -> Path:
    """Make a new directory. A counter numbers it, because pytest searches all names for a free number."""
    return factory.mktemp(f"{name}-{next(_FOLDER_NUMBERS)}", numbered=False)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a directory for this test."""
    return new_folder(re.sub(r"\W", "_", request.node.name)[:30], tmp_path_factory)


@pytest.fixture(scope="session")
def _copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(ROOT / "fixtures", tmp_path_factory.mktemp("bundled") / "fixtures"))


@pytest.fixture
def fixtures_dir(_copied: Path) -> Iterator[Path]:
    """Copy the bundled fixtures once for all tests of this process, so that cached results stay valid.

    A test that writes into it fails. Such a test takes `own_fixtures`.
    """
    before = _files(_copied)
    yield _copied
    assert _files(_copied) == before


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return size and modification time of each file."""
    return {
        path: (status.st_size, status.st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
        for status in (path.stat(),)
    }


@pytest.fixture
def own_fixtures(tmp_path: Path) -> Path:
    """Copy the bundled fixtures for this test only."""
    return Path(shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures"))


@pytest.fixture
def halves_engine(tmp_path: Path) -> Iterator[None]:
    """Install the distribution halves-engine for this process."""
    from tests.engines import other_package

    folder = tmp_path / "site"
    folder.mkdir()
    with other_package.installed(folder):
        yield


@pytest.fixture(autouse=True)
def no_cache_problems() -> None:
    """Forget the cache problems of earlier tests in this process."""
    from inspector.config.cache import _OPENED

    if _OPENED.held is not None:
        _OPENED.held.problem = ""
