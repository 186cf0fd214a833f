"""The keymap of the user, from a file in the configuration folder, and a template for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.config.folders import config_dir, read_yaml
from inspector.core.errors import BadInput

if TYPE_CHECKING:
    from textual.binding import Binding

KEYMAP = "keymap.yaml"


def own_keymap() -> dict[str, str]:
    """Return the keys of the user by binding id; empty without a file. Raises BadInput for a file that is wrong."""
    path = config_dir() / KEYMAP
    if not path.exists():
        return {}
    document = read_own_file(path)
    ids = {binding.id for _, group in bindings() for binding in group}
    for name, keys in document.items():
        if name not in ids:
            raise BadInput(
                f"{path}: there is no key {name!r}. `compaction-inspector config keymap` lists them."
            )
        if not isinstance(keys, str | int) or not str(keys).strip():
            raise BadInput(f"{path}: {name} needs a key, or several with commas between them, in quotes.")
    return {name: str(keys).replace(" ", "") for name, keys in document.items()}


def read_own_file(path: Path) -> Mapping[str, Any]:
    """Return the names and values of a file of the user. Raises BadInput for a file that is wrong."""
    document = read_yaml(path, f"The file {path}")
    if document is None:
        return {}
    if not isinstance(document, dict) or not all(isinstance(name, str) for name in document):
        raise BadInput(f"{path}: each line must be a name, a colon and a value.")
    return document


def bindings() -> Iterator[tuple[str, list[Binding]]]:
    """Yield the name and the bindings of each class of the app and the widgets that declares bindings."""
    from pkgutil import walk_packages

    from textual.binding import Binding

    classes = (
        (name, value)
        for package in ("inspector.app", "widgets")
        for module in walk_packages(import_module(package).__path__, f"{package}.")
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, type) and value.__module__ == module.name
    )
    for name, value in classes:
        declared = [b for b in value.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)]
        if declared:
            yield name, declared


def keymap_text() -> str:
    """Return a keymap file with every key as a comment."""
    lines = [
        f"# Keys of compaction-inspector. Save as {config_dir() / KEYMAP}.",
        "# Remove the # before a line to change its keys. Commas separate several keys.",
    ]
    seen: set[str] = set()
    for name, declared in bindings():
        fresh = [one for one in declared if one.id and "." in one.id and one.id not in seen]
        if fresh:
            lines += ["", f"# {name}"]
        for one in fresh:
            seen.add(one.id or "")
            lines.append(f'# {one.id}: "{one.key}"  # {one.description or one.action}')
    return "\n".join(lines) + "\n"
