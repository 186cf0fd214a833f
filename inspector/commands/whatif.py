"""The commands that plan: lists of files, conversations under other settings, grids of settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.commands.asking import Asked, asks, command, shared_options
from inspector.commands.options import (
    Number,
    ProfileOption,
    Whole,
    json_option,
    print_answer,
    print_notes,
    range_options,
    scheduler_option,
    settings_options,
)
from inspector.core.errors import Interrupted, UsageProblem

if TYPE_CHECKING:
    from inspector.answers.recommending import Goal

#: The default grid of a sweep.
_GRID = {"threshold": "0.3:0.9:0.1", "target_ratio": "0.1:0.8:0.1"}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--compactions-so-far", type=Whole(0), default=0, metavar="N", help="Number of earlier compactions."
)
@json_option
@settings_options
@asks
def plan(asked: Asked, files: tuple[Path, ...], compactions_so_far: int) -> None:
    """Plan a compaction of message lists in files.

    A file is a JSON list of OpenAI-style messages. The plan assumes that the threshold was just reached.
    """
    from inspector.answers.plans import plan_files
    from inspector.answers.resolving import unused_flags
    from inspector.config.settings import read_config
    from inspector.export.generations import plan_document, print_plans

    plans = plan_files(files, asked.flags, asked.config, compactions_so_far)
    print_answer(plans, asked.as_json, print_plans, lambda plans: list(map(plan_document, plans)))
    print_notes(unused_flags(asked.flags, plans[0].plan.profile, plans[0].plan.budgets))
    if asked.config is not None:
        print_notes(read_config(asked.config).notes)


@command("[PATH] [CONVERSATION]")
@settings_options
@click.option("--facts", is_flag=True, help="Also count the facts at risk.")
@click.option("--against", multiple=True, metavar="NAME", help="Compare with this profile. May be repeated.")
@shared_options()
def replay(asked: Asked, facts: bool, against: tuple[str, ...]) -> None:
    """Run a conversation again under other settings."""
    from inspector.answers import replaying
    from inspector.export.whatif import beside_documents, print_replay, replay_document

    answers, name = asked.one()
    ask = asked.kept(
        "replay", lambda conversation: replay_document(replaying.replay(answers, conversation, facts)), facts
    )
    document = ask(name)
    if against:
        others = beside_documents(replaying.beside(answers, name, against, facts))
        document = {**document, "beside": others}
    asked.print(document, print_replay)


@command("[PATH] [CONVERSATION...]", "sweep")
@range_options
@click.option("--profile", cls=ProfileOption, metavar="NAME")
@click.option(
    "--summary-size",
    type=Number(0, 2),
    metavar="SHARE",
    help="Size of summaries as a share of their budget. Default: as recorded.",
)
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Hermes' config.yaml.")
@click.option("--facts", is_flag=True, help="Also count the facts at risk; reads every message.")
@click.option("--csv", "as_csv", is_flag=True, help="Print one line for each cell.")
@shared_options(scheduler_option)
def sweep_command(asked: Asked, summary_size: float | None, facts: bool, as_csv: bool) -> None:
    """Run conversations over a grid of two settings.

    Covers all conversations, or the named ones. A RANGE is START:STOP:STEP (both ends included), A,B,C, or one value.
    """
    from inspector.answers.sweeping import sweep_store
    from inspector.export.whatif import print_sweep, sweep_csv, sweep_document
    from inspector.replay.sweep import parse_axis

    profile = {name: asked.flags.pop(name) for name in ("profile",) if name in asked.flags}
    given = {name: parse_axis(name, text) for name, text in asked.flags.items()}
    axes = [axis for axis in given.values() if len(axis.values) > 1]
    for name, text in _GRID.items():
        if len(axes) < 2 and name not in given:
            axes.append(parse_axis(name, text))
    if len(axes) != 2:
        ranges = ", ".join(axis.name for axis in axes) or "none"
        raise UsageProblem(
            f"A sweep needs two settings with several values, START:STOP:STEP or A,B,C; it has {ranges}."
        )
    asked.flags = {
        **{name: axis.values[0] for name, axis in given.items() if len(axis.values) == 1},
        **profile,
    }
    answers, names = asked.several()
    swept = sweep_store(answers, names, axes[0], axes[1], summary_size, facts)
    if not swept.conversations:
        raise Interrupted("interrupted before any conversation was done.")
    if as_csv:
        click.echo(sweep_csv(swept), nl=False)
        asked.end()
    else:
        asked.print(swept, print_sweep, sweep_document)
    if not swept.complete:
        total = 0 if asked.progress.last is None else asked.progress.last.total
        done = f"{swept.conversations:,} of {total:,} conversations"
        raise Interrupted(f"interrupted; the answer covers {done}.")


@command("[PATH] [CONVERSATION...]")
@click.option(
    "--for",
    "goal",
    type=click.Choice(["cost", "facts", "few-compactions"]),
    default="cost",
    help="cost: the cheapest with no more facts at risk; facts: the fewest facts at risk; "
    "few-compactions: the fewest compactions.",
)
@shared_options(settings_options)
def recommend(asked: Asked, goal: Goal) -> None:
    """Recommend settings, with reasons.

    Compares them with the current settings, and prints the lines for the agent's configuration.
    """
    from inspector.answers.recommending import recommend as recommended
    from inspector.export.whatif import print_recommendation, recommendation_document

    answers, names = asked.several()
    asked.print(recommended(answers, names, goal), print_recommendation, recommendation_document)
