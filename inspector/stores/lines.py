"""Read files with one JSON document per line, which another program may still be writing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from os import SEEK_END
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, BinaryIO, NamedTuple

from inspector.core.errors import NotAStore, StoreBusy, StoreDamaged, StoreError, StoreMissing
from inspector.stores.compressed import ENDINGS, open_decompressed

#: The first bytes of a SQLite database.
SQLITE = b"SQLite format 3\0"
#: Maximum bytes of a file read to detect its format: the first line may hold a picture.
HEAD = 1 << 26
_FIRST = 1 << 14
#: Bytes of a file read at once, where it is read to its end.
_PIECE = 1 << 18
#: Maximum number of places in a damaged line at which a whole record may begin.
_TRIED = 2_000
#: The places of the records of two files differ by this number.
_FILE = 1 << 44
_SPACE = re.compile(r"\s*")


class Line(NamedTuple):
    """A line of a file: its start, its length in bytes, and its mapping; None if it cannot be parsed as a mapping."""

    start: int
    length: int
    value: dict[str, Any] | None


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines that are not empty. An incomplete last line is skipped, but lost bytes are not.

    Raises StoreErrors.
    """
    start = 0
    try:
        with open_decompressed(path, _PIECE) as file:
            for raw in file:
                if not raw.isspace():
                    value = mapping(raw)
                    if value is not None:
                        yield Line(start, len(raw), value)
                    elif raw.endswith(b"\n") or raw.startswith(b"\0"):
                        yield from _pieces(raw, start)
                start += len(raw)
    except OSError as error:
        raise cannot_read(path, error) from error


def ends_within_record(path: Path) -> bool:
    """Return whether `read_lines` leaves out the end of a file: the beginning of a record. False for a compressed file,
    and for a file that cannot be read.
    """
    if path.name.endswith(ENDINGS):
        return False
    pieces: list[bytes] = []
    try:
        with path.open("rb") as file:
            end = file.seek(0, SEEK_END)
            while end > 0 and (not pieces or b"\n" not in pieces[-1]):
                begin = max(0, end - _PIECE)
                file.seek(begin)
                pieces.append(file.read(end - begin))
                end = begin
    except OSError:
        return False
    last = b"".join(reversed(pieces))
    last = last[last.rfind(b"\n") + 1 :]
    return last.lstrip().startswith(b"{") and mapping(last) is None


def _pieces(raw: bytes, start: int) -> Iterator[Line]:
    """Yield the documents in a damaged line.

    It has several if two programs wrote at once, one after NUL bytes (lost by a disk) or after a cut record, or none.
    """
    text = raw.decode("utf-8", errors="surrogateescape")
    nuls = len(text) - len(text.lstrip("\0"))
    if nuls:
        yield Line(start, nuls, None)
        if raw[nuls:].strip():
            yield from _pieces(raw[nuls:], start + nuls)
        return
    decoder = json.JSONDecoder()
    at, place, lines = 0, start, []
    while (begins := _end_of_space(text, at)) < len(text):
        try:
            value, end = decoder.raw_decode(text, begins)
        except (ValueError, RecursionError):
            break
        place += _bytes(text[at:begins])
        length = _bytes(text[begins:end])
        if isinstance(value, dict):
            lines.append(Line(place, length, value))
        place += length
        at = end
    if _end_of_space(text, at) < len(text) and (last := _behind_cut(text, at, start)) is not None:
        lines += [Line(place, last.start - place, None), last]
    yield from lines or [Line(start, len(raw), None)]


def _behind_cut(text: str, at: int, start: int) -> Line | None:
    """Return the document at the end of a line, after a cut record; None if there is none."""
    decoder, end = json.JSONDecoder(), len(text.rstrip())
    begins = end
    for _ in range(_TRIED):
        begins = text.rfind('{"', at + 1, begins)
        if begins < 0:
            return None
        try:
            value, stop = decoder.raw_decode(text, begins)
        except (ValueError, RecursionError):
            continue
        # A part of a document ends before the document does.
        if stop == end and isinstance(value, dict):
            before = _bytes(text[:begins])
            return Line(start + before, _bytes(text[begins:end]), value)
    return None


def _end_of_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", errors="surrogateescape"))


