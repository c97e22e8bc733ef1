"""Filesystems and groups of volumes that are on more than one device: to erase one of these breaks all of it."""

from collections.abc import Collection
from typing import Final

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine, Signature
from raidtui.model.text import harmless
from raidtui.model.uuids import bare
from raidtui.steps.pieces import called

# libblkid's words for what may be on many devices, each of which then has its UUID.
_ON_MANY: Final = {
    "bcachefs": "bcachefs filesystem",
    "btrfs": "Btrfs filesystem",
    "linux_raid_member": "RAID array",
    "zfs_member": "ZFS pool",
}
_LVM: Final = "LVM2_member"  # of these, each has a UUID of its own


def check_on_no_other(
    name: str, found: Collection[Signature], machine: Machine, *, own: Collection[str]
) -> None:
    """See that what is on an array that is to be erased is on no other device.

    Args:
        name: of the array.
        found: the signatures on it.
        own: the paths of its members, which may show what is on it.

    Raises:
        Refused: says which other device has a part of it, or that a volume group may be on others.
    """
    for signature in found:
        if signature.type == _LVM:
            raise Refused(
                f"an LVM volume group is on {name} and may be on other disks too. Remove {name} from it first: "
                f"vgreduce (or vgremove if nothing in the group is needed), then "
                f"pvremove {signature.device}"
            )
        if signature.type in _ON_MANY and (other := find_elsewhere(signature, machine, own)):
            device, where = other
            raise Refused(
                f"the {_ON_MANY[signature.type]} on {name} is also on {where} and would be lost there too. Move it "
                f"off {name} first, or erase the other part if it is not needed: wipefs --all {device}"
            )


def find_elsewhere(signature: Signature, machine: Machine, own: Collection[str]) -> tuple[str, str] | None:
    """The path of another device, not one of ``own``, with the same UUID of the same kind, and what to call it."""
    places = [(f"{called(disk)} ({s.device})", s) for disk in machine.disks for s in disk.every_signature]
    places += [
        (f"the array {harmless(a.name)} ({s.device})", s) for a in machine.arrays for s in a.signatures
    ]
    return next(
        (
            (other.device, where)
            for where, other in places
            if other.device not in {signature.device, *own}
            and other.type == signature.type
            and bare(signature.uuid)
            and bare(other.uuid) == bare(signature.uuid)
        ),
        None,
    )
