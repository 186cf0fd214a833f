"""The command that prints files for the user: a keymap and a theme."""

from __future__ import annotations

import click


@click.command("config")
@click.argument("what", type=click.Choice(["keymap", "theme", "folder"]))
def config_files(what: str) -> None:
    """Print a keymap, a theme, or their folder.

    Keymap and theme are templates to save in the folder and change. The app reads keymap.yaml and theme.yaml there when
    it starts.
    """
    if what == "folder":
        from inspector.config.folders import config_dir

        click.echo(config_dir())
        return
    from inspector.app.own_files import keymap_text, theme_text

    click.echo(keymap_text() if what == "keymap" else theme_text(), nl=False)
