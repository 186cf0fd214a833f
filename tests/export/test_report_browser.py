"""The report in a real browser, opened from disk: it is drawn in light and dark without messages of the browser."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.export.report.rendering import render
from inspector.export.report.values import Report
from tests.export.pages import assert_harmless, parsed

NAME = "Move checkout to orders-v2"
_WIDTH, _HEIGHT = 640, 450


@pytest.fixture(scope="session")
def browser() -> str:
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None
    )
    if found is None:
        pytest.skip("no Chromium is installed")
    return found


@pytest.fixture
def page(report_of: Callable[[str], Report], tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(render(report_of(NAME), "html"), encoding="utf-8")
    return path


def browse(browser: str, profile: Path, page: Path, *words: str) -> tuple[str, str]:
    """Run the browser with a fresh profile and without a network; return its output and its messages."""
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--disable-extensions",
            "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
            f"--window-size={_WIDTH},{_HEIGHT}", *words, page.as_uri(),
        ],
        capture_output=True, encoding="utf-8", timeout=120, check=False, cwd=profile.parent,
        env={**os.environ, "HOME": str(profile.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout, done.stderr


def complaints(log: str) -> list[str]:
    """Return the browser's messages about the page; other messages are about the machine."""
    return [line for line in log.splitlines() if "CONSOLE" in line]


def test_the_report_is_read_without_a_warning(browser: str, page: Path, tmp_path: Path) -> None:
    html, log = browse(browser, tmp_path / "profile", page, "--dump-dom")
    assert complaints(log) == []
    tree = parsed(html)
    written = parsed(page.read_text(encoding="utf-8"))
    assert_harmless(tree)
    # The browser repaired nothing: its document equals the file.
    assert [one.name for one in tree.all()] == [one.name for one in written.all()]
    for identity in (
        "glance",
        "course-section",
        "survival",
        "compaction-1",
        "compaction-4",
        "risk",
        "settings",
    ):
        assert tree.by_id(identity).text == written.by_id(identity).text


def test_scripts_do_not_run(browser: str, page: Path, tmp_path: Path) -> None:
    html = page.read_text(encoding="utf-8")
    bad = '<script>document.title = "ran"</script><img src="https://a.example/x.png" onerror="document.title=\'ran\'">'
    page.write_text(html.replace('<main id="main">', f'<main id="main">{bad}'), encoding="utf-8")
    tree, log = browse(browser, tmp_path / "profile", page, "--dump-dom")
    assert "<title>ran" not in tree
    messages = "\n".join(complaints(log))
    assert "Content Security Policy" in messages
    assert "script" in messages


@pytest.mark.parametrize(
    ("scheme", "low", "high"), [("light", 200, 255), pytest.param("dark", 10, 80, marks=pytest.mark.slow)]
)
def test_the_report_is_drawn(
    browser: str, page: Path, tmp_path: Path, scheme: str, low: int, high: int
) -> None:
    shot = tmp_path / "shot.png"
    wanted = {"light": "1", "dark": "0"}[scheme]
    _, log = browse(
        browser,
        tmp_path / "profile",
        page,
        f"--screenshot={shot}",
        f"--blink-settings=preferredColorScheme={wanted}",
    )
    assert complaints(log) == []
    rows = pixels(shot.read_bytes())
    assert (len(rows[0]), len(rows)) == (_WIDTH, _HEIGHT)
    colours = [pixel for row in rows for pixel in row]
    mean = sum(map(sum, colours)) / (3 * len(colours))
    assert low <= mean <= high
    # Text, tiles and links: every part of a drawn page has more than the background colour.
    for top in range(0, _HEIGHT, _HEIGHT // 3):
        assert len({pixel for row in rows[top : top + _HEIGHT // 3] for pixel in row}) > 20


def pixels(png: bytes) -> list[list[tuple[int, int, int]]]:
    """Return the rows of a PNG with 8-bit red, green, blue (and alpha)."""
    at, data, width, channels = 8, b"", 0, 3
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            data += body
        at += size + 12
    raw = zlib.decompress(data)
    stride = width * channels
    rows, above = [], bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        above = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, channels)
        rows.append([(above[x], above[x + 1], above[x + 2]) for x in range(0, stride, channels)])
    return rows


def _unfiltered(kind: int, row: bytearray, above: bytearray, channels: int) -> bytearray:
    if kind == 0:
        return row
    for x in range(len(row)):
        left = row[x - channels] if x >= channels else 0
        corner = above[x - channels] if x >= channels else 0
        if kind == 1:
            more = left
        elif kind == 2:
            more = above[x]
        elif kind == 3:
            more = (left + above[x]) // 2
        else:
            guess = left + above[x] - corner
            more = min((left, above[x], corner), key=lambda value: abs(guess - value))
        row[x] = (row[x] + more) & 255
    return row
