"""Score compactors on a corpus, by the statements that the list after a compaction still has."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.attempt_survival import list_after
from inspector.answers.attempting import PromptWording, SummarizedList, ask_for, counted
from inspector.answers.corpus import CorpusConversation, TrueStatement
from inspector.config.bundled import fixtures_dir
from inspector.core.conversations import Generation, role_code
from inspector.core.errors import AttemptError, UsageProblem
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.core.text import safe, safe_title
from inspector.core.watching import OnProgress
from inspector.engines.base import Settings
from inspector.engines.failures import measured, plan_with
from inspector.engines.registry import engine, names, with_changes
from inspector.engines.summary_input import finished_summary
from inspector.models.attempt import Ask, AttemptPlace
from inspector.models.consent import Allowance, Sending, sending_of
from inspector.models.judging import answer_key
from inspector.models.kept import KeptAttempts
from inspector.models.making import ask_model
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.quality.facts.extract import extract
from inspector.quality.facts.fact import Fact, Fate, Kind, Saying, SpokenMessage, Where
from inspector.quality.facts.fate import fate
from inspector.quality.facts.gather import gather, values_said
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.quality.facts.values import values_of
from inspector.quality.measures import Share

#: Window in tokens for which the corpus is planned: its conversations are long for this window.
CONTEXT_LENGTH = 32_000
#: Labels of the rows that need no summary.
EVERYTHING, TRUNCATION = "everything", "truncation"
#: Profiles without a summary; the row `truncation` has their list.
_NO_SUMMARY = "truncation"
RowKind = Literal["summarizer", "baseline", "profile"]
_EXCERPT = 200


class ScoredStatement(Struct, frozen=True):
    """A statement with its place before the compaction and its fate after it."""

    statement: TrueStatement
    region: str
    fate: Fate

    @property
    def lost(self) -> bool:
        """Whether the statement is lost, weakened or contradicted."""
        return self.fate.settled and not self.fate.alive


class ConversationScore(Struct, frozen=True):
    """One conversation of a row. Tokens are rough and count only texts.

    `problem` gives the reason for a missing summary; then every fate is unknown. If the conversation is not
    `compacted`, `problem` gives the reason for that.
    """

    name: str
    compacted: bool
    statements: tuple[ScoredStatement, ...]
    tokens_before: int
    tokens_after: int
    summary_tokens: int = 0
    problem: str = ""


class ScoreRow(Struct, frozen=True):
    """A compactor with its score. Conversations that it does not compact do not count."""

    label: str
    kind: RowKind
    profile: str
    conversations: tuple[ConversationScore, ...]

    @property
    def compacted(self) -> tuple[ConversationScore, ...]:
        """The conversations that count."""
        return tuple(score for score in self.conversations if score.compacted)

    @property
    def statements(self) -> list[ScoredStatement]:
        """The statements that the user did not withdraw."""
        return [item for score in self.compacted for item in score.statements if item.statement.still_holds]

    @property
    def withdrawn(self) -> Share:
        """Number of withdrawn statements that are still in the list."""
        statements = (item for score in self.compacted for item in score.statements)
        return Share.counted(item.fate.alive for item in statements if not item.statement.still_holds)

    def kept(self, kind: Kind | None = None) -> Share:
        """Return the number of statements, of all or of one kind, that can still be read.

        Uncertain statements do not count.
        """
        counted = [scored for scored in self.statements if kind in (None, scored.statement.kind)]
        return Share.counted(scored.fate.alive for scored in counted)

    @property
    def lost_important(self) -> Share:
        """Number of lost statements of importance 3."""
        counted = [scored for scored in self.statements if scored.statement.importance == 3]
        return Share.counted(scored.lost for scored in counted)

    @property
    def uncertain(self) -> int:
        """Number of statements whose fate the rules cannot decide, or whose summary is missing."""
        return sum(not scored.fate.settled for scored in self.statements)

    @property
    def tokens(self) -> tuple[int, int]:
        """Rough tokens of all conversations that count, before and after compaction."""
        return (
            sum(score.tokens_before for score in self.compacted),
            sum(score.tokens_after for score in self.compacted),
        )

    @property
    def ratio(self) -> float | None:
        """Tokens after compaction as a share of the tokens before; None if no conversation counts."""
        before, after = self.tokens
        return after / before if before else None

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each conversation without a summary."""
        return tuple(f"{score.name}: {score.problem}" for score in self.compacted if score.problem)


