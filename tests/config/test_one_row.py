"""A new setting is a new field of `Settings`: everything that lists settings derives from the rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: A program that adds a field to `Settings` before anything else is imported.
PROGRAM = """
import sys
from typing import Annotated

import inspector.engines.settings as rows


class Settings(rows.Settings):
    pinned_results: Annotated[int, rows.Setting(
        "count", "Results that are never pruned.", low=0, high=50, keys=("compression.pinned_results",),
        written="changed", slider=rows.Slider(1, 5, 0, 50), swept="0,2,8",
    )] = 2


rows.Settings, rows.SETTINGS = Settings, rows.rows_of(Settings)
rows.SETTING_NAMES = tuple(rows.SETTINGS)
rows.RANGES = {**rows.RANGES, "pinned_results": (0, 50)}
"""


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_row_makes_flags_of_commands_and_values_of_sweeps() -> None:
    text = run(
        "from inspector.commands.cli import commands\n"
        "for name in ('show', 'sweep'):\n"
        "    try:\n"
        "        commands.main([name, '--help'], prog_name='x')\n"
        "    except SystemExit:\n"
        "        pass\n"
    )
    show, sweep = text.split("Usage: x sweep")
    assert "--pinned-results N" in show
    assert "Results that are never pruned." in show
    assert "--pinned-results RANGE" in sweep


def test_a_row_is_read_from_the_configuration_and_written_into_it(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("compression: {pinned_results: 9}\n", encoding="utf-8")
    text = run(
        "from pathlib import Path\n"
        "from inspector.config.settings import read_config, resolve_settings\n"
        "from inspector.export.config import compression_yaml, settings_document\n"
        "from inspector.replay.axes import SWEPT, default_axis\n"
        f"resolved = resolve_settings({{}}, read_config(Path({str(config)!r})), {{}})\n"
        "print(resolved.settings.pinned_results, resolved.sources['pinned_results'])\n"
        "print(compression_yaml(resolved.settings))\n"
        "print(settings_document(resolved)['pinned_results'])\n"
        "print('pinned_results' in SWEPT, default_axis('pinned_results', resolved.settings).values)\n"
    )
    assert "9 config.yaml: compression.pinned_results" in text
    assert "  pinned_results: 9\n" in text
    assert text.splitlines()[-2:] == ["9", "True (0, 2, 8)"]


def test_a_row_makes_a_knob_and_a_line_of_the_page(tmp_path: Path) -> None:
    text = run(
        "import runpy\n"
        "from widgets.panes.knob_values import KNOBS, show, turned\n"
        "knob = next(knob for knob in KNOBS if knob.name == 'pinned_results')\n"
        "print(show(knob, turned(knob, 2, 1, False)), knob.help)\n"
        "page = runpy.run_path('docs/settings.py')['page']\n"
        "print(page('| option | key of config.yaml | |\\n|---|---|---|\\n\\nThe file\\'s other keys:'))\n"
    )
    assert text.startswith("3 Results that are never pruned.")
    assert "| `--pinned-results N` | `compression.pinned_results` | Results that are never pruned. |" in text
