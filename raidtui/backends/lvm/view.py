"""Map the volumes of a group read-only, under names of their own and without LVM.

LVM itself would name them after the group, which another group here may be called like, and would activate them for
writing. The kernel's device-mapper takes the same table from anybody (dmsetup(8), --readonly), and LVM's metadata is only
read. What is made of more than extents in a row (thin pools, caches, RAID and mirrors) needs LVM.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.lvm.reading import group_in
from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup
from raidtui.model.device import VIEW_MARK
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import SECTOR
from raidtui.steps.devices import ABSENT, PRESENT

_PLAIN: Final = frozenset({"linear", "striped"})
_NEEDS: Final = {
    "thin": "it is in a thin pool (QNAP's storage pools are), which LVM would have to write to",
    "thin-pool": "it is a thin pool, which LVM would have to write to",
    "cache": "it has a cache, with data that may be nowhere else",
    "writecache": "it has a write cache, with data that may be nowhere else",
}


def view(unit: Unit, machine: Machine, called: str) -> Iterator[Step]:
    """Map every volume of a group that can be read, as /dev/mapper/``called``-VOLUME.

    Raises:
        Refused: none can be, with the reasons.
    """
    if (found := group_in(unit, machine)) is None:
        raise Refused(f"LVM does not report the volume group {harmless(unit.name)}")
    reading, group = found
    volumes = [one for one in reading.known.of(group) if one.size_bytes]
    why = {one.name: cannot(one, group, reading.known) for one in volumes}
    if not any(not reason for reason in why.values()):
        reasons = "; ".join(f"{harmless(name)}: {reason}" for name, reason in why.items())
        raise Refused(f"no volume of {harmless(unit.name)} can be read here: {reasons or 'it has none'}")
    for volume in volumes:
        if not why[volume.name]:
            yield _mapped(volume, group, reading.known, called)


def cannot(volume: LogicalVolume, group: VolumeGroup, reading: Reading) -> str:
    """Why a volume cannot be mapped; empty if it can."""
    for one in volume.segments:
        if one.type not in _PLAIN:
            return _NEEDS.get(one.type, f"it is of the type {harmless(one.type)}, which needs LVM itself")
        if not all(one.devices):
            return "a part of it is on a disk that is not here"
        if not one.size_bytes or len(one.first_extents) != len(one.devices):
            return "the reading does not say where it lies; read the computer anew"
    starts = {one.path: one.data_start_bytes for one in reading.devices_of(group) if one.path}
    unknown = [path for one in volume.segments for path in one.devices if path not in starts]
    if unknown:
        return f"where the extents of {listed(unknown)} begin is not known"
    return "" if volume.segments else "it has no segment"


def _mapped(volume: LogicalVolume, group: VolumeGroup, reading: Reading, called: str) -> Step:
    starts = {one.path: one.data_start_bytes for one in reading.devices_of(group) if one.path}
    name, lines, begin = f"{called}-{volume.name}", [], 0
    for one in volume.segments:
        places = [
            f"{path} {(starts[path] + extent * group.extent_bytes) // SECTOR}"
            for path, extent in zip(one.devices, one.first_extents, strict=True)
        ]
        length = one.size_bytes // SECTOR
        kind = f"linear {places[0]}"
        if len(places) > 1:
            kind = f"striped {len(places)} {one.stripe_bytes // SECTOR} {' '.join(places)}"
        lines.append(f"{begin} {length} {kind}")
        begin += length
    path = f"/dev/mapper/{name}"
    remove = Run(argv=("dmsetup", "remove", name), ok=(0, 1))
    return Step(
        id=f"map-{volume.name}",
        role=Role.CREATE,
        title=f"Map {harmless(group.name)}/{harmless(volume.name)} read-only as {path}",
        reason="The name is its own, so a group here that is called the same is not touched. LVM's metadata is not written.",
        actions=(
            Run(
                argv=("dmsetup", "create", name, "--readonly", "--uuid", f"{VIEW_MARK}{volume.uuid}"),
                input="\n".join(lines) + "\n",
                writes=(),
            ),
            Run(argv=("udevadm", "settle")),
        ),
        before=tuple(PRESENT.of(path) for path in starts),
        after=(PRESENT.of(path),),
        undo=(remove,),
        undo_note="the mapping is removed",
        repair=(remove,),
    )


def put_away(unit: Unit, machine: Machine) -> Iterator[Step]:
    """Remove the devices that `view` mapped; deactivate the volumes that udev activated when the arrays appeared."""
    if (found := group_in(unit, machine)) is None:
        return
    reading, group = found
    volumes = reading.known.of(group)
    marks = {f"{VIEW_MARK}{one.uuid}": one for one in volumes}
    for device in machine.devices:
        if (volume := marks.get(device.dm_uuid)) is not None:
            yield Step(
                id=f"unmap-{volume.name}",
                role=Role.REMOVE,
                title=f"Remove the mapping /dev/mapper/{harmless(device.dm_name)}",
                reason="It is only a table in the kernel.",
                actions=(Run(argv=("dmsetup", "remove", device.dm_name), ok=(0, 1)),),
                after=(ABSENT.of(f"/dev/mapper/{device.dm_name}"),),
                undoable=Undo.NOTHING,
                undo_note="it stays removed",
            )
    if any(one.active for one in volumes):
        yield Step(
            id="deactivate",
            role=Role.REMOVE,
            title=f"Deactivate the volume group {harmless(group.name)}",
            reason="udev activated it when its array appeared. By its UUID: another group may be called the same. This writes "
            "nothing to it.",
            actions=(
                Run(
                    argv=("lvm", "vgchange", "--activate", "n", "--select", f"vg_uuid={group.uuid}"),
                    ok=(0, 5),
                ),
            ),
            after=tuple(ABSENT.of(one.dm_path) for one in volumes if one.active and one.dm_path),
            undoable=Undo.NOTHING,
            undo_note="it stays inactive",
        )
