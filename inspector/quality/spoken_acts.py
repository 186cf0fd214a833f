"""Acts of words: questions of the agent, complaints of the user, admissions of the agent, names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.core.messages import Message
from inspector.core.patterns import any_of, late_pattern
from inspector.core.rough import text_tokens
from inspector.core.text import safe
from inspector.quality.act import MAX_ARGUMENT, Act, ActKind, folded
from inspector.quality.facts.sentences import sentences

#: Matches a path, a name, or a word.
_NAME = late_pattern(r"[a-z0-9_~./\\-]+")
# The lookbehind tries a sentence once, not from each of its characters.
_QUESTION = late_pattern(r"(?<![^.!?。！？\n])[^.!?。！？\n]{8,}+(?:？|\?(?![\w\"”’']))")
#: Maximum characters of a question: its end.
_LONGEST_QUESTION = 400
#: The command that compacts, as typed or as Claude Code records it.
_COMPACT = late_pattern(r"\s*(?:<command-name>)?/compact\b")
#: Words of a user who complains that the agent forgot something.
_FORGOT = late_pattern(
    any_of(
        forgot=r"(?<!\bif )\b(?:you|u)(?:['’]ve| have)? (?:(?:just|already|again) )?forg(?:ot(?:ten)?|et)\b",
        cannot_remember=r"(?<!\bif )\b(?:you|u) (?:(?:do|did|ca)n['’]?t|(?:do|did|can) ?not) remember\b",
        do_you_remember=r"\bdo(?:n['’]?t)? (?:you|u) remember\b",
        did_you_forget=r"\b(?:did|have)(?:n['’]?t)? (?:you|u) (?:already )?forg(?:et|ot)",
        missed=r"\b(?:you|u)(?:['’]ve| have)? missed (?:the|my) point\b",
        lost=r"\b(?:you|u)(?:['’]ve| have| (?:seem|appear) to have)? lost "
        r"(?:(?:the|your|our|all) )?(?:context|track|memory)\b",
        did_i_say=r"\bdid(?:n['’]?t)? i (?:just |already |not )?(?:tell|say)\b",
        remember=r"(?<!\bto )(?<!\bi )\bremember\W{0,4}$",
        chinese_forgot=r"你.{0,8}(?:不记得|没记住|(?<!不要)(?<!不能)(?<!不会)(?<!别)(?<!勿)(?<!遗)遗?忘)",
        chinese_memory=r"你.{0,3}(?:记忆力|记得吗)",
        just_talking=r"\bwe were just (?:talking|speaking|chatting|discussing)\b",
        chinese_find=r"找回我.{0,4}(?:指令|要求|话)",
        chinese_not_asked=r"我不是(?:让|叫|要求|告诉)你",
    ),
    re.I,
)
#: Words of a user who says that they said something before.
_TOLD = late_pattern(
    any_of(
        told=r"\b(?:i|we)(?:['’]ve| have)? (?:(?:already|just|clearly|explicitly|specifically|repeatedly) )*"
        r"(?:told|reminded) (?:you|u)\b",
        already_said=r"\b(?:i|we)(?:['’]ve| have)? (?:already|clearly|explicitly|repeatedly) "
        r"(?:said|asked|mentioned|explained|stated|specified)\b",
        as_i_said=r"\b(?:as|like) i(?:['’]ve| have)? (?:(?:already|just) )?(?:said|told (?:you|u)|mentioned|asked)\b",
        third_time=r"\A\W*(?:and |so )?for the (?:second|third|fourth|fifth|last|\d{1,3}(?:nd|rd|th)) time\b",
        how_often=r"\bhow (?:many times|often) (?:do|must|should|have|did) (?:i|we)\b",
        keep_saying=r"\b(?:i|we) keep (?:telling|saying|asking|repeating|reminding)\b",
        chinese_said=r"我(?:都|已[经經]|早就|之前|[刚剛]才|[刚剛]{2}|上次|不是|明明|[跟和对對]你){1,3}"
        r"(?:[说說]|[讲講]|提|[问問]|[强強][调調]|要求|告[诉訴]你?)[过過了]",
        chinese_how_often=r"(?:[说說]|[讲講]|告[诉訴]你?|提醒你?|[强強][调調])[过過了]?"
        r"(?:多少|[几幾]|[无無][数數]|[一二两兩三四五六七八九十百千万萬\d]+)[次遍]",
        chinese_third_time=r"第[二三四五六七八九十\d]+[次遍](?:[说說]|告[诉訴]|提醒|[强強][调調])|我再[说說]一[次遍]",
        vietnamese_said=r"\bđã (?:nói|bảo|dặn|nhắc|quy định|yêu cầu)\b[^.?!\n]{0,60}\brồi\b",
    ),
    re.I,
)
#: Words of an agent about a compaction, and words that it lacks something since then.
_COMPACTED = late_pattern(
    r"\bcompact(?:ed|ion)\b|\bcontext (?:was|got|is|has been) (?:lost|reset|cleared|cut)\b|压缩", re.I
)
_LACKS = late_pattern(
    r"\bI(?:['’]ve| have)? lost\b|\bI no longer (?:have|see|remember|recall)\b"
    r"|\bI (?:don['’]?t|do not|can['’]?t|cannot) (?:have|remember|recall)\b"
    r"|\bstarting (?:fresh|over|from scratch)\b|\bwiped\b|丢失|不记得|看不到",
    re.I,
)
#: Longest sentence of a complaint or an admission, in characters.
_COMPLAINT = 200
#: Matches words in quotes, which are the words of another person.
_IN_QUOTES = late_pattern(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|`[^`]*`|「[^」]*」")
_CODE_BLOCK = late_pattern(r"```.*?(?:```|\Z)", re.S)


def questions_in(message: Message) -> Iterator[Act]:
    """Yield the questions that end an answer of the agent, without quoted questions and code blocks."""
    text = _CODE_BLOCK.sub("", safe(message.text))[-2_000:].rstrip()
    last = text.rpartition("\n\n")[2]
    for match in _QUESTION.finditer(last):
        question = folded(match.group()[-_LONGEST_QUESTION - 1 :])
        yield Act("ask", question.lower(), question, tokens=text_tokens(len(question)))


def compacts(text: str) -> bool:
    """Return whether a message of the user is the command that compacts. Its words are for the summary."""
    return _COMPACT.match(text) is not None


def complaint_in(text: str) -> Act | None:
    """Return the user's own sentence that complains of something forgotten, or that says that they said it before.

    None if there is none.
    """
    return _sentence_with("complain", text, _FORGOT) or _sentence_with("remind", text, _TOLD)


def admission_in(text: str) -> Act | None:
    """Return the agent's own sentence that says what it lacks since a compaction; None if there is none."""
    return _sentence_with("admit", text, _COMPACTED, _LACKS) if _COMPACTED.search(text) else None


