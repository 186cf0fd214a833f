"""The commands about a whole database."""

from __future__ import annotations

import click

from inspector.commands.completing import path_argument, words_argument
from inspector.commands.options import COUNT, PATH_HELP, mask_option, print_answer, say, source_options
from inspector.commands.scheduling import check_complete, interrupts, scheduler_option, scheduling_of
from inspector.commands.sources import open_source, split_path
from inspector.core.errors import UsageProblem


@click.command(epilog=PATH_HELP)
@path_argument()
@source_options
def conversations(path: str | None, as_json: bool, demo: bool) -> None:
    """List the conversations of a database."""
    from inspector.answers.answers import Answers
    from inspector.answers.conversations import list_conversations
    from inspector.answers.kept_results import default_results
    from inspector.export.documents.conversations import conversation_documents
    from inspector.export.text.conversations import print_conversations

    answers = Answers(open_source(path, demo), {}, None)
    print_answer(
        conversation_documents(list_conversations(answers, default_results())), as_json, print_conversations
    )
    say(answers.notes())


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION...]")
@click.option("--limit", type=COUNT, metavar="N", help="Maximum number of compactions.")
@mask_option
@scheduler_option
@source_options
def losses(
    words: tuple[str, ...], scheduler: str, limit: int | None, as_json: bool, demo: bool, no_mask: bool
) -> None:
    """List the losses of every compaction, the worst first.

    An act against a lost rule comes first, then lost rules, then the rest.
    Covers every conversation, or the named ones. Results are kept between runs.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.fact_results import list_losses
    from inspector.export.documents.losses import loss_documents
    from inspector.export.masking import DocumentMasker
    from inspector.export.text.losses import print_losses

    path, names = split_path(words)
    scheduling, shown = scheduling_of(scheduler)
    answers = Answers(open_source(path, demo), {}, None, scheduling)
    with interrupts(shown):
        listed = list_losses(answers, names)
    masker = DocumentMasker(not no_mask)
    print_answer(masker(loss_documents(listed[:limit])), as_json, print_losses)
    say([*answers.notes(), *masker.notes])
    check_complete(answers)


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION...]")
@mask_option
@scheduler_option
@source_options
def aftermath(words: tuple[str, ...], scheduler: str, as_json: bool, demo: bool, no_mask: bool) -> None:
    """List what was done again after each compaction: read, fetched, run, said, asked, failed, or done against a rule.

    Events are observations. They do not prove that the compaction is the cause.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.fact_results import list_aftermath
    from inspector.export.documents.aftermath import aftermath_documents
    from inspector.export.masking import DocumentMasker
    from inspector.export.text.aftermath import print_aftermath

    path, names = split_path(words)
    scheduling, shown = scheduling_of(scheduler)
    answers = Answers(open_source(path, demo), {}, None, scheduling)
    with interrupts(shown):
        listed = list_aftermath(answers, names)
    if not any(entry.compactions for entry in listed):
        answers.note("No conversation here has a compaction.")
    masker = DocumentMasker(not no_mask)
    print_answer(masker(aftermath_documents(listed)), as_json, print_aftermath)
    say([*answers.notes(), *masker.notes])
    check_complete(answers)


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION...]")
@mask_option
@source_options
def rules(words: tuple[str, ...], no_mask: bool, as_json: bool, demo: bool) -> None:
    """List the files of standing rules that the agent loaded (CLAUDE.md, AGENTS.md, memory), and where they are now.

    A file that is missing after a compaction is not in the recorded list; the agent may still send it unrecorded.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.standing import list_rules
    from inspector.export.documents.standing import rules_documents
    from inspector.export.masking import DocumentMasker
    from inspector.export.text.standing import print_rules

    path, names = split_path(words)
    answers = Answers(open_source(path, demo), {}, None)
    masker = DocumentMasker(not no_mask)
    print_answer(masker(rules_documents(list_rules(answers, names))), as_json, print_rules)
    say([*answers.notes(), *masker.notes])


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION] TEXT")
@mask_option
@source_options
def trace(words: tuple[str, ...], as_json: bool, demo: bool, no_mask: bool) -> None:
    """Show the history of a phrase: its messages, and its fate after each compaction.

    The last word is TEXT; quote a phrase of several words. Without CONVERSATION, every conversation with the phrase is
    shown.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.tracing import trace_phrase
    from inspector.export.documents.tracing import trace_documents
    from inspector.export.masking import DocumentMasker
    from inspector.export.text.tracing import print_traces

    path, rest = split_path(words)
    if not rest or not rest[-1].strip():
        raise UsageProblem('Give the text to trace: compaction-inspector trace [PATH] [CONVERSATION] "TEXT".')
    answers = Answers(open_source(path, demo), {}, None)
    masker = DocumentMasker(not no_mask)
    print_answer(masker(trace_documents(trace_phrase(answers, rest[:-1], rest[-1]))), as_json, print_traces)
    say([*answers.notes(), *masker.notes])


@click.command(epilog=PATH_HELP)
@path_argument()
@source_options
def store(path: str | None, as_json: bool, demo: bool) -> None:
    """Describe a database: schema, detected profile and why, tables, full-text indexes."""
    from inspector.answers.answers import Answers
    from inspector.answers.databases import describe_databases
    from inspector.export.documents.conversations import database_documents
    from inspector.export.text.conversations import print_stores

    answers = Answers(open_source(path, demo), {}, None)
    print_answer(database_documents(describe_databases(answers)), as_json, print_stores)
    say(answers.notes())


@click.command(epilog=PATH_HELP)
@path_argument()
@source_options
def stores(path: str | None, as_json: bool, demo: bool) -> None:
    """List the stores that are read, with agent, place, number of sessions, and what each does not record."""
    from inspector.answers.answers import Answers
    from inspector.answers.databases import list_stores
    from inspector.export.documents.conversations import store_documents
    from inspector.export.text.conversations import print_store_list

    answers = Answers(open_source(path, demo), {}, None)
    print_answer(store_documents(list_stores(answers)), as_json, print_store_list)
    say(answers.notes())


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] WORDS...")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Maximum number of hits."
)
@source_options
def search(words: tuple[str, ...], limit: int, as_json: bool, demo: bool) -> None:
    """Search the text of every message.

    The first word is PATH if it is a file or looks like a path.
    """
    from inspector.answers import databases
    from inspector.answers.answers import Answers
    from inspector.export.documents.conversations import hit_documents
    from inspector.export.text.conversations import print_hits

    path, wanted = split_path(words)
    if not any(word.strip() for word in wanted):
        raise UsageProblem("Give the words to search for: compaction-inspector search [PATH] WORDS...")
    answers = Answers(open_source(path, demo), {}, None)
    hits = databases.search(answers, " ".join(wanted), limit)
    print_answer(hit_documents(hits), as_json, print_hits)
    say(answers.notes())
