"""The rules of Codex's compactions, for what-ifs."""

from inspector.engines.observed.rules import CODEX

PROFILES = (CODEX,)
