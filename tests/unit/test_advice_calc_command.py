"""`raidtui calc`: what scripts read and what people see."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.resolve import place
from raidtui.cli import main
from raidtui.model.errors import CannotBuild
from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import to_json
from raidtui.model.system import System
from raidtui.model.units import GIB, MIB
from raidtui.steps.pieces import member_extent
from raidtui.ui.wizard.estimates import question_of, reports_of


@pytest.fixture(autouse=True)
def tools_here(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The programs of this computer and their versions."""
    found = {"mdadm": "4.2", "mkfs.ext4": "1.47.0"}
    monkeypatch.setattr("raidtui.machine.tools.deciding_versions", lambda: found)
    return found


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

    by_name = {(one["level"], one["layout"]): one for one in layouts if one["backend"] == "mdadm"}
    assert by_name["raid6", ""]["refused"] == "RAID6 takes at least 4 disks, not 3"
    assert by_name["raid10", "n2"]["survives"]["second_failure_fatal_probability"] == 1
    assert by_name["raid5", "left-symmetric"]["array_bytes"] > by_name["raid10", "n2"]["array_bytes"]


def test_the_table_shows_bytes_and_both_units_within_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    table = calc(capsys, "--disks", "12x7814037168s,12x15628053168s")

    assert max(map(len, table.splitlines())) <= 80
    raid6 = next(line for line in table.splitlines() if line.startswith("raid6"))
    assert raid6.split()[1] == f"{22 * 3906886144 * 1024:,}"
    assert {"mdadm", "lvm", "lvm-on-md", "zfs", "btrfs"} <= {
        line.split()[0] for line in table.splitlines() if line
    }
    assert "88.0 TB" in raid6
    assert "80.0 TiB" in raid6
    assert "any 2" in raid6


def test_a_page_says_how_much_of_each_disk_is_used_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    page = calc(capsys, "--disks", "3x4TB,1x3TB", "--level", "raid10", "--spares", "1")

    assert max(map(len, page.splitlines())) <= 80
    assert "on 3 disks with 1 spare" in page
    assert "because the smallest disk bounds every member" in " ".join(page.split())
    assert "a second random failure loses data" not in page  # on three disks it always does


@pytest.mark.parametrize(
    ("backend", "level", "noun", "boot"),
    [
        ("mdadm", "raid5", "array", "starts degraded"),
        ("lvm", "raid5", "volume group", "stays inactive"),
        ("zfs", "raidz1", "pool", "is imported automatically, in state DEGRADED"),
        ("megaraid", "raid5", "virtual drive", "is started degraded by the card"),
    ],
)
def test_a_missing_disk_at_boot_is_said_of_what_the_backend_makes(
    capsys: pytest.CaptureFixture[str], backend: str, level: str, noun: str, boot: str
) -> None:
    page = calc(capsys, "--disks", "4x4TB", "--backend", backend, "--level", level)
    assert f"the {noun} {boot}" in " ".join(page.split())
    assert f"not-a-backup: {noun} of 4 disks" in page


@pytest.mark.parametrize(
    ("backend", "level", "lost"), [("btrfs", "raid0", "mounted"), ("zfs", "stripe", "imported")]
)
def test_what_a_filesystem_of_its_own_does_without_a_disk_is_said_in_its_words(
    capsys: pytest.CaptureFixture[str], backend: str, level: str, lost: str
) -> None:
    page = " ".join(calc(capsys, "--disks", "2x4TB", "--backend", backend, "--level", level).split())
    assert f"cannot be {lost}: its data is lost" in page
    assert "consistency" not in page  # it has none to choose


def test_a_thousand_disks_are_compared_and_what_cannot_be_built_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = calc(capsys, "--disks", "1000x4TB")

    assert max(map(len, table.splitlines())) <= 80
    words = " ".join(table.split())
    assert "RAID6 takes at most 256 disks, not 1000" in words
    assert "LVM RAID6 takes at most 64 disks, not 1000" in words
    raid10 = next(line for line in table.splitlines() if line.startswith("raid10 n2"))
    assert "2.00 PB" in raid10
    page = calc(capsys, "--disks", "1000x4TB", "--level", "raid10")
    assert "500 pairs" in page
    assert len(page.splitlines()) < 60


