"""Paths of the bundled databases: inside the wheel, or in the checkout of this package."""

from __future__ import annotations

from pathlib import Path

from inspector.core.errors import StoreMissing

_HERE = Path(__file__).resolve().parents[1]


def fixtures_dir() -> Path:
    """Return the folder of the bundled databases. Raise StoreMissing if the installation lacks it."""
    for folder in (_HERE / "_fixtures", _HERE.parent / "fixtures"):
        if any(folder.glob("*.db")):
            return folder
    raise StoreMissing(
        f"The bundled databases are missing next to {_HERE}. Install compaction-inspector again, preferably into a "
        "separate environment (pipx install compaction-inspector)."
    )


def demo_databases() -> tuple[Path, ...]:
    """Return the bundled databases, sorted by name."""
    return tuple(sorted(fixtures_dir().glob("*.db")))


def demo_sessions() -> Path:
    """Return the folder of the bundled sessions of other agents than Hermes. Raise StoreMissing."""
    return fixtures_dir() / "agents"


def check_installation() -> None:
    """Raise StoreMissing if the package `widgets` of another distribution hides ours."""
    from importlib.util import find_spec

    spec = find_spec("widgets")
    ours = _HERE.parent / "widgets" / "__init__.py"
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != ours:
        where = spec.origin if spec else "nowhere"
        raise StoreMissing(
            f"The package 'widgets' comes from {where}, not from the folder of {_HERE}. "
            "Another distribution has a package of that name. "
            "Install compaction-inspector into a separate environment, for example with pipx."
        )
