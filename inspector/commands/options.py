"""What commands share: options, PATH and CONVERSATION, how answers are printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.core.errors import UsageProblem
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.stores.base import Store

#: What JSON leaves unescaped although a terminal may act on it: DEL, C1 controls, and what turns text round.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

PROFILE_HELP = "documented, hermes-0.13, hermes-0.19, truncation; default: detected, documented for files."
PATH_HELP = "PATH may be left out: then $HERMES_HOME/state.db, else ~/.hermes/state.db."


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option("--profile", metavar="NAME", help=PROFILE_HELP),
        click.option("--context-length", type=int, metavar="TOKENS", help="The model's context window."),
        click.option("--max-tokens", type=int, metavar="TOKENS", help="The output reservation."),
        click.option(
            "--summary-context", type=int, metavar="TOKENS", help="The summary model's context window."
        ),
        click.option("--threshold", type=float, metavar="SHARE", help="Compact at this share of the window."),
        click.option(
            "--target-ratio", type=float, metavar="SHARE", help="Tail budget as a share of the threshold."
        ),
        click.option("--protect-first-n", type=int, metavar="N", help="Messages of the head."),
        click.option("--protect-last-n", type=int, metavar="N", help="Messages of the tail, at least."),
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Hermes' config.yaml to read settings from.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--demo", is_flag=True, help="Use the bundled databases.")(command)
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")(
        command
    )


def open_source(path: str | None, demo: bool) -> Store:
    from inspector.stores.detect import default_path, open_store

    if demo:
        from inspector.bundled import demo_databases, fixtures_dir
        from inspector.stores.several import SeveralStores

        return SeveralStores([open_store(found) for found in demo_databases()], fixtures_dir())
    return open_store(Path(path) if path else default_path())


def is_path(word: str) -> bool:
    """Whether a word where PATH may stand is one: a file that is there, or what is written as a path."""
    return word.endswith(".db") or word.startswith(("/", "./", "../", "~/")) or Path(word).exists()


def split_path(words: Sequence[str], demo: bool) -> tuple[str | None, tuple[str, ...]]:
    """PATH and what follows it of `[PATH] ...`; no PATH with --demo, and none where the first word is no path."""
    if words and not demo and is_path(words[0]):
        return words[0], tuple(words[1:])
    return None, tuple(words)


def path_and_name(words: Sequence[str], demo: bool) -> tuple[str | None, str]:
    """PATH and CONVERSATION of `[PATH] CONVERSATION`."""
    path, name = path_or_name(words, demo)
    if name is None:
        raise UsageProblem(
            "Name a conversation by a session id, a unique beginning of one, or its title: "
            "compaction-inspector COMMAND [PATH] CONVERSATION."
        )
    return path, name


def path_or_name(words: Sequence[str], demo: bool) -> tuple[str | None, str | None]:
    """PATH and CONVERSATION of `[PATH] [CONVERSATION]`, either of which may be left out."""
    if len(words) > (1 if demo else 2):
        given = (
            "Give at most one CONVERSATION with --demo, and no PATH"
            if demo
            else "Give at most a PATH and a CONVERSATION"
        )
        raise UsageProblem(f"{given}; a title of several words stands in quotes.")
    if len(words) == 2:
        return words[0], words[1]
    path, rest = split_path(words, demo)
    return path, rest[0] if rest else None


def flags_of(options: dict[str, Any]) -> dict[str, Any]:
    names = (
        "profile", "context_length", "max_tokens", "summary_context", "threshold", "target_ratio", "protect_first_n",
        "protect_last_n",
    )  # fmt: skip
    return {name: options[name] for name in names if options.get(name) is not None}


def print_answer(document: Any, as_json: bool, text: Callable[[Any], None]) -> None:
    if as_json:
        click.echo(json_bytes(document))
    else:
        text(document)


def json_bytes(document: Any) -> bytes:
    """JSON in UTF-8, whatever the locale. What a terminal could act on is escaped, which says the same in JSON; so is
    all of a text with lone surrogates, which UTF-8 lacks."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    try:
        return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(document, indent=2).encode("ascii")


def say(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(safe(note), err=True)
