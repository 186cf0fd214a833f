"""The commands. Each reads, asks `inspection` and `reports`, prints, and ends; the app is imported only to run it."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

from inspector import __version__
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.stores.base import Store

#: What JSON leaves unescaped although a terminal may act on it: DEL, C1 controls, and what turns text round.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_PROFILE_HELP = "documented, hermes-0.13, hermes-0.19, truncation; default: detected, documented for files."
_PATH_HELP = "PATH may be left out: then $HERMES_HOME/state.db, else ~/.hermes/state.db."


class _Commands(click.Group):
    """A group whose first word may also be a path: then the app opens it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["--demo"] and args[1:] and args[1] in self.commands:
            args = [args[1], "--demo", *args[2:]]
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="compaction-inspector")
def commands() -> None:
    """See what an LLM agent's context compaction kept, moved and lost.

    \b
    compaction-inspector [PATH] [CONVERSATION]    the terminal app
    compaction-inspector --demo                   the app on the bundled databases
    compaction-inspector COMMAND ...              the same answers as text or JSON

    Reads Hermes Agent's state.db and never writes to it. PATH may be left out: then $HERMES_HOME/state.db,
    else ~/.hermes/state.db. A conversation is named by a session id, a unique prefix of one, or its title.
    """


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option("--profile", metavar="NAME", help=_PROFILE_HELP),
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


def _source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--demo", is_flag=True, help="Use the bundled databases.")(command)
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")(
        command
    )


def _open(path: str | None, demo: bool) -> Store:
    from inspector.stores.detect import default_path, open_store

    if demo:
        from inspector.bundled import demo_databases, fixtures_dir
        from inspector.stores.several import SeveralStores

        return SeveralStores([open_store(found) for found in demo_databases()], fixtures_dir())
    return open_store(Path(path) if path else default_path())


def _is_path(word: str) -> bool:
    """Whether a word where PATH may stand is one: a file that is there, or what is written as a path."""
    return word.endswith(".db") or word.startswith(("/", "./", "../", "~/")) or Path(word).exists()


def _split_path(words: Sequence[str], demo: bool) -> tuple[str | None, tuple[str, ...]]:
    """PATH and what follows it of `[PATH] ...`; no PATH with --demo, and none where the first word is no path."""
    if words and not demo and _is_path(words[0]):
        return words[0], tuple(words[1:])
    return None, tuple(words)


def _path_and_name(words: Sequence[str], demo: bool) -> tuple[str | None, str]:
    """PATH and CONVERSATION of `[PATH] CONVERSATION`."""
    path, name = _path_or_name(words, demo)
    if name is None:
        raise UsageProblem(
            "Name a conversation by a session id, a unique beginning of one, or its title: "
            "compaction-inspector COMMAND [PATH] CONVERSATION."
        )
    return path, name


def _path_or_name(words: Sequence[str], demo: bool) -> tuple[str | None, str | None]:
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
    path, rest = _split_path(words, demo)
    return path, rest[0] if rest else None


def _flags(options: dict[str, Any]) -> dict[str, Any]:
    names = (
        "profile", "context_length", "max_tokens", "summary_context", "threshold", "target_ratio", "protect_first_n",
        "protect_last_n",
    )  # fmt: skip
    return {name: options[name] for name in names if options.get(name) is not None}


def _print(document: Any, as_json: bool, text: Callable[[Any], None]) -> None:
    if as_json:
        click.echo(_json_bytes(document))
    else:
        text(document)


def _json_bytes(document: Any) -> bytes:
    """JSON in UTF-8, whatever the locale. What a terminal could act on is escaped, which says the same in JSON; so is
    all of a text with lone surrogates, which UTF-8 lacks."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    try:
        return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(document, indent=2).encode("ascii")


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(safe(note), err=True)


@commands.command("open", hidden=True)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
@click.option("--demo", is_flag=True, help="Use the bundled databases.")
@click.option("--theme", metavar="NAME", help="A colour theme, for this run.")
@_settings_options
def open_app(
    words: tuple[str, ...], demo: bool, theme: str | None, config: Path | None, **options: Any
) -> None:
    """Open the terminal app. PATH may be left out: then $HERMES_HOME/state.db, else ~/.hermes/state.db."""
    from inspector.bundled import check_installation

    check_installation()
    path, name = _path_or_name(words, demo)
    store = _open(path, demo)
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        _without_terminal(store, name, config, options)
        return
    from inspector.app.launch import launch

    launch(store, name, _flags(options), config, theme)


def _without_terminal(store: Store, name: str | None, config: Path | None, options: dict[str, Any]) -> None:
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_overview

    answers = Answers(store, _flags(options), config)
    print_overview(answers, name)
    click.echo("\nThis is no terminal. In a terminal the same command opens the app.")


@commands.command(epilog=_PATH_HELP)
@click.argument("path", required=False)
@_source_options
def conversations(path: str | None, as_json: bool, demo: bool) -> None:
    """List the conversations of a database."""
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_conversations

    answers = Answers(_open(path, demo), {}, None)
    _print(answers.conversations(), as_json, print_conversations)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@click.option("--generation", type=int, metavar="N", help="Counted from 1; default: the live one.")
@click.option("--no-exact", is_flag=True, help="Leave exact token counts out.")
@_settings_options
@_source_options
def show(
    words: tuple[str, ...], generation: int | None, no_exact: bool, config: Path | None, as_json: bool, demo: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Show a generation: its messages with regions, tokens, pruning and breakpoints."""
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_show

    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    _print(answers.show(name, generation, exact=not no_exact), as_json, print_show)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@_settings_options
