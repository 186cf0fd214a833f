"""Rule files in the messages of Copilot CLI."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In the system prompt, which names no file.
    rule_form(
        r"^<custom_instructions?>\n(?P<text>(?:[^<]|<(?!/?custom_instructions?>))*+)(?<=\n)</custom_instructions?>$",
    ),
)
