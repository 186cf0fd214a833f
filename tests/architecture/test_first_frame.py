"""Imports until the first frame of the app with a filled list, in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Packages that the list of conversations does not need; each costs between 20 and 300 ms.
LATE = ("tiktoken", "genai_prices", "pydantic", "yaml", "sqlite_utils", "jinja2", "httpx2", "click")

_FRAME = """
import asyncio, json, sys
from inspector.config.bundled import demo_databases, fixtures_dir
from inspector.stores.detect import open_store
from inspector.stores.several import SeveralStores

store = SeveralStores([open_store(path) for path in demo_databases()], fixtures_dir())
from inspector.app.launch import read_ahead
index = read_ahead(store)
from inspector.app.app import InspectorApp
from inspector.app.saved_state import SavedState
from widgets.lists.conversation_table import ConversationTable

# Background work after the frame (context lengths of models, findings) does not count.
from inspector.app.conversations import screen
assert hasattr(screen, "read_overviews")
screen.read_overviews = lambda store, rows, *_: rows
screen.PREPARE_SECONDS = 1_000.0

async def main():
    app = InspectorApp(store, saved=SavedState(), index=index)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        rows = app.screen.query_one(ConversationTable).row_count
        print(json.dumps([rows, sorted(sys.modules)]))

asyncio.run(main())
"""


def test_the_first_frame_imports_no_heavy_package(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", _FRAME], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows, modules = json.loads(done.stdout)
    assert rows == 10
    assert "textual.app" in modules
    assert [name for name in LATE if name in modules] == []
    assert "inspector.answers.answers" not in modules
    assert "inspector.answers.kept_results" not in modules
    assert "inspector.app.conversation.screen" not in modules


def test_every_heavy_package_exists() -> None:
    assert [name for name in LATE if find_spec(name) is None] == []


def test_opening_a_hermes_database_imports_no_reader_of_other_agents(
    tmp_path: Path, fixtures_dir: Path
) -> None:
    copy = tmp_path / "state.db"
    copy.write_bytes((fixtures_dir / "hermes-0.19-in-place.db").read_bytes())
    program = (
        "import sys\nfrom pathlib import Path\nfrom inspector.stores.detect import open_store\n"
        "open_store(Path(sys.argv[1])).conversations()\n"
        "print([name for name in sys.modules if name.endswith('.reader')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(copy)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['inspector.stores.hermes.reader']"
