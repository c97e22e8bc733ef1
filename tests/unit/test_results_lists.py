"""Lists of results as text and as CSV: what came from outside is harmless, and changes no other line."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.commands.text.results_list import summaries
from raidtui.model.text import harmless
from raidtui.results.compare import compare
from raidtui.results.csv_text import _csv, comparison_csv, runs_csv, summaries_csv
from raidtui.results.summary import Summary
from tests.unit.test_results_export import result


@pytest.mark.parametrize("label", ["tank\x1b[2J", "two\nlines", "tank \u202eknat", "ends with a space "])
def test_one_label_with_control_characters_changes_no_other_line_of_a_list(label: str) -> None:
    plain = [
        Summary(
            id=f"{n:012x}", label=f"result, {n}", created="2026-01-01T04:00:00", profile="cdm", target="/srv"
        )
        for n in range(3)
    ]
    mixed = [plain[0], replace(plain[1], label=label), plain[2]]
    shown = harmless(label)
    table, rows = summaries(mixed).splitlines(), list(csv.reader(io.StringIO(summaries_csv(mixed))))
    others = [summaries(plain).splitlines()[n].split() for n in (1, 3)]
    assert [table[1].split(), table[3].split()] == others
    assert shown in table[2]
    assert [row[1] for row in rows] == ["label", "result, 0", shown, "result, 2"]
    assert all(text.isprintable() for text in (*table, *(cell for row in rows for cell in row)))


@given(
    st.lists(
        st.tuples(st.text(max_size=6), st.sampled_from(['a"b', "a,b", "tank", " ,", "", " x"])), max_size=4
    )
)
def test_a_list_as_csv_reads_back_whatever_its_values_are(values: list[tuple[str, str]]) -> None:
    results = [
        Summary(id=f"{n:x}", label=label, created="", profile="cdm", target=target)
        for n, (label, target) in enumerate(values)
    ]
    rows = csv.DictReader(io.StringIO(summaries_csv(results)))
    assert [(row["label"], row["target"]) for row in rows] == [tuple(map(as_cell, one)) for one in values]


BEGINS = (*"=+-@\uff1d\uff0b\uff0d\uff20", "\t", "\r")


def as_cell(text: str) -> str:
    return f"'{harmless(text)}" if text.startswith(BEGINS) else harmless(text)


@pytest.mark.parametrize("begin", BEGINS)
def test_no_text_in_csv_is_a_formula_and_numbers_stay_numbers(begin: str) -> None:
    """A spreadsheet would run the command in a label, or send cells to an address."""
    label = f"{begin}cmd|' /C calc'!A0"
    one = Summary(id="1", label=label, created="", profile="cdm", target=f'{begin}1,"')
    texts = [summaries_csv([one]), "".join(runs_csv([result(label)]))]
    for text in texts:
        rows = list(csv.reader(io.StringIO(text)))
        cells = [cell for row in rows for cell in row]
        assert as_cell(label) in cells
        assert not [cell for cell in cells if cell.startswith(BEGINS)]
    compared = comparison_csv(compare([result(label), result("other")]))
    assert "'" + begin.strip() in compared or "'?" in compared
    assert _csv([[-1.5, "-1.5"]]) == "-1.5,'-1.5\n"


def test_a_wide_list_cuts_neither_the_labels_nor_what_was_measured() -> None:
    one = Summary(
        id="976af2878370",
        label="stripe, quick: lvm-on-md raid0 of 2",
        created="2026-11-23T13:52:01",
        profile="cdm",
        target="/dev/tank/data",
        level="lvm-on-md raid0",
        filesystem="ext4",
        read_bytes_per_second=405e6,
    )
    wide = summaries([one], width=119)
    assert one.label in wide
    assert wide.splitlines()[1].endswith("  LVM on md RAID0 ext4")
    for width in (79, 119):
        assert max(map(len, summaries([one], width=width).splitlines())) <= width
    assert "  lvm-on-md raid0 of 2 " not in summaries([one], width=119)  # its sweep is named too
    assert " lvm-on-md raid0 of 2 " in summaries([one], width=79)  # there is no room for both


def test_what_short_labels_leave_shows_what_was_measured() -> None:
    one = Summary(
        id="a" * 12,
        label="first",
        created="2026-01-01T04:00:00",
        profile="cdm",
        target="/srv",
        level="raid10 n2",
        filesystem="ext4",
    )
    (head, line, _) = summaries([one]).splitlines()
    assert line.endswith("RAID10 n2 ext4")
    assert head.index("WHAT") == line.index("RAID10")