def test_partitions_are_smaller_than_their_disks(capsys: pytest.CaptureFixture[str]) -> None:
    whole = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--whole")
    partition = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--partition")

    assert 101 * 2**20 < whole["array_bytes"] - partition["array_bytes"] < 103 * 2**20


def test_the_overhead_is_of_the_disks_and_not_of_their_partitions(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "4x1GiB", "--level", "raid0", "--partition")

    assert found["overhead"] == pytest.approx(1 - found["usable_bytes"] / 2**32)
    assert found["overhead"] > 0.1  # 100 MiB and the partition table of 1 GiB, and md's metadata
    assert found["outside_bytes"] == 4 * 2**30 - sum(use["size_bytes"] for use in found["members"])
    assert main(["calc", "--disks", "4x1GiB", "--level", "raid0", "--partition"]) == 0
    assert "428 MB (408 MiB) of it outside the members" in capsys.readouterr().out


def test_the_recommended_level_is_marked_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    table = calc(capsys, "--disks", "4x4TB")

    marked = [line.split()[0] for line in table.splitlines() if line.split()[:1] and "*" in line.split()[0]]
    assert marked == ["raid5*", "*"]
    assert "* RAID5 is recommended: it gives the most space that survives a failed disk." in table


def test_flash_syncs_faster(capsys: pytest.CaptureFixture[str]) -> None:
    rotating = document(capsys, "--disks", "2x4TB", "--level", "raid1")
    flash = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--flash")

    assert flash["rebuild_seconds"]["low"] < rotating["rebuild_seconds"]["low"]


@pytest.mark.parametrize(
    ("disks", "level", "grows"),
    [
        ("4x4TB", "raid5", True),
        ("4x4TB", "raid6", True),
        ("4x4TB", "raid0", False),  # it is not told of what raidtui does not do
        ("4x4TB", "raid10", False),
        ("4x4TB", "raid1", False),  # another mirror is a recovery
    ],
)
def test_a_reshape_takes_longer_than_a_sync_and_is_told_where_raidtui_does_it(
    capsys: pytest.CaptureFixture[str], disks: str, level: str, grows: bool
) -> None:
    found = document(capsys, "--disks", disks, "--level", level)

    assert (found["reshape_seconds"] is not None) is grows
    if grows and found["rebuild_seconds"]:
        assert found["reshape_seconds"]["low"] > found["rebuild_seconds"]["low"]
        assert found["reshape_seconds"]["high"] > found["rebuild_seconds"]["high"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--level", "raid5"], True),
        (["--level", "raid0"], False),  # nothing to rebuild
        (["--backend", "lvm-on-md", "--level", "raid5"], True),
        (["--backend", "lvm", "--level", "raid5"], False),
        (["--backend", "zfs", "--level", "raidz1"], False),
    ],
)
def test_a_lockless_bitmap_is_told_where_md_rebuilds(
    capsys: pytest.CaptureFixture[str], words: list[str], said: bool
) -> None:
    page = " ".join(calc(capsys, "--disks", "4x4TB", *words).split())
    assert ("a lockless bitmap (mdadm 4.6, experimental) rebuilds only written data" in page) is said


