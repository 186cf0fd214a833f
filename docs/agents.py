"""Write the agents' rows into the table of docs/agents.md and into README.md: python docs/agents.py"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from inspector.agents import Agent, agents

TARGET = Path(__file__).resolve().parent / "agents.md"
README = TARGET.parents[1] / "README.md"
_START, _END = "<!-- agents: written by docs/agents.py -->\n", "<!-- end of agents -->\n"


def page(text: str) -> str:
    """Return the page with a new table."""
    before, _, rest = text.partition(_START)
    after = rest.partition(_END)[2]
    rows = "".join(_row(agent) for agent in agents() if agent.places)
    return f"{before}{_START}\n| agent | name | where | kept as |\n|---|---|---|---|\n{rows}\n{_END}{after}"


def _row(agent: Agent) -> str:
    places = ", ".join(f"`{place}`" for place in agent.places)
    kept = (
        "a database" if agent.databases else f"files ({', '.join(f'`{ending}`' for ending in agent.endings)})"
    )
    return f"| {agent.title} | `{agent.name}` | {places} | {kept} |\n"


def readme(text: str) -> str:
    """Return the README with the titles of all agents, after the first."""
    *titles, last = (agent.title for agent in agents()[1:] if agent.places)
    listed = f"and of [{', '.join(titles)} and {last}](docs/agents.md)"
    before, found, after = re.split(
        r"(?<=\n\n)(It reads the sessions of .*?)(?=\n\n)", text, maxsplit=1, flags=re.S
    )
    sentence = re.sub(r"and\s+of\s+\[[^]]*\]\(docs/agents\.md\)", listed, found)
    return before + textwrap.fill(sentence, 120, break_long_words=False, break_on_hyphens=False) + after


if __name__ == "__main__":
    for path, made in ((TARGET, page), (README, readme)):
        path.write_text(made(path.read_text(encoding="utf-8")), encoding="utf-8")
