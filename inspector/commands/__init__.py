"""The commands. Each reads, asks `inspection` and `reports`, prints, and ends."""

#: What they are called. No database is opened by one of these words.
NAMES = frozenset(
    {
        "breakpoints",
        "compactions",
        "conversations",
        "diff",
        "facts",
        "findings",
        "measures",
        "open",
        "plan",
        "replay",
        "report",
        "search",
        "show",
        "store",
        "sweep",
    }
)
