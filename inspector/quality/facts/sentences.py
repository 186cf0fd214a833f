"""Split a message into what its speaker said and what was pasted, and its prose into sentences and statements.

A user's message holds a person's words and what a program put there: tagged blocks, reminders, hooks, bot reviews,
pages, logs, diffs, code. Spans are half-open, in characters of the safe text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from inspector.agents import agents
from inspector.core.envelope import ENVELOPE, after_memories
from inspector.core.patterns import late_pattern
from inspector.core.scan.exact import PATTERNS
from inspector.core.scan.words import has_unspaced, word_set
from inspector.quality.facts.fact import STANDING, Span
from inspector.quality.facts.rules import best_cue, plain_rule
from inspector.quality.limits import CROWDED

#: Maximum characters of a text to scan. The rest of a longer text is data.
MOST = 60_000
#: Maximum characters of a statement. A longer sentence is cut at a clause or between words.
LONGEST = 420
#: Maximum characters of a message without a document, and characters at both ends of a document that the user wrote.
_DOCUMENT, _EDGE = 20_000, 2_000
#: Minimum characters of a wrapped line. The writer ended a shorter line.
_WRAPPED = 45
#: Characters of a line to examine when code and logs are separated from prose.
_LINE = 600

# Matches the start of a message that a program wrote in the user's name.
_BY_PROGRAM = late_pattern(
    r"\s*(?:\[Request interrupted|\[Image[:\]]|(?:\[Image #\d+\]\s*+)++\Z|\[System(?! note: )|"
    r"\[SYSTEM(?!: (?:The user has invoked|The following skill|You are running as |MCP servers have))|"
    r"\[tool (?:result|output)|Caveat: "
    r"The messages below were|"
    r"Base directory for this skill:|This session is being continued from a previous conversation|Stop hook "
    r"feedback:|"
    r"Operation stopped by hook:|UserPromptSubmit operation blocked by hook:|The background task |# AGENTS\.md "
    r"instructions|"
    r"Another language model started to solve|Unknown (?:skill|command|slash command): |"
    # Prompts of a program that watches another session.
    r"--- MODE SWITCH: |(?s:.{0,380}?)\bobserved_from_primary_session\b|"
    r"Please analyze this codebase and create a CLAUDE\.md|Contents of \S{1,300} \(|# claudeMd\b)"
)
#: A path from a drive or a dot, or a relative path of a file with an ending.
_WINDOWS_PATH = late_pattern(
    r"(?<![\w.\\-])(?:(?:[A-Za-z]:|\.{1,2})(?:\\[\w.-]{1,80}){1,20}"
    r"|[\w-]{1,80}(?:\\[\w-]{1,80}){1,20}\.[A-Za-z]\w{0,4}\b)"
)
# Text that a program adds after the user's text.
_NOTE = late_pattern(
    r"If you need specific details from before exiting plan mode|Read the output file to retrieve the result: /|"
    r"Full transcript available at: "
)
_OPENING = late_pattern(r"<(?P<tag>[A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,400})?>")
#: Tags around words of the user.
_OWN_TAGS = word_set(
    "command-args task feedback answer user_query user_message user-message user_input objective "
    "question request"
)
#: Tags that only programs write, also in the middle of a line.
_PROGRAM_TAGS = word_set(
    "system-reminder local-command-caveat local-command-stdout local-command-stderr "
    "command-name command-message command-args task-notification bash-stdout bash-stderr "
    "bash-input user-prompt-submit-hook environment_context environment_details "
    "user_instructions turn_aborted ide_opened_file ide_selection permissions "
    "collaboration_mode subagent_notification new-diagnostics post-tool-use-hook "
    "session-start-hook available_skills skill ci-event teammate-message file_content "
    "github-webhook-activity bash-notification"
)
#: Matches the head of a hunk of a diff, with its numbers of old and new lines.
_HUNK = late_pattern(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_FENCE = late_pattern(r"\s*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]{0,80})")
_PROSE_FENCES = frozenset(["markdown", "md", "text", "txt", "plaintext", "prompt"])

#: Errors that OpenClaw and Odoo show, also behind words of a person.
_ERRORS = (
    r"Agent failed before reply: |Request timed out before a response was generated\.|"
    r"Model \"[^\"\n]{1,200}\" is not allowed\. Use /|OpenClaw: access not configured\.|"
    r"You are not allowed to [a-z]+ '[^'\n]{1,80}' \([a-z_]+(?:\.[a-z_]+)+\) records|"
    r"No group currently allows this operation\.\s*$|Contact your administrator to request access if necessary\.\s*$"
)
_TOLD = late_pattern(rf"(?<![\"'“‘`«「『])(?:{_ERRORS})")
#: Matches a line of a printed file with its number: "14 │ text".
_NUMBERED = late_pattern(r"\s{0,8}\d{1,6}\s{1,4}[│┃]")
# Start of a clause that is a rule by itself.
_RULE = (
    r"(?:please\s+)?(?:do\s?n[o']?t|do not|never|always|make sure|ensure|avoid|must not|only use|don’t|keep|"
    r"leave|use|ask|tell|show|warn|stop)\s+"
    r"(?!(?:to|in|on|at|for|by|from|with|a|an|of|before|after|during|until|and|or|it|them|that)\b)\w"
)
_NORM = (
    r"must|mustn't|has to|have to|needs?|should|shall|may not|cannot|can't|requires?|is not allowed|are not "
    r"allowed"
)
#: Matches a line that a program printed: a log, a diff, a trace, a prompt of a shell, an error of a compiler.
_PRINTED = late_pattern(
    r"\s*(?:\W?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d|(?-i:[A-Z][a-z]{2}) [ \d]\d \d\d:\d\d:\d\d|"
    r"(?:\[|[A-Z]\d{4} )?\d\d:\d\d:\d\d|[\w.-]{1,60}-\d+\s+\| |(?:\S{1,3} ){0,3}(?:\[[\w.:-]{1,40}\] ?)?\[?(?:INFO|"
    r"DEBUG|TRACE|WARN(?:ING)?|ERROR)(?:\]|:? {2}| \[)|ERROR: |\[(?-i:[A-Z][a-z]\w*[A-Z])\w{0,40}\] \S|"
    r"\w{2,40}: (?:Error|Warning|Fatal|Verbose): \S|"
    # Numbers in columns.
    r"(?:\S{1,40}[ \t]+){1,2}(?:\d[\d.,:%]*[ \t]+){4}\S|"
    # The banner of OpenClaw, and a place of a linter.
    rf"\W{{0,4}}(?:{_ERRORS})|🦞 OpenClaw \d|\d+:\d+ +(?:error|warning) {{2,}}\S|"
    r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S* (?:\d{3}\b|HTTP/)|[45]\d\d: (?-i:[A-Z]+_[A-Z_]+)\s*$|"
    # A person speaks of a place: "boat.py:3 is old", or gives a tool a rule: "git: never rebase".
    rf"[\w./\\@+-]{{1,200}}\.\w{{1,5}}:\d+(?::\d+)?(?! (?:[-–—] )?(?:(?:is|are|{_NORM})\s|{_RULE})):?(?:\s|$)|"
    r"[\w./-]{1,120}\.[mc]?js\?\S{1,120}:\d+(?::\d+)?(?:\s|$)|"
    r"diff --git |index [0-9a-f]{6,}\.\.|@@ |\+{3} \S|-{3} [ab]/|[+-](?!\s)[^\n]*[;{}()=]|(?:\* )?commit "
    r"[0-9a-f]{7,40}\b|"
    r"[\w.$<>()]{1,80} @ \S+:\d+|\d{0,3}\([^\W\d_]{3,12}\):\d+(?:\s|$)|--[a-z][\w-]{1,40}(?:[ =]\S{1,80})?\s*\\?\s*$|"
    # A chat command alone.
    r"/[a-z][\w-]{1,40}(?:@\w{1,40})?\s*$|"
    # Between two errors, in the box of Odoo and of a console, a place in a statement of SQL, a class of a module.
    r"(?:During handling of the above |The above (?:\w+ ){1,3}(?:was|caused) the )[^\n:]*:\s*$|"
    r"Caused by: \S{0,80}(?:Error|ERROR|Exception)\b|Uncaught (?:\(in promise\) \S{1,80}: |Promise > )\S|"
    r"Occurr?ed on \S{1,80} (?:on model \S{1,80} )?(?:and id \d{1,9} )?on \d{4}-\d\d-\d\d |(?:HINT|DETAIL):  \S|"
    r"LINE \d+: (?:\.\.\.|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b)|"
    r"(?:[a-z_]\w*\.)*(?:errors?|exceptions?|exc)\.[A-Z]\w+: \S|"
    r"Traceback \(|File \"[^\"\n]+\", line \d+|at (?:async |new )?[\w.$<>]{1,80}(?: \[as \w{1,80}\])?(?: \(|\()|"
    r"\S{0,80}(?:Error|Exception|Warning): \S|"
    # The prompt of PowerShell, a question of an installer, a script without a name.
    r"P?S [A-Z]:\\[^>\n]{0,200}>|\? (?-i:[A-Z])[^\n]{3,200}[?:](?:\s|$)|VM\d{1,6}:\d+(?:\s|$)|"
    r"(?:\(\S{1,40}\) ?)?[\w.-]+@[\w.-]+[ :][~/\w.-]{1,200} ?[%$#]|"
    r"\$ (?!(?i:never|always|do not|don['’]?t) )\S|>>> |Last login: |npm (?:ERR!|WARN|error|warn) |"
    r"={3,}|={2}> |-{3} (?:FAIL|PASS|SKIP): |"
    r"(?:PASS|FAIL|ok|FAILED|PASSED)\s{1,4}\S*[/.]\S+|#\d+ (?:\d+\.\d+ |ERROR|DONE|CACHED|\[)|\d+ "
    r"(?:passed|failed)\b|"
    r"\d+ files? changed|create mode \d{6} |(?:Setting up|Unpacking|Get:\d+|Hit:\d+|Step \d+/\d+) \S|"
    r"[a-z][\w.-]{1,30}: (?:unable to|cannot|can't|could not|failed to|falling back|no such|not found|\()|"
    rf"-?(?:(?:zsh|bash|sh|fish|make|npm|git|node|python\d?|docker|curl)(?:\[\d+\])?: (?!(?i:{_RULE}|must ))|"
    r"(?:fatal|error|warning|hint)(?:\[\d+\])?: )|"
    r"[⏺●⎿✻✽❯◻◼]|"
    r"[│┃║╭╰┌└├]|[─━═]{3})"
)
#: Matches a list that a person marks with "●". A terminal leaves an empty line between answers with this mark.
_ROUND_MARKS = late_pattern(r"^(?:[ \t]*●[ \t]+(?!\w{1,40}\()\S[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
#: Matches the start of printed text behind the words of a person: the place of a script, or a time.
_BEGINS = late_pattern(
    r"(?:(?<=\w[ :])|(?<=[:：] ))(?:[⏺●❯] |[\w./@-]{1,120}\.[mc]?[jt]sx?(?:\?\S{1,120})?:\d+(?::\d+)?\s|"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d)"
)
#: Matches the start of a program, or of a quote, behind the words of a person.
_IMPORTS = late_pattern(r"(?<=\w[ :]|[:：] )import [\w.{}*, ]{1,200} from ['\"]")
_QUOTES = late_pattern(r"(?<=[:：])\s+(?=>\s)")
#: Matches the end of a line under which an agent's terminal shows the text of a hook.
_HOOK_SAYS = late_pattern(r"\b(?:[A-Z][a-z]+){2,}(?::\w+)? says:\s*$")
_OFTEN = late_pattern(
    r"\s{2,}at \S|\s*[✓✔✗✘] |[^=\n]{1,200}[,，] ?[A-Z]\w{2,40}=[^\s=]|\s*[A-Z][\w /()-]{1,40}:(?:\t+| {3,})\S"
)
#: Matches a name with its value, or a name over deeper lines.
_FIELD = late_pattern(r"\s*[^\W_][\w./()-]{0,30}(?: [\w./()-]{1,30}){0,4}:(?:\s[^\n]*)?$")
# Cells between bars, lines of a box, tabs, wide spaces, commas or semicolons.
_TABLE = late_pattern(
    r"\s*\|.*\|\s*$|[^│┃║\n]{1,400}\s[│┃║](?:\s|$)|"
    r"\S[^\t\n]*(?:(?:\t+| {3,})\S[^\t\n]*?){3,}$|[^|\n]*(?:\s\|\s[^|\n]*){3,}$|"
    r"[^\s,;：]{1,40}(?:[,;][^\s,;]{1,40}){3,}$"
)
_MARKUP = late_pattern(
    r"\s*</?[A-Za-z][\w-]{0,40}(?:\s[^<>]{0,300})?/?>|"
    r".{0,200}[\w:-]=\"[^\"]*\"(?:\s+[\w:-]+=\"|\s*/?>)"
)
# Matches a whole line of code. A sentence that begins like code does not match.
_CODE = late_pattern(
    r"\s*(?:[{}\[\]()<>;,]+|[\w.\[\]'\"]{1,80}(?:\s?:\s?\w[\w\[\], |]{0,60})?\s?(?:[-+*/|&]|"
    r":)?=(?!=)\s?\S.{0,300}|"
    r"(?:await |return |yield |raise |throw |new |print ?|export |const |let |var "
    r")*[\w.$]{1,120}\([^()]{0,300}\)(?: from \w+)?[;,:]?(?: {2,}# .*)?|"
    r"(?:async )?def \w+\(.*|class \w+(?:\(.*\))?[:{].*|@[\w.]+(?:\(.*\))?|import \w[\w.]*(?:,\s?\w[\w.]*)*(?: "
    r"as \w+)?;?|import [\w.{}*, ]{1,200} from ['\"].*|from [\w.]+ import [\w.*, ()]+|"
    r"(?:if|for|while|with|elif|else|try|except|switch|case)\b(?:[^.?!]|\.(?=\w)){0,200}[)\]\w'\"]\s?[:{]|"
    r"return (?:[\w.]+|\()|"
    r"(?:export |default |public |private |protected |static |async |pub )*(?:const|let|var|function|func|fn|"
    r"interface|type|struct|impl|enum)\b.*[{(;=].*|"
    r".{0,300}(?:\);|\) ?\{|[^\s.]\{|\};?|=> ?[{(]?|;)|\{'\w+': .*,|"
    r"[\"']?[\w-]+[\"']?:\s?(?:[\"'{\[].*|\S+,|\S+\s+# .*)|#!.*|//.*|"
    r"/\*.*|\*/.*|<!--.*|\w+(?:\.\w+)+\(.*|"
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP)\b.*[;(,])\s*"
)
# A command alone on its line.
_COMMAND = late_pattern(
    r"(?:sudo )?(?:(?:pip3?|npm|pnpm|yarn|bun|apt|apt-get|brew|cargo|gem|conda|poetry|uv)(?: pip)? "
    r"(?:install|add|ci)|"
    # A command of an agent that names a package: "/plugin install moon@pier".
    r"/[a-z][\w-]{1,40}(?= [a-z][\w-]{1,20} )(?= [^\n]{0,200}[/@])|"
    r"(?=.* -)(?:npx|npm|pnpm|yarn|bun|docker|kubectl|uvicorn|python3?|node|curl|git|cargo|go|uv|"
    rf"{'|'.join(re.escape(agent.name.partition('-')[0]) for agent in agents() if agent.places)}))"
    r"(?: (?!(?:is|are|was|the|a|to|and|or|not|for|with|when|on|in|please|must|only|"
    r"but)\b)[\w./:@=~+,\[\]{}$\"'<>^-]++)+$"
)
# A run of letters and digits that is not a word: a key, a hash, an encoded file.
_DATA = late_pattern(r"(?=\S*[\dA-Z+/])[A-Za-z0-9+/=_-]{24,}|-{3,}[A-Z ]+-{3,}")
# A name and a colon, or a string, of JSON.
_JSON = late_pattern(r"\"[^\"\n]{0,200}\"(?:\s?:)?")
_WORDS = late_pattern(r"(?<!\S)[\"'(*_`]*[^\W\d_]{2,}[\"')*_`]*[,.;:!?]*(?!\S)")
_LETTERS = late_pattern(r"[^\W\d_]")
_URL = late_pattern(PATTERNS["url"], re.ASCII)
# Text of web pages that never occurs in messages.
_PAGE = late_pattern(
    r"\s*(?:skip to (?:main )?content|sign (?:in|up|out)|log ?in|subscribe|cookie|accept (?:all )?cookies|"
    r"privacy policy|terms of (?:service|use)|"
    r"all rights reserved|©|do not (?:share|sell) my personal|footer|navigation menu|toggle navigation|read "
    r"more|\d+ min read|share(?: this)?|"
    r"pull requests?|issues|stars?|forks?|watchers?|contributors?|releases?|languages|report repository|about "
    r"us|contact us|manage cookies|"
    r"page \d+ of \d+|(?:items|rows|results) per page|"
    r"back to top|table of contents|on this page|was this (?:page )?helpful|last updated|edit this page|"
    r"advertisement|follow us|related articles)\b.{0,40}$",
    re.IGNORECASE,
)
# The line before a plan that an agent wrote and another one carries out: a document with headings.
_LEADS_IN = late_pattern(r"\s*[^\n]{0,80}\bplan\b[^\n]{0,80}:\s*\n\s*(?=#)", re.IGNORECASE)
# The role of an agent below a line with a colon: a prompt that the user passes on.
_ROLE = late_pattern(
    r"[^\n]*[:：][^\n:：]{0,40}\n\s*(?:[^\n]{1,40}\n\s*)?(?=You are (?:an?|the) |你是(?:一[个個位名]|[资資]深))"
)
# The words with which a person announces a text: "I will ask the pilot and paste it in".
_ANNOUNCES = late_pattern(
    r"\b(?:i(?:['’]ll| will|['’]m going to| am going to)|let me)\b[^.?!\n]{0,160}\bpaste\b|"
    r"我(?!不)[^。？！\n]{0,30}(?:粘[贴貼]|[贴貼](?:[给給]你|[过過][来來]|上[来來]))",
    re.IGNORECASE,
)
# The start of a filled template: a heading over a fence with the user's words. A heading follows.
_TEMPLATE = late_pattern(
    r"\s*+#{1,3} [^\n]{1,80}\n\s*+```(?:text|markdown|md)?[^\S\n]*+\n(?:(?!```)[^\n]*+\n)*+```[^\S\n]*+\n",
    re.IGNORECASE,
)
_FURTHER = late_pattern(r"^#{1,4} ", re.MULTILINE)
#: A heading, a rule between parts, and words of a person with a colon before a heading on the same line.
_TITLE = late_pattern(r"\s{0,3}#{1,6} \S[^\n]{0,120}$")
_RULER = late_pattern(r"\s{0,3}-{3,}\s*")
#: Code directly behind a sentence: the copy of an answer as a chat shows it.
_GLUED = late_pattern(
    r"[。：！？](?:import \w|def \w+\(|class \w+[(:]|# \S)|\w[.:](?:import \w+$|def \w+\(|class \w+[(:])"
)
#: Minimum entries of a list on a page, and minimum number of labels that come again.
_ENTRIES = 3
#: Minimum lines of a printout that no person writes, and of lines without words that no person writes together.
_FEWEST_PRINTED, _MANY = 5, 24
#: Matches a label with a path or an address: "Built: /srv/tool".
_PLACE = late_pattern(r"[A-Z][^:\n]{1,60}: (?:~?/|[A-Z]:\\|[a-z]{2,10}://)\S*\s*$")
#: Matches a word or two and a number, which a person gives in a short message: "Use 8080", "Port: 8080".
_NUMBER_GIVEN = late_pattern(r"(?:[^\W\d_]{2,}:?[ ]){1,2}\d[\d.,:/-]*\w{0,3}(?: \d\d?:\d\d)?[.!]?")
#: Matches words with which a person speaks of oneself or to the agent.
_PERSON = late_pattern(
    r"\b(?:I|we|my|me|our|please|pls|plz|let['’]?s|can you|could you)\b|我|你|请|請|幫|帮", re.IGNORECASE
)
#: Minimum lines of a document that begin with a picture.
_FEWEST_LED = 3
_HANDS_OVER = late_pattern(r"[^\n#]{1,200}[:：]\s++(?=#{1,6} \S)")
# The context of a message that the user forwards from a bot: names of bots end so.
_OF_BOT = late_pattern(r"(?s:Forwarded message context .*\"username\": \"\w+[Bb][Oo][Tt]\")")
# The last colon of the first line, before a long document. Behind a label ("Note: "), or before a sentence that ends
# the line, the person goes on.
_FIRST_COLON = late_pattern(
    r"\s*+(?!\S+[:：] )[^\n]*[^\s\d][:：](?=\s)(?![^\n]*[.!?。！？][^\S\n]*+(?:\n|\Z))"
)
# A question with a colon asks about the text below.
_ASKS_ABOUT = late_pattern(r"[?？][^\S\n]?[:：][^\S\n]*+\n\s*+")
#: Matches a comment before or behind code, as in SQL.
_COMMENT = late_pattern(r"\s*--\s")
# Text that bots write into a review, the line below a banner, and the prompt of a shell before a command.
_BOT = late_pattern(
    r"(?i:code ?rabbit|greptile|sourcery-ai|bugbot|copilot (?:ai )?reviewed|gemini-code-assist|devin-ai|sonarcloud|"
    r"codecov|dependabot|renovate\[bot\])|^\s*(?:Low|Medium|High|Critical) Severity\s*$|"
    r"\w\[bot\]|Actionable comments posted|Prompt for AI Agents|Committable suggestion|Potential issue|"
    r"Refactor suggestion|"
    r"Useful\? React with|^(?:ChatGPT|Gemini|Grok|DeepSeek|Copilot) said:\s*$|"
    r"<details>|<!-- |^\s*[=═]{20}|(?<!\S)P?S [A-Z]:\\[^>\n]{0,200}> |"
    r"(?<![\w.-])[\w.-]{1,40}@[\w.-]{1,60}(?::[~/][^\s$#]{0,200}[$#]|"
    r" (?:[~/\w.-]{1,200} %|[~/][~/\w.-]{0,200} [$#])(?: |$))"
)
_ITEM = late_pattern(r"\s*(?:[-*•●+]\s|\(?\d{1,3}(?:\+\d{1,3})*(?:[.)](?=[\s一-鿿])|、))\s*")
#: Signs that plain words do not have.
_OF_CODE = frozenset("(){}[]<>=+")
#: A heading or the end of a line that forbids the items of the list below: "## Never", "please do not:".
_FORBIDS_LIST = late_pattern(
    r"(?P<heading>[#*_\s]*+)(?:[^.:!?\n]{0,80}(?<!\w))?"
    r"(?P<words>(?:never|do not|don['’]?t|must not|mustn['’]?t|avoid)(?!\w)|禁止|不要|不得|切勿)"
    r"(?: (?:do )?(?:any of )?(?:the following|these|this))?[*_\s]*+(?P<colon>[:：])?[*_\s]*+",
    re.IGNORECASE,
)
#: A number of a list within a paragraph.
_IN_LINE = late_pattern(
    r"(?<![^\s：])(?P<number>\d{1,2})[.)-]\s+(?=[^\W\d])|(?<![\dA-Za-z.])(?P<glued>\d{1,2})[.)、](?=[一-鿿])"
)
_HEADING = late_pattern(r"\s*(?:[\"'“「『]?#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*$)")
_END = late_pattern(
    r"[.!?][\"')\]*»]*+\s++(?=[\"'(\[*`«¿¡]*+[^\W_])|(?:(?<!\d)。|。(?!\d)|[！？；])[。！？；]*+[”’」』）]*+|"
    # A list on the line of the words before it, and a paste.
    r"(?<=[:：])\s++(?=1[.)]\s)|"
    r"(?<=\w) {3,}(?=[A-Z])"
)
_ABBREVIATED = late_pattern(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|fig|dr|mr|mrs|(?-i:Ms)|st|z\.\s?b|d\.\s?h|"
    r"u\.\s?a|bzw|bspw|ca|evtl|geb|ggf|inkl|nr|p\.\s?ej|p\.\s?ex|incl)|^[\s(「『“\"]*\d{1,3}(?:\+\d{1,3})*)\.\s*$",
    re.IGNORECASE,
)  # fmt: skip
#: Matches an initial or a unit with a full stop, and a rule in a new sentence: "at most 40 t. Never lift two crates".
_INITIAL = late_pattern(r"(?:[\s(][A-Z]|\b(?:max|min))\.\s*$", re.IGNORECASE)
_NEW_RULE = late_pattern(rf"(?-i:(?=[A-Z])){_RULE}", re.IGNORECASE)
_CLAUSE = late_pattern(r"[,;:]\s+|\s[—–-]\s|[，；：]")
# Start of a further statement in a sentence: after a comma, a dash, "and", "but" or "so that it", or in a bracket.
_JOINT = late_pattern(
    rf"(?:(?<!\s)\s*+[,;–—]\s*+(?:(?:and|but|so|also|then|yet|though)\s++)*"
    rf"|(?<!\s)\s++-{{1,2}}\s++(?:(?:and|but)\s++)?|(?<!\s)\s++but\s++)"
    rf"(?=(?:{_RULE}|(?:(?!(?:which|who|that|because|since|if|when|unless|"
    rf"so|an? (?:{_NORM}))\b)[\w'/`-]++\s++){{1,4}}(?:{_NORM})\s++\w))|"
    r"(?<!\s)\s++and\s++(?=(?:never|do not|don['’]t|must not|mustn['’]t)\s)|"
    r"(?<!\s)\s++so\s++(?:that\s++)?(?:it|they|we)\s++(?=(?:never|always|only)\s)|"
    rf"(?<!\s)\s++\((?=(?:{_RULE}|no\s++\w)[^()]*+\)\W*\Z)|"
    r"(?<!\s)(?:\s*+[,;–—]|\s++-{1,2}(?=\s))\s*+(?=no\s++\w)|"
    r"[，,;；]\s*(?:但是?|不过|而且|並且|并且)(?=[^，。]{0,12}(?:不要|不得|不能|别|勿|必须|禁止|务必|只能))",
    re.IGNORECASE,
)
# A clause that depends on the next clause.
_HANGS = late_pattern(
    r"\W*(?:[^\W\d_]{1,12},\s+)?(?:(?:and|but|so|also|please|ok|okay|well|then)\W+)*(?:if|when|whenever|unless|until|before|after|"
    r"once|while|because|since|for|from|in|to|as|with|on|although|however|otherwise|"
    r"你|如果|当|除非|在)\b|.*\b(?:because|since|so that|that|which|who)\s*$",
    re.IGNORECASE,
)
#: Matches the end of a line whose sentence goes on in the next line.
_GOES_ON = late_pattern(
    r"(?<![\w'’-])(?:a|an|the|to|of|in|on|at|from|with|for|by|and|or|than|as|is|are|not) ?$", re.IGNORECASE
)
_FIRST = late_pattern(r"\bfirst\b", re.IGNORECASE)
_LABEL = late_pattern(
    r"(?:>\s*+)*+(?:\[Image #\d+\][,:，：]?\s*+)*+(?:[A-Z]、\s*+)?+(?:[-*•●+]\s++|"
    r"\(?\d{1,2}(?:\+\d{1,2}){0,9}+(?:(?:[.)]|-(?=\s))\s++|[.)](?=[一-鿿])|、\s*+))?(?:#{1,6}\s++)?"
    r"(?:\[[ xX]\]\s++)?(?:[A-Z]{3,}+(?=\s++(?:[A-Z][a-z']|I\s))\s++)?"
    r"(?:(?:\*\*)?(?:NOTE|IMPORTANT|"
    r"CRITICAL|WARNING|TODO|FYI|PS|N\.B\.|THOUGHT|注意|重要|提示|备注)\s*+[:：](?:\*\*)?\s*+)?"
)
#: Matches words with which a person goes on below printed text, and the wide spaces before them in its last line.
_I = r"(?:I(?:['’][a-z]{1,2})? [a-z]+ \S|我)"
_SPEAKS, _SPOKEN_BEHIND = late_pattern(_I), late_pattern(rf"(?<=\S) {{2,}}(?={_I})")
#: Matches triple quotes at the end of a line, and alone.
_QUOTES_BEGIN, _QUOTES_END = late_pattern(r"(?<!\S)(?:\"{3}|'{3})\s*$"), late_pattern(r"\s*(?:\"{3}|'{3})\s*")
_WHEN = (
    r"(?:(?:(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}|\d{1,2} (?-i:[A-Z][a-z]{2,8}) \d{4}|"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4})\b|\d{1,2}:\d\d|"
    r"(?:\d+|an?|last) (?:second|minute|hour|day|week|month|year)s?\b)"
)
#: Matches the line over a message on a page, in a chat or a mail: who wrote it and when.
_BY_LINE = late_pattern(
    r"\W{0,8}(?:[\w.@'’-]{1,40}+ ){0,4}(?:asked|answered|commented|edited|modified|opened|posted|replied|reviewed|said|"
    rf"updated|viewed|wrote)(?: (?:this|an?) [a-z ]{{1,20}})?(?: on| at)? {_WHEN}[^.!?:]{{0,40}}"
    r"(?::\d\d[^.!?:]{0,20})?:?\s*$|"
    rf"[\w.@'’-]{{1,40}}+(?: [\w.@'’-]{{1,40}}+){{0,2}}(?: {{2,}}|\t| [—·|] ){_WHEN}[\d:., /APM-]*\s*$|"
    r"\W{0,8}(?:(?:From|Von|Sent|Gesendet): \S|Date: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,)",
    re.IGNORECASE,
)
#: Matches the end of a cell in a row between commas.
_CELL_END = late_pattern(r",(?! )")


class Sentence(Struct, frozen=True):
    """A sentence of prose, with its span.

    `pasted`: the speaker did not write it. `planned`: it is part of a plan, a filled template, data or a document
    that the user passes on.
    """

    start: int
    end: int
    pasted: bool = False
    heading: bool = False
    planned: bool = False


def by_program(text: str) -> bool:
    """Return whether a program wrote a whole message in the user's name."""
    return _BY_PROGRAM.match(text) is not None