class Judge:
    """Judges lists by the truth of one conversation, by the rules that `facts` uses.

    It reads the messages once. Many profiles leave the same list, which it judges once.
    """

    def __init__(self, conversation: CorpusConversation) -> None:
        self.conversation = conversation
        self._judged: dict[tuple[ListText, ...], tuple[Fate, ...]] = {}

    @cached_property
    def _numbers(self) -> frozenset[tuple[str, str]]:
        """Return every number of a text with its unit."""
        steps, task = [], 0
        for index, message in enumerate(self.conversation.messages):
            task += message.role == "user"
            steps.append(SpokenMessage(_saying(index, message.role), task, extract(message)))
        return values_said(gather(steps))

    @cached_property
    def _facts(self) -> tuple[Fact, ...]:
        return tuple(_fact(self.conversation, statement) for statement in self.conversation.truth)

    def fates(self, texts: Sequence[ListText]) -> tuple[Fate, ...]:
        """Return the fate of each statement in a list, in the order of the truth."""
        key = tuple(texts)
        if key not in self._judged:
            index = PassageIndex(texts)
            self._judged[key] = tuple(
                _in_messages(fact, texts) or fate(fact, index, 1, self._numbers) for fact in self._facts
            )
        return self._judged[key]


def _fact(conversation: CorpusConversation, statement: TrueStatement) -> Fact:
    quote = safe(statement.quote)
    role = conversation.messages[statement.message].role
    saying = _saying(statement.message, role)
    return Fact(
        key=f"{conversation.name}:{statement.message}:{quote}", kind=statement.kind, text=quote, value=quote,
        values=values_of(quote), things=(), rule="corpus", strength=10, cue=(0, 0), role=role, sayings=(saying,),
        uses=0, rank=float(statement.importance),
    )  # fmt: skip


def _saying(index: int, role: str) -> Saying:
    return Saying(index, 1, index, index, "", role, (0, 0), 1)


def _in_messages(fact: Fact, texts: Sequence[ListText]) -> Fate | None:
    """Return the fate of a quote that a kept message has word for word; None if no kept message has it."""
    for text in texts:
        start = text.text.find(fact.text) if text.where != "summary" else -1
        if start >= 0:
            span = start, start + len(fact.text)
            return Fate(1, "verbatim", text.where, text.index, span, safe_title(fact.text, _EXCERPT))
    return None


class PlannedScore(Struct, frozen=True):
    """A conversation as one profile plans to compact it. `ask` is the prompt; None if it is not compacted."""

    judge: Judge
    listed: SummarizedList
    settings: Settings
    ask: Ask | None

    def scored(self, texts: Sequence[ListText], summary: str = "") -> ConversationScore:
        """Return the score of a list."""
        return self._score(self.judge.fates(texts), texts, summary, True, "")

    def failed(self, problem: str) -> ConversationScore:
        """Return the score without a summary: every fate is unknown."""
        unknown = Fate(1, "unknown")
        return self._score((unknown,) * len(self.judge.conversation.truth), (), "", True, problem)

    def untouched(self) -> ConversationScore:
        """Return the score of a list that the profile leaves alone."""
        texts = uncompacted_list(self.judge.conversation)
        return self._score(self.judge.fates(texts), texts, "", False, self.listed.plan.reason)

    def after(self, summary: str) -> list[ListText]:
        """Return the list after the compaction."""
        return list_after(self.listed, summary, self.settings.profile)[0]

    def _score(
        self, fates: Sequence[Fate], texts: Sequence[ListText], summary: str, compacted: bool, problem: str
    ) -> ConversationScore:
        conversation, plan = self.judge.conversation, self.listed.plan
        statements = tuple(
            ScoredStatement(statement, plan.region(statement.message) if compacted else "head", outcome)
            for statement, outcome in zip(conversation.truth, fates, strict=True)
        )
        return ConversationScore(
            conversation.name, compacted, statements, _size(uncompacted_list(conversation)), _size(texts),
            text_tokens(len(summary)), problem,
        )  # fmt: skip


def uncompacted_list(conversation: CorpusConversation) -> list[ListText]:
    """Return the texts of a conversation that was not compacted."""
    where: Where = "tail"
    return [
        ListText(where, index, message.role, safe(message.text))
        for index, message in enumerate(conversation.messages)
        if message.text
    ]


def _size(texts: Sequence[ListText]) -> int:
    return text_tokens(sum(len(text.text) for text in texts))


def plan_scores(
    judges: Sequence[Judge], settings: Settings, wording: PromptWording, masker: Masker | None = None
) -> list[PlannedScore]:
    """Plan the compaction of every conversation, as if the threshold had just been reached.

    Raises UsageProblem for a profile that writes no summary, EngineError.
    """
    rules = engine(settings.profile)
    if not rules.budgets(settings).max_summary_tokens:
        raise UsageProblem(f"{settings.profile} writes no summary. Name another profile.")
    planned = []
    for judge in judges:
        conversation = judge.conversation
        messages: Sequence[Message] = conversation.messages
        plan = plan_with(rules, measured(rules, messages), settings, 0, 0)
        roles = bytes(role_code(message.role) for message in messages)
        generation = Generation(1, conversation.name, range(len(messages)), roles)
        place = AttemptPlace(str(conversation.path.absolute()), conversation.name, 1, len(messages))
        listed = SummarizedList(place, generation, messages, plan)
        ask = ask_for(listed, settings, wording, masker=masker) if plan.compacts else None
        planned.append(PlannedScore(judge, listed, settings, ask))
    return planned


