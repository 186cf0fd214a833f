"""Masking of secrets in texts that are sent, printed or exported: a word with the kind replaces each secret.

Masking prefers false alarms to leaks. It uses the formats of findings without their test for randomness, and more
formats: phrases about passwords, command-line options, headers, addresses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from inspector.core.patterns import late_pattern
from inspector.quality.secrets import (
    FORMATS,
    MASKED,
    NAMED,
    NO_DOCUMENT,
    PREFIXED,
    TYPE_NAME,
    document_ids,
    masked_as,
)

#: Separator between a name and its value, in source code, JSON and JSON inside JSON, with the start of a value.
_IS = r"\\{0,3}[\"'`]?\s{0,3}[:=]\s{0,3}\\{0,3}[\"'`]?"
_PLAIN = r"[^\s\"'`\\,;(){}\[\]<>]"
#: The same with the marks of Markdown, tables and other scripts.
_MARKED = r"\\{0,3}[\"'`]?[*_]{0,3}\s{0,3}(?:[:=：]|=>|\|)[*_]{0,3}\s{0,3}"
#: A value: the whole text in quotation marks, or a word with any characters, without the marks that end a sentence.
_VALUE = (
    r"(?:(?P<quote>\\{0,3}[\"'`])(?P<secret>(?:(?!(?P=quote))[^\n]){3,128})"
    r"|(?P<word>(?![{\[(<])[^\s\"'`\\<>|]{2,127}[^\s\"'`\\<>|.,;:)\]}]))"
)
_PASSWORD = (
    r"(?:passw(?:or[dt])?|passwd|passphrase|passcode|(?<![a-z])(?:pwd|pw)(?![a-z])|kennwort|wachtwoord|has[lł]o"
    r"|mot de passe|contrase[nñ]a|senha|парол[ья]|密码|口令|パスワード|비밀번호)"
)
#: Words that follow "the password is" and describe it.
_TELLS = (
    r"(?:not|no|in|on|at|of|for|the|an?|your|my|our|his|her|their|its|being|only|also|always|never|still|now|too|very|what"
    r"|ok(?:ay)?|fine|here|there|below|above|this|that|these|those|wrong|right|same|different|new|old|empty|blank|short|long"
    r"|weak|strong|secret|safe|unsafe|valid|invalid|correct|incorrect|missing|present|optional|required|mandatory|kept|sent"
    r"|read|written|unset|set|unknown|known|public|private|plain|plaintext|case|just|already|as|used|asked|given|text)\b"
)
#: Parts of password names; every match of _PASSWORD contains at least one.
_PASSWORDS = "pass|pw|kennwort|wachtwoord|has|mot de passe|contrase|senha|парол|密码|口令|パスワード|비밀번호"
#: Kind, hints, format. A matching text contains at least one hint (case-folded if the format ignores case). The group
#: `secret` or `word`, if present, is the masked part. The most specific formats come first.
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
    ("an Azure key", "key=", r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[\w+/]{40,100}={0,2})"),
    ("an Azure signature", "g=", r"(?i)[?&]sig=(?P<secret>[\w%+/-]{20,200})"),
    ("a Stripe key", "k_", r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,247}\b"),
    ("a Square token", "EAAA|sq0", r"\b(?:EAAA|sq0[a-z]{3}-)[\w-]{22,100}"),
    ("a Twilio key", "SK|AC", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("a Discord token", ".", r"(?=[MNO])\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}"),
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
        "a cookie",
        "cookie",
        r"(?i)\b(?:set-)?cookie2?\b\\{0,3}[\"'`]?\s{0,3}[:=]\s{0,3}\\{0,3}[\"'`]?"
        r"(?P<secret>[\w!#$%&*+.^|~-]{1,64}=[^\n\"'`\\]{2,4000})",
    ),
    (
        "a password in an address",
        "://",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,64}:(?!\d{1,5}/)(?P<secret>[^\s\"'<>]{1,256})@(?=[\w.\[-])",
    ),
    (
        "a token in an address",
        "://",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?=[^\s/@]{0,255}\d)(?P<secret>[^\s:/@\"'<>]{12,256})@",
    ),
    (
        "a password of a command",
        "curl|wget|http",
        r"(?i)\b(?:curl|wget|https?)\b[^\n|;]{0,400}?\s(?:-u|-a|--user|--proxy-user|--auth)[ =]?\\{0,3}"
        r"(?P<open>[\"']?)[^\s:\"']{1,64}:(?P<secret>(?(open)[^\n\"']|[^\s\"'\\]){1,128})",
    ),
    (
        "a password of a command",
        "mysql|mariadb|mongo|sshpass|redis-cli|ldap|docker|7z",
        r"\b(?:(?:mysql\w*|mariadb[\w-]*|7z)\b[^\n|;&]{0,300}?\s-p"
        r"|(?:sshpass|mongo\w*|docker login)\b[^\n|;&]{0,300}?\s-p\s{0,4}"
        rf"|redis-cli\b[^\n|;&]{{0,300}}?\s-a\s{{1,4}}|ldap\w+\b[^\n|;&]{{0,300}}?\s-w\s{{1,4}})(?!-){_VALUE}",
    ),
    (
        "a password of a command",
        "--",
        rf"(?i)(?<![\w-])--[\w-]{{0,24}}(?:passw(?:or)?d|passphrase|pass|pwd)(?:=|\s{{1,4}})(?!-){_VALUE}",
    ),
    (
        "a key of a command",
        "--",
        r"(?i)(?<![\w-])--[\w-]{0,24}(?:token|secret|api-?key|access-?key)(?:=|\s{1,4})(?!-)\\{0,3}[\"'`]?"
        rf"(?P<secret>(?={_PLAIN}{{0,256}}\d)(?={_PLAIN}{{0,256}}[A-Za-z]){_PLAIN}{{8,512}})",
    ),
    ("a password of a command", "pass:", r"(?<![\w-])-?\bpass:(?P<secret>[^\s\"'`\\]{3,128})"),
    (
        "a password",
        "password",
        r"(?i)\b(?:login|machine)\s{1,8}\S{1,128}\s{1,20}(?:login\s{1,8}\S{1,128}\s{1,20})?"
        r"(?:account\s{1,8}\S{1,128}\s{1,20})?password\s{1,8}(?P<secret>\S{1,128})",
    ),
    (
        "a password of a registry",
        "auth|token",
        r"(?i)[\"'](?:auth|identitytoken|registrytoken)\\{0,3}[\"']\s{0,3}:\s{0,3}\\{0,3}[\"']"
        r"(?P<secret>[\w+/.=-]{8,4000})",
    ),
    (
        "a key in an address",
        "=",
        r"(?i)[?&](?:api_?key|key|token|access_token|auth|secret|password|pwd|signature)="
        r"(?P<secret>[^\s&\"'<>#]{8,400})",
    ),
    (
        "a password",
        _PASSWORDS,
        rf"(?i){_PASSWORD}(?!\w*\()[\w.-]{{0,16}}{_MARKED}{_VALUE}",
    ),
    (
        "a password",
        _PASSWORDS,
        rf"(?i){_PASSWORD}(?:'s|\s{{1,3}}(?:is|was|ist|war|lautet|est|es|é|è))(?:\s{{1,3}}(?:now|jetzt))?[\s:]{{1,3}}"
        rf"(?!{_TELLS})(?:(?=\\{{0,3}}[\"'`])|(?=\S{{0,127}}[\d_!$%&#@])|(?=[^\W\d]{{8,127}}[.!]?\s{{0,3}}(?:$|\n))"
        rf"(?!\w{{0,127}}(?:ed|ing|able|ible)\b)){_VALUE}",
    ),
    (
        NAMED,
        "key|secret|token|cred",
        rf"(?i)(?:api[_-]?key|secret|{NO_DOCUMENT}token|private[_-]?key|credential)\w{{0,16}}{_IS}"
        rf"(?P<secret>(?={_PLAIN}{{0,256}}\d)(?={_PLAIN}{{0,256}}[A-Za-z]){_PLAIN}{{10,512}})",
    ),
)
#: Start of a word, also after a JSON escape, whose last letter would otherwise belong to the word.
_BEGINS = r"(?:\b|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_FIRST = late_pattern(r"^(\(\?i\)|\(\?=\[\w+\]\))?\\b")
#: Hints for formats of findings without their own hints.
_NAMES = "key|secret|token|passw|author"
_COMPILED = (
    (kind, marks or _NAMES, late_pattern(_FIRST.sub(lambda match: (match[1] or "") + _BEGINS, pattern)))
    for kind, marks, pattern in (*_MORE, *FORMATS)
)
#: Kind, hints, whether these are lower case for a folded text, and pattern of each format.
_PATTERNS = tuple(
    (kind, tuple(marks.split("|")), bool(pattern.flags & re.IGNORECASE), pattern)
    for kind, marks, pattern in _COMPILED
)
#: Beginnings of keys that also begin names in code.
_COMMON = ("key-", "secret_", "re_", "fw_", "sk_")
_BEGINNINGS = "|".join(
    re.escape(begin) for _, begins, _ in PREFIXED for begin in begins.split("|") if begin not in _COMMON
)
#: A key that is split by a line break.
_BROKEN = late_pattern(
    rf"{_BEGINS}(?P<secret>(?:{_BEGINNINGS}|[srp]k_(?:live|test)_)[A-Za-z0-9_-]{{6,200}}"
    r"\\?(?:\r?\n|\\{1,4}n)[ \t>|#*]{0,16}"
    r"(?=[A-Za-z0-9_-]{0,199}\d)(?=[A-Za-z0-9_-]{0,199}[A-Za-z])[A-Za-z0-9_-]{8,200})"
)
#: Invisible characters of zero width that split a key.
_UNSEEN = late_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
#: Attributes of a cookie; not secrets.
_ATTRIBUTES = late_pattern(r"(?i)(?:path|domain|expires|max-age|samesite|priority|version)")
_CRUMB = late_pattern(r"(?P<name>[^\s=;]{1,64})=(?P<secret>[^;]{1,4000})")
#: Identifiers and paths, which also match these formats but have no digits.
_WORDY = (NAMED, "an OpenAI key", "a key")


#: Minimum length of a secret, or of a line of a longer secret, that is masked without its context.
_ALONE, _LINE = 6, 16
_BREAKS = late_pattern(r"(?:\s|\\{1,4}[nrt])+")
_ENDS = ".,;:!?"
_MIXED = late_pattern(r"(?=.*\d)(?=.*[^\W\d_])")
#: Kinds whose value may also be a word, a path or a model's name: such values are masked only in their context.
_PARTED = late_pattern(r"[-./:_]")


class Masker:
    """Masks secrets in texts and counts them by kind. With `on` false every text stays unchanged.

    `known` are secrets (kind, value) from other texts: they are masked even without a context that identifies them.
    """

    def __init__(self, on: bool = True, known: Iterable[tuple[str, str]] = ()) -> None:
        self.on = on
        self._seen: set[tuple[str, str]] = set()
        self._documents: set[str] = set()
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
        if _UNSEEN.search(text):
            plain = _UNSEEN.sub("", text)
            masked = self(plain)
            return text if masked == plain else masked
        self._documents |= document_ids(text)
        folded = text.casefold()
        if "\n" in text or "\\n" in text:
            text = _BROKEN.sub(lambda match: self._masked(match, "a key"), text)
        for kind, marks, folds, pattern in _PATTERNS:
            there = folded if folds else text
            for mark in marks:
                if mark in there:
                    text = pattern.sub(partial(self._masked, kind=kind), text)
                    break
        return text if self._known is None else self._known.sub(self._recognized, text)

    def knowing(self, *texts: str) -> Masker:
        """Return a masker that also masks the secrets of these texts without their context. Both count together."""
        finder = Masker(self.on)
        for text in texts:
            finder(text)
        masker = Masker(self.on, finder.secrets)
        masker._seen = self._seen
        return masker

    @property
    def counts(self) -> Mapping[str, int]:
        """Return kind → number of different masked secrets, the largest first."""
        return dict(Counter(kind for kind, _ in sorted(self._seen)).most_common())

    @property
    def secrets(self) -> frozenset[tuple[str, str]]:
        """Those secrets: (kind, value). A value that an address has as the id of a document is no secret."""
        return frozenset(
            (kind, value) for kind, value in self._seen if kind != NAMED or value not in self._documents
        )

    def _masked(self, match: re.Match[str], kind: str) -> str:
        group: str | int = next((name for name in ("secret", "word") if match.groupdict().get(name)), 0)
        value, whole = match.group(group), match.group()
        if kind == "a cookie":
            return f"{whole[: match.start(group) - match.start()]}{_CRUMB.sub(self._crumb, value)}"
        if (
            MASKED.rstrip() in value
            or _PLACEHOLDER.fullmatch(value.strip())
            or (kind in _WORDY and not any(map(str.isdigit, value)))
        ):
            return whole
        # A secret that is already known under another kind, or a line of a known secret, keeps that kind.
        self._seen.add(self._whole.get(value, (kind, value)))
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        return f"{whole[:start]}{masked_as(kind)}{whole[end:]}"

    def _crumb(self, match: re.Match[str]) -> str:
        named = _ATTRIBUTES.fullmatch(match["name"])
        return match.group() if named else self._masked(match, "the value of a cookie")

    def _recognized(self, match: re.Match[str]) -> str:
        secret = self._whole[match[0]]
        self._seen.add(secret)
        return masked_as(secret[0])


def clean(text: str, key: str = "") -> str:
    """Return a provider's text without the key of the request and without other secrets."""
    return Masker()(text.replace(key, "[the key]") if key else text)


