"""Messages that break the rules of chat APIs."""

from __future__ import annotations

from hypothesis import given

from inspector.core.messages import Message, messages_from
from inspector.engines.hygiene import TODO_START
from inspector.quality.evidence import Links, is_request, is_stray, links_of
from tests.engines.lists import assistant, call, conversations, result, user


def links(*wires: dict[str, object]) -> Links:
    return links_of(messages_from(wires))


def test_whole_groups_are_fine() -> None:
    assert (
        links(user(), assistant("", call("a"), call("b")), result("b"), result("a"), assistant()) == Links()
    )


def test_results_without_a_call_before_them() -> None:
    assert links(user(), result("a"), assistant("", call("a")), user()).orphans == (1,)
    assert links(user(), {"role": "tool", "content": "x"}).orphans == (1,)


def test_an_unanswered_call_counts_if_the_conversation_continues() -> None:
    open_call = (user(), assistant("", call("a"), call("b")), result("a"))
    assert links(*open_call).unanswered == ()
    assert links(*open_call, user("never mind")).unanswered == (1,)


def test_an_id_used_again_hides_no_call_without_a_result() -> None:
    turn = (user(), assistant("", call("a")))
    assert links(*turn, *turn, result("a"), assistant()).unanswered == (1,)
    assert links(*turn, result("a"), *turn, user("never mind")).unanswered == (4,)
    assert links(*turn, result("a"), *turn, result("a"), assistant()) == Links()


def test_repeated_roles_but_not_those_of_a_to_do_list() -> None:
    assert links(user(), user(), assistant(), assistant()).repeated == (1, 3)
    todo = user(f"{TODO_START}\n- [ ] 1. x")
    assert links(assistant(), todo, user(), assistant()).repeated == ()
    assert links(assistant(), user(), todo, assistant()).repeated == ()
    assert links(user(), assistant("", call("a")), result("a"), result("a"), assistant()).repeated == ()


def test_a_stray_result() -> None:
    messages = messages_from([user(), assistant("", call("a")), result("a"), result("b")])
    assert [is_stray(messages, index) for index in range(4)] == [False, False, False, True]


def test_whose_message_a_request_is() -> None:
    assert is_request(Message(user("please")))
    assert not is_request(Message(assistant("please")))
    assert not is_request(Message(user(f"{TODO_START}\n- [ ] 1. x")))
    assert not is_request(
        Message(user("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\nbody"))
    )


@given(conversations())
def test_well_formed_lists_have_no_orphans(messages: tuple[Message, ...]) -> None:
    found = links_of(messages)
    assert found.orphans == ()
    assert found.unanswered == ()
    for index in found.repeated:
        assert messages[index].role == messages[index - 1].role
