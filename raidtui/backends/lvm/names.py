"""Names of volume groups: what LVM and /dev allow."""

import re
from typing import Final

from raidtui.backends.names import LONGEST_NAME, check_form
from raidtui.model.errors import BadInput
from raidtui.steps.pieces import Piece, called
from raidtui.steps.seeds import partition_uuid

_COLON: Final = ":"  # in the place of a physical volume it begins a range of extents: PV:0-99 (lvcreate(8))
VOLUME: Final = "data"
"""The logical volume that fills a group."""

# A group becomes a directory in /dev. LVM refuses names in use now; these may appear with a driver or at boot.
# fmt: off
_OF_DEV: Final = frozenset((
    "autofs", "block", "bsg", "btrfs-control", "bus", "cdrom", "char", "console", "core", "cpu", "cuse",
    "disk", "dma_heap", "dri", "dvd", "fd", "full", "fuse", "hpet", "hugepages", "hwrng", "infiniband",
    "initctl", "input", "kfd", "kmsg", "kvm", "log", "loop-control", "lvm", "mapper", "md", "mem",
    "mqueue", "net", "null", "nvram", "port", "ppp", "ptmx", "ptp", "pts", "random", "rfkill", "root",
    "rtc", "sg", "shm", "snapshot", "snd", "stderr", "stdin", "stdout", "tty", "udmabuf", "uhid", "uinput",
    "urandom", "usb", "userfaultfd", "vfio", "vga_arbiter", "vhci", "watchdog", "xen", "zero", "zfs",
    "zvol",
))
# fmt: on
_OF_A_DEVICE: Final = (  # not compiled here: calc checks no name
    r"(?:[shv]d|xvd|ubd)[a-z]{1,2}\d*|(?:nvme|mmcblk)\d+\w*|(?:dm-|md_?|loop|sr|sg|st|tty|ttyS|vcsa?|ram|zram|nbd|bcache|drbd)?\d+"
)


def member_path(piece: Piece, seed: str) -> str:
    """The path of a new member for LVM: without a colon, which most by-id names of USB disks have.

    Raises:
        BadInput: a whole disk has no other name that survives a reboot.
    """
    if _COLON not in piece.device:
        return piece.device
    if piece.device == piece.whole:
        raise BadInput(
            f"{called(piece.disk)} has no lasting name but {piece.whole}, in which LVM reads the colon as the start of a "
            "range; set partition = true"
        )
    return f"/dev/disk/by-partuuid/{partition_uuid(seed, piece.disk.identity)}"


def escaped(path: str) -> str:
    """``path`` as LVM takes it in the place of a physical volume, where a bare colon begins a range of extents."""
    return path.replace(_COLON, f"\\{_COLON}")


def check_name(name: str) -> None:
    """Check that ``name`` can be a volume group and its directory in /dev.

    Raises:
        BadInput: it is empty, too long, has a character that LVM does not take, or is another name in /dev.
    """
    check_form(name, of="a volume group", marks="._+-", longest=LONGEST_NAME)
    if name in _OF_DEV or re.fullmatch(_OF_A_DEVICE, name):
        raise BadInput(f"/dev/{name} is or may become a device; choose a name such as tank")
