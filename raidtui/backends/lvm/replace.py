"""Replace a physical volume under a RAID volume with lvconvert(8): --replace while it works, --repair when it is gone."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import places_at
from raidtui.backends.lvm.conditions import LEFT, LEG_IN_SYNC, USES, VOLUME_WHOLE
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.names import escaped
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import LogicalVolume, VolumeGroup
from raidtui.backends.lvm.units import left_in, main_volume, others, units_of
from raidtui.backends.replacing import Leaving, Naming, Need
from raidtui.model.errors import Refused
from raidtui.model.plan import Check, Role, Run, Step, Undo
from raidtui.model.text import harmless
from raidtui.model.unit import WELL, Unit
from raidtui.steps.devices import FORGOTTEN
from raidtui.steps.partitions import LINUX_LVM

_POLL_SECONDS: Final = 5  # LVM has no command that waits for a sync


class LvmNeed(Need, frozen=True, kw_only=True):
    """A volume group."""

    volume: str  # the name of its volume

    def steps(self, naming: Naming) -> list[Step]:
        """Extend the group, replace or repair, wait, reduce the group."""
        group, volume, device = self.unit.name, self.volume, escaped(naming.device)
        uuid, member = self.unit.uuid, f"{self.unit.uuid} {self.unit.raid_disks}"
        how = ("--replace", escaped(self.old)) if self.copied else ("--repair",)
        out = (group, escaped(self.old)) if self.copied else ("--removemissing", group)
        return [
            Step(
                id=f"add{naming.suffix}",
                role=Role.MEMBER,
                title=f"Add {naming.new} to the volume group {self.name}",
                reason="lvconvert takes the place for the new part of the volume only from disks of its group.",
                actions=(
                    Run(argv=("pvcreate", naming.device)),
                    Run(argv=("vgextend", group, naming.device)),
                ),
                before=naming.ready,
                after=(USES.of(naming.device, f"{uuid} group"),),
                undoable=Undo.IMPOSSIBLE,
                holds=(naming.whole,),
            ),
            Step(
                id=f"start{naming.suffix}",
                role=Role.MEMBER,
                title=f"Replace {naming.old} in {self.name} with {naming.new}",
                reason="The volume can be used meanwhile."
                if self.copied
                else "The kernel rebuilds the missing part from the others; the volume can be used meanwhile.",
                actions=(
                    Run(argv=("lvconvert", "--yes", *how, f"{group}/{volume}", device), timeout_seconds=1800),
                ),
                after=(USES.of(naming.device, f"{uuid} volume"),),
                undoable=Undo.IMPOSSIBLE,
                holds=(naming.whole,),
            ),
            Step(
                id=f"wait{naming.suffix}",
                role=Role.WAIT,
                title=f"Wait until {self.name} is in sync",
                reason="The kernel continues if raidtui ends.",
                actions=(Run(argv=("sleep", str(_POLL_SECONDS))),),
                before=(USES.of(naming.device, f"{uuid} volume"),),
                after=(LEG_IN_SYNC.of(naming.device, member),),
                undoable=Undo.IMPOSSIBLE,
                as_long_as="writing the whole new physical volume",
            ),
            Step(
                id=f"remove{naming.suffix}",
                role=Role.MEMBER,
                title=f"Remove {naming.old} from the volume group {self.name}",
                reason="A group with a missing disk is not activated at boot.",
                actions=(Run(argv=("vgreduce", *out), ok=(0, 5)),),
                after=(self.out() if self.copied else VOLUME_WHOLE.of(uuid, str(self.unit.raid_disks)),),
                undoable=Undo.IMPOSSIBLE,
            ),
        ]

    def proof(self) -> Check:
        """No disk missing, every part in sync."""
        return VOLUME_WHOLE.of(self.unit.uuid, str(self.unit.raid_disks))

    def out(self) -> Check:
        """It is in no group."""
        return LEFT.of(self.old, self.unit.uuid)

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """Remove the physical volume from the old disk."""
        runs = (
            Run(argv=("pvremove", self.old), ok=(0, 5)),
            Run(argv=("wipefs", "--all", self.old), ok=(0, 1)),
        )
        return runs, FORGOTTEN.of(self.old)


def needs(leaving: Leaving) -> Iterator[LvmNeed]:
    """The groups with a physical volume on the disk, or that miss one that was on it."""
    reading = reading_in(leaving.machine)
    units = {unit.uuid: unit for unit in units_of(leaving.machine)} if reading is not None else {}
    for group in reading.known.groups if reading is not None else ():
        if reading is None or (unit := units.get(group.uuid)) is None:
            continue
        inside = [
            one
            for one in reading.known.devices_of(group)
            if one.path and leaving.has(one.path) and not one.missing
        ]
        if not inside and not (leaving.is_missing_from(group.uuid) and group.missing):
            continue
        volume = _check(unit, group, reading, count=len(inside))
        path = inside[0].path if inside else ""
        staying = [one.path for one in unit.members if one.path and one.path != path]
        working = frozenset(one.slot for one in unit.members if one.slot is not None and one.state in WELL)
        yield LvmNeed(
            unit=unit,
            left=left_in(unit.level, unit.raid_disks, working),
            old=leaving.stable(path),
            old_path=path,
            copied=bool(inside),
            places=tuple(places_at(filter(None, (path, *staying)), leaving.machine)),
            present=leaving.beside(unit, path),
            least=max((one.size_bytes for one in reading.known.devices_of(group)), default=0),
            partition_type=LINUX_LVM,
            volume=volume.name,
        )


def _check(unit: Unit, group: VolumeGroup, reading: LvmReading, *, count: int) -> LogicalVolume:
    """Check that a disk of the group can be replaced now, and return its volume.

    Raises:
        Refused: it has several volumes, one that is not redundant, is busy, or lacks more than one disk.
    """
    name, volume = harmless(unit.name), main_volume(group, reading.known)
    if whose := others(group, reading):
        raise Refused(f"{name} is {whose}; replace its disk there")
    if volume is None or len(reading.known.of(group)) != 1:
        raise Refused(
            f"{name} does not have one volume alone; replace its disk with lvconvert(8) and pvmove(8)"
        )
    level = LEVELS.get(volume.type)
    if level is None or not level.redundant:
        raise Refused(f"{name} is {volume.type}, which has no redundancy; move its data with pvmove(8)")
    if count > 1 or group.missing > 1:
        raise Refused(f"{name} has several physical volumes on that disk, or lacks several; see lvmraid(7)")
    if count and group.missing:
        raise Refused(f"{name} already lacks a disk; replace that one first")
    status = reading.status(group, volume)
    if status is None:
        raise Refused(f"{name} is not active; activate it first, 'raidtui status' shows how")
    if unit.activity is not None:
        raise Refused(
            f"{name} is busy: {unit.activity.what}. Wait until that ends; 'raidtui status' shows it"
        )
    return volume
