"""The rules of opencode's compactions, for what-ifs.

The events are 16 compactions of 1.16 to 1.18 in public transcripts.
"""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="opencode",
        summary="opencode: the list becomes a summary, the newest turns stay.",
        share=1.0,
        reserve=32_000,
        why_threshold="the window less the model's output limit, at most 32,000: 1.18.33 goes on "
        "at 191,700 and compacts at 191,900 of 200,000 with an output of 8,192. With an input limit of the model, that "
        "limit less 20,000. A session records neither limit. Measured on a release that ran; /compact fires by hand",
        tail_tokens=15_000,
        why_tail="a quarter of what is usable, 2,000 to 15,000 (in earlier releases 8,000), as its source has it; "
        "each of 16 real events names where its tail starts. Three lists that fitted were summarized whole",
        summarizes_short=True,
        summary_tokens=1_700,
        why_summary="a real summarizing call wrote 1,641 tokens of text. Observed",
    ),
)
