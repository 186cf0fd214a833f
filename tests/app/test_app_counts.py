"""Counts that must agree if they are side by side, and a note if they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.conversations import Compaction
from inspector.core.rough import text_tokens
from inspector.summaries.parse import parse_summary
from inspector.tokens.tokenizers import Counter
from tests.app.running import CHECKOUT, conversation, plan, press, running, screen_text
from widgets.bars.gauge import Gauge
from widgets.panes.summary_lines import section_tokens, summary_view


@given(
    st.lists(
        st.sampled_from(["## Goal", "### Done", "- an item", "words", "", "x" * 40, "None.", "字字\r"])
    ).map("\n".join)
)
def test_the_sections_of_a_summary_add_up_to_it(body: str) -> None:
    sections = parse_summary(body).sections
    tokens = section_tokens(body, sections)
    assert len(tokens) == len(sections)
    assert all(count >= 0 for count in tokens)
    if sections:
        assert sum(tokens) == text_tokens(len(body))


@pytest.mark.parametrize(
    "body", ["A fallback text without headings, of one paragraph.", "## Goal\n- one\n- two"]
)
def test_a_summary_of_one_section_has_the_size_of_the_section(body: str) -> None:
    recorded = Compaction(
        index=1, session="s", before=9, after=5, head_end=2, tail_start=7, head_after=2, tail_after=3, summary_at=2,
        summary=body, merged=False, fallback=False, tokens_before=100, tokens_after=50, at=0.0,
    )  # fmt: skip
    view = summary_view(recorded, 1, None)
    assert view.tokens == (text_tokens(len(body)),)


class Sparing:
    """A counter with half of the rough count."""

    def encode_ordinary(self, text: str) -> list[int]:
        return [0] * (len(text) // 8)


async def test_a_plan_that_fires_below_the_threshold_is_explained(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "inspector.tokens.tokenizers.counter_for", lambda model: Counter("sparing", Sparing())
    )
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "6")
        screen = conversation(pilot)
        state = pilot.app.screen.query_one(Gauge).state
        assert state.kind == "exact"
        assert state.tokens is not None
        assert state.planned is not None
        assert state.tokens < state.planned
        assert not state.parted
        assert "counts part" not in screen_text(pilot)
        between = (state.tokens + state.planned) // 2
        screen.tuner.change(profile="documented", threshold=between / screen.state.settings.context_length)
        await press(pilot)
        state = pilot.app.screen.query_one(Gauge).state
        assert state.parted
        text = screen_text(pilot)
        assert "planned" in text
        assert "The exact count (" in text
        assert "The list is over the threshold" in text


@pytest.mark.parametrize("title", [CHECKOUT, "小程序首页改版"])
async def test_hygiene_is_shown_only_for_a_session_of_a_gateway(rotating: Path, title: str) -> None:
    async with running(rotating, title, size=(160, 48)) as pilot:
        await press(pilot, "6")
        screen = conversation(pilot)
        size = plan(pilot).tokens_before
        screen.tuner.change(profile="documented", threshold=0.95, context_length=int(size / 0.88))
        await press(pilot)
        text = screen_text(pilot)
        assert ("Gateway hygiene would compact" in text) is (title != CHECKOUT)
        assert ("rough tokens are left before a compaction" in text) is (title == CHECKOUT)
