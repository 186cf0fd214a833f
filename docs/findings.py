"""Write the rules into docs/findings.md from the catalogue: python docs/findings.py"""

from __future__ import annotations

import textwrap
from pathlib import Path

from inspector.quality.catalogue import RULES

TARGET = Path(__file__).resolve().parent / "findings.md"
_START, _END = "## The rules\n", "## Adding a rule\n"


def page(text: str) -> str:
    """Return the page with new paragraphs of all rules."""
    before, _, rest = text.partition(_START)
    after = rest.partition(_END)[2]
    rules = "\n".join(map(_paragraph, RULES))
    return f"{before}{_START}\n{rules}\n{_END}{after}"


def _paragraph(identity: str) -> str:
    rule = RULES[identity]
    texts = (
        f"**{rule.severity}**: {rule.title}.",
        rule.means,
        f"*When:* {rule.when}",
        f"*What to do:* {rule.advice}",
        *([f"*With Hermes:* {rule.hermes}"] if rule.hermes else []),
    )
    paragraphs = "\n\n".join(textwrap.fill(text, 118, break_on_hyphens=False) for text in texts)
    return f"### {identity}\n\n{paragraphs}\n"


if __name__ == "__main__":
    TARGET.write_text(page(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
