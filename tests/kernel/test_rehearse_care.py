"""A removal, a replacement and a growth are rehearsed, on units that the lab assembles or makes anew from copies."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

from raidtui.backends.units import find_unit
from raidtui.commands.rehearsal.rehearsal import rehearse
from raidtui.commands.rehearsal.units import MEMBER_BYTES
from raidtui.jobs.rehearsed import order_of
from raidtui.jobs.runner import derive_plan
from raidtui.lab.guest import Guest
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow, Replace
from raidtui.model.rehearsal import Rehearsal
from raidtui.model.units import MIB
from raidtui.steps.seeds import new_seed
from tests.kernel.driving import serials, spec_text
from tests.kernel.test_rehearse import read_off

FOUR: Final = serials(4)


IN_SYNC: Final = """for array in /dev/md/tank*; do mdadm --wait $array || :; done
while lvs --noheadings -o sync_percent | grep '[0-9]' | grep -qv 100.00; do sleep 0.2; done"""


LEVELS: Final = {"btrfs": "raid1", "hybrid": "hybrid1"}
DISKS: Final = {"hybrid": "1x1200MiB,3x2GiB"}  # two bands


def build(guest: Guest, options: Mapping[str, str]) -> None:
    """A mounted unit on the first three disks, in sync, with a file."""
    options = {"level": LEVELS.get(options.get("backend", ""), "raid5"), **options}
    level = options.pop("level")
    words = ["raidtui", "apply", "-", f"--erase={','.join(FOUR[:3])}"]
    guest.run(words, stdin=spec_text(level, FOUR[:3], **options), check=True, timeout=300)
    guest.shell(IN_SYNC, check=True, timeout=300)
    guest.shell("echo photos >/srv/tank/file; sync", check=True)


def rehearsed(order: JobRequest, machine: Machine) -> Rehearsal:
    """The rehearsal of ``order``, which passes: all of its steps ran, with the same commands to the letter."""
    told: list[str] = []
    shown = rehearse(order, derive_plan(order, machine), machine, recorded=False, report=told.append)
    assert (shown.sentence, shown.passed) == ("", True), told
    assert shown.done == len(shown.steps) > 2
    assert (shown.left_out, shown.instead) == ((), ()), "to the letter"
    assert shown.after_reboot is True
    assert shown.written_bytes < 4 * (1 + len(machine.arrays)) * MEMBER_BYTES + 200 * MIB
    return shown


def replacement(_: Machine) -> JobRequest:
    return order_of(procedure=Replace(old=FOUR[0], new=FOUR[3]), seed=new_seed())


def growth(machine: Machine) -> JobRequest:
    unit = find_unit("tank", machine)
    assert unit is not None
    return order_of(procedure=Grow(unit=unit.uuid, add=(FOUR[3],)), seed=new_seed())


def removal(_: Machine) -> JobRequest:
    return order_of(array="tank", seed=new_seed())


@pytest.mark.parametrize(
    ("order", "written", "options"),
    [
        pytest.param(removal, 0, {}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, {}, marks=pytest.mark.first(0)),
        pytest.param(growth, 3, {}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, {"bus": "scsi4kn:"}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, {"bus": "scsi4kn:", "backend": "lvm"}, marks=pytest.mark.first(0)),
        pytest.param(removal, 0, {"backend": "lvm"}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, {"backend": "lvm"}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 0, {"backend": "lvm", "level": "linear"}, marks=pytest.mark.first(0)),
        pytest.param(growth, 0, {"backend": "lvm", "level": "linear"}, marks=pytest.mark.first(0)),
        pytest.param(growth, 1, {"backend": "lvm", "level": "raid1"}, marks=pytest.mark.first(0)),
        pytest.param(removal, 0, {"backend": "btrfs"}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 0, {"backend": "btrfs"}, marks=pytest.mark.first(0)),
        pytest.param(growth, 0, {"backend": "btrfs"}, marks=pytest.mark.first(0)),
        pytest.param(removal, 0, {"backend": "hybrid"}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, {"backend": "hybrid"}, marks=pytest.mark.first(0)),
        pytest.param(growth, 4, {"backend": "hybrid"}, marks=pytest.mark.first(0)),
        pytest.param(removal, 0, {"backend": "lvm-on-md"}, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, {"backend": "lvm-on-md"}, marks=pytest.mark.first(0)),
    ],
)
def test_the_same_commands_run_on_copies_of_the_members_and_no_disk_is_written_to(
    own_guest: Callable[[str], Guest],
    tmp_path: Path,
    order: Callable[[Machine], JobRequest],
    written: int,
    options: Mapping[str, str],
) -> None:
    guest = own_guest(DISKS.get(options.get("backend", ""), f"4x{options.get('bus', '')}1200MiB"))
    build(guest, {key: one for key, one in options.items() if key != "bus"})
    machine = read_off(guest, tmp_path)
    images = [Path(one.path) for one in machine.disks]
    before = [hashlib.sha256(image.read_bytes()).hexdigest() for image in images]
    shown = rehearsed(order(machine), machine)
    assert shown.written_bytes >= written * MEMBER_BYTES, "what syncs was really written"
    assert [hashlib.sha256(image.read_bytes()).hexdigest() for image in images] == before


AGAIN: Final = {
    "mdadm": "mdadm --assemble --run /dev/md/tank /dev/ubd[bc]1; mount /srv/tank",
    "lvm": "vgchange -qq -ay --activationmode degraded tank; udevadm settle; mount /srv/tank",
    "btrfs": "btrfs device scan; mount -o degraded LABEL=tank /srv/tank",
}
"""How a unit that lacks its first disk is mounted."""


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, marks=pytest.mark.first(0)),
        pytest.param({"backend": "lvm"}, marks=pytest.mark.first(0)),
        pytest.param({"backend": "btrfs"}, marks=pytest.mark.first(0)),
    ],
)
def test_a_unit_that_lacks_a_disk_lacks_it_in_the_lab_too(
    own_guest: Callable[[str], Guest], tmp_path: Path, options: Mapping[str, str]
) -> None:
    guest = own_guest("4x1200MiB")
    build(guest, options)
    guest.shell(
        "umount /srv/tank; vgchange -qq -an; mdadm --stop --scan; btrfs device scan --forget; udevadm settle"
    )
    guest.pull(FOUR[0])
    guest.shell(
        f"udevadm settle; {AGAIN[options.get('backend', 'mdadm')]} && mount -o remount,rw /srv/tank",
        check=True,
    )
    machine = read_off(guest, tmp_path)
    lost = find_unit("tank", machine)
    assert lost is not None
    order = Replace(old=FOUR[0], new=FOUR[3], missing_from=(lost.uuid,))
    rehearsed(order_of(procedure=order, seed=new_seed()), machine)
