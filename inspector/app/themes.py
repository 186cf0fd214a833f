"""The app's own themes: a dark one, a light one, and one that keeps to the terminal's 16 colours."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

from inspector.core.errors import UsageProblem

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


def check_theme(name: str) -> None:
    """Raises UsageProblem if neither the app nor Textual has a theme of that name."""
    from inspector.app.own_files import own_theme

    users = own_theme()
    ours = [theme.name for theme in (*THEMES, *([users] if users is not None else []))]
    if name not in ours and name not in BUILTIN_THEMES:
        others = ", ".join(sorted(BUILTIN_THEMES))
        raise UsageProblem(
            f"There is no theme {name!r}; there are {', '.join(ours)}, and Textual's {others}."
        )
