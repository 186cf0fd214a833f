"""Rule files in the messages of Gemini CLI."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In the first message.
    rule_form(
        r"^--- Context from: (?P<path>\S[^\n]*?) ---\n(?P<text>(?:(?!^--- Context from: ).)*?)"
        r"^--- End of Context from: (?P=path) ---$",
    ),
)
