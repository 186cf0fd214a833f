"""The rules of Gemini CLI's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="gemini",
        summary="Gemini CLI: the older part of the list becomes a snapshot of the state, the newest stays.",
        share=0.5,
        reserve=0,
        why_threshold="half of the window, as its code has it; of 1,048,576 tokens 471,859 did not fire and "
        "525,788 did. Observed; `model.compressionThreshold` and /compress change it",
        tail_tokens=0,
        tail_of_window=1.0,
        tail_share=0.3,
        begins_with_user=True,
        why_tail="it keeps the newest 0.3 of the list's characters, from a message of the user on, as its code has it; "
        "it also cuts tool results to 50,000 tokens in all, which is not modelled. Observed in 2 real compactions",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
