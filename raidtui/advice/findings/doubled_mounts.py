"""What fstab mounts by a name that two filesystems have: a cloned disk beside its copy, or two with one label. Pure."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from raidtui.backends.care import called_at
from raidtui.model.config_lines import Name, name_in
from raidtui.model.device import OVER_ONE, DeviceKind
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.text import harmless, listed
from raidtui.model.uuids import bare
from raidtui.steps.fstab import FSTAB, fields_of, is_mounted_at_boot

# These may have one UUID on several devices: of what has several devices, and of a member that shows what is on it.
_SHARED: Final = frozenset({"btrfs", "zfs_member", "bcachefs"})
_MEMBER: Final = "_raid_member"
_MAPPED: Final = frozenset({*OVER_ONE, DeviceKind.VOLUME})
_WORDS: Final = {"UUID": "UUID", "LABEL": "label", "PARTUUID": "PARTUUID", "PARTLABEL": "partition name"}


class _Holder(NamedTuple):
    """A device with a filesystem, and its names."""

    path: str
    uuid: str
    label: str = ""
    partition_uuid: str = ""
    partition_label: str = ""
    alone: bool = True  # whether another device with its UUID is another filesystem

    def has(self, name: Name) -> bool:
        match name.tag:
            case "UUID":
                return bare(self.uuid) == bare(name.value)
            case "LABEL":
                return self.label == name.value
            case "PARTUUID":
                return bare(self.partition_uuid) == bare(name.value)
            case "PARTLABEL":
                return self.partition_label == name.value
        return False


def doubled_mounts(machine: Machine) -> Iterator[Finding]:
    """A finding for each line of fstab whose name several disks, arrays or volumes have."""
    holders = tuple(_holders(machine))
    for line in machine.system.fstab:
        fields = fields_of(line)
        name = name_in(fields[0]) if is_mounted_at_boot(fields) else None
        if name is None or name.tag not in _WORDS or not name.value:
            continue
        # One place of each filesystem.
        found = {one.path if one.alone else one.uuid: one for one in holders if one.has(name)}
        paths = sorted({one.path for one in found.values()})
        several = len({bare(one.uuid) for one in found.values()}) > 1
        # What is on a disk may show on its last partition too.
        if several or len(called_at(paths, machine)) > 1:
            yield _finding(fields, name, tuple(found.values()), machine)


def _finding(fields: list[str], name: Name, found: tuple[_Holder, ...], machine: Machine) -> Finding:
    paths = sorted({one.path for one in found})
    shown, word = called_at(paths, machine), _WORDS[name.tag]
    disks = listed(shown if len(shown) == len(paths) else paths)
    mounted = {one.device for one in machine.mounts if one.target == fields[1] and one.device in paths}
    now = f"{listed(called_at(mounted, machine))} is mounted there now. " if mounted else ""
    what = f"{FSTAB} mounts {harmless(fields[0])} at {harmless(fields[1])}, and {disks} have a filesystem with that {word}: "
    if len({bare(one.uuid) for one in found}) == 1:
        kind, why = Kind.CLONE, "a copy beside its original, or two paths to one disk"
        todo = "Disconnect the one that does not belong here; to keep both, give the copy a UUID of its own: -U in "
        todo += "tune2fs(8) or xfs_admin(8)"
    else:
        kind, why = Kind.SAME_NAME, "which one is mounted may differ from boot to boot"
        right = next((one.uuid for one in found if one.path in mounted), "")
        todo = f"Write UUID={harmless(right)}" if right else "Write the UUID of the one that belongs there"
        todo += f" into {FSTAB} in place of the {word}"
        if name.tag == "LABEL":
            todo += ", or give the other one another label: e2label(8), xfs_admin(8), btrfs-filesystem(8)"
    return Finding(
        name=fields[1],
        kind=kind,
        what=what + why,
        never="write to either of them before you know which one belongs there" if kind is Kind.CLONE else "",
        remedies=(Remedy(text=f"{now}{todo}"),),
    )


def _holders(machine: Machine) -> Iterator[_Holder]:
    """The disks, partitions, arrays and volumes with a filesystem."""
    below = {
        claim.device for disk in machine.disks for claim in disk.taken_by if claim.what is ClaimKind.MULTIPATH
    }
    for disk in machine.disks:
        members = {one.device for one in disk.every_signature if one.type.endswith(_MEMBER)} | below
        parts = {one.path: one for one in disk.partitions}
        for one in disk.every_signature if disk.path not in members else ():
            if one.uuid and one.device not in members:
                part = parts.get(one.device)
                names = (part.uuid, part.label) if part is not None else ("", "")
                yield _Holder(one.device, one.uuid, one.label, *names, alone=one.type not in _SHARED)
    for array in machine.arrays:  # with its partitions
        for one in array.signatures:
            if one.uuid:
                yield _Holder(array.node, one.uuid, one.label, alone=one.type not in _SHARED)
    for device in machine.devices:
        # udev prefers what a snapshot was made of to the snapshot, which has its names.
        if device.kind in _MAPPED and device.uuid and not device.holders:
            yield _Holder(device.path, device.uuid, device.label, alone=False)
