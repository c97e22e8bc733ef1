"""The store of results: found by id, start of an id or label; safe with two writers; honest about a bad file."""

import json
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from raidtui.machine.own_database import OwnDatabase
from raidtui.model.errors import BadInput, Refused, StepFailed
from raidtui.model.result import Cell, Context, MeasuredUnit, Result, RunValue
from raidtui.model.struct import to_json
from raidtui.results.exchange import write_export
from raidtui.results.published.reader import published
from raidtui.results.store import MIGRATIONS, SCHEMA, Store


def result(identity: str, label: str = "", created: str = "2026-11-21T04:00:00+00:00") -> Result:
    runs = tuple(
        RunValue(bytes_per_second=rate, iops=rate / 2**20, latency_mean_seconds=0.01) for rate in (5e8, 5.2e8)
    )
    read = Cell(
        name="SEQ1M Q8T1",
        direction="read",
        bytes_per_second=5.1e8,
        iops=486.4,
        latency_mean_seconds=0.01,
        runs=runs,
    )
    return Result(
        id=identity,
        label=label,
        created=created,
        version="0.1.0",
        profile="cdm",
        context=Context(
            target="/srv/tank",
            filesystem="ext4",
            unit=MeasuredUnit(name="tank", level="raid5", raid_disks=4),
        ),
        cells=(read,),
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state" / "results.sqlite")


def test_what_was_added_comes_back_equal(store: Store) -> None:
    store.add(result("a1b2c3", "five"))
    assert store.get("a1b2c3") == result("a1b2c3", "five")


def test_the_list_is_newest_first_and_says_what_was_measured(store: Store) -> None:
    store.add(result("old", created="2026-11-20T04:00:00+00:00"))
    store.add(result("new", created="2026-11-21T04:00:00+00:00"))
    assert [one.id for one in store.list()] == ["new", "old"]
    assert [one.id for one in store.list(limit=1)] == ["new"]
    line = store.list()[0]
    assert (line.level, line.array, line.filesystem) == ("raid5", "tank", "ext4")
    assert (line.read_bytes_per_second, line.write_bytes_per_second) == (5.1e8, 0.0)


def test_a_result_is_found_by_the_start_of_its_id(store: Store) -> None:
    store.add(result("a1b2c3"))
    store.add(result("a1ffff"))
    assert store.get("a1b").id == "a1b2c3"
    with pytest.raises(BadInput, match=r"'a1' matches several results: a1b2c3, a1ffff"):
        store.get("a1")


def test_a_label_means_its_newest_result(store: Store) -> None:
    store.add(result("second", "five", created="2026-11-21T04:00:00+00:00"))
    store.add(result("first", "five", created="2026-11-20T04:00:00+00:00"))
    assert store.get("five").id == "second"


@pytest.mark.parametrize("word", ["", "%", "_", "nothing", "x' OR '1'='1"])
def test_a_word_that_means_nothing_is_refused_with_what_there_is(store: Store, word: str) -> None:
    store.add(result("a1b2c3", "five"))
    with pytest.raises(BadInput, match=r"no result is called .* the latest: 'five'"):
        store.get(word)


def test_before_the_first_result_nothing_is_made(store: Store) -> None:
    assert store.list() == ()
    with pytest.raises(BadInput, match="none is stored yet; run one with 'raidtui bench'"):
        store.get("five")
    assert not store.path.parent.exists()


def test_a_removed_result_is_gone(store: Store) -> None:
    store.add(result("a1b2c3", "five"))
    assert store.remove("five") == "a1b2c3"
    assert store.list() == ()


def test_the_same_id_is_not_added_twice(store: Store) -> None:
    store.add(result("a1b2c3"))
    with pytest.raises(BadInput, match="a result a1b2c3 already exists"):
        store.add(result("a1b2c3"))


def test_only_its_owner_can_read_the_file(store: Store) -> None:
    store.add(result("a1b2c3"))
    assert store.path.stat().st_mode & 0o777 == 0o600


def test_two_writers_at_once_both_succeed(store: Store) -> None:
    def write(name: str) -> None:
        for number in range(20):
            Store(store.path).add(result(f"{name}{number}"))

    writers = [threading.Thread(target=write, args=(name,)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(store.list()) == 40


def test_a_file_that_another_process_is_just_making_is_not_taken_for_a_foreign_one(tmp_path: Path) -> None:
    for attempt in range(30):
        path = tmp_path / f"{attempt}.sqlite"
        writers = [threading.Thread(target=Store(path).add, args=(result(name),)) for name in "abcd"]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert len(Store(path).list()) == 4


def test_every_result_comes_oldest_first_with_its_document_and_damaged_ones_are_named(store: Store) -> None:
    many = [result(f"{n:03}", f"r{n}", created=f"2026-11-{n % 28 + 1:02}T04:00:00+00:00") for n in range(200)]
    for one in many:
        store.add(one)
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE result SET document = '{' WHERE id IN ('007', '150')")
    skipped: list[str] = []
    seen = list(store.every(lambda name, error: skipped.append(f"{name}: {error}")))
    assert [one.id for one, _ in seen] == [
        one.id for one in sorted(many, key=lambda one: (one.created, one.id)) if one.id not in {"007", "150"}
    ]
    assert all(document == to_json(one, pretty=False) for one, document in seen)
    assert [line.split(":")[0] for line in skipped] == ["r7", "r150"]
    assert all("'raidtui results remove' forgets it" in line for line in skipped)


def test_while_every_result_is_read_others_are_added_and_removed(store: Store) -> None:
    for n in range(200):
        store.add(result(f"{n:03}", created=f"2026-11-21T04:{n // 60:02}:{n % 60:02}+00:00"))
    found = store.every(lambda *_: None)
    begun = next(found)[0].id
    store.add(result("new", created="2026-11-22T04:00:00+00:00"))  # no lock keeps it waiting
    store.remove("199")
    rest = [one.id for one, _ in found]
    assert [begun, *rest] == [f"{n:03}" for n in range(199)] + ["new"]


def test_an_interrupted_write_is_as_if_it_had_not_begun(store: Store) -> None:
    store.add(result("kept"))
    whole = store.path.read_bytes()
    database = sqlite3.connect(store.path, isolation_level=None)
    database.execute("PRAGMA cache_size = 1")  # forces changed pages out to the file before the end
    database.execute("BEGIN IMMEDIATE")
    database.execute("UPDATE result SET document = hex(zeroblob(200000))")
    cut, journal = (store.path.read_bytes(), Path(f"{store.path}-journal").read_bytes())
    database.rollback()
    database.close()
    # The two files as they were in the middle: what a power cut leaves.
    store.path.write_bytes(cut)
    Path(f"{store.path}-journal").write_bytes(journal)
    assert cut != whole
    assert store.get("kept") == result("kept")


def _nonsense(path: Path) -> None:
    path.write_bytes(b"this is no database at all, but it is long enough to be asked" * 100)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _scribbled(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):  # tables and indexes, all but the first page's header
        content[page : page + 200] = b"\xff" * 200
    path.write_bytes(content)


def _of_no_format(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = -5")


@pytest.mark.parametrize("damage", [_nonsense, _cut, _scribbled, _of_no_format])
def test_a_damaged_file_is_named_with_what_to_do(store: Store, damage: Callable[[Path], None]) -> None:
    store.add(result("a1b2c3"))
    damage(store.path)
    before = store.path.read_bytes()
    for use in (store.list, lambda: store.get("a1b2c3"), lambda: store.add(result("other"))):
        with pytest.raises(BadInput, match=r"results\.sqlite is damaged .*move it away \('mv "):
            use()
    assert store.path.read_bytes() == before


def test_who_reads_a_locked_file_is_told_so_soon(store: Store) -> None:
    store.add(result("a1b2c3"))
    begin = time.monotonic()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StepFailed, match=r"another process keeps .*results\.sqlite locked; try again"):
            store.list()
    assert time.monotonic() - begin < 4


def test_a_row_that_lost_its_label_is_damage(store: Store) -> None:
    store.add(result("a1b2c3"))
    with sqlite3.connect(store.path) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'label TEXT NOT NULL', 'label TEXT') WHERE name = 'result'"
        )
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE result SET label = NULL")
    for use in (store.list, lambda: list(store.every(lambda _, __: None))):
        with pytest.raises(BadInput, match=r"results\.sqlite is damaged .*move it away"):
            use()


def test_a_file_of_a_newer_raidtui_is_left_alone(store: Store) -> None:
    store.add(result("a1b2c3"))
    with sqlite3.connect(store.path) as database:
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(BadInput, match=r"was written by a newer raidtui .*Update raidtui"):
        store.list()
    with pytest.raises(BadInput, match="was written by a newer raidtui"):
        store.add(result("other"))


def test_another_programs_database_is_left_alone(store: Store) -> None:
    store.path.parent.mkdir()
    with sqlite3.connect(store.path) as database:
        database.execute("CREATE TABLE cookies (name)")
    with pytest.raises(BadInput, match="is a database of another program"):
        store.add(result("a1b2c3"))


def test_the_file_says_whose_it_is_and_how_new(store: Store) -> None:
    store.add(result("a1b2c3"))
    with sqlite3.connect(store.path) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (SCHEMA.application,)
        assert database.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


def test_a_list_and_a_name_are_found_without_reading_the_table_through(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of 100 000 results has 3.5 GB of documents, and its list is to take half a second."""
    asked: list[str] = []
    connect = OwnDatabase._connect

    def traced(file: OwnDatabase, *patience: float) -> sqlite3.Connection:
        database = connect(file, *patience)
        database.set_trace_callback(asked.append)
        return database

    store.add(result("a1b2c3", "five"))
    monkeypatch.setattr(OwnDatabase, "_connect", traced)
    store.list()
    store.find("a1b2")
    with sqlite3.connect(store.path) as database:
        plans = [
            " ".join(str(row[3]) for row in database.execute(f"EXPLAIN QUERY PLAN {query}"))
            for query in asked
            if " FROM result " in query
        ]
    assert len(plans) == 4, "the list, then by id, by label and by the beginning of an id"
    assert "COVERING INDEX result_listed" in plans[0]
    assert not any(re.search(r"SCAN result(?! USING COVERING)|TEMP B-TREE", plan) for plan in plans)


def test_a_file_of_the_first_format_is_brought_up_to_date(store: Store) -> None:
    store.path.parent.mkdir()
    with sqlite3.connect(store.path) as database:
        for statement in MIGRATIONS[0].split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {SCHEMA.application}")
        database.execute("PRAGMA user_version = 1")
    assert store.list() == ()
    store.add(result("a1b2c3"))
    assert [one.id for one in store.list()] == ["a1b2c3"]


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match=r"results\.sqlite cannot be written"):
        Store(tmp_path / "file" / "results.sqlite").add(result("a1b2c3"))


def test_results_travel_to_another_machine_unchanged(tmp_path: Path, store: Store) -> None:
    other = Store(tmp_path / "elsewhere" / "results.sqlite")
    store.add(result("a1b2c3", "five"))
    carried = tmp_path / "results.json"
    carried.write_text("".join(write_export([store.document("a1b2c3")])))
    assert other.import_file(carried) == (("a1b2c3",), ())
    assert other.document("a1b2c3") == store.document("a1b2c3")
    assert other.import_file(carried) == ((), ("a1b2c3",)), "a second time it is known"


def test_what_a_newer_raidtui_knew_comes_through_this_one(tmp_path: Path, store: Store) -> None:
    store.add(result("a1b2c3"))
    newer = (
        store.document("a1b2c3").replace('"label":""', '"label":"","colour":"green"').replace("a1b2c3", "d4")
    )
    carried = tmp_path / "results.json"
    carried.write_text("".join(write_export([newer])))
    store.import_file(carried)
    assert store.document("d4") == newer


def test_an_import_is_all_or_nothing(tmp_path: Path, store: Store) -> None:
    store.add(result("a1b2c3", "five"))
    carried = tmp_path / "results.json"
    differs = store.document("a1b2c3").replace("five", "six")
    carried.write_text("".join(write_export([differs.replace("a1b2c3", "fresh"), differs])))
    with pytest.raises(BadInput, match="a result a1b2c3 that differs from the one here"):
        store.import_file(carried)
    assert [one.id for one in store.list()] == ["a1b2c3"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda one: one | {"id": ""}, "its id is ''"),
        (lambda one: one | {"id": "\x1b[31m"}, r"its id is '\\x1b\[31m'"),
        (lambda one: one | {"id": "--all"}, "its id is '--all'"),
        (lambda one: one | {"id": "published:megaraid-raid5x3"}, "differs from the one that ships"),
        (lambda one: one | {"id": "published:mine"}, "differs from the one that ships"),
        (lambda one: one | {"created": "today\x07"}, r"'today\\x07', which is not a date"),
        (lambda one: one | {"cells": one["cells"] * 2}, "has SEQ1M Q8T1 read twice"),
        (lambda one: of_cell(one, name="SEQ\n1M"), r"a cell of the name 'SEQ\\n1M'"),
        (lambda one: of_cell(one, direction="sideways"), "of the direction 'sideways'"),
        (lambda one: of_cell(one, bytes_per_second=-5e8), "the figure -500000000.0 at SEQ1M Q8T1 read"),
        (lambda one: of_cell(one, iops=-1.0), r"the figure -1\.0"),
        (lambda one: of_cell(one, runs=[one["cells"][0]["runs"][0] | {"series": [1, -2]}]), r"figure -2\.0"),
        (lambda one: of_cell(one, flags=["\x1b[31m"]), "does not begin with its letter"),
        (lambda one: of_cell(one, flags=[""]), "does not begin with its letter"),
        (
            lambda one: one | {"context": {"array": {"name": "a", "node": "", "level": "raid5"}}},
            "an array of 0 disks",
        ),
    ],
)
def test_what_nobody_can_have_measured_is_not_imported(
    tmp_path: Path, store: Store, change: Callable[[dict[str, Any]], dict[str, Any]], sentence: str
) -> None:
    whole = json.loads(to_json(result("a1b2c3", "five")))
    path = tmp_path / "forged.json"
    path.write_text("".join(write_export([to_json(result("d4")), json.dumps(change(whole))])))
    with pytest.raises(BadInput, match=rf"forged\.json has .*{sentence}") as caught:
        store.import_file(path)
    assert "\n" not in str(caught.value)
    assert store.list() == ()


def of_cell(one: dict[str, Any], **fields: object) -> dict[str, Any]:
    return one | {"cells": [one["cells"][0] | fields]}


def test_text_that_is_only_shown_comes_through_as_it_is(tmp_path: Path, store: Store) -> None:
    strange = to_json(result("a1b2c3", "\x1b[31mred\u202e"), pretty=False)
    path = tmp_path / "strange.json"
    path.write_text("".join(write_export([strange])))
    store.import_file(path)
    assert store.document("a1b2c3") == strange


def test_what_raidtui_brings_along_is_known_wherever_it_comes_from(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "both.json"
    path.write_text(
        "".join(write_export([to_json(published("published:megaraid-raid5x3")), to_json(result("a1b2c3"))]))
    )
    assert store.import_file(path) == (("a1b2c3",), ("published:megaraid-raid5x3",))
    assert [one.id for one in store.list()] == ["a1b2c3"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_an_export_that_windows_saved_is_read(tmp_path: Path, store: Store, encoding: str) -> None:
    document = to_json(result("a1b2c3", "fünf"), pretty=False)
    path = tmp_path / "windows.json"
    path.write_bytes("".join(write_export([document])).encode(encoding))
    assert store.import_file(path) == (("a1b2c3",), ())
    assert store.document("a1b2c3") == document


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"raidtui_results":1,"results":[{}]}', '{"raidtui_results":1,"results":['],
    ids=str,
)
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, store: Store, text: str) -> None:
    path = tmp_path / "strange.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"strange\.json"):
        store.import_file(path)
    assert not store.path.exists()


@pytest.mark.parametrize(
    "end",
    [
        "",
        "]",
        "]} {}",
        ",1]}",
        ',{"id":1}]}',
        '],"raidtui_results":2}',
        '],"raidtui_results":1}x',
        "]]",
        '],"x":[[}',
    ],
)
def test_an_export_that_is_broken_at_its_end_adds_nothing(tmp_path: Path, store: Store, end: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"raidtui_results":1,"results":[' + to_json(result("a1b2c3")) + end)
    with pytest.raises(BadInput, match=r"broken\.json"):
        store.import_file(path)
    assert store.list() == ()


def test_an_export_that_another_program_formatted_is_read(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "pretty.json"
    one = json.loads(to_json(result("a1b2c3")))
    path.write_text(json.dumps({"raidtui_results": 1, "more": [1], "results": [one]}, indent=4) + "\n")
    assert store.import_file(path) == (("a1b2c3",), ())


def test_an_export_of_a_newer_raidtui_is_refused(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "newer.json"
    path.write_text('{"raidtui_results":2,"results":[]}')
    with pytest.raises(BadInput, match=r"newer\.json was written by a newer raidtui"):
        store.import_file(path)


@pytest.mark.parametrize("word", ["", "\udcff"])
def test_a_word_that_names_nothing_removes_nothing(store: Store, word: str) -> None:
    store.add(result("a1b2c3", ""))
    with pytest.raises(BadInput, match="no result is called"):
        store.remove(word)
    assert len(store.list()) == 1
