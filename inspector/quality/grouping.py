"""Findings with one cause, shown as one line with a count."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

from msgspec import Struct

from inspector.quality.finding import Finding


class FindingGroup(Struct, frozen=True):
    """Findings of one rule with one cause in one conversation, in their order; never empty."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The first finding. It has the place to go to."""
        return self.findings[0]

    @property
    def compactions(self) -> tuple[int, ...]:
        """The compactions that the findings are about, each once."""
        return tuple(dict.fromkeys(one.compaction for one in self.findings if one.compaction is not None))

    @property
    def text(self) -> str:
        """The text of the first finding, and where else the same was found."""
        if len(self.findings) == 1:
            return self.first.text
        where = f", at compactions {ranges_of(self.compactions)}" if len(self.compactions) > 1 else ""
        return f"{self.first.text} {len(self.findings):,} times in all{where}."


def grouped(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Group findings by conversation, rule and cause, in the order of their first finding."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.conversation, finding.rule, finding.cause), []).append(finding)
    return tuple(FindingGroup(tuple(same)) for same in groups.values())


def dismissal_key(finding: Finding) -> str:
    """The key under which a finding is dismissed: its rule and cause, the same in every run.

    A finding without a cause is dismissed for the whole conversation.
    """
    cause = f"{finding.rule}\0{finding.cause}".encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(cause, digest_size=8).hexdigest()


def parted(
    findings: Iterable[Finding], dismissed: Collection[str]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Split findings into counted and dismissed findings."""
    every = tuple(findings)
    gone = {finding for finding in every if dismissed and dismissal_key(finding) in dismissed}
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
