"""Requests with their causes and costs, their sums, and the bills of compactions, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.answers.bills import CompactionCost
from inspector.answers.requests import OpenedRequest
from inspector.caching.costs import Cost, Rates
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.core.shares import dollars, percent, plural
from inspector.core.signs import CAUSE_WORDS
from inspector.core.text import safe_line
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, built, fields_of
from inspector.stores.wires import json_text

#: The columns of a table of cache misses.
CAUSE_COLUMNS = ("cause", ">misses", ">tokens sent again", ">US dollars more")


def bill_document(cost: CompactionCost) -> Document | None:
    """Return the cost of a compaction and its break-even; None if unknown."""
    bill, rates = cost.bill, cost.rates
    if bill is None or rates is None:
        return None
    return {
        **_priced(bill.cost, rates),
        **fields_of(bill, "requests_to_pay_off requests_after=later"),
        "paid_off": bill.paid_off if bill.same_model else None,
        **fields_of(bill, "paid_off_request=paid_by warm"),
        **fields_of(cost, "modelled=is_estimated text=words"),
    }


def request_document(priced: PricedRequest) -> Document:
    """An entry of `requests`."""
    return {
        **fields_of(
            priced.request,
            "index generation message:line model:line at:null input_tokens=input cache_read_tokens=cache_read",
            "cache_write_tokens=cache_write cache_write_1h_tokens=cache_write_1h output_tokens=output",
            "output_estimated=estimated summarizes context_tokens=context",
        ),
        **fields_of(priced.judged, "modelled=is_estimated cause missed_tokens=missed"),
        **fields_of(priced, "missed_cost=more differs:null idle_seconds=judged.idle"),
        "cost": cost_document(priced.cost, priced.rates),
        **fields_of(priced, "cost_note:null=why_no_cost recorded_cost:null=request.recorded_cost"),
    }


def cost_document(cost: Cost | None, rates: Rates | None) -> Document | None:
    """Return a cost with the date of its prices; None if unknown."""
    return None if cost is None or rates is None else _priced(cost, rates)


def _priced(cost: Cost, rates: Rates) -> Document:
    return {
        "currency": "USD",
        "amount": cost.amount,
        "of": built(cost),
        **fields_of(rates, "prices_of:null=date prices_from=source"),
    }


def sent_document(opened: OpenedRequest) -> Document:
    """The answer of `requests --sent`: a request in the provider's own form, with its cache breakpoints."""
    return {
        **fields_of(opened, "number of id=sent.id at=sent.at model:line=sent.model usage=usage.index"),
        **fields_of(opened.sent, "breakpoints system tools messages"),
    }


def sums_document(answer: Requests) -> Document:
    """Return the sums of the requests: tokens, misses and costs by cause, and the cost of idling."""
    priced, idle = answer.priced, answer.idle()
    rates = next((entry.rates for entry in priced if entry.rates is not None), None)
    return {
        "requests": len(priced),
        **fields_of(answer, "modelled=is_estimated sent_tokens=sent reported_tokens:null=reported"),
        "cache_read_tokens": sum(entry.request.cache_read for entry in priced),
        "cache_write_tokens": sum(entry.request.cache_write for entry in priced),
        "output_tokens": sum(entry.request.output for entry in priced),
        "cost": cost_document(answer.cost, rates),
        "prices_of": price_dates(priced),
        "cost_notes": list(answer.why_no_cost),
        "unlisted_summaries": len(answer.unlisted),
        **fields_of(answer, "recorded_cost:null"),
        "by_cause": [
            fields_of(entry, "cause misses missed_tokens=tokens missed_cost=more")
            for entry in answer.by_cause()
        ],
        "idle": {
            **fields_of(idle, "misses missed_tokens=tokens missed_cost=more"),
            "ttl": "1h" if idle.hour else "5m",
            **fields_of(idle, "other_ttl_cost=other.amount keep_alive_pays_up_to_seconds=gap"),
            **fields_of(idle, "keep_alive_saves=saved text=words"),
        },
    }


