"""The site has every page, its generated parts are up to date, and it is built without a warning."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def pages(nav: Any) -> list[str]:
    """Return the files of a navigation."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages(part)]


def test_every_page_is_in_the_navigation() -> None:
    config = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    assert sorted(pages(config["project"]["nav"])) == sorted(path.name for path in DOCS.glob("*.md"))


@pytest.mark.parametrize("name", ["agents", "findings"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(DOCS / f"{name}.py"))["page"](text) == text, "run: make tables"


def test_the_tour_moves_and_loads_nothing() -> None:
    text = (DOCS / "pictures" / "tour.svg").read_text(encoding="utf-8")
    assert text.count('class="frame"') == 4
    assert "@keyframes" in text
    assert "prefers-reduced-motion" in text
    assert "<script" not in text


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    program = shutil.which("zensical")
    if program is None:
        pytest.skip("the extra `docs` is not installed")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    done = subprocess.run(
        [program, "build", "--strict", "--clean"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    front = (tmp_path / "build" / "site" / "index.html").read_text(encoding="utf-8")
    assert "tour.svg" in front
    # No page loads anything from another host.
    for page in (tmp_path / "build" / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text, page
        assert 'rel="stylesheet" href="http' not in text, page
