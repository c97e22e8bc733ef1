"""The UUID of an array as mdadm writes it, from what the kernel or udev reports."""

import re
import sys
from typing import Final
from uuid import UUID

from raidtui.machine.udev import Properties
from raidtui.model.uuids import bare

_DIGITS: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)


def uuid_in(properties: Properties) -> str:
    """The UUID of a firmware RAID or a volume of it in udev's properties of it; empty if it is not there.

    The kernel does not know it: udev has asked mdadm, which reads it from the metadata of the firmware. Until a container
    has a volume, mdadm says that it is zero.
    """
    digits = bare(properties.get("MD_UUID", ""))
    return str(UUID(digits)) if _DIGITS.fullmatch(digits) and digits.strip("0") else ""


def as_mdadm_writes(kernel_uuid: str, metadata: str) -> str:
    """Convert the kernel's UUID of an array to that of mdadm, blkid and udev.

    With metadata 0.90 it is four 32-bit numbers. The kernel prints their bytes in memory order
    (super_90_validate() in drivers/md/md.c), all others print them as numbers.
    """
    if metadata != "0.90" or sys.byteorder != "little":
        return kernel_uuid
    raw = UUID(kernel_uuid).bytes
    return str(UUID(bytes=b"".join(raw[at : at + 4][::-1] for at in range(0, 16, 4))))
