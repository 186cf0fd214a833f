"""Taking secrets out of what is to be sent: each becomes a word that says what it was.

Rather one too many than one too few: the formats are those by which findings tell of secrets, without asking whether a
value looks random enough, and others that only matter here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from inspector.quality.secrets import FORMATS

#: Between a name and its value, in source, JSON and JSON inside of JSON; and a sign of such a value.
_IS = r"\\{0,3}[\"'`]?\s{0,3}[:=]\s{0,3}\\{0,3}[\"'`]?"
_PLAIN = r"[^\s\"'`\\,;(){}\[\]<>]"
#: Kind → format; the group `secret`, where there is one, is what is taken out. The most telling come first.
_MORE: tuple[tuple[str, str], ...] = (
    (
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<secret>[^-]{16,20000})"
        r"(?:-----END|\Z|-)",
    ),
    (
        "an AWS secret key",
        r"(?i)aws.{0,24}?(?:secret|key).{0,24}?(?P<secret>(?<![\w/+=])[\w/+]{40}(?![\w/+=]))",
    ),
    ("a Slack webhook", r"https://hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/+-]{20,120})"),
    ("a Slack token", r"\bxapp-[\w-]{20,250}"),
    ("a GitLab token", r"\bgl(?:rt|ptt|dt|soat|cbt|imt|ft|oas|agent)-[\w-]{20,64}"),
    ("an Azure key", r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[\w+/]{40,100}={0,2})"),
    ("an Azure signature", r"(?i)[?&]sig=(?P<secret>[\w%+/-]{20,200})"),
    ("a Google OAuth secret", r"\bGOCSPX-[\w-]{24,40}"),
    ("a Google OAuth token", r"\bya29\.[\w-]{20,400}"),
    ("a Stripe key", r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,247}\b"),
    ("an xAI key", r"\bxai-[A-Za-z0-9]{40,120}"),
    ("a Groq key", r"\bgsk_[A-Za-z0-9]{40,80}"),
    ("a Perplexity key", r"\bpplx-[A-Za-z0-9]{40,80}"),
    ("a Replicate token", r"\br8_[A-Za-z0-9]{30,60}"),
    ("a DigitalOcean token", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    ("a Shopify token", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("a Square token", r"\b(?:EAAA|sq0[a-z]{3}-)[\w-]{22,100}"),
    ("a Twilio key", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("a Databricks token", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    ("a Vault token", r"\bhv[sbr]\.[\w-]{24,300}"),
    ("a Discord token", r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}"),
    ("a Linear key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("a Notion token", r"\b(?:secret|ntn)_[A-Za-z0-9]{40,60}\b"),
    ("a Tailscale key", r"\btskey-[a-z]+-[\w-]{16,100}"),
    ("an age key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b"),
    ("a Docker token", r"\bdckr_(?:pat|oat)_[\w-]{20,60}"),
    ("a JSON web token", r"\beyJ[\w-]{10,4000}\.[\w-]{10,8000}\.[\w-]{10,2000}"),
    (
        "a header with a key",
        rf"(?i)\bauthorization\b{_IS}(?:bearer|basic|token|apikey)\s+(?P<secret>[\w.~+/=-]{{8,4000}})",
    ),
    (
        "a header with a key",
        rf"(?i)\b(?:x-api-key|api-key|x-auth-token|x-goog-api-key)\b{_IS}(?P<secret>[\w.~+/=-]{{8,400}})",
    ),
    ("a header with a key", r"(?i)\bbearer\s+(?P<secret>(?=[\w.~+/=-]{0,400}\d)[\w.~+/=-]{16,4000})"),
    (
        "a password in an address",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,64}:(?P<secret>[^\s/@\"'<>]{1,256})@",
    ),
    (
        "a key in an address",
        r"(?i)[?&](?:api_?key|key|token|access_token|auth|secret|password|pwd|signature)="
        r"(?P<secret>[^\s&\"'<>#]{8,400})",
    ),
    (
        "a password",
        rf"(?i)(?:passw(?:or)?d|passwd|passphrase|\bpwd)[\w.-]{{0,16}}{_IS}(?P<secret>{_PLAIN}{{6,128}})",
    ),
    (
        "a password or key",
        rf"(?i)(?:api[_-]?key|secret|token|private[_-]?key|credential)\w{{0,16}}{_IS}"
        rf"(?P<secret>(?={_PLAIN}{{0,256}}\d)(?={_PLAIN}{{0,256}}[A-Za-z]){_PLAIN}{{10,512}})",
    ),
)
#: Where a word begins: behind an escape of JSON too, whose last letter would else be part of it.
_BEGINS = r"(?:\b|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_FIRST = re.compile(r"^(\(\?i\))?\\b")
_PATTERNS = tuple(
    (kind, re.compile(_FIRST.sub(lambda match: (match[1] or "") + _BEGINS, pattern)))
    for kind, pattern in (*_MORE, *((kind, pattern) for kind, _, pattern in FORMATS))
)
#: Names of things and paths fit these formats too; they have no digits.
_WORDY = ("a password or key", "an OpenAI key")
#: What a secret becomes; no format fits it.
_OPEN = "[masked: "


class Masker:
    """Takes secrets out of texts and remembers how many of each kind there were. `on` false: every text stays."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self._seen: set[tuple[str, str]] = set()

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if not self.on or not text:
            return text
        for kind, pattern in _PATTERNS:
            text = pattern.sub(lambda match, kind=kind: self._masked(match, kind), text)  # type: ignore[misc]
        return text

    @property
    def counts(self) -> Mapping[str, int]:
        """How many different secrets of each kind were taken out, the most first."""
        return dict(Counter(kind for kind, _ in self._seen).most_common())

    def _masked(self, match: re.Match[str], kind: str) -> str:
        group = "secret" if "secret" in match.re.groupindex else 0
        value, whole = match.group(group), match.group()
        if _OPEN in value or _is_placeholder(value) or (kind in _WORDY and not any(map(str.isdigit, value))):
            return whole
        self._seen.add((kind, value))
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        return f"{whole[:start]}{_OPEN}{kind}]{whole[end:]}"


_PLACEHOLDER = re.compile(
    r"(?i)(?:\*+|\.+|x+|<.*>|\$\{?\w+\}?|\[?redacted\]?|masked|none|null|true|false|\d{1,5})"
)


def _is_placeholder(value: str) -> bool:
    """Whether a text stands where a secret would, and is none."""
    return _PLACEHOLDER.fullmatch(value.strip()) is not None
