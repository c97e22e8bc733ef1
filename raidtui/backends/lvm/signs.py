"""Whether a computer may have volume groups; loads nothing of LVM."""

from typing import Final

from raidtui.model.machine import Machine

MEMBER: Final = "LVM2_member"
"""libblkid's type of a physical volume."""


def may_be_here(machine: Machine) -> bool:
    """Whether a disk, partition or array is a physical volume."""
    return MEMBER in machine.types_found
