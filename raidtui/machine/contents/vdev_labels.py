"""How long the device of a ZFS vdev is, by its four labels: two begin it, and two end it. Read only.

Layout: vdev_label_t in OpenZFS, include/sys/vdev_impl.h; the last label ends at a multiple of its own size, which is
where ZFS takes the device to end (vdev_label_offset() in module/zfs/vdev_label.c).
"""

import os
from typing import Final

from raidtui.model.units import KIB, MIB

LABEL: Final = 256 * KIB
_NAMES: Final = 16 * KIB  # in a label: the names and values that describe the vdev
_LOOK: Final = 1 * KIB
_IDS: Final = (
    b"pool_guid"  # from here on the labels of one vdev are alike; before it they have a number that counts
)
_LENGTH: Final = 256
_BEHIND: Final = 128 * MIB  # at most so far from the end of the disk a partition is looked for that ends it


def vdev_bytes(path: str, start: int) -> int:
    """The size of the device of the vdev that begins at ``start`` of ``path``; 0 if its last labels are not found.

    A partition may be less than a label longer; ZFS does not use that.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return _size(fd, start)
    except OSError:
        return 0
    finally:
        os.close(fd)


def _size(fd: int, start: int) -> int:
    own = _ids(fd, start)
    room = (os.lseek(fd, 0, os.SEEK_END) - start) // LABEL
    if not own or _ids(fd, start + LABEL) != own:
        return 0
    for number in range(room, max(4, room - _BEHIND // LABEL) - 1, -1):
        if all(_ids(fd, start + (number - back) * LABEL) == own for back in (1, 2)):
            return number * LABEL
    return 0


def _ids(fd: int, place: int) -> bytes:
    """Those in the label at ``place``; empty if none is there."""
    head = os.pread(fd, _LOOK, place + _NAMES)
    at = head.find(_IDS)
    found = head[at : at + _LENGTH] if at >= 0 else b""
    return found if len(found) == _LENGTH else b""
