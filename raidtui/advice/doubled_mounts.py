"""What fstab mounts by a UUID that two disks have: a disk that was cloned, and its copy, are both connected. Pure."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import called_at
from raidtui.model.config_lines import name_in
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.text import harmless, listed
from raidtui.model.uuids import bare
from raidtui.steps.fstab import FSTAB, fields_of, is_mounted_at_boot

# These may have one UUID on several devices: of what has several devices, and of a member that shows what is on it.
_SHARED: Final = frozenset({"btrfs", "zfs_member", "bcachefs"})
_MEMBER: Final = "_raid_member"


def doubled_mounts(machine: Machine) -> Iterator[Finding]:
    """A finding for each line of fstab whose UUID two disks or arrays have."""
    holders = _holders(machine)
    for line in machine.system.fstab:
        fields = fields_of(line)
        name = name_in(fields[0]) if is_mounted_at_boot(fields) else None
        if name is None or name.tag != "UUID":
            continue
        paths = holders.get(bare(name.value), set())
        disks = called_at(sorted(paths), machine)
        if len(disks) > 1:
            mounted = {
                one.device for one in machine.mounts if one.target == fields[1] and one.device in paths
            }
            now = f"{listed(called_at(mounted, machine))} is mounted there now. " if mounted else ""
            yield Finding(
                name=fields[1],
                kind=Kind.CLONE,
                what=f"{FSTAB} mounts {harmless(fields[0])} at {harmless(fields[1])}, and {listed(disks)} have a filesystem with that "
                "UUID: a copy beside its original, or two paths to one disk",
                never="write to either of them before you know which one belongs there",
                remedies=(
                    Remedy(
                        text=f"{now}Disconnect the one that does not belong here; to keep both, give the copy a UUID of its own: -U in "
                        "tune2fs(8) or xfs_admin(8)"
                    ),
                ),
            )


def _holders(machine: Machine) -> dict[str, set[str]]:
    """The disks, partitions and arrays with a filesystem, by its UUID."""
    below = {
        claim.device for disk in machine.disks for claim in disk.taken_by if claim.what is ClaimKind.MULTIPATH
    }
    found: dict[str, set[str]] = {}
    for disk in machine.disks:
        members = {one.device for one in disk.every_signature if one.type.endswith(_MEMBER)} | below
        for one in disk.every_signature if disk.path not in members else ():
            if one.uuid and one.type not in _SHARED and one.device not in members:
                found.setdefault(bare(one.uuid), set()).add(one.device)
    for array in machine.arrays:  # with its partitions
        for one in array.signatures:
            if one.uuid and one.type not in _SHARED:
                found.setdefault(bare(one.uuid), set()).add(array.node)
    return found
