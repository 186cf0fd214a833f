"""The course of tokens as a chart of text."""

from __future__ import annotations

from inspector.export.report.values import Course
from inspector.export.text.whatif import graph

_WIDTH = 96


def course_lines(course: Course) -> list[str]:
    """Tokens over the messages as lines of blocks, and below them where the compactions are."""
    columns = min(_WIDTH, len(course.tokens))
    if not columns:
        return []
    marks = [" "] * columns
    for fall in course.falls:
        at = min(columns - 1, max(0, (fall.step - 1) * columns // len(course.tokens)))
        name = f"{fall.compaction}{'!' if fall.fallback else ''}"
        if all(mark == " " for mark in marks[max(0, at - 1) : at + len(name) + 1]):
            marks[at : at + len(name)] = name
    return [*graph(course.tokens, course.threshold, columns), f"{'':9} {''.join(marks).rstrip()}"]
