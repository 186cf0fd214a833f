"""Rule files in the messages of Claude Code."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # Up to the next file, the next part of the reminder, such as "# currentDate", or its end.
    rule_form(
        r"^Contents of (?P<path>\S[^\n]*?)(?: \([^\n()]*\))?:\n"
        r"(?P<text>.*?)(?=^Contents of \S[^\n]*:\n|^# [a-z]+[A-Z]\w*$|^</|\Z)",
    ),
    # A hook writes it.
    rule_form(
        r"^\[ROOT (?P<name>AGENTS\.md) LOADED\]\n(?:\s*The following [^\n]+:\n)?"
        r"(?P<text>.*?)(?=^</session-restore>|\Z)",
        without=r"</?INSTRUCTIONS>\s*",
    ),
)
