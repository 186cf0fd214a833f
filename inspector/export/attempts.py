"""Attempts as JSON and text: orders and results, facts that each summary keeps, lives and recall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.recall import Recall
from inspector.core.shares import kept_of, percent
from inspector.core.text import safe_title
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, fields_of
from inspector.models.attempt import Attempt
from inspector.models.consent import Recipient, Sending
from inspector.quality.facts.fact import KINDS

#: Names in a table of survival, and in the list, in characters.
_COLUMN, _LISTED = 26, 32


def attempt_document(attempt: Attempt, full: bool = False) -> Document:
    """Return an attempt; with `full`, its prompt and the whole summary too."""
    document: Document = {
        **fields_of(
            attempt,
            "id conversation=place.root title agent store=place.store compaction=place.compaction",
            "step=place.step life at state problem kind to=where model:null prompt=prompt_name budget settings",
            "summary_tokens=tokens sent_tokens=sent received_tokens=received tokens_reported=reported",
        ),
        "seconds": round(attempt.seconds, 3),
        "cost": None
        if attempt.cost is None
        else {"currency": "USD", "amount": attempt.cost, "prices_of": attempt.prices},
    }
    return document | fields_of(attempt, "summary prompt_text=prompt") if full else document


def outcome_document(outcome: SummaryOutcome) -> Document:
    """Return the facts that a summary keeps, with its attempt (null for the recorded summary)."""
    return {
        "compaction": outcome.compaction,
        "attempt": None if outcome.attempt is None else attempt_document(outcome.attempt),
        **fields_of(outcome, "summary_tokens=tokens retained_tokens=retained kept of open"),
        "survival": {
            survival.kind: fields_of(survival, "kept weakened lost open of")
            for survival in outcome.survival()
        },
        "facts": [fields_of(life, "key=fact.key category=kind text fate=outcome") for life in outcome.lives],
    }


def sending_document(sending: Sending) -> Document:
    """Return an order, sent or not."""
    return {
        "to": [fields_of(recipient, "to") | _size(recipient) for recipient in sending.recipients],
        **_size(sending),
        **fields_of(sending, "masking masked"),
    }


def _size(sent: Sending | Recipient) -> Document:
    return fields_of(sent, "prompts=requests tokens cost=cost.amount")


def recall_document(recall: Recall) -> Document:
    """Return the answers from one list."""
    return {
        **fields_of(recall, "compaction=outcome.compaction attempt=outcome.attempt.id"),
        "asked": len(recall.answered),
        "right": recall.right,
        "agreement": fields_of(
            recall.agreement,
            "share of both neither judged_there_not_answered=unanswered judged_gone_answered=answered open",
        ),
        "questions": [
            fields_of(
                answer,
                "question=question.text value=question.value.text answer right fate=fate.outcome",
                "key=question.fact.key",
            )
            for answer in recall.answered
        ],
    }


def print_outcomes(documents: Sequence[Document]) -> None:
    """Print a row for each summary, by compaction: the recorded summary first, then its attempts."""
    kinds = [kind for kind in KINDS if any(kind in entry["survival"] for entry in documents)]
    table = Table(
        "summary", *(f">{kind}" for kind in kinds), ">kept", ">budget", ">~tokens", ">~after", ">cost"
    )
    shown = None
    for entry in documents:
        if entry["compaction"] != shown:
            shown = entry["compaction"]
            table.add(f"Compaction {shown}")
        attempt = entry["attempt"]
        table.add(
            f"  {'recorded' if attempt is None else _heading(attempt)}",
            *(_kept(entry["survival"].get(kind)) for kind in kinds),
            kept_of(entry["kept"], entry["of"], unsure=entry["open"]),
            "" if attempt is None else f"{attempt['budget']:,}",
            f"{entry['summary_tokens']:,}",
            f"{entry['retained_tokens']:,}",
            "" if attempt is None else _cost(attempt),
        )
    print_table(table, "There is nothing to compare.")


def _heading(attempt: Document) -> str:
    step = "" if attempt["step"] is None else f" at step {attempt['step']:,}"
    return f"#{attempt['id']} {_shortened(_named(attempt), _COLUMN)}{step}{_state(attempt)}"


def _shortened(text: str, most: int) -> str:
    """Return a name without its middle, because the end of a command distinguishes it."""
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def _kept(survival: Document | None) -> str:
    if survival is None:
        return "–"
    return kept_of(survival["kept"], survival["of"], survival["weakened"], survival["open"])


def _named(attempt: Document) -> str:
    return safe_title(attempt["model"] or attempt["to"])


def _state(attempt: Document) -> str:
    return "" if attempt["state"] == "finished" else f" ({attempt['state']})"


def _cost(attempt: Document) -> str:
    return "–" if attempt["cost"] is None else f"{attempt['cost']['amount']:.4f}"


def print_attempts(documents: Sequence[Document]) -> None:
    """Print a row for each stored attempt."""
    table = Table(
        ">id", "made", "conversation", ">at", "by", "prompt", ">budget", ">~summary", ">sent", ">cost", "state",
    )  # fmt: skip
    for entry in documents:
        step = "" if entry["step"] is None else f" at {entry['step']:,}"
        table.add(
            entry["id"],
            datetime.fromtimestamp(entry["at"]).strftime("%d %b %H:%M"),
            safe_title(entry["title"] or entry["conversation"], 24),
            f"{entry['compaction']}{step}",
            _shortened(_named(entry), _LISTED),
            safe_title(entry["prompt"], 16),
            f"{entry['budget']:,}",
            f"{entry['summary_tokens']:,}",
            f"{'' if entry['tokens_reported'] else '~'}{entry['sent_tokens']:,}",
            _cost(entry),
            entry["state"] + (f", life {entry['life']}" if entry["life"] else ""),
        )
    print_table(table, "No attempts are stored. `compaction-inspector attempt` makes one.")


def print_attempt(entry: Document) -> None:
    """Print an attempt with its summary."""
    say(f"#{entry['id']} {_named(entry)}{_state(entry)}", "bold")
    say(
        f"compaction {entry['compaction']} of {safe_title(entry['title'] or entry['conversation'])} · "
        f"prompt {entry['prompt']} · budget {entry['budget']:,} tokens",
        "dim",
    )
    if entry["problem"]:
        say(entry["problem"], "yellow")
    say()
    for line in entry["summary"].splitlines() or ["(no text came)"]:
        say(line)


def print_curve(points: Sequence[Document], life: int | None) -> None:
    """Print the survival over the compactions of a life, with recorded and with new summaries."""
    say(f"Facts that can still be read{f', life {life}' if life else ''}", "bold")
    table = Table(">after", ">facts", ">recorded", ">again", "curve")
    for point in points:
        of = point["of"]
        table.add(
            point["compaction"],
            of,
            _share(point["recorded"], of),
            _share(point["made"], of),
            f"{_bar(point['recorded'], of, '░')} {_bar(point['made'], of, '▓')}",
        )
    print_table(table)


def _share(count: int, of: int) -> str:
    return f"{percent(count / of)} {count}/{of}" if of else "–"


def _bar(count: int, of: int, sign: str) -> str:
    return f"{sign * round(20 * count / of if of else 0):<20}"


def print_recall(documents: Sequence[Document]) -> None:
    """Print the answers, one line per question, and their agreement with the fates."""
    for number, entry in enumerate(documents):
        if number:
            say()
        which = "recorded summary" if entry["attempt"] is None else f"attempt #{entry['attempt']}"
        say(f"Compaction {entry['compaction']}, {which}: {entry['right']} of {entry['asked']} right", "bold")
        for question in entry["questions"]:
            sign = "=" if question["right"] else "✗"
            answer = safe_title(question["answer"] or "no answer", 60)
            say(f" {sign} {safe_title(question['value'], 40)} ← {answer}  [{question['fate']}]")
            say(f"     {safe_title(question['question'], 200)}", "dim")
        agreed = entry["agreement"]
        agree = agreed["both"] + agreed["neither"]
        say(
            f"Answers agree with {agree} of {agreed['of']} known fates. "
            f"Kept, but not answered: {agreed['judged_there_not_answered']}. "
            f"Gone, but answered: {agreed['judged_gone_answered']}. Uncertain fates: {agreed['open']}."
        )
