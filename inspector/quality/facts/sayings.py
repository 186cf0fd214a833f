"""One fact, many sayings: what was said of it where, and what says the same in other words joined into one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from inspector.quality.facts.fact import Saying, Statement

#: Points for who says it and for the kind; how much surer a rule of the agent's weighs; what was pasted, asked or is an
#: errand loses.
ROLE = {"user": 100.0, "assistant": 5.0, "tool": 15.0}
KIND = {"constraint": 30.0, "preference": 28.0, "decision": 26.0, "value": 14.0, "link": 12.0}
_SURE = 3.0
_PASTED, _ASKED, _ERRAND = 45.0, 40.0, 30.0
#: What the keys of values begin with.
VALUE = "value "
# What the rules of values begin with.
_VALUED = "value."
#: A text of so many characters may be the beginning of the same said at more length.
_BEGUN = 24
#: Fewer words than these may well be of something else.
_FEWEST = 3
#: A message is sent again within so many messages.
_AGAIN = 4


@dataclass(slots=True)
class Gathered:
    """A fact while its sayings are collected; `statement` is the one whose words are shown, `best` its number among
    them. `crowded`: it was said first among very many."""

    statement: Statement
    sayings: list[tuple[Saying, Statement]]
    best: int = 0
    crowded: bool = False


def weight_of(statement: Statement, role: str) -> float:
    """How much a statement counts by who says it, what it is and how sure its rule is."""
    # What the agent says is ordered by how sure it is: a cause that it found matters as much as a choice.
    sure = _SURE * statement.strength if role == "assistant" else KIND[statement.kind] + statement.strength
    return (
        ROLE.get(role, 0.0)
        + sure
        - _PASTED * statement.pasted
        - _ASKED * statement.asked
        - (_ERRAND * statement.rule.endswith(".errand"))
    )


def add(found: dict[str, Gathered], key: str, statement: Statement, saying: Saying, crowded: bool) -> None:
    """Collect a saying under the key of its fact; the words of the one that counts most are shown."""
    entry = found.get(key)
    if entry is None:
        found[key] = Gathered(statement, [(saying, statement)], crowded=crowded)
        return
    entry.sayings.append((saying, statement))
    now, was = (
        weight_of(statement, saying.role),
        weight_of(entry.statement, entry.sayings[entry.best][0].role),
    )
    if now > was:
        entry.statement, entry.best = statement, len(entry.sayings) - 1


def _join(found: dict[str, Gathered], key: str, into: str) -> None:
    for saying, statement in found.pop(key).sayings:
        add(found, into, statement, saying, found[into].crowded)


def join_alike(found: dict[str, Gathered]) -> None:
    """Join what says the same in other words: sent again at more length, told again in fewer words."""
    _join_begun(found)
    _join_measured(found)
    _join_shorter(found)
    _join_repeated(found)


def _join_begun(found: dict[str, Gathered]) -> None:
    """Join what a user began to say with what was said at more length when the message was sent again."""
    bare = {key: key.rstrip(" ?？") for key in found if not key.startswith(VALUE) and len(key) >= _BEGUN}
    longer = ""
    for key in sorted(bare, key=bare.__getitem__, reverse=True):
        ended = longer[len(bare[key]) :]
        begins = longer.startswith(bare[key]) and not ended[:1].isalnum()
        if begins and _sent_again(found[key], found[longer]):
            _join(found, key, longer)
        else:
            longer = key


def _join_measured(found: dict[str, Gathered]) -> None:
    """Join what the agent measured and told again in fewer words ("172 tests passing, 93 % coverage")."""
    measured: dict[frozenset[tuple[str, str]], list[str]] = defaultdict(list)
    for key, one in found.items():
        values = frozenset((v.canon, v.unit) for v in one.statement.values if not v.distinctive)
        if len(values) > 1 and all(saying.role == "assistant" for saying, _ in one.sayings):
            measured[values].append(key)
    by_value: dict[tuple[str, str], list[tuple[frozenset[tuple[str, str]], str]]] = defaultdict(list)
    for values, keys in measured.items():
        for value in values:
            by_value[value] += [(values, key) for key in keys]
    for values, keys in measured.items():
        for key in keys:
            if key not in found:
                continue
            for others, other in min((by_value[value] for value in values), key=len):
                if (
                    other != key
                    and other in found
                    and values <= others
                    and _says_less(found[key], found[other])
                ):
                    _join(found, key, other)
                    break


def _join_shorter(found: dict[str, Gathered]) -> None:
    """Join what the agent said with the same said at more length: by the same rule, with all its words and values."""
    said: dict[str, frozenset[str]] = {}
    having: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, one in found.items():
        things = frozenset(one.statement.things)
        if len(things) >= _FEWEST and all(saying.role == "assistant" for saying, _ in one.sayings):
            said[key] = things
            for thing in things:
                having[one.statement.rule, thing].append(key)
    for key in sorted(said, key=lambda key: len(said[key])):
        rule = found[key].statement.rule
        values = _values_of(found[key])
        rarest = min((having[rule, thing] for thing in said[key]), key=len)
        for other in rarest:
            longer = other in found and said[key] < said[other]
            if longer and values <= _values_of(found[other]):
                _join(found, key, other)
                break


def _join_repeated(found: dict[str, Gathered]) -> None:
    """Join what gives the same single value of the agent's ("live on port 80") with the longest that does, where a word
    beside it is the same too."""
    giving: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, one in found.items():
        if one.statement.rule.startswith(_VALUED) and all(
            saying.role == "assistant" for saying, _ in one.sayings
        ):
            for value in _values_of(one):
                giving[value].append(key)
    for keys in giving.values():
        longest: list[str] = []
        for key in sorted(
            (key for key in keys if key in found), key=lambda key: -len(found[key].statement.things)
        ):
            things, values = frozenset(found[key].statement.things), _values_of(found[key])
            same = next(
                (
                    other
                    for other in longest
                    if values <= _values_of(found[other])
                    and not things.isdisjoint(found[other].statement.things)
                ),
                None,
            )
            if same is None:
                longest.append(key)
            else:
                _join(found, key, same)


def _values_of(one: Gathered) -> set[tuple[str, str]]:
    return {(value.canon, value.unit) for value in one.statement.values}


def _says_less(one: Gathered, other: Gathered) -> bool:
    """Whether a statement has fewer words of its own, and half of them are words of the other."""
    mine, theirs = frozenset(one.statement.things), frozenset(other.statement.things)
    return len(mine) < len(theirs) and len(mine & theirs) * 2 >= len(mine)


def _sent_again(begun: Gathered, longer: Gathered) -> bool:
    steps = [[saying.step for saying, _ in one.sayings] for one in (begun, longer)]
    spoken = all(saying.role == "user" for one in (begun, longer) for saying, _ in one.sayings)
    return spoken and 0 < min(steps[1]) - max(steps[0]) <= _AGAIN
