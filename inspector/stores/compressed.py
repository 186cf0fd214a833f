"""Files compressed by zstd, read as plain bytes, up to the last complete frame."""

from __future__ import annotations

import errno
import importlib
import io
import sys
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from inspector.agents import may_hold_sessions

ENDINGS = (".zst", ".zstd")
#: Endings of compressed files that this program does not decompress, unless an agent writes them.
_PACKED = (".gz", ".xz", ".bz2", *ENDINGS)
_CHUNK = 1 << 16


class DecompressedFile(io.RawIOBase):
    """The decompressed bytes of a file, up to an incomplete frame. Raises OSError for damaged data."""

    def __init__(self, path: Path) -> None:
        self._file = _zstd().ZstdFile(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data: bytes = self._file.read1(len(buffer))
        except EOFError:
            return 0
        except _zstd().ZstdError as error:
            raise OSError(errno.EIO, f"its compressed data are damaged ({error})") from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def open_decompressed(path: Path, buffering: int = -1) -> BinaryIO:
    """Open a file for reading. A file with the name of a compressed file is decompressed. Raises OSError."""
    if not path.name.endswith(ENDINGS):
        return path.open("rb", buffering=buffering)
    return cast(BinaryIO, io.BufferedReader(DecompressedFile(path), _CHUNK))


def is_packed(name: str) -> bool:
    """Whether a file has the name of a compressed file with sessions that must be decompressed first."""
    if not name.endswith(_PACKED) or may_hold_sessions(name):
        return False
    return may_hold_sessions(name[: name.rindex(".")])


def decompressed(data: bytes) -> bytes:
    """Compressed bytes decompressed; empty if they are damaged."""
    try:
        return bytes(_zstd().decompress(data))
    except _zstd().ZstdError:
        return b""


@cache
def _zstd() -> Any:
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
