"""Reading the JSON documents of Cline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.errors import StoreMissing
from inspector.stores.lines import parsed, read_file


def document(path: Path) -> Any:
    """Return the JSON document in a file; None if the file is missing or has another content. Raises StoreErrors."""
    try:
        return parsed(read_file(path))
    except StoreMissing:
        return None


def listed(value: object) -> list[Any]:
    """Return a list, or an empty one for another value."""
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    """Return the items of a list as mappings, with an empty one for another item."""
    return [one if isinstance(one, dict) else {} for one in listed(value)]
