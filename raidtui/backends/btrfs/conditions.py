"""Btrfs' own condition: a device is a complete member of a filesystem."""

from typing import Final

from raidtui.backends.btrfs.superblock import Superblock, read_superblock
from raidtui.machine.devices import device_number
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Answer, Condition, Held, no


class MemberIs(Condition):
    """The device has a valid superblock of the filesystem with the expected UUID and number of devices.

    mkfs.btrfs writes the final superblocks at the very end: if interrupted, it leaves a member without one.
    """

    kind = "btrfs-member"
    says = "{subject} is one of {rest} members of the Btrfs filesystem {first}"
    shell = "is_btrfs_member"
    source = r"""
is_btrfs_member() {
    super=$(asked btrfs inspect-internal dump-super "$1" 2>/dev/null) || return 1
    printf '%s\n' "$super" | grep -q '^csum[[:space:]].*\[match\]$' &&
        [ "$(printf '%s\n' "$super" | awk '$1 == "fsid" || $1 == "num_devices" { print $2 }' | tr '\n' ' ')" = "$2 $3 " ]
}"""
    can_be_half_true = True  # the superblocks may have reached the disks without the trees they point to

    def ask(self, check: Check, held: Held) -> Answer:
        if not device_number(check.subject):
            return no(f"there is no {check.subject}")
        return judge(check, read_superblock(check.subject))


MEMBER: Final = MemberIs()

CONDITIONS: Final = (MEMBER,)
"""Btrfs' own conditions."""


def judge(check: Check, block: Superblock | None) -> Answer:
    """Whether ``block`` makes its device the expected member."""
    if block is None:
        return no(f"{check.subject} has no valid Btrfs superblock")
    uuid, _, count = check.expect.partition(" ")
    text = f"{check.subject} is one of {block.devices} members of the Btrfs filesystem {block.uuid}"
    return Answer(holds=same_uuid(block.uuid, uuid) and str(block.devices) == count, text=text)
