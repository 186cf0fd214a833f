"""The answer to each command as a document; the app asks some of the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from inspector.answers.inspection import Inspection
from inspector.answers.resolving import caching_release, info_for, policy_of, resolve, ttl_of
from inspector.caching.breakpoints import Breakpoint, Layout, Ttl, breakpoints
from inspector.config.settings import ConfigReading, ResolvedSettings, read_config, resolve_settings
from inspector.core.conversations import Generation
from inspector.core.errors import BadInput, UnknownConversation
from inspector.core.handoff import is_handoff
from inspector.core.messages import Message, messages_from
from inspector.core.text import safe_line, safe_title
from inspector.export import documents
from inspector.export.documents import Document
from inspector.quality.finding import SEVERITIES, Severity
from inspector.stores.base import Store
from inspector.stores.hermes.store import HermesStore
from inspector.stores.several import SeveralStores


def paths_of(store: Store) -> tuple[Path, ...]:
    """The files of a store's databases."""
    stores = store.stores if isinstance(store, SeveralStores) else (store,)
    return tuple(one.info.path for one in stores)


class Answers:
    """The commands' answers about one store."""

    def __init__(self, store: Store, flags: Mapping[str, Any], config: Path | None) -> None:
        self.store = store
        self.flags = flags
        self.config = config
        self._notes: list[str] = []

    def notes(self) -> list[str]:
        """Sentences for the person at the terminal, each once."""
        return list(dict.fromkeys([*self.store.info.notes, *self._notes]))

    def note(self, sentence: str) -> None:
        """Something else to be told to the person at the terminal."""
        self._notes.append(sentence)

    @classmethod
    def of(cls, paths: Sequence[Path], flags: Mapping[str, Any], config: Path | None) -> Answers:
        """The answers about one database, or about several read as one. Raises StoreErrors."""
        from inspector.stores.detect import open_store

        stores = [open_store(path) for path in paths]
        return cls(stores[0] if len(stores) == 1 else SeveralStores(stores, paths[0].parent), flags, config)

    def paths(self) -> tuple[Path, ...]:
        """The files of the databases."""
        return paths_of(self.store)

    def opened(self, name: str) -> tuple[Inspection, ResolvedSettings]:
        """A conversation and the settings in force for it; what is to be said of them is noted."""
        inspection = Inspection.open(self.store, name)
        resolved = resolve(self.store, inspection.conversation.row, self.flags, self.config)
        self._notes += [*inspection.conversation.notes, *resolved.notes]
        return inspection, resolved

    def conversations(self) -> list[Document]:
        """Every conversation, opened for its generations and compactions."""
        found = []
        for row in self.store.conversations():
            conversation = self.store.open(row.id)
            resolved = resolve(self.store, row, self.flags, self.config)
            found.append(documents.conversation_document(conversation, resolved.settings))
        return found

    def show(self, name: str, number: int | None, exact: bool) -> Document:
        """One generation; `exact` counts tokens exactly where a vocabulary is at hand."""
        inspection, resolved = self.opened(name)
        generation = inspection.generation(number)
        messages = self.store.messages(generation)
        total, encoding = self._exact(inspection, generation, messages) if exact else (None, None)
        points = breakpoints_of(inspection, generation, messages, resolved, None, None)
        marks = {(-1 if p.message is None else p.message): p.number for p in points if p.placed}
        summaries = frozenset(index for index, message in enumerate(messages) if is_handoff(message.content))
        document = documents.show_document(
            inspection,
            generation,
            messages,
            resolved.settings,
            resolved.sources,
            marks,
            summaries,
            total,
            encoding,
        )
        recorded = next((c for c in inspection.compactions() if c.index == generation.number), None)
        info = info_for(self.store, generation.session)
        document["profile_reason"] = (
            info.profile_reason if resolved.sources["profile"] == "detected" else "chosen"
        )
        document["recorded"] = (
            None
            if recorded is None
            else {"index": recorded.index, "head_end": recorded.head_end, "tail_start": recorded.tail_start}
        )
        return document

    def _exact(
        self, inspection: Inspection, generation: Generation, messages: Sequence[Message]
    ) -> tuple[int | None, str | None]:
        from inspector.tokens.tokenizers import counter_for

        counter = counter_for(inspection.conversation.row.model)
        if not counter.available:
            self._notes.append(counter.reason)
            return None, None
        system = counter.count(inspection.system_prompt(generation.session))
        return system + sum(map(counter.count_message, messages)), counter.encoding

    def compactions(self, name: str) -> list[Document]:
        """Every recorded compaction beside the plan for the same list."""
        from inspector.answers.findings import findings, of_compaction

        inspection, resolved = self.opened(name)
        found = findings(inspection, resolved)
        return [
            documents.compaction_document(compared, of_compaction(found, compared.recorded.index))
            for compared in inspection.compared(resolved.settings)
        ]

    def findings(self, name: str | None, least: Severity = "info") -> list[Document]:
        """What is wrong or worth knowing, of one conversation or of all, from severity `least` on."""
        from inspector.answers.findings import finding_document, findings

        names = [row.id for row in self.store.conversations()] if name is None else [name]
        told = SEVERITIES[: SEVERITIES.index(least) + 1]
        found = []
        for one in names:
            inspection, resolved = self.opened(one)
            title = safe_title(inspection.conversation.row.title)
            found += [
                finding_document(finding) | {"conversation_title": title}
                for finding in findings(inspection, resolved)
                if finding.severity in told
            ]
        return found

    def diff(self, name: str, first: int | None, last: int | None) -> list[Document]:
        """Successive summaries compared: --from K --to L as one step, or all of them without."""
        from inspector.summaries.diff import diff_summaries
        from inspector.summaries.parse import parse_summary

        inspection, _ = self.opened(name)
        summaries = {c.index: c.summary for c in inspection.compactions() if c.summary is not None}
        if first is None and last is None:
            indexes = sorted(summaries)
            pairs = list(pairwise(indexes))
        else:
            pairs = [_pair(summaries, first, last)]
        return [
            {
                "from": a,
                "to": b,
                "sections": diff_summaries(
                    parse_summary(summaries[a] or ""), parse_summary(summaries[b] or "")
                ).to_json(),
            }
            for a, b in pairs
        ]

    def breakpoints(self, name: str, number: int | None, layout: Layout | None, ttl: Ttl | None) -> Document:
        """Where the prompt-cache breakpoints of a generation sit."""
        inspection, resolved = self.opened(name)
        generation = inspection.generation(number)
        messages = self.store.messages(generation)
        row = inspection.conversation.row
        policy = policy_of(row, resolved.settings.profile)
        layout = layout or policy.layout
        ttl = ttl or ttl_of(resolved)
        points = breakpoints_of(inspection, generation, messages, resolved, layout, ttl)
        system = inspection.system_tokens(generation.session)
        return {
            "conversation": inspection.conversation.id,
            "generation": generation.number,
            "layout": layout,
            "ttl": ttl,
            "profile": resolved.settings.profile,
            "enabled": policy.enabled,
            "reason": policy.reason,
            "breakpoints": [
                {
                    **asdict(point),
                    "role": "system" if point.message is None else messages[point.message].role,
                    "id": None if point.message is None else messages[point.message].id,
                    "tokens": system
                    if point.message is None
                    else system + documents.rough_list(messages[: point.message + 1]),
                }
                for point in points
            ],
        }

    def store_documents(self) -> list[Document]:
        """What each database is: its kind, schema and detected profile, and the tables that lie in it."""
        stores = self.store.stores if isinstance(self.store, SeveralStores) else (self.store,)
        found = []
        for store in stores:
            info = store.info
            document: Document = {
                "path": str(info.path),
                "kind": info.kind,
                "schema": info.schema,
                "profile": info.profile,
                "profile_reason": info.profile_reason,
                "conversations": len(store.conversations()),
            }
            if isinstance(store, HermesStore):
                document |= asdict(store.describe())
            found.append(document | {"notes": list(store.info.notes)})
        return found

    def search(self, query: str, limit: int) -> list[Document]:
        """Messages that contain the words."""
        titles = {row.id: row.title or row.id for row in self.store.conversations()}
        return [
            {
                "conversation": hit.conversation,
                "title": safe_line(titles.get(hit.conversation, hit.conversation)),
                "session": hit.session,
                "message": hit.message,
                "role": hit.role,
                "text": safe_line(hit.excerpt),
            }
            for hit in self.store.search(query, limit=limit)
        ]


