"""Writing a report from the app: choosing a file, refusals with a message, overwriting only after confirmation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.app.running import CHECKOUT, Test, conversation, notes, press, running, settled, told
from tests.stores.writer import snapshot


async def ask(pilot: Test) -> Input:
    """Press the key, and fill in the input line."""
    await press(pilot, "ctrl+e")
    line = conversation(pilot).question
    assert line.display
    return line


async def enter(pilot: Test, path: Path | str) -> None:
    conversation(pilot).question.value = str(path)
    await press(pilot, "enter")
    await settled(pilot)


async def test_a_report_is_written(rotating: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    before = snapshot(rotating.parent)
    async with running(rotating, CHECKOUT) as pilot:
        assert (await ask(pilot)).value == "move-checkout-to-orders-v2.html"
        await enter(pilot, target)
        assert not conversation(pilot).question.display
        assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert any(f"The report is in {target} (" in text for text in told(pilot))
    assert snapshot(rotating.parent) == before


@pytest.mark.slow
async def test_the_settings_on_screen_are_those_of_the_report(rotating: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        screen.tuner.change(threshold=0.75)
        await settled(pilot)
        await ask(pilot)
        await enter(pilot, target)
    assert "### Threshold: 96,000 tokens" in target.read_text(encoding="utf-8")


async def test_overwriting_a_file_needs_confirmation(rotating: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("mine", encoding="utf-8")
    async with running(rotating, CHECKOUT) as pilot:
        await ask(pilot)
        await enter(pilot, target)
        assert "is there already. Enter once more overwrites it." in told(pilot)[-1]
        assert target.read_text(encoding="utf-8") == "mine"
        await press(pilot, "escape")
        assert not conversation(pilot).question.display
        assert target.read_text(encoding="utf-8") == "mine"
        await ask(pilot)
        await enter(pilot, target)
        await enter(pilot, target)
        assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


async def test_impossible_files_are_refused(rotating: Path, tmp_path: Path) -> None:
    before = rotating.read_bytes()
    async with running(rotating, CHECKOUT) as pilot:
        await ask(pilot)
        for path, sentence in (
            (rotating, "ends neither with .html nor with .md"),
            (tmp_path / "[/none]" / "x.html", "There is no folder"),
        ):
            await enter(pilot, path)
            assert sentence in told(pilot)[-1]
            assert conversation(pilot).question.display
        link = tmp_path / "link.html"
        link.symlink_to(rotating)
        await enter(pilot, link)
        assert "it is never written to" in told(pilot)[-1]
    assert rotating.read_bytes() == before


@pytest.mark.slow
async def test_an_unwritable_file_is_an_error_message(
    rotating: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async with running(rotating, CHECKOUT) as pilot:
        await ask(pilot)
        monkeypatch.setattr(os, "fsync", full)
        await enter(pilot, tmp_path / "out.html")
        assert any("No space left on device" in sentence for sentence in notes(pilot))
    assert not (tmp_path / "out.html").exists()
