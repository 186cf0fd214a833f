"""The judgement of a model: statements with fates, each with quotes that are checked against the texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from inspector.quality.facts.fact import KEPT, KINDS, OUTCOMES, Kind, Life, Outcome

#: Fates that a model must prove with a quote of what stayed.
_PROVEN = ("verbatim", "paraphrased", "weakened", "value lost", "contradicted")
_ROLES = ("user", "assistant", "tool")
_SIGNS = re.compile(r"[^\w]+")
#: Statements of one answer, and characters of one quote, that are read.
MAX_STATEMENTS = 200
MAX_QUOTE = 2_000
#: Minimum share of the letters of the shorter text, for a statement of the model and a fact of the rules to be one.
SAME_STATEMENT = 0.6


class QuotedStatement(Struct, frozen=True):
    """A statement that a model found in what was summarized.

    `quote` and `evidence` are in the texts word for word, but for spaces and signs. `importance` is 1 to 3.
    """

    quote: str
    role: str
    kind: Kind
    importance: int
    fate: Outcome
    evidence: str


class Judged(Struct, frozen=True):
    """The statements of one answer. `dropped` quotes were not in the text; `unproven` fates had no evidence in it and
    are uncertain."""

    statements: tuple[QuotedStatement, ...] = ()
    dropped: int = 0
    unproven: int = 0


class FactAgreement(Struct, frozen=True):
    """Comparison of the facts of the rules with the statements of a model.

    `both` is the number of statements that both found. Of these, `same` have fates on the same side (readable or not),
    and `open` have a fate that one of the two leaves open."""

    both: int
    same: int
    open: int
    only_model: int
    only_rules: int


def judged(answer: str, piece: str, after: str) -> Judged:
    """Read a model's answer and check its quotes. Raises ValueError with a sentence where it is not the asked JSON."""
    in_piece, in_after = letters(piece), letters(after)
    statements: list[QuotedStatement] = []
    dropped = unproven = 0
    for entry in _entries(answer)[:MAX_STATEMENTS]:
        quote, evidence = _text(entry.get("quote")), _text(entry.get("evidence"))
        kind, role = entry.get("kind"), entry.get("role")
        fate: Outcome | None = entry.get("fate") if entry.get("fate") in OUTCOMES else None
        if not letters(quote) or letters(quote) not in in_piece or kind not in KINDS or fate is None:
            dropped += 1
            continue
        if fate in _PROVEN and (not letters(evidence) or letters(evidence) not in in_after):
            unproven += 1
            fate, evidence = "uncertain", ""
        importance = entry.get("importance")
        weight = importance if isinstance(importance, int) and 1 <= importance <= 3 else 1
        speaker = role if role in _ROLES else "user"
        statements.append(QuotedStatement(quote, speaker, kind, weight, fate, evidence))
    return Judged(tuple(statements), dropped, unproven)


def decided(answer: str, ids: Iterable[str], after: str) -> dict[str, tuple[Outcome, str]]:
    """Read a model's answer about facts: the fate and its evidence by the id of the fact.

    Uncertain fates, unknown ids, and fates whose evidence is not in `after` word for word are left out. Raises
    ValueError with a sentence where it is not the asked JSON.
    """
    wanted, in_after = frozenset(ids), letters(after)
    fates: dict[str, tuple[Outcome, str]] = {}
    for entry in _entries(answer):
        fate: Outcome | None = entry.get("fate") if entry.get("fate") in OUTCOMES else None
        identity, evidence = _text(entry.get("id")), _text(entry.get("evidence"))
        proven = fate in _PROVEN and letters(evidence) and letters(evidence) in in_after
        if identity in wanted and fate is not None and (fate == "lost" or proven):
            fates.setdefault(identity, (fate, evidence if proven else ""))
    return fates


def joined(answers: Iterable[Judged]) -> Judged:
    """The statements of several pieces, each quote once, the most important first."""
    by_quote: dict[str, QuotedStatement] = {}
    dropped = unproven = 0
    for answer in answers:
        dropped, unproven = dropped + answer.dropped, unproven + answer.unproven
        for statement in answer.statements:
            by_quote.setdefault(letters(statement.quote), statement)
    return Judged(tuple(sorted(by_quote.values(), key=lambda one: -one.importance)), dropped, unproven)


def agreement(statements: Sequence[QuotedStatement], lives: Sequence[Life]) -> FactAgreement:
    """Compare the statements of a model with the facts of the rules about the same compaction."""
    both = same = undecided = 0
    for statement, life in zip(statements, matched(statements, lives), strict=True):
        if life is None:
            continue
        both += 1
        if not life.fate.settled or statement.fate in ("uncertain", "unknown"):
            undecided += 1
        else:
            same += life.fate.alive == (statement.fate in KEPT)
    facts = {life.fact.key for life in lives}
    return FactAgreement(both, same, undecided, len(statements) - both, len(facts) - both)


def matched(statements: Sequence[QuotedStatement], lives: Sequence[Life]) -> list[Life | None]:
    """The fact of the rules for each statement of a model, each fact once; None where the rules have none."""
    left = {life.fact.key: (letters(life.fact.text), life) for life in lives}
    found: list[Life | None] = []
    for statement in statements:
        mine = letters(statement.quote)
        key = next((key for key, (theirs, _) in left.items() if _same(mine, theirs)), None)
        found.append(None if key is None else left.pop(key)[1])
    return found


def pieces_of(texts: Iterable[str], limit: int) -> list[str]:
    """Join texts into pieces with at most `limit` characters. A longer text is split."""
    pieces: list[str] = []
    size = 0
    current: list[str] = []
    for text in texts:
        for start in range(0, max(1, len(text)), limit):
            part = text[start : start + limit]
            if current and size + len(part) > limit:
                pieces.append("\n\n".join(current))
                current, size = [], 0
            current.append(part)
            size += len(part) + 2
    if current:
        pieces.append("\n\n".join(current))
    return pieces


def letters(text: str) -> str:
    """A text as quotes are compared: letters and digits in lower case, without spaces and signs."""
    return _SIGNS.sub("", text.lower())


def _same(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return bool(shorter) and shorter in longer and len(shorter) >= SAME_STATEMENT * len(longer)


def _entries(answer: str) -> list[dict[str, Any]]:
    start = min((at for at in (answer.find("{"), answer.find("[")) if at >= 0), default=-1)
    end = max(answer.rfind("}"), answer.rfind("]"))
    try:
        document = json.loads(answer[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        document = document.get("statements")
    if not isinstance(document, list):
        raise ValueError("The answer is not the JSON that was asked for.")
    return [entry for entry in document if isinstance(entry, dict)]


def _text(value: object) -> str:
    return value[:MAX_QUOTE] if isinstance(value, str) else ""
