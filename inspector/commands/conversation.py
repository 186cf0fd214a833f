"""The commands about one conversation: lists, compactions, requests, findings, facts, measures, the next compaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import click

from inspector.commands.asking import Asked, command, shared_options
from inspector.commands.options import (
    COUNT,
    WHOLE,
    mask_option,
    print_answer,
    scheduler_option,
    settings_options,
)
from inspector.core.errors import UsageProblem
from inspector.quality.facts.fact import KINDS, OUTCOMES


@command("[PATH] [CONVERSATION]")
@click.option("--generation", type=WHOLE, metavar="N", help="Counted from 1; default: the live one.")
@click.option("--step", type=WHOLE, metavar="N", help="Show the list after N messages of the conversation.")
@click.option("--full", is_flag=True, help="Print whole texts instead of first lines.")
@click.option("--messages", is_flag=True, help="Print the list as OpenAI-style messages.")
@click.option("--no-exact", is_flag=True, help="Omit exact token counts.")
@shared_options(settings_options)
def show(
    asked: Asked, generation: int | None, step: int | None, full: bool, messages: bool, no_exact: bool
) -> None:
    """Show the messages of a generation.

    Each has its region, tokens, pruning and breakpoints. --step N shows the list at a step instead.
    """
    from inspector.answers.showing import api_messages, show_generation
    from inspector.export.generations import print_show, show_document

    if generation is not None and step is not None:
        raise UsageProblem("Give --step or --generation, not both.")
    answers, name = asked.one()
    answer = show_generation(answers, name, generation, exact=not (no_exact or messages), step=step)
    if messages:
        print_answer(api_messages(answer), True, print)
        asked.end()
    else:
        asked.print(answer, partial(print_show, full=full), partial(show_document, full=full))


@command("[PATH] [CONVERSATION]", covers_all=True)
@shared_options(settings_options)
def compactions(asked: Asked) -> None:
    """List the recorded compactions, each next to its plan.

    Covers all conversations, or the named one.
    """
    from inspector.answers.compactions import RecordedCompactions, recorded_compactions
    from inspector.export.generations import compaction_documents, print_compactions

    answers, name = asked.one_or_all()
    ask = asked.kept(
        "compactions", lambda name: recorded_compactions(answers, name), kind=RecordedCompactions
    )
    asked.print_each(name, ask, print_compactions, compaction_documents)


@command("[PATH] [CONVERSATION]")
@click.option(
    "--sums", is_flag=True, help="Print only the sums: misses by cause, their cost, and the cost of idling."
)
@click.option("--sent", type=int, metavar="N", help="Print request N as sent, if the agent records it.")
@shared_options()
def requests(asked: Asked, sums: bool, sent: int | None) -> None:
    """List the requests to the model, with usage and cost."""
    from inspector.answers.requests import list_requests, open_request
    from inspector.export.requests import (
        print_requests,
        print_sent,
        print_sums,
        request_document,
        sent_document,
        sums_document,
    )

    if sums and sent is not None:
        raise UsageProblem("Give --sums or --sent, not both.")
    answers, name = asked.one()
    if sent is not None:
        asked.print(open_request(answers, name, sent), print_sent, sent_document)
        return
    listed = list_requests(answers, name)
    if sums:
        asked.print(listed, print_sums, sums_document)
    else:
        asked.print(listed, print_requests, lambda requests: list(map(request_document, requests.priced)))


@command("[PATH] [CONVERSATION]", covers_all=True)
@click.option(
    "--severity",
    type=click.Choice(["info", "warning", "error"]),
    default="info",
    show_default=True,
    help="Lowest severity to list.",
)
@click.option("--dismissed", is_flag=True, help="List dismissed findings too.")
@shared_options(mask_option, scheduler_option, settings_options)
def findings(asked: Asked, severity: Literal["info", "warning", "error"], dismissed: bool) -> None:
    """List problems of the conversations, with advice.

    Covers all conversations, or the named one. A single word is CONVERSATION unless it is a file.
    """
    from inspector.answers.findings import list_findings
    from inspector.export.findings import finding_documents, print_findings

    answers, name = asked.one_or_all()
    with asked.interrupts():
        listed = list_findings(answers, name, severity, dismissed)
    asked.print(listed, print_findings, finding_documents)


@command("[PATH] [CONVERSATION]")
@click.option(
    "--from", "first", type=WHOLE, metavar="K", help="The earlier compaction; default: the one before --to."
)
@click.option("--to", "last", type=WHOLE, metavar="L", help="The later compaction; default: the last.")
@click.option("--lineage", "--life", is_flag=True, help="Follow every item through all summaries.")
@shared_options()
def diff(asked: Asked, first: int | None, last: int | None, lineage: bool) -> None:
    """Compare two summaries, item by item.

    Without --from and --to, each summary is compared with the next. --lineage follows the items of all summaries.
    """
    from inspector.answers.summaries import SummaryLives, compare_summaries, follow_summaries
    from inspector.export.summaries import diff_documents, lineage_document, print_diff, print_lineage

    if lineage and (first is not None or last is not None):
        raise UsageProblem("--lineage follows all summaries: leave out --from and --to.")
    answers, name = asked.one()
    if lineage:
        ask = asked.kept("lineage", lambda name: follow_summaries(answers, name), kind=SummaryLives)
        asked.print(ask(name), print_lineage, lineage_document)
    else:
        asked.print(compare_summaries(answers, name, first, last), print_diff, diff_documents)


@command("[PATH] [CONVERSATION]", covers_all=True)
@click.option("--compaction", type=WHOLE, metavar="K", help="Only this compaction, counted from 1.")
@click.option(
    "--after",
    type=WHOLE,
    metavar="K",
    help="Fates after this compaction (default: the last), with what it lost of earlier ones.",
)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS))
@click.option("--fate", "fates", multiple=True, type=click.Choice(OUTCOMES))
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=click.Choice(["user", "assistant", "tool"]),
    help="The role of the message.",
)
@click.option("--limit", type=COUNT, metavar="N", help="Maximum number of facts for each compaction.")
@click.option("--pruned", is_flag=True, help="Add facts of pruned tool results.")
@click.option("--dismissed", is_flag=True, help="List the facts that you dismissed.")
@click.option(
    "--at-risk", is_flag=True, help="List the facts that a compaction of the live list would remove."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "mem0"]),
    default="text",
    show_default=True,
    help="markdown: a checklist of the facts that are lost or at risk; mem0: payloads for Mem0's add.",
)
@click.option("--user-id", metavar="ID", help="The user id in payloads of --format mem0.")
@shared_options(mask_option, settings_options)
def facts(
    asked: Asked, compaction: int | None, after: int | None, kinds: tuple[str, ...], fates: tuple[str, ...],
    roles: tuple[str, ...], limit: int | None, pruned: bool, dismissed: bool, at_risk: bool, form: str,
    user_id: str | None,
) -> None:  # fmt: skip
    """List the facts in summarized messages, with their fates.

    Covers all conversations, or the named one.
    """
    from inspector.answers.facts import FactsAtRisk, FollowedFacts, Wanted, facts_at_risk, follow_facts
    from inspector.answers.inspection import Inspection
    from inspector.export.facts import (
        facts_checklist,
        facts_documents,
        facts_memories,
        print_facts,
    )
    from inspector.export.masking import masker_of, masking_note

    if at_risk and (compaction is not None or after is not None or fates or pruned):
        raise UsageProblem(
            "--at-risk is about the next compaction: leave out --compaction, --after, --fate and --pruned."
        )
    if compaction is not None and after is not None and after < compaction:
        raise UsageProblem(
            f"Compaction {compaction} came after compaction {after}: --after must not be below --compaction."
        )
    if user_id is not None and form != "mem0":
        raise UsageProblem(
            "--user-id is a part of the payloads of --format mem0: add it, or leave out --user-id."
        )
    asked.as_json = asked.as_json or form == "json"
    carried = form in ("markdown", "mem0") and not asked.as_json
    wanted = Wanted(kinds, fates, roles, compaction, pruned, limit, after, dismissed)
    if compaction is None and after is None and not carried:
        answers, name = asked.one_or_all()
    else:
        answers, name = asked.one(
            "--compaction, --after, --format markdown and --format mem0 need a CONVERSATION."
        )

    follow: Callable[..., FollowedFacts | FactsAtRisk] = facts_at_risk if at_risk else follow_facts
    if not carried or name is None:
        kind = FactsAtRisk if at_risk else FollowedFacts
        ask = asked.kept("facts", lambda name: follow(answers, name, wanted), wanted, at_risk, kind=kind)
        asked.print_each(name, ask, print_facts, facts_documents)
        return
    answer = follow(answers, name, wanted)
    masker = masker_of(Inspection.open(answers.store, name), bool(asked.masking))
    if form == "markdown":
        click.echo(facts_checklist(answer, masker), nl=False)
    else:
        print_answer(facts_memories(answer, user_id or "", masker), True, print)
    for note in masking_note(masker):
        answers.note(note)
    asked.end()


@command("[PATH] [CONVERSATION]", covers_all=True)
@shared_options(mask_option, settings_options)
def measures(asked: Asked) -> None:
    """Measure how much each compaction kept and cost.

    Covers all conversations, or the named one.
    """
    from inspector.answers.measures import MeasuredConversation, measure
    from inspector.export.measures import measures_document, print_measures

    answers, name = asked.one_or_all()
    ask = asked.kept("measures", lambda name: measure(answers, name), kind=MeasuredConversation)
    asked.print_each(name, ask, print_measures, measures_document)


@command("[PATH] [CONVERSATION]")
@click.option("--generation", type=WHOLE, metavar="N", help="Counted from 1; default: the live one.")
@click.option(
    "--layout", type=click.Choice(["native", "envelope"]), help="Default: the layout of the provider."
)
@click.option(
    "--ttl", type=click.Choice(["5m", "1h"]), default=None, help="Default: the configured one, else 5m."
)
@shared_options(settings_options)
def breakpoints(
    asked: Asked, generation: int | None, layout: Literal["native", "envelope"] | None,
    ttl: Literal["5m", "1h"] | None,
) -> None:  # fmt: skip
    """Show the prompt-cache breakpoints of a generation."""
    from inspector.answers.cachepoints import cache_points
    from inspector.export.generations import breakpoints_document, print_breakpoints

    answers, name = asked.one()
    answer = cache_points(answers, name, generation, layout, ttl)
    asked.print(answer, print_breakpoints, breakpoints_document)


@command("[PATH] [CONVERSATION]", "next", covers_all=True)
@click.option("--pin", is_flag=True, help="Print only the text to pin.")
@shared_options(mask_option, settings_options)
def next_compaction(asked: Asked, pin: bool) -> None:
    """Show the next compaction before it happens.

    The answer has its distance, the messages to remove, the facts at risk, a text to pin, and the cost. Covers all
    conversations, or the named one.
    """
    from inspector.answers.upcoming import upcoming
    from inspector.export.upcoming import print_upcoming, upcoming_document
    from inspector.models.masking import Masker

    # Escapes in the text to pin would break secrets up, so the document is made without them.
    masker, asked.masking = Masker(bool(asked.masking)), None
    if pin:
        if asked.as_json:
            raise UsageProblem("--pin prints plain text. --json without --pin has the same text under `pin`.")
        answers, name = asked.one("--pin is about one CONVERSATION; name it.")
        answer = upcoming(answers, name)
        click.echo(masker(answer.pin), nl=False)
        if not answer.pin:
            why = (
                f"a compaction now would summarize nothing: {answer.reason}"
                if answer.reason
                else "no statement of the user is at risk"
            )
            answers.note(f"Nothing to pin: {why}.")
        asked.end()
        return
    answers, chosen = asked.one_or_all()
    asked.print_each(
        chosen,
        lambda conversation: upcoming(answers, conversation),
        lambda answer: print_upcoming(answer, masker),
        lambda answer: upcoming_document(answer, masker),
    )
