"""Rule files in the messages of OpenHands."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In the system prompt, which names no file.
    rule_form(
        r"^\[BEGIN (?P<path>context from \[[^\n]+\])\]\n(?P<text>(?:(?!^\[BEGIN context from ).)*?)^\[END Context\]$",
    ),
)
