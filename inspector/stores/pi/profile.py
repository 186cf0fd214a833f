"""The rules of pi's compactions, for what-ifs."""

from inspector.engines.observed.rules import PI

PROFILES = (PI,)
