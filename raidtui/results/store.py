"""The store of measured results: one SQLite file in the state folder.

Each result is stored as its JSON document, exactly as it was written or imported; the other columns are what lists and
searches need.
"""

import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from raidtui.machine.own_database import OwnDatabase, Schema, rows
from raidtui.model.errors import BadInput
from raidtui.model.paths import state_folder
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.text import harmless
from raidtui.results.summary import Summary, summarise

if TYPE_CHECKING:
    from raidtui.model.result import Result


__all__ = ["FILE", "Store", "Summary"]

FILE: Final = "results.sqlite"
_COLUMNS: Final = tuple(Summary.__struct_fields__)
_AT_ONCE: Final = 64  # documents of a few tens of kB: a writer waits at most while these are read


class _Kept(Record, frozen=True):
    created: str
    number: int
    id: str
    label: str
    document: str


class Store:
    """The results in the file at ``path``. Keeps nothing open: each call is one transaction."""

    def __init__(self, path: Path | None = None) -> None:
        """``path`` is by default the file in the state folder. It is created when the first result is added."""
        self.path: Final = state_folder() / FILE if path is None else path
        self._database: Final = OwnDatabase(self.path, SCHEMA)

    def add(self, result: "Result") -> None:
        """Store ``result``; it is on disk when this returns.

        Raises:
            BadInput: a result with that id exists, or the file is damaged or from a newer raidtui.
            Refused: the file may not be written.
            StepFailed: the disk is full, or another process keeps the file locked.
        """
        with self._database.writing() as database:
            if not _insert(database, result, to_json(result, pretty=False)):
                raise BadInput(f"a result {result.id} already exists")

    def check(self) -> None:
        """Check that a result can be added, before hours of measuring; raises as `add`."""
        with self._database.writing():
            pass

    def list(self, limit: int | None = None) -> tuple[Summary, ...]:
        """Every result, newest first, at most ``limit``."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM result ORDER BY created DESC, number DESC LIMIT ?"
        with self._database.reading() as database:
            if database is None:
                return ()
            return tuple(rows(database.execute(query, (-1 if limit is None else limit,)), Summary))

    def get(self, word: str) -> "Result":
        """The result that ``word`` names: an id, a label (its newest result), or the start of an id.

        Raises:
            BadInput: there is none, several ids begin with it, or its document is damaged.
        """
        return self._decoded(word, self.document(word))

    def every(self, skipped: Callable[[str, BadInput], None]) -> "Iterator[tuple[Result, str]]":
        """Every result with its document, oldest first, a few of them in memory at a time.

        No lock is held in between: results added meanwhile are included, results removed meanwhile are not.

        Args:
            skipped: called with the label, or else the id, of each result whose document is damaged, and the error.
        """
        created, number = "", 0
        while kept := self._after(created, number):
            created, number = kept[-1].created, kept[-1].number
            for row in kept:
                try:
                    result = self._decoded(row.id, row.document)
                except BadInput as error:
                    skipped(row.label or row.id, error)
                else:
                    yield result, row.document

    def _after(self, created: str, number: int) -> Sequence[_Kept]:
        """The next documents in order of date."""
        query = (
            f"SELECT {', '.join(_Kept.__struct_fields__)} FROM result WHERE (created, number) > (?, ?)"
            " ORDER BY created, number LIMIT ?"
        )
        with self._database.reading() as database:
            if database is None:
                return ()
            return list(rows(database.execute(query, (created, number, _AT_ONCE)), _Kept))

    def _decoded(self, word: str, document: str) -> "Result":
        from raidtui.model.result import Result  # a list needs none

        try:
            return from_json(document, Result, origin=f"the result {word} in {self.path}")
        except BadInput as error:
            raise BadInput(f"{error}; 'raidtui results remove' forgets it") from error

    def find(self, word: str) -> str:
        """The id of the result that ``word`` names, as for `get`, even if its document is damaged."""
        with self._database.reading() as database:
            return self._find(database, word)

    def document(self, word: str) -> str:
        """The JSON document of a result, as it was written or imported; ``word`` as for `get`."""
        with self._database.reading() as database:
            identity = self._find(database, word)
            assert database is not None, "an id was found in it"
            row = database.execute("SELECT document FROM result WHERE id = ?", (identity,)).fetchone()
            return str(row[0])

    def remove(self, word: str) -> str:
        """Remove the result that ``word`` names, as for `get`, and return its id."""
        identity = self.find(word)
        with self._database.writing() as database:
            database.execute("DELETE FROM result WHERE id = ?", (identity,))
        return identity

    def import_file(self, path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Add the results of a file, ours or another program's; return the ids added, and those already stored.

        Raises:
            BadInput: the file cannot be read, or has an id of a different result here. Nothing is added.
        """
        # Nothing else here needs the readers of files.
        from raidtui.results.foreign.recognise import read_file
        from raidtui.results.published import is_published
        from raidtui.results.published.reader import all_published

        results = iter(read_file(path))
        first = list(islice(results, 1))  # a file of something else makes no store
        added, known = [], []
        brought = {one.id: one.cells for one in all_published()}
        with self._database.writing() as database:
            for result, document in chain(first, results):
                if is_published(result.id):  # every raidtui has these, and shows its own
                    if brought.get(result.id) != result.cells:
                        raise BadInput(
                            f"{path} has {result.id!r}, which differs from the one that ships with raidtui"
                        )
                    known.append(result.id)
                    continue
                if _insert(database, result, document):
                    added.append(result.id)
                    continue
                known.append(result.id)
                if result.context.origin:  # its id is made from the contents of the file
                    continue
                here = database.execute("SELECT document FROM result WHERE id = ?", (result.id,)).fetchone()
                if str(here[0]) != document:
                    raise BadInput(
                        f"{path} has a result {result.id} that differs from the one here; remove one of them"
                    )
        return tuple(added), tuple(known)

    def _find(self, database: sqlite3.Connection | None, word: str) -> str:
        word = word.encode(errors="replace").decode()  # SQLite takes no lone surrogates
        if database is not None and word:  # many have an empty label, and every id starts with an empty word
            exact = database.execute("SELECT id FROM result WHERE id = ?", (word,)).fetchone()
            labelled = database.execute(
                "SELECT id FROM result WHERE label = ? ORDER BY created DESC, number DESC LIMIT 1", (word,)
            ).fetchone()
            if found := exact or labelled:
                return str(found[0])
            begin = database.execute(
                "SELECT id FROM result WHERE id >= ? AND id < ? ORDER BY id LIMIT 7",
                (word, word + chr(sys.maxunicode)),
            ).fetchall()
            if len(begin) == 1:
                return str(begin[0][0])
            if begin:
                raise BadInput(
                    f"{word!r} matches several results: {', '.join(harmless(row[0]) for row in begin[:6])}"
                )
        known = ", ".join(dict.fromkeys(repr(harmless(s.label) or s.id) for s in self.list(limit=6)))
        raise BadInput(
            f"no result is called {word!r}; the latest: {known}"
            if known
            else f"no result is called {word!r}, and none is stored yet; run one with 'raidtui bench'"
        )