@pytest.mark.parametrize(
    ("disks", "hits"),
    [
        ("4x4TB", "an unreadable block of 4 KiB with a chance of 1 in 10,"),
        ("12x20TB", "1.8 unreadable blocks of 4 KiB,"),
        ("4x200MB", "an unreadable block of 4 KiB with a chance of less than 1 in 100,000,"),
    ],
)
def test_bad_sectors_are_told_as_odds_or_as_a_number(
    capsys: pytest.CaptureFixture[str], disks: str, hits: str
) -> None:
    page = " ".join(calc(capsys, "--disks", disks, "--level", "raid5").split())
    assert f"a rebuild with no redundancy left hits {hits}" in page


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
        (["--disks", ""], "--disks is empty; give it a value"),
        (["--disks", ","], "empty part"),
        (["--disks", "4TB"], "one disk is not enough"),
        (["--disks", "2000x4TB"], "2000 disks are more than the 1920"),
        (["--disks", "99999999999x4TB"], "more than the 1920"),
        (["--disks", "0x4TB"], "names no disk"),
        (["--disks", "4x0TB"], "without any space"),
        (["--disks=-4TB,4TB"], "negative"),
        (["--disks", "4x4"], "has no unit"),
        (["--disks", "4x4ZB"], "unknown unit"),
        (["--disks", "four disks"], "not a size"),
        (["--disks", "2x5000PB"], "1 EiB"),
        (["--disks", "2x10KB"], "too small"),
        (["--disks", "4x4TB", "--level", "raid7"], "not a level"),
        (["--disks", "3x4TB", "--level", "raid6"], "at least 4"),
        (["--disks", "4x4TB", "--level", "raid5", "--chunk", "100KiB"], "power of two"),
        (["--disks", "4x4TB", "--level", "raid5", "--chunk", "512"], "has no unit"),
        (["--disks", "4x4TB", "--level", "raid5", "--layout", "f2"], "not a layout of RAID5"),
        (["--disks", "4x4TB", "--layout", "left-symmetric"], "a layout of raid5 and raid6; give the level"),
        (["--disks", "4x4TB", "--layout", "sideways"], "not a layout of RAID10"),
        (["--disks", "4x4TB", "--layout", "n9"], "more than the 4 disks"),
        (["--disks", "4x4TB", "--level", "raidz9"], "did you mean 'raidz"),
        (["--disks", "4x4TB", "--chunk", "500KiB"], "next to it are 256KiB and 512KiB"),
        (["--disks", "4x4TB", "--chunk", "0KiB"], "between 4KiB and 1GiB"),
        (["--disks", "4x4TB", "--consistency", "hope"], "not a consistency policy"),
        (["--disks", "4x4TB", "--metadata", "7"], "not a metadata version"),
        (["--disks", "4x4TB", "--backend", "zfs", "--option", "recordsize=100KiB"], "is not a power of two"),
        (["--disks", "4x4TB", "--filesystem", "zfs"], "unknown filesystem"),
        (["--disks", "4x4TB", "--speed", "9999TB"], "faster than any"),
        (["--disks", "4x4TB", "--level", "raid6", "--consistency", "ppl"], "RAID5 only"),
        (["--disks", "4x4TB", "--level", "raid5", "--metadata", "2.0"], "not a metadata version"),
        (["--disks", "4x4TB", "--spares", "4"], "leaves no member"),
        (["--disks", "4x4TB", "--spares", "-1"], "not a number of disks"),
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


def test_grow_tells_what_one_more_disk_gives_each_level_later(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calc", "--disks", "4x4TB", "--grow"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    rows = said.partition("+1 disk later (raidtui grow):")[2]
    assert "  raid5      +4.00 TB" in rows
    assert "raid1      another copy, no more space" in rows
    assert "raid10 n2  cannot grow: after a power cut" in rows
    assert "raid0      cannot grow" in rows
    found = {
        one["level"]: one
        for one in document(capsys, "--disks", "4x4TB")["layouts"]
        if one["backend"] == "mdadm"
    }
    assert found["raid6"]["grows_bytes"] == found["raid6"]["component_bytes"]
    assert found["raid1"]["grows_bytes"] == 0
    assert found["raid0"]["grows_bytes"] is None
    assert document(capsys, "--disks", "4x4TB", "--backend", "zfs", "--level", "raidz1")["no_growth"] == ""
    assert main(["calc", "--disks", "4x4TB", "--backend", "lvm", "--grow"]) == 0
    said = capsys.readouterr().out
    assert "  linear     +4.00 TB" in said
    assert "  raid5      +4 disks: +12.0 TB" in said
    assert main(["calc", "--disks", "4x4TB", "--backend", "zfs", "--grow"]) == 0
    said = capsys.readouterr().out
    assert "  mirror     +2 disks: +3.99 TB" in said
    assert "  raidz1     +4 disks: +11." in said
    found = document(capsys, "--disks", "4x4TB", "--backend", "zfs", "--level", "mirror")
    assert found["grows_by"] == 2
    assert found["grows_bytes"] > found["usable_bytes"] // 2  # what ZFS reserves does not grow with it


def test_a_refused_layout_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "3x4TB", "--level", "raid6", code=2)

    assert found["refused"] == "RAID6 takes at least 4 disks, not 3"