@_source_options
def compactions(
    words: tuple[str, ...], config: Path | None, as_json: bool, demo: bool, **options: Any
) -> None:
    """List the recorded compactions, each with what the profile plans for the same list."""
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_compactions

    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    _print(answers.compactions(name), as_json, print_compactions)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
@click.option(
    "--severity",
    type=click.Choice(["info", "warning", "error"]),
    default="info",
    show_default=True,
    help="The least severity to tell.",
)
@_settings_options
@_source_options
def findings(
    words: tuple[str, ...], severity: Literal["info", "warning", "error"], config: Path | None, as_json: bool,
    demo: bool, **options: Any,
) -> None:  # fmt: skip
    """Tell what is wrong with the conversations, or worth knowing, and what to do about it.

    A single word that is no file is a conversation of the database that is read without PATH.
    """
    from inspector.reports.answers import Answers
    from inspector.reports.findings_text import print_findings

    path, name = _path_or_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    _print(answers.findings(name, severity), as_json, print_findings)
    _say(answers.notes())


@commands.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--compactions-so-far",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Compactions before this one.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@_settings_options
def plan(
    files: tuple[Path, ...], compactions_so_far: int, as_json: bool, config: Path | None, **options: Any
) -> None:
    """Plan a compaction of lists in files (JSON, OpenAI-style messages), as if the threshold were just reached."""
    from inspector.reports.answers import plan_files
    from inspector.reports.text import print_plans
    from inspector.settings import read_config

    documents = plan_files(files, _flags(options), config, compactions_so_far)
    _print(documents, as_json, print_plans)
    if config is not None:
        _say(read_config(config).notes)


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@click.option(
    "--from", "first", type=int, metavar="K", help="The earlier compaction; default: the last but one."
)
@click.option("--to", "last", type=int, metavar="L", help="The later compaction; default: the last.")
@click.option("--life", is_flag=True, help="Follow every item through all summaries.")
@_source_options
def diff(
    words: tuple[str, ...], first: int | None, last: int | None, life: bool, as_json: bool, demo: bool
) -> None:
    """Compare the summaries of two compactions, section by section and item by item; or all of them with --life."""
    from inspector.reports.answers import Answers

    if life and (first is not None or last is not None):
        raise UsageProblem("--life is about all summaries; it takes no --from and no --to.")
    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), {}, None)
    if life:
        from inspector.reports.lineage import lineage_document
        from inspector.reports.lineage_text import print_lineage

        _print(lineage_document(answers, name), as_json, print_lineage)
    else:
        from inspector.reports.text import print_diff

        _print(answers.diff(name, first, last), as_json, print_diff)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@click.option("--compaction", type=int, metavar="K", help="Only this compaction, counted from 1.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["constraint", "preference", "decision", "value", "link"]),
)
@click.option(
    "--fate", "fates", multiple=True, type=click.Choice(["verbatim", "paraphrased", "value lost", "lost"])
)
@click.option(
    "--role", "roles", multiple=True, type=click.Choice(["user", "assistant", "tool"]), help="Who said it."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many facts of a compaction.")
@click.option("--pruned", is_flag=True, help="Facts of pruned tool results too.")
@click.option("--at-risk", is_flag=True, help="What a compaction of the live list would take out of it.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "mem0"]),
    default="text",
    show_default=True,
    help="markdown: a checklist of what is lost or at risk; mem0: the same as payloads for its add.",
)
@click.option("--user-id", metavar="ID", help="The user whose memories --format mem0 writes.")
@_settings_options
@_source_options
def facts(
    words: tuple[str, ...], compaction: int | None, kinds: tuple[str, ...], fates: tuple[str, ...],
    roles: tuple[str, ...], limit: int | None, pruned: bool, at_risk: bool, form: str, user_id: str | None,
    config: Path | None, as_json: bool, demo: bool, **options: Any,
) -> None:  # fmt: skip
    """List the facts that each compaction summarized, and what became of them."""
    from inspector.reports.answers import Answers
    from inspector.reports.facts import Wanted, facts_answer, print_facts

    if at_risk and (compaction is not None or fates or pruned):
        raise UsageProblem(
            "--at-risk is about the compaction to come; it takes no --compaction, --fate or --pruned."
        )
    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    wanted = Wanted(kinds, fates, roles, compaction, pruned, limit)
    answer = facts_answer(answers, name, wanted, at_risk, "json" if as_json else form, user_id or "")
    if isinstance(answer, str):
        click.echo(answer, nl=False)
    else:
        _print(answer, as_json or form != "text", print_facts)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@click.option("--generation", type=int, metavar="N", help="Counted from 1; default: the live one.")
@click.option("--layout", type=click.Choice(["native", "envelope"]), help="Default: what the provider takes.")
@click.option(
    "--ttl", type=click.Choice(["5m", "1h"]), default=None, help="Default: the configured one, else 5m."
)
@_settings_options
@_source_options
def breakpoints(
    words: tuple[str, ...], generation: int | None, layout: Literal["native", "envelope"] | None,
    ttl: Literal["5m", "1h"] | None, config: Path | None,
    as_json: bool, demo: bool, **options: Any,
) -> None:  # fmt: skip
    """Show where the prompt-cache breakpoints of a generation sit."""
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_breakpoints

    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    _print(answers.breakpoints(name, generation, layout, ttl), as_json, print_breakpoints)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@_settings_options
@_source_options
def replay(words: tuple[str, ...], config: Path | None, as_json: bool, demo: bool, **options: Any) -> None:
    """Replay a conversation step by step: recorded beside what the settings would have done."""
    from inspector.reports.answers import Answers
    from inspector.reports.replaying import replay_document
    from inspector.reports.text import print_replay

    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    _print(replay_document(answers, name), as_json, print_replay)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@_settings_options
@_source_options
def measures(words: tuple[str, ...], config: Path | None, as_json: bool, demo: bool, **options: Any) -> None:
    """Measure what each compaction kept, kind by kind, and what it cost."""
    from inspector.reports.answers import Answers
    from inspector.reports.measures import measures_document
    from inspector.reports.measures_text import print_measures

    path, name = _path_and_name(words, demo)
    answers = Answers(_open(path, demo), _flags(options), config)
    _print(measures_document(answers, name), as_json, print_measures)
    _say(answers.notes())


@commands.command("report", epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] CONVERSATION")
@click.option("--output", required=True, metavar="FILE", help="The file to write; - for standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown"]),
    help="Default: what the ending of FILE says (.html, .md), html for standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE where it is there already.")