def by_person(text: str) -> bool:
    """Return whether a person wrote any part of a user's message. Notices and blocks of programs do not count."""
    return any(text[slice(*span)].strip() for span in spoken_spans(text))


def announces_paste(text: str) -> bool:
    """Return whether a user's message says that the user will paste a text."""
    return _ANNOUNCES.search(text[:MOST]) is not None


def spoken_spans(text: str) -> Iterator[Span]:
    """Yield the spans of a user's message without text of programs. They include pasted text."""
    if by_program(text[:400]):
        yield from _spoken_in_tags(text, 0, len(text))
        return
    note = _NOTE.search(text)
    yield from (span for span, _ in _blocks(text, 0, note.start() if note is not None else len(text)))


def sentences(text: str, of_user: bool = True, start: int = 0, end: int = MOST) -> Iterator[Sentence]:
    """Yield the sentences of text[start:end], a safe text, in order.

    It leaves out code, logs, diffs and tables, and with `of_user` the blocks that programs put into a user's message.
    Sentences of pages, reviews, quotes and tagged blocks are `pasted`.
    """
    end = min(len(text), end, start + MOST)
    if of_user:
        text = _ROUND_MARKS.sub(lambda items: items.group().replace("●", "•"), text)
        note = _NOTE.search(text, start, end)
        end = note.start() if note is not None else end
        if by_program(text[start : start + 400]):
            for inner in _spoken_in_tags(text, start, end):
                yield from _of_part(text, inner, False)
            return
    passed_on = _passed_on(text, start, end) if of_user else (len(text), 0)
    document, part_end = (len(text), 0), start
    for part, pasted in _blocks(text, start, end) if of_user else [((start, end), False)]:
        if not text[slice(*part)].strip():
            continue
        # A document goes on behind its tags.
        if of_user:
            document = _document(text, part, document[0] < document[1] == part_end)
        part_end, documents = part[1], (passed_on, document)
        for sentence in _of_part(text, part, pasted, of_user):
            planned = any(from_ <= sentence.start and sentence.end <= to for from_, to in documents)
            planned = planned or (of_user and _is_json(_line_at(text, sentence.start)))
            yield replace(sentence, planned=True) if planned else sentence


