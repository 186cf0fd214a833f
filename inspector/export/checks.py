"""The outcome of a check: JSON, annotations for GitHub, JUnit XML, and text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from inspector.answers.checking import CheckResult
from inspector.answers.store_losses import model_decisions
from inspector.core.shares import plural
from inspector.core.text import safe_line, safe_title
from inspector.export.document import Document, fields_of
from inspector.export.fact_results import loss_words, names_of

#: The fields of a case.
_CASE = "conversation=row.id title:title=row.unmasked_title severity rule store compaction text key"


def check_document(result: CheckResult) -> Document:
    """Return the answer of `check`."""
    return {
        **fields_of(result, "failed conversations"),
        "conditions": [
            fields_of(met, "condition=condition.name least=condition.least failed")
            | {"cases": [fields_of(case, _CASE) for case in met.cases]}
            for met in result.met
        ],
        "unknown": [safe_line(sentence) for sentence in result.unknown],
        **fields_of(result, "allow_unknown in_baseline=baseline lost uncertain by_model doubts"),
    }


def check_text(result: CheckResult) -> str:
    """Return each condition with its cases, then the verdict."""
    lines, names = [], _names(result, 80)
    for met in result.met:
        sign = "✗" if met.failed else "✓"
        lines.append(f"{sign} {met.condition}: {plural(len(met.cases), 'case')}")
        for case in met.cases:
            named = re.search(rf"\bcompaction {case.compaction}\b", case.text, re.IGNORECASE)
            where = "" if case.compaction is None or named else f", compaction {case.compaction}"
            lines.append(f"    {names[case.row.id]}{where}: {safe_title(case.text, 300)}")
    lines += [f"? unknown: {safe_title(sentence, 300)}" for sentence in result.unknown]
    if result.baseline:
        one = result.baseline == 1
        verbs = "is in the baseline and does" if one else "are in the baseline and do"
        lines.append(f"{plural(result.baseline, 'case')} {verbs} not count.")
    if result.lost:
        lines.append(
            f"{loss_words(result.lost, 0)} in all; `losses` lists them. `constraint-lost` counts only constraints that "
            "surely still hold."
        )
    if result.uncertain:
        lines.append(
            f"{plural(result.uncertain, 'fact is', 'facts are')} uncertain and may be lost; `losses` counts them. "
            "They meet no condition."
        )
    lines += result.doubts
    lines += model_decisions(result.by_model)
    checked = plural(result.conversations, "conversation")
    verdict = "failed" if result.failed else "passed"
    if result.failed and not any(met.failed for met in result.met):
        verdict = "no condition is met, but something is unknown: failed. --allow-unknown passes it"
    lines.append(f"{checked} checked: {verdict}.")
    return "\n".join(lines) + "\n"


def check_annotations(result: CheckResult) -> str:
    """Return workflow commands of GitHub: an annotation for each case, and for each unknown."""
    lines, names = [], _names(result, 60)
    for met in result.met:
        level = "error" if met.failed else "notice"
        for case in met.cases:
            title = f"{case.rule} ({names[case.row.id]})"
            lines.append(f"::{level} title={_property(title)}::{_data(safe_title(case.text, 500))}")
    level = "notice" if result.allow_unknown else "error"
    lines += [f"::{level} title=unknown::{_data(safe_title(sentence, 500))}" for sentence in result.unknown]
    return "\n".join(lines) + ("\n" if lines else "")


def check_junit(result: CheckResult) -> str:
    """Return JUnit XML: a test case for each condition, and one for all unknowns."""
    failed = sum(met.failed for met in result.met) + bool(result.unknown and not result.allow_unknown)
    suite = ElementTree.Element(
        "testsuite",
        name="compaction-inspector check",
        tests=str(len(result.met) + 1),
        failures=str(failed),
        errors="0",
    )

    def add(name: str, problem: str, lines: Iterable[str]) -> None:
        test = ElementTree.SubElement(suite, "testcase", classname="compaction-inspector", name=name)
        if problem:
            ElementTree.SubElement(test, "failure", message=problem).text = "\n".join(lines)

    names = _names(result, 200)
    for met in result.met:
        cases = (f"{names[case.row.id]}: {safe_title(case.text, 500)}" for case in met.cases)
        problem = f"{plural(len(met.cases), 'case')} of {met.condition}" if met.failed else ""
        add(str(met.condition), problem, cases)
    unread = "" if result.allow_unknown or not result.unknown else f"{len(result.unknown)} could not be read"
    add("unknown", unread, map(safe_line, result.unknown))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _names(result: CheckResult, most: int) -> dict[str, str]:
    """Return a distinct title for each conversation with a case."""
    return names_of((case.row for met in result.met for case in met.cases), most)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
