"""The outcome of a check: JSON, annotations for GitHub, JUnit XML, and text."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from msgspec.structs import asdict

from inspector.answers.checking import Case, CheckResult
from inspector.core.shares import plural
from inspector.core.text import safe_line, safe_title
from inspector.export.document import Document
from inspector.export.fact_results import loss_words


def check_document(result: CheckResult) -> Document:
    """The answer of `check`."""
    return {
        "failed": result.failed,
        "conversations": result.conversations,
        "conditions": [
            {
                "condition": one.condition.name,
                "least": one.condition.least,
                "failed": one.failed,
                "cases": [_case(case) for case in one.cases],
            }
            for one in result.met
        ],
        "unknown": [safe_line(sentence) for sentence in result.unknown],
        "allow_unknown": result.allow_unknown,
        "in_baseline": result.baseline,
        "lost": dict(result.lost),
    }


def _case(case: Case) -> Document:
    values = asdict(case)
    del values["row"], values["condition"]
    return {"conversation": case.row.id, "title": safe_title(case.row.title), **values}


def check_text(result: CheckResult) -> str:
    """Each condition with its cases, then the verdict."""
    lines = []
    for one in result.met:
        sign = "✗" if one.failed else "✓"
        lines.append(f"{sign} {one.condition}: {plural(len(one.cases), 'case')}")
        for case in one.cases:
            where = "" if case.compaction is None else f", compaction {case.compaction}"
            title = safe_title(case.row.title or case.row.id, 80)
            lines.append(f"    {title}{where}: {safe_title(case.text, 300)}")
    lines += [f"? unknown: {safe_title(sentence, 300)}" for sentence in result.unknown]
    if result.baseline:
        lines.append(f"{result.baseline:,} cases are in the baseline and do not count.")
    if result.lost:
        lines.append(
            f"{loss_words(result.lost, 0)} in all; `losses` lists them. `constraint-lost` counts only constraints that "
            "surely still hold."
        )
    checked = plural(result.conversations, "conversation")
    lines.append(f"{checked} checked: {'failed' if result.failed else 'passed'}.")
    return "\n".join(lines) + "\n"


def check_annotations(result: CheckResult) -> str:
    """Workflow commands of GitHub: one annotation a case of a failed condition, and one for what is unknown."""
    lines = []
    for one in result.met:
        level = "error" if one.failed else "notice"
        for case in one.cases:
            title = f"{case.rule} ({safe_title(case.row.title or case.row.id, 60)})"
            lines.append(f"::{level} title={_property(title)}::{_data(safe_title(case.text, 500))}")
    level = "notice" if result.allow_unknown else "error"
    lines += [f"::{level} title=unknown::{_data(safe_title(sentence, 500))}" for sentence in result.unknown]
    return "\n".join(lines) + ("\n" if lines else "")


def check_junit(result: CheckResult) -> str:
    """JUnit XML: a test case for each condition, one more for what is unknown."""
    failed = sum(one.failed for one in result.met) + bool(result.unknown and not result.allow_unknown)
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

    for one in result.met:
        cases = (f"{safe_line(case.row.title)}: {safe_title(case.text, 500)}" for case in one.cases)
        add(str(one.condition), f"{len(one.cases)} cases of {one.condition}" if one.failed else "", cases)
    unread = "" if result.allow_unknown or not result.unknown else f"{len(result.unknown)} could not be read"
    add("unknown", unread, map(safe_line, result.unknown))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
