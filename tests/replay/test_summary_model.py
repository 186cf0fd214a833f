"""Sizes of the summaries of a run."""

from __future__ import annotations

import pytest

from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.engines.sizes import MessageSize
from inspector.replay.course import Course
from inspector.replay.run import run_course
from inspector.replay.summary_model import Extra, SummaryModel, WrittenSummary, new_chars


def written(step: int, messages: int, chars: int, fresh: int) -> WrittenSummary:
    return WrittenSummary(step, messages, MessageSize(chars // 4 + 10, chars, 0), fresh)


MODEL = SummaryModel(
    recorded=(
        written(100, 80, 4_000, 3_600),
        written(200, 60, 8_000, 5_000),
        written(300, 60, 8_400, 5_200),
        written(400, 90, 10_000, 6_000),
    )
)


@pytest.mark.parametrize(
    ("number", "step", "messages", "previous", "chars"),
    [
        (0, 100, 80, 0, 4_000),
        (0, 50, 20, 0, 2_200),
        (0, 300, 200, 0, 4_000),
        (1, 200, 60, 4_000, 8_000),
        (2, 290, 60, 8_000, 8_400),
        (7, 900, 75, 8_000, 9_200),
        (3, 500, 120, 8_000, 10_000),
        (2, 210, 15, 6_000, 5_500),
        (2, 210, 0, 6_000, 3_000),
        (2, 210, 0, 2_000, 2_000),
    ],
)
def test_a_summary_is_as_large_as_recorded_ones_of_as_many_messages(
    number: int, step: int, messages: int, previous: int, chars: int
) -> None:
    size = MODEL.written(number, step, messages, previous)
    assert size is not None
    assert size.chars == chars
    assert size.walk == chars // 4 + 10


def test_items_of_the_previous_summary_are_not_fresh() -> None:
    first = "## Goal\nFix the parser.\n\n## Done\n1. Read parser.py and its tests\n"
    second = first + "2. Ran the tests: 3 failed\n"
    reworded = second.replace("its tests", "its old tests")
    assert [new_chars(*pair) for pair in (("", first), (first, second), (first, reworded))] == [43, 23, 23]


def test_a_second_summary_repeats_the_first_if_no_second_one_is_recorded() -> None:
    model = SummaryModel(recorded=MODEL.recorded[:1])
    sizes = [model.written(number, 150, 5, 3_000) for number in (0, 1)]
    assert [size and size.chars for size in sizes] == [1_300, 3_250]


def test_a_model_without_records_leaves_the_size_open() -> None:
    assert SummaryModel().written(0, 10, 10, 0) is None
    assert SummaryModel().extra(0, 10, 0) == 0


def test_tokens_added_with_a_summary_are_those_of_the_closest_summary() -> None:
    model = SummaryModel(extras=(Extra(100, 5_000), Extra(200, 1_000), Extra(300, 9_000)))
    assert [model.extra(number, step, 0) for number, step in ((0, 90), (1, 190), (7, 100))] == [
        5_000,
        1_000,
        5_000,
    ]


def test_a_summary_cuts_no_more_than_the_kept_messages_have() -> None:
    model = SummaryModel(extras=(Extra(13, -240_000, 6_000),))
    assert model.extra(0, 13, 246_000) == -240_000, "as recorded"
    assert model.extra(0, 13, 1_000) == -1_000, "the cut messages left the list"
    # The recorded list was smaller than its scaled size.
    assert SummaryModel(extras=(Extra(13, -500, -400),)).extra(0, 13, 100) == -500


@pytest.mark.parametrize("profile", ["hermes-0.13", "hermes-0.19"])
def test_a_summary_that_is_summarized_alone_is_no_compaction(profile: str) -> None:
    """One user message is above the threshold: after it only the old summary is left to summarize."""

    def message(role: str, words: int) -> Message:
        return Message({"role": role, "content": "word " * words})

    work = [message(role, 400) for _ in range(60) for role in ("user", "assistant")]
    more = [message(role, 40) for _ in range(5) for role in ("assistant", "user")]
    rules = replayable(engine(profile))
    course = Course(rules, rules.read((*work, message("user", 120_000), *more)), 0)
    run = run_course(course, Settings(profile=profile, context_length=100_000, protect_last_n=1), MODEL)
    assert run.events
    assert set(run.removed_by.values()) == set(range(len(run.events))), "each takes messages out of the list"
