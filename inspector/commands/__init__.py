"""The commands. Each one computes an answer, prints it with `export`, and ends."""

#: Names of the commands. These words never name a database.
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
        "export",
        "facts",
        "findings",
        "hook",
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
