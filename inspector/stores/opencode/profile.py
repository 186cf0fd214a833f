"""The rules of opencode's compactions, for what-ifs."""

from inspector.engines.observed.rules import OPENCODE

PROFILES = (OPENCODE,)
