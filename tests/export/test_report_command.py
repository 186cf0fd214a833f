"""The report command: form by file name, overwriting only with a flag and never a database, complete files only."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from inspector.commands.cli import main
from inspector.core.errors import OutputProblem, UsageProblem
from inspector.export.report.rendering import form_of
from inspector.export.writing import check_target, write_file
from tests.stores.writer import snapshot

ROOT = Path(__file__).resolve().parents[2]
NAME = "Move checkout to orders-v2"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return Path(shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", folder / "state.db"))


def run(capsysbinary: pytest.CaptureFixture[bytes], *words: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["report", *map(str, words)])
    output = capsysbinary.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, output.out.decode(), output.err.decode()


def test_the_file_name_determines_the_form(
    capsysbinary: pytest.CaptureFixture[bytes], database: Path, tmp_path: Path
) -> None:
    for name, start in (("r.html", "<!DOCTYPE html>"), ("r.HTM", "<!DOCTYPE html>"), ("r.md", f"# {NAME}")):
        target = tmp_path / name
        code, out, err = run(capsysbinary, database, NAME, "--output", target)
        assert (code, err) == (0, "")
        assert out.startswith(f"Wrote {target} (")
        assert target.read_text(encoding="utf-8").startswith(start)
    code, _, err = run(capsysbinary, database, NAME, "--output", tmp_path / "r.txt")
    assert code == 2
    assert "--format html or markdown" in err
    assert not (tmp_path / "r.txt").exists()
    target = tmp_path / "s.txt"
    assert run(capsysbinary, database, NAME, "--output", target, "--format", "markdown")[0] == 0
    assert target.read_text(encoding="utf-8").startswith(f"# {NAME}")


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes], database: Path) -> None:
    assert run(capsysbinary, database, NAME, "--output", "-")[1].startswith("<!DOCTYPE html>")
    code, out, err = run(capsysbinary, database, NAME, "--output", "-", "--format", "markdown")
    assert (code, err) == (0, "")
    assert out.startswith(f"# {NAME}")


def test_an_existing_file_is_kept(
    capsysbinary: pytest.CaptureFixture[bytes], database: Path, tmp_path: Path
) -> None:
    target = tmp_path / "r.html"
    target.write_text("mine", encoding="utf-8")
    code, out, err = run(capsysbinary, database, NAME, "--output", target)
    assert (code, out) == (1, "")
    assert "is there already. Name another file, or give --force" in err
    assert target.read_text(encoding="utf-8") == "mine"
    with pytest.raises(OutputProblem, match="is there already"):
        check_target(target, [database], force=False)  # before the report is made, not only afterwards
    assert run(capsysbinary, database, NAME, "--output", target, "--force")[0] == 0
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("how", ["itself", "symlink", "hard link", "roundabout"])
def test_the_database_is_never_written_to(
    capsysbinary: pytest.CaptureFixture[bytes], database: Path, tmp_path: Path, end: str, how: str
) -> None:
    kept = Path(f"{database}{end}")
    if how in ("symlink", "hard link") and end:
        kept.write_bytes(b"" if end == "-wal" else b"kept")
    target = tmp_path / "link.html"
    if how == "symlink":
        target.symlink_to(kept)
    elif how == "hard link":
        os.link(kept, target)
    elif how == "roundabout":
        target = database.parent / ".." / database.parent.name / kept.name
    else:
        target = kept
    with pytest.raises(OutputProblem, match="never written to"):
        write_file(target, "x", [database], force=True)
    if not end:
        before = snapshot(database.parent)
        code, _, err = run(capsysbinary, database, NAME, "--output", target, "--format", "html", "--force")
        assert code == 1
        assert "it is never written to" in err
        assert snapshot(database.parent) == before


def test_the_target_of_a_linked_database_is_protected(database: Path, tmp_path: Path) -> None:
    link = tmp_path / "linked.db"
    link.symlink_to(database)
    for target in (database, Path(f"{database}-wal"), link, Path(f"{link}-shm")):
        with pytest.raises(OutputProblem, match="never written to"):
            write_file(target, "x", [link], force=True)


def test_the_agents_settings_are_never_written_to(database: Path) -> None:
    for name in ("config.yaml", "Config.YML", ".env"):
        with pytest.raises(OutputProblem, match="holds the agent's settings"):
            write_file(database.parent / name, "x", [database], force=True)
    assert [path.name for path in database.parent.iterdir()] == ["state.db"]


def test_no_file_is_written_next_to_the_database(
    capsysbinary: pytest.CaptureFixture[bytes], database: Path, tmp_path: Path
) -> None:
    before = snapshot(database.parent)
    assert run(capsysbinary, database, NAME, "--output", tmp_path / "r.html")[0] == 0
    assert snapshot(database.parent) == before
    # Unless the user chooses that path.
    assert run(capsysbinary, database, NAME, "--output", database.parent / "r.html")[0] == 0
    assert set(snapshot(database.parent)) == {*before, "r.html"}


def test_an_unwritable_place_is_an_error_message(
    capsysbinary: pytest.CaptureFixture[bytes], database: Path, tmp_path: Path
) -> None:
    fifo = tmp_path / "fifo.html"
    os.mkfifo(fifo)
    for target, sentence in (
        (tmp_path / "none" / "r.html", "There is no folder"),
        (tmp_path, "is a directory"),
        (fifo, "is not a regular file"),
        (tmp_path / f"{'x' * 300}.html", "cannot be written"),
    ):
        code, out, err = run(capsysbinary, database, NAME, "--output", target, "--format", "html", "--force")
        assert (code, out) == (1, ""), target
        assert sentence in err
        assert "Traceback" not in err
    assert fifo.is_fifo()


def test_a_file_is_complete_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "r.html"
    assert write_file(target, "é\ud800", [], False) == 3
    assert target.read_bytes() == "é?".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputProblem, match="No space left on device"):
        write_file(target, "other", [], True)
    assert target.read_bytes() == "é?".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "r.html"
    sync = os.fsync

    def meanwhile(number: int) -> None:
        sync(number)
        target.write_text("theirs", encoding="utf-8")

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(OutputProblem, match="is there already"):
        write_file(target, "mine", [], False)
    assert target.read_text(encoding="utf-8") == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_symlink_stays_a_symlink(tmp_path: Path) -> None:
    real = tmp_path / "real.html"
    real.write_text("old", encoding="utf-8")
    link = tmp_path / "link.html"
    link.symlink_to(real)
    write_file(link, "new", [], force=True)
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"


def test_forms() -> None:
    assert form_of(None, None) == "html"
    assert form_of(None, "markdown") == "markdown"
    assert form_of(Path("a.MARKDOWN"), None) == "markdown"
    assert form_of(Path("a.md"), "html") == "html"
    with pytest.raises(UsageProblem):
        form_of(Path("a"), None)


def test_the_given_settings_are_used(capsysbinary: pytest.CaptureFixture[bytes], database: Path) -> None:
    words = [database, NAME, "--output", "-", "--format", "markdown"]
    _, out, _ = run(capsysbinary, *words, "--threshold", "0.75", "--profile", "hermes-0.19")
    assert "| threshold | 0.75 | \\--threshold |" in out
    assert "Chosen by --profile." in out
    assert "Threshold: 96,000 tokens" in out


def test_an_unknown_conversation_is_an_error_message(
    capsysbinary: pytest.CaptureFixture[bytes], database: Path, tmp_path: Path
) -> None:
    code, _, err = run(capsysbinary, database, "nobody knows", "--output", tmp_path / "r.html")
    assert code == 1
    assert "nobody knows" in err
    assert not (tmp_path / "r.html").exists()


def test_nothing_is_written_into_the_agents_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "notes").mkdir(parents=True)
    monkeypatch.setenv("HERMES_HOME", str(home))
    for name in ("report.html", "notes/report.md"):
        with pytest.raises(OutputProblem, match="agent's own folder"):
            write_file(home / name, "x", [])
    assert sorted(path.name for path in home.rglob("*")) == ["notes"]
