"""Consent: a description of everything that would be sent, and the allowance to send it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from msgspec import Struct, field

from inspector.caching.costs import Cost, Rates, total
from inspector.config.prices import rates_of, time_of
from inspector.core.errors import NotAllowed
from inspector.core.rough import text_tokens
from inspector.core.shares import dollars, plural
from inspector.core.text import safe_line
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer

#: Later prompts may exceed their estimated sizes by this factor.
_MAX_GROWTH = 1.5
_MILLION = 1_000_000


class Recipient(Struct, frozen=True):
    """Prompts for one summarizer: their number, their rough tokens in total, and the most `answers` tokens.

    `cost` is an estimate, None if no price is known; `prices` is the source of the prices.
    """

    to: str
    key: tuple[str, str, str]
    requests: int
    tokens: int
    answers: int
    cost: Cost | None
    prices: str = ""

    @property
    def sentence(self) -> str:
        """Return what would be sent and its cost, for the user."""
        together = " together" if self.requests > 1 else ""
        sent = f"{plural(self.requests, 'prompt')} of ~{self.tokens:,} tokens{together} to {self.to}"
        if self.cost is not None:
            cost = f"about {dollars(self.cost.amount)} US dollars"
            return f"{sent}: {cost} with ~{self.answers:,} tokens of answer ({self.prices})."
        if self.key[0] == "command":
            return f"{sent}. The cost is unknown: it depends on the command."
        return f"{sent}. The price of {safe_line(self.key[2])} is unknown; add it to prices.yaml."


class Sending(Struct, frozen=True):
    """Everything that a command would send.

    `masked` is kind → number of masked secrets; `masking` is false if masking is switched off. `growing`: later prompts
    contain earlier answers, so their sizes are estimates.
    """

    recipients: tuple[Recipient, ...]
    masked: Mapping[str, int] = field(default_factory=dict)
    masking: bool = True
    growing: bool = False

    @property
    def requests(self) -> int:
        """Return the number of prompts."""
        return sum(recipient.requests for recipient in self.recipients)

    @property
    def tokens(self) -> int:
        """Return the rough tokens of all prompts."""
        return sum(recipient.tokens for recipient in self.recipients)

    @property
    def cost(self) -> Cost | None:
        """Return the estimated cost of all prompts, None if a price is missing."""
        return total(recipient.cost for recipient in self.recipients)

    @property
    def secrets(self) -> str:
        """Return a sentence about the masked secrets."""
        if not self.masking:
            return "Masking is switched off: keys and passwords in the messages are sent unchanged."
        if not self.masked:
            return "No secrets were found."
        kinds = ", ".join(f"{count:,} × {kind}" for kind, count in self.masked.items())
        return f"Masked before sending: {kinds}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return all sentences that are shown before anything is sent."""
        later = (
            ("Later prompts contain earlier answers, so their sizes are estimates.",) if self.growing else ()
        )
        return (*(recipient.sentence for recipient in self.recipients), *later, self.secrets)


def sending_of(prompts: Iterable[tuple[Summarizer, str, int]], masker: Masker) -> Sending:
    """Return everything that (summarizer, prompt, most tokens of the answer) would send, by summarizer."""
    by_summarizer: dict[Summarizer, list[tuple[int, int]]] = {}
    for summarizer, prompt, answer in prompts:
        by_summarizer.setdefault(summarizer, []).append((prompt_tokens(prompt), answer))
    recipients = tuple(_recipient(one, sizes) for one, sizes in by_summarizer.items())
    return Sending(recipients, masker.counts, masker.on)


def _recipient(summarizer: Summarizer, sizes: Sequence[tuple[int, int]]) -> Recipient:
    """Return the recipient of prompts; `sizes` are the tokens of each and of its longest answer."""
    rates = rates_of(summarizer.model, time_of(0.0)) if summarizer.model else None
    cost = total(cost_of(rates, sent, received) for sent, received in sizes)
    prices = "" if rates is None else f"{rates.source}, {rates.date}".rstrip(", ")
    prompts, answers = (sum(tokens) for tokens in zip(*sizes, strict=True))
    return Recipient(summarizer.to, key_of(summarizer), len(sizes), prompts, answers, cost, prices)


def cost_of(rates: Rates | None, sent: int, received: int) -> Cost | None:
    """Return the cost of a request without cache reads, None if a price is unknown."""
    rates = None if rates is None else rates.at(sent)
    if rates is None or rates.input is None or rates.output is None:
        return None
    return Cost(sent * rates.input / _MILLION, 0.0, received * rates.output / _MILLION)


def key_of(summarizer: Summarizer) -> tuple[str, str, str]:
    """Return the key of a recipient: kind, address or command, and model."""
    return summarizer.kind, summarizer.where, summarizer.model


def prompt_tokens(prompt: str) -> int:
    """Return the rough tokens of a prompt."""
    return text_tokens(len(prompt))


class Allowance:
    """The user's permission to send prompts. Every prompt that is sent reduces it."""

    def __init__(self, sending: Sending) -> None:
        """Create an allowance only after the user agreed to `sending`, by an answer or a flag."""
        self.masking = sending.masking
        self._lock = Lock()
        factor = _MAX_GROWTH if sending.growing else 1.0
        self._left: dict[tuple[str, str, str], tuple[int, float]] = {}
        for recipient in sending.recipients:
            requests, tokens = self._left.get(recipient.key, (0, 0.0))
            self._left[recipient.key] = requests + recipient.requests, tokens + recipient.tokens * factor

    def take(self, summarizer: Summarizer, prompt: str) -> None:
        """Use the allowance for a prompt. Raise NotAllowed for another recipient, or too many or too large prompts."""
        with self._lock:
            key = key_of(summarizer)
            if key not in self._left:
                raise NotAllowed(f"You did not allow prompts to {summarizer.to}. Nothing was sent.")
            (requests, tokens), size = self._left[key], prompt_tokens(prompt)
            if requests < 1 or tokens < size:
                raise NotAllowed(
                    f"A prompt of ~{size:,} tokens is more than you allowed for {summarizer.to}. It was not sent."
                )
            self._left[key] = requests - 1, tokens - size
