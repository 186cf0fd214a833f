"""Tables in a SQLite database, or in a folder of Parquet files. A second run writes what changed."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.each import StoreQuestion, ask_each
from inspector.answers.store_losses import part_unread
from inspector.config.agent_folders import refuse_agent_folders
from inspector.config.folders import read_state, write_whole
from inspector.core.conversations import ConversationRow
from inspector.core.errors import OutputProblem, UsageProblem
from inspector.export.masking import DocumentMasker
from inspector.export.tables import TABLES, TableRows, stamps, table_rows

_STAMPS = "exported"
_INDEXES = (
    ("facts", "fate"), ("facts", "category"), ("aftermath", "kind"), ("findings", "rule"), ("requests", "cause"),
    ("requests", "at"), ("conversations", "agent"),
)  # fmt: skip
_KEYS: Mapping[str, tuple[str, ...]] = {
    "conversations": ("conversation",), "compactions": ("conversation", "compaction"),
    "requests": ("conversation", "request"),
}  # fmt: skip
#: Questions for Datasette, by name.
QUERIES: Mapping[str, tuple[str, str]] = {
    "rules_lost": (
        "Rules lost by agent and release",
        "select agent, profile as release, count(*) as rules, sum(is_lost) as lost, sum(weakened) as weakened from "
        "(select conversation, max(is_lost) as is_lost, max(fate = 'weakened') as weakened from facts where rule "
        "group by conversation, fact) join conversations using (conversation) group by 1, 2 order by lost desc",
    ),
    "misses_by_week": (
        "Cost of cache misses a week",
        "select strftime('%Y-%W', at, 'unixepoch') as week, cause, count(*) as requests, sum(missed_tokens) as tokens, "
        "round(sum(missed_cost), 2) as cost from requests where missed_tokens > 0 group by 1, 2 order by 1, 2",
    ),
    "hurt": (
        "Compactions that were followed by repeated work",
        "select c.title, a.compaction, a.kind, count(*) as events, sum(a.tokens) as tokens from aftermath a "
        "join conversations c using (conversation) group by 1, 2, 3 order by events desc",
    ),
    "compaction_costs": (
        "Cost of compactions by agent",
        "select agent, count(*) as compactions, round(avg(cost), 3) as average, round(sum(cost), 2) as total "
        "from compactions join conversations using (conversation) group by 1 order by total desc",
    ),
}


def export(answers: Answers, sink: Sink, masking: bool) -> tuple[int, int, list[str]]:
    """Write every conversation that changed since the last run.

    Return the numbers of written and unchanged conversations, and sentences about data that cannot be read.
    Conversations that cannot be read are named in `answers.unread`.
    """
    before = dict(sink.written_stamps())
    listed = {row.id: (key, row, f"{stamp} {masking}") for key, row, stamp in stamps(answers)}
    changed = [row for key, row, stamp in listed.values() if before.get(key) != stamp]
    question = StoreQuestion(rows_to_write, lambda row: (*listed[row.id], masking), raises=False)
    written = partial = 0
    for _, rows in ask_each(answers, changed, question):
        sink.write(rows)
        written += 1
        partial += rows.has_unread
    sink.forget(before.keys() - {key for key, _, _ in listed.values()})
    notes = [*answers.store.notes, *([f"{part_unread(partial)}."] if partial else [])]
    return written, len(listed) - len(changed), notes


def rows_to_write(
    answers: Answers, conversation: str, key: str, row: ConversationRow, stamp: str, masking: bool
) -> TableRows:
    """Return the rows of one conversation, with keys and passwords masked if `masking`."""
    rows = table_rows(answers, key, row, stamp)
    return replace(rows, rows=DocumentMasker(masking)(rows.rows))


class SqliteSink:
    """A database with foreign keys, indexes and full-text search over the facts.

    Raises OutputProblem for an existing file of another kind.
    """

    def __init__(self, path: Path) -> None:
        from sqlite_utils import Database

        if path.exists() and not _is_data_set(path):
            raise OutputProblem(f"{path} exists and is not a data set of this program. Name another file.")
        self.path = path
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            self._database = Database(path)
            self._make()
        except (OSError, sqlite3.Error) as error:
            raise OutputProblem(f"{path} cannot be written ({error}).") from error

    def _make(self) -> None:
        database = self._database
        if _STAMPS in database.table_names():
            if all(
                list(database.table(name).columns_dict) == list(columns) for name, columns in TABLES.items()
            ):
                return
            # Another version of the program wrote it. Everything is written again.
            self._drop()
        with database.conn:
            for name, columns in TABLES.items():
                foreign = (
                    [] if name == "conversations" else [("conversation", "conversations", "conversation")]
                )
                database.create_table(name, columns, pk=_KEYS.get(name), foreign_keys=foreign)
            for name, column in _INDEXES:
                database.table(name).create_index([column])
            for name in TABLES:
                if name not in _KEYS:
                    database.table(name).create_index(["conversation"])
            database.table("facts").enable_fts(["text", "value"], create_triggers=True)
            database.create_table(_STAMPS, {"conversation": str, "stamp": str}, pk="conversation")
        metadata = self.path.with_name(f"{self.path.stem}-metadata.json")
        write_whole(metadata, json.dumps(datasette_metadata(self.path.stem), indent=1).encode())

    def _drop(self) -> None:
        self._database.table("facts").disable_fts()
        for name in (*reversed(TABLES), _STAMPS):
            self._database.table(name).drop()

    def written_stamps(self) -> Mapping[str, str]:
        """Return the stamp of each conversation that is already written."""
        return {row["conversation"]: row["stamp"] for row in self._database.table(_STAMPS).rows}

    def write(self, rows: TableRows) -> None:
        """Write one conversation in one transaction."""
        try:
            with self._database.conn:
                self._delete([rows.conversation])
                for name, entries in rows.rows.items():
                    self._database.table(name).insert_all(entries)
                self._database.table(_STAMPS).insert({"conversation": rows.conversation, "stamp": rows.stamp})
        except sqlite3.Error as error:
            raise OutputProblem(f"{self.path} cannot be written ({error}).") from error

    def forget(self, conversations: Iterable[str]) -> None:
        """Delete conversations."""
        with self._database.conn:
            self._delete(conversations)

    def _delete(self, conversations: Iterable[str]) -> None:
        for conversation in conversations:
            for name in (*reversed(TABLES), _STAMPS):
                self._database.execute(f"DELETE FROM [{name}] WHERE conversation = ?", [conversation])

    def close(self) -> None:
        """Close the database."""
        self._database.close()


class ParquetSink:
    """A folder with a folder for each table, and in each a Parquet file for each conversation."""

    def __init__(self, folder: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet as parquet
        except ImportError as error:
            raise UsageProblem(
                "Parquet needs the extra `parquet`: pip install 'compaction-inspector[parquet]'. A file that ends with "
                ".db is written without it."
            ) from error
        self._arrow, self._parquet, self.folder = pyarrow, parquet, folder
        if folder.exists() and not folder.is_dir():
            raise OutputProblem(f"{folder} is a file. Name a folder, or a file that ends with .db.")
        if folder.exists() and any(folder.iterdir()) and not self._stamps.exists():
            raise OutputProblem(
                f"{folder} is not empty and not a data set of this program. Name another folder."
            )
        folder.mkdir(mode=0o700, exist_ok=True)
        self._known: dict[str, str] = read_state(self._stamps)
        types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
        self._schemas = {
            name: pyarrow.schema([(column, types[kind]) for column, kind in columns.items()])
            for name, columns in TABLES.items()
        }

    @property
    def _stamps(self) -> Path:
        return self.folder / "exported.json"

    def written_stamps(self) -> Mapping[str, str]:
        """Return the stamp of each conversation that is already written."""
        return dict(self._known)

    def write(self, rows: TableRows) -> None:
        """Write the files of one conversation, then its stamp."""
        try:
            for name, entries in rows.rows.items():
                file = self._file(name, rows.conversation)
                file.parent.mkdir(exist_ok=True)
                table = self._arrow.Table.from_pylist(entries, schema=self._schemas[name])
                self._parquet.write_table(table, file)
            self._known[rows.conversation] = rows.stamp
            write_whole(self._stamps, json.dumps(self._known).encode())
        except OSError as error:
            raise OutputProblem(f"{self.folder} cannot be written ({error}).") from error

    def forget(self, conversations: Iterable[str]) -> None:
        """Delete the files of conversations."""
        for conversation in conversations:
            for name in TABLES:
                self._file(name, conversation).unlink(missing_ok=True)
            self._known.pop(conversation, None)
        write_whole(self._stamps, json.dumps(self._known).encode())

    def _file(self, table: str, conversation: str) -> Path:
        digest = hashlib.blake2b(conversation.encode(), digest_size=8).hexdigest()
        return self.folder / table / f"{digest}.parquet"

    def close(self) -> None:
        """Close nothing: no file stays open."""


#: A place for tables.
Sink = SqliteSink | ParquetSink


def sink_for(path: Path, stores: Iterable[Path]) -> Sink:
    """Return the sink of a path: a database for a file that ends with .db or .sqlite, else a folder of Parquet files.

    Raises OutputProblem for a path that may not be written, UsageProblem if pyarrow is missing.
    """
    target = refuse_agent_folders(path)
    for store in stores:
        real = store.expanduser().resolve()
        if target == real or (real.is_dir() and target.is_relative_to(real)):
            raise OutputProblem(f"{path} belongs to the sessions that are read; it is never written to.")
    if not target.parent.is_dir():
        raise OutputProblem(f"There is no folder {target.parent} to write {target.name} to. Make it first.")
    if target.suffix in (".db", ".sqlite", ".sqlite3"):
        return SqliteSink(target)
    return ParquetSink(target)


def datasette_metadata(name: str) -> dict[str, Any]:
    """Return the metadata file of Datasette: a description and queries."""
    queries = {key: {"title": title, "sql": sql} for key, (title, sql) in QUERIES.items()}
    return {"title": "Compactions", "databases": {name: {"queries": queries}}}


def _is_data_set(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            names = {
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
    except sqlite3.Error:
        return False
    return {_STAMPS, *TABLES} <= names
