"""Vocabularies for tiktoken, found without a network.

tiktoken downloads a missing vocabulary without a time limit. So this module first checks that the file exists and is
complete; if the user allows a download, it is done here.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

#: Set to 1 to allow the download of a missing vocabulary.
DOWNLOAD = "COMPACTION_INSPECTOR_DOWNLOAD"

#: Encoding → the SHA-256 of its vocabulary file, as tiktoken checks it.
VOCABULARIES: Mapping[str, str] = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_PATIENCE_SECONDS = 20
_LARGEST = 20_000_000


@lru_cache(maxsize=4)
def load_vocabulary(encoding: str) -> Any:
    """Return the tiktoken encoding of that name, None if its vocabulary is missing and may not be downloaded."""
    import tiktoken

    offline = f"{encoding}_offline"
    if offline in tiktoken.list_encoding_names():
        return _made(offline)
    file = cached_file(encoding)
    if file is None:
        return None
    if not _whole(file, encoding) and not (os.environ.get(DOWNLOAD) == "1" and _fetch(file, encoding)):
        return None
    return _made(encoding)


def _made(encoding: str) -> Any:
    """Return an encoding without its table of ranks: its core has a copy, so 13 MB are freed.

    It is constructed here, because tiktoken caches the encodings that it constructs together with their tables.
    """
    import tiktoken
    from tiktoken import registry

    registry.list_encoding_names()  # finds the constructors
    constructors = getattr(registry, "ENCODING_CONSTRUCTORS", None) or {}
    if encoding not in constructors:
        # Another release of tiktoken: the same counts with more memory.
        return tiktoken.get_encoding(encoding)
    parts = constructors[encoding]()
    made = tiktoken.Encoding(**parts)
    parts["mergeable_ranks"].clear()
    return made


def cached_file(encoding: str) -> Path | None:
    """Return the path of an encoding's vocabulary in tiktoken's cache, None if the cache is switched off."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    if not folder:
        return None
    return Path(folder) / hashlib.sha1(ADDRESS.format(encoding).encode(), usedforsecurity=False).hexdigest()


def _whole(file: Path, encoding: str) -> bool:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest() == VOCABULARIES[encoding]
    except OSError:
        return False


def _fetch(file: Path, encoding: str) -> bool:
    """Download a vocabulary to tiktoken's cache; return False if that fails or the file is a different one."""
    from http.client import HTTPException
    from urllib.request import urlopen

    from inspector.config.agent_folders import refuse_own_file
    from inspector.config.folders import write_whole
    from inspector.core.errors import OutputProblem

    try:
        with urlopen(ADDRESS.format(encoding), timeout=_PATIENCE_SECONDS) as answer:
            data = answer.read(_LARGEST)
        if hashlib.sha256(data).hexdigest() != VOCABULARIES[encoding]:
            return False
        file = refuse_own_file(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
    except (OSError, HTTPException, OutputProblem):
        return False
    return True