@click.option("--demo", is_flag=True, help="Use the bundled databases.")
@_settings_options
def report_command(
    words: tuple[str, ...], output: str, form: str | None, force: bool, demo: bool, config: Path | None,
    **options: Any,
) -> None:  # fmt: skip
    """Write a report of a conversation: one HTML file without scripts, or Markdown.

    It has the course of the conversation, what each compaction lost, the summaries and how they differ, the measures,
    and what is at risk now. It holds words of the conversation.
    """
    import time

    from inspector.reports.answers import Answers
    from inspector.reports.report.gathering import gather_report
    from inspector.reports.report.writing import check_target, form_of, render, write_report

    path, name = _path_and_name(words, demo)
    target = None if output == "-" else Path(output)
    wanted = form_of(target, form)
    answers = Answers(_open(path, demo), _flags(options), config)
    if target is not None:
        check_target(target, answers.paths(), force)
    report = gather_report(answers, name, time.time())
    text = render(report, wanted)
    if target is None:
        click.echo(text.encode("utf-8", errors="replace"), nl=False)
    else:
        size = write_report(target, text, answers.paths(), force)
        click.echo(safe(f"Wrote {target} ({size / 1000:,.0f} kB)."))
    _say(answers.notes())


#: The knobs of a sweep where none is given a range.
_GRID = {"threshold": "0.3:0.9:0.1", "target_ratio": "0.1:0.8:0.1"}


