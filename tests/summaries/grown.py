"""Generated summaries of about 10,000 tokens, each derived from the one before, by a seed."""

from __future__ import annotations

from random import Random

SECTIONS = (
    "Goal", "Constraints & Preferences", "Completed Actions", "In Progress", "Blocked", "Key Decisions",
    "Relevant Files", "Next Steps", "Critical Context",
)  # fmt: skip
_LISTED = 46


def grown(count: int, seed: int = 7, changed: float = 0.3) -> list[str]:
    """Return the bodies of successive summaries; about the share `changed` of items changes from one to the next."""
    random = Random(seed)
    known = [f"{random.choice('abcdefgh')}word{number}" for number in range(900)]

    def entry() -> str:
        words = [random.choice(known) for _ in range(9)]
        return f"{' '.join(words)} at {random.randrange(900)} [tool: terminal]"

    held = {name: [entry() for _ in range(_LISTED)] for name in SECTIONS}
    bodies = [_written(held)]
    for _ in range(count - 1):
        for name, entries in held.items():
            for at in range(len(entries)):
                if random.random() < changed:
                    entries[at] = _other(entries[at], entry, random, known)
            if random.random() < changed:
                moved = entries.pop(random.randrange(len(entries)))
                held[random.choice(SECTIONS)].append(moved)
            held[name] = [*entries[1:], entry()]
        bodies.append(_written(held))
    return bodies


def _other(text: str, entry: object, random: Random, known: list[str]) -> str:
    words = text.split()
    kind = random.randrange(3)
    if kind == 0:
        assert callable(entry)
        return str(entry())
    if kind == 1:
        words[random.randrange(9)] = random.choice(known)
        return " ".join(words)
    return " ".join([*words[:4], random.choice(known), *words[4:]])


def _written(held: dict[str, list[str]]) -> str:
    out = []
    for name, entries in held.items():
        out.append(f"## {name}")
        out += [f"{number}. {text}" for number, text in enumerate(entries, 1)]
    return "\n".join(out)
