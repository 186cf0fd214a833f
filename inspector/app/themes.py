"""The app's own themes: a dark one, a light one, and one that keeps to the terminal's 16 colours; and the theme of the
user, from a file in the configuration folder."""

from __future__ import annotations

from dataclasses import fields

from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

from inspector.app.own_files import read_own_file
from inspector.config.folders import config_dir
from inspector.core.errors import BadInput, UsageProblem

THEME = "theme.yaml"

DARK = Theme(
    name="inspector-dark",
    primary="#6cb6ff",
    secondary="#9db1c6",
    accent="#dcbdfb",
    warning="#daaa3f",
    error="#f47067",
    success="#6bc46d",
    foreground="#cdd9e5",
    background="#161b22",
    surface="#1c2128",
    panel="#262c36",
    dark=True,
)
LIGHT = Theme(
    name="inspector-light",
    primary="#0550ae",
    secondary="#57606a",
    accent="#8250df",
    warning="#7d4e00",
    error="#cf222e",
    success="#116329",
    foreground="#1f2328",
    background="#ffffff",
    surface="#f6f8fa",
    panel="#e7ecf0",
    dark=False,
)
SIXTEEN = Theme(
    name="inspector-16",
    ansi=True,
    primary="ansi_blue",
    secondary="ansi_cyan",
    accent="ansi_magenta",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "border-blurred": "ansi_bright_black",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_white",
        "footer-key-foreground": "ansi_magenta",
        "input-cursor-background": "ansi_black",
        "input-cursor-foreground": "ansi_bright_white",
        "input-selection-background": "ansi_bright_blue",
        "input-selection-foreground": "ansi_black",
        "screen-selection-background": "ansi_bright_blue",
        "screen-selection-foreground": "ansi_black",
    },
)
THEMES = (DARK, LIGHT, SIXTEEN)


def own_theme() -> Theme | None:
    """Return the theme of the user; None without a file. Raises BadInput for a file that is wrong."""
    path = config_dir() / THEME
    if not path.exists():
        return None
    document = read_own_file(path)
    allowed = {field.name for field in fields(Theme)}
    unknown = next((name for name in document if name not in allowed), None)
    if unknown is not None:
        raise BadInput(f"{path}: a theme has no {unknown!r}. `compaction-inspector config theme` prints one.")
    for name, value in document.items():
        if name in ("name", "dark", "luminosity_spread", "text_alpha", "variables", "ansi"):
            continue
        try:
            Color.parse(str(value))
        except ColorParseError as error:
            raise BadInput(f"{path}: {name} is no colour ({value!r}). Write it as '#6cb6ff'.") from error
    try:
        return Theme(**{"name": "own", **document})
    except TypeError as error:
        raise BadInput(f"{path}: a theme needs at least a name and a primary colour ({error}).") from error


def theme_text() -> str:
    """Return a theme file with the colours of the app's dark theme."""
    names = (
        "primary", "secondary", "accent", "warning", "error", "success", "foreground", "background", "surface", "panel",
    )  # fmt: skip
    lines = [
        f"# A theme of compaction-inspector. Save as {config_dir() / THEME}.",
        "# --theme NAME starts with it, and ctrl+t reaches it.",
        "name: own",
        "dark: true",
        *(f'{name}: "{getattr(DARK, name)}"' for name in names),
    ]
    return "\n".join(lines) + "\n"


def check_theme(name: str) -> None:
    """Raises UsageProblem if neither the app nor Textual has a theme of that name."""
    users = own_theme()
    ours = [theme.name for theme in (*THEMES, *([users] if users is not None else []))]
    if name not in ours and name not in BUILTIN_THEMES:
        others = ", ".join(sorted(BUILTIN_THEMES))
        raise UsageProblem(
            f"There is no theme {name!r}; there are {', '.join(ours)}, and Textual's {others}."
        )
