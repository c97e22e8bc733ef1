"""inspect, status and doctor on recorded machines: what they print, how wide, and that it comes back."""

import argparse
import json
import os
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from raidtui import cli
from raidtui.backends.units import units_of
from raidtui.commands.doctor import command_apart, module_lines, problem, table
from raidtui.commands.inspect import describe
from raidtui.commands.terminal.redraw import Redraw
from raidtui.commands.text import status
from raidtui.machine import tools
from raidtui.machine.reader import load_machine
from raidtui.machine.tools import TOOLS
from raidtui.model.errors import BadInput
from raidtui.model.machine import Array, Claim, ClaimKind, Machine, Weight
from raidtui.model.packages import Family
from raidtui.model.struct import from_json, to_json
from raidtui.model.unit import Activity
from tests.unit.plan_machines import disk as one_disk
from tests.unit.plan_machines import machine as one_machine

REMAINS = Claim(
    what=ClaimKind.REMAINS,
    weight=Weight.DATA,
    device="/dev/sda",
    detail="remains of old data",
    how_to_free="",
)
MACHINES = Path(__file__).resolve().parents[1] / "machines"
RECORDED = sorted(path.stem for path in MACHINES.glob("*.json"))


def machine(name: str) -> Machine:
    return load_machine(str(MACHINES / f"{name}.json"))


def test_the_recorded_machines_are_there() -> None:
    assert {"blank-4", "mixed-sizes", "taken", "raid5-building", "raid5-degraded", "disks-24"} <= set(
        RECORDED
    )


@pytest.mark.parametrize("name", RECORDED)
def test_a_machine_prints_as_json_and_reads_back_identically(name: str) -> None:
    text = (MACHINES / f"{name}.json").read_text()
    read = machine(name)
    assert to_json(read) + "\n" == text
    assert from_json(to_json(read, pretty=False), Machine, origin="memory") == read


def test_inspect_marks_usb_and_removable_disks_and_an_array_that_cannot_be_read() -> None:
    plain, *_ = machine("blank-4").disks
    usb = replace(plain, transport="usb", removable=True, free=False)
    usb = replace(usb, taken_by=(REMAINS,), free=True)
    array = Array(name="tank", node="/dev/md127", unread="wipefs did not end within 20 s")
    lines = "\n".join(describe(replace(machine("blank-4"), disks=(plain, usb), arrays=(array,))))
    assert lines.count("USB") == 1
    assert "  free\n  - /dev/sda: remains of old data" in lines
    assert "cannot read what is on it: wipefs did not end within 20 s" in lines