@commands.command("sweep", epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION...]")
@click.option(
    "--threshold", metavar="RANGE", help="START:STOP:STEP (both ends included), A,B,C, or one value."
)
@click.option("--target-ratio", metavar="RANGE", help="The same.")
@click.option("--protect-first-n", metavar="RANGE", help="The same.")
@click.option("--protect-last-n", metavar="RANGE", help="The same.")
@click.option("--context-length", metavar="RANGE", help="The same.")
@click.option("--max-tokens", metavar="RANGE", help="The same.")
@click.option("--profile", metavar="NAME", help=_PROFILE_HELP)
@click.option(
    "--summary-size",
    type=click.FloatRange(0, 2),
    metavar="SHARE",
    help="Of its budget; default: as recorded.",
)
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Hermes' config.yaml.")
@click.option("--csv", "as_csv", is_flag=True, help="One line a cell on standard output.")
@_source_options
def sweep_command(
    words: tuple[str, ...], profile: str | None, summary_size: float | None, config: Path | None, as_csv: bool,
    as_json: bool, demo: bool, **ranges: str | None,
) -> None:  # fmt: skip
    """Run whole conversations over a grid of two settings: every conversation without a name."""
    from inspector.replay.sweep import parse_axis
    from inspector.reports.answers import Answers
    from inspector.reports.sweeping import Progress, sweep_csv, sweep_document
    from inspector.reports.text import print_sweep

    given = {name: parse_axis(name, text) for name, text in ranges.items() if text is not None}
    axes = [axis for axis in given.values() if len(axis.values) > 1]
    for name, text in _GRID.items():
        if len(axes) < 2 and name not in given:
            axes.append(parse_axis(name, text))
    if len(axes) != 2:
        raise UsageProblem(f"A sweep goes over two settings; {len(axes)} were given a range.")
    flags: dict[str, Any] = {name: axis.values[0] for name, axis in given.items() if len(axis.values) == 1}
    if profile is not None:
        flags["profile"] = profile
    path, names = _split_path(words, demo)
    answers = Answers(_open(path, demo), flags, config)

    def told(progress: Progress) -> None:
        if sys.stderr.isatty():
            end = "\r" if progress.done < progress.total else "\n"
            click.echo(f"{progress.words:<60}{end}", nl=False, err=True)

    document, found = sweep_document(answers, names, axes[0], axes[1], summary_size, told)
    if as_csv:
        click.echo(sweep_csv(found), nl=False)
    else:
        _print(document, as_json, print_sweep)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("path", required=False)
@_source_options
def store(path: str | None, as_json: bool, demo: bool) -> None:
    """Describe a database: schema, detected profile and why, tables, full-text indexes."""
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_stores

    answers = Answers(_open(path, demo), {}, None)
    _print(answers.store_documents(), as_json, print_stores)
    _say(answers.notes())


@commands.command(epilog=_PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] WORDS...")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="At most so many hits."
)
@_source_options
def search(words: tuple[str, ...], limit: int, as_json: bool, demo: bool) -> None:
    """Search the text of every message.

    The first word is PATH where it is a file or is written like one.
    """
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_hits

    path, wanted = _split_path(words, demo)
    if not any(word.strip() for word in wanted):
        raise UsageProblem("Give the words to search for: compaction-inspector search [PATH] WORDS...")
    answers = Answers(_open(path, demo), {}, None)
    _print(answers.search(" ".join(wanted), limit), as_json, print_hits)
    _say(answers.notes())


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The command line: runs, prints, and exits with 0, 1 (something to mend) or 2 (usage)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal or pipe of another encoding loses a sign, not the answer.
            stream.reconfigure(errors="replace")
    try:
        commands.main(args=list(args) if args is not None else None, standalone_mode=False)
        code = 0
    except InspectorError as error:
        click.echo(safe(f"compaction-inspector: {error}"), err=True)
        code = error.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("compaction-inspector: interrupted.", err=True)
        code = 130
    except (BrokenPipeError, SystemExit):
        # The reader (head, less) went away, which is no failure; click and rich end the program with 1 for it.
        code = 0
    except OSError as error:
        code = _unwritten(error)
    sys.exit(_flushed(code))


def _flushed(code: int) -> int:
    """The exit code once everything is written."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        return _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    """Say that the answer did not get out, and answer exit code 1."""
    click.echo(f"compaction-inspector: The answer could not be written: {error.strerror or error}.", err=True)
    _drop_output()
    return 1


def _drop_output() -> None:
    """Let what is left in the buffer go nowhere, so that Python does not try to write it at its end."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
