"""A disk that is connected again, while a Btrfs is mounted without it, comes back by a plan."""

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.backends.btrfs.care import care_for
from raidtui.backends.btrfs.tend import TENDER
from raidtui.backends.units import units_of
from raidtui.machine.reader import load_machine
from raidtui.model.errors import Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import ReAdd
from raidtui.model.unit import Unit
from raidtui.plan.words import command_line

STATE: Final = Path(__file__).parent.parent / "machines/states/btrfs-device-back-mounted.json"


def recorded() -> tuple[Machine, Unit]:
    machine = load_machine(str(STATE))
    (unit,) = (one for one in units_of(machine) if one.name == "tank")
    return machine, unit


def test_it_is_unmounted_mounted_with_all_disks_and_scrubbed_before_a_replacement_is_thought_of() -> None:
    machine, unit = recorded()
    first, *_ = care_for(unit, machine)
    assert isinstance(first, Remedy)
    assert first.text.startswith(
        "LAB-0002 (ubdb) is connected again, and the filesystem is mounted without it"
    )
    assert first.procedure == ReAdd(unit=unit.uuid, disk="LAB-0002")
    assert "files without checksums" in first.warnings[0]
    steps = TENDER.steps(ReAdd(unit=unit.uuid, disk="LAB-0002"), unit, machine)
    assert [command_line(action) for step in steps[:3] for action in step.actions] == [
        "umount /srv/tank",
        "btrfs device scan",
        "mount /srv/tank",
        "btrfs scrub start -B /srv/tank",
    ]


def test_where_fstab_does_not_mount_it_the_sentence_stands_alone() -> None:
    machine, unit = recorded()
    machine = replace(machine, system=replace(machine.system, fstab=(), fstab_nodes=()))
    first, *_ = care_for(unit, machine)
    assert isinstance(first, Remedy)
    assert first.procedure is None
    with pytest.raises(Refused, match="unmount it yourself"):
        TENDER.steps(ReAdd(unit=unit.uuid, disk="LAB-0002"), unit, machine)
