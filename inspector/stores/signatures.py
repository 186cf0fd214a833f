"""What files look like: whether one was written since it was read is told by its size and its time of change."""

from __future__ import annotations

import os
from collections.abc import Sequence

#: The size of a file in bytes and its time of change in nanoseconds.
Signature = tuple[int, int]


def signatures(paths: Sequence[str]) -> dict[str, Signature]:
    """What files look like now; those that are gone are left out."""
    signed = {path: signature_of(path) for path in paths}
    return {path: signature for path, signature in signed.items() if signature is not None}


def signature_of(path: str) -> Signature | None:
    """What a file looks like now; None where it is gone."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    signature = (status.st_size, status.st_mtime_ns)
    return with_log(path, signature) if path.endswith(".db") else signature


def with_log(path: str, signature: Signature) -> Signature:
    """What a database looks like with the log beside it: what is written stands there first."""
    try:
        log = os.stat(f"{path}-wal")
    except OSError:
        return signature
    return signature[0] + log.st_size, max(signature[1], log.st_mtime_ns)
