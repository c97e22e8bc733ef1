"""Physical volumes that are here and that LVM's commands do not use: they call their disks missing, or say nothing. Pure.

LVM may not be installed, or its configuration leaves a device out: filter and global_filter of lvm.conf(5), or a file of
devices that does not list it, lvmdevices(8). Or the metadata of their volume group is damaged.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.care import called_at
from raidtui.backends.lvm.reading import LvmReading, reading_in, volumes_here
from raidtui.backends.lvm.refused import is_unknown, unknown_words
from raidtui.backends.lvm.report import PhysicalVolume, VolumeGroup
from raidtui.backends.lvm.volumes import names_of
from raidtui.backends.not_shown import not_shown
from raidtui.machine.md.newest import name_of_member
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless, listed

_FILTER: Final = "filter and global_filter in /etc/lvm/lvm.conf and /etc/lvm/lvmlocal.conf"


def left_out(group: VolumeGroup, reading: LvmReading, machine: Machine) -> Remedy | None:
    """What to do about a group of which LVM leaves out a disk that is here; None if it leaves out none."""
    here, devices = volumes_here(machine), reading.known.devices_of(group)
    if paths := sorted(
        here[one.uuid][0]
        for one in devices
        if not one.path and one.uuid in reading.filtered and one.uuid in here
    ):
        return Remedy(
            text=f"let LVM use {listed(called_at(paths, machine))} again: what it calls missing is here, and its configuration leaves "
            f"that out. See {_FILTER}. Until then replace and remove nothing"
        )
    if paths := [one.path for one in devices if one.path and one.uuid in reading.unlisted]:
        arrays = {one.node: one.path for one in machine.arrays if one.path}
        stable, paths = stable_in(machine.disks), [arrays.get(path, path) for path in paths]
        return Remedy(
            text=f"add {listed(called_at(paths, machine))} to LVM's file of devices: no command of LVM uses what is not in it, see "
            "lvmdevices(8)",
            commands=tuple(f"lvmdevices --adddev {shlex.quote(stable.get(path, path))}" for path in paths),
        )
    return None


def left_inactive(group: VolumeGroup, reading: LvmReading) -> str:
    """Why LVM activates no volume of a group that is not active, though all its disks are here; empty if it would."""
    down = reading.known.of(group)
    if any(one.active for one in down):
        return ""
    if unknown := [one for one in down if is_unknown(one)]:
        return unknown_words(names_of(group, unknown), unknown)
    if down and all(one.left_inactive for one in down):
        return (
            f"LVM leaves {names_of(group, down)} out when it activates the group, as somebody set: --setactivationskip in lvchange(8). "
            "To activate it once, see --ignoreactivationskip there"
        )
    words = {one for one in reading.activated if not one.startswith("@")}
    named = group.name in words or any(f"{group.name}/{one.name}" in words for one in down)
    if not reading.activated or named or len(words) < len(reading.activated):  # tags are not judged
        return ""
    return (
        f"volume_list in lvm.conf lets LVM activate {listed(sorted(map(harmless, words)))} and nothing else. If a cluster or a script "
        f"starts {harmless(group.name)}, leave it; else add it to that list"
    )


def hidden(machine: Machine) -> Iterator[Finding]:
    """The physical volumes of which nothing here shows the volume group."""
    here = {uuid: paths[0] for uuid, paths in volumes_here(machine).items()}
    reading = reading_in(machine)
    if reading is None:
        cases = {} if "lvm" in machine.tools else {_NOT_INSTALLED: list(here.values())}
    else:
        known = reading.known.devices
        seen = {one.uuid for one in known}
        cases = {
            _LEFT_OUT: [here[uuid] for uuid in reading.filtered if uuid in here and uuid not in seen],
            _DAMAGED: [one.path for one in known if one.path and without_metadata(one)],
            _clustered(reading) if reading.clustered else _REMOVED: [
                here[uuid] for uuid in reading.removed if uuid in here and uuid not in seen
            ],
        }
    for (why, then), paths in cases.items():
        if paths:
            finding = not_shown(
                "LVM", paths, member="physical volume", of="LVM", why=why, then=then, machine=machine
            )
            # One beside a group that runs is what a vgextend left behind.
            if (why, then) == _DAMAGED and (len(paths) > 1 or not (reading and reading.known.groups)):
                finding = replace(finding, remedies=(_look_for_files(paths, machine), *finding.remedies))
            elif (why, then) == _REMOVED and reading and len(reading.known.groups) == 1:
                (group,) = reading.known.groups
                beside = [one.path for one in reading.known.devices_of(group) if one.path]
                look = _look_for_files((*paths, *beside), machine)
                # Of a group that has volumes still, a repair may have removed it.
                some = (*finding.remedies, look) if reading.known.of(group) else (look, *finding.remedies)
                finding = replace(finding, remedies=some)
            yield finding


def without_metadata(volume: PhysicalVolume) -> bool:
    """Whether the metadata of its group is damaged; pvresize(8) then left a label in no group, without an area."""
    return volume.damaged or (volume.no_area and not volume.group)


def _look_for_files(paths: Sequence[str], machine: Machine) -> Remedy:
    disks = tuple(sorted(name_of_member(path, machine.disks, machine.arrays) for path in paths))
    return Remedy(
        text="look for its files on overlays, with every version of its metadata that is left there. If they are "
        "found whole, that version can be restored (--for-real)",
        procedure=Recover(disks=disks),
    )


def _clustered(reading: LvmReading) -> tuple[str, str]:
    """LVM does not say on which of them the groups are that it skips."""
    names = listed([harmless(one) for one in reading.clustered])
    return (
        f", and it skips the volume groups of an older cluster: {names}",
        f"leave {names} to the cluster while that runs. If it never will again, see lvmlockd(8) on changing a clvm/clustered volume group",
    )


_NOT_INSTALLED: Final = (
    ", and it is not installed: the volume group is unknown",
    "install it: 'raidtui doctor' says how",
)
_LEFT_OUT: Final = (
    " that its configuration leaves out: the volume group is unknown",
    f"let LVM use what is here: see {_FILTER}",
)
_REMOVED: Final = (
    " that its group does not know any more: it was removed from it, perhaps while it was missing",
    "if nothing of it is needed, erase it: --updatemetadata in vgck(8). Else change nothing in the group",
)
_DAMAGED: Final = (
    ", in a volume group whose metadata it cannot read",
    "'raidtui recover' tries the versions in /etc/lvm/backup and /etc/lvm/archive too: copy those of the system that used the "
    "group here",
)
