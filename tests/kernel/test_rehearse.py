"""A spec is rehearsed in the lab on copies of disks that a lab made: the same commands, the same space, mounted again."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.specfile import read_spec
from raidtui.commands.rehearsal.rehearsal import rehearse
from raidtui.jobs.rehearsed import order_of
from raidtui.lab.guest import Guest
from raidtui.machine.reader import load_machine
from raidtui.model.machine import Machine
from raidtui.model.rehearsal import Rehearsal
from raidtui.model.units import GIB
from raidtui.plan.build import make_plan
from raidtui.steps.seeds import new_seed
from tests.kernel.driving import python, serials, spec_text
from tests.ui import machines

THREE = serials(3)

# Members of an array that was stopped, with a filesystem on it, and a disk with a partition.
FORMER = """
one=/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0001 two=/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0002
three=/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0003
mdadm -q --create /dev/md/old --run --level=1 --raid-devices=2 --metadata=1.2 $one $two
mkfs.ext4 -q /dev/md/old; mdadm -q --wait /dev/md/old || :; mdadm -q --stop /dev/md/old
echo 'start=2048, type=linux' | sfdisk -q $three; udevadm settle; mkfs.ext4 -q $three-part1; udevadm settle
"""
MANY = 20


def read_off(guest: Guest, folder: Path) -> Machine:
    """The machine as the guest reads it, its disks at the files that hold them here; the guest is off then."""
    record = folder / "machine.json"
    record.write_text(guest.run(["raidtui", "inspect", "--json"], check=True).stdout, encoding="utf-8")
    guest.power_off()
    machine = load_machine(str(record))
    images = {one.serial: folder / "disks" / one.file_name for one in guest.disks}
    disks = [one for one in machine.disks if one.serial in images]  # QEMU's system has one of its own
    return replace(machine, disks=tuple(replace(one, path=str(images[one.serial])) for one in disks))


def rehearsed(machine: Machine, spec: str) -> tuple[Rehearsal, list[str]]:
    """The rehearsal of ``spec`` on copies of the disks of ``machine``, and what it told meanwhile."""
    told: list[str] = []
    parsed = read_spec(spec, origin="the spec")
    plan = make_plan(parsed, machine, seed=new_seed())
    order = order_of(spec=parsed, seed=plan.seed)
    return rehearse(order, plan, machine, recorded=False, report=told.append), told


@pytest.mark.parametrize(
    ("level", "disks", "options"),
    [
        ("raid5", THREE, {}),
        ("raid5", THREE, {"bus": "scsi4kn:"}),
        pytest.param("raid0", THREE, {"backend": "lvm", "bus": "scsi4kn:"}, marks=pytest.mark.first(0)),
        pytest.param("raid1", THREE[:2], {"backend": "btrfs", "bus": "scsi4kn:"}, marks=pytest.mark.first(0)),
        ("hybrid1", THREE, {"backend": "hybrid", "bus": "scsi4kn:"}),
        pytest.param("raid1", THREE[:2], {"backend": "lvm"}, marks=pytest.mark.first(0)),
        pytest.param("raid1", THREE[:2], {"backend": "btrfs"}, marks=pytest.mark.first(0)),
        pytest.param("hybrid1", THREE, {"backend": "hybrid"}, marks=pytest.mark.first(0)),
        pytest.param("single", THREE[:1], {"backend": "disk"}, marks=pytest.mark.first(0)),
    ],
)
def test_a_spec_is_rehearsed_on_copies_of_used_disks_and_no_disk_is_written_to(
    own_guest: Callable[[str], Guest],
    tmp_path: Path,
    level: str,
    disks: Sequence[str],
    options: dict[str, str],
) -> None:
    bus, options = options.get("bus", ""), {key: one for key, one in options.items() if key != "bus"}
    guest = own_guest(f"3x{bus}400MiB")
    guest.shell(FORMER)
    machine = read_off(guest, tmp_path)
    assert {one.logical_sector_bytes for one in machine.disks} == {4096 if bus else 512}
    images = [Path(one.path) for one in machine.disks]
    before = [hashlib.sha256(image.read_bytes()).hexdigest() for image in images]
    shown, told = rehearsed(machine, spec_text(level, disks, **options))
    assert (shown.passed, shown.sentence) == (True, "")
    assert shown.done == len(shown.steps) > 5
    assert (shown.left_out, shown.instead) == ((), ()), "to the letter"
    assert shown.usable_bytes in {shown.calculated_bytes, None}
    assert (shown.usable_bytes is None) == (level == "single")
    assert shown.after_reboot is True
    assert 0 < shown.copied_bytes < 100 << 20
    assert any(line.startswith(f"[{len(shown.steps)}/") for line in told)
    assert [hashlib.sha256(image.read_bytes()).hexdigest() for image in images] == before


@pytest.mark.first(0)
def test_more_disks_than_the_lab_has_letters_are_rehearsed_and_stay_sparse() -> None:
    disks = [machines.disk(number, size_bytes=100 * GIB) for number in range(1, MANY + 1)]
    machine = machines.machine([replace(one, by_id=tuple(sorted(one.by_id))) for one in disks])
    spec = read_spec(spec_text("raid6", [one.serial for one in disks]), origin="the spec")
    plan = make_plan(spec, machine, seed=new_seed())
    order = order_of(spec=spec, seed=plan.seed)
    shown = rehearse(order, plan, machine, recorded=True, report=print)
    assert (shown.sentence, shown.passed, shown.instead) == ("", True, ())
    assert shown.done == len(shown.steps)
    assert shown.usable_bytes == shown.calculated_bytes > 1700 * GIB
    assert shown.after_reboot is True
    assert shown.written_bytes < GIB


@pytest.mark.first(0)
def test_what_fails_in_the_lab_is_said_with_its_step(
    own_guest: Callable[[str], Guest], tmp_path: Path
) -> None:
    guest = own_guest("3x400MiB")
    machine = read_off(guest, tmp_path)
    taken = f"{tmp_path}/disks/state/etc"  # not empty, and shown to the lab as it is here
    shown, _ = rehearsed(machine, spec_text("raid5", THREE).replace("/srv/tank", taken))
    assert not shown.passed
    assert shown.sentence.startswith("step 1 of ")
    assert taken in shown.sentence
    assert "raidtui resume" not in shown.sentence, "that job was in the lab"
    assert shown.done == 0


@pytest.mark.first(0)
def test_copying_a_disk_writes_nothing_to_it(guest: Guest) -> None:
    script = """
import sys
from pathlib import Path
from raidtui.backends.reading import read_whole
from raidtui.jobs.disk_copies import copy_disk
machine = read_whole()
disk = machine.disk("LAB-0001")
print(copy_disk(disk, (), Path(sys.argv[1])))
"""
    guest.shell(FORMER)
    written = "awk '$3==\"ubda\" {print $10}' /proc/diskstats"
    before = guest.shell(written).stdout
    done = python(guest, script, "/root/copy")
    assert done.returncode == 0, done.stderr
    assert guest.shell(written).stdout == before
    assert (
        guest.shell("cmp -n 1048576 /dev/ubda /root/copy && stat -c %s /root/copy").stdout
        == guest.shell("blockdev --getsize64 /dev/ubda").stdout
    )
