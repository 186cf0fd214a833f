"""Words, stems and exact values of a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.scan.exact import PATTERNS, is_path, plain_number
from inspector.core.scan.words import Stemmer, folded, has_unspaced
from inspector.quality.facts.rules import load_stemmer
from inspector.summaries.words import is_word, tokens

STEMMER = load_stemmer()


def test_a_value_is_one_token() -> None:
    assert tokens("Pin src/a.py to v1.2.3, 用pnpm!") == [
        "Pin",
        "src/a.py",
        "to",
        "v1.2.3",
        ",",
        "用",
        "pnpm",
        "!",
    ]
    assert [token for token in tokens("a, _b 3!") if is_word(token)] == ["a", "_b", "3"]


@given(st.text(max_size=60))
def test_nothing_but_white_space_is_between_tokens(text: str) -> None:
    assert "".join(tokens(text)) == re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    "forms",
    [("retry", "retries", "retried"), ("write", "writes", "writing"), ("deploy", "deployed", "deploys")],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({tuple(STEMMER.words(form)) for form in forms}) == 1


def test_stems_of_the_subject() -> None:
    assert list(STEMMER.words("The pool_size of the pods")) == ["pool", "size", "pod"]
    assert list(STEMMER.words("端口改动")) == ["端口", "口改", "改动"]
    assert list(STEMMER.words("limit the pool", without=[(0, 5)])) == ["pool"]
    assert list(Stemmer().words("The pods")) == ["the", "pods"]


def test_scripts_without_spaces() -> None:
    assert has_unspaced("用 pnpm")
    assert not has_unspaced("pnpm, naïvely")


def test_folded_texts_are_one_line() -> None:
    assert folded("  Keep\n it   SMALL. ") == "keep it small"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("src/app/main.py", True),
        ("main.py", True),
        ("services/checkout", True),
        ("~/notes/", True),
        ("n/a", False),
        ("200/400", False),
        ("I/O", False),
        ("s/old/new/g", False),
        ("10.0.0.1", False),
    ],
)
def test_paths_and_texts_that_only_look_like_paths(text: str, found: bool) -> None:
    assert is_path(text) is found


@pytest.mark.parametrize(
    ("digits", "plain"),
    [("2,500", "2500"), ("0.50", "0.5"), ("1,5", "1.5"), ("007", "7"), ("1.2.3", "1.2.3")],
)
def test_numbers_are_compared_plainly(digits: str, plain: str) -> None:
    assert plain_number(digits) == plain


@pytest.mark.parametrize("name", PATTERNS)
def test_every_form_is_a_pattern(name: str) -> None:
    assert re.compile(PATTERNS[name]).groups == 0
    assert re.fullmatch(PATTERNS[name], "") is None


def test_an_issue_is_no_colour() -> None:
    assert re.fullmatch(PATTERNS["colour"], "#123") is None
    assert re.fullmatch(PATTERNS["colour"], "#fc0")
    assert re.fullmatch(PATTERNS["colour"], "#123456")
