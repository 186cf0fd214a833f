"""The command that prints files for the user: a keymap, a theme, the man page."""

from __future__ import annotations

import click


@click.command("config")
@click.argument("what", type=click.Choice(["keymap", "theme", "folder", "man"]))
def config_files(what: str) -> None:
    """Print a keymap or a theme to save and change, the folder for them, or the man page.

    The app reads keymap.yaml and theme.yaml in that folder when it starts.
    """
    if what == "folder":
        from inspector.config.folders import config_dir

        click.echo(config_dir())
        return
    if what == "man":
        from inspector.commands.manual import page

        click.echo(page(), nl=False)
        return
    from inspector.app.own_files import keymap_text, theme_text

    click.echo(keymap_text() if what == "keymap" else theme_text(), nl=False)