def print_requests(requests: Requests) -> None:
    """Print a line for each call, then the sums."""
    names = ("#", "context", "read", "written", "written 1h", "input", "output")
    table = Table(
        *(f">{name}" for name in names), ">generation", ">sent again", "cause", ">USD", "model",
        spare=("model", "written 1h", "generation", "output", "input", "context"),
    )  # fmt: skip
    for entry in requests.priced:
        judged, call = entry.judged, entry.request
        sizes = (
            call.context,
            call.cache_read,
            call.cache_write,
            call.cache_write_1h,
            call.input,
            call.output,
        )
        rough = "~" if judged.is_estimated else ""
        shown = ["" if size is None else f"{rough}{size:,}" for size in sizes]
        if call.estimated:
            shown[-1] = f"~{call.output:,}"
        cost = "" if entry.cost is None or entry.rates is None else f"{rough}{entry.cost.amount:.4f}"
        missed = f"{rough}{judged.missed:,}" if judged.missed else ""
        table.add(call.index, *shown, call.generation, missed, judged.cause, cost, safe_line(call.model))
    print_table(table)
    for entry in requests.priced:
        if entry.differs:
            say(f"request {entry.request.index:,} differs from the previous one {entry.differs}")
    print_sums(requests)


def print_sums(requests: Requests) -> None:
    """Print missed tokens by cause, the cost of all requests, and the cost of idling."""
    if rows := cause_rows(requests):
        print_table(Table(*CAUSE_COLUMNS, rows=rows))
    for sentence in (*sum_sentences(requests), *requests.idle().words):
        say(sentence)


def cause_rows(requests: Requests) -> list[tuple[str, ...]]:
    """Return a row for each cause of cache misses, in the order of CAUSE_COLUMNS."""
    return [
        (
            CAUSE_WORDS.get(entry.cause, entry.cause),
            f"{entry.misses:,}",
            f"{entry.tokens:,}",
            "–" if entry.more is None else dollars(entry.more),
        )
        for entry in requests.by_cause()
    ]


def sum_sentences(requests: Requests) -> list[str]:
    """Return sentences about the number of requests, their tokens and their cost."""
    sent, cost, sentences = requests.sent, requests.cost, []
    read = sum(entry.request.cache_read for entry in requests.priced)
    if requests.priced:
        count = plural(len(requests.priced), "request")
        sentences.append(f"{count} sent {sent:,} tokens, {percent(read, sent)} of them read from the cache.")
    if cost is not None and any(entry.rates for entry in requests.priced):
        prices = price_words(price_dates(requests.priced))
        sentences.append(f"They cost {dollars(cost.amount)} US dollars{prices}.")
    elif requests.priced:
        sentences.append(f"What they cost is not known: {'; '.join(requests.why_no_cost)}.")
    if requests.recorded_cost:
        sentences.append(recorded_words(requests.recorded_cost))
    if requests.unlisted:
        calls = f"calls for {plural(len(requests.unlisted), 'summary', 'summaries')}"
        sentences.append(f"The {calls} are not in these sums: they belong to the costs of the compactions.")
    return sentences


def recorded_words(amount: float) -> str:
    """Return the sentence about the cost in US dollars that the agent recorded."""
    return f"The agent recorded a cost of {dollars(amount)} US dollars."


def price_dates(priced: Iterable[PricedRequest]) -> list[str]:
    """Return the dates of the prices of requests, in order."""
    return sorted({entry.rates.date for entry in priced if entry.rates is not None and entry.rates.date})


def price_words(dates: Sequence[str]) -> str:
    """Return the first and the last date of prices: " at the prices of 2026-01-02 to 2026-03-04"; "" for none."""
    return f" at the prices of {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""


def print_sent(opened: OpenedRequest) -> None:
    """Print a request as sent: its parts, and their cache breakpoints."""
    sent = opened.sent
    marked = {tuple(path[:2]) for path in sent.breakpoints}
    say(f"request {opened.number:,} of {opened.of:,} · {safe_line(sent.model)}", "bold")
    for number, block in enumerate(sent.system):
        _part(f"system {number}", block.get("text"), ("system", number) in marked)
    say(f"  {len(sent.tools):,} tools")
    for number, message in enumerate(sent.messages):
        _part(f"{number} {message.get('role')}", message.get("content"), ("messages", number) in marked)


def _part(name: str, content: object, marked: bool) -> None:
    parts = content if isinstance(content, list) else [content]
    mark = " ◆ breakpoint" if marked else ""
    say(
        f"  {safe_line(name, 40)}{mark}: {safe_line(' '.join(json_text(part) for part in parts if part), 160)}"
    )
