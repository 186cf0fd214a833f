"""The rules of opencode's compactions, for what-ifs.

The events are 16 compactions of 1.16 to 1.18 in public transcripts.
"""

import json

from inspector.engines.base import Limits, Marks
from inspector.engines.observed.rules import Observed


def _written(limits: Limits) -> tuple[str, str]:
    output = limits.settings.max_tokens or 32_000
    limit = {"context": limits.threshold + output, "output": output}
    keys = {"provider": {"PROVIDER": {"models": {"MODEL": {"limit": limit}}}}}
    return "opencode.jsonc", f"// {limits.comment}: the model's context less its output\n{json.dumps(keys)}\n"


PROFILES = (
    Observed(
        name="opencode",
        summary="opencode: the list becomes a summary. The newest turns stay.",
        share=1.0,
        reserve=32_000,
        why_threshold="the window minus the model's output limit, at most 32,000 tokens. Observed on 1.18.33 with a "
        "window of 200,000 and an output limit of 8,192: 191,700 tokens did not start a compaction, 191,900 did. If "
        "the model has an input limit, the threshold is that limit minus 20,000. A session records neither limit. "
        "/compact starts a manual compaction",
        tail_tokens=15_000,
        tail_of_room=0.25,
        tail_least=2_000,
        why_tail="a quarter of the usable tokens, from 2,000 to 15,000 (8,000 in earlier releases). Read in its "
        "source. Each of 16 real compactions names where its tail starts. Three lists that fitted were summarized "
        "whole",
        summarizes_short=True,
        summary_tokens=1_700,
        why_summary="a real call for a summary wrote 1,641 tokens of text. Observed",
        marks=(
            Marks(
                "Requests have a breakpoint at the system prompt and at each of the last two messages. Measured with "
                "1.18.33 on Anthropic's API.",
                ("the system prompt",),
                last=2,
            ),
        ),
        written=_written,
    ),
)
