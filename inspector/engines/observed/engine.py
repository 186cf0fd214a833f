"""The engine of agents whose rules were observed. It compacts at a number of tokens, keeps the newest messages and
summarizes the other messages."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable
from itertools import accumulate, takewhile
from types import MappingProxyType

from msgspec.structs import replace

from inspector.core.conversations import ASSISTANT, SYSTEM, TOOL, USER, role_code
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images, text_tokens
from inspector.engines.base import Budgets, DerivationStep, Plan, Settings
from inspector.engines.loop import BEFORE_REQUESTS
from inspector.engines.observed.rules import Observed
from inspector.engines.settings import SETTINGS

#: Tokens of a picture in pi's estimate.
_PICTURE = 1_200
_FIXED_TAIL, _FIXED_THRESHOLD = "the kept messages are as observed", "the threshold is as observed"
#: Settings without an effect, each with the reason. Rules of some agents use `max_tokens` or `tail_tokens`.
_UNUSED = MappingProxyType(
    {
        "target_ratio": _FIXED_TAIL,
        "protect_first_n": _FIXED_TAIL,
        "protect_last_n": _FIXED_TAIL,
        "max_tokens": _FIXED_THRESHOLD,
        "summary_context": _FIXED_THRESHOLD,
        "message_limit": _FIXED_THRESHOLD,
        "tail_tokens": _FIXED_TAIL,
    }
)


def _text_tokens(message: Message, rules: Observed) -> int:
    """Return the agent's own estimate of a message in tokens: of its texts and calls, not of the JSON around them."""
    text = len(message.text)
    if rules.shortens is not None and message.role == "tool" and text > rules.shortens[0]:
        text = rules.shortens[1]
    reasoning = message.wire.get("reasoning_content")
    lengths = [size for size in (text, len(reasoning) if isinstance(reasoning, str) else 0) if size]
    pictures = _PICTURE * message_images(message.wire)
    if rules.around:
        calls = [
            text_tokens(len(call.name)) + text_tokens(len(call.arguments)) for call in message.tool_calls
        ]
        parts = [*map(text_tokens, lengths), *calls]
        return sum(parts) + rules.around * (len(parts) + 1) + pictures
    called = sum(len(call.name) + _json_chars(call.arguments) for call in message.tool_calls)
    return text_tokens(sum(lengths) + called) + pictures


def _json_chars(arguments: str) -> int:
    """Return the number of characters of JSON without spaces between its values; of other text, the number of all."""
    try:
        return len(json.dumps(json.loads(arguments), separators=(",", ":"), ensure_ascii=False))
    except (ValueError, RecursionError):
        return len(arguments)


class ObservedIndex:
    """The token index of a list: rough sizes and roles of its messages.

    `chars[n]` and `images[n]` count the characters and the pictures of messages [0:n]. `texts[n]` is the agent's own
    estimate of these messages in tokens, with tool results as the agent shortens them. `dropped` is the number of first
    messages that cannot stay again: the last summary, and the messages that its compaction kept.
    """

    def __init__(self, messages: Iterable[Message], rules: Observed) -> None:
        self.chars = array("q", [0])
        self.images = array("q", [0])
        self.texts = array("q", [0])
        #: The indexes of summaries.
        self.summaries: set[int] = set()
        self.dropped = 0
        roles = bytearray()
        made = 0.0
        for message in messages:
            self.texts.append(self.texts[-1] + _text_tokens(message, rules))
            self.chars.append(self.chars[-1] + message_chars(message.wire))
            self.images.append(self.images[-1] + message_images(message.wire))
            if message.summary:
                self.summaries.add(len(roles))
                made = message.timestamp
            if message.timestamp < made < rules.drops_kept_until:
                self.dropped = len(roles) + 1
            roles.append(role_code(message.role))
        self.roles = bytes(roles)

    def __len__(self) -> int:
        return len(self.roles)

    def tokens(self, index: int) -> int:
        """Return the rough size of one message, in tokens."""
        return self.between(index, index + 1)

    def pruned_tokens(self, index: int) -> int:
        """Return the rough size of one message, in tokens. Observed agents prune nothing."""
        return self.tokens(index)

    def total(self) -> int:
        """Return the rough size of the list, in tokens."""
        return self.between(0, len(self))

    def rough_until(self, stop: int) -> int:
        """Return the rough size of the first `stop` messages, in tokens."""
        return self.between(0, stop)

    def between(self, start: int, stop: int) -> int:
        """Return the rough size of the messages [start:stop], in tokens."""
        return list_tokens(self.chars[stop] - self.chars[start], self.images[stop] - self.images[start])


