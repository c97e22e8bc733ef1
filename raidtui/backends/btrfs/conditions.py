"""Conditions that Btrfs brings: that a device is a whole member of a filesystem."""

from typing import Final

from raidtui.backends.btrfs.superblock import Superblock, read_superblock
from raidtui.machine.devices import device_number
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Answer, Condition, Held, no


class MemberIs(Condition):
    """The device has a superblock, with its checksum right, of the filesystem with the expected UUID and devices.

    mkfs.btrfs writes the true superblocks at its very end: one that was interrupted has left a member without.
    """

    kind = "btrfs-member"
    says = "{subject} is one of {rest} members of the Btrfs filesystem {first}"
    shell = "is_btrfs_member"
    source = r"""
is_btrfs_member() {
    super=$(btrfs inspect-internal dump-super "$1" 2>/dev/null) || return 1
    printf '%s\n' "$super" | grep -q '^csum[[:space:]].*\[match\]$' &&
        [ "$(printf '%s\n' "$super" | awk '$1 == "fsid" || $1 == "num_devices" { print $2 }' | tr '\n' ' ')" = "$2 $3 " ]
}"""
    can_be_half_true = True  # superblocks reached the disks, the trees that they lead to did not

    def ask(self, check: Check, held: Held) -> Answer:
        if not device_number(check.subject):
            return no(f"there is no {check.subject}")
        return judge(check, read_superblock(check.subject))


MEMBER: Final = MemberIs()

CONDITIONS: Final = (MEMBER,)
"""Those that Btrfs brings."""


def judge(check: Check, block: Superblock | None) -> Answer:
    """Whether ``block`` makes its device the expected member."""
    if block is None:
        return no(f"{check.subject} has no whole superblock of Btrfs")
    uuid, _, count = check.expect.partition(" ")
    text = f"{check.subject} is one of {block.devices} members of the Btrfs filesystem {block.uuid}"
    return Answer(holds=same_uuid(block.uuid, uuid) and str(block.devices) == count, text=text)