class KeyFilter:
    """Removes a key from a text that arrives in pieces. Holds back a piece that may be the start of the key."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return the text that cannot be part of the key."""
        if not self._key:
            return piece
        text = (self._held + piece).replace(self._key, "[the key]")
        most = min(len(text), len(self._key) - 1)
        held = next((size for size in range(most, 0, -1) if self._key.startswith(text[-size:])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def end(self) -> str:
        """Return the text that was held back."""
        held, self._held = self._held, ""
        return held


def _alone(kind: str, value: str) -> list[str]:
    """Return parts of a secret to mask without context: the whole, or its lines; nothing for a plain word."""
    parts = [part for found in _BREAKS.split(value) if (part := found.rstrip(_ENDS))]
    least = _ALONE if len(parts) == 1 else _LINE
    if kind == NAMED and _PARTED.search(value):
        return []
    return [part for part in parts if len(part) >= least and _MIXED.match(part)]


#: Texts in the place of a secret.
_PLACEHOLDER = late_pattern(
    r"(?i)(?:\*+|\.+|x+|<.*>|\$\{?\w+\}?|\[?redacted\]?|masked|none|null|true|false|undefined|str(?:ing)?|bool(?:ean)?|any"
    r"|bytes|text|required|optional|yes|no|\d{1,3}"
    rf"|(?-i:{TYPE_NAME}))"
)
