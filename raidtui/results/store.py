"""The store of measured results: one SQLite file in the state folder, safe under two writers and a power cut.

A rollback journal and not a write-ahead log: results are added minutes apart, and so the store is one file that
can be copied, lies on any filesystem, and can be read where nothing may be written.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed
from raidtui.model.paths import state_folder
from raidtui.model.struct import from_json, to_json
from raidtui.model.text import harmless
from raidtui.results.schema import MIGRATIONS, check_version, migrate, version_of
from raidtui.results.summary import Summary, summarise

if TYPE_CHECKING:
    from raidtui.model.result import Result

__all__ = ["FILE", "Store", "Summary"]

FILE: Final = "results.sqlite"
_PATIENCE_SECONDS: Final = 30.0  # for another process that is writing, on a disk that is busy with a resync
_COLUMNS: Final = tuple(Summary.__struct_fields__)
_AT_ONCE: Final = 64  # documents of a few tens of kB: a writer waits for the reading of these at most


class Store:
    """The results in the file at ``path``. Holds nothing open: each call is a transaction of its own."""

    def __init__(self, path: Path | None = None) -> None:
        """``path`` is by default the file in the state folder. It is made when the first result is added."""
        self.path: Final = state_folder() / FILE if path is None else path

    def add(self, result: "Result") -> None:
        """Keep ``result``; it is on disk when this returns.

        Raises:
            BadInput: there is a result of that id already, or the file is damaged or of a newer raidtui.
            Refused: the file may not be written.
            StepFailed: the disk is full, or somebody else is writing all the time.
        """
        with self._writing() as database:
            if not _insert(database, result, to_json(result, pretty=False)):
                raise BadInput(f"there is a result {result.id} already")

    def check(self) -> None:
        """See that a result can be added, before hours are spent to measure one; raises as `add`."""
        with self._writing():
            pass

    def list(self, limit: int | None = None) -> tuple[Summary, ...]:
        """Every result, newest first, at most ``limit``."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM result ORDER BY created DESC, number DESC LIMIT ?"
        with self._reading() as database:
            if database is None:
                return ()
            rows = database.execute(query, (-1 if limit is None else limit,))
            return tuple(starmap(Summary, rows))

    def get(self, word: str) -> "Result":
        """The result that ``word`` means: an id, a label (its newest result), or the beginning of one id.

        Raises:
            BadInput: none is called that, several ids begin so, or its document is damaged.
        """
        return self._decoded(word, self.document(word))

    def every(self, skipped: Callable[[str, BadInput], None]) -> "Iterator[tuple[Result, str]]":
        """Every result with its document, oldest first, a few of them in memory at a time.

        No lock is held between two of them: what is added meanwhile comes too, what is removed does not.

        Args:
            skipped: is given the label, or else the id, of each result whose document is damaged, and why.
        """
        created, number = "", 0
        while rows := self._after(created, number):
            for created, number, identity, label, document in rows:  # noqa: B007
                try:
                    result = self._decoded(identity, document)
                except BadInput as error:
                    skipped(label or identity, error)
                else:
                    yield result, document

    def _after(self, created: str, number: int) -> Sequence[tuple[str, int, str, str, str]]:
        """The documents that follow in the order of their dates, with what they are called."""
        query = (
            "SELECT created, number, id, label, document FROM result WHERE (created, number) > (?, ?)"
            " ORDER BY created, number LIMIT ?"
        )
        with self._reading() as database:
            return () if database is None else database.execute(query, (created, number, _AT_ONCE)).fetchall()

    def _decoded(self, word: str, document: str) -> "Result":
        from raidtui.model.result import Result  # a list needs none

        try:
            return from_json(document, Result, origin=f"the result {word} in {self.path}")
        except BadInput as error:
            raise BadInput(f"{error}; 'raidtui results remove' forgets it") from error

    def find(self, word: str) -> str:
        """The id of the result that ``word`` means, as for `get`, whatever its document is like."""
        with self._reading() as database:
            return self._find(database, word)

    def document(self, word: str) -> str:
        """The JSON document of a result, as it was written or imported; ``word`` as for `get`."""
        with self._reading() as database:
            identity = self._find(database, word)
            assert database is not None, "an id was found in it"
            row = database.execute("SELECT document FROM result WHERE id = ?", (identity,)).fetchone()
            return str(row[0])

    def remove(self, word: str) -> str:
        """Forget the result that ``word`` means, as for `get`; returns its id."""
        identity = self.find(word)
        with self._writing() as database:
            database.execute("DELETE FROM result WHERE id = ?", (identity,))
        return identity

    def import_file(self, path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Add the results of a file, ours or another program's; returns the ids that were added, and those here.

        Raises:
            BadInput: the file cannot be read, or has an id that means another result here. Nothing is added.
        """
        # Nothing else here needs to know those forms.
        from raidtui.results.foreign.recognise import read_file
        from raidtui.results.published import is_published
        from raidtui.results.published.reader import all_published

        results = read_file(path)
        added, known = [], []
        brought = {one.id: one.cells for one in all_published()}
        with self._writing() as database:
            for result, document in results:
                if is_published(result.id):  # every raidtui has these, and would show its own
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
                if result.context.origin:  # its id is made of what the file says
                    continue
                here = database.execute("SELECT document FROM result WHERE id = ?", (result.id,)).fetchone()
                if str(here[0]) != document:
                    raise BadInput(
                        f"{path} has a result {result.id} that differs from the one here; remove one of them"
                    )
        return tuple(added), tuple(known)

    def _find(self, database: sqlite3.Connection | None, word: str) -> str:
        if database is not None:
            exact = database.execute("SELECT id FROM result WHERE id = ?", (word,)).fetchone()
            labelled = database.execute(
                "SELECT id FROM result WHERE label = ? ORDER BY created DESC, number DESC LIMIT 1", (word,)
            ).fetchone()
            if found := exact or labelled:
                return str(found[0])
            begin = database.execute(
                "SELECT id FROM result WHERE ? <> '' AND id >= ? AND id < ? ORDER BY id LIMIT 7",
                (word, word, word + chr(sys.maxunicode)),
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
            else f"no result is called {word!r}, and there is none yet; 'raidtui bench' measures one"
        )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """The file for reading, or nothing where it does not exist yet."""
        try:
            if not self.path.exists():
                yield None
                return
        except PermissionError as error:
            raise Refused(f"the results file {self.path} cannot be read: {error.strerror}") from error
        with self._sentences(), closing(self._connect()) as database:
            check_version(database, path=str(self.path))
            if version_of(database) < len(MIGRATIONS):
                with self._transaction(database):
                    pass
            yield database

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The file in a transaction, which the end of the block commits."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Made here, so that nobody else can read serial numbers in it.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise Refused(f"the results file {self.path} cannot be written: {error.strerror}") from error
        with self._sentences(), closing(self._connect()) as database:
            check_version(database, path=str(self.path))
            with self._transaction(database):
                yield database

    @contextmanager
    def _transaction(self, database: sqlite3.Connection) -> Iterator[None]:
        """Everything in the block or nothing of it, in the newest format."""
        database.execute("BEGIN IMMEDIATE")
        with database:
            # Looked at again: the lock was waited for, and its holder may have brought the file up to date.
            check_version(database, path=str(self.path))
            migrate(database)
            yield

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=_PATIENCE_SECONDS, isolation_level=None)
        # EXTRA: the folder is synced as well after the journal is gone, or a power cut could bring it back.
        database.execute("PRAGMA synchronous = EXTRA")
        return database

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> RaidtuiError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return StepFailed(f"another process keeps the results file {self.path} locked; try again")
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            return StepFailed(f"the results file {self.path} cannot be written: {error}")
        if code in {
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_PERM,
            sqlite3.SQLITE_AUTH,
        }:
            return Refused(f"the results file {self.path} cannot be used: {error}")
        return BadInput(
            f"the results file {self.path} is damaged ({error}); move it away "
            f"('mv {self.path} {self.path}.damaged') and the next result starts a new one"
        )


def _insert(database: sqlite3.Connection, result: "Result", document: str) -> bool:
    """Add one row; ``False`` if the id is taken."""
    summary = summarise(result)
    names = (*_COLUMNS, "document")
    values = (*(getattr(summary, name) for name in _COLUMNS), document)
    marks = ", ".join("?" for _ in names)
    done = database.execute(
        f"INSERT INTO result ({', '.join(names)}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING", values
    )
    return done.rowcount == 1
