"""The tables of the results file, and the migrations of an older file.

Each result is stored as its JSON document, exactly as it was written or imported; the other columns are what lists
and searches need. ``PRAGMA user_version`` counts the migrations that the file has had.
"""

import sqlite3
from typing import Final

from raidtui.model.errors import BadInput

APPLICATION: Final = 0x72616964  # "raid": the program that the file belongs to

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


def version_of(database: sqlite3.Connection) -> int:
    """How many migrations the file has had."""
    found: int = database.execute("PRAGMA user_version").fetchone()[0]
    return found


def check_version(database: sqlite3.Connection, *, path: str) -> None:
    """Check that this version of raidtui can read the file.

    Raises:
        BadInput: it belongs to another program, or to a newer raidtui.
    """
    # One statement, for one consistent view: another process may be creating the tables now.
    owner, version, tables = database.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if owner not in {APPLICATION, 0} or (owner == 0 and tables):
        raise BadInput(f"{path} is a database of another program; move it away")
    if version > len(MIGRATIONS):
        raise BadInput(
            f"the results file {path} was written by a newer raidtui (format {version}; this raidtui "
            f"reads up to {len(MIGRATIONS)}). Update raidtui, or set RAIDTUI_STATE to another folder"
        )


def migrate(database: sqlite3.Connection) -> None:
    """Bring the file to the newest format, inside a transaction of the caller."""
    for number in range(version_of(database), len(MIGRATIONS)):
        for statement in MIGRATIONS[number].split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {number + 1}")
    database.execute(f"PRAGMA application_id = {APPLICATION}")
