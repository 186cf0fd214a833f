"""Rule files in the messages of DeepSeek Harness."""

from inspector.stores.rule_files import rule_form

FORMS = (
    # In a reminder.
    rule_form(
        r"^Instructions from: (?P<name>\S[^\n]*\.md)\n(?P<text>.*?)(?=^Instructions from: \S|^</system-reminder>|\Z)",
    ),
)