def _passed_on(text: str, start: int, end: int) -> Span:
    """Return the span of what the user passes on: a plan, a filled template, the text below a question with
    a colon, the middle of a long text. Without any of these, its end is before its start."""
    template = _TEMPLATE.match(text, start, end)
    if template is not None and _FURTHER.search(text, template.end(), end):
        return template.end(), len(text)
    if (plan := _LEADS_IN.match(text, start, end)) is not None:
        return plan.end(), len(text)
    if (role := _ROLE.match(text, start, end)) is not None:
        return role.end(), len(text)
    if len(text) > _DOCUMENT:
        spoken = (span[0] for span, _ in _blocks(text, start, end) if text[slice(*span)].strip())
        hands_over = _FIRST_COLON.match(text, next(spoken, start), _EDGE)
        lists = hands_over is not None and _ITEM.match(text, hands_over.end(), end) is not None
        begins = _EDGE if hands_over is None or lists else hands_over.end()
        return begins, len(text) - _EDGE
    asks = _ASKS_ABOUT.search(text, start, end)
    if asks is None or _ITEM.match(text, asks.end(), end) is not None:
        return len(text), 0
    # A last paragraph in plain words belongs to the person.
    last = text.rstrip().rfind("\n\n", asks.end(), end)
    lines = text[last:].strip().split("\n") if last >= 0 else []
    return asks.end(), last if lines and _plain_words(lines, range(len(lines)), ()) else len(text)


