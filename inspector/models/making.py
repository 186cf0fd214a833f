"""Making an attempt: the only way by which a prompt reaches a summarizer, and only with an allowance."""

from __future__ import annotations

import time
from collections.abc import Callable

from inspector.config.prices import day_of, rates_of
from inspector.core.errors import AttemptError, SummarizerCut
from inspector.core.rough import text_tokens
from inspector.engines.summary_input import finished_summary
from inspector.models.attempt import Ask, Attempt
from inspector.models.consent import Allowance, cost_of, prompt_tokens
from inspector.models.kept import KeptAttempts
from inspector.models.summarizers.base import OnText, Reply, Summarizer

#: What has come is kept at most so often while more comes, in seconds: a kill loses no more than that.
_KEEP = 1.0


def ask_model(summarizer: Summarizer, prompt: str, allowance: Allowance, on_text: OnText) -> Reply:
    """Send a prompt that the user allowed, and read the answer. Raises NotAllowed before anything is sent, and
    SummarizerFailed and SummarizerCut."""
    allowance.take(summarizer, prompt)
    return summarizer.write(prompt, on_text)


def make_attempt(
    kept: KeptAttempts,
    ask: Ask,
    summarizer: Summarizer,
    allowance: Allowance,
    watch: Callable[[int], None],
    *,
    life: int | None = None,
    begins: bool = False,
    title: str = "",
    agent: str = "",
) -> Attempt:
    """Have a summary written, and keep all of it. What goes wrong is kept too: the attempt's state and problem say so.

    `life` is the life that it belongs to; `begins` makes it the first of one. `watch` is told how many characters have
    come; what it raises ends the work, and what had come stays, unfinished.
    Raises NotAllowed, and OutputProblem where nothing can be kept: then nothing is sent.
    """
    allowance.take(summarizer, ask.prompt)
    attempt = kept.begin(
        ask, summarizer.kind, summarizer.where, summarizer.model, life=life, title=title, agent=agent
    )
    if begins:
        attempt = kept.change(attempt.id, life=attempt.id)
    begun = _Begun(kept, attempt, ask, summarizer)
    pieces: list[str] = []
    came = 0

    def on_text(text: str) -> None:
        nonlocal came
        if text:
            pieces.append(text)
            came += len(text)
            begun.so_far(pieces)
        watch(came)

    try:
        reply = summarizer.write(ask.prompt, on_text)
    except SummarizerCut as error:
        return begun.over(Reply(error.text), "unfinished", str(error))
    except AttemptError as error:
        return begun.over(Reply("".join(pieces)), "failed", str(error))
    except BaseException:
        begun.over(Reply("".join(pieces)), "unfinished", "It was interrupted.")
        raise
    return begun.over(reply, "finished", reply.note)


class _Begun:
    """An attempt that is being made."""

    def __init__(self, kept: KeptAttempts, attempt: Attempt, ask: Ask, summarizer: Summarizer) -> None:
        self.kept, self.attempt, self.ask, self.summarizer = kept, attempt, ask, summarizer
        self.start = time.monotonic()
        # The first words are kept at once.
        self.last = self.start - _KEEP

    def so_far(self, pieces: list[str]) -> None:
        """Keep what has come, now and then."""
        now = time.monotonic()
        if now - self.last >= _KEEP:
            self.last = now
            self.kept.change(self.attempt.id, summary="".join(pieces), seconds=now - self.start)

    def over(self, reply: Reply, state: str, problem: str) -> Attempt:
        """Keep how it ended. What stands in the list is the answer as the engine takes it."""
        text = finished_summary(reply.text, self.ask.task if state == "finished" else "")
        if state == "finished" and not text:
            state, problem = "failed", "It answered with its thinking alone."
        sent = prompt_tokens(self.ask.prompt) if reply.sent is None else reply.sent
        received = text_tokens(len(reply.text)) if reply.received is None else reply.received
        rates = rates_of(self.summarizer.model, day_of(0.0)) if self.summarizer.model else None
        # Of a request that failed nobody knows what it cost.
        cost = cost_of(rates, sent, received) if state != "failed" else None
        return self.kept.change(
            self.attempt.id,
            summary=text,
            state=state,
            problem=problem,
            sent=sent,
            received=received,
            reported=int(reply.sent is not None and reply.received is not None),
            seconds=time.monotonic() - self.start,
            cost=None if cost is None else cost.amount,
            prices="" if rates is None else f"{rates.source} {rates.date}".strip(),
        )
