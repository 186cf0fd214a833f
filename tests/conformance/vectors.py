"""The format of recorded results. It uses the standard library only, and nothing of this project.

A header line, then one line of JSON per case; gzipped. Everything that may be long is a digest (BLAKE2b of
canonical JSON, in hex) or a list of runs such as "0-3,7". A file may contain only the differences from the vectors of
the release before. Its header names them as `base`, and equal cases have no line.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

FORMAT = 1
#: Answer of the summary model in every case.
SUMMARY = "## Goal\nThe summary that stands for every summary.\n\n## Remaining Work\nNone."


def digest(value: object, size: int = 8) -> str:
    """Return the digest of any JSON value, `size` bytes in hex."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=size).hexdigest()


def runs(indexes: Iterable[int]) -> str:
    """Return ascending indexes as runs: 0, 1, 2, 7 is "0-2,7"."""
    found: list[list[int]] = []
    for index in indexes:
        if found and found[-1][1] == index - 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in found)


def layout(sources: Iterable[int | str]) -> str:
    """Return the source of every message of the new list, as runs: "0-3,summary,25-44"."""
    found: list[str] = []
    indexes: list[int] = []
    for source in sources:
        if isinstance(source, int) and (not indexes or source == indexes[-1] + 1):
            indexes.append(source)
            continue
        if indexes:
            found.append(runs(indexes))
        indexes = [source] if isinstance(source, int) else []
        if isinstance(source, str):
            found.append(source)
    if indexes:
        found.append(runs(indexes))
    return ",".join(found)


def pruned_part(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the result of pruning: the changed messages, a digest of each, and a digest of the whole list."""
    changed = [index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    return {
        "pruned": runs(changed),
        "pruned_digests": "".join(digest(after[index], 3) for index in changed),
        "pruned_list": digest(list(after)),
    }


def output_part(
    pruned: Sequence[Mapping[str, Any]], output: Sequence[tuple[int | str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the values of a list of (source, message) pairs: layout, role or merge of the summary, digests.

    The digests have only the role of the summary message. A message that the summary was merged into is compared
    without its content; `merged_shape` describes the content.
    """
    sources = [source for source, _ in output]
    compared: list[Any] = []
    touched: dict[str, str] = {}
    role, merged, shape = "", None, ""
    for at, (source, message) in enumerate(output):
        if source == "summary":
            role = str(message.get("role"))
            compared.append({"role": role})
            continue
        kept = {key: value for key, value in message.items() if not key.startswith("_compressed")}
        if isinstance(source, int):
            own = pruned[source].get("content")
            if kept.get("content") != own and SUMMARY in _text(kept.get("content")):
                merged, shape = at, merged_shape(own, kept.get("content"))
                kept.pop("content")
            elif kept != pruned[source]:
                touched[str(at)] = digest(kept, 3)
        compared.append(kept)
    return {
        "layout": layout(sources),
        "role": role,
        "merged": merged,
        "merged_shape": shape,
        "touched": touched,
        "output_list": digest(compared),
    }


def merged_shape(own: object, content: object) -> str:
    """Return the kind of content that a summary was merged into, and whether it is before or behind the old content."""
    if isinstance(content, list):
        parts = own if isinstance(own, list) else []
        at = next(index for index, part in enumerate(content) if SUMMARY in _text([part]))
        rest = [part for index, part in enumerate(content) if index != at]
        start = next((k for k in range(len(rest) + 1) if rest[k : k + len(parts)] == parts), None)
        if start is None:
            return "list, own parts lost"
        return "list, alone" if not parts else "list, before" if at <= start else "list, behind"
    text = _text(content)
    own_text = own if isinstance(own, str) else "" if own is None else str(own)
    if not own_text:
        return "text, alone"
    if text.endswith(own_text):
        return "text, before"
    return "text, behind" if own_text in text.split(SUMMARY)[0] else "text, own text lost"


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        return "\n".join(part for part in parts if isinstance(part, str))
    return "" if content is None else str(content)


def write(
    path: Path, header: Mapping[str, Any], results: Iterable[Mapping[str, Any]], base: Path | None = None
) -> None:
    """Write a vector file, or its differences from `base`; the same results give the same bytes."""
    lines = results if base is None else _differences(results, read(base)[1])
    top = header if base is None else {**header, "base": base.name}
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for line in (top, *lines):
            file.write(json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the results of a vector file."""
    with gzip.open(path, "rt", encoding="ascii") as file:
        header, *results = (json.loads(line) for line in file)
    if "base" not in header:
        return header, results
    changed = {line["seed"]: line for line in results}
    return header, [_changed(old, changed.get(old["seed"])) for old in read(path.parent / header["base"])[1]]


def _differences(
    results: Iterable[Mapping[str, Any]], base: Iterable[Mapping[str, Any]]
) -> Iterable[dict[str, Any]]:
    for new, old in zip(results, base, strict=True):
        other = {key: value for key, value in new.items() if key not in old or old[key] != value}
        gone = [key for key in old if key not in new]
        if other or gone:
            yield {"seed": new["seed"], **other, **({"gone": gone} if gone else {})}


def _changed(old: dict[str, Any], change: Mapping[str, Any] | None) -> dict[str, Any]:
    if change is None:
        return old
    gone = {"gone", *change.get("gone", ())}
    return {key: value for key, value in {**old, **change}.items() if key not in gone}
