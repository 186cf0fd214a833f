"""Rule files in the messages of Hermes."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In the system prompt, up to the memory or the time of the start.
    rule_form(
        r"^## (?P<name>\S+\.(?:mdc?|cursorrules)|\.cursorrules)\n\n(?P<text>.*?)"
        r"(?=^## (?:\S+\.(?:mdc?|cursorrules)|\.cursorrules)\n\n|^\u2550{3,}|^Conversation started: |\Z)",
        below="\nThe following project context files have been loaded and should be followed:\n",
    ),
)
