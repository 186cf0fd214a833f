"""Making an attempt. Only this module sends prompts to a summarizer, and only with an allowance."""

from __future__ import annotations

import time
from collections.abc import Callable

from inspector.config.prices import rates_of, time_of
from inspector.core.errors import AttemptError, SummarizerCut
from inspector.core.rough import text_tokens
from inspector.engines.summary_input import finished_summary
from inspector.models.attempt import Ask, Attempt
from inspector.models.consent import Allowance, cost_of, prompt_tokens
from inspector.models.kept import KeptAttempts
from inspector.models.summarizers.base import Reply, Summarizer

#: Interval in seconds between saves of a growing answer; a kill loses at most that much.
_SAVE_INTERVAL = 1.0


def ask_model(
    summarizer: Summarizer, prompt: str, allowance: Allowance, watch: Callable[[int], None]
) -> Reply:
    """Send a prompt that the user allowed, and return the answer. `watch` is as for make_attempt.

    Raise NotAllowed before anything is sent, or SummarizerFailed or SummarizerCut.
    """
    allowance.take(summarizer, prompt)
    received = 0

    def on_text(text: str) -> None:
        nonlocal received
        received += len(text)
        watch(received)

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
    """Ask for a summary and store the attempt. Errors are stored in its state and problem.

    `life` is the first attempt of its series; `begins` starts a series with this attempt. `watch` is called with the
    number of characters received; its exceptions end the work, and the text received before stays, unfinished.
    Raise NotAllowed, or OutputProblem if nothing can be stored; in both cases nothing is sent.
    """
    allowance.take(summarizer, ask.prompt)
    attempt = kept.begin(
        ask, summarizer.kind, summarizer.where, summarizer.model, life=life, title=title, agent=agent
    )
    if begins:
        attempt = kept.change(attempt.id, life=attempt.id)
    running = _RunningAttempt(kept, attempt, ask, summarizer)
    pieces: list[str] = []
    received = 0

    def on_text(text: str) -> None:
        nonlocal received
        if text:
            pieces.append(text)
            received += len(text)
            running.save(pieces)
        watch(received)

    try:
        reply = summarizer.write(ask.prompt, on_text)
    except SummarizerCut as error:
        return running.finish(Reply(error.text), "unfinished", str(error))
    except AttemptError as error:
        return running.finish(Reply("".join(pieces)), "failed", str(error))
    except BaseException:
        running.finish(Reply("".join(pieces)), "unfinished", "It was interrupted.")
        raise
    return running.finish(reply, "finished", reply.note)


class _RunningAttempt:
    """An attempt in progress."""

    def __init__(self, kept: KeptAttempts, attempt: Attempt, ask: Ask, summarizer: Summarizer) -> None:
        self.kept, self.attempt, self.ask, self.summarizer = kept, attempt, ask, summarizer
        self.start = time.monotonic()
        # The first words are saved at once.
        self.last = self.start - _SAVE_INTERVAL

    def save(self, pieces: list[str]) -> None:
        """Save the text received, at most once per interval."""
        now = time.monotonic()
        if now - self.last >= _SAVE_INTERVAL:
            self.last = now
            self.kept.change(self.attempt.id, summary="".join(pieces), seconds=now - self.start)

    def finish(self, reply: Reply, state: str, problem: str) -> Attempt:
        """Save the end of the attempt, with the summary as the engine uses it."""
        text = finished_summary(reply.text, self.ask.task if state == "finished" else "")
        if state == "finished" and not text:
            state, problem = "failed", "The answer has only thinking and no summary."
        sent = prompt_tokens(self.ask.prompt) if reply.sent is None else reply.sent
        received = text_tokens(len(reply.text)) if reply.received is None else reply.received
        rates = rates_of(self.summarizer.model, time_of(0.0)) if self.summarizer.model else None
        # The cost of a failed request is unknown.
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
