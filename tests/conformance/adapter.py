"""Results of our engines for a case, in the format of the vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from inspector.core.messages import messages_from
from inspector.engines.base import Plan, Settings
from inspector.engines.hermes.direct.engine import DirectEngine
from inspector.engines.hermes.direct.handoffs import is_synthetic
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.policies import HandoffPrefix, Policies
from inspector.engines.hermes.releases import RELEASES
from tests.conformance import vectors
from tests.conformance.lists import Case

#: The profile that is compared with each release. A profile may stand for more releases, which are not recorded.
PROFILES = {policies.release: name for name, policies in RELEASES.items() if policies.compared}
_PHASES = {
    "prunes": "prune",
    "looks for the tail": "boundaries",
    "serializes the middle": "summary",
    "repairs tool pairs": "assemble",
}


def engine_of(release: str, stand_ins: Sequence[str] = ()) -> HermesEngine | DirectEngine:
    """Return the engine of a release. It recognises the stand-ins as handoff prefixes instead of the real texts."""
    policies = RELEASES[PROFILES[release]]
    if stand_ins:
        wordings = tuple(
            HandoffPrefix(len(text), hashlib.sha256(text.encode()).hexdigest()) for text in stand_ins
        )
        policies = replace(policies, wordings=wordings)
    return DirectEngine(policies) if policies.reads_texts else HermesEngine(policies)


def planned(engine: HermesEngine | DirectEngine, case: Case) -> dict[str, Any]:
    """Return the engine's values of everything that a vector records."""
    settings = Settings(
        threshold=case.threshold,
        target_ratio=case.target_ratio,
        protect_first_n=case.protect_first_n,
        protect_last_n=case.protect_last_n,
        context_length=case.context_length,
        max_tokens=case.max_tokens,
        profile=engine.name,
    )
    budgets = engine.budgets(settings)
    messages = messages_from(case.messages)
    token_index = engine.measure(messages)
    earlier = max(case.earlier, int(case.previous_summary))
    plan = engine.plan(token_index, settings, earlier)
    result: dict[str, Any] = {
        "length": len(messages),
        "threshold_tokens": budgets.threshold_tokens,
        "tail_token_budget": budgets.tail_token_budget,
        "max_summary_tokens": budgets.max_summary_tokens,
        "rough_tokens": token_index.total(),
        "compacts": plan.compacts,
    }
    if plan.raises:
        result["raises"] = {"type": plan.raises.split(" ")[0], "phase": _phase(plan)}
    if not plan.compacts:
        return result
    wires = [dict(message.wire) for message in messages]
    pruned = [dict(wire) for wire in engine.prune(messages, plan)]
    result.update(vectors.pruned_part(wires, pruned))
    result.update(head_end=plan.head_end, tail_start=plan.tail_start, summary_budget=plan.summary_budget)
    result["fallback"] = case.summary_fails
    result["dropped"] = plan.tail_start - plan.head_end if case.summary_fails else 0
    if engine.policies.reads_texts and not any(is_message(wire, engine.policies) for wire in wires):
        # From 0.20 on, releases reject a summary that names a user if the list has no user message; engines do not.
        result["fallback"] = result["dropped"] = None
    if isinstance(engine, HermesEngine):
        result["fallback_raises"] = engine.fallback_raises(messages, plan).partition(" ")[0]
    output = engine.assemble(messages, plan, vectors.SUMMARY)
    result.update(vectors.output_part(pruned, [(out.source, dict(out.wire)) for out in output]))
    result["planned"] = {"role": plan.role, "merged": plan.merged, "pruned": vectors.runs(plan.pruned)}
    return result


def is_message(wire: dict[str, Any], policies: Policies) -> bool:
    """Whether the user wrote a message, and not the release."""
    return wire.get("role") == "user" and not is_synthetic(wire, policies)


def _phase(plan: Plan) -> str:
    return next((phase for words, phase in _PHASES.items() if words in plan.reason), "?")