@pytest.mark.parametrize("name", RECORDED)
def test_inspect_fits_80_columns_and_has_every_disk(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--machine", str(MACHINES / f"{name}.json"), "inspect"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for disk in machine(name).disks:
        assert disk.path in shown
        assert disk.serial in shown


@pytest.mark.parametrize("name", RECORDED)
def test_status_fits_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["--machine", str(MACHINES / f"{name}.json"), "status"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_a_command_that_does_not_fit_stands_whole_on_a_line_of_its_own() -> None:
    command = "apt-get install linux-headers-amd64 zfs-dkms zfsutils-linux"
    begin = "For ZFS, where the kernel has no module of it, on Debian"
    assert command_apart(f"{begin}: {command}").splitlines() == [f"{begin}:", f"  {command}"]
    assert command_apart("on Debian: apt-get install fio") == "on Debian: apt-get install fio"


def test_inspect_says_what_takes_a_disk_and_how_to_free_it() -> None:
    shown = "\n".join(describe(machine("taken")))
    for line in (
        '  - /dev/ubda1: ext4 "photos" mounted at /srv/photos\n    to free it: umount /srv/photos\n',
        "    to free it: swapoff /dev/ubdb\n",
        "    to free it: umount /srv/films && lvchange --activate n data/films\n",
        "    to free it: cryptsetup close vault\n",
        "    to free it: losetup --detach /dev/loop0\n",
    ):
        assert line in shown


def test_without_root_no_disk_is_called_free_without_a_reserve() -> None:
    one = one_machine(one_disk(1))
    lines = list(describe(replace(one, complete=False)))
    assert lines[0].endswith(" free as far as seen without root")
    assert "  free as far as seen without root" in lines
    assert "  free" in list(describe(one))


def test_the_taken_machine_has_a_disk_for_each_claim() -> None:
    first = {
        disk.name: (disk.taken_by[0].what, disk.taken_by[0].weight)
        for disk in machine("taken").disks
        if disk.taken_by
    }
    assert first == {
        "ubda": (ClaimKind.MOUNT, Weight.BUSY),
        "ubdb": (ClaimKind.SWAP, Weight.BUSY),
        "ubdc": (ClaimKind.LVM, Weight.BUSY),
        "ubdd": (ClaimKind.LUKS, Weight.BUSY),
        "ubde": (ClaimKind.MD_MEMBER, Weight.DATA),
        "ubdf": (ClaimKind.MOUNT, Weight.BUSY),
        "ubdg": (ClaimKind.BTRFS, Weight.BUSY),
        "ubdh": (ClaimKind.LOOP, Weight.BUSY),
        "ubdi": (ClaimKind.PROCESS, Weight.BUSY),
        "ubdj": (ClaimKind.PARTITION_TABLE, Weight.DATA),
        "ubdk": (ClaimKind.FILESYSTEM, Weight.DATA),
        "ubdl": (ClaimKind.READ_ONLY, Weight.UNUSABLE),
        "ubdm": (ClaimKind.MOUNT, Weight.BUSY),
        "ubdn": (ClaimKind.LUKS, Weight.DATA),
        "ubdo": (ClaimKind.FILESYSTEM, Weight.DATA),
    }


def test_a_label_with_escape_sequences_is_kept_in_json_and_harmless_on_the_terminal() -> None:
    taken = machine("taken")
    assert "\x1b[2J" in taken.disk("LAB-0011").signatures[0].label
    assert "\x1b" not in "\n".join(describe(taken))


def test_long_commands_are_broken_where_they_can_be_pasted() -> None:
    taken = machine("taken")
    claim = msgspec.structs.replace(
        taken.disks[0].taken_by[0],
        how_to_free="umount /srv/a-rather-long-name && mdadm --stop /dev/md127 && true",
    )
    disk = msgspec.structs.replace(taken.disks[0], taken_by=(claim,))
    shown = "\n".join(describe(msgspec.structs.replace(taken, disks=(disk,))))
    assert "      umount /srv/a-rather-long-name &&\n      mdadm --stop /dev/md127 &&\n      true" in shown


def test_inspect_json_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    path = MACHINES / "blank-4.json"
    assert cli.main(["inspect", "--machine", str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [disk["free"] for disk in document["disks"]] == [True] * 4
    assert document["disks"][0]["size_bytes"] == 2 * 1024**3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as a machine: it ends in the middle; 'raidtui inspect --json' writes"),
        ("", "cannot be read as a machine: it ends in the middle"),
        ("\ufeff{}", "cannot be read as a machine: it is not JSON: invalid character at byte 1;"),
        ("[]", "cannot be read as a machine: it must be an object, not a list;"),
        ('{"disks": []}', "cannot be read as a machine: system is missing;"),
        ('{"system": {"hostname": 1, "kernel": "6"}}', "system.hostname must be text, not a whole number;"),
    ],
)
def test_a_file_that_is_no_machine_is_refused_with_the_place(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machine.json"
    file.write_text(text)
    assert cli.main(["inspect", "--machine", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(BadInput, match="No such file"):
        load_machine("/no/such/machine.json")


def test_keys_of_a_newer_version_are_ignored() -> None:
    document = json.loads((MACHINES / "blank-4.json").read_text()) | {"colour": "blue"}
    assert from_json(json.dumps(document), Machine, origin="newer") == machine("blank-4")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "raid5-building",
            [
                "not redundant yet: a disk failure now loses data",
                "left",
                "rebuilding",
                "spare",
            ],
        ),
        (
            "raid5-degraded",
            ["degraded, not redundant: 1 of 4 members missing", "faulty", "mounted at /srv/tank"],
        ),
        ("raid1-spare-rebuilding", ["degraded, not redundant: ubdc rebuilding 3.4 %", "6.2 MB/s", "left"]),
        ("raid6-resync", ["resync ", ", usable now"]),
        ("raid1-clone", ["LAB-0002 (ubdb) and LAB-0003 (ubdc) have the same superblock"]),
        ("raid0-over-raid1", ["  no ARRAY line in /etc/mdadm/mdadm.conf\n  to do: add what is missing"]),
        ("blank-4", ["no arrays, and no job is running"]),
    ],
)
def test_status_says_in_words_how_arrays_are(
    name: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["status", "--machine", str(MACHINES / f"{name}.json")]) == 0
    shown = capsys.readouterr().out
    for word in words:
        assert word in shown


def test_status_json_has_a_finish_range_and_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--json", "--machine", str(MACHINES / "raid5-building.json")]) == 0
    (one,) = json.loads(capsys.readouterr().out)["arrays"]
    assert one["array"]["initial_build"] is True
    assert 0 < one["finish_least_seconds"] < one["finish_most_seconds"]
    assert one["words"].startswith("not redundant yet")
    assert one["health"] == "building"


def test_status_shows_units_of_every_backend_alike_and_arrays_in_full_beside_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, head, count in (
        ("raid5-clean", "tank (/dev/md/tank): array, RAID5, ", 1),
        ("lvm-raid5", "tank (/dev/tank/data): volume group, RAID5, ", 0),
    ):
        assert cli.main(["status", "--machine", str(MACHINES / f"{name}.json")]) == 0
        lines = capsys.readouterr().out.splitlines()
        at = next(number for number, line in enumerate(lines) if line.startswith(head))
        at = lines.index("  in sync", at)
        assert lines[at + 1].split() == ["0", "/dev/ubda", "LAB-0001", "in", "sync"]
        assert cli.main(["status", "--json", "--machine", str(MACHINES / f"{name}.json")]) == 0
        document = json.loads(capsys.readouterr().out)
        assert [one["array"]["uuid"] for one in document["arrays"]] == [
            one["uuid"] for one in document["units"] if one["backend"] == "mdadm"
        ]
        assert len(document["arrays"]) == count
        assert not any("reading" in one for one in document["units"])


def test_status_json_says_of_any_unit_what_it_needs_and_when_its_activity_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["status", "--json", "--machine", str(MACHINES / "raid5-building.json")]) == 0
    (building,) = json.loads(capsys.readouterr().out)["units"]
    assert 0 < building["finish_least_seconds"] < building["finish_most_seconds"]

    assert cli.main(["status", "--json", "--machine", str(MACHINES / "raid5-degraded.json")]) == 0
    document = json.loads(capsys.readouterr().out)
    (degraded,) = document["units"]
    assert degraded["finish_least_seconds"] is None
    (finding,) = document["findings"]
    assert finding["unit"] == degraded["uuid"]
    assert "LAB-0005" in finding["remedies"][0]["text"]
    assert finding["remedies"][0]["procedure"]["new"] == "LAB-0005"


def test_how_far_a_scrub_is_and_when_it_ends_is_said_of_any_unit() -> None:
    (pool,) = (unit for unit in units_of(machine("btrfs-raid1")) if unit.uuid)
    doing = Activity(
        what="scrub", fraction=0.25, done_bytes=10**12, total_bytes=4 * 10**12, bytes_per_second=10**8
    )
    busy = msgspec.structs.replace(pool, activity=doing)
    lines = status.describe(status.Status((status.Seen(busy, 30000, 39000, ()),), ()))
    assert "  1.00 TB of 4.00 TB, 100.0 MB/s, 8 to 11 h left" in lines
    unknown = msgspec.structs.replace(pool, activity=msgspec.structs.replace(doing, bytes_per_second=None))
    lines = status.describe(status.Status((status.Seen(unknown, None, None, ()),), ()))
    assert "  1.00 TB of 4.00 TB" in lines
    still = msgspec.structs.replace(pool, activity=msgspec.structs.replace(doing, paused=True))
    lines = status.describe(status.Status((status.Seen(still, None, None, ()),), ()))
    assert not any("TB of" in line for line in lines)


def test_a_recorded_machine_cannot_be_watched(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--watch", "--machine", str(MACHINES / "blank-4.json")]) == 2
    assert "leave --watch out" in capsys.readouterr().err


def test_doctor_passes_with_every_tool_and_fails_without_a_needed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = machine("blank-4")
    file = tmp_path / "machine.json"

    def doctor(tools: dict[str, str]) -> int:
        file.write_text(to_json(msgspec.structs.replace(whole, tools=tools)))
        return cli.main(["doctor", "--machine", str(file)])

    everything = dict.fromkeys(TOOLS, "9.9")
    assert doctor(everything) == 0
    assert "apt-get" not in capsys.readouterr().out
    assert doctor({name: v for name, v in everything.items() if name != "mkfs.xfs"}) == 0
    assert "apt-get install xfsprogs" in capsys.readouterr().out
    assert doctor({name: v for name, v in everything.items() if name != "mdadm"}) == 5
    assert "mdadm (missing)" in capsys.readouterr().err
    assert doctor(everything | {"fio": "3.16"}) == 5
    assert "fio (too old)" in capsys.readouterr().err


def test_what_doctor_says_of_a_card_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["--machine", str(MACHINES / "megaraid.json"), "doctor"])
    shown = capsys.readouterr().out
    assert "storcli64, which reads the RAID card" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_doctors_table_fits_80_columns() -> None:
    versions = dict.fromkeys(TOOLS, "10.11.12")
    del versions["mdadm"]
    assert max(len(line) for one in (None, *Family) for line in table(versions, one)) <= 80


def test_a_tool_that_is_not_needed_is_absent_and_not_missing() -> None:
    assert problem(None, TOOLS["smartctl"]) == "absent"
    assert problem(None, TOOLS["mdadm"]) == "missing"
    assert problem("4.2", TOOLS["mdadm"]) == ""


def test_doctor_says_that_the_module_of_zfs_is_missing_or_not_loaded_and_where_it_comes_from() -> None:
    """zpool version reports nothing without the module, as in a guest after rmmod zfs."""
    everything = dict.fromkeys(TOOLS, "9.9")
    assert module_lines(everything, None) == ()
    assert problem("", TOOLS["zpool"]) == "no module"
    silent = everything | {"zpool": "", "zfs": ""}
    (line,) = module_lines(silent, Family.DEBIAN)
    assert line.startswith("zpool needs the kernel module zfs: 'modprobe zfs' loads it")
    assert line.endswith(
        "install it on Debian: apt-get install linux-headers-amd64 zfs-dkms zfsutils-linux (from contrib)"
    )


def test_doctor_installs_zfs_with_what_builds_its_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machine.json"
    tools = {name: "9.9" for name in TOOLS if name not in {"zpool", "zfs", "mkfs.xfs"}}
    blank = machine("blank-4")
    system = msgspec.structs.replace(blank.system, family=Family.DEBIAN)
    file.write_text(to_json(msgspec.structs.replace(blank, tools=tools, system=system)))
    assert cli.main(["doctor", "--machine", str(file)]) == 0
    main, contrib = capsys.readouterr().out.split("\n\n")[-2:]
    assert main == "To install what is missing on Debian: apt-get install xfsprogs"
    assert contrib == (
        "For ZFS, where the kernel has no module of it, on Debian:\n"
        "  apt-get install linux-headers-amd64 zfs-dkms zfsutils-linux (from contrib)\n"
    )


def test_doctor_names_the_packages_of_every_package_manager_where_it_cannot_tell_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machine.json"
    tools = {name: "9.9" for name in TOOLS if name not in {"sfdisk", "mkfs.btrfs", "btrfs"}}
    file.write_text(to_json(msgspec.structs.replace(machine("blank-4"), tools=tools)))
    assert cli.main(["doctor", "--machine", str(file)]) == 5
    shown = capsys.readouterr().out
    for line in (
        "on Debian: apt-get install fdisk btrfs-progs",
        "on Fedora: dnf install util-linux btrfs-progs",
        "on openSUSE: zypper install util-linux btrfsprogs",
        "on Arch Linux: pacman -S util-linux btrfs-progs",
    ):
        assert f"To install what is missing {line}\n" in shown


def test_redrawing_sends_only_the_lines_that_changed() -> None:
    out = StringIO()
    redraw = Redraw(out, lambda: os.terminal_size((40, 10)))
    redraw.show(["array", "10 %", "member"])
    out.truncate(0)
    out.seek(0)
    assert redraw.show(["array", "11 %", "member"]) == len("\x1b[2A11 %\x1b[K\n\n")
    assert out.getvalue() == "\x1b[2A11 %\x1b[K\n\n"
    assert redraw.show(["array", "11 %", "member"]) == 0


def test_redrawing_never_wraps_or_scrolls_more_than_the_terminal_holds() -> None:
    out = StringIO()
    Redraw(out, lambda: os.terminal_size((10, 3))).show(["x" * 30, "y", "z", "w"])
    assert out.getvalue() == "x" * 9 + "\x1b[K\n" + "y\x1b[K\n"


def test_every_command_of_this_room_explains_itself() -> None:
    for name in ("inspect", "status", "doctor"):
        module = __import__(f"raidtui.commands.{name}", fromlist=["configure"])
        parser = argparse.ArgumentParser()
        module.configure(parser)
        assert module.__doc__


def test_the_first_sync_of_a_raid5_is_not_called_a_recover() -> None:
    from raidtui.backends.md.units import unit_of
    from raidtui.commands.terminal.follow import spell_sync

    (building,) = machine("raid5-building").arrays
    assert building.sync is not None
    assert building.sync.action == "recover"
    assert ": initial sync " in spell_sync(unit_of(building))
    assert ": rebuild " in spell_sync(unit_of(msgspec.structs.replace(building, initial_build=False)))
    replaced = Activity(what="replace", fraction=0.5, done_bytes=10**9, total_bytes=2 * 10**9)
    of_btrfs = msgspec.structs.replace(unit_of(building), activity=replaced)
    assert spell_sync(of_btrfs) == f"{building.name}: replace 50.0 %"


@pytest.mark.parametrize(("user", "first"), [(0, "system"), (1000, "own")])
def test_root_takes_the_programs_of_the_system_before_those_in_a_path_that_su_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, first: str
) -> None:
    for folder in ("own", "system"):
        (tmp_path / folder).mkdir()
        program = tmp_path / folder / "mdadm"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    only = tmp_path / "own" / "storcli64"
    only.write_text("#!/bin/sh\n")
    only.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "own"))
    monkeypatch.setattr(tools, "_SYSTEM_FOLDERS", (str(tmp_path / "system"),))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert tools.find_tool("mdadm") == str(tmp_path / first / "mdadm")
    assert tools.find_tool("storcli64") == str(only)
    assert tools.search_path().startswith(str(tmp_path / first))
