"""The command ``sweep``: what it shows before anything happens, and what it refuses."""

import json
from pathlib import Path

import pytest

from raidtui import cli

MACHINE = str(Path(__file__).parents[1] / "machines" / "blank-4.json")
DISKS = "LAB-0001,LAB-0002,LAB-0003"


def sweep(*words: str) -> int:
    return cli.main(["--machine", MACHINE, "sweep", *words])


def test_the_studies_are_listed_with_what_they_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep("--list") == 0
    out = capsys.readouterr().out
    assert "levels-filesystems\n" in out
    *lines, page = out.splitlines()
    assert max(map(len, lines)) < 80
    assert "\n## A sweep\n" in Path(page.strip()).read_text(encoding="utf-8")


def test_without_erase_it_says_what_it_would_do_and_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep("levels", "--disks", DISKS, "--slice", "1GiB", "--passes", "1") == 0
    out = capsys.readouterr().out
    assert "the first 1.07 GB (1.00 GiB) of each disk" in out
    assert "RAID5 of 4" in out
    arrays = [line for line in out.splitlines() if line.startswith("  mdadm ") or "single disk" in line]
    times = [line.split("  ")[-1] for line in arrays if "cannot" not in line]
    assert len({line.rindex("  ") for line in arrays if "cannot" not in line}) == 1  # in one column
    assert all("min" not in one or " s" not in one for one in times)  # an estimate
    assert "cannot be built: RAID5 of 4 needs 4 disks, but only 3 are named" in out
    assert f"Nothing was changed. To erase these disks and measure: add --erase {DISKS}" in out


def test_a_quick_sweep_says_what_it_leaves_out_and_other_options_still_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert sweep("chunks", "--quick", "--disks", f"{DISKS},LAB-0004", "--size", "128MiB", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sweep"]["size_bytes"] == 128 * 2**20
    assert [one[0]["chunk"] for one in told["combinations"]] == [2**16, 2**18, 2**20]
    assert sweep("chunks", "--quick", "--disks", f"{DISKS},LAB-0004") == 0
    out = capsys.readouterr().out
    assert "Quick: each array, chunk and filesystem once" in out
    assert "the first 537 MB (512 MiB) of each disk" in out


def test_a_disk_that_none_of_its_arrays_needs_is_not_erased(capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep("stripe", "--disks", DISKS) == 0
    out = capsys.readouterr().out
    assert "Not needed, left alone: LAB-0003\n" in out
    assert "add --erase LAB-0001,LAB-0002\n" in out


def test_the_preview_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep("stripe", "--disks", DISKS, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [disk["serial"] for disk in told["disks"]] == DISKS.split(",")[:2]
    rows = [(one[0]["backend"], one[0]["level"]) for one in told["combinations"]]
    assert rows == [
        ("disk", "single"),
        ("mdadm", "raid0"),
        ("lvm", "striped"),
        ("lvm-on-md", "raid0"),
        ("mdadm", "raid1"),
    ]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "name a file, or a study"),
        (("nothing",), 2, "there is no file nothing, and the studies that come with raidtui are"),
        (("levels",), 2, "names no disks; add --disks SERIAL"),
        (("levels", "--disks", DISKS, "--runs", "0"), 2, "--runs must be at least 1, not 0"),
        (("levels", "--disks", DISKS, "--slice", "7"), 2, "has no unit"),
        (
            ("levels", "--disks", DISKS, "--size", "15TiB"),
            2,
            "there is room for 4.08 GB, less than the 15TiB to be measured",
        ),
        (("levels", "--disks", DISKS, "--erase", DISKS), 3, "is a recorded machine and cannot be changed"),
    ],
)
def test_what_it_cannot_do_it_says_in_a_sentence(
    words: tuple[str, ...], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep(*words) == code
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.out == ""
