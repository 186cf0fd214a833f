"""Judgements of a model, as text."""

from __future__ import annotations

from rich.padding import Padding
from rich.text import Text

from inspector.core.signs import FATE_SIGNS
from inspector.core.text import safe_title
from inspector.export.documents.document import Document
from inspector.export.text.console import console_for


def print_judgements(document: Document) -> None:
    """The statements under each compaction, what was dropped, and how far the rules agree."""
    console = console_for()
    for judgement in document["judgements"]:
        number, model = judgement["compaction"], judgement["model"]
        console.print(Text(f"Compaction {number}, judged by {model}", "bold"))
        if judgement["answered"] < judgement["pieces"]:
            missing = judgement["pieces"] - judgement["answered"]
            console.print(
                Text(f"  {missing:,} of {judgement['pieces']:,} pieces have no usable answer", "red")
            )
        facts = [fact for fact in document["facts"] if fact["compaction"] == number]
        for fact in facts:
            where = f" in the {fact['where']}" if fact["where"] else ""
            fate = f"{FATE_SIGNS[fact['fate']]} {fact['category']:<10} {fact['fate']}{where}"
            head = f"{fate}  importance {fact['importance']}"
            console.print(
                Padding(Text(head, "red" if fact["fate"] == "lost" else ""), (0, 0, 0, 2), expand=False)
            )
            console.print(Padding(Text(safe_title(fact["text"], 400)), (0, 0, 0, 6), expand=False))
        agreement = judgement["agreement"]
        decided = agreement["both"] - agreement["open"]
        counts = (
            f"{len(facts):,} statements. Dropped, because their quote is not in the text: {judgement['dropped']:,}. "
            f"Uncertain, because their fate has no evidence: {judgement['unproven']:,}. Found by the rules too: "
            f"{agreement['both']:,}; of {decided:,} decided by both, {agreement['same']:,} are on the same side of "
            f"kept and lost. By the model alone: {agreement['only_model']:,}. By the rules alone: "
            f"{agreement['only_rules']:,}."
        )
        console.print(Padding(Text(counts, "dim"), (0, 0, 0, 2), expand=False))
