"""Memory of large blocks after one of them is freed."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

_CODE = """
import ctypes, sys
from inspector.core.memory import give_back
if sys.argv[1] == "given back":
    give_back()
class Info(ctypes.Structure):
    _fields_ = [("arenas", ctypes.c_size_t * 3), ("mapped", ctypes.c_size_t), ("more", ctypes.c_size_t * 6)]
info = ctypes.CDLL(None).mallinfo2
info.restype = Info
bytes(4_000_000)
before = info().mapped
kept = [bytes(1_000_000) for _ in range(4)]
print(info().mapped - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33")
def test_large_blocks_stay_mapped_one_by_one() -> None:
    def mapped(how: str) -> int:
        words = [sys.executable, "-c", _CODE, how]
        # Dask sets options of the allocator in the process that starts a cluster.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert (mapped("as it is"), mapped("given back")) == (0, 4)
