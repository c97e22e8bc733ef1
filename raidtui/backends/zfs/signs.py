"""Whether a computer may have pools; loads nothing of ZFS."""

from typing import Final

from raidtui.model.machine import Machine

MEMBER: Final = "zfs_member"
"""libblkid's type of a device of a pool."""


def may_be_here(machine: Machine) -> bool:
    """Whether ZFS is installed, or something is a member of a pool."""
    return "zpool" in machine.tools or MEMBER in machine.types_found
