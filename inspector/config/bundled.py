"""The folder of the bundled databases: in the wheel, or in the checkout of this package."""

from __future__ import annotations

from pathlib import Path

from inspector.core.errors import StoreMissing

_HERE = Path(__file__).resolve().parents[1]


def fixtures_dir() -> Path:
    """The folder of the bundled databases. Raises StoreMissing where an installation lacks it."""
    for folder in (_HERE / "_fixtures", _HERE.parent / "fixtures"):
        if any(folder.glob("*.db")):
            return folder
    raise StoreMissing(
        f"The bundled databases are missing beside {_HERE}. Install compaction-inspector again, best into an "
        "environment of its own (pipx install compaction-inspector)."
    )


def demo_databases() -> tuple[Path, ...]:
    """The bundled databases, by name."""
    return tuple(sorted(fixtures_dir().glob("*.db")))


def demo_sessions() -> Path:
    """The folder of the bundled sessions of other agents than Hermes. Raises StoreMissing."""
    return fixtures_dir() / "agents"


def check_installation() -> None:
    """Raise StoreMissing where `widgets` is not ours: another distribution put a package of that name first."""
    from importlib.util import find_spec

    spec = find_spec("widgets")
    ours = _HERE.parent / "widgets" / "__init__.py"
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != ours:
        where = spec.origin if spec else "nowhere"
        raise StoreMissing(
            f"The package 'widgets' comes from {where}, not from beside {_HERE}. Another package of that name is "
            "installed; install compaction-inspector into an environment of its own, with pipx for one."
        )