def _document(text: str, span: Span, goes_on: bool) -> Span:
    """Return the span of a document as a model or a file has it; without one, its end is before its start.

    It has two headings and a badge or a picture in one of them, three headings with rules between them or with code
    directly behind a sentence, three headings in a row, a heading directly after the user's colon, or several lines
    that begin with a picture. Or it `goes_on` from the span before. A last paragraph in plain words belongs to
    the person.
    """
    lines = text[slice(*span)].split("\n")
    fenced = _fenced(lines)
    open_lines = [
        (number, line) for number, line in enumerate(lines) if line.strip() and number not in fenced
    ]
    headings = [number for number, line in open_lines if _TITLE.match(line)]
    rules = [number for number, line in open_lines if _RULER.fullmatch(line)]
    led = [number for number, line in open_lines if _is_picture(line.lstrip()[0])]
    pictured = any(unicodedata.category(sign) == "So" for number in headings for sign in lines[number])
    pictured = pictured or any(line.startswith("[![") for _, line in open_lines)
    glued = any(_GLUED.search(line[:_LINE]) for _, line in open_lines)
    in_a_row = any(third - first == 2 for first, third in zip(headings, headings[2:], strict=False))
    handed_over = _HANDS_OVER.match(open_lines[0][1]) if headings else None
    if handed_over is not None or (goes_on and open_lines):
        first = open_lines[0][0]
    elif (pictured and len(headings) > 1) or ((rules or glued) and len(headings) > 2) or in_a_row:
        first = min(headings[:1] + rules[:1])
    elif len(led) >= _FEWEST_LED:
        first = led[0]
    else:
        return span[1], span[0]
    last = list(_line_blocks(lines))[-1]
    ends_message = goes_on and not text[span[1] :].strip()
    has_last_words = (
        (last[0] > first or ends_message)
        and _plain_words(lines, last, headings)
        and any(is_prose(lines[n]) for n in last)
        and not any(_ITEM.match(lines[n]) for n in last)
    )
    starts = list(accumulate((len(line) + 1 for line in lines), initial=span[0]))
    behind = handed_over.end() if handed_over is not None else 0
    return starts[first] + behind, starts[last[0]] if has_last_words else span[1]


