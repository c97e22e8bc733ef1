"""Mount a Btrfs again whose replacement was cut by a power cut as it ended: btrfs-device(8), wipefs(8).

At the end the kernel erases the magic of the old superblock, commits that the old device has left, and flushes the
erasure later (btrfs_dev_replace_finishing() in fs/btrfs/dev-replace.c). So the old device may be in its place without a
superblock, or out of it with one, which a mount by UUID then finds ("File exists").
"""

from collections.abc import Sequence
from typing import Final

from raidtui.model.plan import Run

# While the new superblock is that of a target (devid 0), the old device has its place still: it gets its magic back where
# zeros are, if its checksum is right with it. "replace without active item": only some superblocks were written; without the
# new device it mounts, and the copy begins again.
_MOUNT_AGAIN: Final = (
    'uuid=$1; place=$2; new=$3; old=$4; shift 4; mountpoint -q "$place" && exit; '
    'options=$(findmnt --fstab --noheadings --first-only --output OPTIONS "$place"); '
    'try() { for device; do mount -t btrfs -o "${options:-defaults}" "$device" "$place" && return; done; false; }; '
    'super() { btrfs inspect-internal dump-super "$1"; }; '
    'btrfs device scan; try "$@" "$new" && exit; '
    'super "$new" | grep -q "^dev_item.devid[[:space:]]*0$" && [ -b "$old" ] || exit; '
    'if ! super "$old"; then '
    '[ -z "$(dd if="$old" bs=1 count=8 skip=65600 status=none | tr -d "\\0")" ] || exit 1; '
    'printf _BHRfS_M | dd of="$old" bs=1 seek=65600 conv=notrunc; '
    'super "$old" | grep "^csum[[:space:]].*match" && super "$old" | grep "^fsid[[:space:]]*$uuid" || '
    '{ dd if=/dev/zero of="$old" bs=1 count=8 seek=65600 conv=notrunc; exit 1; }; fi; '
    'btrfs device scan; try "$@" "$old" && exit; '
    'btrfs device scan --forget "$new"; try "$@" "$old" && wipefs --all "$new"'
)


def mount_again(uuid: str, place: str, *, new: str, old: str, others: Sequence[str]) -> Run:
    """The command that mounts the filesystem if it is not mounted. Pure.

    Args:
        old: stable path of the device that is replaced; empty if it is gone.
        others: those of the devices that stay.
    """
    return Run(argv=("sh", "-c", _MOUNT_AGAIN, "mount-again", uuid, place, new, old, *others))
