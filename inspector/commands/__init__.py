"""The commands. Each asks an answer, hands it to `export`, and ends."""

#: What they are called. No database is opened by one of these words.
NAMES = frozenset(
    {
        "aftermath",
        "attempt",
        "attempts",
        "breakpoints",
        "check",
        "compactions",
        "conversations",
        "diff",
        "facts",
        "findings",
        "judge",
        "life",
        "losses",
        "measures",
        "next",
        "open",
        "plan",
        "recall",
        "recommend",
        "replay",
        "report",
        "requests",
        "search",
        "serve",
        "show",
        "store",
        "stores",
        "sweep",
        "trace",
        "watch",
    }
)