def _is_picture(sign: str) -> bool:
    """Return whether a character is a picture, not a mark of a list or a line of a box."""
    return sign >= "\U0001f000" and unicodedata.category(sign) == "So"


def _spoken_in_tags(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans inside the tags around words of the user."""
    for opened in _OPENING.finditer(text, start, end):
        if _is_own(opened):
            close = text.find(f"</{opened['tag']}>", opened.end(), end)
            if close >= 0:
                yield opened.end(), close


def _is_own(opened: re.Match[str]) -> bool:
    """Return whether a tag is around words of the user. A sub-agent gets its orders from the lead of its team; a task
    list in JSON is not an order."""
    if opened["tag"] == "teammate-message":
        inner = opened.string[opened.end() : opened.end() + 40].lstrip()
        return 'teammate_id="team-lead"' in opened[0] and not inner.startswith("{")
    return opened["tag"] in _OWN_TAGS


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """Yield the spans that a program did not write, and whether each is pasted."""
    for span, pasted in _tagged(text, after_memories(text, start, end), end):
        at = span[0]
        for frame in ENVELOPE.finditer(text, *span):
            yield (at, frame.start()), pasted
            pasted = pasted or _OF_BOT.match(frame[0]) is not None
            if frame["said"]:
                yield frame.span("said"), pasted
            at = frame.end()
        yield (at, span[1]), pasted


def _tagged(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """Yield the spans outside of program tags, and whether each is in another tag, so that it is pasted."""
    at = look = start
    unclosed: set[str] = set()
    while (opened := _OPENING.search(text, look, end)) is not None:
        look, tag = opened.end(), opened["tag"]
        of_program, is_own = {tag, tag.replace("_", "-")} & _PROGRAM_TAGS, _is_own(opened)
        line = text.rfind("\n", start, opened.start()) + 1
        alone = not text[max(line, start) : opened.start()].strip()
        if not of_program and not is_own and not alone:
            continue
        # A long document may end after the scanned part.
        close = -1 if tag in unclosed else text.find(f"</{tag}>", look)
        if close < 0 and not of_program:
            unclosed.add(tag)
            continue
        close = close if close < end else -1
        yield (at, opened.start()), False
        inner = (look, close if close >= 0 else end)
        if is_own:
            yield inner, False
        elif of_program:
            for words in _spoken_in_tags(text, *inner):
                yield words, False
        else:
            yield inner, True
        at = look = end if close < 0 else close + len(tag) + 3
    yield (at, end), False


def _of_part(text: str, span: Span, pasted: bool, of_user: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a span."""
    last = 0
    for start, end, shown, heading in _paragraphs(text, span, of_user):
        at = start
        items = _items_in_line(text, start, end, last)
        for mark in _IN_LINE.finditer(text, start, end):
            last += int(mark["number"] or mark["glued"]) == last + 1
        ends = [mark.end() for mark in _END.finditer(text, start, end)]
        for stop in sorted({*ends, *items}):
            before = text[max(at, stop - 20) : stop]
            is_initial = _INITIAL.search(before) is not None and _NEW_RULE.match(text, stop) is None
            is_end = not is_initial and _ABBREVIATED.search(before) is None
            if stop in items or is_end:
                yield from _cut(text, at, stop, pasted or shown, heading)
                at = stop
        yield from _cut(text, at, end, pasted or shown, heading)


def _items_in_line(text: str, start: int, end: int, last: int = 0) -> list[int]:
    """Return the starts of the items of a numbered list in one paragraph: "1. do X 2. do Y" has two.

    Within a sentence, two numbers make no list: "the steps are 1) to paint and 2) to dry". After a colon, three or more
    numbers may begin anywhere and have any order: "the stages are: 0. Draft 2. Sent 1. Checked". A number glued to
    Chinese words continues the numbers before it.
    """
    marks = list(_IN_LINE.finditer(text, start, end))
    numbers = [int(mark["number"] or mark["glued"]) for mark in marks]
    if last and marks and marks[0]["glued"] and numbers == list(range(last + 1, last + 1 + len(numbers))):
        return [mark.start() for mark in marks if mark.start() > start]
    before = text[start : marks[0].start()].rstrip() if marks else ""
    least = 3 if before and before[-1] not in ".!?:;。！？：；" else 2
    is_list = numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= least
    is_list = is_list or (before[-1:] in (":", "：") and 2 < len(numbers) == len(set(numbers)))
    return [mark.start() for mark in marks if mark.start() > start] if is_list else []


def _cut(text: str, start: int, end: int, pasted: bool, heading: bool) -> Iterator[Sentence]:
    """Yield a sentence in pieces of at most LONGEST characters, without spaces at their ends."""
    while end - start > LONGEST:
        first, last = start + LONGEST // 2, start + LONGEST
        stop = max((mark.end() for mark in _CLAUSE.finditer(text, first, last)), default=0)
        stop = stop or text.rfind(" ", first, last) + 1 or last
        yield from _cut(text, start, stop, pasted, heading)
        start = stop
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == "\\"):
        end -= 1
    if end - start >= 2:
        yield Sentence(start, end, pasted, heading)


