"""The judgement of a model: statements with fates, each with quotes that are checked against the texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from msgspec import Struct

from inspector.core.text import safe_title
from inspector.quality.facts.fact import KEPT, KINDS, OUTCOMES, Fact, Kind, Life, Outcome

#: Fates that a model must prove with a quote of what stayed.
_PROVEN = ("verbatim", "paraphrased", "weakened", "value lost", "contradicted")
_ROLES = ("user", "assistant", "tool")
_SIGNS = re.compile(r"[^\w]+")
#: Statements of one answer, and characters of one quote, that are read.
MAX_STATEMENTS = 200
MAX_QUOTE = 2_000
#: Minimum share of the letters of a model's quote that a fact inside it has, for the two to be one statement.
SAME_STATEMENT = 0.6
#: Maximum number of a model's wrong words that are shown, and of characters of each.
_WORDS, _WORD = 5, 40


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
    are uncertain. `wrong_words` names the unknown kind or fate of each other statement that was dropped."""

    statements: tuple[QuotedStatement, ...] = ()
    dropped: int = 0
    unproven: int = 0
    wrong_words: tuple[str, ...] = ()


class Decided(Struct, frozen=True):
    """The fates and their evidence in an answer about facts, by the id of the fact.

    `unproven` fates had evidence that is not in the text. `wrong_words` names the unknown fate or id of each other
    statement that was dropped."""

    fates: dict[str, tuple[Outcome, str]] = {}
    unproven: int = 0
    wrong_words: tuple[str, ...] = ()


