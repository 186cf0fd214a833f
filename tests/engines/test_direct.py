"""What the releases from 0.20 on do that sizes alone do not tell."""

from __future__ import annotations

from hypothesis import given

from inspector.core.messages import Message, messages_from
from inspector.engines.base import Settings
from inspector.engines.capabilities import assemble
from inspector.engines.hermes.direct.assembly import Kept, demoted
from inspector.engines.hermes.direct.estimates import text_tokens
from inspector.engines.registry import engine
from tests.engines.lists import assistant, call, conversations, result, user

SMALL = Settings(context_length=20_000, threshold=0.1, target_ratio=0.1)


def test_dense_scripts_count_whole() -> None:
    assert (text_tokens("abcd"), text_tokens("abcde"), text_tokens("")) == (1, 2, 0)
    assert (text_tokens("日本語"), text_tokens("日本語 abcd"), text_tokens("é" * 8)) == (3, 5, 2)


def test_a_blank_message_behind_the_last_request_leaves_the_list() -> None:
    listed = [user("begin " * 500), *[user("more " * 900), assistant("yes " * 900)] * 4]
    listed += [user("the last request"), user(" "), assistant("on it"), *[assistant("done " * 20)] * 2]
    messages = messages_from(listed)
    found = engine("hermes-0.20")
    settings = SMALL.with_(threshold=0.4)
    plan = found.plan(found.measure(messages), settings)
    assert plan.compacts
    left = [out.source for out in assemble(found, messages, plan, "a summary")]
    assert 9 in left
    assert 10 not in left


def test_results_of_older_rounds_of_a_lean_tail_are_demoted() -> None:
    rounds = [wire for n in range(8) for wire in (assistant("", call(f"c{n}")), result(f"c{n}", "x" * 1_500))]
    kept = demoted([Kept(at, wire) for at, wire in enumerate(rounds)])
    changed = [at for at, (_, wire) in enumerate(kept) if wire is not rounds[at]]
    assert changed == [1, 3]
    assert "1,500 chars" in str(kept[1].wire["content"])
    assert [wire for _, wire in demoted([Kept(0, rounds[1])])] == [rounds[1]]


@given(conversations(least=3))
def test_plans_of_texts_keep_to_their_list(messages: tuple[Message, ...]) -> None:
    for name in ("hermes-0.20", "hermes-current"):
        found = engine(name)
        index = found.measure(messages)
        plan = found.plan(index, SMALL)
        head, tail = plan.regions()
        assert 0 <= head <= tail <= len(messages) == plan.length
        assert index.total() == index.rough_until(len(messages)) == plan.tokens_before
        if plan.compacts:
            sources = [out.source for out in assemble(found, messages, plan, "a summary")]
            kept = [source for source in sources if isinstance(source, int)]
            assert kept == sorted(kept)
            assert all(source < head or source >= tail for source in kept)
            assert ("summary" in sources) is not plan.merged
