"""Secrets of every known format are removed from sent texts, and little else."""

from __future__ import annotations

import json
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.models.masking import Masker
from tests.quality.test_secrets import SECRETS

_ALNUM = string.ascii_letters + string.digits
_PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
_HEX = "0123456789abcdef"


def _of(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    # Every class of characters occurs, as in randomly generated keys.
    mixed = st.text(alphabet, min_size=least - 2, max_size=(most or least) - 2)
    digit = "7" if "7" in alphabet else alphabet[0]
    return mixed.map(
        lambda text: f"{digit}{text}{'b' if 'b' in alphabet else 'B' if 'B' in alphabet else digit}"
    )


def _after(prefix: str, rest: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return rest.map(lambda text: prefix + text)


#: By kind: a generator of secrets, and the text around a secret if the format includes one.
FORMATS: dict[str, tuple[st.SearchStrategy[str], Callable[[str], str]]] = {
    "AWS access key": (_after("AKIA", _of(string.ascii_uppercase + "234567", 16)), str),
    "AWS secret key": (_of(_ALNUM, 40), "AWS_SECRET_ACCESS_KEY={}".format),
    "GitHub token": (_after("ghp_", _of(_ALNUM, 36)), str),
    "GitHub fine-grained token": (_after("github_pat_", _of(_ALNUM + "_", 60)), str),
    "GitLab token": (_after("glpat-", _of(_ALNUM, 20)), str),
    "Slack token": (_after("xoxb-", _of(_ALNUM + "-", 30)), str),
    "Slack app token": (_after("xapp-1-", _of(_ALNUM, 30)), str),
    "Slack webhook": (_of(_ALNUM, 24), "https://hooks.slack.com/services/T0/{}".format),
    "Anthropic key": (_after("sk-ant-api03-", _of(_ALNUM, 40)), str),
    "OpenAI key": (_after("sk-proj-", _of(_ALNUM, 40)), str),
    "OpenRouter key": (_after("sk-or-v1-", _of(_HEX, 64)), str),
    "Google key": (_after("AIza", _of(_ALNUM, 35)), str),
    "Google OAuth token": (_after("ya29.", _of(_ALNUM, 60)), str),
    "Stripe key": (_after("sk_live_", _of(_ALNUM, 24)), str),
    "Stripe test key": (_after("sk_test_", _of(_ALNUM, 24)), str),
    "Hugging Face token": (_after("hf_", _of(_ALNUM, 34)), str),
    "npm token": (_after("npm_", _of(_ALNUM, 36)), str),
    "PyPI token": (_after("pypi-AgE", _of(_ALNUM, 80)), str),
    "xAI key": (_after("xai-", _of(_ALNUM, 80)), str),
    "Groq key": (_after("gsk_", _of(_ALNUM, 52)), str),
    "Databricks token": (_after("dapi", _of(_HEX, 32)), str),
    "Vault token": (_after("hvs.", _of(_ALNUM, 40)), str),
    "DigitalOcean token": (_after("dop_v1_", _of(_HEX, 64)), str),
    "Azure key": (_of(_ALNUM, 86), "AccountName=x;AccountKey={}==".format),
    "JSON web token": (
        st.tuples(_of(_ALNUM, 20), _of(_ALNUM, 40), _of(_ALNUM, 30)).map(lambda p: f"eyJ{p[0]}.eyJ{p[1]}.{p[2]}"),
        str,
    ),
    "private key": (
        _of(_ALNUM + "+/", 200, 400),
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----".format,
    ),
    "private key in JSON": (
        _of(_ALNUM + "+/", 200, 400),
        r"-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n".format,
    ),
    "password in a URL": (_of(_ALNUM + "!%", 8, 30), "postgres://orders:{}@db.internal:5432/orders".format),
    "key in a URL": (_of(_ALNUM, 24), "https://example.org/v1?a=1&api_key={}&b=2".format),
    "bearer": (_of(_ALNUM, 30), "Authorization: Bearer {}".format),
    "basic": (_of(_ALNUM, 30), '"authorization": "Basic {}"'.format),
    "header": (_of(_ALNUM, 30), "x-api-key: {}".format),
    "assignment": (_of(_ALNUM, 20), "DEPLOY_TOKEN={}".format),
    "YAML": (_of(_ALNUM, 20), "  client_secret: {}".format),
    "password": (_of(_ALNUM, 8, 20), "password = '{}'".format),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@given(
    data=st.data(),
    before=st.sampled_from(["", "Use this: ", "see\n", "clé « "]),
    after=st.sampled_from(["", " now.", "\n"]),
)
def test_every_format_is_removed_in_any_place(
    name: str, data: st.DataObject, before: str, after: str
) -> None:
    secrets, shown = FORMATS[name]
    secret = data.draw(secrets)
    masker = Masker()
    text = f"{before}{shown(secret)}{after}"
    masked = masker(text)
    assert secret not in masked
    assert "[masked: " in masked
    assert masked.startswith(before)
    assert masked.endswith(after)
    assert sum(masker.counts.values()) >= 1
    # Arguments of a call are JSON, and JSON inside JSON.
    quoted = json.dumps({"command": text})
    assert secret not in Masker()(quoted) or json.dumps(secret) != f'"{secret}"'
    assert secret not in Masker()(json.dumps({"body": quoted})) or json.dumps(secret) != f'"{secret}"'


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_of_findings_are_removed(secret: str) -> None:
    assert Masker()(secret) != secret


@given(st.sampled_from(list(SECRETS)), st.text(max_size=40), st.text(max_size=40))
def test_masked_text_stays_masked(secret: str, before: str, after: str) -> None:
    masker = Masker()
    once = masker(f"{before} {secret} {after}")
    counts = masker.counts
    assert masker(once) == once
    assert masker.counts == counts


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 200000 and token_count = 128000",
        "The token is [REDACTED] and the password: ***",
        "password reset flow: services/accounts/password_reset.py",
        "commit 3f2a9c1e5b7d8046a1b2c3d4e5f60718293a4b5c",
        "authentication-token-refresh-middleware-is-next",
        "import sk-learn-is-a-library-for-machine-learning",
        "secret = None",
        "At most 3 retries, only on 502, 503, 504; pool_size 6; https://example.org/a/b?page=2",
        "password=$DB_PASSWORD",
        "function moor(privateKey: Uint8Array): { publicKey: Uint8Array; secret: Float32Array }",
        "struct Harbour { token: Ed25519PrivateKey, password: SecretStr }",
    ],
)
def test_harmless_text_is_unchanged(text: str) -> None:
    masker = Masker()
    assert masker(text) == text
    assert not masker.counts


def test_the_same_secret_counts_once() -> None:
    masker = Masker()
    secret = "ghp_" + "a1B2" * 9
    masker(f"{secret} and again {secret}")
    masker(secret)
    assert masker.counts == {"a GitHub token": 1}


def test_masking_can_be_switched_off() -> None:
    masker = Masker(on=False)
    secret = "ghp_" + "a1B2" * 9
    assert masker(secret) == secret
    assert not masker.counts


@pytest.mark.parametrize(
    "text",
    [
        "PASSWORD = hunter2rabbit",
        "pa\u017f\u017fword = hunter2rabbit",
        "PwD: hunter2rabbit",
        "API_\u212aEY=hunter2rabbit",
        "BEARER hunter2rabbit12345",
        "authori\u017fation AUTHORIZATION: Basic hunter2rabbit",
        "X-Api-Key: hunter2rabbit",
        "ftp+x://joe:hunter2rabbit@host",
        "?SIG=hunter2rabbit0123456789&x",
        "AccountKEY=" + "hunter2rabbit" * 6,
        "Credential: hunter2rabbit",
    ],
)
def test_case_hides_nothing(text: str) -> None:
    assert "hunter2rabbit" not in Masker()(text)


def test_the_id_of_a_document_stays_in_its_address() -> None:
    reader = Masker()
    address = "https://harbour.example/sheets/Qm7xJ2vLp9TbZ4kWn6Rd1Hs8"
    key = "Wn6Rd1Hs8Qm7xJ2vLp9TbZ4k"
    for text in (f"token: {address[-24:]}, api_key: {key}", f"see {address}"):
        reader(text)
    masker = Masker(known=reader.secrets)
    assert masker(f"see {address}?token={key}") == f"see {address}?token=[masked: a key in an address]"
    assert masker(f"{key} and {address[-24:]}") == f"[masked: a password or key] and {address[-24:]}"


def test_a_known_secret_is_removed_as_a_whole_word() -> None:
    reader = Masker()
    key = "\n".join(f"{at}{string.ascii_letters}" for at in range(10, 14))
    reader(
        f"password: hunter2. token: models/user2.py secret=claude-sonnet-4-5 password: plainword\n{_PEM.format(key)}"
    )
    masker = Masker(known=reader.secrets)
    assert masker("log in with hunter2 now") == "log in with [masked: a password] now"
    assert masker(f"then\n11{string.ascii_letters} and so on") == "then\n[masked: a private key] and so on"
    for text in ("see models/user2.py", "claude-sonnet-4-5 said it", "a plainword", "hunter23", "xhunter2"):
        assert masker(text) == text
    assert masker.counts == {"a password": 1, "a private key": 1}
    masker("password: hunter2.")
    assert masker.counts == {"a password": 1, "a private key": 1}
    assert Masker(on=False, known=reader.secrets)("hunter2") == "hunter2"


@given(st.sampled_from(list(SECRETS)), st.text(max_size=40))
def test_a_known_masked_secret_stays_masked(secret: str, after: str) -> None:
    reader = Masker()
    reader(secret)
    masker = Masker(known=reader.secrets)
    once = masker(f"{secret} {after}")
    assert masker(once) == once
