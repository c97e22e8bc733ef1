"""The tables of the results file, and the migrations of an older file.

Each result is stored as its JSON document, exactly as it was written or imported; the other columns are what lists
and searches need.
"""

from typing import Final

from raidtui.machine.own_database import Schema

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
