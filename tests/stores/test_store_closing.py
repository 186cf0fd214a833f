"""Closing a store while threads read it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.stores.writer import simple

# In a separate process, because a failure ends the process.
_SCRIPT = """
import sys, threading
from pathlib import Path
from inspector.core.errors import StoreError
from inspector.stores.detect import open_store

for _ in range(10):
    store = open_store(Path(sys.argv[1]))
    rows = store.conversations()
    started = threading.Barrier(4)
    sentences = []

    def read():
        started.wait()
        try:
            while True:
                for row in rows:
                    store.live_tokens(row.id)
        except StoreError as error:
            sentences.append(str(error))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    started.wait()
    store.messages(store.open(rows[0].id).live)
    store.close()
    for thread in threads:
        thread.join()
    assert len(sentences) == 3 and all("has been closed" in sentence for sentence in sentences), sentences
print("fine")
"""


def test_reading_threads_get_an_error(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", sessions=4, turns=100)
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(path)], capture_output=True, text=True, timeout=120
    )
    assert (run.returncode, run.stdout.strip()) == (0, "fine"), run.stderr[-2_000:]
