"""The command that prints files for the user: a keymap, a theme, the man page."""

from __future__ import annotations

import re
from inspect import cleandoc

import click

from inspector import __version__
from inspector.agents import titles

_FILES = (
    ("keymap.yaml", "Keys of your own. `config keymap` prints a template, `config folder` the folder."),
    ("theme.yaml", "A theme of your own. `config theme` prints a template."),
)
_VARIABLES = (
    ("NO_COLOR", "Without colours, in the app and in text."),
    ("PAGER, EDITOR", "Programs that open a message."),
    ("COMPACTION_INSPECTOR_DEBUG", "Set to 1, an error of the program prints where it happened."),
)
_CODES = (
    ("0", "No problem."),
    ("1", "You must fix something: a missing file, an unknown conversation."),
    ("2", "Usage, such as an option out of its range."),
    ("3", "A check failed."),
    ("70", "An error of the program."),
    ("130", "Interrupted."),
)


def quoted(text: str) -> str:
    """Return a text for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\u2026", "...")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _items(items: tuple[tuple[str, str], ...]) -> list[str]:
    return [line for name, text in items for line in (".TP", f".B {quoted(name)}", quoted(text))]


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text. A paragraph that starts with a backspace keeps its line breaks."""
    lines = []
    for paragraph in cleandoc(text).replace("{agents}", titles()).split("\n\n"):
        kept = paragraph.startswith("\b")
        body = paragraph.removeprefix("\b\n") if kept else " ".join(paragraph.split())
        lines += [".PP", *([".nf", quoted(body), ".fi"] if kept else [quoted(body)])]
    return lines


def _options(command: click.Command, ctx: click.Context) -> list[str]:
    records = (
        param.get_help_record(ctx) for param in command.get_params(ctx) if isinstance(param, click.Option)
    )
    return _items(tuple(record for record in records if record is not None))


def page() -> str:
    """Return the page for roff."""
    from inspector.commands.cli import commands, every_command

    root = commands.make_context("compaction-inspector", [], resilient_parsing=True)
    lines = [
        f'.TH COMPACTION\\-INSPECTOR 1 "" "compaction\\-inspector {__version__}"',
        ".SH NAME",
        "compaction\\-inspector \\- see what the context compaction of an LLM agent kept, changed and lost",
        ".SH SYNOPSIS",
        ".B compaction\\-inspector\n[PATH] [CONVERSATION]\n.br",
        ".B compaction\\-inspector\nCOMMAND [OPTIONS] ...",
        ".SH DESCRIPTION",
        *_paragraphs(commands.help or ""),
        ".SH OPTIONS",
        *_options(commands, root),
        ".SH COMMANDS",
    ]
    for name, command in sorted(every_command().items()):
        ctx = click.Context(command, info_name=name, parent=root)
        title = (
            "[PATH] [CONVERSATION]"
            if command.hidden
            else " ".join([name, *command.collect_usage_pieces(ctx)])
        )
        lines += [f".SS {quoted(title)}", *_paragraphs((command.help or "").strip()), *_options(command, ctx)]
    for heading, items in (("FILES", _FILES), ("ENVIRONMENT", _VARIABLES), ("EXIT STATUS", _CODES)):
        lines += [f".SH {heading}", *_items(items)]
    return "\n".join(lines) + "\n"


@click.command("config")
@click.argument("what", type=click.Choice(["keymap", "theme", "folder", "man"]))
def config_files(what: str) -> None:
    """Print a keymap, a theme, their folder, or the man page.

    Keymap and theme are templates to save in the folder and change. The app reads keymap.yaml and theme.yaml there when
    it starts.
    """
    if what == "folder":
        from inspector.config.folders import config_dir

        click.echo(config_dir())
        return
    if what == "man":
        click.echo(page(), nl=False)
        return
    from inspector.app.own_files import keymap_text
    from inspector.app.themes import theme_text

    click.echo(keymap_text() if what == "keymap" else theme_text(), nl=False)
