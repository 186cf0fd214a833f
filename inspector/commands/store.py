"""The commands about a whole database."""

from __future__ import annotations

from functools import partial

import click

from inspector.commands.asking import Asked, command, shared_options
from inspector.commands.options import COUNT, mask_option, scheduler_option
from inspector.core.errors import UsageProblem


@command("[PATH] [CONVERSATION...]")
@shared_options()
def conversations(asked: Asked) -> None:
    """List the conversations of a store, all or the named ones."""
    from inspector.answers.conversations import list_conversations
    from inspector.export.conversations import conversation_documents, print_conversations

    answers, names = asked.several()
    asked.print(list_conversations(answers, names), print_conversations, conversation_documents)


@command("[PATH] [CONVERSATION...]")
@click.option("--limit", type=COUNT, metavar="N", help="Maximum number of compactions.")
@shared_options(mask_option, scheduler_option)
def losses(asked: Asked, limit: int | None) -> None:
    """List the losses of every compaction, the worst first.

    Compactions with an act against a lost constraint come first, then lost constraints, then other losses.
    Covers all conversations, or the named ones. Results are stored between runs.
    """
    from inspector.answers.fact_results import losses_and_answer
    from inspector.export.fact_results import loss_documents, print_losses

    answers, names = asked.several()
    with asked.interrupts():
        listed, nothing = losses_and_answer(answers, names)
    asked.print(listed[:limit], partial(print_losses, nothing=nothing), loss_documents)


@command("[PATH] [CONVERSATION...]")
@shared_options(mask_option, scheduler_option)
def aftermath(asked: Asked) -> None:
    """List repeated work after compactions.

    The list has repeated reads, fetches, commands, statements, questions and failures, and acts against a rule.
    An event does not prove that the compaction is its cause.
    """
    from inspector.answers.fact_results import list_aftermath
    from inspector.export.fact_results import aftermath_documents, print_aftermath

    answers, names = asked.several()
    with asked.interrupts():
        listed = list_aftermath(answers, names)
    compactions = sum(aftermath.compactions for _, aftermath in listed)
    if not compactions:
        answers.note("No conversation here has a compaction.")
    unknown = 0 < compactions == sum(aftermath.unseen for _, aftermath in listed)
    asked.print(listed, partial(print_aftermath, unknown=unknown), aftermath_documents)


@command("[PATH] [CONVERSATION...]")
@shared_options(mask_option)
def rules(asked: Asked) -> None:
    """List rule and memory files that the agent loaded.

    These are files such as CLAUDE.md and AGENTS.md, with the lists that have them. If a file is missing after a
    compaction, the agent may still send it without recording it.
    """
    from inspector.answers.standing import list_rules
    from inspector.export.standing import print_rules

    asked.print(list_rules(*asked.several()), print_rules)


@command("[PATH] [CONVERSATION] TEXT")
@shared_options(mask_option)
def trace(asked: Asked) -> None:
    """Show the messages with a phrase, and its later fates.

    The last argument is TEXT; quote a phrase of several words. Without CONVERSATION, every conversation with the
    phrase is shown.
    """
    from inspector.answers.tracing import trace_phrase
    from inspector.export.tracing import print_traces, trace_documents

    problem = 'Give the text to trace: compaction-inspector trace [PATH] [CONVERSATION] "TEXT".'
    answers, words = asked.several(problem)
    if not words[-1].strip():
        raise UsageProblem(problem)
    asked.print(trace_phrase(answers, words[:-1], words[-1]), print_traces, trace_documents)


@command("[PATH]")
@shared_options()
def store(asked: Asked) -> None:
    """Describe a database: schema, detected profile, tables."""
    from inspector.answers.conversations import describe_databases
    from inspector.export.conversations import database_documents, print_stores

    asked.print(describe_databases(asked.whole()), print_stores, database_documents)


@command("[PATH]")
@shared_options()
def stores(asked: Asked) -> None:
    """List the stores: agent, path, sessions, missing data."""
    from inspector.answers.conversations import list_stores
    from inspector.export.conversations import print_store_list

    asked.print(list_stores(asked.whole()), print_store_list)


@command("[PATH] WORDS...")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Maximum number of hits."
)
@shared_options()
def search(asked: Asked, limit: int) -> None:
    """Search the text of every message.

    Finds the messages that contain every word, also inside a longer word. Double quotes ask for the exact phrase. The
    first word is PATH if it is a file or looks like a path.
    """
    from inspector.answers.conversations import search
    from inspector.export.conversations import print_hits

    answers, words = asked.several(
        "Give the words to search for: compaction-inspector search [PATH] WORDS..."
    )
    asked.print(search(answers, " ".join(words), limit), print_hits)
