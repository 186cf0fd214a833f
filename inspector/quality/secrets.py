"""Find texts that look like keys, tokens and passwords, by the formats of their makers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from inspector.core.patterns import late_pattern

#: Kind of a secret that is known only by the name before it.
NAMED = "a password or key"
#: Kind, beginnings (separated by |), and the pattern of the random rest.
PREFIXED: tuple[tuple[str, str, str], ...] = (
    ("an AWS access key", "AKIA|ASIA", r"[A-Z2-7]{16}\b"),
    ("an AWS Bedrock key", "ABSK|bedrock-api-key-", r"[A-Za-z0-9+/]{60,400}={0,2}"),
    ("a GitHub token", "ghp_|gho_|ghu_|ghs_|ghr_", r"[A-Za-z0-9]{36,255}\b"),
    ("a GitHub token", "github_pat_", r"[A-Za-z0-9_]{50,255}\b"),
    (
        "a GitLab token",
        "glpat-|glrt-|glptt-|gldt-|glsoat-|glcbt-|glimt-|glft-|gloas-|glagent-|glffct-",
        r"[A-Za-z0-9_-]{20,64}",
    ),
    ("a Slack token", "xoxa-|xoxb-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xapp-", r"[A-Za-z0-9-]{20,250}"),
    ("an Anthropic key", "sk-ant-api03-|sk-ant-admin01-|sk-ant-oat01-|sk-ant-", r"[A-Za-z0-9_-]{20,200}"),
    ("an OpenRouter key", "sk-or-v1-", r"[0-9a-f]{32,64}\b"),
    # Some keys of Tavily begin with "sk-tvly-".
    ("a Tavily key", "tvly-dev-|tvly-prod-|tvly-", r"[A-Za-z0-9-]{28,80}"),
    ("an OpenAI key", "sk-proj-|sk-svcacct-|sk-admin-|sk-", r"[A-Za-z0-9_-]{24,200}"),
    ("a Stripe key", "sk_live_|rk_live_", r"[A-Za-z0-9]{16,247}\b"),
    ("a webhook secret", "whsec_", r"[A-Za-z0-9+/=]{24,100}"),
    ("a Google key", "AIza", r"[A-Za-z0-9_-]{35}"),
    ("a Google key", "AQ.", r"Ab8[A-Za-z0-9_-]{40,80}"),
    ("a Google OAuth secret", "GOCSPX-", r"[A-Za-z0-9_-]{24,40}"),
    ("a Google OAuth token", "ya29.", r"[A-Za-z0-9_-]{20,1024}"),
    ("a Hugging Face token", "hf_|api_org_", r"[A-Za-z0-9]{30,60}\b"),
    ("an NVIDIA key", "nvapi-", r"[A-Za-z0-9_-]{40,100}"),
    ("an xAI key", "xai-", r"[A-Za-z0-9_]{40,120}\b"),
    ("a Groq key", "gsk_", r"[A-Za-z0-9]{40,80}\b"),
    ("a Perplexity key", "pplx-", r"[A-Za-z0-9]{40,80}\b"),
    ("a Cerebras key", "csk-", r"[A-Za-z0-9]{40,64}\b"),
    ("a Fireworks key", "fw_", r"[A-Za-z0-9]{22,48}\b"),
    ("a Together key", "tgp_v1_", r"[A-Za-z0-9_-]{36,64}"),
    ("a Replicate token", "r8_", r"[A-Za-z0-9]{30,60}\b"),
    ("a RunPod key", "rpa_", r"[A-Z0-9]{30,60}[a-z0-9]{0,10}\b"),
    ("an ElevenLabs key", "sk_", r"[0-9a-f]{32,64}\b"),
    ("a Brave key", "BSA", r"[A-Za-z0-9_-]{24,32}(?![A-Za-z0-9_-])"),
    ("a Firecrawl key", "fc-", r"[0-9a-f]{32}\b"),
    ("a Jina key", "jina_", r"[A-Za-z0-9_-]{40,80}"),
    ("a LangSmith key", "lsv2_pt_|lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}\b"),
    ("an E2B key", "e2b_", r"[0-9a-f]{40}\b"),
    ("a Context7 key", "ctx7sk-", r"[0-9a-f-]{32,40}\b"),
    ("a Cloudflare token", "cfut_|cfat_", r"[A-Za-z0-9_-]{36,64}"),
    ("a DigitalOcean token", "dop_v1_|doo_v1_|dor_v1_", r"[0-9a-f]{64}\b"),
    ("a Fly.io token", "fo1_|fm2_", r"[A-Za-z0-9+/_-]{43,700}"),
    ("a Heroku key", "HRKU-AA", r"[A-Za-z0-9_-]{50,64}"),
    ("a Netlify token", "nfp_", r"[A-Za-z0-9]{36,50}\b"),
    ("a Neon key", "napi_", r"[a-z0-9]{56,70}\b"),
    ("a Render key", "rnd_", r"[A-Za-z0-9]{24,48}\b"),
    ("a Supabase key", "sbp_", r"[0-9a-f]{40}\b"),
    ("a Vercel token", "vcp_|vci_|vca_|vcr_|vck_", r"[A-Za-z0-9]{24,80}\b"),
    ("a PlanetScale token", "pscale_tkn_|pscale_oauth_|pscale_pw_", r"[A-Za-z0-9_=.-]{32,64}"),
    ("a Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?\b"),
    ("a Vault token", "hvs.|hvb.|hvr.", r"[A-Za-z0-9_-]{24,300}"),
    ("a Doppler token", "dp.pt.|dp.st.|dp.sa.", r"[A-Za-z0-9.]{40,80}\b"),
    ("a 1Password token", "ops_eyJ", r"[A-Za-z0-9+/_-]{100,2000}"),
    ("a Pulumi token", "pul-", r"[0-9a-f]{40}\b"),
    ("a Grafana token", "glsa_|glc_", r"[A-Za-z0-9_+/]{32,400}"),
    ("a Sentry token", "sntrys_|sntryu_", r"[A-Za-z0-9+/_=]{40,400}"),
    ("a PostHog key", "phx_", r"[A-Za-z0-9_]{40,60}\b"),
    ("a Shopify token", "shpat_|shpca_|shppa_|shpss_", r"[0-9a-fA-F]{32}\b"),
    ("a Square token", "sq0atp-|sq0csp-", r"[A-Za-z0-9_-]{22,60}"),
    ("a SendGrid key", "SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("a Brevo key", "xkeysib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}\b"),
    ("a Resend key", "re_", r"[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,32}\b"),
    ("a Mailgun key", "key-", r"[0-9a-f]{32}\b"),
    ("a Linear key", "lin_api_|lin_oauth_", r"[A-Za-z0-9]{32,64}\b"),
    ("a Notion token", "ntn_|secret_", r"[A-Za-z0-9]{40,60}\b"),
    ("a Figma token", "figd_", r"[A-Za-z0-9_-]{36,60}"),
    ("an Atlassian token", "ATATT3|ATCTT3", r"[A-Za-z0-9_=-]{60,400}"),
    ("a Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}\b"),
    ("a Tailscale key", "tskey-", r"[a-z]{3,12}-[A-Za-z0-9_-]{16,100}"),
    ("a Docker token", "dckr_pat_|dckr_oat_", r"[A-Za-z0-9_-]{20,60}"),
    ("an npm token", "npm_", r"[A-Za-z0-9]{36}\b"),
    ("a PyPI token", "pypi-AgE", r"[A-Za-z0-9_-]{50,300}"),
    ("a RubyGems key", "rubygems_", r"[0-9a-f]{48}\b"),
    ("an age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}\b"),
)
#: What is not before "token" in a secret: the token of a page, a document or a sheet is only its id.
NO_DOCUMENT = (
    r"(?<!doc[_-])(?<!wiki[_-])(?<!node[_-])(?<!file[_-])(?<!page[_-])(?<!next[_-])(?<!sheet[_-])(?<!sheet \()"
    r"(?<!document \()"
)
#: Kind, substrings (separated by |), and the pattern. Every match contains one of the substrings. The group `secret`,
#: if present, is the part to mask, and the group `body` the part that must look random.
FORMATS: tuple[tuple[str, str, str], ...] = (
    *(
        (kind, begins, rf"\b(?:{'|'.join(map(re.escape, begins.split('|')))})(?P<body>{rest})")
        for kind, begins, rest in PREFIXED
    ),
    # Many services begin their keys with their name and one of these words.
    (
        "a key",
        "sk_|pk_|live_|secret_|pat_|tkn_",
        r"\b[A-Za-z][A-Za-z0-9]{1,20}_(?:sk|pk|live|secret|pat|tkn)_"
        r"(?P<body>[a-z0-9]{24,200}(?![A-Za-z0-9_-])|(?=[a-z0-9_-]{0,40}[A-Z])[A-Za-z0-9_-]{24,200})",
    ),
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
        NAMED,
        "",
        rf"(?i)(?:api[ _-]?key|secret|{NO_DOCUMENT}token|passwor[dt]|passwd|authorization)[\w.-]{{0,20}}[\"'`*]{{0,3}}"
        r"\s{0,3}(?:[:=：]|\bis\b)[*]{0,2}\s{0,3}(?:bearer\s+)?[\"'`]?(?P<secret>[A-Za-z0-9+/_.~=-]{16,256}+)(?!\()",
    ),
)
#: Minimum entropy in bits a character; higher for values known only by their name.
_LEAST_BITS, _LEAST_BITS_NAMED = 3.0, 3.5
_NAMED = (NAMED, "a password in an address", "a key")
#: Keys that may have no digit. Names and paths match the other formats too, but have no digits.
_LETTERS = ("an AWS access key", "a Hugging Face token")
_PLACEHOLDER = late_pattern(
    r"(?i)example|redacted|your[_-]|placeholder|change[_-]?me|dummy|sample|xxxx|\*\*\*|\.\.\.|0000|1234567|abcdef"
    r"|(?:real|test|fake|my|some)[_-]?(?:secret|key|token|passw)"
)
#: The name of a type, such as Uint8Array: not a value.
TYPE_NAME = (
    r"(?=\D+\d)(?:[A-Z][a-z]+(?:8|16|32|64|128|256|512|256k1|25519)?){1,5}[A-Z][a-z]+(?:\[\])?"
    r"|Secret(?:Str|Bytes)|SecureString"
)
_TYPE = late_pattern(TYPE_NAME)
#: The id of a document in an address. A part of the path before it names the kind of document.
_DOCUMENT = late_pattern(
    r"https?://[^\s/@?#\"'<>\\]{1,200}/(?:[a-z]{1,20}/){0,4}"
    r"(?:d|docs?|docx|documents?|sheets?|spreadsheets?|slides|wiki|base|files?|folders?)/(?P<id>[\w-]{16,100})"
)
_PATTERNS = tuple((kind, tuple(marks.split("|")), late_pattern(pattern)) for kind, marks, pattern in FORMATS)
#: Maximum characters that are searched. Summaries are far shorter; this bounds the time for a hostile one.
_READ = 200_000
_SHOWN = 4
#: Start of the replacement of a secret; no format matches it.
MASKED = "[masked: "


class Secret(Struct, frozen=True):
    """A text that looks like a secret: its kind, its place (half-open, in characters), and a masked form."""

    kind: str
    start: int
    end: int
    masked: str


def secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets in a text, in order. A place counts once, with the first matching format."""
    values: list[Secret] = []
    for secret in _matches(text[:_READ]):
        if not any(secret.start < other.end and other.start < secret.end for other in values):
            values.append(secret)
    return tuple(sorted(values, key=lambda secret: secret.start))


