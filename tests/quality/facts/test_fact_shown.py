"""Preferences that are shown and not said: found in two messages, explained, and not seen where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.kept_facts import packed, unpacked
from inspector.config.fact_rules import LANGUAGES, read_rules
from inspector.core.errors import BadInput
from inspector.quality.facts.fact import Fact, SpokenMessage
from inspector.quality.facts.fates.fate import fate
from inspector.quality.facts.gather import gather
from inspector.quality.facts.reading.extract import facts_of
from inspector.quality.facts.rules.compiling import rules_from
from tests.quality.facts.made_facts import RULES, searchable, step, steps

NPM = ("assistant", "I install it.", "npm install left-pad")


def conversation(*told: str | tuple[str, str] | tuple[str, str, str]) -> tuple[SpokenMessage, ...]:
    """One message a text; (role, text, command) calls the terminal."""
    found = []
    for number, one in enumerate(told):
        role, text, *call = ("user", one) if isinstance(one, str) else one
        calls = [("terminal", f'{{"command": "{command}"}}') for command in call]
        found.append(replace(step(number, text, role, calls), task=number))
    return tuple(found)


def shown(*told: str | tuple[str, str] | tuple[str, str, str]) -> list[Fact]:
    return [fact for fact in gather(conversation(*told)) if fact.why]


def test_a_sentence_that_shows_a_wish_is_no_fact_beside_it() -> None:
    told = ("Did you write tests for the shelf?", NPM, "Write tests for the box please.")
    found = gather(conversation(*told))
    assert [(one.rule, one.text) for one in found if one.role == "user"] == [
        ("en.wish.tests", "Did you write tests for the shelf?")
    ]


def test_one_tool_of_several() -> None:
    (found,) = shown(
        "It fails here:\n```\n$ pnpm test\n3 failed\n```",
        NPM,
        "I ran `pnpm install` again, see below.",
        "Thanks",
    )
    assert (found.kind, found.rule, found.value) == ("preference", "any.tool.node", "pnpm")
    assert found.why == "shown in 2 messages; the agent ran npm"
    assert found.explained == f"any.tool.node: {found.why}"
    assert [saying.step for saying in found.sayings] == [2, 0]
    assert found.text == "I ran `pnpm install` again, see below."
    start, end = found.cue
    assert "I ran `pnpm install` again, see below."[start:end] == "pnpm install"
    assert found.rank > 100


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(["Run pnpm test.", NPM], id="once"),
        pytest.param(["Run pnpm test.", "Run pnpm build."], id="the agent ran no other"),
        pytest.param(
            ["Run pnpm test.", NPM, "npm install also works", "Run pnpm build."], id="the user ran both"
        ),
        pytest.param(["not with pnpm test", NPM, "why instead of pnpm test?"], id="denied"),
        pytest.param(["> pnpm test", NPM, "> pnpm build"], id="quoted"),
        pytest.param(["The pnpm docs are good.", NPM, "pnpm is a tool."], id="no command"),
        pytest.param([("assistant", "pnpm test"), NPM, ("assistant", "pnpm build")], id="not the user"),
        pytest.param(["mypnpm run x", NPM, "./pnpm run y"], id="other names"),
    ],
)
def test_no_tool_is_shown(told: list[str | tuple[str, str, str]]) -> None:
    assert shown(*told) == []


def test_the_longer_command_is_meant() -> None:
    (found,) = shown("uv pip install x", ("assistant", "ok", "pip install x"), "$ uv run pytest -q")
    assert (found.rule, found.value) == ("any.tool.python", "uv")


@pytest.mark.parametrize(
    ("rule", "first", "second"),
    [
        ("en.wish.shorter", "That's too long.", "Still too long, sorry."),
        ("en.wish.no-emoji", "Can you remove the emojis?", "And drop the emojis here too."),
        ("en.wish.fewer-comments", "There are too many comments in it.", "Again too many comments."),
        ("en.wish.type-hints", "The type hints are missing.", "Missing type hints in the second file."),
        ("en.wish.tests", "Where are the tests?", "And where is the test for this one?"),
        ("en.wish.run-tests", "Did you run the tests?", "You didn't run the tests."),
        ("en.wish.table", "Can I have that as a table?", "This one as a table too."),
        ("en.wish.bullets", "Can I have it as bullets?", "As bullet points, like before."),
        ("en.wish.only-diff", "Show me the diff.", "Just the diff is enough."),
        ("en.wish.plain-words", "And in plain words?", "In simple words again."),
        ("en.wish.more-detail", "A bit more detail.", "That is too vague."),
        ("en.wish.small-commits", "Can you split the commit?", "That belongs in a separate commit."),
        ("en.wish.docstrings", "The docstring is missing.", "Missing docstrings in reader.py."),
        ("en.wish.ask-first", "You should have asked.", "Why didn't you ask?"),
        ("en.wish.source", "Where is that from?", "And where does that come from?"),
        ("zh.wish.shorter", "写得太长。", "还是短一点吧。"),
        ("zh.wish.no-emoji", "去掉表情。", "这里也去掉表情。"),
        ("zh.wish.fewer-comments", "注释太多。", "这里注释太多。"),
        ("zh.wish.tests", "测试呢？", "补个测试。"),
        ("zh.wish.run-tests", "测试跑了吗？", "你没跑测试。"),
        ("zh.wish.table", "列成表吧。", "这个也列成表。"),
        ("zh.wish.bullets", "分点写。", "这个也分点。"),
        ("zh.wish.only-diff", "只看改动。", "这次也只看改动。"),
        ("zh.wish.more-detail", "详细一点。", "再详细些。"),
        ("zh.wish.small-commits", "分开提交。", "这个单独提交。"),
    ],
)
def test_every_wish_is_a_preference_when_it_comes_again(rule: str, first: str, second: str) -> None:
    assert shown(first) == []
    assert shown(first, ("assistant", "Done."), ("assistant", second)) == []
    (found,) = shown(first, ("assistant", "Done."), second)
    assert (found.kind, found.rule) == ("preference", rule)
    assert found.text in (first, second)
    assert found.why == "shown in 2 messages"


def test_every_wish_has_an_example() -> None:
    ids = {wish.id for language in RULES.languages for wish in language.wishes}
    marks = test_every_wish_is_a_preference_when_it_comes_again.pytestmark  # type: ignore[attr-defined]
    assert {example[0] for example in marks[0].args[1]} == ids


@pytest.mark.parametrize(
    "text",
    [
        "The build takes too long to finish.",
        "A shorter timeout is better than this.",
        "Store each row in a table of its own.",
        "This message is too long for the queue.",
        "Run the tests.",
    ],
)
def test_what_only_looks_like_a_wish(text: str) -> None:
    assert shown(text, text, text) == []


def test_an_exchange_of_words() -> None:
    (found,) = shown("Rename colour to color.", ("assistant", "Done."), "It is color, not colour!")
    assert (found.rule, found.value) == ("en.swap", "color")
    assert shown("Rename colour to color.", "Rename color to colour.") == []
    assert shown("Rename colour to color.", "Rename color to hue.") == []
    assert shown("Rename colour to color. And rename colour to color.") == []
    (found,) = shown("把“客户”改成“用户”。", "这里也把“客户”改为“用户”。")
    assert (found.rule, found.value) == ("zh.swap", "用户")


def test_what_is_stated_is_not_shown_too() -> None:
    facts = gather(
        conversation("Please keep answers short, this is too wordy.", "Please never be so too wordy.")
    )
    assert all(not fact.why for fact in facts)
    assert facts


def test_what_became_of_it() -> None:
    (found,) = shown("Run `pnpm test`.", NPM, "Run `pnpm build`.")
    assert fate(found, searchable("The project is built with pnpm."), 1).outcome == "paraphrased"
    assert fate(found, searchable("The project is built."), 1).outcome == "lost"
    assert fate(found, searchable("Nothing.", tail=[found.text]), 1).outcome == "verbatim"


@given(
    st.lists(st.sampled_from(["Run pnpm test.", "Still too long.", "It is color, not colour.", "Thanks."]))
)
def test_signs_are_kept_between_runs_and_none_counts_twice(texts: list[str]) -> None:
    for text in texts:
        facts = facts_of(text, "user", RULES)
        assert unpacked(packed(facts)) == facts
    found = [fact for fact in gather(conversation(*texts, NPM)) if fact.why]
    assert (
        len({fact.key for fact in found})
        == len(found)
        == sum(texts.count(t) > 1 for t in {*texts} - {"Thanks."})
    )


def test_bad_data_is_told() -> None:
    documents = [read_rules(name) for name in LANGUAGES]
    for name, wrong, told in (
        ("wishes", [{"id": "en.wish.x", "phrases": [True]}], "The wish en.wish.x has no phrases"),
        ("swaps", ["{new} for sale"], "must have"),
    ):
        changed = [{**one, name: wrong} if one["language"] == "en" else one for one in documents]
        with pytest.raises(BadInput, match=told):
            rules_from(changed)


def test_steps_of_the_whole_room_still_have_no_signs_of_their_own() -> None:
    assert all(not one.facts.signs for one in steps("Keep the port at 8443.", ("assistant", "I keep it.")))
