"""Read the structure of a sentence: its values, and its words with denial, clause and preposition.

comparison.py compares these structures, because words alone do not show whether a rule holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.patterns import has, late_pattern
from inspector.core.scan.words import SPACED, UNSPACED, narrow, word_set
from inspector.quality.facts.fact import Span, Value
from inspector.quality.facts.rules import concept, load_stemmer
from inspector.quality.facts.values import NUMBER_WORDS, values_of
from inspector.quality.limits import CONCISE

#: Words with little meaning. They count less in a comparison.
_SLIGHT = word_set(
    "use make do set put take go come thing work way want need keep get let time new case part kind "
    "lot bit just also currently project code file user good around say tell know figure anyway simply "
    "sure his her him alright hey really stay remain"
)
#: Chinese pronouns, particles and joining words of one character. A pair with one of them is slight.
_CJK_SLIGHT = frozenset(
    "了着過过我你您他她它们們这這那哪有在就也都還还又很太吧啊呢吗嗎么麼嘛呀哦而且和与與或但所以给給跟个個些一"
)
#: Weights of a slight word, and of any other word, in the overlap of two sentences.
_LITTLE, _FULL = 0.4, 1.0

#: Matches a word that denies the words after it in its clause.
_DENIES = late_pattern(
    r"(?:not|no|zero|never|cannot|neither|nor|nothing|nobody|none|without|lack(?:s|ed|ing)?|avoid(?:s|ed|ing)?|"
    r"refrain|prevent(?:s|ed|ing)?|refus(?:e|es|ed)|untouched|\w+n['’]t|dont|doesnt|doenst|dosent|dosnt|didnt|cant|"
    r"wont|isnt|arent|wasnt|shouldnt|mustnt|couldnt|wouldnt|hasnt|havent|neednt|nicht|kein|keine|keinen|keiner|"
    r"keinem|keines|nie|niemals|ohne|weder|nunca|jamás|sin|ni|nada|ningún|ninguna|ninguno|tampoco|ne|pas|jamais|"
    r"sans|aucun|aucune|não|nem|sem|nenhum|nenhuma|не|нельзя|никогда|без|ни|нет|geen|niet|nooit|zonder|non|mai|"
    r"senza|jangan|tidak|tanpa)\Z",
    re.IGNORECASE,
)
#: Matches an answer at the start of a text: "No, use X" does not deny X.
_ANSWERS_NO = re.compile(r"^\W*no,", re.I)
#: Matches a denial in Chinese, Japanese or Korean.
_CJK_DENIES = late_pattern(
    r"不(?![同错錯仅僅断斷久足过過只如论論管到少止但变變])|别|別|勿|禁止|[没沒]有?|[无無]|未|排除|ない|ません|"
    r"ず(?=[、。])|なく|禁|않|지 ?마|없|안 "
)
#: Matches words of a Chinese sentence that only link or bind, as "must", "not" and "is" do in English.
_CJK_SMALL = late_pattern(
    r"必[须須需]|需要|应[该当]|應[該當]|不(?:要|能|得|可以?|[许許准])|[严嚴]?禁止?|切勿|[请請]|[务務]必|一定要?|[绝絕][对對]|"
    r"可以|用[户戶](?:[明指]确?(?:要求|出|说)|要求|希望)?|已[经經]?|[把被]|的(?!确)|了(?!解)|是(?!否)|[为為]\Z"
)
#: Verbs of refusal, which deny the words before them in their clause.
_REFUSED = (
    r"(?:(?:forbidden|prohibited|banned|disallowed)(?! to\b)|excluded|unnecessary|unwanted|off[- ]limits|out of scope|"
    r"rejected|discarded|ruled out|dropped|absent|missing)"
)
#: Words that deny the words after them if "to" is next.
_FORBIDDEN = frozenset({"forbidden", "prohibited", "banned", "disallowed"})
#: Words that deny an act if its verb is next: "stop adding".
_ENDS = frozenset({"stop", "stops", "stopped", "quit"})
_DOING = late_pattern(r"\s+\w{2,}ing\b")
#: Words that deny the words before them if "not" is before. "Not allowed to" denies the words after it.
_UNWANTED = r"(?:an option|(?:allowed|permitted)(?! to\b)|wanted|supported)"
_DENIED_AFTER = late_pattern(
    rf"\b(?:(?:is|are|be|was|were|been|stays?|remains?)\s+(?:strictly |absolutely )?(?:{_REFUSED}|not {_UNWANTED})|"
    rf"{_REFUSED}(?=\s*(?:[,;:.)!]|\Z|by\b|for\b|in\b))|"
    rf"not {_UNWANTED}|(?<=\w)-free|verboten|ausgeschlossen|prohibid[oa]s?|"
    r"descartad[oa]s?|interdit[es]*|exclu[es]*|запрещен[оаы]?|entfällt)\b|已?排除|禁止|不行", re.IGNORECASE,
)  # fmt: skip
#: Matches the words before a rejected choice.
_CONTRAST = late_pattern(
    r"\b(?:instead of|rather than|in place of|statt|anstatt|anstelle|en lugar de|en vez de|au lieu de|plutôt que|"
    r"em vez de|вместо|over(?= [A-Z])|against(?= \w+ing\b)|decided against|forbade)\b|而不是|而非|代替",
    re.IGNORECASE,
)
#: Matches "prefer ... over" and "rather ... than", which deny the words after them.
_PREFERS = late_pattern(r"\b(?:prefer\w*|rather)\b[^.,;:!?\n]{1,80}?\b(over|than)\b", re.IGNORECASE)
#: Matches the end of a clause.
BREAK = late_pattern(r"[,;!?(){}\[\]，。；：、（）！？]|:(?!\d)|\.(?=\s|\Z)|\s[—–-]+\s|\s/\s")
#: Words that join two clauses or two things.
JOINS = word_set("and but or while whereas yet however und aber oder y pero o et mais ou e mas и но а")
#: Joining words that end a denial.
_ENDS_DENIAL = word_set("but while whereas yet however pero aber mais mas но")
#: The prepositions, each with its tag: the same for prepositions with the same meaning.
TAGS = {
    "from": "from", "to": "to", "into": "to", "onto": "to", "before": "before", "until": "before", "till": "before",
    "ahead": "before",
    "prior": "before", "after": "after", "following": "after", "above": "above", "over": "above", "below": "below",
    "under": "below", "with": "with", "without": "without",
    "inside": "inside", "outside": "outside", "except": "except", "by": "by", "than": "than", "only": "only",
}  # fmt: skip
#: Prepositions that are content words too.
_MEANINGFUL_TAGS = frozenset({"following", "ahead", "prior"})
#: Words that keep the preposition before them: "to the server".
_DETERMINERS = word_set("the a an our their his her your my each every all any")
#: Prepositions with opposite directions.
_OPPOSED = {("from", "to"), ("before", "after"), ("above", "below"), ("inside", "outside")}

_TOKEN = late_pattern(
    rf"(?P<word>[A-Za-z](?:#|\+\+)(?![\w#+])|[{SPACED}][{SPACED}0-9_'’]*(?:-[{SPACED}0-9_'’]+)*)|"
    rf"(?P<cjk>[{UNSPACED}]+)|(?P<number>\d+)"
)
#: Matches the text before "on" or "off" as a state: "is off", "default to on". Else they do not count.
_STATE = late_pattern(
    r"\b(?:be|is|are|was|stays?|remains?|to|default(?:s|ed)?|turn(?:s|ed)?|switch(?:es|ed)?|"
    r"set|keep|kept|,|:)\s+(?=(?:on|off)\b(?!\s+(?:(?:the|a|our|it|them|this|that|\w+day)\b|(?-i:[A-Z]))))|\b(?=(?:on|"
    r"off) (?:in|by default|for)\b)|"
    r"\b(?:turn|switch|leav|keep|kept|left|put|flip)\w*\b[^.,;:!?\n]{0,40}?\s(?=(?:on|off)\s*(?:[.,;:!?)]|\Z|"
    r"(?:again|until|unless|when|if|while|once|and|or)\b))",
    re.IGNORECASE,
)
#: The stems of these states.
_STATES = {"on": "enabl", "off": "disabl"}
#: Matches text after a preposition. At the end of a clause it is an adverb.
_GOES_ON = late_pattern(r"\s+[\w\"'`(*/.~]")
#: Matches an adverb in capitals, which is not a name.
_STRESSED = late_pattern(r"[A-Z]{3,20}LY")
#: Matches the place between two words of a name in code: "outputType".
_HUMP = late_pattern(r"(?<=[a-z0-9]{2})(?=[A-Z])")

#: Matches a binding sentence: something must be, must not be, or always is.
BINDS = late_pattern(
    r"\b(?:must(?:n['’]t)?|have to|has to|needs?|required?|requires|mandatory|obligatory|compulsory|shall|always|"
    r"never|do not|don['’]?t|does not|not allowed|forbidden|prohibited|banned|off[- ]limits|only|may not|can ?not|"
    r"can['’]t|cannot|should(?: not|n['’]t)?|no (?!longer)\w+|at (?:most|least)|max(?:imum)?|min(?:imum)?|under no|"
    r"in no case|keep|leave|avoid|ensure|make sure|without|every|each|(?:is|are) to be|(?:is|are) (?:not )?to|"
    r"exclusively|stays?|remains?|unchanged|untouched|intact|read-only|rule|constraint|policy|limit(?:ed)?|frozen|"
    r"forbid\w*)\b|必[须須需]|不要|不能|不得|禁止|只能|一定|[务務]必|始[终終]|一律|不[许許准]", re.IGNORECASE,
)  # fmt: skip
_ENFORCED = late_pattern(
    r"\b(?:must|have to|has to|required|requires|mandatory|shall|always|never|forbidden|do not|don['’]?t|"
    r"needs?|every|each|all|only|before|unless|until|whenever|at (?:most|least))\b|必[须須]|始[终終]|每|禁止|"
    r"不[得要]", re.IGNORECASE,
)  # fmt: skip
_STANDING = late_pattern(
    r"\b(?:must|have to|has to|required|requires|requirement|mandatory|shall|should|always|never|forbidden|"
    r"not allowed|do not|don['’]?t|needs? (?:to|a|an)|every|each|any|whenever|rule)\b|必[须須]|始[终終]|每|禁止|"
    r"不[得要]", re.IGNORECASE,
)  # fmt: skip
#: Matches a sentence that only allows or suggests.
SOFT = late_pattern(
    r"\b(?:could|might|may(?! (?:not|only|be used only)|[^;\n]{0,60}\b(?:at most|no more|up to|only)\b)|"
    r"(?:you|we|they) can(?! (?:see|find|tell)\b)|maybe|perhaps|possibly|optional(?:ly)?|nice[- ]to[- ]have|"
    r"ideally|(?:if|where|when|wherever|whenever) (?:possible|feasible|convenient|practical|time allows)|"
    r"consider(?:ed|ing)?|suggest(?:ed|s|ion)?|recommended|recommendation|preferabl[ey]|prefer(?:red|s|ence)?|"
    r"try to|tr(?:y|ies) (?:not )?to|would be (?:nice|good)|can be|is welcome|are welcome|allowed|permitted|"
    r"would (?:like|love)|wants? to try|plans? to|hop(?:es?|ing) to|low(?:er)? priority|not urgent|some ?day|"
    r"(?:an?|one) (?:possible )?(?:option|possibility)|(?:[’']d|would) rather|best[- ]effort|encouraged|"
    r"appreciated|desirable|desired|helpful|worth|candidates?|evaluat(?:e|ing)|look into|investigate|as far as|"
    r"interested in|leans? towards?|if (?:needed|necessary|time)|at some point|at (?:our|your) discretion|"
    r"up to (?:you|the)|not (?:strictly )?(?:required|necessary|mandatory)|it is fine|some (?:day|point)|"
    r"eventually|usually|normally|generally|mostly|often|sometimes|in general|when in doubt|"
    r"aim(?:s|ing)? (?:to|for)|should ideally|discussed|under discussion|proposed|idea|wish|think about|"
    r"open question|tbd|to be decided|not decided|undecided)\b|可以考[虑慮]|可能|可[选選]|建[议議]|尽量|[尽儘]可能|"
    r"最好|也[许許]|或[许許]|[讨討][论論]中|考[虑慮]中", re.IGNORECASE,
)  # fmt: skip
#: Matches a permission that is denied: "no messages may be sent".
FORBIDS = late_pattern(
    r"\b(?:no|none|neither|never|nothing|nobody|only)\b[^.;,\n]{0,60}\b(?:may|can be|allowed|permitted)\b",
    re.IGNORECASE,
)
#: Matches a report of an event.
EVENT = late_pattern(
    r"\b(?:was|were|has been|have been|had|has \w+ed|have \w+ed|did|just|already|done|ran|went|asked|told|"
    r"showed?n?|checked|verified|added|created|updated|fixed|documented|reviewed|tested|confirmed|formatted|"
    r"(?<!is )(?<!are )(?<!be )\w{3,}(?:ied|[^e]ed) (?:in|on|to|by|with|before|after|the|once|for|at|from)\b|"
    r"last time|(?<!is )(?<!are )(?<!be )(?:got|gave|sent|wrote|received)|yesterday|today|this time|once)\b|"
    r"[^\W\d_]了|已经|已經|した|しました", re.IGNORECASE,
)  # fmt: skip
#: Matches a sentence that begins with a finished act ("Merged PR 12 after review") and states nothing else.
DONE = late_pattern(
    r"\W*(?!(?:need|feed|embed|exceed|speed)\b)\w{3,}ed\b(?! (?:by|only|and|or)\b)"
    r"(?!.*\b(?:is|are|be|may|can|will|stays?|remains?|only|unless|until)\b)",
    re.IGNORECASE | re.DOTALL,
)
#: Matches a report of an act of the agent.
AGENT_DID = late_pattern(
    r"\b(?:I|we|the (?:agent|assistant|model))(?:['’]ve| have| has| had)? (?:\w{2,12}ly |always )?"
    r"(?:(?!\w*(?:need|feed|ceed|speed)\b)\w{2,}ed|wrote|written|kept|made|did|done|ran|put|sent|gave|went|took|chose|built|set|got)\b",
    re.IGNORECASE,
)
UNIVERSAL = late_pattern(
    r"\b(?:all|every|each|any|always|everything|everywhere|everyone|never|no|none|whole|entire|both|siempre|todos?|"
    r"todas?|cada|immer|alle|jede[rsn]?|toujours|tous|toutes|chaque|sempre)\b|所有|每|全部|一律|任何",
    re.IGNORECASE,
)
NARROW = late_pattern(
    r"\b(?:this|that|these|those|one|some|several|(?<!at )most|first|certain|a few|only the|just the|parts? of|new|"
    r"current|main|selected|single|specific|today['’]s|the (?:last|latest|current|new|public|main|first|old)|"
    r"for now|at first|initially|temporar(?:y|ily)|until|when possible|in this|for this|during this)\b|"
    r"[这這][个個次]|部分|有些|一些", re.IGNORECASE,
)  # fmt: skip
#: Matches all things of a kind, up to the verb: "none of the compiler passes may".
QUANTIFIED = late_pattern(
    r"\b(?:all|every|each|any|none|no)\s+(?:of\s+)?(?P<things>(?:[\w'’-]+\s+){1,4}?)"
    r"(?=(?:may|must|should|shall|can|will|is|are|has|have|needs?|gets?|goes?|stays?|remains?)\b)",
    re.IGNORECASE,
)
#: Matches a sentence about a single day, week or release.
ONE_TIME = late_pattern(
    r"\b(?:this|next|coming|upcoming|last) (?:\w+day|week|weekend|month|year|quarter|sprint|release|time|round|run)\b"
    r"|\b(?:today|tonight|tomorrow)\b|[这這本下][个個]?[周週月次]|今天|明天",
    re.IGNORECASE,
)
#: Matches a part: "of the login page".
PART = late_pattern(r"\b(?:of|in|on|for|within) (?:the|this|that) (?P<what>\w+)", re.IGNORECASE)
#: Matches a fact that states an order.
ORDERED = late_pattern(r"\b(?:before|without|unless|until)\b|之前|先", re.IGNORECASE)
#: Matches a passage that may state the same order in other words.
ORDERED_THERE = late_pattern(
    r"\b(?:before|prior|ahead|until|unless|without|first|requires?|required|needs?|must|after|once|only|beforehand|"
    r"by|when|no|not|pending|awaiting|waits?|forbidden|off[- ]limits)\b|之前|先|[须須]", re.IGNORECASE,
)  # fmt: skip
#: Matches words about open work: "not yet" denies nothing.
YET = late_pattern(
    r"\b(?:yet|still|so far|pending|todo|to be done|open|remaining)\b|[还還]|尚未", re.IGNORECASE
)
ONLY = late_pattern(
    r"\b(?:only|solely|exclusively|just(?= (?:the|an?|one|this|that|these|those|for|in|on|at|to|\d))|nothing but|"
    r"no other|limited to|restricted to|nur|solo|sólo|solamente|uniquement|seulement|apenas|somente|только)\b|只|"
    r"[仅僅]",
    re.IGNORECASE,
)
_RESTRICTS = late_pattern(
    rf"{ONLY.pattern}|\b(?:must|requires?|required|needs?|unless|without|not|no|never|"
    rf"off[- ]limits|forbidden|reserved|alone|else|except|\w+n['’]t)\b",
    re.IGNORECASE,
)
_LIST_WORD = r"[\w'’-]{2,30}"
_LIST_ITEM = rf"{_LIST_WORD}(?: {_LIST_WORD})?"
#: Matches a list of things.
_LIST = late_pattern(
    rf"(?<![\w'’-]){_LIST_ITEM}(?:, {_LIST_ITEM}){{1,8}},? (?:and|or|nor|&|und|oder|y|et|ou|e) "
    rf"(?:(?:the|a|an|our) )?[\w'’-]{{2,30}}|"
    rf"(?<=\bneither )(?:the )?{_LIST_ITEM}(?:,? nor (?:the )?[\w'’-]{{2,30}}){{1,8}}|"
    rf"(?<=\bboth )(?:on |in |for )?(?:the )?{_LIST_ITEM} and (?:the )?[\w'’-]{{2,30}}|"
    rf"(?<=\bthe ){_LIST_ITEM} and the {_LIST_ITEM}|"
    rf"\b(?P<place>in|on|at|for|from|to|by|with) (?:the )?{_LIST_WORD} and (?P=place) (?:the )?{_LIST_WORD}|"
    rf"\b(?P<article>(?:d|l)es|d[eiao]s?|d(?:ie|er|as|em)|l[oa]s|el|il) {_LIST_WORD} (?:und|y|et|e|i) "
    rf"(?P=article) {_LIST_WORD}",
    re.IGNORECASE,
)
_NUMERALS = frozenset(NUMBER_WORDS.values())
_LIST_MARKS = late_pattern(r",? (?:and|or|nor|&|und|oder|y|et|ou|e|i) |, ", re.IGNORECASE)
#: Matches a limit. A limit may replace a denial: "only X" for "no Y".
_LIMITS = late_pattern(
    rf"{ONLY.pattern}|\b(?:unless|until|except|other than|apart from|at most|max(?:imum)?|"
    rf"limited|restricted|reserved|alone|free (?:of|from)|unchanged|intact|protect\w*|"
    rf"guard\w*|reject\w*|as (?:is|before|it was)|instead)\b|"
    rf"保持|保留|不[变變]",
    re.IGNORECASE,
)

#: Matches the words before an exception.
_EXCEPTION = (
    r"\b(?:except(?: for)?|apart from|other than|excluding|unless|save for|but (?!do\b|don|not\b|never\b|"
    r"keep\b|leave\b|only\b|always\b|must\b|please\b)|but not|"
    r",\s+only (?=[^,.;:]{2,60}\b(?:do|does|may|can|is|are)\W*\Z)|with the exception of|salvo|excepto|außer|sauf|"
    r"exceto|кроме)\b|(?<![删刪排解清移免去废廢消扣拆卸剔])除(?:了|非|(?=[^，。；\n]{1,20}外))"
)
#: Matches a thing that a rule includes expressly: "the admin pages too", "not even at debug level".
_INCLUSION = (
    r",\s+(?=(?:(?:the|a|an|even|also|including)\b[^,.;]{2,60}|\w+ )\b(?:too|as well|included|ones too)\b)|"
    r"\b(?:including|(?:not )?even (?:for|in|on|at|with))\b"
)
#: Concepts of words that only mark an inclusion.
_INCLUDES = frozenset({"includ", "one"})
_CONDITION = (
    r"\b(?:(?:(?<=and )|(?<=but ))only (?=(?:on|in|at|for|with|after|by|during|from|within|to)\b)|until|till|if|when|"
    r"whenever|as long as|as soon as|once|in case|provided|while)\b|如果|[当當]"
)
_BECAUSE = (
    r"\b(?:because|since|otherwise|so that|in order to|due to|as (?:it|they|we|the)|or else)\b|"
    r"因[为為]|以免|否[则則]"
)
_ASIDE = (
    r"(?<=[\w)`\"'])(?:,|;|:|\s[—–-]+)\s+(?=(?:it['’]s|it is|they|we|i|he|she|that['’]s|that is|this|there|"
    r"(?:the )?last time|one of|nobody|(?:it|they|we|i|he|she)['’](?:d|ll|re)|"
    r"the \w+ (?:\w+ )?(?:is|are|won['’]t|can['’]t|does|doesn['’]t|\w+s))\b)"
)
#: Matches a colon before a clause with a subject, which explains the words before it.
_EXPLAINS = r":\s+(?=(?:the|it|this|that|we|they|you|he|she|our|otherwise|without|an?)\b(?:\s+\S+){3})"
_ADJUNCT = late_pattern(
    rf"(?P<inclusion>{_INCLUSION})|(?P<exception>{_EXCEPTION})|(?P<condition>{_CONDITION})|"
    rf"(?P<reason>{_BECAUSE}|{_EXPLAINS})|(?P<aside>{_ASIDE})",
    re.IGNORECASE,
)
_CAUSE = late_pattern(r"\b(?:cause|reason)\b", re.IGNORECASE)
#: Maximum number of words of a label before a colon.
_MAX_LABEL = 3
_AND = late_pattern(r"(?<=\s)(?=and\s)", re.IGNORECASE)
_PLACED = late_pattern(r"and (?:from|in|on|at|by|for|with|within|after|before|during)\b", re.IGNORECASE)
#: Matches the end of an exception to the subject: "all pages except the first may change".
_PREDICATE = late_pattern(
    r"(?<=\s)(?=(?:may|must|should|shall|can|cannot|will|is|are|has|have|needs?|gets?|goes?|stays?|remains?)\b)"
)
_ADJUNCT_END = late_pattern(r"[,;.:!?()]\s|[,;.:!?()]\Z|\s[—–-]+\s|[，。；）]|\bthen\b")


class Word(Struct, frozen=True):
    """A content word, with the number of its clause (from 0) and the preposition before it (`tag`).

    `denied`: a denial covers the word. `refused`: the denial is a verb of refusal after it ("X is dropped").
    """

    concept: str
    stem: str
    denied: bool
    clause: int
    tag: str
    weight: float
    name: bool = False
    refused: bool = False


class Adjunct(Struct, frozen=True):
    """A clause that limits or explains a sentence. `kind`: inclusion, exception, condition, reason or aside.

    `marker` has the words that begin it, in lower case: "in case".
    """

    kind: str
    marker: str
    text: str
    concepts: frozenset[str]
    values: tuple[Value, ...]


class Meaning(Struct, frozen=True, dict=True):
    """The words and exact values of a sentence, in order. `clauses` has the clause of each value.

    `refusals` are the concepts of the verbs that deny the words before them ("X is dropped").
    """

    text: str
    words: tuple[Word, ...]
    values: tuple[Value, ...]
    clauses: tuple[int, ...] = ()
    refusals: frozenset[str] = frozenset()

    @cached_property
    def concepts(self) -> frozenset[str]:
        """Concepts of the words."""
        return frozenset(word.concept for word in self.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words."""
        return frozenset(word.stem for word in self.words)

    @cached_property
    def by_concept(self) -> Mapping[str, Sequence[Word]]:
        """The words of each concept, in order."""
        by_concept: dict[str, list[Word]] = defaultdict(list)
        for word in self.words:
            by_concept[word.concept].append(word)
        return dict(by_concept)

    @cached_property
    def by_letter(self) -> Mapping[str, Sequence[Word]]:
        """The words whose stems begin with each letter, in order."""
        by_letter: dict[str, list[Word]] = defaultdict(list)
        for word in self.words:
            by_letter[word.stem[:1]].append(word)
        return dict(by_letter)

    @cached_property
    def contrasted(self) -> frozenset[Span]:
        """The spans of the values that are a rejected choice, or after a denial in their clause (see contrasted)."""
        return frozenset(value.span for value in self.values if contrasted(self.text, value))

    @cached_property
    def denies(self) -> bool:
        """Whether the sentence denies anything."""
        return any(word.denied for word in self.words) or _CJK_DENIES.search(self.text) is not None