def baseline_rows(planned: Sequence[PlannedScore]) -> list[ScoreRow]:
    """Return the rows `truncation` (the same boundaries, no summary) and `everything` (nothing is removed)."""
    profile = planned[0].settings.profile
    cut = tuple(
        item.scored([text for text in item.after("") if text.where != "summary"])
        if item.ask
        else item.untouched()
        for item in planned
    )
    whole = tuple(replace(item.untouched(), compacted=True, problem="") for item in planned)
    return [
        ScoreRow(TRUNCATION, "baseline", profile, cut),
        ScoreRow(EVERYTHING, "baseline", profile, whole),
    ]


def profile_rows(judges: Sequence[Judge], settings: Settings, watch: OnProgress) -> list[ScoreRow]:
    """Return a row for each profile that writes summaries, written by the bundled stand-in. Nothing is sent."""
    write = _stand_in()
    rows = []
    chosen = [name for name in names() if name != _NO_SUMMARY]
    for number, name in enumerate(chosen):
        watch(f"{name}: profile", number + 1, len(chosen))
        try:
            planned = plan_scores(judges, with_changes(settings, profile=name), PromptWording())
        except UsageProblem:
            continue
        scores = []
        for item in planned:
            if item.ask is None:
                scores.append(item.untouched())
            else:
                summary = finished_summary(write(item.ask.prompt, item.ask.budget), item.ask.task)
                scores.append(item.scored(item.after(summary), summary))
        rows.append(ScoreRow(name, "profile", name, tuple(scores)))
    return rows


def _stand_in() -> Callable[[str, int], str]:
    summary: Callable[[str, int], str] = runpy.run_path(str(fixtures_dir() / "summarizer.py"))["summary"]
    return summary


def score_sending(
    planned: Sequence[PlannedScore],
    summarizers: Sequence[Summarizer],
    masker: Masker,
    stored: Mapping[str, str],
) -> Sending:
    """Return everything that would be sent: the prompts without a stored answer."""
    asks = [item.ask for item in planned if item.ask]
    missing = (
        (summarizer, ask.prompt, ask.budget)
        for summarizer in summarizers
        for ask in asks
        if answer_key(ask.prompt, summarizer) not in stored
    )
    return sending_of(missing, masker)


def check_asks(planned: Sequence[PlannedScore]) -> None:
    """Raise UsageProblem if the profile compacts no conversation, so that a summarizer has nothing to do."""
    if not any(item.ask for item in planned):
        first = planned[0]
        raise UsageProblem(
            f"{first.settings.profile} compacts no conversation of this corpus: {first.listed.plan.reason}. Name "
            "another profile, or leave the command out."
        )


def stored_answers(
    planned: Sequence[PlannedScore], summarizers: Sequence[Summarizer], kept: KeptAttempts
) -> dict[str, str]:
    """Return the answers of earlier runs by key. Raises OutputProblem."""
    keys = [
        answer_key(item.ask.prompt, summarizer) for summarizer in summarizers for item in planned if item.ask
    ]
    return {key: answer for key in keys if (answer := kept.answer(key)) is not None}


def summarizer_row(
    planned: Sequence[PlannedScore], summarizer: Summarizer, stored: Mapping[str, str], kept: KeptAttempts,
    allowance: Allowance, watch: OnProgress,
) -> ScoreRow:  # fmt: skip
    """Request every missing summary, and score all conversations.

    Each answer is stored as it arrives, so that an interrupted run continues where it ended. A failure is a problem of
    its conversation. Raises NotAllowed, OutputProblem and exceptions of `watch`.
    """
    scores = []
    for number, item in enumerate(planned, 1):
        if item.ask is None:
            scores.append(item.untouched())
            continue
        key = answer_key(item.ask.prompt, summarizer)
        try:
            text = stored.get(key)
            if text is None:
                kept.check_writable()
                what = f"{summarizer.name}, conversation {number} of {len(planned)}: characters"
                text = ask_model(summarizer, item.ask.prompt, allowance, counted(watch, what)).text
                kept.keep_answer(key, item.ask.place, summarizer, text)
        except AttemptError as error:
            scores.append(item.failed(str(error)))
            continue
        summary = finished_summary(text, item.ask.task)
        scores.append(
            item.scored(item.after(summary), summary)
            if summary
            else item.failed("The answer contains only thinking.")
        )
    return ScoreRow(summarizer.name, "summarizer", planned[0].settings.profile, tuple(scores))


def corpus_folder() -> Path:
    """Return the folder of the bundled corpus."""
    return fixtures_dir() / "corpus"