def without_secrets(text: str) -> str:
    """Return the text with the kind of each secret in its place."""
    for secret in reversed(secrets(text)):
        text = f"{text[: secret.start]}{masked_as(secret.kind)}{text[secret.end :]}"
    return text


def masked_as(kind: str) -> str:
    """Return the replacement of a secret."""
    return f"{MASKED}{kind}]"


def document_ids(text: str) -> frozenset[str]:
    """Return the ids of documents in the addresses of a text. They are no secrets."""
    return frozenset(_DOCUMENT.findall(text)) if "://" in text else frozenset()


def _matches(text: str) -> Iterator[Secret]:
    ids = document_ids(text)
    for kind, marks, pattern in _PATTERNS:
        for match in pattern.finditer(text) if any(mark in text for mark in marks) else ():
            group = "secret" if "secret" in pattern.groupindex else 0
            value, body = match[group], match["body" if "body" in pattern.groupindex else group]
            if kind == NAMED and value in ids:
                continue
            if _looks_random(body, kind) and not (_PLACEHOLDER.search(value) or _TYPE.fullmatch(value)):
                masked = f"{value[:_SHOWN]}…, {len(value)} characters"
                yield Secret(kind, match.start(group), match.end(group), masked)


def _looks_random(value: str, kind: str) -> bool:
    if entropy(value) < (_LEAST_BITS_NAMED if kind in _NAMED else _LEAST_BITS):
        return False
    return kind in _LETTERS or (any(map(str.isdigit, value)) and any(map(str.isalpha, value)))


def entropy(text: str) -> float:
    """Return the Shannon entropy in bits a character; 0.0 for an empty text."""
    if not text:
        return 0.0
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
