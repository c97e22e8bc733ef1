"""mdadm in the modes whose first device is the array.

In these it checks the array's path before it opens it, and since version 4.3 takes only names such as /dev/md127 and
/dev/md/tank: a link by UUID is too long. A node may be another array's after a boot, so a plan names the link, and the
command gets the node to which it leads then.
"""

from typing import Final

from raidtui.backends.md.array_names import address
from raidtui.backends.md.conditions import MEMBER_IS
from raidtui.backends.md.procedures.spare_forgotten import FORGET, place_of
from raidtui.backends.md.states import shown_name
from raidtui.backends.replacing import Naming
from raidtui.model.machine import Array
from raidtui.model.plan import Run, Step, member_step
from raidtui.model.uuids import bare

LONGEST_SECONDS: Final = 60 * 86400  # a check of large disks in use takes days

# Frozen, md rebuilds onto no spare: it begins after the superblock is erased.
_HEAD: Final = (
    f"{FORGET}word=$1; node=$2; place=$3; shift 3; md=/sys/class/block/${{node##*/}}/md; action=$md/sync_action; "
    'add() { echo frozen >"$action" || return; mdadm "$node" "$word" "$1" && forget "$place" "$1"; code=$?; '
    'echo idle >"$action"; return $code; }; '
)
_ADD: Final = f'{_HEAD}add "$1"'
# Only a device with a superblock of this array, which is not newer than what runs.
_ADD_AGAIN: Final = (
    f"{_HEAD}uuid=$1; shift; "
    'of() { mdadm "$1" --export "$2" | tr -d : | sed -n "s/^MD_UUID=//p"; }; '
    '[ "$(of --detail "$node")" = "$uuid" ] || exit 0; '
    '! grep -qx frozen "$action" || echo idle >"$action"; mdadm --wait "$node"; newest=0; '
    'for one in "$md"/dev-*; do now=$(events "/dev/${one##*/dev-}"); '
    '[ "${now:-0}" -le "$newest" ] || newest=$now; done; '
    'for device; do [ ! -e "$md/dev-$(basename "$(readlink -f "$device")")" ] || continue; '
    '[ "$(of --examine "$device")" = "$uuid" ] && [ "$(events "$device")" -le "$newest" ] || continue; '
    'add "$device"; done'
)


def managed(array: Array, *words: str, ok: tuple[int, ...] = (0,)) -> Run:
    """``mdadm ARRAY`` with these words: add or remove a member."""
    path = address(array)
    return Run(argv=("mdadm", path, *words), by_node=path, ok=ok)


def added_again(array: Array, *devices: str) -> Run:
    """Add those of ``devices`` that a power cut left out of the running array, which lacks them.

    Where only some superblocks had been written of a change of the level, udev puts together what fits: what has an older
    superblock is left out, and in place of a member whose superblock is newer md may rebuild a spare.
    """
    words = ("--add-spare", address(array), place_of(array.metadata), bare(array.uuid), *devices)
    return _script(array, _ADD_AGAIN, "add-again", *words, ok=(0, 1, 2))


def added(
    array: Array,
    naming: Naming,
    reason: str,
    run: Run,
    *,
    to: str,
    state: str = "member",
    repair: tuple[Run, ...] = (),
) -> Step:
    """Add the prepared disk by ``run``, to what is called ``to``; it has ``state`` then (`MEMBER_IS`)."""
    return member_step(
        id=f"add{naming.suffix}",
        title=f"Add {naming.new} to {to}",
        reason=reason,
        actions=(run,),
        before=naming.ready,
        after=(MEMBER_IS.of(naming.device, f"{array.uuid} {state}"),),
        repair=repair,
        holds=(naming.whole,),
    )


def add_spare(array: Array, naming: Naming, reason: str) -> Step:
    """Add the prepared disk as a spare."""
    run = managed(array, "--add-spare", naming.device)
    return added(array, naming, reason, run, to=f"{shown_name(array)} as a spare")


def rebuild_onto(array: Array, naming: Naming, reason: str) -> Step:
    """Add the prepared disk to an array that lacks a member, so that md rebuilds it there; see `spare_forgotten`."""
    run = _script(array, _ADD, "add", "--add", address(array), place_of(array.metadata), naming.device)
    again = added_again(array, naming.device)
    return added(array, naming, reason, run, to=shown_name(array), state="syncing", repair=(again,))


def _script(array: Array, script: str, *words: str, ok: tuple[int, ...] = (0,)) -> Run:
    return Run(
        argv=("sh", "-c", script, *words), by_node=address(array), ok=ok, timeout_seconds=LONGEST_SECONDS
    )


def regrown(array: Array, *words: str) -> Run:
    """``mdadm --grow ARRAY`` with these words."""
    path = address(array)
    return Run(argv=("mdadm", "--grow", path, *words), by_node=path, timeout_seconds=600)