class ObservedEngine:
    """An engine with the observed rules of one agent."""

    def __init__(self, rules: Observed) -> None:
        self._rules = rules
        self.name, self.summary = rules.name, rules.summary
        #: Whether long results are shortened before a list is compacted.
        self.shortens = rules.shortens is not None
        self.loop = BEFORE_REQUESTS._replace(
            background=rules.background,
            turns_end=rules.turns_end,
            reports=not rules.counts_tools,
            reasoning=rules.reasoning,
        )

    def default_threshold(self, context_length: int) -> float:
        """Return the observed threshold as a share of the window, at most 1.

        If the reserve is as large as the window, return the lowest threshold: the agent compacts at every request.
        """
        rules = self._rules
        reserve = 0 if rules.reserves_output else rules.reserve
        return min(
            rules.share_at_most, max(SETTINGS["threshold"].low, rules.share - reserve / context_length)
        )

    def budgets(self, settings: Settings) -> Budgets:
        """Return the sizes of threshold, kept tail and summary in tokens, each with its evidence."""
        rules = self._rules
        kept_tokens = self._tail_tokens(settings) + rules.keeps_user
        configured, threshold = round(settings.context_length * settings.threshold), self._threshold(settings)
        observed = round(settings.context_length * self.default_threshold(settings.context_length))
        steps = [DerivationStep("observed", observed, rules.why_threshold, bound=threshold == observed)]
        if configured != observed:
            why = f"the threshold is set to {settings.threshold:g} of {settings.context_length:,} tokens"
            steps.append(DerivationStep("configured", configured, why, bound=True))
        if threshold != configured:
            output = _output(settings)
            free = (
                f"{output:,} tokens for the output and {rules.reserve:,} more"
                if output
                else f"{rules.reserve:,} tokens"
            )
            why = f"{free} stay free"
            if threshold == settings.context_length:
                why = f"{why}, so the agent compacts only a list that no longer fits"
            steps.append(DerivationStep("headroom", threshold, why, bound=True))
        kept = DerivationStep("observed", kept_tokens, rules.why_tail)
        if rules.tail_is_set and settings.tail_tokens is not None:
            why = f"tail_tokens is {settings.tail_tokens:,}"
            kept = DerivationStep("configured", kept_tokens, why, bound=True)
        unused = dict(_UNUSED)
        if rules.tail_is_set:
            del unused["tail_tokens"]
        if rules.reserves_output:
            del unused["max_tokens"]
        return Budgets(
            threshold_tokens=threshold,
            tail_token_budget=kept_tokens,
            max_summary_tokens=rules.summary_tokens,
            hygiene_tokens=0,
            steps={
                "threshold_tokens": tuple(steps),
                "tail_token_budget": (kept,),
                "max_summary_tokens": (DerivationStep("observed", rules.summary_tokens, rules.why_summary),),
            },
            also_used=("tail_tokens",) if rules.tail_is_set else (),
            unused_reasons=unused,
            observed=True,
        )

    def _budgets_of(self, total: int, settings: Settings) -> Budgets:
        """Return the budgets for a list of `total` tokens. Some agents limit the tail to a share of the list."""
        budgets, share = self.budgets(settings), self._rules.tail_share
        limit = round(share * total)
        if share == 1 or limit >= budgets.tail_token_budget:
            return budgets
        step = DerivationStep("list", limit, f"{share:g} of the list's ~{total:,} tokens", bound=True)
        tail = (*budgets.steps["tail_token_budget"], step)
        return replace(budgets, tail_token_budget=limit, steps={**budgets.steps, "tail_token_budget": tail})

    def measure(self, messages: Iterable[Message]) -> ObservedIndex:
        """Return the token index of a list. Reads each message once."""
        return ObservedIndex(messages, self._rules)

    def plan(
        self, token_index: ObservedIndex, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """Return the plan of a compaction of the whole list. The number of earlier `compactions` changes nothing."""
        rules, length = self._rules, len(token_index)
        head = min(rules.keeps_head, length)
        tail = max(head, self._tail_start(token_index, settings))
        compacts = tail > head
        total = token_index.total()
        kept = self._kept_messages(token_index, tail) if compacts else frozenset[int]()
        head_tokens = token_index.rough_until(head) if compacts else total
        tail_tokens = token_index.between(tail, length) + sum(map(token_index.tokens, kept))
        after = head_tokens + tail_tokens + rules.summary_tokens + system_tokens
        return Plan(
            profile=self.name,
            budgets=self._budgets_of(total, settings),
            length=length,
            compacts=compacts,
            reason="" if compacts else "all messages of the list would stay",
            head_end=head if compacts else length,
            tail_start=tail if compacts else length,
            prune_before=0,
            pruned=(),
            summarized_from=head if compacts else 0,
            summary_budget=rules.summary_tokens,
            # If messages of the user stay, the summary needs another role.
            role="" if not compacts else "assistant" if rules.keeps_user else "user",
            merged=False,
            head_tokens=head_tokens,
            middle_tokens=total - head_tokens - tail_tokens if compacts else 0,
            tail_tokens=tail_tokens if compacts else 0,
            tokens_before=total + system_tokens,
            tokens_after=after if compacts else total + system_tokens,
            summary_tokens=rules.summary_tokens if compacts else 0,
            kept=kept,
        )

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """Return "agent" if a list of `tokens` reaches the threshold, else None."""
        return "agent" if tokens >= self._threshold(settings) else None

    def shortened(self, message: Message) -> Message:
        """Return a message as the agent shortens it: a long tool result keeps only the beginning of its text."""
        limits = self._rules.shortens
        text = message.text if limits is not None and message.role == "tool" else ""
        if limits is None or len(text) <= limits[0]:
            return message
        return replace(message, wire={**message.wire, "content": text[: limits[1]]})

    def _threshold(self, settings: Settings) -> int:
        """Return the threshold in tokens. If output and reserve fill the window, return the whole window."""
        window, rules = settings.context_length, self._rules
        configured = round(window * settings.threshold)
        if not rules.reserves_output:
            return configured
        room = window - _output(settings) - rules.reserve
        return min(configured, room) if room > 0 else window

    def _tail_tokens(self, settings: Settings) -> int:
        """Return the size of the tail that stays, in tokens."""
        rules, window = self._rules, settings.context_length
        if rules.tail_is_set and settings.tail_tokens is not None:
            return settings.tail_tokens
        if rules.reserves_output:
            window = max(0, window - _output(settings))
        if rules.tail_of_room:
            room = round(window * self.default_threshold(window))
            return min(rules.tail_tokens, max(rules.tail_least, int(rules.tail_of_room * room)))
        return max(rules.tail_tokens, int(rules.tail_of_window * window))

    def _tail_start(self, index: ObservedIndex, settings: Settings) -> int:
        """Return the index at which the tail starts, or the length of the list if there is no tail. A tail never
        begins with a tool result whose call is removed."""
        rules, length = self._rules, len(index)
        if rules.keeps_answer:
            return max(index.roles.rfind(ASSISTANT), 0) if ASSISTANT in index.roles else length
        if rules.keeps_call:
            last = index.roles.rfind(ASSISTANT)
            return last if last >= 0 and set(index.roles[last + 1 :]) == {TOOL} else length
        if rules.keeps_last:
            spoken = [at for at, role in enumerate(index.roles) if role in (ASSISTANT, USER)]
            return spoken[-rules.keeps_last] if len(spoken) > rules.keeps_last else 0
        budget = min(self._tail_tokens(settings), round(rules.tail_share * index.total()))
        if not budget and not rules.keeps_half:
            return length
        start, least = length, index.dropped
        if rules.keeps_half:
            start = length - max(0, length // 2 - rules.keeps_head - 2)
        elif rules.keeps_crossing:
            while start > least and index.texts[length] - index.texts[start - 1] < budget:
                start -= 1
        else:
            while start > 0 and index.between(start - 1, length) <= budget:
                start -= 1
        if start == 0 and rules.summarizes_short:
            return length
        if rules.keeps_crossing and start > least:
            start -= 1
        if rules.begins_with_user:
            return _user_from(index.roles, start)
        while rules.keeps_pairs and 0 < start < length and index.roles[start] == TOOL:
            start -= 1
        while start < length and index.roles[start] == TOOL:
            start += 1
        if rules.keeps_crossing and start == length:
            # Only tool results fit into the tail, so it begins with the last message that is not a tool result.
            while start > least and (start == length or index.roles[start] == TOOL):
                start -= 1
        return start

    def _kept_messages(self, index: ObservedIndex, tail_start: int) -> frozenset[int]:
        """Return the indexes of the messages that stay although they are before the tail."""
        users = (at for at in range(tail_start - 1, -1, -1) if index.roles[at] == USER)
        written = [at for at in users if at not in index.summaries]
        if self._rules.keeps_question:
            return frozenset(written[:1])
        sizes = accumulate(map(index.tokens, written))
        kept = {at for at, size in zip(written, sizes, strict=True) if size <= self._rules.keeps_user}
        if self._rules.keeps_context:
            first = index.roles.find(SYSTEM)
            context = range(first, tail_start) if first >= 0 else ()
            kept.update(takewhile(lambda at: index.roles[at] == SYSTEM, context))
        return frozenset(kept)


def _output(settings: Settings) -> int:
    """Return the tokens that are reserved for an answer; 0 if no limit is known."""
    return settings.max_tokens or 0


def _user_from(roles: bytes, start: int) -> int:
    """Return the index of the first message of the user from `start` on.

    Without such a message, return the length of the list if its last message is an answer, else the index of the last
    message of the user.
    """
    first = roles.find(USER, start)
    if first >= 0:
        return first
    return len(roles) if roles.endswith(bytes([ASSISTANT])) else max(roles.rfind(USER), 0)
