"""Conversations as rows of tables, for an export."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.compactions import judge_compactions
from inspector.answers.fact_results import read_conversation_aftermath
from inspector.answers.findings import read_findings, split_dismissed
from inspector.answers.inspection import Inspection
from inspector.answers.losses import facts_of
from inspector.answers.requests import requests_of
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.config.cache import program_stamp
from inspector.config.dismissals import Dismissals
from inspector.config.prices import prices_stamp
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ConversationRow
from inspector.core.rough import text_tokens
from inspector.core.text import safe, safe_title
from inspector.export.document import built
from inspector.export.fact_results import event_document
from inspector.export.facts import life_document
from inspector.export.findings import finding_document
from inspector.export.generations import compaction_document
from inspector.export.requests import request_document
from inspector.models.kept import default_attempts
from inspector.quality.facts.fact import Life
from inspector.quality.losses import is_lost

Row = dict[str, Any]
#: The columns of each table with their types. `conversation` is the root session, the same in every run.
TABLES: dict[str, dict[str, type]] = {
    "conversations": {
        "conversation": str, "tip": str, "title": str, "agent": str, "model": str, "project": str, "profile": str,
        "started_at": float, "last_active": float, "messages": int, "compactions": int, "threshold_tokens": int,
        "store": str,
    },
    "compactions": {
        "conversation": str, "compaction": int, "session": str, "at": float, "trigger": str, "before": int,
        "after": int, "head_end": int, "tail_start": int, "tokens_before": int, "tokens_after": int,
        "tokens_before_reported": int, "tokens_after_reported": int, "summary_tokens": int, "fallback": int,
        "encrypted": int, "cost": float, "pays_off_after": int,
    },
    "requests": {
        "conversation": str, "request": int, "generation": int, "model": str, "at": float, "input_tokens": int,
        "cache_read_tokens": int, "cache_write_tokens": int, "output_tokens": int, "context_tokens": int, "cause": str,
        "missed_tokens": int, "missed_cost": float, "modelled": int, "cost": float,
    },
    "facts": {
        "conversation": str, "compaction": int, "fact": str, "category": str, "role": str, "text": str, "value": str,
        "rule": int, "message": int, "generation": int, "index": int, "fate_first": str, "fate": str, "where": str,
        "decided_by": str, "is_lost": int, "died": int, "rank": float,
    },
    "aftermath": {
        "conversation": str, "compaction": int, "kind": str, "message": int, "generation": int, "index": int,
        "earlier": int, "text": str, "tokens": int, "fact": str, "category": str, "fate": str, "decided_by": str,
    },
    "findings": {
        "conversation": str, "rule": str, "severity": str, "compaction": int, "message": int, "generation": int,
        "index": int, "text": str,
    },
}  # fmt: skip


class TableRows(Struct, frozen=True):
    """Every row of one conversation, by table, and a stamp that changes with the conversation.

    `has_unread`: a part of the conversation cannot be read.
    """

    conversation: str
    stamp: str
    rows: dict[str, list[Row]]
    has_unread: bool = False


def stamps(answers: Answers) -> Iterator[tuple[str, ConversationRow, str]]:
    """Yield every conversation with its key and its stamp. Reads no message.

    The stamp changes with the conversation, its judgements, the program with its rules, the prices and the given
    settings.

    The key is the root session, which stays the same while a conversation grows. If a second conversation has the same
    root, its key is its newest session.
    """
    roots: set[str] = set()
    dismissals = Dismissals.load()
    config = b""
    with suppress(OSError):
        # A file that cannot be read is reported with the first conversation.
        config = b"" if answers.config is None else answers.config.read_bytes()
    given = program_stamp(), prices_stamp(), repr(sorted(answers.flags.items())), config
    common = hashlib.blake2b(repr(given).encode(), digest_size=8).hexdigest()
    judged = default_attempts().fact_answer_stamps()
    for row in answers.store.conversations():
        key = row.id if row.root in roots else row.root
        roots.add(row.root)
        yield (
            key,
            row,
            f"{answers.store.stamp(row.id)} {common}{dismissals.stamp(row.root)}{judged.get(row.root, '')}",
        )


def table_rows(answers: Answers, key: str, row: ConversationRow, stamp: str) -> TableRows:
    """Return the rows of one conversation. Raises StoreErrors and EngineErrors."""
    inspection, resolved = answers.opened(row.id)
    requests = requests_of(inspection, resolved)
    rows = {
        "conversations": [_conversation(inspection, resolved, row)],
        "compactions": _compactions(inspection, resolved, requests),
        "requests": list(map(_request, requests.priced)),
        "facts": list(map(_fact, facts_of(inspection).lives)),
        "aftermath": list(map(event_document, read_conversation_aftermath(answers, row.id).events)),
        "findings": list(
            map(finding_document, split_dismissed(inspection, read_findings(inspection, resolved))[0])
        ),
    }
    whole = {name: _whole(name, key, entries) for name, entries in rows.items()}
    return TableRows(key, stamp, whole, inspection.conversation.has_unread)


def _whole(table: str, key: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with every column of their table, in order."""
    return [
        {column: key if column == "conversation" else row.get(column) for column in TABLES[table]}
        for row in rows
    ]


def _conversation(inspection: Inspection, resolved: ResolvedSettings, row: ConversationRow) -> Row:
    plan = inspection.plan(inspection.conversation.live, resolved.settings)
    document: Row = built(row)
    return document | {
        "tip": row.id,
        "messages": len(inspection.conversation.live),
        "title": safe_title(row.unmasked_title),
        "project": row.folder,
        "profile": resolved.settings.profile,
        "started_at": row.started_at or None,
        "last_active": row.last_active or None,
        "compactions": len(inspection.compactions()),
        "threshold_tokens": plan.budgets.threshold_tokens,
        "store": str(inspection.store.path),
    }


def _compactions(inspection: Inspection, resolved: ResolvedSettings, requests: Requests) -> list[Row]:
    rows = []
    for entry in judge_compactions(inspection, resolved, requests, ()):
        compaction, bill = entry.compared.recorded, entry.cost.bill
        columns = {
            "compaction": compaction.index,
            "at": compaction.at or None,
            "summary_tokens": None if compaction.summary is None else text_tokens(len(compaction.summary)),
            "fallback": int(compaction.fallback),
            "encrypted": int(compaction.encrypted),
            "cost": None if bill is None else bill.cost.amount,
            "pays_off_after": None if bill is None else bill.requests_to_pay_off,
        }
        rows.append(compaction_document(entry) | columns)
    return rows


def _request(priced: PricedRequest) -> Row:
    document = request_document(priced)
    cost = document["cost"]
    return document | {
        "request": document["index"],
        "modelled": int(document["modelled"]),
        "cost": None if cost is None else cost["amount"],
    }


def _fact(life: Life) -> Row:
    fact, fates = life.fact, life.fates
    return life_document(life) | {
        "fact": fact.key,
        "text": safe(fact.text),
        "rule": int(fact.binds),
        "rank": fact.rank,
        "fate_first": fates[0].outcome if fates else None,
        "fate": fates[-1].outcome if fates else None,
        "where": fates[-1].where if fates else None,
        "decided_by": fates[-1].decided_by if fates else None,
        "is_lost": int(bool(fates) and is_lost(life.seen(fates[-1].compaction))),
    }
