"""Shared fixtures. Recordings and fixtures are copied out, so that no test can write to them."""

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

ROOT = Path(__file__).resolve().parent.parent
_NUMBERS = count()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too, with many examples")


def pytest_configure(config: pytest.Config) -> None:
    _allow_as_many_files_as_a_login()
    set_budget(everything=config.getoption("--slow"))


def _allow_as_many_files_as_a_login() -> None:
    """No more open files than a process may have where nobody changed anything: who forgets to close some, fails."""
    with suppress(ImportError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, most) if most >= 0 else 1024, most))


def pytest_collection_finish() -> None:
    """What is there before the first test stays: the collector need not go through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 1_000, 1_000)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """What is still there after a collection is no garbage: pytest looks for some five times more."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        slow = [item for item in items if "slow" in item.keywords]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache directory of the tests of this process, in place of the user's.

    A test that needs one without kept results takes `nothing_kept`.
    """
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test before has kept anything."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another cache"))


@pytest.fixture(scope="session", autouse=True)
def shared() -> Iterator[None]:
    """What makes the tests of a process quick. It is imported here, as the process that hands tests out runs none."""
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
    """The unpacked database of a recording by name, its truth beside it if there is one; skips where it is absent."""
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
    """The unpacked transcripts of an agent's folder; skips where they are absent."""
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
    """A new directory. Its number is counted: pytest looks for one in the names of all others."""
    return factory.mktemp(f"{name}-{next(_NUMBERS)}", numbered=False)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of the test alone."""
    return new_folder(re.sub(r"\W", "_", request.node.name)[:30], tmp_path_factory)


@pytest.fixture(scope="session")
def _copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(ROOT / "fixtures", tmp_path_factory.mktemp("bundled") / "fixtures"))


@pytest.fixture
def fixtures_dir(_copied: Path) -> Iterator[Path]:
    """A copy of the bundled fixtures that all tests of this process share, so that kept results are found again.

    A test that writes into it fails; it takes `own_fixtures`.
    """
    before = _files(_copied)
    yield _copied
    assert _files(_copied) == before


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    """The size of each file, and when it was written."""
    return {
        path: (status.st_size, status.st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
        for status in (path.stat(),)
    }


@pytest.fixture
def own_fixtures(tmp_path: Path) -> Path:
    """A copy of the bundled fixtures for this test alone."""
    return Path(shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures"))


@pytest.fixture
def halves_engine(tmp_path: Path) -> Iterator[None]:
    """The distribution halves-engine is installed for this process."""
    from tests.engines import other_package

    folder = tmp_path / "site"
    folder.mkdir()
    with other_package.installed(folder):
        yield


@pytest.fixture(autouse=True)
def no_cache_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged cache of one test is no news in the next one of the same process."""
    from inspector.config import database

    monkeypatch.setattr(database, "_problems", {})
