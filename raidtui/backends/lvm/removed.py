"""What fstab mounts and is not here may have been on a volume or group that was removed by mistake: LVM keeps old versions. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import called_at
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import VolumeGroup
from raidtui.backends.lvm.units import others
from raidtui.machine.md.newest import name_of_member
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless, listed

_MAY_BE_ANY: Final = re.compile(r"(?:UUID|LABEL)=|/dev/(?!md/|disk/)[^/]+/[^/]+$")
_BY_PATH: Final = "/dev/"


def removed(source: str, machine: Machine) -> Iterator[Remedy]:
    """Trials of the groups from which the volume of ``source``, as fstab has it, may have been removed.

    With vgremove(8) all their physical volumes are of no group; with lvremove(8) a group has room that is free.
    """
    reading = reading_in(machine)
    if reading is None or not _MAY_BE_ANY.match(source):
        return
    for group in reading.known.groups:
        if _may_lack(group, source, reading):
            yield Remedy(
                text=f"if its volume was removed from volume group {harmless(group.name)} by mistake, write nothing to the group, and "
                "look for it on overlays",
                procedure=Recover(unit=group.uuid),
            )
    bare = [one.path for one in reading.known.devices if one.path and not one.group and not one.missing]
    order = _on(bare, machine)
    if order is not None and not any(_is_of(group, source) for group in reading.known.groups):
        arrays = {one.node: f"array {harmless(one.shown)}" for one in machine.arrays}
        names = sorted(arrays[path] for path in bare if path in arrays) or called_at(bare, machine)
        which = f"{listed(names)} {'are physical volumes' if bare[1:] else 'is a physical volume'}"
        yield Remedy(
            text=f"{which} of no volume group. If that was removed by mistake, write nothing to {'them' if bare[1:] else 'it'}, and look "
            "for its volumes on overlays",
            procedure=order,
        )


def _on(paths: Sequence[str], machine: Machine) -> Recover | None:
    """The trial of physical volumes on disks and running arrays; None of none and of others."""
    known = {path for disk in machine.disks if disk.identity for path in disk.every_path}
    known |= {one.node for one in machine.arrays if one.started and one.path}
    if not paths or not known.issuperset(paths):
        return None
    return Recover(disks=tuple(sorted(name_of_member(path, machine.disks, machine.arrays) for path in paths)))


def _may_lack(group: VolumeGroup, source: str, reading: LvmReading) -> bool:
    """Whether a volume called ``source`` may have been removed from it, and it lacks no disk that would explain it."""
    if not group.free_bytes or group.missing or others(group, reading):
        return False
    return _is_of(group, source) or not source.startswith(_BY_PATH)


def _is_of(group: VolumeGroup, source: str) -> bool:
    return source.startswith((f"/dev/{group.name}/", f"/dev/mapper/{group.name.replace('-', '--')}-"))
