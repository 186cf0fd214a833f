"""Write the table of agents into docs/agents.md from the agents' rows: python docs/agents.py"""

from __future__ import annotations

from pathlib import Path

from inspector.agents import Agent, agents

TARGET = Path(__file__).resolve().parent / "agents.md"
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


if __name__ == "__main__":
    TARGET.write_text(page(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
