"""The contents of messages as text or as parts."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.stores.wires import plain

_IMAGE = {"type": "image", "data": "aGk="}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        ("text", "text"),
        ([], ""),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        ([{"type": "text", "text": "one"}, _IMAGE], [{"type": "text", "text": "one"}, _IMAGE]),
        # Unknown forms are not dropped.
        (["one", "二"], '["one", "二"]'),
        ([{"type": "text", "text": "one"}, "two"], '[{"type": "text", "text": "one"}, "two"]'),
        ({"a": 1}, '{"a": 1}'),
    ],
)  # fmt: skip
def test_a_content_is_its_text_or_its_parts(content: Any, expected: Any) -> None:
    assert plain(content) == expected
