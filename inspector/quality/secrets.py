"""Find texts that look like keys, tokens and passwords, by the formats of their makers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.patterns import late_pattern

#: Kind, a substring that every match has, and the pattern. The group `secret`, if present, is the part that must look
#: random.
FORMATS: tuple[tuple[str, str, str], ...] = (
    ("an AWS access key", "IA", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    ("a GitHub token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("a GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{50,255}\b"),
    ("a GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,64}"),
    ("a Slack token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{20,250}"),
    ("an Anthropic key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,200}"),
    ("an OpenRouter key", "sk-or-v1-", r"\bsk-or-v1-[0-9a-f]{32,64}\b"),
    ("an OpenAI key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{24,200}"),
    ("a Stripe key", "k_live_", r"\b[rs]k_live_[A-Za-z0-9]{16,247}\b"),
    ("a webhook secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{24,100}"),
    ("a Google key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("a Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,60}\b"),
    ("an npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a PyPI token", "pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{50,300}"),
    ("a SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("a Telegram bot token", ":AA", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,33}"),
    (
        "a JSON web token",
        "eyJ",
        r"\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}",
    ),
    (
        "a private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----\s*(?P<secret>[A-Za-z0-9+/=]{24,64})",
    ),
    (
        "a password in an address",
        "://",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,64}:(?P<secret>[^\s:/@]{8,128})@",
    ),
    (
        "a password or key",
        "",
        # The token of a page or a document is only its id.
        r"(?i)(?:api[_-]?key|secret|(?<!doc[_-])(?<!wiki[_-])(?<!node[_-])(?<!file[_-])(?<!page[_-])(?<!next[_-])"
        r"token|passwor[dt]|passwd|authorization)[\w.-]{0,20}[\"'`]?"
        r"\s{0,3}(?:[:=]|\bis\b)\s{0,3}(?:bearer\s+)?[\"'`]?(?P<secret>[A-Za-z0-9+/_.~=-]{16,256})",
    ),
)
#: Minimum entropy in bits a character; higher for values known only by their name.
_LEAST_BITS, _LEAST_BITS_NAMED = 3.0, 3.5
_NAMED = ("a password or key", "a password in an address")
#: Names and paths match these formats too, but have no digits.
_WORDY = (*_NAMED, "an OpenAI key")
_PLACEHOLDER = late_pattern(
    r"(?i)example|redacted|your[_-]|placeholder|change[_-]?me|dummy|sample|xxxx|\*\*\*|\.\.\.|0000|1234567|abcdef"
    r"|(?:real|test|fake|my|some)[_-]?(?:secret|key|token|passw)"
)
_PATTERNS = tuple((kind, mark, late_pattern(pattern)) for kind, mark, pattern in FORMATS)
#: Maximum characters that are searched. Summaries are far shorter; this bounds the time for a hostile one.
_READ = 200_000
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that looks like a secret: its kind, its place (half-open, in characters), and a masked form."""

    kind: str
    start: int
    end: int
    masked: str


def secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets in a text, in order. A place counts once, with the first matching format."""
    found: list[Secret] = []
    for secret in _matches(text[:_READ]):
        if not any(secret.start < other.end and other.start < secret.end for other in found):
            found.append(secret)
    return tuple(sorted(found, key=lambda secret: secret.start))


def _matches(text: str) -> Iterator[Secret]:
    for kind, mark, pattern in _PATTERNS:
        for match in pattern.finditer(text) if mark in text else ():
            group = "secret" if "secret" in pattern.groupindex else 0
            value = match.group(group)
            if _looks_random(value, kind) and not _PLACEHOLDER.search(value):
                masked = f"{value[:_SHOWN]}…, {len(value)} characters"
                yield Secret(kind, match.start(group), match.end(group), masked)


def _looks_random(value: str, kind: str) -> bool:
    if entropy(value) < (_LEAST_BITS_NAMED if kind in _NAMED else _LEAST_BITS):
        return False
    return kind not in _WORDY or (any(map(str.isdigit, value)) and any(map(str.isalpha, value)))


def entropy(text: str) -> float:
    """Return the Shannon entropy in bits a character; 0.0 for an empty text."""
    if not text:
        return 0.0
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
