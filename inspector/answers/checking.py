"""A check for CI and evals: conditions on losses, aftermath and findings, with a baseline of known cases."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.each import StoreQuestion, ask_each
from inspector.answers.fact_results import read_conversation_aftermath, read_losses
from inspector.answers.findings import read_findings, split_dismissed
from inspector.answers.store_losses import ConversationLosses, uncertain_losses, unknown_losses
from inspector.core.conversations import ConversationRow
from inspector.core.errors import BadInput, UsageProblem
from inspector.core.text import distinct_titles
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.catalogue import RULES
from inspector.quality.facts.fact import Kind
from inspector.quality.finding import SEVERITIES, Finding
from inspector.quality.grouping import dismissal_key

#: The condition that counts all repeated work after compactions.
AFTERMATH = "aftermath"
#: Default conditions: lost context, or a lost constraint of the user.
DEFAULT = ("error", "constraint-lost")


class Condition(Struct, frozen=True):
    """A condition that fails a check: `name` is a rule, a severity or "aftermath", met from `least` cases on."""

    name: str
    least: int = 1

    def __str__(self) -> str:
        return self.name if self.least == 1 else f"{self.name}:{self.least}"


class Case(Struct, frozen=True):
    """One thing that a condition counts. `key` is the same in every run of the same conversation."""

    condition: str
    severity: str
    rule: str
    row: ConversationRow
    store: str
    compaction: int | None
    text: str
    key: str


class MetCondition(Struct, frozen=True):
    """A condition with its new cases."""

    condition: Condition
    cases: tuple[Case, ...]

    @property
    def failed(self) -> bool:
        """Whether the condition fails the check."""
        return len(self.cases) >= self.condition.least


class CheckResult(Struct, frozen=True):
    """The outcome of a check. `unknown` are sentences about unreadable data. `baseline` is the number of known cases.

    `lost` counts the lost facts of all checked conversations by kind, as `losses` lists them, `uncertain` the facts
    that may be lost, and `by_model` the facts whose fate is by a model of the user. `doubts` are sentences about
    languages in which losses may not be recognized.
    """

    conversations: int
    met: tuple[MetCondition, ...]
    unknown: tuple[str, ...]
    baseline: int
    allow_unknown: bool
    lost: Mapping[Kind, int]
    uncertain: int
    by_model: int
    doubts: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a condition is met, or something is unknown and this is not allowed."""
        return any(met.failed for met in self.met) or bool(self.unknown and not self.allow_unknown)

    @property
    def sentence(self) -> str:
        """The reason why the check failed, in a sentence."""
        names = [f"{len(met.cases):,} × {met.condition.name}" for met in self.met if met.failed]
        if self.unknown and not self.allow_unknown:
            names.append(f"{len(self.unknown):,} × unknown (--allow-unknown passes them)")
        return f"The check failed: {', '.join(names)}."


def parse_condition(text: str) -> Condition:
    """Parse NAME or NAME:N. Raises UsageProblem."""
    name, _, number = text.partition(":")
    if name not in RULES and name not in SEVERITIES and name != AFTERMATH:
        raise UsageProblem(
            f"{text!r} is not a condition. Give a rule (docs/findings.md lists them), a severity "
            f"({', '.join(SEVERITIES)}) or {AFTERMATH}, each with :N for at least N cases."
        )
    if number and not (number.isdecimal() and int(number[:9]) >= 1 and len(number) <= 9):
        raise UsageProblem(f"{text!r}: the number of cases must be a whole number from 1 on.")
    return Condition(name, int(number) if number else 1)


def check(
    answers: Answers, names: Sequence[str], conditions: Sequence[Condition], baseline_keys: Iterable[str] = (),
    allow_unknown: bool = False,
) -> CheckResult:  # fmt: skip
    """Check the named conversations, or all of a store. `baseline_keys` are the keys of cases that do not count.

    Raises UnknownConversation, and StoreErrors of the whole store. A conversation that cannot be read is unknown.
    """
    store, baseline = answers.store, frozenset(baseline_keys)
    rows = answers.rows(names)
    cases_of: dict[Condition, list[Case]] = {condition: [] for condition in conditions}
    unknown: list[str] = []
    old = 0
    lost: Counter[Kind] = Counter()
    uncertain = by_model = 0
    results = {
        row.id: result for row, result in ask_each(answers, rows, StoreQuestion(read_for_check, raises=False))
    }
    titles = distinct_titles({row.id: row.unmasked_title for row in rows})
    for row in rows:
        if row.id not in results:
            continue
        findings, events, losses = results[row.id]
        lost.update(losses.lost)
        uncertain += losses.uncertain
        by_model += losses.by_model
        unknown += [f"{titles[row.id]}: {sentence}" for sentence in unknown_losses([losses])]
        for condition, cases in cases_of.items():
            for case in _cases(condition, row, str(store.path), findings, events):
                if case.key in baseline:
                    old += 1
                else:
                    cases.append(case)
    none = [] if rows else ["There is no conversation to check."]
    unknown = [*store.notes, *answers.unread, *none, *unknown]
    met = tuple(MetCondition(condition, tuple(cases)) for condition, cases in cases_of.items())
    problems = tuple(dict.fromkeys(unknown))
    doubts = tuple(uncertain_losses([losses for _, _, losses in results.values()]))
    return CheckResult(len(rows), met, problems, old, allow_unknown, lost, uncertain, by_model, doubts)


def read_for_check(
    answers: Answers, conversation: str
) -> tuple[tuple[Finding, ...], tuple[AftermathEvent, ...], ConversationLosses]:
    """Return the findings, the aftermath and the losses of a conversation."""
    inspection, resolved = answers.opened(conversation)
    findings, _ = split_dismissed(inspection, read_findings(inspection, resolved))
    events = read_conversation_aftermath(answers, conversation).events
    return findings, events, read_losses(answers, conversation)


def _cases(
    condition: Condition,
    row: ConversationRow,
    store: str,
    findings: Sequence[Finding],
    events: Sequence[AftermathEvent],
) -> Iterator[Case]:
    if condition.name == AFTERMATH:
        for event in events:
            severity = "error" if event.breaks_rule else "warning"
            text = f"{event.kind} after compaction {event.compaction}: {event.text}"
            key = _key(row, event.kind, event.text)
            yield Case(AFTERMATH, severity, AFTERMATH, row, store, event.compaction, text, key)
        return
    for finding in findings:
        if condition.name in (finding.rule, finding.severity):
            key = _key(row, dismissal_key(finding), "" if finding.cause else str(finding.compaction))
            case = finding.severity, finding.rule, row, store, finding.compaction, finding.text, key
            yield Case(condition.name, *case)


def _key(row: ConversationRow, *texts: str) -> str:
    joined = "\0".join((row.root, *texts)).encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


def read_baseline(path: Path) -> frozenset[str]:
    """Return the keys in a baseline file. Raises BadInput if the file is not a baseline."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        keys = [entry["key"] for entry in document["cases"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(
            f"{path} is not a baseline ({error}). Write one: compaction-inspector check ... --write-baseline {path}"
        ) from error
    return frozenset(key for key in keys if isinstance(key, str))


def baseline_text(result: CheckResult) -> str:
    """Return a baseline file with every case of a check. People can read it, and the next check ignores its cases."""
    cases = {case.key: case for met in result.met for case in met.cases}
    entries = [
        {"key": key, "rule": case.rule, "conversation": case.row.root, "compaction": case.compaction}
        for key, case in sorted(cases.items())
    ]
    return json.dumps({"version": 1, "cases": entries}, indent=1) + "\n"
