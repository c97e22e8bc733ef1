"""raidtui's own SQLite files in the state folder: safe under two writers and a power cut, and migrated when opened.

They use a rollback journal, not a write-ahead log: rows are added minutes apart, and so each is one file that can be
copied, works on any filesystem, and can be read from a read-only one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec

from raidtui.machine.own_files import open_own, refuse_link
from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed
from raidtui.model.struct import Record, to_record

R = TypeVar("R", bound=Record)

_LOCK_SECONDS: Final = 30.0  # for another process that is writing, on a disk that is busy with a resync
_READ_SECONDS: Final = 2.0  # who reads can read again


class Schema(NamedTuple):
    """What a file is, and how it came to be as it is."""

    what: str  # what people call it
    application: int  # ``PRAGMA application_id``, the program that it belongs to
    migrations: tuple[str, ...]  # statements; ``PRAGMA user_version`` counts those that the file has had
    restart: str  # what happens when a damaged file is moved away


class OwnDatabase:
    """The file at ``path``. Keeps nothing open: each call is one transaction."""

    def __init__(self, path: Path, schema: Schema) -> None:
        """Nothing is opened yet; the file is created by the first `writing`."""
        self.path: Final = path
        self._schema: Final = schema
        self._called: Final = f"the {schema.what} {path}"

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """The file for reading, or None if it does not exist yet.

        Raises:
            BadInput: it is damaged, of another program, or from a newer raidtui.
            Refused: it may not be read.
            StepFailed: another process keeps it locked.
        """
        try:
            self.path.stat()
        except FileNotFoundError:
            yield None
            return
        except OSError as error:  # what is there is unknown, not nothing
            raise Refused(f"{self._called} cannot be read: {error.strerror}") from error
        with self._sentences(), closing(self._connect(_READ_SECONDS)) as database:
            self._check_version(database)
            if _version_of(database) < len(self._schema.migrations):
                with self._transaction(database):
                    pass
            yield database

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The file in a transaction, committed at the end of the block; then it is on disk.

        Raises:
            BadInput, Refused, StepFailed: as of `reading`, and if it cannot be written.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Created here with mode 600: it has serial numbers.
            os.close(open_own(self.path, os.O_RDWR | os.O_CREAT))
        except OSError as error:
            raise Refused(f"{self._called} cannot be written: {error.strerror}") from error
        with self._sentences(), closing(self._connect()) as database:
            self._check_version(database)
            with self._transaction(database):
                yield database

    @contextmanager
    def _transaction(self, database: sqlite3.Connection) -> Iterator[None]:
        """A transaction around the block, in the newest format."""
        database.execute("BEGIN IMMEDIATE")
        with database:
            # Check again: while this waited for the lock, its holder may have migrated the file.
            self._check_version(database)
            self._migrate(database)
            yield

    def _connect(self, patience: float = _LOCK_SECONDS) -> sqlite3.Connection:
        refuse_link(self.path)
        database = sqlite3.connect(self.path, timeout=patience, isolation_level=None)
        # EXTRA also syncs the folder after the journal is deleted; else a power cut could bring the journal back.
        database.execute("PRAGMA synchronous = EXTRA")
        return database

    def _check_version(self, database: sqlite3.Connection) -> None:
        # One statement, for one consistent view: another process may be creating the tables now.
        owner, version, tables = database.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
            " FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if owner not in {self._schema.application, 0} or (owner == 0 and tables):
            raise BadInput(f"{self.path} is a database of another program; move it away")
        newest = len(self._schema.migrations)
        if version < 0:
            raise sqlite3.DatabaseError(f"its format is {version}")
        if version > newest:
            raise BadInput(
                f"{self._called} was written by a newer raidtui (format {version}; this raidtui "
                f"reads up to {newest}). Update raidtui, or set RAIDTUI_STATE to another folder"
            )

    def _migrate(self, database: sqlite3.Connection) -> None:
        for number in range(_version_of(database), len(self._schema.migrations)):
            for statement in self._schema.migrations[number].split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {number + 1}")
        database.execute(f"PRAGMA application_id = {self._schema.application}")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error) from error
        except UnicodeDecodeError as error:  # SQLite repeats what it cannot read in its own messages
            raise self._explain(sqlite3.DatabaseError("text that is not UTF-8")) from error

    def _explain(self, error: sqlite3.Error) -> RaidtuiError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return StepFailed(f"another process keeps {self._called} locked; try again")
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            return StepFailed(f"{self._called} cannot be written: {error}")
        if code in {
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_PERM,
            sqlite3.SQLITE_AUTH,
        }:
            return Refused(f"{self._called} cannot be used: {error}")
        return BadInput(
            f"{self._called} is damaged ({error}); move it away "
            f"('mv {self.path} {self.path}.damaged') and {self._schema.restart}"
        )


def rows(found: sqlite3.Cursor, kind: type[R]) -> Iterator[R]:
    """Each row as a ``kind``, whose fields are the columns in their order.

    In a damaged file SQLite returns NULL and numbers for text: that raises ``sqlite3.DatabaseError``.
    """
    names = kind.__struct_fields__
    try:
        for row in found:
            yield to_record(dict(zip(names, row, strict=True)), kind)
    except msgspec.ValidationError as error:
        raise sqlite3.DatabaseError(f"a row is not as it was written: {error}") from error


def _version_of(database: sqlite3.Connection) -> int:
    found: int = database.execute("PRAGMA user_version").fetchone()[0]
    return found
