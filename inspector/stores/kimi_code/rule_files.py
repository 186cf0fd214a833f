"""Rule files in the messages of Kimi Code."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In the system prompt. The code block around the files has more backticks than usual.
    rule_form(
        r"^<!-- From: (?P<path>\S[^\n]*?) -->\n(?P<text>.*?)(?=^<!-- From: |^`{5,}$|\Z)",
    ),
)