class RepeatedQuotes(Struct, frozen=True):
    """What a later message of the user repeats, in an answer: pairs of a later and an earlier quote.

    `dropped` pairs had a quote that is not in the texts.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    dropped: int = 0


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
    wrong_words: list[str] = []
    dropped = unproven = 0
    for entry in _entries(answer)[:MAX_STATEMENTS]:
        quote, evidence = _text(entry.get("quote")), _text(entry.get("evidence"))
        kind, role = entry.get("kind"), entry.get("role")
        fate = _fate(entry)
        if not letters(quote) or letters(quote) not in in_piece:
            dropped += 1
            continue
        if kind not in KINDS or fate is None:
            wrong_words.append(_wrong(entry, "fate" if fate is None else "kind"))
            continue
        if fate in _PROVEN and (not letters(evidence) or letters(evidence) not in in_after):
            unproven += 1
            fate, evidence = "uncertain", ""
        importance = entry.get("importance")
        weight = importance if isinstance(importance, int) and 1 <= importance <= 3 else 1
        speaker = role if role in _ROLES else "user"
        statements.append(QuotedStatement(quote, speaker, kind, weight, fate, evidence))
    return Judged(tuple(statements), dropped, unproven, tuple(wrong_words))


def decided(answer: str, ids: Iterable[str], after: str) -> Decided:
    """Read a model's answer about facts with these ids.

    Uncertain fates, unknown ids, and fates whose evidence is not in `after` word for word are left out. Raises
    ValueError with a sentence where it is not the asked JSON.
    """
    wanted, in_after = frozenset(ids), letters(after)
    fates: dict[str, tuple[Outcome, str]] = {}
    wrong_words: list[str] = []
    unproven = 0
    for entry in _entries(answer):
        fate, identity, evidence = _fate(entry), _text(entry.get("id")), _text(entry.get("evidence"))
        if identity not in wanted or fate is None:
            wrong_words.append(_wrong(entry, "fate" if fate is None else "id"))
            continue
        proven = fate in _PROVEN and letters(evidence) and letters(evidence) in in_after
        if fate == "lost" or proven:
            fates.setdefault(identity, (fate, evidence if proven else ""))
        elif fate in _PROVEN:
            unproven += 1
    return Decided(fates, unproven, tuple(wrong_words))


def repeated_quotes(answer: str, earlier: str, later: str) -> RepeatedQuotes:
    """Read a model's answer about repeated statements and check its quotes.

    Raises ValueError with a sentence where it is not the asked JSON.
    """
    in_earlier, in_later = letters(earlier), letters(later)
    quotes = [(_text(entry.get("later")), _text(entry.get("earlier"))) for entry in _entries(answer)]
    pairs = [
        (now, before)
        for now, before in quotes
        if letters(now) and letters(before) and letters(now) in in_later and letters(before) in in_earlier
    ]
    return RepeatedQuotes(tuple(dict.fromkeys(pairs)), len(quotes) - len(pairs))


def joined(answers: Iterable[Judged]) -> Judged:
    """The statements of several pieces, each quote once, the most important first."""
    by_quote: dict[str, QuotedStatement] = {}
    wrong_words: list[str] = []
    dropped = unproven = 0
    for answer in answers:
        dropped, unproven = dropped + answer.dropped, unproven + answer.unproven
        wrong_words += answer.wrong_words
        for statement in answer.statements:
            by_quote.setdefault(letters(statement.quote), statement)
    statements = tuple(sorted(by_quote.values(), key=lambda one: -one.importance))
    return Judged(statements, dropped, unproven, tuple(wrong_words))


def agreement(statements: Sequence[QuotedStatement], lives: Sequence[Life]) -> FactAgreement:
    """Compare the statements of a model with the facts of the rules about the same compaction."""
    facts, keys = {life.fact.key for life in lives}, set()
    both = same = undecided = 0
    for statement, life in zip(statements, matched(statements, lives), strict=True):
        if life is None:
            continue
        both += 1
        keys.add(life.fact.key)
        if not life.fate.settled or statement.fate in ("uncertain", "unknown"):
            undecided += 1
        else:
            same += life.fate.alive == (statement.fate in KEPT)
    return FactAgreement(both, same, undecided, len(statements) - both, len(facts - keys))


def matched(statements: Sequence[QuotedStatement], lives: Sequence[Life]) -> list[Life | None]:
    """The most similar fact of the rules for each statement of a model; None where the rules have none."""
    texts = [letters(life.fact.text) for life in lives]
    places = (_most_similar(letters(statement.quote), texts) for statement in statements)
    return [None if place is None else lives[place] for place in places]


def most_similar(quote: str, facts: Sequence[Fact]) -> Fact | None:
    """The fact that is most similar to a quote; None if none is the same statement."""
    place = _most_similar(letters(quote), [letters(fact.text) for fact in facts])
    return None if place is None else facts[place]


def _most_similar(quote: str, texts: Sequence[str]) -> int | None:
    shares = [(_common_share(quote, text), place) for place, text in enumerate(texts)]
    share, place = max(shares, key=itemgetter(0), default=(0.0, 0))
    return place if share else None


def wrong_words_note(wrong_words: Sequence[str]) -> str:
    """Return a sentence about statements with an unknown kind, fate or id, or "" if there are none."""
    if not wrong_words:
        return ""
    shown = dict.fromkeys(safe_title(word, _WORD) for word in wrong_words[:_WORDS])
    words = ", ".join((*shown, "...") if len(wrong_words) > _WORDS else shown)
    return f" Dropped, because a word of the answer is unknown: {len(wrong_words):,} ({words})."


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


def _common_share(quote: str, fact: str) -> float:
    """Return the share that the shorter text has of the longer one; 0 if they are not one statement.

    The quote may be any part of the fact: the rules keep a whole sentence, with words such as "I told you already".
    """
    if quote in fact:
        return len(quote) / len(fact) if fact else 0.0
    share = len(fact) / len(quote) if fact in quote else 0.0
    return share if share >= SAME_STATEMENT else 0.0


def _fate(entry: dict[str, Any]) -> Outcome | None:
    return entry.get("fate") if entry.get("fate") in OUTCOMES else None


def _wrong(entry: dict[str, Any], name: str) -> str:
    word = _text(entry.get(name))
    return f'{name} "{word}"' if word else f"no {name}"


def _entries(answer: str) -> list[dict[str, Any]]:
    """Return the entries of an answer. Any that is not an object is empty, so that it counts as unusable."""
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
    return [entry if isinstance(entry, dict) else {} for entry in document]


def _text(value: object) -> str:
    return value[:MAX_QUOTE] if isinstance(value, str) else ""