@lru_cache(maxsize=20_000)
def meaning_of(text: str) -> Meaning:
    """Read a sentence or a line."""
    values = values_of(text)
    reader = _WordReader(narrow(text))
    clauses = _read(reader, values)
    return Meaning(text, tuple(reader.words), values, clauses, _refusals(reader.refused))


def rejected(meaning: Meaning) -> Meaning:
    """Reverse every denial of a meaning. A heading of rejected work does this to the text under it."""
    return replace(meaning, words=tuple(replace(word, denied=not word.denied) for word in meaning.words))


def without_refusals(meaning: Meaning) -> Meaning:
    """Undo the refusals of a meaning: "X is dropped" reads like "drop X"."""
    return replace(
        meaning,
        words=tuple(
            replace(word, denied=not word.denied, refused=False) if word.refused else word
            for word in meaning.words
        ),
    )


def _refusals(refused: Sequence[re.Match[str]]) -> frozenset[str]:
    """Return the concepts of the verbs in refusals. "Not wanted" does not count."""
    phrases = (match.group().lower().split() for match in refused)
    verbs = (words[-1] for words in phrases if "not" not in words)
    return frozenset(concept(stem) for verb in verbs for stem in load_stemmer().stems(verb))


def listed(text: str) -> Iterator[frozenset[str]]:
    """Yield the items of each list in a sentence ("A, B and C", "neither A nor B") as concepts."""
    for match in _LIST.finditer(text):
        texts = [item for item in _LIST_MARKS.split(match.group()) if item.strip()]
        if any(item.strip().lower() in _NUMERALS for item in texts):
            # "Two or three sentences" is a measure.
            continue
        words = [meaning_of(item).words for item in texts]
        # "The web app and the mobile apps" differ in their first word.
        for at in (-1, 0):
            items = frozenset(item[at].concept for item in words if item and item[at].weight >= _FULL)
            if len(items) == len(words) > 1:
                yield items
                break


