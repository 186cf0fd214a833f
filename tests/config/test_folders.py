"""The user's folders and their files."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.folders import cache_dir, read_state, state_dir, write_state, write_text


def test_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert state_dir() == tmp_path / "state" / "compaction-inspector"
    assert cache_dir() == tmp_path / "cache" / "compaction-inspector"
    assert not (tmp_path / "state").exists()


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="other platforms have other folders")
def test_folders_without_an_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # The specification ignores a relative path in the variable.
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_dir() == tmp_path / ".local/state/compaction-inspector"
    assert cache_dir() == tmp_path / ".cache/compaction-inspector"


def test_written_values_are_read_and_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "places.json"
    assert write_state(path, {"theme": "dark", "places": {"/db": {"pane": "diff"}}})
    assert read_state(path) == {"theme": "dark", "places": {"/db": {"pane": "diff"}}}
    assert write_state(path, {})
    assert read_state(path) == {}
    assert os.listdir(path.parent) == ["places.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_device_or_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link"):
        assert not write_text(path, "text")
        assert pipe.is_fifo()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=8,
)


@given(document=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), json_values))
def test_any_mapping_is_read_unchanged(
    tmp_path_factory: pytest.TempPathFactory, document: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("state") / "state.json"
    assert write_state(path, document)
    assert read_state(path) == document


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"null", b"[" * 100_000, b'{"a": NaN'])
def test_a_broken_file_is_ignored(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(content)
    assert read_state(path) == {}
    assert write_state(path, {"a": 1})
    assert read_state(path) == {"a": 1}


def test_a_missing_file_is_empty_and_a_folder_too(tmp_path: Path) -> None:
    assert read_state(tmp_path / "none.json") == {}
    assert read_state(tmp_path) == {}


def test_text_is_written_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "copied.txt"
    assert write_text(path, "one\r\ntwo\nlone \ud800")
    assert path.read_bytes() == b"one\r\ntwo\nlone ?"


def test_an_unwritable_folder_is_an_error_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert not write_text(tmp_path / "file" / "state.json", "x")
    (tmp_path / "folder").mkdir()
    assert not write_text(tmp_path / "folder", "x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
