"""Filesystems and volume groups that span several devices: erasing one device breaks all of it."""

from collections.abc import Collection
from typing import Final

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine, Signature
from raidtui.model.text import harmless
from raidtui.model.uuids import bare, same_uuid
from raidtui.steps.pieces import called

# libblkid's types of what can span devices, all with the same UUID.
_ON_MANY: Final = {
    "bcachefs": "bcachefs filesystem",
    "btrfs": "Btrfs filesystem",
    "linux_raid_member": "RAID array",
    "zfs_member": "ZFS pool",
}
_LVM: Final = "LVM2_member"  # each has its own UUID


def check_on_no_other(
    name: str, found: Collection[Signature], machine: Machine, *, own: Collection[str], unread: str = ""
) -> None:
    """Check that the contents of an array to be erased do not span other devices.

    Args:
        name: of the array.
        found: the signatures on it.
        own: the paths of its members, where the same signatures may show.
        unread: why ``found`` is not complete, where it should be.

    Raises:
        Refused: another device has a part of it, or it holds a physical volume whose group may span others.
    """
    if unread:
        raise Refused(
            f"what is on {name} cannot be read ({harmless(unread)}), so whether it is on other disks too is unknown; try again"
        )
    for signature in found:
        if signature.type == _LVM:
            raise Refused(
                f"an LVM volume group is on {name} and may be on other disks too. If nothing in it is needed, remove it: "
                f"raidtui teardown with the name of the group. Else move its data off {name} first: pvmove(8), vgreduce(8)"
            )
        above = next(
            (a for a in machine.arrays if _is_member(signature) and same_uuid(a.uuid, signature.uuid)), None
        )
        if above is not None:
            raise Refused(
                f"the array {harmless(above.name)} ({above.node}) is built on {name}. If nothing on it is needed, "
                f"unmount it, then: mdadm --stop {above.node}"
            )
        if signature.type in _ON_MANY and (where := find_elsewhere(signature, machine, own)):
            raise Refused(
                f"the {_ON_MANY[signature.type]} on {name} is also on {where} and would be lost there too. Move it "
                f"off {name} first, or erase the other part if it is not needed"
            )


def _is_member(signature: Signature) -> bool:
    return signature.type == "linux_raid_member"


def find_elsewhere(signature: Signature, machine: Machine, own: Collection[str]) -> str:
    """Another device, not in ``own``, with the same type and UUID, for people; empty without one."""
    places = [(f"{called(disk)} ({s.device})", s) for disk in machine.disks for s in disk.every_signature]
    places += [
        (f"the array {harmless(a.name)} ({s.device})", s) for a in machine.arrays for s in a.signatures
    ]
    return next(
        (
            where
            for where, other in places
            if other.device not in {signature.device, *own}
            and other.type == signature.type
            and bare(signature.uuid)
            and bare(other.uuid) == bare(signature.uuid)
        ),
        "",
    )