@lru_cache(maxsize=20_000)
def most_denials(text: str) -> int:
    """Return the largest number of denying words in a clause, without an answer "No," at the start."""
    clauses = BREAK.split(_ANSWERS_NO.sub("", text))
    return max(
        sum(_DENIES.match(word) is not None for word in re.findall(r"[\w'’]+", clause)) for clause in clauses
    )


def contrasted(text: str, value: Value) -> bool:
    """Return whether a value is a rejected choice or after a denial in its clause: "8080" in "instead of 8080".

    Only the characters of a concise statement before the value are read.
    """
    start = value.span[0]
    clause = BREAK.split(text[max(0, start - CONCISE) : start])[-1]
    return _CONTRAST.search(clause) is not None or most_denials(clause) > 0


def restricts(text: str) -> bool:
    """Return whether a sentence has a word that may restrict something, such as only, must, needs, unless or not."""
    return has(text, _RESTRICTS)


def compensates(fact: str, text: str) -> bool:
    """Return whether `text` has a limit (only, unless, at most), which may replace the denial in `fact`.

    A fact with "only" has a limit itself.
    """
    return has(text, _LIMITS) and not has(fact, ONLY)


def enforces(text: str) -> bool:
    """Return whether a sentence has words of a rule for every time, such as "must", "always", "all" or "before"."""
    return has(text, _ENFORCED)