def _pair(summaries: Mapping[int, str | None], first: int | None, last: int | None) -> tuple[int, int]:
    indexes = sorted(summaries)
    if len(indexes) < 2:
        raise UnknownConversation("There are not two summaries in this conversation to compare.")
    b = last if last is not None else indexes[-1]
    a = first if first is not None else max((i for i in indexes if i < b), default=indexes[0])
    for index in (a, b):
        if index not in summaries:
            known = ", ".join(map(str, indexes))
            raise UnknownConversation(f"Compaction {index} left no summary here; those that did: {known}.")
    return a, b


def breakpoints_of(
    inspection: Inspection,
    generation: Generation,
    messages: Sequence[Message],
    resolved: ResolvedSettings,
    layout: Layout | None,
    ttl: Ttl | None,
) -> tuple[Breakpoint, ...]:
    """The breakpoints of a list under the resolved profile."""
    prompt = inspection.system_prompt(generation.session)
    if messages and messages[0].role == "system":
        prompt = ""
    return breakpoints(
        messages,
        prompt,
        layout=layout or policy_of(inspection.conversation.row, resolved.settings.profile).layout,
        ttl=ttl or ttl_of(resolved),
        release=caching_release(resolved.settings.profile),
    )


def plan_files(
    files: Sequence[Path], flags: Mapping[str, Any], config: Path | None, compactions: int
) -> list[Document]:
    """What a compaction of each file's list would do. Raises BadInput naming the file that cannot be used."""
    reading = read_config(config) if config is not None else ConfigReading()
    settings = resolve_settings(flags, reading, {}).settings
    settings.check()
    return [documents.plan_document(str(file), read_messages(file), settings, compactions) for file in files]


def read_messages(file: Path) -> tuple[Message, ...]:
    """The messages of a JSON file: a list of OpenAI-style messages, or a mapping with such a list as "messages"."""
    try:
        document = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
    except FileNotFoundError:
        raise BadInput(f"There is no file {file}.") from None
    except IsADirectoryError:
        raise BadInput(f"{file} is a directory; name a JSON file of messages.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read ({error}).") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"{file} is no valid JSON (line {error.lineno}): {error.msg}.") from error
    except RecursionError:
        raise BadInput(f"{file} is nested too deeply to be a list of messages.") from None
    if isinstance(document, dict):
        document = document.get("messages")
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise BadInput(f"{file} holds no list of messages; a JSON list of OpenAI-style messages is needed.")
    return messages_from(document)