def read_spans(path: Path, spans: Sequence[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the records of the lines at these places, each a start and a length in bytes. Raises StoreErrors."""
    try:
        with open_decompressed(path) as file:
            if path.name.endswith(ENDINGS):
                return _forwards(file, spans)
            return [_at(file, start, length) for start, length in spans]
    except OSError as error:
        raise cannot_read(path, error) from error


def _forwards(file: BinaryIO, spans: Sequence[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the records of a file that can only be read forwards, in the order of `spans`."""
    place = 0
    records: dict[tuple[int, int], dict[str, Any] | None] = {}
    for start, length in sorted(set(spans)):
        file.read(start - place)
        records[start, length] = mapping(file.read(length))
        place = start + length
    return [records[span] for span in spans]


def _at(file: BinaryIO, start: int, length: int) -> dict[str, Any] | None:
    file.seek(start)
    return mapping(file.read(length))


def place_in(file: int, start: int) -> int:
    """Return the place of a record in several files, given the number of its file and its start there."""
    return file * _FILE + start


def split_place(place: int) -> tuple[int, int]:
    """Return the number of the file and the start of a place in several files."""
    return divmod(place, _FILE)


def read_spans_of(files: Sequence[Path], spans: Sequence[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the records at these places in several files, each with its length in bytes. Raises StoreErrors."""
    records: dict[tuple[int, int], dict[str, Any] | None] = {}
    for number, path in enumerate(files):
        of_file = [span for span in spans if split_place(span[0])[0] == number]
        starts = [(split_place(place)[1], length) for place, length in of_file]
        records.update(zip(of_file, read_spans(path, starts) if starts else (), strict=True))
    return [records[span] for span in spans]


def mapping(raw: bytes | str) -> dict[str, Any] | None:
    """Return the JSON mapping in a line or text; None if there is none."""
    value = parsed(raw)
    return value if isinstance(value, dict) else None


def parsed(raw: bytes | str) -> Any:
    """Return the JSON value in bytes or text; None if there is none."""
    try:
        return _decode()(raw)
    except (ValueError, RecursionError):
        return None


def read_file(path: Path) -> bytes:
    """Return the bytes of a file, decompressed. Raises StoreErrors."""
    try:
        with open_decompressed(path) as file:
            return file.read()
    except OSError as error:
        raise cannot_read(path, error) from error


def read_mapping(path: Path) -> dict[str, Any] | None:
    """Return the JSON mapping in a file; None if it has other content. Raises StoreErrors."""
    return mapping(read_file(path))


def document_in(path: Path) -> Any:
    """Return the JSON value in a file; None if the file is missing or has other content. Raises StoreErrors."""
    try:
        return parsed(read_file(path))
    except StoreMissing:
        return None


def readable_mapping(path: Path) -> dict[str, Any]:
    """Return the JSON mapping in a file; empty if the file is missing, cannot be read or has other content."""
    try:
        return read_mapping(path) or {}
    except StoreError:
        return {}


@cache
def _decode() -> Callable[[bytes | str], Any]:
    """Return a function that reads JSON twice as fast as the standard library.

    The standard library reads the rest: lone surrogates, NaN, and bytes that are not UTF-8.
    """
    import msgspec

    fast = msgspec.json.Decoder().decode

    def decode(raw: bytes | str) -> Any:
        try:
            return fast(raw)
        except (msgspec.DecodeError, UnicodeError):
            text = raw if isinstance(raw, str) else raw.decode("utf-8-sig", errors="surrogateescape")
            return json.loads(text)

    return decode


def text_of_file(path: Path, most: int) -> str:
    """Return the beginning of a text file, up to a number of bytes. Raises StoreErrors."""
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", errors="replace")
    except OSError as error:
        raise cannot_read(path, error) from error


def check_file(path: Path) -> None:
    """Raise the StoreError that says why `path` cannot be a file of sessions. Opens nothing."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise StoreMissing(
            f"There is no file at {path}. Give the path of one that exists (the command `stores` lists what is on this "
            "machine), or --demo for the bundled sessions."
        ) from None
    except NotADirectoryError:
        raise StoreMissing(f"There is no file at {path}: a part of that path is a file.") from None
    except PermissionError:
        raise StoreBusy(f"You have no permission to read {path}; ask its owner for it.") from None
    except (OSError, ValueError) as error:
        raise StoreMissing(f"{path} cannot be opened: {error}.") from error
    if S_ISDIR(status.st_mode):
        raise NotAStore(f"{path} is a directory, not a file.")
    if not S_ISREG(status.st_mode):
        raise NotAStore(f"{path} is neither a file nor a link to one, so it holds no session.")
    if status.st_size == 0:
        raise NotAStore(f"{path} is empty: no session has been stored in it yet.")


def head_of(path: Path) -> bytes:
    """Return the beginning of a file, with its whole first line if that is not larger than HEAD.

    Raises StoreErrors, NotAStore for an empty file.
    """
    try:
        with open_decompressed(path) as file:
            head = file.read(_FIRST)
            if b"\n" not in head:
                head += file.readline(HEAD - _FIRST)
    except OSError as error:
        raise cannot_read(path, error) from error
    if not head.strip():
        raise NotAStore(f"{path} is empty.")
    return head


def first_mappings(head: bytes) -> Iterator[dict[str, Any]]:
    """Yield the JSON mappings in the complete lines of the beginning of a file."""
    for raw in head.split(b"\n"):
        # A line of a document over several lines has no complete mapping.
        if raw.startswith(b"{") or b'{"' in raw:
            value = mapping(raw)
            values = [value] if value is not None else [line.value for line in _pieces(raw, 0)]
            yield from (value for value in values if value is not None)


def is_folder(path: Path) -> bool:
    """Return whether a folder exists. Raises StoreBusy if the user may not read a folder above it."""
    try:
        return path.is_dir()
    except OSError as error:
        raise cannot_read(path, error) from error


def no_record(path: Path) -> StoreError:
    """Return the StoreError for a file of an agent in which nothing can be read."""
    return StoreDamaged(f"{path} holds no complete record, so its session is left out.")


def cannot_read(path: Path, error: OSError) -> StoreError:
    """Return the StoreError for a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return StoreMissing(f"There is no file at {path} any more.")
    if isinstance(error, PermissionError):
        return StoreBusy(f"{path} cannot be read by this user. Ask its owner for permission.")
    return StoreDamaged(f"{path} cannot be read: {error.strerror or error}.")
