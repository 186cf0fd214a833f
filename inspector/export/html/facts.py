"""Facts and what became of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inspector.export.html.charts import share_bar
from inspector.export.html.markup import Html, join, more, tag, words
from inspector.export.report.values import FactGroup, FactLine, FactsPart
from inspector.export.report.wording import KIND_NAMES, OUTCOME_SIGNS, cut
from inspector.quality.facts.fact import KINDS, OUTCOMES

_CLASSES = {"verbatim": "verbatim", "paraphrased": "paraphrased", "value lost": "value-lost", "lost": "lost"}


def counts_table(part: FactsPart) -> Html:
    """Kinds as rows, outcomes as columns."""
    rows = []
    for kind in KINDS:
        counts = part.counts[kind]
        total = sum(counts.values())
        if not total:
            continue
        bar = share_bar([(f"f{at}", counts[outcome]) for at, outcome in enumerate(OUTCOMES, 1)])
        rows.append(
            tag(
                "tr",
                tag("th", KIND_NAMES[kind][1], scope="row"),
                [
                    tag("td", f"{counts[outcome]:,}" if counts[outcome] else "·", cls="n")
                    for outcome in OUTCOMES
                ],
                tag("td", total, cls="n"),
                tag("td", bar, style="width:30%"),
            )
        )
    if not rows:
        return tag("p", "No facts were found in the messages that were summarized.", cls="dim")
    heads = [tag("th", f"{OUTCOME_SIGNS[outcome]} {outcome}", cls="n", scope="col") for outcome in OUTCOMES]
    return tag(
        "div",
        tag(
            "table",
            tag("caption", "What was said in the summarized messages, and what became of it"),
            tag("thead", tag("tr", tag("th", "kind", scope="col"), heads, tag("th", "all", cls="n", scope="col"),
                             tag("td", ""))),
            tag("tbody", rows),
        ),
        cls="scroll",
    )  # fmt: skip


def groups(found: Sequence[FactGroup], level: int = 4) -> Html:
    """Facts by kind, with how many were left out."""
    parts: list[Html | None] = []
    for group in found:
        name = KIND_NAMES[group.kind][0 if group.total == 1 else 1]
        parts.append(tag(f"h{level}", f"{group.total:,} {name}"))
        parts.append(tag("ul", [fact(line) for line in group.lines], cls="facts"))
        parts.append(more(group.more, KIND_NAMES[group.kind][0 if group.more == 1 else 1],
                          "the facts command and the app list all"))  # fmt: skip
    return join(parts)


def fact(line: FactLine) -> Html:
    """One fact: its fate, its words, who said it where, what came after."""
    outcome = line.outcome
    cls = "risk" if outcome is None else _CLASSES[outcome]
    badge = (
        ("! said once" if line.said == 1 else "! at risk")
        if outcome is None
        else f"{OUTCOME_SIGNS[outcome]} {outcome}"
    )
    where = f" in the {line.where}" if line.where and outcome in ("verbatim", "paraphrased") else ""
    times = f", said {line.said} times" if line.said > 1 else ""
    used = f", used {line.uses} times since" if line.uses > 1 else ", used once since" if line.uses else ""
    place = f", message {line.message}" if line.message >= 0 else ""
    mention = None
    if line.excerpt and outcome in ("value lost", "paraphrased"):
        lead = "Mentioned" if outcome == "value lost" else "Now"
        mention = tag("p", f"{lead} in the {line.where}: “", words(cut(line.excerpt, 200)), "”", cls="then")
    return tag(
        "li",
        tag("p", tag("span", badge, cls=f"badge {cls}"), _text(line)),
        tag(
            "p",
            tag("b", line.role),
            f"{place} (list {line.generation}, #{line.index}){where}{times}{used}",
            cls="who",
            title=f"rule {line.rule}",
        ),
        mention,
        [tag("p", words(sentence), cls="then") for sentence in line.later],
        cls=cls,
    )


def _text(line: FactLine) -> Html:
    """The words of a fact, its exact values marked where they stand in them."""
    shown = cut(line.text)
    there = [re.escape(value) for value in line.values if value]
    if not there:
        return words(shown)
    pieces = re.split(f"({'|'.join(there)})", shown)
    marked = [tag("mark", piece) if at % 2 else piece for at, piece in enumerate(pieces)]
    return tag("span", marked, cls="said", dir="auto")
