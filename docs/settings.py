"""Write the settings into docs/commands.md from their rows: python docs/settings.py"""

from __future__ import annotations

from pathlib import Path

from inspector.commands.options import METAVARS
from inspector.engines.registry import names
from inspector.engines.settings import SETTINGS, Setting

TARGET = Path(__file__).resolve().parent / "commands.md"
_START, _END = "| option | key of config.yaml | |\n|---|---|---|\n", "\nThe file's other keys:"


def page(text: str) -> str:
    """Return the page with a new table of settings."""
    before, _, rest = text.partition(_START)
    after = rest.partition(_END)[2]
    rows = "".join(_row(row) for row in SETTINGS.values() if row.name != "profile")
    return f"{before}{_START}{_profile()}{rows}{_END}{after}"


def _profile() -> str:
    named = ", ".join(f"`{name}`" for name in names())
    others = (
        "[one release](releases.md) such as `hermes-0.18.1`, or [an engine of another package](engines.md)"
    )
    return f"| `--profile NAME` | | {SETTINGS['profile'].help} {named}, {others} |\n"


def _row(row: Setting) -> str:
    value = "\\|".join(row.choices) or METAVARS[row.kind]
    keys = ", ".join(f"`{key}`" for key in row.keys)
    return f"| `{row.flag} {value}` | {keys} | {row.help}{f' ({row.note})' if row.note else ''} |\n"


if __name__ == "__main__":
    TARGET.write_text(page(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