def _insert(database: sqlite3.Connection, result: "Result", document: str) -> bool:
    """Add one row; return ``False`` if the id is taken."""
    summary = summarise(result)
    names = (*_COLUMNS, "document")
    values = (*(getattr(summary, name) for name in _COLUMNS), document)
    marks = ", ".join("?" for _ in names)
    done = database.execute(
        f"INSERT INTO result ({', '.join(names)}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING", values
    )
    return done.rowcount == 1


MIGRATIONS: Final = (
    """
    CREATE TABLE result (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        label TEXT NOT NULL,
        created TEXT NOT NULL,
        profile TEXT NOT NULL,
        target TEXT NOT NULL,
        array TEXT NOT NULL,
        level TEXT NOT NULL,
        filesystem TEXT NOT NULL,
        read_bytes_per_second REAL NOT NULL,
        write_bytes_per_second REAL NOT NULL,
        document TEXT NOT NULL
    );
    CREATE INDEX result_by_label ON result (label);
    """,
    # A list is read from the index alone, in its order, without passing over the documents in the table.
    """
    CREATE INDEX result_listed ON result (
        created DESC, number DESC,
        id, label, profile, target, array, level, filesystem, read_bytes_per_second, write_bytes_per_second
    );
    DROP INDEX result_by_label;
    CREATE INDEX result_by_label ON result (label, created DESC, number DESC);
    """,
)

SCHEMA: Final = Schema(
    what="results file",
    application=0x72616964,  # "raid"
    migrations=MIGRATIONS,
    restart="the next result starts a new one",
)