def is_lasting(text: str) -> bool:
    """Return whether a sentence has words of a lasting rule, such as "must", "should", "any" or "rule"."""
    return has(text, _STANDING)


def are_opposed(tag: str, other: str) -> bool:
    """Return whether two prepositions have opposite directions."""
    return (tag, other) in _OPPOSED or (other, tag) in _OPPOSED


def _read(reader: _WordReader, values: tuple[Value, ...]) -> tuple[int, ...]:
    """Read the content words of a text, and return the clause of each value. Words in exact values are left out."""
    clauses: dict[int, int] = {}
    starts = [value.span[0] for value in values]
    for token in _TOKEN.finditer(reader.text):
        start = token.start()
        reader.pass_marks(start)
        if reader.in_contrast(start):
            continue
        number = bisect_right(starts, start) - 1
        inside = number >= 0 and start < values[number].span[1]
        if inside:
            clauses.setdefault(number, reader.clause)
        # A name in code ("outputType") and a single folder ("drafts/") are read as words, unlike any other value.
        exact = inside and not _is_worded(values[number])
        if not exact and not reader.at_refusal(start):
            reader.read(token)
    reader.finish()
    return tuple(clauses.get(number, 0) for number in range(len(values)))


def _is_worded(value: Value) -> bool:
    """Return whether a text may write a value as plain words."""
    return value.form == "identifier" or (value.form == "path" and "/" not in value.text.strip("/"))