def _paragraphs(text: str, span: Span, of_user: bool) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield (start, end, pasted, heading) of each run of prose lines. A wrapped line joins the line before it."""
    starts, lines = _lines(text, span)
    coded, pasted = _fenced(lines) | _hunks(lines), _pages(lines)
    prosaic = frozenset(number for number, line in enumerate(lines) if number not in coded and is_prose(line))
    if of_user:
        pasted |= _printout(lines, coded, prosaic, pasted) | _in_quotes(lines)
        if len(lines) <= CROWDED:
            prosaic |= {
                number for number, line in enumerate(lines) if number not in coded and _gives_number(line)
            }
    open_at, open_end, was = -1, -1, False
    indented = quoted = False
    for number, (here, line) in enumerate(zip(starts, lines, strict=True)):
        # Indented lines under a mark of an agent's terminal are a copy of its output.
        if line[:1] and (not line[:1].isspace() or line.lstrip()[:1] == "⎿"):
            indented = line.lstrip()[:1] in "⏺●⎿" or _HOOK_SAYS.search(line[:_LINE]) is not None
        # The lines of a copied screen are deeper than the marked one.
        goes_on = quoted and _depth(lines[number - 1]) < _depth(line) > 1 and _ITEM.match(line) is None
        quoted = line.lstrip().startswith(">") or _NUMBERED.match(line) is not None or goes_on
        shown = number in pasted or quoted or (indented and line[:2] == "  ")
        prose = number in prosaic
        heading = prose and _HEADING.match(line) is not None
        joins = prose and not heading and open_at >= 0 and shown == was
        joins = joins and _continues(text, open_end, line)
        if open_at >= 0 and not joins:
            yield open_at, open_end, was, False
            open_at = -1
        if heading:
            yield here, here + len(line), shown, True
        elif prose:
            open_at = open_at if joins else here
            open_end, was = here + len(line), shown
    if open_at >= 0:
        yield open_at, open_end, was, False


def _lines(text: str, span: Span) -> tuple[list[int], list[str]]:
    """Return the starts and the texts of the lines. A line is cut where printed lines begin behind a person's words."""
    starts: list[int] = []
    lines: list[str] = []
    at, whole = span[0], text[slice(*span)].split("\n")
    for number, line in enumerate(whole, 1):
        start, below = line[:_LINE], "".join(whole[number : number + 1])[:_LINE]
        begins = _BEGINS.search(start) if _PRINTED.match(below) else None
        begins = begins or (_IMPORTS.search(start) if _is_code(below) else None)
        begins = begins or (_QUOTES.search(start) if below.lstrip().startswith("> ") else None)
        begins = _TOLD.search(start) or begins
        cut = begins.start() if begins is not None else 0
        if (
            not (cut or below)
            and _PRINTED.match(start)
            and (speech := _SPOKEN_BEHIND.search(start)) is not None
        ):
            cut = speech.end()
        if not cut and _is_json(below):
            # Rows of a log in JSON begin on the line of the person.
            data = max(start.find('{"'), 0)
            cut = data if _is_json(line[data : data + _LINE]) else 0
        for part in (line[:cut], line[cut:]) if cut else (line,):
            starts.append(at)
            lines.append(part)
            at += len(part)
        at += 1
    return starts, lines


def _continues(text: str, end: int, line: str) -> bool:
    """Return whether a line continues the sentence of the line before it."""
    if _ITEM.match(line) is not None:
        return False
    if _GOES_ON.search(text[max(0, end - 8) : end]):
        return True
    is_wrapped = end - text.rfind("\n", 0, end - 1) >= _WRAPPED
    return is_wrapped and line.lstrip(" \t>")[:1].islower() and text[end - 1 : end] not in ".!?:。！？："


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of fenced code and of all fences. A fence that never closes has no code."""
    marked: set[int] = set()
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        marked.add(number)
        mark, info = fence["mark"], fence["info"].strip()
        if mark in info or (opened is None and info.lower() in _PROSE_FENCES and number < 3):
            continue
        if opened is None or info:
            opened = number, mark
        elif mark.startswith(opened[1]):
            marked.update(range(opened[0], number))
            opened = None
    return frozenset(marked)


def _hunks(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of the hunks of a diff. The head of a hunk counts its old and its new lines."""
    hunk_lines: set[int] = set()
    old = new = 0
    for number, line in enumerate(lines):
        head = _HUNK.match(line)
        if head is not None:
            old, new = int(head["old"] or 1), int(head["new"] or 1)
        elif (old > 0 or new > 0) and line[:1] in ("", " ", "\t", "+", "-", "\\"):
            old -= line[:1] in ("", " ", "\t", "-")
            new -= line[:1] in ("", " ", "\t", "+")
        else:
            # The copy of the hunk may end early.
            old = new = 0
            continue
        hunk_lines.add(number)
    return frozenset(hunk_lines)


