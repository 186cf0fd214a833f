"""Findings with one cause, shown as one line with a count."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

from msgspec import Struct

from inspector.quality.catalogue import RULES
from inspector.quality.finding import Finding

#: Rules that report the loss of one statement, the gravest first. Their findings about a statement are one group.
_OF_LOSS = ("rule-broken", "constraint-lost", "said-again")


class FindingGroup(Struct, frozen=True):
    """Findings with one cause in one conversation, in their order; never empty. They are of one rule, or of the rules
    about one lost statement, the gravest rule first."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The first finding. It has the place to go to."""
        return self.findings[0]

    @property
    def compactions(self) -> tuple[int, ...]:
        """The compactions that the findings are about, each once."""
        return tuple(
            dict.fromkeys(finding.compaction for finding in self.findings if finding.compaction is not None)
        )

    @property
    def same(self) -> tuple[Finding, ...]:
        """The findings of the first rule."""
        return tuple(finding for finding in self.findings if finding.rule == self.first.rule)

    @property
    def text(self) -> str:
        """The text of the first finding, where else the same was found, and the other rules about the same loss."""
        sentences = [self.first.text]
        if len(self.same) > 1:
            numbers = {one.compaction for one in self.same if one.compaction is not None}
            where = f", at compactions {ranges_of(numbers)}" if len(numbers) > 1 else ""
            sentences.append(f"{len(self.same):,} times in all{where}.")
        for rule in dict.fromkeys(
            finding.rule for finding in self.findings if finding.rule != self.first.rule
        ):
            numbers = {
                finding.compaction
                for finding in self.findings
                if finding.rule == rule and finding.compaction is not None
            }
            plural = "s" if len(numbers) > 1 else ""
            where = f" (compaction{plural} {ranges_of(numbers)})" if numbers else ""
            sentences.append(f"{RULES[rule].title}{where}.")
        return " ".join(sentences)


def grouped(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Group findings by conversation, rule and cause, in the order of their first finding."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        rule = _OF_LOSS[0] if _reports_loss(finding) else finding.rule
        groups.setdefault((finding.conversation, rule, finding.cause), []).append(finding)
    return tuple(FindingGroup(tuple(sorted(same, key=_gravity))) for same in groups.values())


def _reports_loss(finding: Finding) -> bool:
    return bool(finding.cause) and finding.rule in _OF_LOSS


def _gravity(finding: Finding) -> int:
    return _OF_LOSS.index(finding.rule) if _reports_loss(finding) else 0


def dismissal_key(finding: Finding) -> str:
    """The key under which a finding is dismissed: its rule and cause, the same in every run.

    A finding without a cause is dismissed for the whole conversation.
    """
    return _key(finding.rule, finding.cause)


def dismissal_keys(finding: Finding) -> frozenset[str]:
    """Return the keys that dismiss a finding: its own, and those of graver findings about the same loss."""
    rules = _OF_LOSS[: _gravity(finding) + 1] if _reports_loss(finding) else (finding.rule,)
    return frozenset(_key(rule, finding.cause) for rule in rules)


def _key(rule: str, cause: str) -> str:
    joined = f"{rule}\0{cause}".encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


def parted(
    findings: Iterable[Finding], dismissed: Collection[str]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Split findings into counted and dismissed findings."""
    every = tuple(findings)
    keys = frozenset(dismissed)
    gone = {finding for finding in every if keys and not keys.isdisjoint(dismissal_keys(finding))}
    return tuple(one for one in every if one not in gone), tuple(one for one in every if one in gone)


def ranges_of(numbers: Iterable[int]) -> str:
    """Numbers in ascending order as ranges: "2, 4 to 9, 12"."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(
        f"{first:,}" if first == last else f"{first:,}{' to' if last > first + 1 else ','} {last:,}"
        for first, last in parts
    )
