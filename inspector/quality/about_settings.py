"""Rules about settings that are not in force, or that conflict."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.engines.capabilities import AT_LEAST, OBSERVED_IN, SHOWN
from inspector.quality.evidence import ConversationEvidence
from inspector.quality.finding import ALWAYS, Violation

#: Sources of sessions without a gateway.
_NO_GATEWAY = frozenset(
    {"", "cli", "tui", "acp", "cron", "batch", "api", "api_server", "subagent", "sub-agent", "delegate"}
)


def _always(evidence: ConversationEvidence, text: str) -> Violation:
    """Return a violation that holds from the first message on."""
    return Violation(text, generation=evidence.live.number, since=ALWAYS)


def _threshold(evidence: ConversationEvidence) -> str:
    """Return how the threshold in force differs from the configured one; "" if they are equal."""
    settings, in_force = evidence.settings, evidence.budgets.threshold_tokens
    configured = int(settings.context_length * settings.threshold)
    bound = [step for step in evidence.budgets.steps.get("threshold_tokens", ()) if step.bound]
    if configured == in_force or not bound:
        return ""
    rules = "; ".join(f"{step.rule}: {step.why}" for step in bound)
    return (
        f"{settings.threshold:g} of {settings.context_length:,} tokens ({configured:,}), but {in_force:,} tokens are "
        f"in force. {rules[0].upper()}{rules[1:]}."
    )


def _by_default(evidence: ConversationEvidence) -> bool:
    """Return whether the threshold is the default."""
    source = evidence.sources.get("threshold", "default")
    return source == "default" or source.startswith(OBSERVED_IN)


def threshold_overridden(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield a threshold of the user that is not in force."""
    source = evidence.sources.get("threshold", "")
    how = "" if _by_default(evidence) or source.startswith(SHOWN) else _threshold(evidence)
    if how:
        yield _always(evidence, f"The threshold is set to {how} (Set by {source}.)")


def default_overridden(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield a default threshold that is not in force."""
    how = _threshold(evidence) if _by_default(evidence) else ""
    if how:
        yield _always(evidence, f"The default threshold is {how}")


def beyond_window(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield a threshold that is at least as large as the window, unless the window may be larger than is known.

    A recorded window may be larger than the real one. Then every compaction comes because a request did not fit.
    """
    recorded = [one.recorded for one in evidence.compactions]
    window = evidence.settings.context_length
    is_least = evidence.sources.get("context_length", "").startswith(AT_LEAST)
    if evidence.budgets.threshold_tokens >= window and not is_least:
        yield _always(
            evidence,
            f"The threshold in force is {evidence.budgets.threshold_tokens:,} tokens, the model's window is "
            f"{window:,}: requests fail before a compaction is due.",
        )
    elif len(recorded) > 1 and all(compaction.overflow for compaction in recorded):
        sizes = [compaction.tokens_before_reported or 0 for compaction in recorded]
        at = f", the smallest at {min(sizes):,} tokens" if all(sizes) else ""
        yield _always(
            evidence,
            f"All {len(recorded):,} compactions came because a request did not fit into the window{at}: requests fail "
            "before a compaction is due.",
        )


def ratio_clamped(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield a target_ratio of the user's that is out of its range."""
    steps = evidence.budgets.steps.get("tail_token_budget", ())
    clamp = next((step for step in steps if step.rule == "clamp" and step.bound), None)
    source = evidence.sources.get("target_ratio", "default")
    if clamp is not None and source != "default":
        yield _always(
            evidence,
            f"target_ratio is set to {evidence.settings.target_ratio:g} ({source}), but {clamp.value:g} is in force: "
            f"it is {clamp.why}.",
        )


def hygiene_first(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield a gateway limit at or below the threshold of the agent."""
    hygiene, threshold = evidence.budgets.hygiene_tokens, evidence.budgets.threshold_tokens
    if evidence.source.lower() not in _NO_GATEWAY and 0 < hygiene <= threshold:
        how = "at" if hygiene == threshold else "below"
        yield _always(
            evidence,
            f"Gateway hygiene compacts at {hygiene:,} tokens, {how} the agent's own threshold of {threshold:,}.",
        )
