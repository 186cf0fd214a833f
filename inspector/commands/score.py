"""The command that scores compactors on a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.commands.asking import Asked, asks
from inspector.commands.options import json_option, print_answer, print_notes, settings_options
from inspector.commands.sending import ProgressLine, Sender, summarizer_options, wording_options
from inspector.core.errors import SummarizerFailed
from inspector.core.shares import plural
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.answers.scoring import ScoreRow


@click.command()
@click.argument("line", required=False, metavar="[COMMAND]")
@click.option(
    "--corpus", type=click.Path(path_type=Path), metavar="FOLDER", help="Your own corpus; default: the bundled one."
)  # fmt: skip
@click.option("--no-profiles", is_flag=True, help="Omit the rows of the profiles.")
@click.option("--again", is_flag=True, help="Ask for new summaries even if answers are stored.")
@click.option("--show-prompt", is_flag=True, help="Print the prompts and send nothing.")
@wording_options
@summarizer_options
@settings_options
@json_option
@asks
def score(
    asked: Asked, sender: Sender, line: str | None, corpus: Path | None, no_profiles: bool, again: bool,
    show_prompt: bool,
) -> None:  # fmt: skip
    """Score a compactor on labelled conversations.

    The table also has truncation and every profile, for comparison. COMMAND reads a prompt and writes a summary, such
    as 'llm -m MODEL'. --profile NAME decides which messages are summarized. Without COMMAND and without --endpoint only
    the baselines are scored, and nothing is sent.
    """
    from inspector.answers.corpus import read_corpus
    from inspector.answers.plans import file_settings
    from inspector.answers.scoring import (
        CONTEXT_LENGTH,
        Judge,
        baseline_rows,
        check_asks,
        corpus_folder,
        plan_scores,
        profile_rows,
        score_sending,
        stored_answers,
        summarizer_row,
    )
    from inspector.export.attempts import sending_document
    from inspector.export.scoring import print_scores, score_document
    from inspector.models.kept import default_attempts

    sender.commands = (*([line] if line else []), *sender.commands)
    summarizers = sender.summarizers() if sender.names_summarizer else []
    wording, masker = sender.wording(), sender.masker()
    folder = corpus or corpus_folder()
    conversations = read_corpus(folder)
    settings = file_settings({"context_length": CONTEXT_LENGTH, **asked.flags}, asked.config)
    judges = [Judge(conversation) for conversation in conversations]
    planned = plan_scores(judges, settings, wording, masker)
    if show_prompt:
        click.echo("\n\n".join(safe(scored.ask.prompt) for scored in planned if scored.ask))
        return
    rows: list[ScoreRow] = []
    sending = None
    if summarizers:
        check_asks(planned)
        kept = default_attempts()
        stored = {} if again else stored_answers(planned, summarizers, kept)
        sending = score_sending(planned, summarizers, masker, stored)
        rows += sender.send(
            sending,
            lambda *sent: [
                summarizer_row(planned, summarizer, stored, kept, *sent) for summarizer in summarizers
            ],
        )
        if stored:
            summaries = plural(len(stored), "summary", "summaries")
            print_notes([f"{summaries} of an earlier run used again. --again asks for new ones."])
    truncation, everything = baseline_rows(planned)
    rows.append(truncation)
    if not no_profiles:
        with ProgressLine() as progress:
            rows += profile_rows(judges, settings, progress)
    rows.append(everything)
    sent = None if sending is None else sending_document(sending)
    document = score_document(str(folder), conversations, rows, sent)
    print_answer(document, asked.as_json, lambda _: print_scores(rows))
    written = [row for row in rows if row.kind == "summarizer"]
    if written and all(len(row.problems) == len(row.compacted) for row in written):
        raise SummarizerFailed("No conversation got a summary, so nothing was scored.")