def _sentence_with(kind: ActKind, text: str, *patterns: re.Pattern[str]) -> Act | None:
    """Return the first own sentence of a text that all patterns match as an act."""
    for words in _own_sentences(text):
        unquoted = _IN_QUOTES.sub("", words) if len(words) <= _COMPLAINT else ""
        if unquoted and all(pattern.search(unquoted) for pattern in patterns):
            return Act(kind, words.lower(), words, tokens=text_tokens(len(words)))
    return None


@lru_cache(maxsize=1)
def _own_sentences(text: str) -> Sequence[str]:
    """Return the speaker's own sentences in a text, each as one line. The last result is kept for the next question."""
    text = safe(text)
    spoken = (sentence for sentence in sentences(text) if not (sentence.pasted or sentence.planned))
    return [folded(text[one.start : one.end]) for one in spoken]


def names_in(text: str) -> frozenset[str]:
    """Return the last part of each path in a text, in lower case. A plain word is no path.

    In pasted text, such as a log with a prompt, only a name with an ending and "folder/" count.
    """
    spoken_paths = _paths_of("\n".join(_own_sentences(text)))
    paths = spoken_paths | {
        path for path in _paths_of(text) if "." in path.strip(".") or path.endswith(("/", "\\"))
    }
    return frozenset(re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in paths) - {""}


def _paths_of(text: str) -> set[str]:
    written = (word.strip(".-") for word in _NAME.findall(text[:MAX_ARGUMENT].lower()))
    return {one for one in written if not one.isalnum()}
