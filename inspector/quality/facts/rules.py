"""The lexicon of facts in English and Chinese: cues that mark facts, stems, synonyms and opposites.

A sentence in another language has no kind. It is compared by its words, values and names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import Stemmer, has_unspaced, word_set
from inspector.quality.facts.fact import STANDING, Kind

USER, AGENT = "user", "assistant"


class Cue(Struct, frozen=True):
    """Phrases (`find`) that mark a kind of fact in messages of a role, and their strength (1 to 10).

    A match does not count if it overlaps a match of `unless`. In English, both begin at a word. `needs` lists the exact
    values that the sentence needs too: "number" or "name", separated by "|".
    """

    id: str
    kind: Kind
    strength: int
    find: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    needs: str = ""
    role: str = USER


def _cue(
    id: str, kind: Kind, strength: int, find: str, unless: str = "", needs: str = "", role: str = USER
) -> Cue:
    start, end = (r"(?<![\w'’/-])", r"(?![\w'’(/-])") if id.startswith("en.") else ("", "")
    compiled = late_pattern(f"{start}(?:{find}){end}", re.IGNORECASE)
    ordinary = late_pattern(f"{start}(?:{unless})", re.IGNORECASE) if unless else None
    return Cue(id, kind, strength, compiled, ordinary, needs, role)


# The start of a clause: the start of the text, or after a mark or a conjunction.
_CLAUSE_START = (
    r"(?:(?<=^)|(?<=[,;:.(–—] )|(?<=\band )|(?<=\bbut )|(?<=\bplease )|(?<=\bthen )|(?<=\balso )|(?<=\bso ))"
)

#: A "no" that answers or reports, so that it is not a rule.
_ORDINARY_NO = (
    r"(?:no|zero) (?:problem|idea|worries|longer|luck|errors?|matter|such|output|results?|data|match(?:es)?|response|"
    r"answer|issues?|warnings?|failures?|difference|clue|doubt|wonder|thanks|one|other|rows?|changes?|"
    r"questions?|wait|way|module|rush|hurry|pressure|stress|news|check(?! (?:in|out)s?\b)|"
    r"show|tell|go|no|i|it|this|that|these|those|we|you|they|he|she|the|there|need|not|just|my|"
    r"your|our|don|please|is|are|was|like)\b|"
    r"no \w+(?: (?:or|and) \w+)? (?:performed|encountered|found|seen|reported|occurred|needed|necessary)\b|"
    r"^\W*(?:(?:i|we|it|they|this|that)(?:['’](?:ve|m|s|re))?|there(?:['’]s)?) (?:still |now |only )?"
    r"(?:have|has|had|got|get|gets|see|am|is|are|was|were)\b[^:;–—]{0,300}"
)

#: A report of what happens: "the crane never stops", "it always fails when I open it", "I always get a 404". The wish
#: of a person and the habit of a group are rules: "I never want to see it", "we never ship on Fridays".
_REPORT = (
    r"(?:i (?:never|always) (?!want|need|expect|prefer)\w|"
    r"(?:it|they|he|she|this|i['’]ve|we['’]ve|is|are|was|were|would|will|can|has|had|have) (?:never|always)|"
    r"we (?:never|always) (?:\w+ed|got|had|did|saw|was|were|went|knew|found|came|made|thought|said)\b|"
    r"(?:never|always) (?:(?:happen|match|work|forget)\w*|(?:start|end|crash|finish|fail|seem|look|respond|appear|"
    r"arrive)(?:e?s|e?d)\b|(?:been|seen|thought of)\b)|"
    r"(?:the|my) (?:\w+ ){1,3}(?:never|always) \w+s"
    r"(?:\W*\Z|(?= [^,;.]{0,60}\b(?:when|if|after|once) (?:i|we|it|you)\b)))"
)

#: A time that comes again and again.
_RECURRING = (
    r"(?:(?:every|each) (?:single |other |last |first )?(?:day|morning|noon|evening|night|week|month|hour|year|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)|daily|weekly|monthly|hourly|nightly)"
)

#: A task in the words of a need: "we need to review the map", "should probably explain it". A need is a rule if it has
#: another subject, a state, a number or a word such as "every".
_TASK = (
    r"(?:^|(?<=[,;:.–—] )|(?<=\bi think )|(?<=\bmaybe ))\W{0,4}"
    r"(?:(?:ok(?:ay)?|so|and|but|then|also|first|next|now|well|yes|as before|i (?:think|guess|suppose)|maybe|perhaps|"
    r"probably)\b[\s,]{1,3}){0,5}(?:we )?(?:(?:still|also|really|probably|just|first|do|will) ){0,2}(?:should|need to) "
    r"(?:(?:probably|maybe|also|first|better|really|just|either) ){0,2}"
    r"(?!(?:be|have|stay|remain|not|use|keep|leave|avoid|support|ensure|make sure)\b)"
    r"(?![^\n]{0,400}(?:\d|\b(?:every|each|all|any|whenever|until|unless|always|never|before|without|only)\b))\w+"
)

CUES: tuple[Cue, ...] = (
    _cue("en.hard-rule", "constraint", 10,
         r"(?:hard|ground|house|strict|golden) rule|hard (?:limit|requirement)|non-negotiable|"
         r"under no circumstances|on no account|no exceptions?|without exception|no matter what"),
    _cue("en.never", "constraint", 9, r"never",
         r"never mind|" + _REPORT),
    _cue("en.is-never", "constraint", 6, r"(?:is|are) (?:never|always \w+(?:ed|en)\b)",
         r"there (?:is|are) never|(?:is|are) always [^,;.]{0,60}\b(?:when|if|after|once) (?:i|we|it|you)\b"),
    _cue("en.do-not", "constraint", 9,
         r"do not|don['’]?t|must not|mustn['’]?t|may not|shall not|should ?not|shouldn['’]?t|not allowed|"
         r"(?:is|are) forbidden|off[ -]limits|hands off|may only|you (?:can['’]?t|cannot)|prohibited|let['’]s not|"
         r"not (?:okay|ok|allowed|even)",
         r"(?:do not|don['’]?t) (?:allow|let) (?:the |a |any )?(?:users?|people|visitors?|customers?|players?)|"
         r"(?:i|they|people|which|that|it|you|why|if you|if we)\s+(?:do not|don['’]?t)|(?:do not|don['’]?t)\s+(?:know|"
         r"think|see|worry|mind|understand|have|give up|panic|stop\W*\Z|be (?:afraid|sad|shy|sorry|silly|scared))|"
         r"we\s+(?:do not|don['’]?t) (?:need|want|get|care|believe|support|use|do|yet|really|even|necessarily)\b|"
         r"let['’]s not (?:worry|bother)|(?:do not|don['’]?t) (?:exist|work|match|appear|seem|contain|cause)|"
         r"should(?: not|n['’]?t) (?:be necessary|happen|it|this|that|we|they|there)|there should(?: not|n['’]?t)|"
         r"\b(?:http|error|status|报错)\W{0,3}\d{3}\b.{0,200}|"
         r"may not (?:be (?!\w+(?:ed|en|wn|nt|ld)\b)|(?:have|match|work|need|apply|exist|know|always|even|yet)\b)|"
         r"(?:actually|really|currently|still|usually) (?:do not|don['’]?t)|(?:do not|don['’]?t) even\b"),
    _cue("en.nobody", "constraint", 8,
         r"(?:nothing|nobody|no one|none of (?:the|our|my|these) \w+|neither) (?:\S+ ){0,7}?(?:may|can|must|should|"
         r"will|is|are|gets?|goes|leaves?)|(?:nobody|no one) \w+s|"
         r"(?:nobody|no one|nothing) (?:but|except) \w+",
         r"(?:nothing|nobody|no one) (?:is|are) (?:wrong|broken|there|here|left|missing|changed)|"
         r"(?:nobody|no one) (?:knows|likes|cares|wants|needs|uses|says|thinks|was|does|has|replies|answers)|"
         r"nothing (?:is|gets?) [^,;.]{0,60}\b(?:when|if|after|once) (?:i|we|it|you)\b"),
    _cue("en.cannot", "constraint", 6,
         r"(?:can ?not|can['’]t|cannot) (?:be|exceed|have|use|see|buy|change|go|touch|leave)"),
    _cue("en.from-now-on", "constraint", 9,
         r"from (?:now|here|today) on|going forward|every time|in (?:the )?future(?:,| always)"),
    _cue("en.must", "constraint", 8,
         r"must|required to|(?:is|are) (?:required|mandatory)|it is essential|absolutely|shall",
         r"must (?:be because|have (?:been|\w+ed)\b|be (?:a bug|something|the))|shall (?:i|we)\b|what must|"
         r"(?:it|that|this|there|he|she|(?:i (?:think|guess|suppose|bet)|probably|maybe) [^,;.]{0,60}) must be|"
         r"(?:i|you|we|they) must (?:be (?:in|at|on|tired|right|wrong|joking|kidding)|have|say|admit|go)\b|"
         r"^\W*must be (?:nice|great|fun|hard|awful)|absolutely (?:right|correct|sure|fine|love\w*)|"
         r"you must (?:provide|specify|supply|enter)"),
    _cue("en.need", "constraint", 6, r"(?:have|has|needs?) to|requires?",
         r"(?:i|we|you) (?:have|need) to (?:ask|say|go|admit|see|look|figure|think)|"
         r"(?:don['’]?t|does(?: not|n['’]?t)|do i|do we|would(?: \w+)?|i|had|\w+['’](?:d|ll)) (?:have|need) to|"
         r"has to (?:much|many)|has to do with|have to do with|no need to|(?:does(?: not|n['’]?t)|not) require|"
         r"only (?:have|has|needs?) to|(?:that|feeling|guess|bet) (?:i|we|you|they|it) (?:have|has|needs?) to|"
         r"\b(?:(?:what|how|why|where|which)\b[^,;:.?!\n]{0,40}|if (?:it|you|we|they|\w{3,4}thing)) (?:need|have|"
         r"has)s? to|"
         + _TASK),
    _cue("en.always", "constraint", 8, r"always|at all times|in (?:all|every) cases?|at any time|everywhere|"
         r"(?<=, )ever(?=\W*\Z)",
         r"(?:almost|as|now) always|always (?:wondered|returns|takes|answers|true|false|the)|" + _REPORT),
    _cue("en.each", "constraint", 6,
         r"(?:each|every|all|any) (?:\S+ ){1,6}(?:needs?|has to|have to|gets?|goes|go|is|are|must|should)",
         r"\ball (?:i|you|we|they)\b.{0,100}|(?:is|are) (?:already|currently|now)\b"),
    _cue("en.no", "constraint", 6, _CLAUSE_START + r"(?:no|zero) \w+", _ORDINARY_NO),
    # "A gate id is a string, not an int." A sentence about "it" is a diagnosis or a correction.
    _cue("en.contrast", "constraint", 6,
         r"(?<=, )not(?: (?:a|an|the|in|on|with|from|by|as|to|for)){0,2} [\w'’/-]+(?=\W*\Z)|(?<=, )nowhere else",
         r"^\W*(?:\w+ )?(?:it|this|that|there|they|he|she|i|you)\b.{0,400}"),
    _cue("en.bound", "constraint", 7,
         r"(?:at (?:most|least)|(?:no|not) (?:more|less|fewer|later|earlier|older) than|max(?:imum)?|min(?:imum)?|"
         r"within(?! (?:each|every|the|this|that)\b)|capped at|limited to|"
         r"(?:stays?|keep \w+|remain) (?:at|below|under|above)|under|below|up to|"
         r"cannot exceed|not before|not (?:more|less|fewer|later|longer)(?=\W*\Z)|only (?:above|below|between|after))",
         r"at least for me|up to (?:date|now)|max (?:out|those|these|them|it|my|our)\b|"
         r"^\W*(?:show|tell|check|prove|see)\b.{0,200}", "number"),
    _cue("en.avoid", "constraint", 7,
         _CLAUSE_START + r"(?:avoid|better not|stick (?:to|with)|stay (?:with|away)|respect|preserve|"
         r"follow (?:the |our |my )?(?:existing|same|usual)|beware|refrain|"
         r"(?:stop|quit) \w+ing)", r"would be .{0,200}"),
    _cue("en.keep", "constraint", 6,
         _CLAUSE_START + r"(?:keep|leave|hold|freeze|pin|ensure|make sure|be (?:careful|cautious)|remember to|treat)",
         r"keep (?:going|on|trying|in mind|up|it (?:up|coming|going)|me (?:posted|updated|in the loop))\b|"
         r"leave it to me|"
         # The result of a task.
         r"keep (?:an?|the (?:first|last|best|newest|latest|result))\b(?![^,;.]*\d)|keep [^,;.]{1,60} for now\b|"
         # A condition of the request before it.
         r"(?:ensure|make sure)(?: that)? (?:it|they)\b"),
    _cue("en.stays", "constraint", 7,
         r"(?:stays?|remains?|is|are|must stay) (?:pinned|frozen|locked|fixed|read-only|confidential|secret|"
         r"off limits)|read-only|stays?(?=\W*$)|stays? in|(?:is|are) kept (?:for|at)|pinned (?:to|at)|confidential|"
         r"mandatory|compulsory", r"(?:nothing|not|all) (?:is|are) fixed"),
    _cue("en.condition", "constraint", 8,
         r"(?:ask|check with|tell|ping|warn|confirm with|notify) (?:\w+ )?(?:before|first|if|when)|"
         r"before (?:merging|deploying|pushing|posting|restarting|deleting|changing|you \w+)|"
         r"without (?:asking|my|our|approval|permission)|wait for my|until i say|"
         r"(?:abort|roll ?back|stop|alert|fail|escalate) (?:if|when)|unless (?:i|we)|stop and ask|"
         r"you (?:may|can|are free to|are allowed to) .{3,120}\b(?:as long as|unless|except|on your own|yourself)|"
         r"(?:everything|everyone|everybody|all \w+) .{1,60}\b(?:except|besides|apart from)",
         r"(?:ask|tell|ping|notify) (?:\w+ )?when to\b"),
    _cue("en.only", "constraint", 6,
         r"only (?:when|if|on|after|above|below|with|in|the|for|from|between|via|by|use|run|touch|change)|"
         r"only(?= *(?:[,;.)]|\Z))|(?:we|you) only (?!have|had|need|see|get|got|want|know|saw|did)\w+|"
         r"exclusively|nothing (?:but|else|until|yet)",
         r"(?:the|not|if) only|only (?:happens|occurs|seems|the first)|\b(?:explain|describe)\b.{0,300}"),
    _cue("en.only-first", "constraint", 7, r"^\W*only (?!then|one|the first|thing|problem|now)\w+"),
    _cue("en.should", "constraint", 6, r"should|(?:is|are) (?:expected|supposed) to|there should be",
         r"(?:maybe|perhaps) should|should be (?:fine|ok|okay|done|good|proud|enough|possible|interesting|fun)\b|"
         # Guesses, and what does not happen.
         r"(?:(?:it|this|that) |^\W*)should (?:now |just )?(?:work|be (?:\w+ )?(?:easy|simple|quick))\b|"
         r"should [^,;.?!\n]{1,40} (?:now|again|already)(?=\W*\Z)|"
         r"should [^.?!\n]{1,80}\bbut (?:it|they|he|she|that|this) (?:do|is|are|was|did|has|still|only)|"
         r"should have (?:been|\w+ed|done|gone|had|made)\b|"
         r"(?:what|how|where|why) should|should (?:i|we|it|this|that)\b|"
         # What the agent may expect.
         r"should (?:get|give|show|let|tell|take) you\b|"
         + _TASK),
    _cue("en.asked-for", "constraint", 8,
         r"(?:when(?:ever)?|if|(?:each|every) time) i (?:ask|tell|send|give|show) you\b"
         r"(?=[^,.?!\n]{2,160}, (?!(?:it|that|this|they|he|she|nothing|the)\b))|"
         r"unless i (?:ask|say|tell)"),
    _cue("en.recurring", "constraint", 7,
         _CLAUSE_START + r"(?:(?:now|please|also) ){0,2}(?:send|give|show|tell|report|remind|update|check|write|save|"
         r"post|e?mail|summari[sz]e|make|generate|create|back up|set up) "
         rf"[^.?!\n]{{0,80}}{_RECURRING}"),
    _cue("en.prefer", "preference", 9,
         r"(?:i|we)(?:['’]d| would)? (?:prefer|like to keep|like|love|hate|dislike)|"
         r"you (?:do not|don['’]?t) (?:need|have) to|"
         r"(?:i|we) (?:don['’]?t|do not) (?:like|want)|no need to|prefer(?:ably)?|"
         r"(?:my|our) (?:preference|style|convention|taste)|preferred (?:to|over)|by convention|"
         r"the way (?:i|we) (?:like|do)",
         r"i like (?:it|this|that)|would you like|if you like|looks like|no need to (?:worry|apologi[sz]e|thank)|"
         # A wish that is over once it is done.
         r"(?:i|we)(?:['’]d| would) (?:like|love) (?:you to|to (?!keep\b|always\b))"),
    _cue("en.answer-style", "preference", 9,
         r"(?:answer|reply|respon(?:d|se)|write|speak)(?: me)? (?:in|with)|"
         r"(?:keep|your) (?:it short|answers?|repl(?:y|ies))|be (?:brief|concise)|no emojis?|tell me (?:the|every)|"
         r"report (?:in|every)|call me|address me|in plain (?:english|words)|short bullets?|bullet points|"
         r"show me \S+ (?:\S+ )?(?:before|first)|answers in|i want (?:all |your )?answers"),
    _cue("en.correction", "preference", 8,
         r"i (?:already )?(?:told you|said|asked you|meant)|(?:as|like) i said|not again|you keep|"
         r"that(?:['’]s| is) not what i|not what i asked|next time|please stop|stop (?:adding|writing)|"
         r"for the last time", r"am i meant"),
    _cue("en.we-do", "preference", 6, r"^\W*we (?:write|use|name|format|commit|spell|say|call|put|indent|log)"),
    _cue("en.decided", "decision", 8,
         r"(?:we|i)(?:['’]ve| have|['’]ll| will)? (?:chose|choose|decided?|agreed|settled|switch(?:ed)?|moved?|stay|"
         r"take|go with|went with|picked|dropped?|keep|kept|use|license|support)|"
         r"let['’]?s (?:use|go (?:with|for|\d+)|take (?!(?:a|this|it|that)\b)\w+|keep (?!\w+ing\b|on\b)\w+|"
         r"do (?!(?:this|that|it|the|a|one|some)\b)\w+)|let us use|go(?:ing)? with|settle on|"
         r"the (?:decision|choice) is|"
         r"we(?:['’]re| are) (?:keeping|using|switching|going|moving|upgrading|dropping|migrating|replacing|"
         r"staying)|decided (?:on|to|against)|switch(?:ed|ing)? to|instead of|rather than|no need for|"
         r"(?:is|are) the default|we (?:don['’]?t|do not|won['’]?t) (?:support|use|do|need)|"
         r"we (?:do|ship|render|go|freeze|release|start)",
         r"(?:should|can|could|do|did|may) (?:we|i)|could use|can use|to use|do we use|"
         r"(?:same|the|this|that|new) \w+ (?:that |which )?we(?:['’]re| are)? us(?:e|ing)\b"),
    _cue("en.use", "decision", 6, _CLAUSE_START + r"(?:use|pick|choose|take|go for|go with)",
         r"use (?:cases?|it|them)\b"),
    _cue("en.fact", "value", 7,
         r"(?:is|are) (?:at|in|on|called|named|set to|under|behind)|"
         r"(?:lives?|runs?|listens?|stored|located|deployed|points?|expires?|goes?|belongs?) (?:at|in|on|under|to|"
         r"into)|deadline|due (?:on|by)|set to", "", "number|name"),
    # Messages of the agent.
    _cue("en.agent-root", "statement", 8,
         r"(?:the|a) (?:root )?(?:cause|issue|problem|bug|reason)(?: (?:is|was)(?: that| in)?)?|caused by|turns out|"
         r"(?:fails?|failed|failing|breaks|happens) because|pre-?existing|back(?:wards?)? compat\w*|unrelated to|"
         r"nothing to do with|root cause|cause:|finding:", r"let me|i(?:['’]ll| need to| will) check|if the",
         role=AGENT),
    _cue("en.agent-cause", "statement", 7,
         r"because|which means|that means|only (?:restores|handles|works)|falls? back|is shared|"
         r"was (?:misleading|wrong)|due to|the (?:failure|error) (?:is|was)|"
         r"(?:reads?|treat(?:s|ed)|interpreted|parsed) as|conflicts? (?:with|in)",
         r"let me|i(?:['’]ll| need to) check", role=AGENT),
    _cue("en.agent-rule", "constraint", 8,
         r"must(?: not)?|mustn['’]t|only works|(?:needs|has) to stay|should(?: not|n['’]t)|won['’]t work|"
         r"(?:is|are) required|not allowed|off limits|by design|deliberately|on purpose|intentional(?:ly)?|opt-in|"
         r"non-negotiable|"
         + _CLAUSE_START + r"(?:do not|don['’]t|never)",
         r"i must|must (?:be|have been)|i don['’]t|shouldn['’]t be (?:affected|a problem)", role=AGENT),
    _cue("en.agent-decided", "decision", 8,
         r"i(?:['’]ve| have)? (?:chose|chosen|decided|replaced|switched|kept|went with|reverted|moved|picked|"
         r"dropped)|decided (?:to|against)|chose to|settled on|going with|(?:i['’]d|i would|i) recommend|"
         r"recommendation:|decision:", r"if (?:i|we)", role=AGENT),
    _cue("en.agent-finding", "statement", 6,
         r"(?:does|do|is|are|was|were|did)(?: not|n['’]t)|can(?:not|['’]t)|no longer|instead of|"
         r"(?:is|are|was|were) (?:already|missing|stale|broken)|silently|depends? on|relies on|hard-?coded",
         r"let me", "name", AGENT),
    _cue("zh.hard-rule", "constraint", 10,
         r"硬性|死规定|底线是|[无無]论如何|任何情[况況]下|[没沒]有例外|绝不|絕不|决不|永[远遠]不|千万别|千万不要|"
         r"千萬別|切勿|严禁|嚴禁|禁止"),
    _cue("zh.do-not", "constraint", 9,
         r"不要|不能|不得|不可以|不[许許准準]|不允[许許]|[请請]?勿|[别別](?:动|改|再|用|碰|动|加|删|提交)|"
         r"(?<![特区區级級分识識类類性告个個])别(?![的人名处處])|不[动動改碰变變]|不[应應][该該]?",
         r"[总總]不[能可]|要不要|不要[了紧緊]|能不能|可不可以|不能不|不变形|[做推拉举跑拿搬走]不[动動]|"
         r"我(?:们|們)?(?:就|也|都)?不(?:能|得不)|会不会"),
    # Within a clause, 以后 is "after".
    _cue("zh.from-now-on", "constraint", 9,
         r"[从從](?:现在起|今以[后後]|此)|今[后後]|以[后後](?:都|要)|往[后後]|"
         r"(?<![^，,。；;：:！？!?\s])以[后後](?!的|可能|再[说說看]|我(?![们們])|[会會])"),
    # "Probably" before a state.
    _cue("zh.should", "constraint", 6, r"[应應][当當该該]",
         r"[应應][当當该該](?:是|就是|怎|如何|什[么麼]|哪|几|幾|不太|不[会會]|[会會]|[没沒]|已[经經]|差不多|有)|[应應][当當该該][^，。？?]{1,4}(?:多少|几|幾|什[么麼]|哪)|"
         r"(?:[发發][现現]|以[为為]|不知道)[^，。]{0,6}[应應][当當该該]"),
    _cue("zh.recurring", "constraint", 7,
         r"(?<![我们們])每(?:[天日周週月年晚早]|[个個]?(?:星期|小[时時]))[^，。；？?]{0,12}(?:生成|[发發](?:[给給送]|我)|提醒|告[诉訴]|[汇匯]报|推送|"
         r"更新|[检檢]查|[备備]份|[总總][结結])", r"我(?:们|們)?每.{0,100}|[吗嗎][。？?]*\Z"),
    _cue("zh.must", "constraint", 8,
         r"必[须須需]|一定要|[务務]必|得先|要求是|(?<![我只想不需必主重么麼])要(?:使用|[遵按]|保存|存[储儲放]|符合)|需要遵[循守]|"
         r"(?<![我你您们們还還不])[记記]得(?![吗嗎昨上之那])|[记記]住(?!了)|只能|[仅僅]限|只(?:允[许許]|在|用|准)|只有在|[仅僅]在|只[读讀]|"
         r"只[^，。；]{0,4}[一两兩二三]次|只有.{1,40}才(?!发现|知道|明白)|每.{1,6}都[要得必]|"
         r"等.{1,12}(?:[后後]|了|好).{0,8}再(?![说說])|(?<![想不需主重么麼])[要得][^，。；]{2,20}才[行可](?!以[吗嗎])",
         r"只有.{1,40}才[会會]|.{0,200}奇怪|不必[须須]|是否必|还是必[须須]|我(?:们|們)?(?:就|也)?只|不是让你只"),
    _cue("zh.always", "constraint", 8,
         r"始[终終]|(?<=[请請要你])[总總]是|每次都|一直要|全部都要|[统統]一(?:用|使用)|固定(?:[为為]|在|用)|一律|之前必|"
         r"[先][问問]我|等我[确確][认認]|我同意[后後]", r"为什么总是|总是(?:失败|报错)"),
    _cue("zh.bound", "constraint", 8,
         r"不(?:能|得)?超[过過]|[至最][多少]|不[少低高][于於]|以[内內]|之[内內]|"
         r"(?<=[\d%个個天元秒分条條行字倍])以[下上]|上限|下限|之前|[为為]止", r"之前[跟和给給对對我你说說的已有]",
         "number"),
    _cue("zh.keep", "constraint", 6,
         r"保持|保留|[维維]持|除了.{1,30}[，,都]|除外|例外|除非|先[^，。；]{2,20}[，,]?再(?![说說])",
         r"(?:保持|[维維]持)[^，。]{0,8}(?:[难難]|不了|不住)"),
    _cue("zh.prefer", "preference", 9,
         r"[优優]先用|我(?:更)?喜[欢歡]|我[习習][惯慣](?!性)|我(?:不喜|偏好|[讨討])|"
         r"(?:用|要[说說讲講])(?:中文|英文|英语|日语|繁[体體]中文)(?:回答)?|[简簡][短洁潔]|[说說]得[简簡]短|"
         r"尽(?:量|可能)|[你您]?不用(?:[你您])?(?:告[诉訴]|解[释釋]|[说說]明|提醒)|[问問]你(?:的[时時]候)?再[说說]"),
    _cue("zh.correction", "preference", 8,
         r"我[说說](?:[过過]|了)|又[来來]了|跟你[说說][过過]|再[说說]一遍|不是我要的|下次"),
    _cue("zh.decided", "decision", 8,
         r"[决決]定|就用|[选選](?:择|擇|用)?|[采採]用|[换換]成|改[为為用成]|定[为為了]|[说說]好了|而不是|而非|"
         r"不考[虑慮]"),
    _cue("zh.fact", "value", 7,
         r"端口|埠|路[径徑]|地址|目[录錄]|版本[号號]|截止|上[线線][时時][间間]|位于|部署在|[设設](?:为|為|成)", "",
         "number|name"),
    _cue("zh.agent-root", "statement", 8, r"根?本?原因|[问問][题題](?:在于|是|出在)|由于|[导導]致|造成", r"让我|我来",
         role=AGENT),
    _cue("zh.agent-rule", "constraint", 6, r"必[须須]|不得|只能|故意|[设設][计計]如此", r"我必", role=AGENT),
    _cue("zh.agent-decided", "decision", 8, r"我(?:们|們)?(?:[选選]|[决決]定|[采採]用|改用)|[建][议議]|推[荐薦]",
         role=AGENT),
)  # fmt: skip

#: Words before the verb of a request.
_FILLER = (
    r"(?:\W|\b(?:ok(?:ay)?|yes|yeah|yep|no|cool|great|good|nice|perfect|thanks|thank you|hmm?|oh|ah|well|so|"
    r"and|but|then|now|also|please|pls|next|first|finally|"
    r"again|just|maybe|actually|al ?right|right|sure|otherwise|instead|by the way|btw|for now|still|claude|hey|"
    r"let(?:['’]?s)?|"
    r"we|i (?:think|guess|suppose)|can you|could you|would you|"
    r"i(?:['’]d| would)? (?:want|need|like)(?: you)? to|you (?:need|have) to|we (?:need|have) to|go ahead and|"
    r"when you['’]re done|after that)\b[\s,.:;!-]*){0,6}"
)
_VERBS = (
    "add|adjust|adapt|align|append|apply|ask|bring|build|bump|call|change|clean|close|combine|compare|"
    "configure|convert|copy|correct|create|cut|debug|define|delete|describe|"
    "design|disable|document|drop|edit|enable|ensure|expand|explain|export|extend|extract|fill|fix|format|"
    "generate|get|give|go|group|handle|harden|hide|implement|import|improve|"
    "include|increase|insert|install|integrate|introduce|investigate|keep|limit|link|list|load|log|lower|mark|"
    "make|merge|migrate|mock|mount|move|name|normalize|offer|open|optimi[sz]e|"
    "order|pass|place|plan|polish|port|prepare|print|put|raise|reduce|refactor|remove|rename|render|reorder|"
    "replace|report|reset|resolve|restore|retry|return|reuse|review|rewrite|"
    "roll|round|run|save|schedule|send|separate|set|ship|show|simplify|skip|sort|split|start|stop|store|"
    "summari[sz]e|support|swap|switch|take|test|tidy|track|translate|try|tune|turn|"
    "undo|update|upgrade|use|validate|verify|wire|wrap|write|tell|treat|rotate|retire|delay|leave"
)
#: The start of a request, after filler words.
ASKS = late_pattern(
    rf"{_FILLER}(?:{_VERBS})\b(?!\s+(?:is|are|was|were|has|had|says|said|fails?|failed|returns?|"
    rf"works?|cases?)\b)|{_FILLER}i(?:['’]d| would)? (?:want|need|like) to (?!(?:know|see|understand|say|ask)\b)\w|"
    rf"{_FILLER}let['’]?s (?!(?:say|see|hope|assume)\b)\w|"
    r"请|請|[帮幫]我|麻[烦煩]|把",
    re.I,
)
_TASKS = late_pattern(_TASK, re.I)
#: The start of a request that is over once it is done.
ERRANDS = late_pattern(
    rf"{_FILLER}(?:check|continue|proceed|go (?:ahead|on)|re-?run|run|retry|resume|restart|start|commit|push|"
    rf"pull|fetch|re-?read|(?:(?:have|take) a )?look|open|list|scan|search|find|explore|"
    r"analy[sz]e|inspect|investigate|summari[sz]e|keep going|carry on|try(?: again)?|wait|deploy|rebuild|"
    r"do it(?! without)|"
    r"merge)\b|看一下|看看|[检檢]查一下|[跑运運]行?一下|提交|推送|打[开開]|重[启啟]",
    re.I,
)
#: Answers without content.
NODS = late_pattern(
    r"(?:\W|\b(?:yes|no|ok(?:ay)?|yep|yeah|nope|sure|thanks?|thank you|thx|great|cool|nice|perfect|good|fine|"
    r"done|go(?: (?:ahead|on))?|continue|proceed|please|next|push(?: it)?|commit(?: it)?|"
    r"do (?:it|that)|sounds good|looks good|lgtm|hi|hello|hey|again|correct|exactly|right|agreed|got it|"
    r"understood|i see|wow|awesome|excellent|alright|and|resume|retry|try again|"
    r"run it|stop|wait|same|hmm+|oh|so|all good|why|what|weiter|bitte|danke|gracias|sigue|merci|obrigado|"
    r"continua|spasibo)\b|继续|繼續|好的?|可以|是的?|[对對]|嗯|行|[没沒][问問][题題]|[谢謝]{2}|[请請]|下一步|吧|了)*",
    re.I,
)
#: A task that must leave something out: "do it without sudo".
_WITHOUT = late_pattern(rf"{_FILLER}(?:{_VERBS}|do)\b[^.;:?!\n]{{1,200}}? without \w", re.I)
#: A wish without a verb: "everything in French, please".
_WISHES = late_pattern(
    r"\W*(?:[^\W\d_][\w'’-]* ){1,4}?(?:in|as|with) [^,;:?!\n]{1,60},? (?:please|pls)\W*", re.I
)
#: A text that only agrees or refuses.
_AGREES = late_pattern(
    r"(?:\W|\b(?:yes|yep|yeah|sure|ok(?:ay)?|please|do (?:it|that|so)|go(?: ahead| for it)?|proceed|sounds good|"
    r"agreed|correct|exactly|right|no|nope|not now|then|now|(?:that )?works|acceptable|confirm(?:ed)?|"
    r"(?:with )?(?:the |your )?recommend(?:ed|ations?))\b|好的?|可以|是的?|不用|不要|行|[对對])+", re.I,
)  # fmt: skip
#: A question that only asks whether all is well or whether to go on.
APPROVALS = late_pattern(
    r"look(?:s)? (?:right|good|correct|ok(?:ay)?)|makes? sense|sounds? (?:good|right)|"
    r"(?:shall|should|may|can) i (?:continue|proceed|go)|ready (?:to|for)|want me to (?:continue|proceed|go ahead)|"
    r"happy with|any (?:questions|changes)|anything else|可以[吗嗎]|[继繼][续續][吗嗎]|[对對][吗嗎]", re.I,
)  # fmt: skip
#: The end of a question.
_QUESTION = late_pattern(r"(?:[?？]|[吗嗎][.。!！~]*)[\s\"')*_]*$")
#: The start of a question that may lack its mark.
_INQUIRES = late_pattern(
    r"\W*(?:[那你他它又]|[刚剛][才刚剛]|[现現]在)*为什[么麼]|\W*(?:(?:and|but|so|ok(?:ay)?|also|then|now|hmm+|well)\b\W*){0,3}"
    r"(?:(?:why|how|what|where|who|which|when)(?:['’]?s| (?:is|are|was|were|do|does|did|can|could|would|should|come))|"
    r"what about|should (?:we|it be)|(?:is|are) there|(?:does|did) (?:it|this|that|the)|"
    r"(?:do|did|are|were) (?:you|we|they)|do i|is (?:it|this|that))\b"
    r"(?!\s+(?:we|i|it) (?:must|need|should|never|always)\b)",
    re.I,
)
#: The start of a polite request.
_ASKS_POLITELY = late_pattern(
    r"\W*(?:[^,.?!\n]{1,30}, ){0,2}(?:(?:and|but|so|ok(?:ay)?|please|then|also|from now on|next time|"
    r"in (?:the )?future|going forward)\b,? ){0,3}(?:(?:can|could|would|will|shall) (?:you|we)|should you)\b|"
    r"[能可][不否]|麻[烦煩]",
    re.I,
)
#: The start of a request for information.
_ASKS_FOR_INFORMATION = late_pattern(
    rf"{_FILLER}(?:why|how|what|what['’]s|where|who|which|when|is|are|was|do|does|did|have|has|explain|"
    rf"describe|show me|tell me|give me|remind me)\b|[为為]什[么麼]|怎[么麼]|什[么麼]",
    re.I,
)
#: A quoted label of a screen: an "Always allow" button.
_UI_LABEL = late_pattern(
    r"[\"“'‘][^\"“”'‘’\n]{1,40}[\"”'’] (?:option|button|dialog|popup|menu|label|checkbox|toggle|tab|link)s?\b",
    re.I,
)
_KANA = late_pattern("[\u3041-\u30fa]")
_WHETHER = late_pattern(r"\bwhether\b(?! to\b)|\b(?:check|see|know|wonder|decide) if\b|是否", re.IGNORECASE)
#: A question within a sentence, up to the end of the searched text.
_ASKED = late_pattern(r"\w (?:what|how|where|why)\b[^,;:.?!\n]{0,60}\Z", re.IGNORECASE)
#: The start of a sentence of the agent that announces an act or thinks aloud.
NARRATES = late_pattern(
    r"\W*(?:(?:now|next|then|first|ok(?:ay)?|alright|good|great|perfect|excellent|actually|wait|"
    r"hmm)\b[\s,.!—–:-]*)*(?:let me|let['’]s|i['’]ll|i will|i['’]m (?:going|now)|i (?:need|want|should|can) |"
    r"now (?:i|let|to)|(?:good|great|perfect|excellent|done)[,.! ]|[让讓]我|我[来來将會会]|接下[来來]|[现現]在)", re.I,
)  # fmt: skip
#: Words before the verb of a rule.
_LEAD = (
    r"^\W*(?:(?:please|pls|and|but|so|also|then|ok(?:ay)?|now|remember|note|important|you|we|rule)\b"
    r"[\s,:]*(?:to )?){0,4}"
)
_LASTING_WORDS = (
    r"from (?:now|here|today) on|going forward|in (?:the )?future|next time|(?:any|every|each) ?time|whenever"
)
#: The wording of a lasting rule: "always ...", "do not ... until I say so".
LASTING = late_pattern(
    rf"{_LEAD}(?:(?:must|should|need to|have to|can|may|will) )?(?:never|always|{_LASTING_WORDS})\b|"
    rf"{_LEAD}(?:do not|don['’]?t|must|mustn['’]?t|no|avoid|only|ask|wait|stop|keep|make sure)\b.{{0,160}}"
    rf"\b(?:unless|until|without (?:asking|my|our|approval|permission)|anymore|ever|again|at all times|in (?:all|any|"
    rf"every) cases?|no (?:exceptions?|matter what)|{_LASTING_WORDS})\b|"
    r"(?:^|[，,。；;：:])\W*(?:所以|以及|另外|[还還]有|[请請]|你|我|要)*(?:以[后後]|今[后後]|往[后後]|下次|每次|一律|永[远遠]|"
    r"任何[时時]候|"
    r"[从從](?:现在起|此)|禁止|[严嚴]禁|千万|千萬|[绝絕决]不|[记記]住|要求是|除非)",
    re.I,
)
#: Statements that do not last: a step of a plan, and a request to write a rule into a file.
PASSING = late_pattern(
    r"^\W*(?:step|phase) \d|^\W*第[一二三四五六七八九十\d]{1,3}[步阶]|"
    r"\b(?:update|add|save|write|record|put|note|store)\b.{0,40}\b(?:context|memory|memories|rules?|notes?|docs|"
    r"documentation|instructions|(?:claude|agents|memory|soul)\.md|skills?)\b",
    re.I,
)
#: Marks of a guess.
HEDGES = late_pattern(
    r"\b(?:might|may be|perhaps|maybe|probably|likely|seems?|appears?|i think|possibly|suspect|could be|presumably|"
    r"i guess|hypothesi[sz]\w+|theory)\b|可能|也[许許]|大概|似乎|估[计計]|好像",
    re.I,
)
#: Marks of a hope, an estimate or a plan.
HOPES = late_pattern(
    r"\b(?:expect|estimate[ds]?|hope|should be|roughly|about to|would)\b|[预預][计計期]", re.I
)

#: Phrases that replace content in a summary.
ELISIONS = late_pattern(
    r"\b(?:detailed|full (?:plan|text|content|list|output)|plan with|list of|"
    r"(?:text|contents?|output|log|rest|summary|screenshot) of|omitted|truncated|abbreviated|remaining|continues|"
    r"long message|pasted|several|various|same as above|as above|"
    r"(?:previous|earlier|prior) [\w ]{2,30} (?:preserved|retained|kept|unchanged|remains?|appl(?:y|ies)))\b|"
    r"省略|[详詳][细細]|其[余餘]|完整[内內]容|全文", re.I,
)  # fmt: skip
#: A reference to numbered or lettered items ("skip 2 and 3", "option B").
REFERENCES = late_pattern(
    r"(?<![\w-])(?:skip|fix|only|do|items?|points?|options?|numbers?|steps?|proposal|direction|variant|phase|"
    r"take|choose|pick|go with|drop|keep|[跳过選选项方案第]{1,2})\s*"
    r"(?P<labels>(?:\d{1,2}|[A-H])(?:\s*(?:,|and|&|和|、|or|to|-)\s*(?:\d{1,2}|[A-H]))*)(?![\w.%:/])"
)
#: A claim of a summary that all work is done.
CLAIMS = late_pattern(
    r"\b(?:all (?:requested|user) (?:items|tasks|changes|requests)|all tasks (?:have been |are )?completed?|"
    r"all (?:requests|items) have been|everything (?:requested|the user asked|that was asked)|"
    r"no (?:pending|outstanding) tasks|none explicitly pending|nothing (?:is )?pending)\b|全部完成|均已完成|"
    r"[没沒]有待[办辦]|[无無]待[办辦]", re.I,
)  # fmt: skip
#: Phrases of the prompt that asks the model of Claude Code for a summary.
PROMPTS = late_pattern(
    r"TEXT ONLY\. Do NOT call any tools|Tool calls will be REJECTED|\bYour task is to create a detailed summary of\b"
)
#: A message that only chooses numbered or lettered items ("do 1 and 3 please").
CHOICES = late_pattern(
    r"[^\w!！]*(?:(?:ok(?:ay)?|yes|let['’]?s|please|i['’]d|i would|i|we|the|just|好的?)\W+)*"
    r"(?:(?:do|fix|take|choose|pick|go (?:with|for)|use|option|number|approach|variant|skip|"
    r"就|[选選]|用|做|方案|第)\s*)*"
    r"(?P<labels>(?:\d{1,2}|[A-Ha-h])(?:\s*(?:,|\+|and|&|和|、)\s*(?:\d{1,2}|[A-Ha-h]))*)"
    r"\W*(?:please|too|first|then|(?:is|seems|sounds|looks) (?:fine|good|best)(?: (?:for|to) me)?|thanks|"
    r"吧|个|個|項|项)?\W*\Z", re.I,
)  # fmt: skip

_STOP = word_set(
    "the a an and or but of to in on at by for with from as is are was were be been being it its this "
    "that these those there we i you they he she our your my their me us them will would can could "
    "shall should may might do does did done not no so if then than too very just also now have has "
    "had having all any some each per about into onto over under up down out off only never always "
    "must please rule more most least less here what which who when while because since until whole "
    "same other again such both get got gets let lets like doesn't don't isn't aren't wasn't weren't "
    "didn't can't cannot won't couldn't wouldn't shouldn't hasn't haven't hadn't i'm i've i'll i'd "
    "we're we've we'll we'd you're you've you'll you'd they're let's didnt doesnt isnt wasnt havent "
    "dont cant every everything anything nothing something though although however yet still even "
    "ever how why where whenever between before after during without within pls ok okay need needs "
    "want wants going go goes user one once der die das und oder ein eine einen einem einer ist sind "
    "im den dem des für mit auf zu zum zur von bei als auch wir ich sie el los las una unos del con "
    "por para que se es son al lo su les des du au aux une et est sont que qui pour dans sur par pas "
    "ne nous vous il elle on ce um uma os as do da dos das no na com por para que se é são и в не на "
    "с по для из к о это что как мы я"
) | frozenset("的了在是和与就都也把被我你他请要到为每一个吧就用这那")

#: Irregular and short forms: the word, then its forms.
_IRREGULAR = """
run: ran, write: wrote written, overwrite: overwrote overwritten, keep: kept, choose: chose chosen choice,
build: built, send: sent, make: made, take: took taken, give: gave given, leave: left, hold: held,
find: found, begin: began begun start, see: saw seen, tell: told, buy: bought, pay: paid payment payments,
lose: lost loss, freeze: froze frozen, speak: spoke spoken, break: broke broken, hide: hid hidden,
show: shown, know: knew known, think: thought, bring: brought, document: docs doc,
config: configuration configure configured cfg, repo: repository repositories,
database: db dbs, directory: dir dirs folder folders, environment: env envs, production: prod live,
development: dev, dependency: dep deps, application: app apps, authentication: auth,
parameter: param params argument arguments arg args, maximum: max, minimum: min, administrator: admin admins,
information: info, specification: spec specs, library: lib libs, message: msg msgs, number: num,
german: deutsch, postgres: postgresql, kubernetes: k8s, javascript: js, typescript: ts, python: py,
analysis: analyses analyze analyse, colour: color colors, behaviour: behavior,
reduce: reduction reductions, convert: conversion conversions, submit: submission submissions, explain: explanation
explanations, compare: comparison comparisons, describe: description descriptions, retain: retention, suspend:
suspension, expand: expansion, grow: growth, ship: shipment shipments, publish: publication,
sign: signature signatures, weigh: weight weights, multiply: multiplication, repeat: repetition,
decide: decision decisions, use: usage, include: incl,
licence: license licenses licensed, organise: organize, optimise: optimize
"""
_FORMS: Mapping[str, str] = {
    form: word
    for word, forms in (entry.split(": ") for entry in _IRREGULAR.replace("\n", " ").strip().split(", "))
    for form in forms.split()
}


def is_past(word: str) -> bool:
    """Return whether an English word may be the past of a verb: "pushed", "sent"."""
    return word.lower().endswith("ed") or word.lower() in _FORMS


def _stem(word: str) -> str:
    word = _FORMS.get(word, word)
    stem = str(_snowball("russian" if "Ѐ" <= word[0] <= "ӿ" else "english").stemWord(word))
    # "Verify" and "verification" are one word.
    return stem[:-1] if stem.endswith("ifi") else stem


@lru_cache(maxsize=2)
def _snowball(language: str):  # type: ignore[no-untyped-def]
    import snowballstemmer

    return snowballstemmer.stemmer(language)


@lru_cache(maxsize=1)
def load_stemmer() -> Stemmer:
    """Return the stemmer: English for Latin letters, Russian for Cyrillic letters."""
    return Stemmer(_STOP, _stem)


#: Words with the same meaning in messages to an agent, one group on each line.
_ALIKE = """
remove delete drop erase wipe purge discard strip eliminate rid
add append insert introduce
change modify alter edit update adjust amend touch
create generate produce
fix repair resolve correct
use utilize employ adopt apply
show display present
keep retain preserve maintain stay remain leave alone untouched unchanged intact
start launch boot startup
stop halt cease abort
finish complete conclude end
ask consult confirm permission authorization consent signoff approve agreement query
tell inform notify announce notice warn headsup
send deliver dispatch transmit address
choose select pick opt decide settle
prefer rather
replace swap substitute exchange supersede
move migrate transfer relocate port
copy duplicate clone replicate
merge combine join consolidate
split divide separate
store save persist
fetch retrieve obtain pull get
publish release ship deploy rollout
revert rollback undo
check verify validate inspect review examine audit
speed performance optimise accelerate
large big huge
small little tiny
error failure fault crash bug issue problem defect
kid child children minor underage
parent guardian
customer client buyer
employee staff colleague
password credential secret
email mail
file document
setting option preference
server host machine
test spec
function method routine
income earning revenue
year annual
day daily
maximum limit cap bound
average mean
mark flag label tag
picture image photo
short brief brevity concise terse
answer reply response respond
comment remark annotation
warning prompt dialog popup alert
log journal
exclude skip omit
private confidential
old former previous legacy
run execute invoke
commit checkin push
valid unexpired
require demand mandatory
silence mute suppress
people person human
wait delay pause
buy purchase order
price cost fee
currency fx
storage tier archive
read open
forbid prohibit ban disallow
allow permit
restart reboot
advance ahead prior
write record
"""
#: Words that exclude each other, one group on each line. Another word of the same group changes a fact.
_EXCLUSIVE = """
production staging development test
关闭 开启
关闭 打开
禁用 启用
client server
first last later
above below
public private
internal external
light dark
new old
sync async
input output
source target
tab space
ascending descending
manual automatic
optional mandatory
true false
optin optout
left right
top bottom
upper lower
horizontal vertical
english german french spanish italian chinese japanese portuguese russian dutch polish korean turkish
json yaml toml xml csv
npm pnpm yarn bun
postgres mysql sqlite mariadb mongodb
monday tuesday wednesday thursday friday saturday sunday
enable disable
keep remove
add remove
older newer
increase decrease
allow forbid
include exclude
accept reject
show hide
always never
encrypted plain
required optional
morning evening
newest oldest
latest earliest
spring summer autumn winter
formal informal
known unknown
valid invalid
active inactive
visible invisible
complete incomplete
daily weekly monthly yearly hourly
two three four five six seven eight nine ten
same opposite
accept decline
"""


@lru_cache(maxsize=1)
def _concepts() -> Mapping[str, str]:
    """Return the concept of each stem that has synonyms: the first stem of its line."""
    concepts: dict[str, str] = {}
    for line in _ALIKE.strip().splitlines():
        stems = [_stem(word) for word in line.split()]
        head = concepts.get(stems[0], stems[0])
        for stem in stems:
            concepts.setdefault(stem, head)
    return concepts


@lru_cache(maxsize=1)
def _exclusive_groups() -> Sequence[frozenset[str]]:
    """Return the groups of stems that exclude each other."""
    return [frozenset(map(_stem, line.split())) for line in _EXCLUSIVE.strip().splitlines()]


def concept(stem: str) -> str:
    """Return one stem for all words with the same meaning."""
    return _concepts().get(stem, stem)


#: Minimum letters of a stem with the prefix "un".
_MIN_NEGATED = 5


@lru_cache(maxsize=10_000)
def opposites(stem: str) -> frozenset[str]:
    """Return the stems that exclude a stem, such as "staging" and "unproduct" for "product"."""
    groups = (group for group in _exclusive_groups() if stem in group)
    negated = _stem(stem[2:]) if stem.startswith("un") and len(stem) >= _MIN_NEGATED else f"un{stem}"
    return frozenset({negated}).union(*groups) - {stem}


def spelled(text: str, stem: str) -> list[str]:
    """Return the words of a text that have a stem, as they are spelled there."""
    return [word for word in re.findall(r"[^\W_]+", text) if stem in load_stemmer().stems(word)]


def is_question(text: str, marked: bool = False) -> bool:
    """Return whether a sentence only asks for information, with `marked` only if it ends with a question mark.

    A polite request ("could you ...?") does not.
    """
    asks = _QUESTION.search(text) is not None or (not marked and _INQUIRES.match(text) is not None)
    return asks and not (_ASKS_POLITELY.match(text) and not _ASKS_FOR_INFORMATION.match(text))


def plain_rule(text: str) -> tuple[str, Kind]:
    """Return the rule id and the kind of a user's sentence without a cue: an errand, a request, or information.

    A request to do something without something is a constraint.
    """
    language = "zh" if has_unspaced(text) else "en"
    if ERRANDS.match(text):
        return f"{language}.errand", "decision"
    if _WITHOUT.match(text):
        return f"{language}.without", "constraint"
    if ASKS.match(text) or _ASKS_POLITELY.match(text) or _TASKS.search(text):
        return f"{language}.request", "decision"
    if _WISHES.fullmatch(text):
        return f"{language}.wish", "preference"
    return f"{language}.told", "statement"


def agrees(text: str) -> bool:
    """Return whether a text only agrees or refuses."""
    return _AGREES.fullmatch(text) is not None


def best_cue(text: str, role: str, needed: frozenset[str]) -> tuple[Cue, tuple[int, int]] | None:
    """Return the strongest cue of a sentence with the span of its match, or None.

    `needed` has "number" and "name" if the sentence has such values.
    """
    best: tuple[Cue, tuple[int, int]] | None = None
    # Japanese shares signs with Chinese, not their meaning: 不要 is "unnecessary".
    japanese = _KANA.search(text) is not None
    labels = [label.span() for label in _UI_LABEL.finditer(text)]
    for cue in CUES:
        if japanese and cue.id.startswith("zh."):
            continue
        if cue.role != role or (best is not None and cue.strength <= best[0].strength):
            continue
        if cue.needs and needed.isdisjoint(cue.needs.split("|")):
            continue
        for match in cue.find.finditer(text):
            span = match.span()
            if any(start < span[0] and span[1] < end for start, end in labels):
                continue
            # "Consider whether it should stay" and "propose where it should go" are questions, not rules.
            if _WHETHER.search(text, 0, span[0]) or (
                cue.strength < STANDING and _ASKED.search(text, 0, span[1])
            ):
                break
            if cue.unless is None or not any(
                ordinary.start() < span[1] and span[0] < ordinary.end()
                for ordinary in cue.unless.finditer(text)
            ):
                best = cue, span
                break
    return best
