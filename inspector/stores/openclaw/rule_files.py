"""Rule files in the messages of OpenClaw."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In the system prompt. It also names missing files.
    rule_form(
        r"^## (?P<path>(?:[/~]|[A-Za-z]:)[^\n]*\.md)\n(?!\[MISSING\])"
        r"(?P<text>.*?)(?=^## (?:[/~]|[A-Za-z]:)[^\n]*\.md\n|^<!-- /?(?:openclaw:|OPENCLAW)|\Z)",
        below="\nLoaded project context:\n",
    ),
)
#: The files that it cut in the system prompt, at the end of a message.
CUTS = (
    rule_form(
        r"^- (?P<name>[^\n:]+): (?P<characters>\d{1,12}) raw -> (?P<sent>\d{1,12}) injected\b",
        below="[Bootstrap truncation warning]",
    ),
)
