"""`raidtui calc`: what scripts read and what people see."""

import json
from typing import Any

import pytest

from raidtui.cli import main


def calc(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What ``raidtui calc WORDS`` prints on standard output."""
    assert main(["calc", *words]) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    return json.loads(calc(capsys, *words, "--json", code=code))


def test_one_layout_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "4x7814037168s", "--level", "raid5")

    assert found["backend"] == "mdadm"
    assert found["level"] == "raid5"
    assert found["array_bytes"] == found["usable_bytes"] == 11720658432 * 1024
    assert found["component_bytes"] == 3906886144 * 1024
    assert found["data_offset_bytes"] == 264192 * 512
    assert found["refused"] is None
    assert found["survives"]["guaranteed"] == 1
    assert found["survives"]["second_failure_fatal_probability"] == 1
    assert found["rebuild_seconds"]["low"] < found["rebuild_seconds"]["high"]
    assert [m["used_bytes"] + m["wasted_bytes"] for m in found["members"]] == [7814037168 * 512] * 4
    assert {"write-hole", "not-a-backup"} <= {hazard["id"] for hazard in found["hazards"]}


def test_every_layout_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    layouts = document(capsys, "--disks", "3x4TB")["layouts"]

    by_name = {(one["level"], one["layout"]): one for one in layouts}
    assert by_name["raid6", "left-symmetric"]["refused"] == "raid6 takes at least 4 disks, not 3"
    assert by_name["raid10", "n2"]["survives"]["second_failure_fatal_probability"] == 1
    assert by_name["raid5", "left-symmetric"]["array_bytes"] > by_name["raid10", "n2"]["array_bytes"]


def test_the_table_shows_bytes_and_both_units_within_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    table = calc(capsys, "--disks", "12x7814037168s,12x15628053168s")

    assert max(map(len, table.splitlines())) <= 80
    raid6 = next(line for line in table.splitlines() if line.startswith("raid6"))
    assert raid6.split()[1] == str(22 * 3906886144 * 1024)
    assert "88.0 TB" in raid6
    assert "80.0 TiB" in raid6
    assert "any 2" in raid6


def test_a_page_says_how_much_of_each_disk_is_used_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    page = calc(capsys, "--disks", "3x4TB,1x3TB", "--level", "raid10", "--spares", "1")

    assert max(map(len, page.splitlines())) <= 80
    assert "on 3 disks with 1 spare" in page
    assert "because the smallest disk bounds every member" in " ".join(page.split())
    assert "a second random failure loses data" not in page  # on three disks it always does


def test_partitions_are_smaller_than_their_disks(capsys: pytest.CaptureFixture[str]) -> None:
    whole = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--whole")
    partition = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--partition")

    assert 101 * 2**20 < whole["array_bytes"] - partition["array_bytes"] < 103 * 2**20


def test_flash_syncs_faster(capsys: pytest.CaptureFixture[str]) -> None:
    rotating = document(capsys, "--disks", "2x4TB", "--level", "raid1")
    flash = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--flash")

    assert flash["rebuild_seconds"]["low"] < rotating["rebuild_seconds"]["low"]


def test_options_reach_the_layout(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--level", "raid5", "--chunk", "64KiB", "--metadata", "1.0", "--consistency", "ppl"]
    found = document(capsys, "--disks", "4x4TB", *words, "--layout", "right-asymmetric")

    assert found["chunk_bytes"] == 65536
    assert found["metadata"] == "1.0"
    assert found["consistency"] == "ppl"
    assert found["layout"] == "right-asymmetric"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--disks", ""], "no disks are named"),
        (["--disks", ","], "empty part"),
        (["--disks", "4TB"], "one disk makes no array"),
        (["--disks", "300x4TB"], "300 disks are more than the 256"),
        (["--disks", "99999999999x4TB"], "more than the 256"),
        (["--disks", "0x4TB"], "names no disk"),
        (["--disks", "4x0TB"], "without any space"),
        (["--disks=-4TB,4TB"], "negative"),
        (["--disks", "4x4"], "has no unit"),
        (["--disks", "4x4ZB"], "unknown unit"),
        (["--disks", "four disks"], "not a size"),
        (["--disks", "2x5000PB"], "1 EiB"),
        (["--disks", "2x10KB"], "too small"),
        (["--disks", "4x4TB", "--level", "raid7"], "no level"),
        (["--disks", "3x4TB", "--level", "raid6"], "at least 4"),
        (["--disks", "4x4TB", "--level", "raid5", "--chunk", "100KiB"], "power of two"),
        (["--disks", "4x4TB", "--level", "raid5", "--chunk", "512"], "has no unit"),
        (["--disks", "4x4TB", "--level", "raid5", "--layout", "f2"], "no layout of raid5"),
        (["--disks", "4x4TB", "--layout", "left-symmetric"], "no layout of raid10"),
        (["--disks", "4x4TB", "--level", "raid6", "--consistency", "ppl"], "raid5 only"),
        (["--disks", "4x4TB", "--level", "raid5", "--metadata", "2.0"], "no metadata version"),
        (["--disks", "4x4TB", "--spares", "4"], "leaves no member"),
        (["--disks", "4x4TB", "--spares", "-1"], "leaves no member"),
        (["--disks", "4x4TB", "spec.toml"], "either SPEC or --disks"),
        ([], "needs a SPEC or --disks"),
        (["/nonexistent/spec.toml"], "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
    assert main(["calc", *words]) == 2

    streams = capsys.readouterr()
    assert streams.out == ""
    assert reason in streams.err
    assert streams.err.count("\n") == 1


def test_a_refused_layout_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "3x4TB", "--level", "raid6", code=2)

    assert found["refused"] == "raid6 takes at least 4 disks, not 3"
