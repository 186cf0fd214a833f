"""The wheel works alone: installed into a fresh environment, run from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    # Without a build backend in this environment, pip gets one in a separate environment.
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_has_everything(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"inspector/py.typed", "widgets/py.typed", "inspector/_fixtures/hermes-0.13-rotating.db"} <= names
    ours = {
        str(path.relative_to(ROOT))
        for room in ("inspector", "widgets")
        for path in (ROOT / room).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {Path(name).suffix for name in ours} >= {".py", ".tcss", ".j2", ".md"}
    assert ours <= names
    assert not any(name.startswith(("tests/", "fixtures/", "docs/")) for name in names)
    assert not [name for name in names if name.endswith((".pyc", "-wal", "-shm"))]
    # Two databases, the sessions of other agents, and the corpus of `score`: at most 2 MB to download.
    fixtures = [item for item in zipfile.ZipFile(wheel).infolist() if "_fixtures" in item.filename]
    assert sum(item.compress_size for item in fixtures) < 2e6


def test_an_installed_wheel_runs_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    site = next(home.glob("lib/python*/site-packages"))
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True)
    # The dependencies are those of the test environment, after the wheel in the path so that the wheel has priority.
    here = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "dependencies.pth").write_text(here + "\n", encoding="utf-8")

    def run(*words: str) -> str:
        done = subprocess.run(
            [scripts / "compaction-inspector", *words], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, env={"HOME": str(tmp_path), "PYTHONUTF8": "1"}, check=True,
        )  # fmt: skip
        return done.stdout

    assert run("--version").startswith("compaction-inspector, version ")
    assert len(json.loads(run("conversations", "--demo", "--json"))) >= 8
    example = site / "inspector" / "_fixtures" / "fastapi-example.json"
    (plan,) = json.loads(run("plan", str(example), "--json"))
    assert (plan["head_end"], plan["tail_start"]) == (4, 25)
    assert "In a terminal the same command opens the app" in run("--demo")
    where = subprocess.run(
        [python, "-c", "import inspector, widgets; print(inspector.__file__); print(widgets.__file__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert all(Path(path).is_relative_to(site) for path in where), where
