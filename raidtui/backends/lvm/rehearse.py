"""A volume group like this one for a rehearsal, with short volumes, from the metadata of its physical volumes."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.backends.lvm import metadata
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.reading import LvmReading, group_in
from raidtui.backends.lvm.report import VolumeGroup
from raidtui.backends.lvm.units import others
from raidtui.backends.rehearsing import Rehearser
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.procedure import Grow
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.units import SECTOR

_SHORTENED: Final = ("linear", "striped", "raid0", "raid1", "raid10", "raid4", "raid5", "raid6", "error")
_SYNCED: Final = "lvs --noheadings --options sync_percent"


def own_group(unit: Unit, machine: Machine) -> tuple[LvmReading, VolumeGroup] | str:
    """LVM's reading and the group that ``unit`` is; why not, if it was not read or this computer may not use it."""
    found = group_in(unit, machine)
    if found is None:
        return f"LVM's report of {unit.shown} could not be read"
    reading, group = found
    if group.exported or (owner := others(group, reading)):
        return f"{unit.shown} is {'exported' if group.exported else owner}"
    return found


class LvmRehearser(Rehearser):
    """vgcfgrestore(8) of the group's own metadata, in which the volumes are short, on physical volumes without data."""

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """Volumes of types that raidtui does not make, and a group that this computer may not use or has lost."""
        found = own_group(unit, machine)
        if isinstance(found, str):
            return found
        reading, group = found
        if unit.health is Health.FAILED:
            return f"{unit.shown} lacks more devices than it survives"
        types = {
            segment.type
            for volume in reading.known.volumes
            if volume.group == group.uuid
            for segment in volume.segments
        }
        if other := sorted(one for one in types if one.partition("_")[0] not in _SHORTENED):
            return f"{unit.shown} has volumes of type {harmless(listed(other))}"
        if any(one.path.startswith("/dev/md") for one in reading.known.devices_of(group)):
            return f"{unit.shown} lies on arrays, and what lies on these is not copied"
        return ""

    def no_growth(self, unit: Unit, order: Grow) -> str:
        """The command names the size of the volume, unless the new disk holds a further copy.

        In full size the sync of the new space and the check run there at some 70 MB/s of each member: four hours for each
        terabyte. Neither can be left out: a volume that was made with --nosync syncs its new space all the same (RAID5), and
        a sync that is stopped begins again.
        """
        if self.grows_whole(unit) or (unit.level == "raid1" and len(order.add) == 1):
            return ""
        return (
            "lvextend names the size of the volume, so the lab could not have a short one. In full size its sync and check take "
            "hours there. A volume on small disks shows the same steps: raidtui lab"
        )

    def grows_whole(self, unit: Unit) -> bool:
        """A volume without redundancy never syncs."""
        return unit.level in LEVELS and not LEVELS[unit.level].redundant

    def places(self, unit: Unit, machine: Machine) -> Mapping[str, tuple[int, int]]:
        """The head of each physical volume, with the label and the metadata."""
        found = group_in(unit, machine)
        assert found is not None, "`why_not` has seen it"
        reading, group = found
        return {one.path: (0, metadata.HEAD_BYTES) for one in reading.known.devices_of(group) if one.path}

    def lessened(self, content: bytes, member_bytes: int) -> bytes:
        """Without its label: nothing activates the volumes before they are short."""
        return metadata.without_label(content)

    def remake(self, unit: Unit, machine: Machine, contents: Mapping[str, bytes], member_bytes: int) -> str:
        """Restore the group, with a loop device for each missing physical volume, which is detached after the sync."""
        whole = metadata.newest(map(metadata.text_in, contents.values()))
        name, group = metadata.group_in(whole)
        metadata.lessen(group, member_bytes)
        return "\n".join(_script(name, whole, unit, machine))


def _script(name: str, whole: metadata.Section, unit: Unit, machine: Machine) -> Iterator[str]:
    found = group_in(unit, machine)
    assert found is not None, "`why_not` has seen it"
    reading, group = found
    stable = stable_in(machine.disks)
    here = {one.uuid: stable.get(one.path, one.path) for one in reading.known.devices_of(group) if one.path}
    stand_ins = []
    paths = {}
    for number, (uuid, device) in enumerate(metadata.uuids(metadata.group_in(whole)[1]).items()):
        if uuid in here:
            paths[uuid] = shlex.quote(here[uuid])
        else:
            file = f"/run/raidtui-{uuid}"
            size = int(str(device["dev_size"])) * SECTOR
            yield f"modprobe loop; truncate -s {size} {shlex.quote(file)}; missing_{number}=$(losetup --find --show {file})"
            paths[uuid] = f'"$missing_{number}"'
            stand_ins.append(paths[uuid])
    quoted = shlex.quote(name)
    yield from restored(whole, paths)
    yield f"while {_SYNCED} {quoted} | grep '[0-9]' | grep -qv 100.00; do sleep 0.2; done"
    if stand_ins:
        yield f"vgchange -qq --activate n {quoted}; udevadm settle"
        yield from (f"losetup --detach {one}" for one in stand_ins)
        yield f"vgchange -qq --activate y --activationmode degraded {quoted}"


def restored(whole: metadata.Section, paths: Mapping[str, str]) -> Iterator[str]:
    """Make the group of this metadata and activate it, on ``paths``: words of the shell by UUID."""
    name, group = metadata.group_in(whole)
    quoted, backup = shlex.quote(name), f"/run/raidtui-group-{metadata.uuid_of(group)}"
    yield f"cat >{backup} <<'END OF METADATA'\n{metadata.written(whole)}\nEND OF METADATA"
    for uuid, path in paths.items():
        made = ["pvcreate", "-qq", "-ff", "--yes", "--uuid", shlex.quote(uuid), "--restorefile", backup, path]
        yield " ".join(made)
    yield f"vgcfgrestore -qq --file {backup} {quoted}"
    yield f"vgchange -qq --activate y {quoted}"


REHEARSER: Final = LvmRehearser()
