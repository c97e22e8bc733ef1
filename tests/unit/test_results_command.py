"""`raidtui results` and the parts of `raidtui bench` that measure nothing: what scripts read and people see."""

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.cli import main
from raidtui.commands.text.side_by_side import drawing
from raidtui.model.result import Cell, Context, MeasuredDisk, MeasuredUnit, Result, RunValue
from raidtui.model.units import latency
from raidtui.results.store import Store

GRID = (
    ("SEQ1M Q8T1", 1_234_567_890.0),
    ("SEQ1M Q1T1", 700e6),
    ("RND4K Q32T1", 12.34e6),
    ("RND4K Q1T1", 0.5e6),
)


def cell(name: str, direction: str, rate: float, *flags: str) -> Cell:
    runs = tuple(
        RunValue(
            bytes_per_second=rate * factor, iops=rate / 4096, latency_mean_seconds=8.22e-5, total_ios=20_000
        )
        for factor in (0.99, 1.0, 1.01, 1.0, 0.995, 1.005)
    )
    return Cell(
        name=name,
        direction=direction,
        bytes_per_second=rate,
        iops=rate / 4096,
        latency_mean_seconds=8.22e-5,
        latency_p99_seconds=None if name.startswith("SEQ") else 0.0123,
        runs=runs,
        flags=flags,
    )


def result(number: int, label: str, factor: float = 1.0, *flags: str) -> Result:
    return Result(
        id=f"{number:012x}",
        label=label,
        created=f"2026-11-{number:02}T04:00:00+00:00",
        version="0.1.0",
        profile="cdm",
        context=Context(
            target=f"/srv/{label}",
            filesystem="ext4",
            unit=MeasuredUnit(name=label, level="raid5", raid_disks=4),
            size_bytes=2**30,
            seconds=5,
            runs=6,
            engine="io_uring",
        ),
        cells=tuple(
            cell(name, direction, rate * factor, *flags)
            for direction in ("read", "write", "mix")
            for name, rate in GRID
        ),
    )


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return Store()


