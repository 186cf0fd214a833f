"""Secrets in all usual notations, and a provider that repeats the key of a request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.errors import AttemptError
from inspector.models.masking import KeyFilter, Masker, clean
from inspector.models.summarizers.base import Reply
from inspector.models.summarizers.endpoint import EndpointSummarizer
from tests.models.server import DONE, Answer, Server, event, stream, whole

KEY = "k-9Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5"

#: Texts with their secrets.
WRITTEN = {
    "Cookie: session=af83Kd92hsQx; theme=dark": "af83Kd92hsQx",
    "Set-Cookie: sid=s%3Aq8Zk2mPx9Lw.v7; Path=/; HttpOnly": "q8Zk2mPx9Lw",
    "curl -H 'Cookie: JSESSIONID=9F3C2A77B1' https://api.example": "9F3C2A77B1",
    "curl -s -u admin:Tr0ub4dor https://api.example": "Tr0ub4dor",
    "curl --user 'admin:tr0ub 4dor' https://api.example": "tr0ub 4dor",
    "mysql -u root -phunter22 shop": "hunter22",
    "mysqldump -uroot -p'hun,ter;22' shop": "hun,ter;22",
    "sshpass -p s3cr3tpw ssh host": "s3cr3tpw",
    "sshpass -p 'my pass 9' ssh host": "my pass 9",
    "redis-cli -h cache -a hunter22 ping": "hunter22",
    "openssl rsa -passin pass:hunter22 -in key.pem": "hunter22",
    "tool --password hunter22 --verbose": "hunter22",
    "tool --db-password='a b,c'": "a b,c",
    "tool --token 9fK2jd8Ls02k": "9fK2jd8Ls02k",
    "machine api.example login me password Xk29fjw1": "Xk29fjw1",
    "machine api.example\n  login me\n  password Xk29fjw1\n": "Xk29fjw1",
    "The password is Winter2024": "Winter2024",
    "the password is correcthorse": "correcthorse",
    "My password's now Winter2024": "Winter2024",
    "pw=Winter2024": "Winter2024",
    "db pw: Winter2024": "Winter2024",
    "PGPASSWORD=orders99 psql -h db": "orders99",
    "git clone https://x7Kd92hsQxAf83Lm@git.example/a/b": "x7Kd92hsQxAf83Lm",
    '{"auths":{"ghcr.io":{"auth":"bWU6c2VjcmV0cGFzcw=="}}}': "bWU6c2VjcmV0cGFzcw==",
    "**password**: Winter2024": "Winter2024",
    "**Password:** Winter2024": "Winter2024",
    "| password | Winter2024 |": "Winter2024",
    "Passwort: Winter2024": "Winter2024",
    "Das Passwort lautet Winter2024": "Winter2024",
    "mot de passe : Hiver2024": "Hiver2024",
    "contraseña: Invierno24": "Invierno24",
    "密码：Winter2024": "Winter2024",
    "password = 'a,b;c(d)9'": "a,b;c(d)9",
    "password=ab,cd;e(f)9": "ab,cd;e(f)9",
    'password: "correct horse battery"': "correct horse battery",
    "postgres://me:p@ss/w0rd@db:5432/orders": "p@ss/w0rd",
    "password: abc12": "abc12",
    "ghp_AbCdEfGhIjKlMnOp\u200bQrStUvWxYz0123456789ab": "QrStUvWxYz0123456789ab",
    "pass\u2060word: hunter22": "hunter22",
    "sk-ant-api03-AbCdEfGhIjKlMnOpQr\nStUvWxYz0123456789abcdefGHIJ": "StUvWxYz0123456789abcdefGHIJ",
    "ghp_AbCdEfGhIjKlMnOp\\\n  QrStUvWxYz0123456789": "QrStUvWxYz0123456789",
}  # fmt: skip
ORDINARY = (
    "The password is wrong.", "the password is not stored anywhere", "password is required", "password: str",
    "password = None", "def login(user, password): ...", "password: ${DB_PASSWORD}", "The token is expired",
    "git clone https://github.com/a/b", "https://host.example/@user/page", "http://host:8080/@user", "mysql -p",
    "mysql -P 3306", "docker run -p 8080:80 nginx", "ssh -p 22 host", "pw is short for password", "Passwort vergessen",
    '"author": "me"', "password must have 8 characters", "compass: north", "bypass = True", "password: <password>",
    "password is hashed with bcrypt", "The password is in the vault.", "pytest -p no:cacheprovider", "mkdir -p src/app",
    "python -u main.py", "Set-Cookie header is missing", "cookie: chocolate", "--max-tokens 4096",
    "tool --token-file x1",
    "sk-learn is a library\nthat everyone knows", "--password-stdin", "Pass 2 of 3: ok",
)  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_a_secret_is_removed_in_every_notation(text: str) -> None:
    masked = Masker()(text)
    assert WRITTEN[text] not in masked
    assert "[masked: " in masked
    assert Masker()(masked) == masked


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_are_unchanged(text: str) -> None:
    assert Masker()(text) == text


@given(st.sampled_from(sorted(WRITTEN)), st.text("ab c.\n", max_size=40), st.text("ab c.\n", max_size=40))
def test_surrounding_text_does_not_hide_a_secret(text: str, before: str, after: str) -> None:
    assert WRITTEN[text] not in Masker()(f"{before}\n{text}\n{after}")


@given(st.text("ab", min_size=1, max_size=6), st.lists(st.text("abc", max_size=5), max_size=12))
def test_a_key_in_pieces_is_removed(key: str, pieces: list[str]) -> None:
    filtered = KeyFilter(key)
    out = "".join([*map(filtered.feed, pieces), filtered.end()])
    assert key not in out.replace("[the key]", "|")
    assert out.count("[the key]") == "".join(pieces).count(key)


def repeated(where: str) -> Answer:
    """Return an answer of a provider that repeats the key."""
    sentence = f"bad key {KEY} for you"
    return {
        "error event": stream(event("Some text"), event(error={"message": sentence})),
        "error at once": stream(event(error=sentence)),
        "200 with an error": whole(200, {"error": {"message": sentence}}),
        "200 in plain text": whole(200, sentence.encode(), "text/plain"),
        "refused": whole(401, {"error": {"message": sentence}}),
        "malformed event": stream(f"data: {sentence}\n\n".encode()),
        "summary": stream(event(f"Use {KEY}."), event(finish="stop"), DONE),
        "summary in pieces": stream(*(event(letter) for letter in f"Use {KEY}."), event(finish="stop"), DONE),
        "whole summary": whole(200, {"choices": [{"message": {"content": f"Use {KEY}."}}]}),
        "model": stream(
            event("Fine."), event(finish="stop"), f'data: {{"model": "model-{KEY}"}}\n\n'.encode(), DONE
        ),
        "cut": stream(event(f"Use {KEY}"), event(KEY[:10]), cut=True),
    }[where]


WAYS = (
    "error event", "error at once", "200 with an error", "200 in plain text", "refused", "malformed event", "summary",
    "summary in pieces", "whole summary", "model", "cut",
)  # fmt: skip


@pytest.mark.parametrize("where", WAYS)
def test_a_provider_that_repeats_the_key_is_cleaned(
    where: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    server.answers = [repeated(where)]
    seen: list[str] = []
    try:
        reply = EndpointSummarizer(server.base, "some-model", "SOME_KEY").write("x", seen.append)
    except AttemptError as error:
        reply = Reply(f"{error} {getattr(error, 'text', '')}")
    output = f"{reply} {''.join(seen)}"
    assert KEY not in output
    assert "[the key]" in output


def test_other_secrets_of_a_provider_are_cleaned_too() -> None:
    assert clean(f"{KEY} and AKIAQW3ER5TY7UIOPAS2", KEY) == "[the key] and [masked: an AWS access key]"
