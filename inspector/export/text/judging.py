"""Judgements of a model, as text."""

from __future__ import annotations

from inspector.core.signs import FATE_SIGNS
from inspector.core.text import safe_title
from inspector.export.documents.document import Document
from inspector.export.text.console import StyledLines


def print_judgements(document: Document) -> None:
    """The statements under each compaction, what was dropped, and how far the rules agree."""
    lines = StyledLines()
    for judgement in document["judgements"]:
        number, model = judgement["compaction"], judgement["model"]
        lines.add((f"Compaction {number}, judged by {model}", "bold"))
        if judgement["answered"] < judgement["pieces"]:
            missing = judgement["pieces"] - judgement["answered"]
            text = f"{missing:,} of {judgement['pieces']:,} pieces have no usable answer"
            lines.add((text, "red"), indent=2)
        facts = [fact for fact in document["facts"] if fact["compaction"] == number]
        for fact in facts:
            where = f" in the {fact['where']}" if fact["where"] else ""
            fate = f"{FATE_SIGNS[fact['fate']]} {fact['category']:<10} {fact['fate']}{where}"
            style = "red" if fact["fate"] == "lost" else ""
            lines.add((f"{fate}  importance {fact['importance']}", style), indent=2)
            lines.add((safe_title(fact["text"], 400), ""), indent=6)
        agreement = judgement["agreement"]
        decided = agreement["both"] - agreement["open"]
        counts = (
            f"{len(facts):,} statements. Dropped, because their quote is not in the text: {judgement['dropped']:,}. "
            f"Uncertain, because their fate has no evidence: {judgement['unproven']:,}. Found by the rules too: "
            f"{agreement['both']:,}; of {decided:,} decided by both, {agreement['same']:,} are on the same side of "
            f"kept and lost. By the model alone: {agreement['only_model']:,}. By the rules alone: "
            f"{agreement['only_rules']:,}."
        )
        lines.add((counts, "dim"), indent=2)