def _pages(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of a pasted page, a bot's review or a block of printed lines or code.

    In a message with a page or a review, a first or last paragraph in plain words belongs to the person.
    """
    printed_lines: set[int] = set()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    flush = any(line[:1].strip() for line in lines)
    ended, listed = False, False
    #: The depth of the last line before a block, if it is printed.
    depth: int | None = None
    for block in _line_blocks(lines):
        printed = _printed_in(lines, block)
        ends = printed[-1:] == block[-1:] and not lines[block[-1]].lstrip().startswith("-")
        if ended and ends:
            printed_lines.update(block)
        ended = ends
        # An agent's terminal begins its lines with a space. An item of a list may have further paragraphs.
        items = [number for number in block if _ITEM.match(lines[number])]
        listed = bool(items) or (listed and not lines[block[0]][:1].strip())
        if flush and not listed and all(lines[number][:1] == " " != lines[number][1:2] for number in block):
            printed_lines.update(block)
        printed_lines |= _nested_fields(lines, block, items)
        printed_lines |= _from_printed(lines, block, printed, items)
        code = [number for number in block if _is_code(lines[number]) and lines[number].lstrip()[:1] != "{"]
        if len(code) > 2 and len(code) * 2 >= len(block):
            # The other lines between lines of code are its comments and texts.
            printed_lines.update(range(code[0], code[-1] + 1))
        printed_lines.update(
            n for n in block if _COMMENT.match(lines[n]) and not {n - 1, n + 1}.isdisjoint(code)
        )
        printed_lines |= _rows(lines, block)
        if depth is not None and all(_depth(lines[number]) > max(depth, 3) for number in block):
            # The text of a commit is below its author and date.
            printed_lines.update(block)
        else:
            depth = _depth(lines[block[-1]]) if block[-1] in printed_lines else None
    return frozenset(printed_lines | _page_or_review(lines, filled))


def _printed_in(lines: Sequence[str], block: Sequence[int]) -> Sequence[int]:
    """Return the numbers of the printed lines of a block, and of deeper lines below them."""
    often = {number for number in block if _OFTEN.match(lines[number])}
    printed = frozenset(
        number
        for number in block
        if (_PRINTED.match(lines[number][:_LINE]) and not _TOLD.search(lines[number][:_LINE]))
        or (number in often and len(often) > 1)
    )
    return _with_deeper(lines, block, printed)


def _nested_fields(lines: Sequence[str], block: Sequence[int], items: Sequence[int]) -> set[int]:
    """Return the lines of a long block of fields, some of which have fields below them."""
    if len(block) <= CROWDED:
        return set()
    fields = [number for number in block if _FIELD.match(lines[number][:_LINE])]
    nests = any(
        lines[number].rstrip()[-1:] == ":"
        and number + 1 not in items
        and number < block[-1]
        and _depth(lines[number + 1]) > _depth(lines[number])
        for number in fields
    )
    return set(range(fields[0], block[-1] + 1)) if nests and len(fields) * 2 >= len(block) else set()


def _from_printed(
    lines: Sequence[str], block: Sequence[int], printed: Sequence[int], items: Sequence[int]
) -> set[int]:
    """Return the lines of a block from its first printed line on, if many lines are printed.

    A person's list may continue after printed lines. A person may give an order below them, but the output of a command
    goes on.
    """
    if len(printed) * 3 < len(block) or len(block) < 2:
        return set()
    of_command = any(lines[number].lstrip().startswith("$ ") for number in printed)
    goes_on = (
        number
        for number in block
        if number > printed[-1]
        and ((number in items and items[0] < printed[0]) or (not of_command and _is_spoken(lines[number])))
    )
    return set(range(printed[0], next(goes_on, block[-1] + 1)))


def _page_or_review(lines: Sequence[str], filled: Sequence[int]) -> set[int]:
    """Return the lines of a pasted page, thread, mail or bot's review, without paragraphs of a person around it.

    A thread and a mail have at least two lines that say who wrote and when.
    """
    pages = [number for number in filled if _PAGE.match(lines[number])]
    bots = [number for number in filled if _BOT.search(lines[number][:_LINE])]
    by_lines = [number for number in filled if _BY_LINE.match(lines[number][:_LINE])]
    if len(by_lines) > 1:
        bots = sorted({*bots, *by_lines})
    is_page = len(pages) >= 3
    if not (is_page or bots):
        return set()
    marks = pages if is_page else bots
    first = filled[0] if is_page else marks[0]
    paste = [block for block in _line_blocks(lines) if block[-1] >= first]
    above = [number for number in paste[0] if number < first] if paste else []
    if above and _plain_words(lines, above, marks):
        paste[0] = paste[0][len(above) :]
    # A person may introduce a paste, and continue after it.
    if paste and paste[0][0] == filled[0] and len(paste) > 1 and _plain_words(lines, paste[0], marks):
        paste = paste[1:]
    # A review also has lines without a mark.
    reviewed = any(set(block) - set(marks) for block in paste[:-1])
    if reviewed and _plain_words(lines, paste[-1], marks):
        # Lines in another script than the last one end the paste.
        unspaced = has_unspaced(lines[paste[-1][-1]])
        while paste[-1] and has_unspaced(lines[paste[-1][-1]]) is unspaced:
            paste[-1].pop()
    return {number for block in paste for number in block}


def _in_quotes(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines between triple quotes that end a line, with text before or behind them."""
    quoted: set[int] = set()
    worded = [number for number, line in enumerate(lines) if line.strip(" \"'")]
    opened = -1
    for number, line in enumerate(lines if worded else ()):
        if opened >= 0 and _QUOTES_END.fullmatch(line):
            if worded[0] <= opened or number < worded[-1]:
                quoted.update(range(opened + 1, number + 1))
            opened = -1
        elif opened < 0 and _QUOTES_BEGIN.search(line):
            opened = number
    return frozenset(quoted)


def _is_spoken(line: str) -> bool:
    """Return whether a line at the margin is an order of a person, or begins with "I"."""
    speaks = _SPEAKS.match(line) is not None
    return not line[:1].isspace() and is_prose(line) and (speaks or _orders(line))


def _rows(lines: Sequence[str], block: Sequence[int]) -> set[int]:
    """Return the lines of a block that are rows with cells between commas. The first row has no spaces."""
    cells = {len(_CELL_END.findall(lines[number][:_LINE])) for number in block}
    head = lines[block[0]].strip()
    is_table = len(block) >= _ENTRIES and len(cells) == 1 and min(cells) > 1 and " " not in head
    return set(block) if is_table else set()


def _printout(
    lines: Sequence[str], coded: frozenset[int], prosaic: frozenset[int], pasted: frozenset[int]
) -> frozenset[int]:
    """Return the numbers of the lines of a long printout: from its first to its last line that no person writes.

    At least a third of these lines are such lines. A paragraph of a person between them stays. `prosaic` lines may
    be of a person.
    """
    filled = [number for number, line in enumerate(lines) if line.strip() and number not in coded]
    printed = {number for number in filled if number in pasted or _PRINTED.match(lines[number][:_LINE])}
    formed = [number in printed or (number not in prosaic and _has_form(lines[number])) for number in filled]
    # A person may write a single line of code between words, and a few numbers, commands or rows of a table.
    other = [number for number in filled if number not in prosaic]
    marks = {
        number
        for number, before, alike, after in zip(
            filled, [False, *formed], formed, [*formed[1:], False], strict=False
        )
        if number in printed or (alike and (before or after))
    }
    if len(other) >= _MANY:
        marks.update(other)
    if len(marks) < _FEWEST_PRINTED:
        return frozenset()
    first, last = min(marks), max(marks)
    if len(marks) * 3 < sum(first <= number <= last for number in filled):
        return frozenset()
    # The lines on both sides may give a place or be as deep. The person may go on in the last one.
    while first and (_PLACE.match(lines[first - 1]) or 0 < _depth(lines[first]) == _depth(lines[first - 1])):
        first -= 1
    while last < filled[-1] and (
        _PLACE.match(lines[last + 1])
        or (last + 1 < filled[-1] and 0 < _depth(lines[last]) == _depth(lines[last + 1]))
    ):
        last += 1
    # Data is marked in another way.
    spoken = {number for number in filled if _is_json(lines[number][:_LINE])}
    spoken |= {
        number
        for block in _line_blocks(lines)
        if marks.isdisjoint(block)
        and any(_PERSON.search(line) or _orders(line) for line in (lines[n] for n in block))
        for number in block
    }
    spoken |= {number for number in prosaic - pasted if _orders(lines[number])}
    return frozenset(range(first, last + 1)) - spoken


def _has_form(line: str) -> bool:
    """Return whether a line has the form of code, data or markup. A table and a list may be a person's."""
    stripped = line[:_LINE].strip()
    if stripped[:1] in ("", "|") or item_depth(line) == 0:
        return False
    return bool(
        _is_code(stripped)
        or _MARKUP.match(stripped)
        or _TABLE.match(stripped)
        or _DATA.fullmatch(stripped)
        or _dumped(stripped)
    )


def _gives_number(line: str) -> bool:
    """Return whether a line is a word or two and a number, and not printed."""
    body = _LABEL.sub("", line[:_LINE].strip(), count=1)
    return _NUMBER_GIVEN.fullmatch(body) is not None and not (_PRINTED.match(line[:_LINE]) or _is_code(line))


def _orders(line: str) -> bool:
    """Return whether a line has the cue of a standing order, and does not only introduce the next lines."""
    if line.rstrip().endswith((":", "：")):
        return False
    cue = best_cue(line[:_LINE], "user", frozenset())
    return cue is not None and cue[0].strength >= STANDING


def _with_deeper(lines: Sequence[str], block: Sequence[int], printed: frozenset[int]) -> list[int]:
    """Return the numbers of printed lines and of the deeper lines under each: a test's output under its place."""
    deeper: list[int] = []
    depth: int | None = None
    for number in block:
        indent = _depth(lines[number])
        if number in printed:
            depth = indent
        elif depth is None or indent <= depth:
            depth = None
            continue
        deeper.append(number)
    return deeper


def _plain_words(lines: Sequence[str], block: Sequence[int], marks: Sequence[int]) -> bool:
    """Return whether a block is a short paragraph without marks of a page, a review or markup."""
    text = " ".join(lines[number] for number in block)
    return (
        not set(block) & set(marks)
        and len(block) <= 4
        and len(text) < 500
        and not re.search(r"[<>#|]|https?:|\*\*", text)
    )


def _line_blocks(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the numbers of the lines of each block between empty lines."""
    block: list[int] = []
    for number, line in enumerate((*lines, "")):
        if line.strip():
            block.append(number)
        elif block:
            yield block
            block = []


def is_prose(line: str) -> bool:
    """Return whether a person may have written a line: it is not code, a command, a log, a table or markup."""
    line = line[:_LINE]
    stripped = line.strip()
    if len(stripped) < 2 or _LETTERS.search(stripped) is None or _DATA.fullmatch(stripped):
        return False
    words = len(_WORDS.findall(stripped))
    if _TABLE.match(stripped) or _PRINTED.match(line) or _COMMAND.match(stripped) or _dumped(stripped):
        return False
    if _MARKUP.match(_LABEL.sub("", stripped, count=1)) or _is_code(stripped):
        return False
    # All signs of an address count as letters.
    letters = len(_LETTERS.findall(_URL.sub(lambda url: "a" * len(url.group()), stripped)))
    if has_unspaced(stripped):
        return letters + sum(sign.isdigit() for sign in stripped) >= 0.4 * len(stripped)
    return words >= 3 or letters + stripped.count(" ") >= 0.6 * len(stripped)


def _line_at(text: str, at: int) -> str:
    """Return the first characters of the line of an index."""
    start = text.rfind("\n", 0, at) + 1
    return text[start : start + _LINE].partition("\n")[0]


def _is_json(line: str) -> bool:
    """Return whether most of a line is names and values of JSON."""
    if line.count('":') + line.count('" :') < 3:
        return False
    return len(_WORDS.findall(_JSON.sub(" ", line))) <= 3


def _dumped(line: str) -> bool:
    """Return whether a line has an escaped newline. A Windows path such as C:\\new or tools\\notes.py is not one."""
    return "\\n" in line and "\\n" in _WINDOWS_PATH.sub(" ", line)


def _is_code(line: str) -> bool:
    stripped = line[:_LINE].strip()
    body = _LABEL.sub("", stripped, count=1)
    # A person may end an item of a list, or a longer line, with a semicolon.
    speaks = _PERSON.search(body) is not None and len(_WORDS.findall(body)) > 3
    listed = _ITEM.match(stripped) is not None and " " in body
    if body.endswith(";") and (listed or speaks) and _OF_CODE.isdisjoint(body):
        body = body[:-1]
    return _CODE.fullmatch(body) is not None


def forbids_list(line: str) -> str:
    """Return the word of a line that forbids the items of the list below it: "do not"; "" if it does not."""
    match = _FORBIDS_LIST.fullmatch(line) if len(line) <= LONGEST else None
    return match["words"] if match is not None and (match["colon"] or match["heading"].strip()) else ""


def item_depth(line: str) -> int:
    """Return the number of spaces before an item of a list; -1 for a line that is not an item."""
    return _depth(line) if _ITEM.match(line) is not None else -1


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def without_label(text: str, start: int, end: int) -> int:
    """Return the start of a sentence after its bullet, number, heading mark or label ("NOTE:")."""
    label = _LABEL.match(text, start, end)
    return label.end() if label is not None and label.end() < end else start


def statements(text: str, start: int, end: int) -> list[Span]:
    """Split a sentence before each further rule: "refactor X, but do not change Y" has two statements."""
    spans = []
    at = start
    for joint in _JOINT.finditer(text, start, end):
        left = text[at : joint.start()]
        left = left[left.rfind(": ") + 1 :]
        if "then" in joint.group().lower().split() and _FIRST.search(left):
            # "First A, then B" is one statement: the order.
            continue
        if len(left.split()) < 2 and not has_unspaced(left):
            continue
        if len(text[joint.end() : end].split()) < 3 and not has_unspaced(text[joint.end() : end]):
            continue
        if text.startswith(("no ", "No "), joint.end()) and not (
            plain_rule(left)[1] == "decision" and best_cue(text[joint.end() : end], "user", frozenset())
        ):
            # "No" only starts a rule behind a task.
            continue
        if _HANGS.match(left) or left.count("(") > left.count(")") or left.count('"') % 2:
            continue
        spans.append((at, joint.start()))
        at = joint.end()
    is_bracketed = spans and text[spans[-1][1] : at].endswith("(")
    spans.append((at, text.rindex(")", at, end) if is_bracketed else end))
    return spans


def clauses(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the clauses of a sentence, without the marks between them."""
    spans = []
    at = start
    for mark in _CLAUSE.finditer(text, start, end):
        if mark.start() > at:
            spans.append((at, mark.start()))
        at = mark.end()
    if at < end:
        spans.append((at, end))
    return spans
