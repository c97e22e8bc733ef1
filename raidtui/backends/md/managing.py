"""mdadm in the modes whose first device is the array.

In these it checks the array's path before it opens it, and since version 4.3 takes only names such as /dev/md127 and
/dev/md/tank: a link by UUID is too long. A node may be another array's after a boot, so a plan names the link, and the
command gets the node to which it leads then.
"""

from typing import Final

from raidtui.backends.md.array_names import address
from raidtui.backends.md.conditions import MEMBER_IS
from raidtui.backends.md.states import shown_name
from raidtui.backends.replacing import Naming
from raidtui.model.machine import Array
from raidtui.model.plan import Run, Step, member_step
from raidtui.model.uuids import bare

LONGEST_SECONDS: Final = 60 * 86400  # a check of large disks in use takes days

# Only a device with a superblock of this array, which is not newer than what runs.
_ADD_AGAIN: Final = (
    "word=$1; node=$2; uuid=$3; shift 3; md=/sys/class/block/${node##*/}/md; "
    'said() { mdadm --examine --export "$1" | tr -d : | sed -n "s/^$2=//p"; }; '
    '[ "$(mdadm --detail --export "$node" | tr -d : | sed -n "s/^MD_UUID=//p")" = "$uuid" ] || exit 0; '
    'mdadm --wait "$node"; newest=0; '
    'for one in "$md"/dev-*; do '
    'events=$(said "/dev/${one##*/dev-}" MD_EVENTS); [ "${events:-0}" -le "$newest" ] || newest=$events; done; '
    'for device; do [ ! -e "$md/dev-$(basename "$(readlink -f "$device")")" ] || continue; '
    '[ "$(said "$device" MD_UUID)" = "$uuid" ] && [ "$(said "$device" MD_EVENTS)" -le "$newest" ] || continue; '
    'mdadm "$node" "$word" "$device"; done'
)


def managed(array: Array, *words: str, ok: tuple[int, ...] = (0,)) -> Run:
    """``mdadm ARRAY`` with these words: add or remove a member."""
    path = address(array)
    return Run(argv=("mdadm", path, *words), by_node=path, ok=ok)


def added_again(array: Array, *devices: str, word: str = "--add-spare") -> Run:
    """Add those of ``devices`` that a power cut left out of the running array.

    It does so where only some superblocks had been written of a change of the level, and udev put together what fits: a spare
    whose superblock is older is left out, and in place of a member whose superblock is newer md rebuilds a spare.
    """
    path = address(array)
    argv = ("sh", "-c", _ADD_AGAIN, "add-again", word, path, bare(array.uuid), *devices)
    return Run(argv=argv, by_node=path, ok=(0, 1, 2), timeout_seconds=LONGEST_SECONDS)


def add_step(array: Array, naming: Naming, *, reason: str, spare: bool) -> Step:
    """Add the prepared disk, as a spare or in the slot that is empty."""
    word = "--add-spare" if spare else "--add"
    return member_step(
        id=f"add{naming.suffix}",
        title=f"Add {naming.new} to {shown_name(array)}{' as a spare' if spare else ''}",
        reason=reason,
        actions=(managed(array, word, naming.device),),
        before=naming.ready,
        after=(MEMBER_IS.of(naming.device, f"{array.uuid} member"),),
        repair=(added_again(array, naming.device, word=word),),
        holds=(naming.whole,),
    )


def regrown(array: Array, *words: str) -> Run:
    """``mdadm --grow ARRAY`` with these words."""
    path = address(array)
    return Run(argv=("mdadm", "--grow", path, *words), by_node=path, timeout_seconds=600)
