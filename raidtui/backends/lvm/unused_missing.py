"""Disks that are missing from a volume group although nothing of it is on them: vgreduce(8) removes them.

LVM activates such a group, but refuses every change of it while they are missing.
"""

from raidtui.backends.lvm.care_conditions import COMPLETE, VOLUMES
from raidtui.backends.lvm.places import devices_of
from raidtui.backends.lvm.report import Reading, VolumeGroup
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Run, Step, member_step
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Unit
from raidtui.steps.flush import flushed


def lacks_only_unused(group: VolumeGroup, known: Reading) -> bool:
    """Whether disks are missing from the group, and no part of a volume, hidden ones included, is on them."""
    inside = [one for one in known.volumes if one.group == group.uuid]
    return bool(group.missing and inside) and not any(
        not segment.devices or "" in segment.devices for one in inside for segment in one.segments
    )


def remove(unit: Unit, group: VolumeGroup, known: Reading, machine: Machine) -> Step:
    """Remove the missing disks from the group.

    Raises:
        Refused: none is missing, or a part of a volume is on one.
    """
    name = harmless(unit.name)
    if not group.missing:
        raise Refused(f"{name} lacks no disk")
    missing = count_of(group.missing, "missing disk")
    if not lacks_only_unused(group, known):
        raise Refused(f"a part of {name} is on the {missing}: connect what is missing, or replace it")
    return member_step(
        id="remove",
        title=f"Remove {missing} from the volume group {name}",
        reason="Nothing of the group is on what is missing, and LVM refuses every change of a group that lacks a disk.",
        # Exit code 5: a cut undid only a part of it; the condition decides.
        actions=(
            Run(argv=("vgreduce", "--removemissing", group.name), ok=(0, 5)),
            flushed(*devices_of(unit, machine)),
        ),
        after=(VOLUMES.of(group.uuid, COMPLETE),),
    )