class _WordReader:
    """Reader of the words of a text from left to right.

    It keeps the number of the clause, whether the clause denies what follows, and the last preposition (`tag`).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._stemmer = load_stemmer()
        self.words: list[Word] = []
        self.clause, self.denied, self.tag = 0, False, ""
        self._words_read = 0
        #: Number of words before the last condition.
        self._before_condition = 0
        self._breaks = deque(mark.start() for mark in BREAK.finditer(text))
        #: The refusals ("is dropped", "not allowed") in the text.
        self.refused = list(_DENIED_AFTER.finditer(text))
        self._refusals = deque(match.start() for match in self.refused)
        # Only a refusal asks where the last condition begins.
        self._conditions = deque(
            match.start()
            for match in (_ADJUNCT.finditer(text) if self.refused else ())
            if match.lastgroup == "condition"
        )
        contrasts = [match.span() for match in _CONTRAST.finditer(text)]
        self._contrasts = deque(sorted(contrasts + [match.span(1) for match in _PREFERS.finditer(text)]))

    @cached_property
    def _states(self) -> set[int]:
        return {match.end() for match in _STATE.finditer(self.text)}

    def pass_marks(self, start: int) -> None:
        """Apply the ends of clauses and the refusals before a token."""
        while self._breaks and self._breaks[0] < start:
            self.clause, self.denied, self.tag = self.clause + 1, False, ""
            self._breaks.popleft()
        while self._conditions and self._conditions[0] <= start:
            self._before_condition = len(self.words)
            self._conditions.popleft()
        while self._refusals and self._refusals[0] < start:
            self._refuse()
            self._refusals.popleft()

    def in_contrast(self, start: int) -> bool:
        """Return whether a token belongs to a phrase such as "instead of". The first token after it is denied."""
        if not self._contrasts or start < self._contrasts[0][0]:
            return False
        if start < self._contrasts[0][1]:
            return True
        self.denied = True
        self._contrasts.popleft()
        return False

    def at_refusal(self, start: int) -> bool:
        """Return whether a refusal ("is dropped", "not allowed") begins with a token."""
        return bool(self._refusals) and self._refusals[0] == start

    def read(self, token: re.Match[str]) -> None:
        """Read a token: a denial, a joining word, a preposition or a content word."""
        low = token.group().lower()
        if token.lastgroup == "cjk":
            self._add_cjk(token)
        elif (
            _DENIES.match(low)
            or (low in _FORBIDDEN and self.text.startswith(" to ", token.end()))
            or (low in _ENDS and _DOING.match(self.text, token.end()))
        ):
            self._deny(low)
        elif low in JOINS:
            self._join(low)
        elif low in TAGS and _GOES_ON.match(self.text, token.end()):
            self.tag = TAGS[low]
            if low in _MEANINGFUL_TAGS:
                self._add(token)
        else:
            self._add(token)

    def finish(self) -> None:
        """Apply the refusals after the last token."""
        for _ in self._refusals:
            self._refuse()

    def _refuse(self) -> None:
        # "Must not be dropped" refuses nothing.
        if not self.denied:
            before = self._before_condition
            self.words[before:] = _refused(self.words[before:], self.clause)

    def _deny(self, low: str) -> None:
        if low == "neither":
            # "Cache neither X nor Y": the verb is denied too.
            self.words = [
                replace(word, denied=True) if word.clause == self.clause else word for word in self.words
            ]
        # "Not without X" does not deny X.
        self.denied = not (low == "without" and self.denied)

    def _join(self, low: str) -> None:
        self.clause, self.tag = self.clause + 1, ""
        # "No X or Y" denies both, "no X but Y" only X.
        self.denied = self.denied and low not in _ENDS_DENIAL

    def _add_cjk(self, token: re.Match[str]) -> None:
        """Add the pairs of characters of a run, without its small words."""
        small = [match.span() for match in _CJK_SMALL.finditer(self.text, *token.span())]
        starts, ends = zip((token.start(), 0), *((end, start) for start, end in small), strict=True)
        for start, end in zip(starts, (*ends[1:], token.end()), strict=True):
            for pair in self._stemmer.words(self.text[start:end]):
                at = self.text.find(pair, start, end)
                denied = _CJK_DENIES.search(self.text, max(0, at - 6), at) is not None
                weight = _FULL if _CJK_SLIGHT.isdisjoint(pair) else _LITTLE
                self.words.append(Word(pair, pair, denied, self.clause, "", weight))

    def _add(self, token: re.Match[str]) -> None:
        """Add a word, or the words of a name in code."""
        spelled, low = token.group(), token.group().lower()
        state = _STATES.get(low)
        if state is not None and token.start() in self._states:
            self.words.append(Word(concept(state), state, self.denied, self.clause, self.tag, _FULL))
            return
        is_name = self._is_name(token)
        # The language Go is not the verb "go".
        stems = self._stems(spelled)
        only_named = not stems and is_name and spelled != "I"
        for stem in (low,) if only_named else stems:
            weight = _LITTLE if stem in _SLIGHT and not only_named else _FULL
            self.words.append(Word(concept(stem), stem, self.denied, self.clause, self.tag, weight, is_name))
        self._words_read += 1
        if low not in _DETERMINERS and self.tag not in ("except", "only"):
            self.tag = ""

    def _is_name(self, token: re.Match[str]) -> bool:
        """Return whether a word has a capital letter, but does not begin a sentence."""
        if not token.group()[0].isupper() or not self._words_read or _STRESSED.fullmatch(token.group()):
            return False
        before = self.text[max(0, token.start() - 2) : token.start()].rstrip(" \"'`(*")
        return not before.endswith((".", ":", "!", "?"))

    def _stems(self, spelled: str) -> Sequence[str]:
        """Return the stems of a word.

        "US" is not "us", "IT" is not "it", "feature B" is not "feature A", and "non-null" is not "null". But "EXACTLY"
        is "exactly".
        """
        letter = len(spelled) == 1 and spelled != "I" and self._words_read > 0
        is_acronym = spelled.isupper() and (letter or len(spelled) > 1) and not _STRESSED.fullmatch(spelled)
        if is_acronym or spelled.lower().startswith("non-"):
            return (spelled.lower(),)
        return self._stemmer.stems(spelled if spelled.islower() else _HUMP.sub("_", spelled))


def _refused(words: Sequence[Word], clause: int) -> list[Word]:
    """Mark the words of a clause as refused by the verb after them. An empty clause refers to the previous clause."""
    if words and words[-1].clause < clause:
        clause = words[-1].clause
    return [
        replace(word, denied=not word.denied, refused=True) if word.clause == clause else word
        for word in words
    ]


@lru_cache(maxsize=4_096)
def parts_of(text: str) -> tuple[Meaning, tuple[Adjunct, ...]]:
    """Split a statement into its main clause and its adjuncts."""
    main = text
    adjuncts: list[Adjunct] = []
    for kind, marker, start, end in _adjunct_spans(text):
        pieces = _adjuncts(kind, marker, text[start:end])
        if any(piece.concepts or piece.values for piece in pieces):
            adjuncts += pieces
            main = main[:start] + " " * (end - start) + main[end:]
    meaning = meaning_of(main)
    return (meaning, tuple(adjuncts)) if meaning.words or meaning.values else (meaning_of(text), ())


def _adjunct_spans(text: str) -> list[tuple[str, str, int, int]]:
    """Return the kind, marker, start and end of each adjunct of a statement, in order."""
    spans: list[tuple[str, str, int, int]] = []
    at = 0
    while (marker := _ADJUNCT.search(text, at)) is not None:
        before = text[: marker.start()]
        if marker.group().startswith(":") and len(before.split()) <= _MAX_LABEL:
            at = marker.end()
        elif marker.group().lower().startswith((":", "but")) and _leads_in(before, text[marker.end() :]):
            spans = [("aside", "", 0, marker.start())]
            at = marker.end()
        else:
            end = _adjunct_end(text, marker)
            words = marker.group().strip(" ,;:").lower()
            spans.append((marker.lastgroup or "", words, marker.start(), end))
            at = max(end, marker.end())
    return spans


def _leads_in(before: str, behind: str) -> bool:
    """Return whether the text before a colon or "but" only leads in.

    It does in two cases: only the text behind has a rule or a value ("the board met: every ticket costs 38 euros"), or
    the text before announces a cause ("the cause of the crash: ...").
    """
    only_behind = _has_rule_or_value(behind) and not _has_rule_or_value(before)
    return only_behind or _CAUSE.search(before) is not None


def _has_rule_or_value(text: str) -> bool:
    return BINDS.search(text) is not None or bool(values_of(text))


def _adjunct_end(text: str, marker: re.Match[str]) -> int:
    """Return the end of the adjunct that begins with a marker."""
    if marker.lastgroup == "aside":
        return len(text)
    stop = _ADJUNCT_END.search(text, marker.end())
    end = stop.start() if stop is not None else len(text)
    # A reason or an exception after the main clause extends to the end of the sentence.
    is_last = marker.lastgroup in ("reason", "exception") and len(text[: marker.start()].split()) > 2
    if marker.lastgroup == "exception" and not is_last:
        predicate = _PREDICATE.search(text, marker.end(), end)
        return predicate.start() if predicate is not None else end
    return len(text) if is_last and text[end:].strip(" .!") else end


def _adjuncts(kind: str, marker: str, piece: str) -> list[Adjunct]:
    """Return the adjuncts in a piece of a statement: one, or the conditions of "once A is so and B is done"."""
    meanings = [meaning_of(part) for part in _AND.split(piece)]
    if kind != "condition" or not all(
        len(part.words) > 1 or (part.words and _PLACED.match(part.text)) for part in meanings
    ):
        meanings = [meaning_of(piece)]
    marks = _INCLUDES | meaning_of(marker).concepts
    return [Adjunct(kind, marker, part.text, part.concepts - marks, part.values) for part in meanings]
