"""Taking secrets out of what is to be sent or passed on: each becomes a word that says what it was.

Rather one too many than one too few: the formats are those by which findings tell of secrets, without asking whether a
value looks random enough, and others that only matter here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from inspector.quality.secrets import FORMATS

#: Between a name and its value, in source, JSON and JSON inside of JSON; and a sign of such a value.
_IS = r"\\{0,3}[\"'`]?\s{0,3}[:=]\s{0,3}\\{0,3}[\"'`]?"
_PLAIN = r"[^\s\"'`\\,;(){}\[\]<>]"
#: What is it, texts of which it has at least one (in any case where its format is), and its format; the group `secret`,
#: where there is one, is what is taken out. The most telling come first.
_MORE: tuple[tuple[str, str, str], ...] = (
    (
        "a private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<secret>[^-]{16,20000})"
        r"(?:-----END|\Z|-)",
    ),
    (
        "an AWS secret key",
        "aws",
        r"(?i)aws.{0,24}?(?:secret|key).{0,24}?(?P<secret>(?<![\w/+=])[\w/+]{40}(?![\w/+=]))",
    ),
    (
        "a Slack webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/+-]{20,120})",
    ),
    ("a Slack token", "xapp-", r"\bxapp-[\w-]{20,250}"),
    ("a GitLab token", "gl", r"\bgl(?:rt|ptt|dt|soat|cbt|imt|ft|oas|agent)-[\w-]{20,64}"),
    ("an Azure key", "key=", r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[\w+/]{40,100}={0,2})"),
    ("an Azure signature", "g=", r"(?i)[?&]sig=(?P<secret>[\w%+/-]{20,200})"),
    ("a Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[\w-]{24,40}"),
    ("a Google OAuth token", "ya29.", r"\bya29\.[\w-]{20,400}"),
    ("a Stripe key", "k_", r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,247}\b"),
    ("an xAI key", "xai-", r"\bxai-[A-Za-z0-9]{40,120}"),
    ("a Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,80}"),
    ("a Perplexity key", "pplx-", r"\bpplx-[A-Za-z0-9]{40,80}"),
    ("a Replicate token", "r8_", r"\br8_[A-Za-z0-9]{30,60}"),
    ("a DigitalOcean token", "_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    ("a Shopify token", "shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("a Square token", "EAAA|sq0", r"\b(?:EAAA|sq0[a-z]{3}-)[\w-]{22,100}"),
    ("a Twilio key", "SK|AC", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("a Databricks token", "dapi", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    ("a Vault token", "hv", r"\bhv[sbr]\.[\w-]{24,300}"),
    ("a Discord token", ".", r"(?=[MNO])\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}"),
    ("a Linear key", "lin_", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("a Notion token", "secret_|ntn_", r"\b(?:secret|ntn)_[A-Za-z0-9]{40,60}\b"),
    ("a Tailscale key", "tskey-", r"\btskey-[a-z]+-[\w-]{16,100}"),
    ("an age key", "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b"),
    ("a Docker token", "dckr_", r"\bdckr_(?:pat|oat)_[\w-]{20,60}"),
    ("a JSON web token", "eyJ", r"\beyJ[\w-]{10,4000}\.[\w-]{10,8000}\.[\w-]{10,2000}"),
    (
        "a header with a key",
        "author",
        rf"(?i)\bauthorization\b{_IS}(?:bearer|basic|token|apikey)\s+(?P<secret>[\w.~+/=-]{{8,4000}})",
    ),
    (
        "a header with a key",
        "key|token",
        rf"(?i)\b(?:x-api-key|api-key|x-auth-token|x-goog-api-key)\b{_IS}(?P<secret>[\w.~+/=-]{{8,400}})",
    ),
    (
        "a header with a key",
        "bearer",
        r"(?i)\bbearer\s+(?P<secret>(?=[\w.~+/=-]{0,400}\d)[\w.~+/=-]{16,4000})",
    ),
    (
        "a password in an address",
        "://",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,64}:(?P<secret>[^\s/@\"'<>]{1,256})@",
    ),
    (
        "a key in an address",
        "=",
        r"(?i)[?&](?:api_?key|key|token|access_token|auth|secret|password|pwd|signature)="
        r"(?P<secret>[^\s&\"'<>#]{8,400})",
    ),
    (
        "a password",
        "pass|pwd",
        rf"(?i)(?:passw(?:or)?d|passwd|passphrase|\bpwd)[\w.-]{{0,16}}{_IS}(?P<secret>{_PLAIN}{{6,128}})",
    ),
    (
        "a password or key",
        "key|secret|token|cred",
        rf"(?i)(?:api[_-]?key|secret|token|private[_-]?key|credential)\w{{0,16}}{_IS}"
        rf"(?P<secret>(?={_PLAIN}{{0,256}}\d)(?={_PLAIN}{{0,256}}[A-Za-z]){_PLAIN}{{10,512}})",
    ),
)
#: Where a word begins: behind an escape of JSON too, whose last letter would else be part of it.
_BEGINS = r"(?:\b|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_FIRST = re.compile(r"^(\(\?i\)|\(\?=\[\w+\]\))?\\b")
#: The same of the format of findings that names none.
_NAMES = "key|secret|token|passw|author"
_PATTERNS = tuple(
    (
        kind,
        tuple((marks or _NAMES).split("|")),
        re.compile(_FIRST.sub(lambda match: (match[1] or "") + _BEGINS, pattern)),
    )
    for kind, marks, pattern in (*_MORE, *FORMATS)
)
#: Names of things and paths fit these formats too; they have no digits.
_WORDY = ("a password or key", "an OpenAI key")
#: What a secret becomes; no format fits it.
_OPEN = "[masked: "


#: What is taken out alone is so long, and a line of a longer secret.
_ALONE, _LINE = 6, 16
_BREAKS = re.compile(r"(?:\s|\\{1,4}[nrt])+")
_ENDS = ".,;:!?"
_MIXED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])")
#: What a name gives away may be a word, a path or a model's name as well: those stay where they stand alone.
_PARTED = re.compile(r"[-./:_]")


class Masker:
    """Takes secrets out of texts and remembers how many of each kind there were. `on` false: every text stays.

    `known` are secrets (kind, value) that were found elsewhere: they are taken out where nothing beside them tells what
    they are, too.
    """

    def __init__(self, on: bool = True, known: Iterable[tuple[str, str]] = ()) -> None:
        self.on = on
        self._seen: set[tuple[str, str]] = set()
        self._whole: dict[str, tuple[str, str]] = {}
        for secret in sorted(known):
            for part in _alone(*secret):
                self._whole.setdefault(part, secret)
        parts = "|".join(map(re.escape, sorted(self._whole, key=lambda part: (-len(part), part))))
        self._known = re.compile(rf"(?<![A-Za-z0-9])(?:{parts})(?![A-Za-z0-9])") if parts else None

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if not self.on or not text:
            return text
        folded = text.casefold()
        for kind, marks, pattern in _PATTERNS:
            there = folded if pattern.flags & re.IGNORECASE else text
            if any(mark in there for mark in marks):
                text = pattern.sub(lambda match, kind=kind: self._masked(match, kind), text)  # type: ignore[misc]
        return text if self._known is None else self._known.sub(self._recognized, text)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many different secrets of each kind were taken out, the most first."""
        return dict(Counter(kind for kind, _ in sorted(self._seen)).most_common())

    @property
    def secrets(self) -> frozenset[tuple[str, str]]:
        """Those secrets: (kind, value)."""
        return frozenset(self._seen)

    def _masked(self, match: re.Match[str], kind: str) -> str:
        group = "secret" if "secret" in match.re.groupindex else 0
        value, whole = match.group(group), match.group()
        if _OPEN in value or _is_placeholder(value) or (kind in _WORDY and not any(map(str.isdigit, value))):
            return whole
        # A secret that is known by another kind, or of which this is a line, is the same one.
        self._seen.add(self._whole.get(value, (kind, value)))
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        return f"{whole[:start]}{masked_as(kind)}{whole[end:]}"

    def _recognized(self, match: re.Match[str]) -> str:
        secret = self._whole[match[0]]
        self._seen.add(secret)
        return masked_as(secret[0])


def masked_as(kind: str) -> str:
    """What stands in the place of a secret."""
    return f"{_OPEN}{kind}]"


def _alone(kind: str, value: str) -> list[str]:
    """What of a secret can only be it: the whole, or the lines of one that has several; nothing of a mere word."""
    parts = [part for found in _BREAKS.split(value) if (part := found.rstrip(_ENDS))]
    least = _ALONE if len(parts) == 1 else _LINE
    if kind == "a password or key" and _PARTED.search(value):
        return []
    return [part for part in parts if len(part) >= least and _MIXED.match(part)]


_PLACEHOLDER = re.compile(
    r"(?i)(?:\*+|\.+|x+|<.*>|\$\{?\w+\}?|\[?redacted\]?|masked|none|null|true|false|\d{1,5})"
)


def _is_placeholder(value: str) -> bool:
    """Whether a text stands where a secret would, and is none."""
    return _PLACEHOLDER.fullmatch(value.strip()) is not None
