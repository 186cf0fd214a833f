"""Let a model of the user judge what a compaction kept, and compare it with the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import groupby

from msgspec import Struct

from inspector.answers.attempting import counted, place_of
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction
from inspector.core.errors import AttemptError, UsageProblem
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.text import safe, safe_line, safe_title
from inspector.core.watching import OnProgress
from inspector.models.attempt import AttemptPlace
from inspector.models.consent import Allowance, Sending, sending_of
from inspector.models.judging import answer_key, judge_prompt
from inspector.models.kept import KeptAttempts
from inspector.models.making import ask_model
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.quality.facts.fact import ConversationFacts, Fact, Fate, Life, Where
from inspector.quality.facts.lives import Following, Work
from inspector.quality.facts.passages import PassageIndex
from inspector.quality.judgement import (
    Decided,
    FactAgreement,
    Judged,
    QuotedStatement,
    agreement,
    decided,
    joined,
    judged,
    letters,
    pieces_of,
    repeated_quotes,
)

#: Smallest, default and largest size of a piece, in tokens of 4 characters.
PIECE_TOKENS = (2_000, 24_000, 400_000)
#: Assumed tokens of one answer, for the estimate of the cost.
ANSWER_TOKENS = 3_000
#: Maximum characters of a tool result, and of a message that stayed. Cuts are marked.
_RESULT, _STAYED = 2_000, 4_000
#: Characters of a message that are shown before and after its statements.
_AROUND = 400
#: The subject of prompts about what the user said again, see `repeats.py`.
REPEATS = "repeats"
#: Maximum characters of the name of a model, and of the evidence of a fate.
_NAME, _EXCERPT = 40, 200


class JudgePrompt(Struct, frozen=True):
    """The prompt of one piece of a compaction, and the texts that quotes are checked against.

    `subject` names the summary for a prompt about facts of the rules. It is REPEATS for a prompt about what the user
    said again, and "" for a prompt about old messages.
    """

    place: AttemptPlace
    number: int
    of: int
    piece: str
    after: str
    prompt: str
    subject: str = ""


class JudgedStatement(Struct, frozen=True):
    """A statement of a model, and where its quote and its evidence are.

    The quote is in the message `message` (row of the store), at `index` of the list before the compaction.

    The evidence is in the region `where` of the list after the compaction, at `evidence_index`.
    """

    statement: QuotedStatement
    message: int | None
    index: int | None
    where: Where | None
    evidence_index: int | None = None


class Judgement(Struct, frozen=True):
    """The statements that a model found in the summarized messages.

    Of `pieces` prompts, `answered` have a usable answer. `dropped`, `unproven` and `wrong_words` are as in Judged.
    """

    compaction: int
    model: str
    statements: tuple[JudgedStatement, ...]
    dropped: int
    unproven: int
    pieces: int
    answered: int
    agreement: FactAgreement
    wrong_words: tuple[str, ...] = ()


def judge_prompts(
    inspection: Inspection, compaction: int, masker: Masker, piece_tokens: int = PIECE_TOKENS[1]
) -> tuple[JudgePrompt, ...]:
    """Return the prompts for one compaction.

    Raises UsageProblem for an unknown compaction, a size out of range or an unreadable summary.
    """
    least, _, most = PIECE_TOKENS
    if not least <= piece_tokens <= most:
        raise UsageProblem(f"Pieces of {piece_tokens:,} tokens; they must have {least:,} to {most:,}.")
    recorded = _readable(inspection, compaction)
    before = inspection.store.messages(inspection.generation(compaction))
    middle = [
        message
        for index, message in enumerate(before[: recorded.before])
        if recorded.region(index) == "middle"
    ]
    pieces = pieces_of((_written(message, _RESULT, masker) for message in middle), 4 * piece_tokens)
    return tuple(_prompts(inspection, recorded, masker, pieces))


def fact_prompts(
    inspection: Inspection, compaction: int, masker: Masker, lives: Sequence[Life]
) -> tuple[JudgePrompt, ...]:
    """Return the prompts about facts of one compaction (see ConversationFacts.undecided).

    Raises UsageProblem for an unknown compaction or an unreadable summary.
    """
    recorded = _readable(inspection, compaction)
    in_order = sorted(lives, key=lambda life: (life.saying.generation, life.saying.index, life.saying.span))
    texts = [
        _with_statements(inspection, list(group), masker)
        for _, group in groupby(in_order, key=lambda life: (life.saying.generation, life.saying.index))
    ]
    pieces = pieces_of(texts, 4 * PIECE_TOKENS[1])
    return tuple(_prompts(inspection, recorded, masker, pieces, subject_of(recorded)))


def subject_of(recorded: Compaction) -> str:
    """Return a name of the summary of a compaction, because a rewound session may get another one."""
    text = (recorded.summary or "").encode(errors="surrogatepass")
    return f"facts {blake2b(text, digest_size=8).hexdigest()}"


def _readable(inspection: Inspection, compaction: int) -> Compaction:
    recorded = inspection.compaction(compaction)
    if recorded.encrypted:
        raise UsageProblem(
            f"The summary of compaction {compaction} cannot be read: there is nothing to compare with."
        )
    return recorded


def _with_statements(inspection: Inspection, lives: Sequence[Life], masker: Masker) -> str:
    """Return the part of a message around some statements, and each statement with the id of its fact.

    A secret may be known only by words that are left out, so the whole message is searched. No word is cut.
    """
    saying = lives[0].saying
    generation = inspection.generation(saying.generation)
    (message,) = inspection.store.messages(generation, saying.index, saying.index + 1)
    spans = [life.saying.span for life in lives]
    text = safe(message.text)
    start = max(0, min(start for start, _ in spans) - _AROUND)
    start = max(text.rfind(sign, 0, start) for sign in " \n") + 1
    end = max(end for _, end in spans) + _AROUND
    end = min((at for sign in " \n" if (at := text.find(sign, end)) >= 0), default=len(text))
    masker = masker.knowing(text)
    statements = (f"[{_id(life.fact)}] {masker(' '.join(life.text.split()))}" for life in lives)
    title = f"Message #{saying.index} of list {saying.generation}:"
    return "\n".join((title, _cut(masker(text[start:end]), _STAYED), *statements))


def _id(fact: Fact) -> str:
    return fact.key[:8]


def _prompts(
    inspection: Inspection, recorded: Compaction, masker: Masker, pieces: Sequence[str], subject: str = ""
) -> Iterator[JudgePrompt]:
    template = "judge_facts.md" if subject else "judge_prompt.md"
    after = "\n\n".join(
        _written(message, _STAYED, masker) for _, message, _ in inspection.list_after(recorded)
    )
    place = place_of(inspection.store, inspection.conversation.row, recorded.index)
    for number, piece in enumerate(pieces, 1):
        prompt = judge_prompt(piece, after, number, len(pieces), template)
        yield JudgePrompt(place, number, len(pieces), piece, after, prompt, subject)


def judge_sending(
    prompts: Sequence[JudgePrompt], summarizer: Summarizer, masker: Masker, kept: KeptAttempts
) -> Sending:
    """Return what judging would send: the prompts without a kept answer."""
    missing = [
        prompt
        for prompt in prompts
        if kept.answer(answer_key(prompt.prompt, summarizer), prompt.place) is None
    ]
    return sending_of(((summarizer, prompt.prompt, ANSWER_TOKENS) for prompt in missing), masker)


def ask_judge(
    prompts: Sequence[JudgePrompt],
    summarizer: Summarizer,
    kept: KeptAttempts,
    allowance: Allowance,
    watch: OnProgress,
) -> tuple[str, ...]:
    """Ask for every answer that is not kept. Return a sentence for each prompt without a usable answer.

    Each answer is kept as it comes, so that an interrupted run continues where it ended. Raises NotAllowed,
    OutputProblem and what `watch` raises.
    """
    problems = []
    for number, prompt in enumerate(prompts, 1):
        key = answer_key(prompt.prompt, summarizer)
        if kept.answer(key, prompt.place) is not None:
            continue
        kept.check_writable()
        label = f"{summarizer.name}, piece {number} of {len(prompts)}: characters"
        try:
            reply = ask_model(summarizer, prompt.prompt, allowance, counted(watch, label))
            if prompt.subject == REPEATS:
                repeated_quotes(reply.text, prompt.piece, prompt.after)
            elif prompt.subject:
                decided(reply.text, (), prompt.after)
            else:
                judged(reply.text, prompt.piece, prompt.after)
        except (AttemptError, ValueError) as error:
            problems.append(
                f"Compaction {prompt.place.compaction}, piece {prompt.number} of {prompt.of}: {error}"
            )
            continue
        kept.keep_answer(key, prompt.place, summarizer, reply.text, prompt.subject)
    return tuple(problems)


def judgement_of(
    inspection: Inspection, prompts: Sequence[JudgePrompt], summarizer: Summarizer, kept: KeptAttempts,
    facts: ConversationFacts,
) -> Judgement:  # fmt: skip
    """Return the judgement of one compaction from its kept answers, compared with the facts of the rules."""
    compaction = prompts[0].place.compaction
    answers: list[Judged] = []
    for prompt in prompts:
        text = kept.answer(answer_key(prompt.prompt, summarizer), prompt.place)
        if text is not None:
            answers.append(judged(text, prompt.piece, prompt.after))
    recorded = inspection.compaction(compaction)
    return _judgement(inspection, recorded, summarizer.name, answers, len(prompts), facts)


def _judgement(
    inspection: Inspection, recorded: Compaction, model: str, answers: Sequence[Judged], pieces: int,
    facts: ConversationFacts,
) -> Judgement:  # fmt: skip
    result = joined(answers)
    placed = tuple(_placed(inspection, recorded, result.statements))
    lives = [life.by_rules() for life in facts.of(recorded.index)]
    compared = agreement(result.statements, lives)
    return Judgement(
        recorded.index, model, placed, result.dropped, result.unproven, pieces, len(answers), compared,
        result.wrong_words,
    )  # fmt: skip


def kept_judgements(
    inspection: Inspection, kept: KeptAttempts, facts: ConversationFacts
) -> tuple[Judgement, ...]:
    """Return the judgements of a conversation from all stored answers, one for each compaction and model.

    Quotes are checked against the texts with and without masked secrets. Raises StoreErrors and OutputProblem.
    """
    place = place_of(inspection.store, inspection.conversation.row, 0)
    by_model: dict[tuple[int, str], list[str]] = {}
    for answer in kept.answers_of(place.store, place.root):
        by_model.setdefault((answer.compaction, answer.writer), []).append(answer.answer)
    readable = {recorded.index: recorded for recorded in inspection.compactions() if not recorded.encrypted}
    return tuple(
        _from_texts(inspection, readable[compaction], model, answers, facts)
        for (compaction, model), answers in sorted(by_model.items())
        if compaction in readable
    )


def unusable_decisions(
    prompts: Iterable[JudgePrompt], facts: Iterable[Fact], summarizer: Summarizer, kept: KeptAttempts
) -> Decided:
    """Return what the stored answers of a model about these facts have that is not used. It has no fates."""
    ids = frozenset(map(_id, facts))
    texts = ((kept.answer(answer_key(prompt.prompt, summarizer), prompt.place), prompt) for prompt in prompts)
    answers = [decided(text, ids, prompt.after) for text, prompt in texts if text is not None]
    wrong_words = tuple(word for answer in answers for word in answer.wrong_words)
    return Decided(unproven=sum(answer.unproven for answer in answers), wrong_words=wrong_words)


def model_fates(
    inspection: Inspection, facts: Sequence[Fact], kept: KeptAttempts
) -> dict[tuple[str, int], Fate]:
    """Return the fates in the stored answers of models, by key of the fact and compaction; the newest answer counts.

    The evidence of each is in the list after the compaction word for word. Raises StoreErrors and OutputProblem.
    """
    place = place_of(inspection.store, inspection.conversation.row, 0)
    keys = {_id(fact): fact.key for fact in facts}
    fates: dict[tuple[str, int], Fate] = {}
    for recorded in inspection.compactions():
        answers = kept.answers_of(place.store, place.root, subject_of(recorded))
        mine = [answer for answer in answers if answer.compaction == recorded.index]
        if not mine:
            continue
        texts = [_searched(message) for _, message, _ in inspection.list_after(recorded)]
        after = "\n".join(masker(text) for masker in (Masker(), Masker(False)) for text in texts)
        find = _finder(inspection, recorded)
        for answer in mine:
            for identity, (outcome, evidence) in decided(answer.answer, keys, after).fates.items():
                where, index = find(evidence)
                model = safe_line(answer.writer, _NAME)
                excerpt = safe_title(evidence, _EXCERPT)
                fate = Fate(recorded.index, outcome, where, index, None, excerpt, model=model)
                fates.setdefault((keys[identity], recorded.index), fate)
    return fates


def decided_by_models(follow_fates: Work, by_model: Mapping[tuple[str, int], Fate]) -> Work:
    """Return `follow_fates` with the fates of models in place of those that the rules leave uncertain."""
    if not by_model:
        return follow_fates

    def follow(
        following: Following,
        lists_after: Mapping[int, PassageIndex],
        watch: Callable[[int], None] | None = None,
    ) -> dict[str, list[Fate]]:
        fates = follow_fates(following, lists_after, watch)
        for name, of_fact in fates.items():
            key = following.facts[name].key
            fates[name] = [
                by_model.get((key, fate.compaction), fate) if fate.outcome == "uncertain" else fate
                for fate in of_fact
            ]
        return fates

    return follow


def _from_texts(
    inspection: Inspection, recorded: Compaction, model: str, answers: Sequence[str], facts: ConversationFacts
) -> Judgement:
    prompts = [
        prompt
        for masker in (Masker(), Masker(False))
        for prompt in judge_prompts(inspection, recorded.index, masker, PIECE_TOKENS[2])
    ]
    piece, after = (
        "\n".join(texts) for texts in zip(*((prompt.piece, prompt.after) for prompt in prompts), strict=True)
    )
    usable: list[Judged] = []
    for answer in answers:
        with suppress(ValueError):
            usable.append(judged(answer, piece, after))
    return _judgement(inspection, recorded, model, usable, len(answers), facts)


def _placed(
    inspection: Inspection, recorded: Compaction, statements: Sequence[QuotedStatement]
) -> Iterator[JudgedStatement]:
    before = inspection.generation(recorded.index)
    texts = [letters(message.text) for message in inspection.store.messages(before)[: recorded.before]]
    find = _finder(inspection, recorded)
    for statement in statements:
        quote = letters(statement.quote)
        index = next((at for at, text in enumerate(texts) if quote in text), None)
        message = None if index is None else before.ids[index]
        yield JudgedStatement(statement, message, index, *find(statement.evidence))


def _finder(inspection: Inspection, recorded: Compaction) -> Callable[[str], tuple[Where | None, int | None]]:
    """Return a function that finds evidence in the list after a compaction: its region, and its index."""
    after = [
        (letters(_searched(message)), where, at) for at, message, where in inspection.list_after(recorded)
    ]

    def find(evidence: str) -> tuple[Where | None, int | None]:
        quote = letters(evidence)
        return next(((where, at) for text, where, at in after if quote and quote in text), (None, None))

    return find


def _written(message: Message, most: int, masker: Masker) -> str:
    """Return a message as the model reads it. Cuts are marked, and cut no secret that is not masked."""
    text = masker(safe(_text_of(message)))
    if message.role != "user" and not message.summary and handoff_of(message) is None:
        text = _cut(text, most)
    calls = "".join(
        f"\n  calls {call.name}({masker(safe(call.arguments))[:_RESULT]})" for call in message.tool_calls
    )
    return f"[{message.role.upper()}] {text}{calls}"


def _searched(message: Message) -> str:
    """Return the text in which evidence may be: what _written shows, without cuts."""
    return safe("\n".join((_text_of(message), *(call.arguments for call in message.tool_calls))))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [... {len(text) - most:,} more characters]"


def _text_of(message: Message) -> str:
    handoff = handoff_of(message)
    return message.text if handoff is None else f"{handoff.body}\n{handoff.tail_text}"