def test_the_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "4x8TB", "--level", "raid5", "--afr", "1.5%", "--repair-hours", "48")

    assert set(found) >= {
        "backend",
        "level",
        "array_bytes",
        "component_bytes",
        "data_offset_bytes",
        "usable_bytes",
        "members",
        "survives",
        "risk",
        "rebuild_seconds",
        "reshape_seconds",
        "ideal",
        "refused",
        "hazards",
    }
    assert found["risk"]["loss_probability_1y"]["1"] == pytest.approx(1.493e-5, rel=1e-3)
    assert found["risk"]["loss_probability_1y"]["10"] == pytest.approx(1.489e-4, rel=1e-3)
    assert found["risk"]["loss_probability_5y"]["1"] == pytest.approx(7.497e-5, rel=1e-3)
    assert found["risk"]["inputs"]["afr"] == 0.015
    assert found["risk"]["inputs"]["repair_hours"] == 48
    assert set(found["ideal"]) >= {"seq_read", "seq_write", "rand_read", "rand_write"}
    assert found["ideal"]["seq_write"] == 3


def test_every_backend_answers(capsys: pytest.CaptureFixture[str]) -> None:
    layouts = document(capsys, "--disks", "3x3TB,2x8TB")["layouts"]

    by_name = {(one["backend"], one["level"]): one for one in layouts}
    assert by_name["hybrid", "hybrid1"]["array_bytes"] / 1e12 == pytest.approx(17, rel=1e-3)
    assert by_name["hybrid", "hybrid1"]["layout"] == "raid5 of 5 + raid1 of 2"
    assert by_name["zfs", "raidz1"]["survives"]["guaranteed"] == 1
    assert by_name["btrfs", "raid1"]["array_bytes"] > by_name["mdadm", "raid10"]["array_bytes"]
    assert all(one["accuracy"] for one in layouts if one["refused"] is None)


@pytest.mark.parametrize(
    ("words", "backend"),
    [
        (["--level", "raidz2"], "zfs"),
        (["--level", "raid1c3"], "btrfs"),
        (["--level", "raid1"], "mdadm"),
        (["--level", "raid1", "--backend", "btrfs"], "btrfs"),
        (["--level", "hybrid1"], "hybrid"),
    ],
)
def test_a_level_is_its_backends_word(
    capsys: pytest.CaptureFixture[str], words: list[str], backend: str
) -> None:
    assert document(capsys, "--disks", "4x4TB", *words)["backend"] == backend


def test_a_spare_shortens_the_wait(capsys: pytest.CaptureFixture[str]) -> None:
    alone = document(capsys, "--disks", "4x4TB", "--level", "raid5")
    spared = document(capsys, "--disks", "5x4TB", "--spares", "1", "--level", "raid5")

    assert spared["risk"]["inputs"]["obtain_hours"] == 0
    assert spared["risk"]["loss_probability_1y"]["1"] < alone["risk"]["loss_probability_1y"]["1"] / 10


def test_a_filesystem_takes_its_part(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "2x4TB", "--level", "raid1", "--filesystem", "ext4")

    assert 0.92 < found["usable_bytes"] / found["array_bytes"] < 0.95
    assert found["filesystem"] == "ext4"


def test_a_measured_disk_narrows_the_time(capsys: pytest.CaptureFixture[str]) -> None:
    guessed = document(capsys, "--disks", "2x8TB", "--level", "raid1")["rebuild_seconds"]
    measured = document(capsys, "--disks", "2x8TB", "--level", "raid1", "--speed", "210MB")["rebuild_seconds"]

    assert measured["high"] - measured["low"] < guessed["high"] - guessed["low"]


def test_a_small_record_costs_a_raidz_its_space(capsys: pytest.CaptureFixture[str]) -> None:
    usual = document(capsys, "--disks", "4x4TB", "--level", "raidz1")
    small = document(capsys, "--disks", "4x4TB", "--level", "raidz1", "--option", "recordsize=8KiB")

    assert small["array_bytes"] / usual["array_bytes"] == pytest.approx(0.5 / 0.7273, rel=1e-3)


