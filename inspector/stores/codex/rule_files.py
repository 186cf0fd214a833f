"""Rule files in the messages of Codex."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # Newer releases name no folder.
    rule_form(
        r"\A\s*# (?P<name>AGENTS\.md) instructions(?: for (?P<folder>[^\n]+))?\n(?P<text>.*)\Z",
        without=r"</?INSTRUCTIONS>\s*",
    ),
)
