"""The rules of Claude Code's compactions, for what-ifs."""

from inspector.engines.observed.rules import CLAUDE_CODE, CLAUDE_CODE_2_0, CLAUDE_CODE_2_1

PROFILES = (CLAUDE_CODE, CLAUDE_CODE_2_1, CLAUDE_CODE_2_0)
