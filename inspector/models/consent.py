"""Before anything leaves: what would go where, and the one value that lets it go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from inspector.caching.costs import Cost, Rates, total
from inspector.config.prices import day_of, rates_of
from inspector.core.errors import NotAllowed
from inspector.core.rough import text_tokens
from inspector.core.text import safe_line
from inspector.models.summarizers.base import Summarizer

#: Prompts that are only known later may be so many times as long as was told before.
_ROOM = 1.5
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Recipient:
    """What one summarizer would get: `requests` prompts of `tokens` together (rough), to be answered with `answers`
    tokens at most. `cost` is about what that costs, None where no price is known; `prices` says where that is from."""

    to: str
    key: tuple[str, str, str]
    requests: int
    tokens: int
    answers: int
    cost: Cost | None
    prices: str = ""

    @property
    def sentence(self) -> str:
        """What would be sent, and what it would cost, as a person is told."""
        many = "1 prompt" if self.requests == 1 else f"{self.requests:,} prompts"
        sent = f"{many} of ~{self.tokens:,} tokens{' together' if self.requests > 1 else ''} to {self.to}"
        if self.cost is not None:
            return f"{sent}: about {money(self.cost.amount)} with ~{self.answers:,} tokens of answer ({self.prices})."
        if self.key[0] == "command":
            return f"{sent}. What that costs only the command knows."
        return f"{sent}. No price is known of {safe_line(self.key[2])}; prices.yaml can name it."


@dataclass(frozen=True, slots=True)
class Sending:
    """Everything that an order would send. `masked` has the kinds of secrets that were taken out, with how many of
    each; `masking` is false where that was switched off. `growing`: later prompts are made from the answers before, so
    that their sizes are estimates."""

    recipients: tuple[Recipient, ...]
    masked: Mapping[str, int] = field(default_factory=dict)
    masking: bool = True
    growing: bool = False

    @property
    def requests(self) -> int:
        """How many prompts there are."""
        return sum(one.requests for one in self.recipients)

    @property
    def tokens(self) -> int:
        """Their rough tokens."""
        return sum(one.tokens for one in self.recipients)

    @property
    def cost(self) -> Cost | None:
        """What all of it would about cost; None where a price is missing."""
        return total(one.cost for one in self.recipients)

    @property
    def secrets(self) -> str:
        """What was taken out, in a sentence."""
        if not self.masking:
            return "Masking is switched off: keys and passwords in the messages are sent as they are."
        if not self.masked:
            return "No secrets were found in it."
        kinds = ", ".join(f"{count:,} × {kind}" for kind, count in self.masked.items())
        return f"Masked before: {kinds}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that is said before anything is sent."""
        later = ("Later prompts hold the answers before: their sizes are estimates.",) if self.growing else ()
        return (*(one.sentence for one in self.recipients), *later, self.secrets)


def money(amount: float) -> str:
    """US dollars as a person reads them."""
    return f"{amount:.2f} US dollars" if amount >= 0.1 else f"{amount:.4f} US dollars"


def recipient_of(summarizer: Summarizer, prompts: Sequence[int], answers: Sequence[int]) -> Recipient:
    """What a summarizer would get: prompts of so many tokens, each to be answered with so many at most."""
    rates = rates_of(summarizer.model, day_of(0.0)) if summarizer.model else None
    cost = total(cost_of(rates, sent, received) for sent, received in zip(prompts, answers, strict=True))
    prices = "" if rates is None else f"{rates.source}, {rates.date}".rstrip(", ")
    return Recipient(
        summarizer.to, key_of(summarizer), len(prompts), sum(prompts), sum(answers), cost, prices
    )


def cost_of(rates: Rates | None, sent: int, received: int) -> Cost | None:
    """What a request costs that reads nothing from a cache; None where a price is not known."""
    rates = None if rates is None else rates.at(sent)
    if rates is None or rates.input is None or rates.output is None:
        return None
    return Cost(sent * rates.input / _MILLION, 0.0, received * rates.output / _MILLION)


def key_of(summarizer: Summarizer) -> tuple[str, str, str]:
    """What makes two summarizers the same recipient."""
    return summarizer.kind, summarizer.where, summarizer.model


def prompt_tokens(prompt: str) -> int:
    """The rough tokens of a prompt."""
    return text_tokens(len(prompt))


class Allowance:
    """What a user allowed to be sent: without one nothing goes out. Every prompt is taken off it."""

    def __init__(self, sending: Sending) -> None:
        """Only who has asked the user, or was told by a flag, makes one of what was shown."""
        self.masking = sending.masking
        self._lock = Lock()
        room = _ROOM if sending.growing else 1.0
        self._left = {one.key: [one.requests, int(one.tokens * room)] for one in _merged(sending.recipients)}

    def take(self, summarizer: Summarizer, prompt: str) -> None:
        """Take a prompt off. Raises NotAllowed where it goes to another, is one too many, or larger than was told."""
        with self._lock:
            left = self._left.get(key_of(summarizer))
            if left is None:
                raise NotAllowed(f"Nothing was allowed to be sent to {summarizer.to}, so nothing was sent.")
            size = prompt_tokens(prompt)
            if left[0] < 1 or left[1] < size:
                raise NotAllowed(
                    f"A prompt of ~{size:,} tokens is more than was allowed to be sent to {summarizer.to}, so it was "
                    "not sent."
                )
            left[0] -= 1
            left[1] -= size


def _merged(recipients: Iterable[Recipient]) -> list[Recipient]:
    by_key: dict[tuple[str, str, str], Recipient] = {}
    for one in recipients:
        known = by_key.get(one.key, one)
        if known is not one:
            one = replace(one, requests=known.requests + one.requests, tokens=known.tokens + one.tokens)
        by_key[one.key] = one
    return list(by_key.values())
