"""Attempts as JSON and text: orders and results, facts that each summary keeps, lives and recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.answers.attempt_life import CurvePoint
from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.recall import Recall
from inspector.core.shares import kept_of, share_of
from inspector.core.text import safe_title
from inspector.core.times import local_time
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, fields_of
from inspector.models.attempt import Attempt
from inspector.models.consent import Recipient, Sending
from inspector.quality.facts.fact import KINDS, Kind
from inspector.quality.facts.survival import KindSurvival

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


def print_outcomes(outcomes: Sequence[SummaryOutcome]) -> None:
    """Print a row for each summary, by compaction: the recorded summary first, then its attempts."""
    table = Table(*outcome_columns(outcomes))
    shown = None
    for outcome, (name, *cells) in zip(outcomes, outcome_rows(outcomes, _COLUMN), strict=True):
        if outcome.compaction != shown:
            shown = outcome.compaction
            table.add(f"Compaction {shown}")
        table.add(f"  {name}", *cells)
    print_table(table, "There is nothing to compare.")


def outcome_columns(outcomes: Sequence[SummaryOutcome]) -> list[str]:
    """Return the columns of a table of summaries."""
    kinds = (f">{kind}" for kind in _kinds(outcomes))
    return ["summary", *kinds, ">kept", ">budget", ">~tokens", ">~after", ">cost"]


def outcome_rows(outcomes: Sequence[SummaryOutcome], most: int = 200) -> list[list[str]]:
    """Return a row for each summary. Names of attempts have at most `most` characters."""
    kinds, rows = _kinds(outcomes), []
    for outcome in outcomes:
        attempt = outcome.attempt
        survival = {survival.kind: survival for survival in outcome.survival()}
        rows.append(
            [
                "recorded" if attempt is None else _heading(attempt, most),
                *(_kept(survival.get(kind)) for kind in kinds),
                kept_of(outcome.kept, outcome.of, unsure=outcome.open),
                "" if attempt is None else f"{attempt.budget:,}",
                f"{outcome.tokens:,}" if outcome.tokens else "–",
                "–" if outcome.retained is None else f"{outcome.retained:,}",
                "" if attempt is None else _cost(attempt),
            ]
        )
    return rows


def _kinds(outcomes: Sequence[SummaryOutcome]) -> list[Kind]:
    """Return the kinds of the facts that the compactions took."""
    there = {life.fact.kind for outcome in outcomes for life in outcome.lives}
    return [kind for kind in KINDS if kind in there]


def problems(attempts: Iterable[Attempt]) -> list[str]:
    """Return a sentence about the problem of each attempt that has one."""
    return [f"Attempt {one.id} ({one.name}): {one.problem}" for one in attempts if one.problem]


def _heading(attempt: Attempt, most: int) -> str:
    step = "" if attempt.place.step is None else f" at step {attempt.place.step:,}"
    return f"#{attempt.id} {_shortened(safe_title(attempt.name), most)}{step}{_state(attempt)}"


def _shortened(text: str, most: int) -> str:
    """Return a name without its middle, because the end of a command distinguishes it."""
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def _kept(survival: KindSurvival | None) -> str:
    if survival is None:
        return "–"
    return kept_of(survival.kept, survival.of, survival.weakened, survival.open)


def _state(attempt: Attempt) -> str:
    return "" if attempt.state == "finished" else f" ({attempt.state})"


def _cost(attempt: Attempt) -> str:
    return "–" if attempt.cost is None else f"{attempt.cost:.4f}"


def print_attempts(attempts: Sequence[Attempt]) -> None:
    """Print a row for each stored attempt."""
    table = Table(
        ">id", "made", "conversation", ">at", "by", "prompt", ">budget", ">~summary", ">sent", ">cost", "state",
    )  # fmt: skip
    for attempt in attempts:
        place = attempt.place
        table.add(
            attempt.id,
            local_time(attempt.at),
            safe_title(attempt.title or place.root, 24),
            f"{place.compaction}{'' if place.step is None else f' at {place.step:,}'}",
            _shortened(safe_title(attempt.name), _LISTED),
            safe_title(attempt.prompt_name, 16),
            f"{attempt.budget:,}",
            f"{attempt.tokens:,}",
            f"{'' if attempt.reported else '~'}{attempt.sent:,}",
            _cost(attempt),
            attempt.state + (f", life {attempt.life}" if attempt.life else ""),
        )
    print_table(table, "No attempts are stored. `compaction-inspector attempt` makes one.")


def print_attempt(attempt: Attempt) -> None:
    """Print an attempt with its summary."""
    place = attempt.place
    say(f"#{attempt.id} {safe_title(attempt.name)}{_state(attempt)}", "bold")
    say(
        f"compaction {place.compaction} of {safe_title(attempt.title or place.root)} · "
        f"prompt {attempt.prompt_name} · budget {attempt.budget:,} tokens",
        "dim",
    )
    if attempt.problem:
        say(attempt.problem, "yellow")
    say()
    for line in attempt.summary.splitlines() or ["(no text came)"]:
        say(line)


def print_curve(points: Sequence[CurvePoint], life: int | None) -> None:
    """Print the survival over the compactions of a life, with recorded and with new summaries."""
    say(f"Facts that can still be read{f', life {life}' if life else ''}", "bold")
    table = Table(">after", ">facts", ">recorded", ">again", "curve")
    for point in points:
        of, recorded, made = point.of, point.recorded, point.made
        bars = f"{_bar(recorded, of, '░')} {_bar(made, of, '▓')}"
        table.add(point.compaction, of, share_of(recorded, of), share_of(made, of), bars)
    print_table(table)


def _bar(count: int, of: int, sign: str) -> str:
    return f"{sign * round(20 * count / of if of else 0):<20}"


def print_recall(recalls: Sequence[Recall]) -> None:
    """Print the answers, one line per question, and their agreement with the fates."""
    for number, recall in enumerate(recalls):
        if number:
            say()
        outcome, agreed = recall.outcome, recall.agreement
        which = "recorded summary" if outcome.attempt is None else f"attempt #{outcome.attempt.id}"
        right = f"{recall.right} of {len(recall.answered)} right"
        say(f"Compaction {outcome.compaction}, {which}: {right}", "bold")
        for answered in recall.answered:
            sign, question = "=" if answered.right else "✗", answered.question
            answer = safe_title(answered.answer or "no answer", 60)
            say(f" {sign} {safe_title(question.value.text, 40)} ← {answer}  [{answered.fate.outcome}]")
            say(f"     {safe_title(question.text, 200)}", "dim")
        say(
            f"Answers agree with {agreed.both + agreed.neither} of {agreed.of} known fates. "
            f"Kept, but not answered: {agreed.unanswered}. "
            f"Gone, but answered: {agreed.answered}. Uncertain fates: {agreed.open}."
        )
