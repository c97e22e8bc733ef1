"""The history file: what raidtui recorded about disks, units and this computer, in the state folder.

One table for every kind of record. A row is replaced by one of the same kind, subject and time.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeVar

from raidtui.machine.own_database import OwnDatabase, Schema
from raidtui.model.history import (
    FILE,
    AlertProven,
    BurnIn,
    ContainerSeen,
    History,
    Recorded,
    ScrubResult,
    SmartRow,
    SyncRun,
)
from raidtui.model.paths import state_folder
from raidtui.model.struct import from_json, to_json

R = TypeVar("R", bound=Recorded)

_LAST_SCRUBS: Final = 12  # of each unit: a year
_SMART_ROWS: Final = 40  # of each disk: a month, and a few days without a reading
_NEWEST_FIRST: Final = "row_number() OVER (PARTITION BY subject ORDER BY at DESC)"
SCHEMA: Final = Schema(
    what="history file",
    application=0x72616968,  # "raih"
    migrations=(
        """
        CREATE TABLE record (
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            at TEXT NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (kind, subject, at)
        ) WITHOUT ROWID
        """,
    ),
    restart="the next record starts a new one",
)


class HistoryFile:
    """The records in the file at ``path``. Keeps nothing open: each call is one transaction.

    Every method raises as `OwnDatabase` does.
    """

    def __init__(self, path: Path | None = None) -> None:
        """``path`` is by default the file in the state folder. It is created when the first record is added."""
        self.path: Final = state_folder() / FILE if path is None else path
        self._database: Final = OwnDatabase(self.path, SCHEMA)

    def add(self, records: Iterable[Recorded]) -> None:
        """Store ``records``; they are on disk when this returns."""
        rows = [(type(one).__name__, one.subject, one.at, to_json(one, pretty=False)) for one in records]
        if not rows:
            return
        with self._database.writing() as database:
            database.executemany(
                "INSERT OR REPLACE INTO record (kind, subject, at, document) VALUES (?, ?, ?, ?)", rows
            )

    def of(self, kind: type[R], subject: str | None = None, *, last: int | None = None) -> tuple[R, ...]:
        """The records of ``kind``, about ``subject`` or everything, oldest first; at most the ``last`` of each subject."""
        with self._database.reading() as database:
            return self._of(database, kind, subject, last)

    def history(self) -> History:
        """What a diagnosis needs: the file is opened once."""
        with self._database.reading() as database:
            return History(
                alert_proofs=self._of(database, AlertProven, last=1),
                smart=self._of(database, SmartRow, last=_SMART_ROWS),
                scrubs=self._of(database, ScrubResult, last=_LAST_SCRUBS),
                syncs=self._of(database, SyncRun, last=_LAST_SCRUBS),
                burn_ins=self._of(database, BurnIn, last=1),
                containers=self._of(database, ContainerSeen, last=1),
            )

    def _of(
        self,
        database: sqlite3.Connection | None,
        kind: type[R],
        subject: str | None = None,
        last: int | None = None,
    ) -> tuple[R, ...]:
        if database is None:
            return ()
        where, values = "kind = ?", [kind.__name__]
        if subject is not None:
            where, values = f"{where} AND subject = ?", [*values, subject]
        numbered = f"SELECT subject, at, document, {_NEWEST_FIRST} AS place FROM record WHERE {where}"
        query = f"SELECT document FROM ({numbered}) WHERE place <= ? ORDER BY at, subject"
        found = database.execute(query, (*values, 2**62 if last is None else last))
        origin = f"a record in {self.path}"
        return tuple(from_json(str(row[0]), kind, origin=origin) for row in found)

    def remove(self, records: Iterable[Recorded]) -> None:
        """Remove ``records``, such as old ones that are thinned out."""
        keys = [(type(one).__name__, one.subject, one.at) for one in records]
        if not keys:
            return
        with self._database.writing() as database:
            database.executemany("DELETE FROM record WHERE kind = ? AND subject = ? AND at = ?", keys)


def read_history(file: HistoryFile | None = None) -> History:
    """What a diagnosis needs of the history file.

    Raises:
        BadInput, Refused, StepFailed: it cannot be read.
    """
    return (HistoryFile() if file is None else file).history()