def test_fatal_pairs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "4x4TB", "--level", "raid10")

    assert found["fatal_pairs"] == [[0, 1], [2, 3]]
    assert "1+2, 3+4" in calc(capsys, "--disks", "4x4TB", "--level", "raid10")
    assert document(capsys, "--disks", "4x4TB", "--level", "raid5")["fatal_pairs"] is None


SPEC = """
name = "tank"
level = "raid5"
sizes = ["7814037168s", "7814037168s", "7814037168s"]
spares = ["7814037168s"]
chunk = "64KiB"
"""


def test_a_spec_of_sizes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC)

    found = document(capsys, str(path))

    assert found["chunk_bytes"] == 65536
    assert len(found["spares"]) == 1
    # a smaller chunk leaves less of each disk over, here nothing
    assert found["array_bytes"] == 7813772288 * 1024 + 2 * 64 * 1024 * ((7814037168 - 264192) // 128 % 8)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--level", "raid6"], "--level belongs to --disks; in a spec write level = …"),
        (["--spares", "1"], "in a spec write spares = …"),
        (["--partition"], "in a spec write partition = true"),
        (["--whole"], "in a spec write partition = false"),
        (["--filesystem", "xfs"], "in a spec write [filesystem] and type = …"),
    ],
)
def test_what_a_spec_says_itself_is_not_said_beside_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], reason: str
) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC)

    assert main(["calc", str(path), *words]) == 2
    assert reason in capsys.readouterr().err


def test_a_spec_keeps_its_own_keys_to_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    text = 'name = "tank"\nbackend = "zfs"\nlevel = "raidz1"\nsizes = ["4TB", "4TB", "4TB", "4TB"]\n'

    path.write_text(text)
    usual = document(capsys, str(path))
    path.write_text(text + 'recordsize = "8KiB"\n')
    assert document(capsys, str(path))["array_bytes"] < usual["array_bytes"]
    assert main(["calc", str(path), "--option", "recordsize=8KiB"]) == 2
    assert "--option belongs to --disks; in a spec write KEY = …" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("backend", "level", "option"),
    [("zfs", "raidz1", "vdevs=2"), ("lvm-on-md", "raid5", "arrays=2"), ("megaraid", "raid60", "spans=2")],
)
def test_a_key_of_one_backend_is_taken_for_disks(
    capsys: pytest.CaptureFixture[str], backend: str, level: str, option: str
) -> None:
    words = ("--disks", "12x4TB", "--backend", backend, "--option", option)

    assert document(capsys, *words, "--level", level)["groups"] == 2
    every = document(capsys, *words)["layouts"]
    assert next(one for one in every if one["level"] == level)["groups"] == 2


def test_a_spec_of_members_is_calculated_for_the_recorded_machine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    disks = tuple(
        Disk(
            name=f"sd{x}", path=f"/dev/sd{x}", device_number="8:0", size_bytes=4000787030016, serial=f"S-{x}"
        )
        for x in "abc"
    )
    recorded, spec = tmp_path / "machine.json", tmp_path / "spec.toml"
    recorded.write_text(to_json(Machine(system=System(hostname="nas", kernel="6.1.0"), disks=disks)))
    spec.write_text('name = "tank"\nlevel = "raid5"\nmembers = ["S-a", "S-b", "S-c"]\n')

    found = document(capsys, str(spec), "--machine", str(recorded))

    assert (
        found["members"][0]["size_bytes"]
        == member_extent(4000787030016, 512, partition=True, reserve=100 * MIB).length
    )
    assert "no-mail-address" in {hazard["id"] for hazard in found["hazards"]}

    assert main(["calc", str(spec), "--machine", str(recorded), "--flash"]) == 2
    assert "--flash is for --disks" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--afr", "150%"], "between 0 and 100"),
        (["--afr", "often"], "not an annual failure rate"),
        (["--repair-hours", "0"], "not a repair time"),
        (["--repair-hours", "-4"], "not a repair time"),
        (["--repair-hours", "soon"], "not a repair time"),
        (["--repair-hours", "1e9"], "not a repair time"),
        (["--repair-hours", "nan"], "not a repair time"),
        (["--speed", "1KB"], "slower than 1 MiB"),
        (["--backend", "hardware"], "cannot be calculated"),
        (["--backend", "drbd"], "cannot be calculated"),
        (["--backend", "perc"], "did you mean 'megaraid'?"),
        (["--level", "5"], "'5' is not a level of any backend; did you mean 'raid5'?"),
        (["--level", "mirror", "--backend", "lvm"], "raid10; it is LVM's older type; use 'raid1'"),
        (["--level", "raidz2", "--backend", "mdadm"], "raid10; it is a level of zfs"),
        (["--level", "raid5", "--filesystem", "ntfs"], "unknown filesystem"),
        (["--level", "raidz1", "--option", "recordsize=100KiB"], "power of two"),
        (["--option", "vdevs=2"], "--option needs --backend or --level"),
        (["--backend", "zfs", "--option", "vdev=2"], "did you mean 'vdevs'?"),
        (["--level", "raid5", "--option", "vdevs=2"], "mdadm has no keys of its own"),
        (["--level", "raidz1", "--option", "vdevs"], "vdevs: "),
    ],
)
def test_impossible_inputs_are_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], reason: str
) -> None:
    assert main(["calc", "--disks", "4x4TB", *words]) == 2

    streams = capsys.readouterr()
    assert streams.out == ""
    assert reason in streams.err
    assert streams.err.count("\n") == 1