def results(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What ``raidtui results WORDS`` prints."""
    assert main(["results", *words]) == code
    said = capsys.readouterr()
    return said.err if code else said.out


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(results(capsys, *words, "--json"))


def test_nothing_yet_is_said_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert results(capsys, "list") == "no result yet; run one with 'raidtui bench'\n"
    assert document(capsys, "list") == {"results": []}
    assert "run one with 'raidtui bench'" in results(capsys, "show", "five", code=2)


def test_the_list_has_what_scripts_rely_on(capsys: pytest.CaptureFixture[str], store: Store) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten"))
    listed = document(capsys, "list")["results"]
    assert [(one["id"], one["label"]) for one in listed] == [
        ("000000000002", "ten"),
        ("000000000001", "five"),
    ]
    assert listed[1]["created"] == "2026-11-01T04:00:00+00:00"
    assert len(document(capsys, "list", "--limit", "1")["results"]) == 1
    store.add(result(3, "a label that is longer than the column for it", 50.0))
    assert max(map(len, results(capsys, "list").splitlines())) <= 80
    table = results(capsys, "list", "--csv")
    assert [row["label"] for row in csv.DictReader(io.StringIO(table))][1:] == ["ten", "five"]


def test_one_result_as_a_document_has_every_cell_and_run(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "five", 1.0, "V spread 7 %"))
    cells = document(capsys, "show", "five")["cells"]
    assert [(one["name"], one["direction"]) for one in cells[:5]] == [
        *((name, "read") for name, _ in GRID),
        ("SEQ1M Q8T1", "write"),
    ]
    assert cells[0]["bytes_per_second"] == 1_234_567_890.0
    assert cells[2]["latency_p99_seconds"] == 0.0123
    assert cells[0]["latency_p99_seconds"] is None
    assert len(cells[0]["runs"]) == 6
    assert cells[0]["flags"] == ["V spread 7 %"]


def test_the_grid_shows_decimal_megabytes_iops_and_latencies_within_80_columns(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "five", 1.0, "V spread 7 %", "R resync while measuring"))
    shown = results(capsys, "show", "five")
    assert max(map(len, shown.splitlines())) <= 80
    first = next(line for line in shown.splitlines() if line.startswith("SEQ1M Q8T1"))
    assert first.split() == ["SEQ1M", "Q8T1", "1,234.6", "301,408.2", "82.2", "µs", "-", "0.7", "%", "RV"]
    assert "12.3 ms" in shown
    assert "RND4K Q1T1 mix: R resync while measuring" in " ".join(shown.split())


def test_a_comparison_marks_the_best_and_the_factor_in_signs(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten", 2.0))
    lines = results(capsys, "compare", "five", "ten").splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("SEQ1M Q1T1   read"))
    assert lines[row].split()[-2:] == ["700.0", "*1,400.0"]
    assert lines[row + 1].split() == ["2.00x+"]
    turned = results(capsys, "compare", "five", "ten", "--baseline", "ten")
    assert "0.50x-" in turned
    compared = document(capsys, "compare", "five", "ten")
    assert compared["rows"][0]["cells"][1]["verdict"] == "faster"


def test_six_results_fit_side_by_side(capsys: pytest.CaptureFixture[str], store: Store) -> None:
    labels = [f"a label that is very long, number {n}" for n in range(6)]
    for number, label in enumerate(labels, 1):
        store.add(result(number, label, number * 2.5, "C cached", "V spread 20 %, unreliable"))
    shown = results(capsys, "compare", *labels)
    assert max(map(len, shown.splitlines())) <= 80
    assert "CV" in shown
    store.add(result(7, "seventh"))
    seven = results(capsys, "compare", *labels, "seventh")
    assert [line.split()[-1] for line in seven.splitlines() if line.startswith("MB/s")] == ["F", "G"]
    assert max(map(len, seven.splitlines())) <= 80
    assert results(capsys, "compare", *labels, "seventh", "--csv").startswith("name,direction,")


def test_results_are_exported_and_come_back_elsewhere(
    capsys: pytest.CaptureFixture[str], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten"))
    file = tmp_path / "carried.json"
    assert results(capsys, "export", "--all", str(file)) == f"2 results written to {file}\n"
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "elsewhere"))
    assert document(capsys, "import", str(file)) == {"added": ["000000000001", "000000000002"], "known": []}
    assert results(capsys, "import", str(file)) == "0 results added\n"
    assert results(capsys, "export", "--all", "-") == file.read_text()


def test_options_may_stand_between_the_results(capsys: pytest.CaptureFixture[str], store: Store) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten"))

    assert results(capsys, "export", "five", "--csv", "-") == results(capsys, "export", "five", "-", "--csv")
    mixed = results(capsys, "compare", "five", "--baseline", "ten", "ten")
    assert mixed == results(capsys, "compare", "five", "ten", "--baseline", "ten")


def test_export_does_not_write_over_a_file(
    capsys: pytest.CaptureFixture[str], store: Store, tmp_path: Path
) -> None:
    store.add(result(1, "five"))
    file = tmp_path / "precious"
    file.write_text("mine")
    assert "already exists" in results(capsys, "export", "five", str(file), code=2)
    assert file.read_text() == "mine"
    assert "name the results and then the file" in results(capsys, "export", "five", code=2)
    assert "cannot be written" in results(capsys, "export", "five", str(tmp_path / "no" / "x"), code=4)


def test_the_last_result_is_not_taken_for_the_file_to_write(
    capsys: pytest.CaptureFixture[str], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store.add(result(1, "five"))
    store.add(result(2, "ten"))
    said = results(capsys, "export", "five", "ten", code=2)
    assert "'ten' is a result: name the file to write after it" in said
    assert not Path("ten").exists()
    results(capsys, "export", "five", "./ten")
    assert Path("ten").exists()


def test_an_export_that_fails_leaves_no_file(
    capsys: pytest.CaptureFixture[str], store: Store, tmp_path: Path
) -> None:
    store.add(result(1, "five"))
    file = tmp_path / "all.json"
    assert "no result is called 'six'" in results(capsys, "export", "five", "six", str(file), code=2)
    assert not file.exists()


def test_a_wrong_word_removes_nothing(capsys: pytest.CaptureFixture[str], store: Store) -> None:
    store.add(result(1, "five"))
    assert "no result is called 'tne'" in results(capsys, "remove", "five", "tne", code=2)
    assert len(store.list()) == 1
    assert document(capsys, "remove", "five") == {"removed": ["000000000001"]}
    assert store.list() == ()


def test_a_result_that_cannot_be_read_any_more_can_be_removed(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten"))
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE result SET document = '{' WHERE label = 'ten'")
    said = results(capsys, "export", "ten", "-", code=2)
    assert "the result ten in" in said
    assert "'raidtui results remove' forgets it" in said
    assert document(capsys, "remove", "ten") == {"removed": ["000000000002"]}
    assert results(capsys, "export", "--all", "-")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["compare", "five"], "two results or more"),
        (["compare", "five", "five"], "named twice"),
        (["compare", "five", "ten", "--baseline", "six"], "no result is called 'six'"),
        (["list", "--json", "--csv"], "choose one of --json and --csv"),
        (["list", "--limit", "0"], "at least 1"),
        (["import", "/nowhere/file"], "/nowhere/file cannot be read"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], store: Store, words: list[str], sentence: str
) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten"))
    said = results(capsys, *words, code=2)
    assert sentence in said
    assert said.count("\n") == 1


def test_text_from_elsewhere_cannot_write_to_the_terminal(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "\x1b[31mred\u202e", 1.0, "V \x1b]0;title\x07"))
    wicked = cell("\x1b[31mname", "\x1b[31mway", 5.0, "\x1b[31mflag")
    for number in (2, 3):  # as a raidtui that did not look imported it
        one = result(number, "")
        store.add(
            msgspec.structs.replace(
                one,
                id=f"\x1b[31m{number}",
                created="\x1b[31m",
                context=msgspec.structs.replace(one.context, engine="\x1b[31m", compat="\x1b[31m"),
                cells=(wicked, msgspec.structs.replace(wicked, direction="read", amplification=1.5)),
            )
        )
    for kind in ("csv", "markdown", "html", "text"):
        assert "\x1b" not in results(capsys, "export", "--all", "-", "--format", kind)
    for words in (["list"], ["list", "--csv"], ["show", "0"], ["show", "\x1b[31m2"], ["compare", "--all"]):
        assert "\x1b" not in results(capsys, *words)
    assert "\x1b" not in results(capsys, "compare", "--all", "--bars")
    for kind in ("csv", "markdown", "html"):
        assert "\x1b" not in results(capsys, "compare", "--all", "--format", kind)
    assert "\x1b" not in results(capsys, "show", "\x1b", code=2)
    assert "\x1b" not in results(capsys, "remove", "\x1b[31m2")


def test_the_profiles_are_listed_without_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--list"]) == 0
    out = capsys.readouterr().out
    assert "Sequential 1 MiB at queue depth 8 and 1" in out
    assert "profile" in Path(out.splitlines()[-1].strip()).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ([], 2, "name a directory or a block device to measure"),
        (["/srv", "--size", "100"], 2, "'100' has no unit"),
        (["/srv", "--size", "1MiB"], 2, "must be at least 16MiB"),
        (["/srv", "--runs", "0"], 2, "--runs must be at least 1"),
        (["/srv", "--profile", "cmd"], 2, "did you mean 'cdm'?"),
        (["/srv", "--machine", "recorded.json"], 3, "recorded.json is a recorded machine"),
    ],
)
def test_what_cannot_be_measured_starts_no_job(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], code: int, sentence: str
) -> None:
    assert main(["bench", *words]) == code
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.0, "0.00 µs"),
        (8.22e-5, "82.2 µs"),
        (1.5e-3, "1.50 ms"),
        (0.25, "250 ms"),
        (2.5, "2.50 s"),
    ],
)
def test_a_latency_has_three_digits(seconds: float | None, text: str) -> None:
    assert latency(seconds) == text


def test_a_doubt_is_shown_once_with_all_its_cells_in_lines_that_fit(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "five", 1.0, "C the file has 0.065 times the memory; below 2 it measures the cache"))
    shown = results(capsys, "show", "five")
    assert " ".join(shown.split()).count("0.065 times") == 1
    assert max(map(len, shown.splitlines())) < 80


def test_a_sweeps_results_are_distinguished_in_lists_and_legends(
    capsys: pytest.CaptureFixture[str], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = [f"own: raid5 of 4, {chunk}, ext4, pass {n}" for chunk in ("64KiB", "512KiB") for n in (1, 2)]
    for number, label in enumerate(labels):
        store.add(result(number, label))
    shown = results(capsys, "compare", "--all")
    assert all(label in shown for label in labels)
    assert max(map(len, shown.splitlines())) < 80
    monkeypatch.setenv("COLUMNS", "120")
    shown = results(capsys, "list")
    assert all(label in shown for label in labels)
    assert max(map(len, shown.splitlines())) < 120


def test_the_amplification_is_said_once_where_all_cells_have_the_same(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    plain = result(1, "five")
    two = replace(plain.context, disks=(MeasuredDisk(identity="A"), MeasuredDisk(identity="B")))
    same = tuple(replace(one, amplification=1.001) for one in plain.cells)
    other = (replace(same[0], amplification=2.0), *same[1:])
    for number, cells in ((1, same), (2, other)):
        store.add(replace(plain, id=f"{number:012x}", label=f"number {number}", context=two, cells=cells))
    assert "I/O amplification: 1.00 in every cell" in results(capsys, "show", "number 1")
    shown = results(capsys, "show", "number 2")
    assert f"I/O amplification: {other[0].name} {other[0].direction} 2.00, " in shown


def test_what_was_not_counted_is_a_dash(capsys: pytest.CaptureFixture[str], store: Store) -> None:
    one = result(1, "bonnie")
    blocks = msgspec.structs.replace(cell("block", "read", 81.5e6), iops=0.0)
    store.add(msgspec.structs.replace(one, cells=(blocks,)))
    (line,) = (line for line in results(capsys, "show", "bonnie").splitlines() if line.startswith("block"))
    assert line.split()[1:3] == ["81.5", "-"]


def test_the_ending_of_the_file_or_the_word_chooses_the_format(
    capsys: pytest.CaptureFixture[str], store: Store, tmp_path: Path
) -> None:
    store.add(result(1, "five"))
    store.add(result(2, "ten", 2.0))
    results(capsys, "export", "five", "ten", str(tmp_path / "both.html"))
    assert (tmp_path / "both.html").read_text().startswith("<!DOCTYPE html>")
    assert "| MB/s | five | ten |" in results(capsys, "export", "five", "ten", "-", "--format", "markdown")
    assert "| MB/s | five | ten |" in results(capsys, "compare", "five", "ten", "--format", "markdown")
    assert "'pdf' is not a format" in results(capsys, "export", "five", "-", "--format", "pdf", code=2)


def test_what_others_published_is_listed_shown_and_compared(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(result(1, "five"))
    listed = results(capsys, "list", "--published")
    assert "published:megaraid-raid5x3" in listed
    assert max(map(len, listed.splitlines())) <= 80
    assert "measured by published: a workstation maker" in results(
        capsys, "show", "published:megaraid-raid5x3"
    )
    compared = results(capsys, "compare", "five", "published:megaraid-raid5x3")
    assert "2,578.9" in compared
    assert "who measured" in compared
    assert len(document(capsys, "list", "--published")["results"]) == 29
    assert "did you mean" in results(capsys, "compare", "five", "published:megaraid-raid5x33", code=2)


def test_a_report_of_another_program_is_imported(
    capsys: pytest.CaptureFixture[str], store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "old box.txt"
    file.write_text("CrystalDiskMark 8.0.4 x64\n[Read]\n  SEQ    1MiB (Q=  8, T= 1):   524.288 MB/s\n")
    assert results(capsys, "import", str(file)) == "1 result added\n"
    assert results(capsys, "import", str(file)) == "0 results added\n"
    assert "measured by CrystalDiskMark 8.0.4" in results(capsys, "show", "old box")


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_bars_fit_every_width_and_the_longest_is_the_best(
    capsys: pytest.CaptureFixture[str], store: Store, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    store.add(result(1, "five"))
    store.add(result(2, "ten", 2.0))
    lines = results(capsys, "compare", "five", "ten", "--bars").splitlines()
    assert max(map(len, lines)) <= columns
    slow, fast = lines[1:3]
    assert slow.count("█") * 2 == pytest.approx(fast.count("█"), abs=1)
    assert set("".join(lines)) - set("█░…") == set(filter(str.isascii, "".join(lines)))


def test_bars_are_drawn_in_ascii_where_the_output_has_nothing_else() -> None:
    assert drawing("ascii") == ("#", ".")
    assert drawing("utf-8") == ("█", "░")


def test_every_result_of_the_store_is_compared_by_level(
    capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    for number in range(1, 9):
        store.add(result(number, f"r{number}"))
    assert "all have the same level (raid5)" in results(capsys, "compare", "--all", "--by", "level", code=2)
    shown = results(capsys, "compare", "--all", "--by", "day")
    assert "H  2026-11-08" in shown
    assert "name the results to compare, or say --all" in results(capsys, "compare", code=2)
    assert "with --all name no result" in results(capsys, "compare", "r1", "--all", code=2)
    assert "cannot be grouped by 'size'" in results(capsys, "compare", "--all", "--by", "size", code=2)


def test_an_output_that_is_not_utf_8_gets_question_marks_and_no_fault(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(result(1, "größe"))
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    assert main(["results", "show", "0"]) == 0
    out.flush()
    assert b"gr??e" in out.buffer.getvalue()


@pytest.fixture
def one_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    store = Store()
    for number, label in enumerate(("first", "broken", "last"), 1):
        store.add(result(number, label))
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE result SET document = substr(document, 1, 200) WHERE label = 'broken'")


@pytest.mark.usefixtures("one_is_damaged")
def test_a_damaged_result_is_named_and_left_out_of_all(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["results", "compare", "--all", "--json"]) == 0
    told = capsys.readouterr()
    assert [one["label"] for one in json.loads(told.out)["columns"]] == ["first", "last"]
    assert "skipped 'broken'" in told.err
    assert "'raidtui results remove' forgets it" in told.err
    assert main(["results", "export", "--all", str(tmp_path / "all.json")]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("2 results written to")
    assert "skipped 'broken'" in told.err
    assert main(["results", "compare", "first", "broken"]) == 2, (
        "one that is asked for by its name is refused"
    )
