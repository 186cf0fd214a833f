"""The wheel works on its own: installed into a fresh environment, run from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the environment's own build backend where it is there."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_has_everything(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"inspector/py.typed", "widgets/py.typed", "inspector/_fixtures/hermes-0.13-rotating.db"} <= names
    styles = {str(path.relative_to(ROOT)) for path in (ROOT / "inspector").rglob("*.tcss")}
    assert styles
    assert styles <= names
    assert not any(name.startswith(("tests/", "fixtures/", "docs/")) for name in names)


def test_an_installed_wheel_runs_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    site = next(home.glob("lib/python*/site-packages"))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)],
        check=True,
    )
    # The dependencies are those of the environment that runs the tests; behind the wheel, so that it is what is found.
    here = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "dependencies.pth").write_text(here + "\n", encoding="utf-8")
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"

    def run(*words: str) -> str:
        done = subprocess.run(
            [python, "-m", "inspector", *words], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, env={"HOME": str(tmp_path), "PYTHONUTF8": "1"}, check=True,
        )  # fmt: skip
        return done.stdout

    assert run("--version").startswith("compaction-inspector, version ")
    assert len(json.loads(run("conversations", "--demo", "--json"))) >= 8
    assert "In a terminal the same command opens the app" in run("--demo")
    where = subprocess.run(
        [python, "-c", "import inspector, widgets; print(inspector.__file__); print(widgets.__file__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert all(Path(path).is_relative_to(site) for path in where), where