def test_one_disk_alone_is_calculated_when_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--disks", "4TB", "--backend", "disk", "--level", "single")
    assert (found["backend"], found["level"]) == ("disk", "single")
    assert found["array_bytes"] == found["component_bytes"] == 4 * 10**12
    assert (found["overhead"], found["survives"]["guaranteed"], found["rebuild_seconds"]) == (0, 0, None)
    assert set(found["ideal"].values()) == {1, None}
    assert calc(capsys, "--disks", "4TB", "--level", "single").startswith("single disk\n")


def test_one_disk_alone_is_no_layout_of_several_disks(capsys: pytest.CaptureFixture[str]) -> None:
    every = document(capsys, "--disks", "4x4TB")["layouts"]
    assert "disk" not in {one["backend"] for one in every}
    for words, reason in (
        (("--disks", "2x4TB"), "level single takes one disk, and 2 are named"),
        (("--disks", "4TB", "--chunk", "64KiB"), "a single disk has no chunk"),
        (("--disks", "2x4TB", "--spares", "1"), "a single disk"),
    ):
        assert main(["calc", "--level", "single", *words]) == 2
        assert reason in capsys.readouterr().err


def test_a_spec_of_one_disk_alone_is_a_partition(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = tmp_path / "lone.toml"
    spec.write_text('name = "lone"\nbackend = "disk"\nlevel = "single"\nsizes = ["10GB"]\n')
    whole = member_extent(10 * 10**9, 512, partition=True, reserve=0)
    assert document(capsys, str(spec))["array_bytes"] == whole.length


def test_the_rate_of_unreadable_sectors_is_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--disks", "4x4TB", "--level", "raid5"]
    assumed = document(capsys, *asked)["risk"]
    desktop = document(capsys, *asked, "--ure", "1e-14")["risk"]

    assert assumed["inputs"]["unreadable_per_bit"] == 1e-15
    assert desktop["inputs"]["unreadable_per_bit"] == 1e-14
    assert desktop["inputs"]["unreadable_source"] == "given with --ure"
    assert desktop["unreadable_blocks"] == pytest.approx(10 * assumed["unreadable_blocks"])
    assert desktop["timeout_loss_probability_1y"] > 5 * assumed["timeout_loss_probability_1y"]
    assert "at 1e-14 per bit (given with --ure)" in " ".join(calc(capsys, *asked, "--ure", "1e14").split())


@pytest.mark.parametrize(("version", "refused"), [("4.2", True), ("4.4", True), ("4.6", False)])
def test_members_are_calculated_for_the_mdadm_of_their_machine(version: str, refused: bool) -> None:
    disks = tuple(
        Disk(
            name=f"sd{x}", path=f"/dev/sd{x}", device_number="8:0", size_bytes=10**12, serial=f"S-{x}",
            model="ST1000DM010-2EP102",
        )
        for x in "ab"
    )  # fmt: skip
    machine = Machine(system=System(hostname="nas", kernel="6.1.0"), disks=disks, tools={"mdadm": version})
    spec = Spec(name="tank", level="raid0", members=("S-a", "S-b"), metadata="0.90")
    if refused:
        with pytest.raises(CannotBuild, match=r"mdadm 4.2 to 4.4 refuse RAID0"):
            place(spec, machine)
    else:
        assert place(spec, machine).facts.metadata == "0.90"


@pytest.mark.parametrize(("mdadm", "refused"), [((4, 2), False), ((4, 4), False), ((4, 6), True)])
def test_newer_mdadm_puts_no_log_before_the_superblock(mdadm: tuple[int, int], refused: bool) -> None:
    def made(metadata: str) -> str:
        return md_geometry("raid5", [GIB] * 3, metadata=metadata, consistency="ppl", mdadm=mdadm).metadata

    assert made("1.2") == "1.2"
    if refused:
        with pytest.raises(CannotBuild, match=r"mdadm 4\.6 creates no partial parity log"):
            made("1.0")
    else:
        assert made("1.0") == "1.0"


def test_each_member_is_cut_by_the_sectors_of_its_own_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a backup GPT of 512-byte sectors leaves one MiB more than one of 4096-byte sectors, as in the plan."""
    size = 1101 * MIB + 34 * 512
    disks = tuple(
        Disk(name=f"sd{letter}", path=f"/dev/sd{letter}", device_number=f"8:{number}", size_bytes=size,
             serial=f"S-{letter}", logical_sector_bytes=sector)
        for number, (letter, sector) in enumerate((("a", 4096), ("b", 512)))
    )  # fmt: skip
    recorded, spec = tmp_path / "machine.json", tmp_path / "spec.toml"
    system = System(hostname="nas", kernel="6.1.0")
    recorded.write_text(to_json(Machine(system=system, disks=disks)))
    spec.write_text('name = "tank"\nlevel = "raid1"\nmembers = ["S-a", "S-b"]\n')

    found = document(capsys, str(spec), "--machine", str(recorded))

    assert [member["size_bytes"] for member in found["members"]] == [999 * MIB, 1000 * MIB]


@pytest.mark.parametrize("name", ["-x", "a/b", "md0", "x" * 60, "127"])
@pytest.mark.parametrize("where", ['sizes = ["4TB", "4TB"]', 'members = ["S-a", "S-b"]'])
def test_a_name_that_plan_refuses_is_refused_in_the_same_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, where: str
) -> None:
    recorded, spec = tmp_path / "machine.json", tmp_path / "spec.toml"
    disks = tuple(
        Disk(name=f"sd{x}", path=f"/dev/sd{x}", device_number=f"8:{n}", size_bytes=10**12, serial=f"S-{x}")
        for n, x in enumerate("ab")
    )
    recorded.write_text(to_json(Machine(system=System(hostname="nas", kernel="6.1.0"), disks=disks)))
    said = {}
    for command, disks_line in (("calc", where), ("plan", 'members = ["S-a", "S-b"]')):
        spec.write_text(f'name = "{name}"\nlevel = "raid1"\n{disks_line}\n')
        assert main(["--machine", str(recorded), command, str(spec)]) == 2
        said[command] = capsys.readouterr().err
    assert said["calc"] == said["plan"]


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (["--level", "raid0", "--metadata", "0.90"], {"mdadm": "4.2"}, {"mdadm": "4.6"}),
        (
            ["--level", "raid1", "--filesystem", "ext4"],
            {"mkfs.ext4": "1.47.0"},
            {"mkfs.ext4": "1.47.2"},
        ),
    ],
)
@pytest.mark.parametrize("recorded", [False, True])
def test_sizes_are_calculated_for_the_tools_of_the_computer_or_the_recording(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    tools_here: dict[str, str],
    words: list[str],
    old: dict[str, str],
    new: dict[str, str],
    recorded: bool,
) -> None:
    file, spec = tmp_path / "machine.json", tmp_path / "spec.toml"
    level = words[1]
    filesystem = '[filesystem]\ntype = "ext4"' if "ext4" in words else ""
    found = []
    for version in (old, new):
        tools_here.update(version)
        system = System(hostname="nas", kernel="6.1.0")
        file.write_text(to_json(Machine(system=system, tools=tools_here)))
        if recorded:
            tools_here.update({"mdadm": "4.1", "mkfs.ext4": "1.46.0"})
        before = ["--machine", str(file)] if recorded else []
        found.append([main([*before, "calc", "--disks", "2x4TB", *words, "--json"]), capsys.readouterr().out])
        if filesystem:
            spec.write_text(f'name = "t"\nlevel = "{level}"\nsizes = ["4TB", "4TB"]\n{filesystem}\n')
            found[-1] += [main([*before, "calc", str(spec), "--json"]), capsys.readouterr().out]
    assert all(one != other for one, other in zip(found[0][1::2], found[1][1::2], strict=True))


def test_a_mixed_layout_is_cut_once_by_the_partition_and_its_reserve(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The same figures for members, for partitioned disks, and on the Level screen."""
    sizes = {"a": 10**12, "b": 10**12, "c": 2 * 10**12, "d": 2 * 10**12}
    recorded, spec = tmp_path / "machine.json", tmp_path / "spec.toml"
    disks = tuple(
        Disk(name=f"sd{x}", path=f"/dev/sd{x}", device_number=f"8:{n}", size_bytes=size, serial=f"S-{x}")
        for n, (x, size) in enumerate(sizes.items())
    )
    where = Machine(system=System(hostname="nas", kernel="6.1.0"), disks=disks)
    recorded.write_text(to_json(where))
    members = tuple(f"S-{x}" for x in sizes)
    spec.write_text(f'name = "t"\nbackend = "hybrid"\nlevel = "hybrid1"\nmembers = {list(members)}\n')
    listed = ["--disks", ",".join(f"{size}B" for size in sizes.values()), "--level", "hybrid1"]

    of_members = document(capsys, "--machine", str(recorded), str(spec))
    of_disks = document(capsys, *listed, "--partition")
    draft = Spec(name="t", level="raid5", members=members)
    on_screen = next(
        one for one in reports_of(question_of(draft, where), Backend.HYBRID) if one.level == "hybrid1"
    )

    assert of_members["array_bytes"] == of_disks["array_bytes"] == on_screen.array_bytes
    assert of_members["members"] == of_disks["members"] == json.loads(to_json(on_screen))["members"]
    assert document(capsys, *listed)["array_bytes"] > of_disks["array_bytes"] + 3 * 100 * MIB


@pytest.mark.parametrize("flash", [False, True])
def test_every_rate_of_failure_is_the_same_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, flash: bool
) -> None:
    """In calc of disks, of sizes and of members, on the Level screen, and in the hazard."""
    recorded, spec = tmp_path / "machine.json", tmp_path / "spec.toml"
    disks = tuple(
        Disk(
            name=f"sd{x}", path=f"/dev/sd{x}", device_number=f"8:{n}", size_bytes=10**12, serial=f"S-{x}",
            rotational=not flash,
        )
        for n, x in enumerate("ab")
    )  # fmt: skip
    where = Machine(system=System(hostname="nas", kernel="6.1.0"), disks=disks)
    recorded.write_text(to_json(where))
    begin, more = 'name = "t"\nlevel = "raid0"\n', ["--flash"] if flash else []
    spec.write_text(f'{begin}sizes = ["1TB", "1TB"]\n')
    found = [
        document(capsys, "--disks", "2x1TB", "--level", "raid0", *more),
        document(capsys, str(spec), *more),
    ]
    spec.write_text(f'{begin}members = ["S-a", "S-b"]\n')
    found.append(document(capsys, "--machine", str(recorded), str(spec)))
    draft = Spec(name="t", level="raid0", members=("S-a", "S-b"))
    expected = 0.01 if flash else 0.015

    assert [one["risk"]["inputs"]["afr"] for one in found] == [expected] * 3
    assert question_of(draft, where).inputs.afr == expected
    for one in found:
        (hazard,) = [hazard for hazard in one["hazards"] if hazard["id"] == "no-redundancy"]
        assert f"assuming a {expected * 100:.1f} % annual failure rate" in hazard["meaning"]
