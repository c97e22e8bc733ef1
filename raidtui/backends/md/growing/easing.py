"""Start a reshape so that a power cut in its first moments loses nothing.

A reshape moves data towards the start of each member, over what it has moved before. md records how far it is before it
overwrites what a restart would read again; but only an array that was assembled during a reshape knows by how much its
data moves (``min_offset_diff`` of drivers/md/raid5.c). One that has just begun to grow does not, and overwrites its first
stripes unrecorded: measured with power cuts there, the filesystem was gone. It stops and records its place where
``sync_max`` is, so the first stripes move in steps, none of which overwrites what is not on record. From then on reading
is ahead of writing, and md records its place by itself.

Each step ends between two stripes as they were: after a restart md lets nobody read one that is half moved until the
reshape continues, and it waits for the first write (Linux 6.1; with 6.12 such a read by blkid(8) kept a boot from ending).
"""

from collections.abc import Iterable, Iterator
from math import lcm
from typing import Final

from raidtui.backends.arithmetic.disks import data_disks
from raidtui.backends.md.array_names import address
from raidtui.backends.md.procedures.managing import LONGEST_SECONDS
from raidtui.model.machine import Array
from raidtui.model.plan import Run
from raidtui.model.units import MIB, SECTOR

_AHEAD: Final = 8  # chunks of each data disk: reading is well ahead of writing then
_PROBED: Final = 4 * MIB  # of the array: what blkid(8) reads at its head
_ONE: Final = 'md=/sys/block/$(basename "$(readlink -f "$1")")/md || exit 1\nshift\n'
_FIRST: Final = f'{_ONE}echo "$1" >"$md/sync_max"'
_EASE: Final = (
    _ONE
    + """for limit; do
    # A sync that runs takes no lower limit than it has: it is past this one, or was assembled on the way.
    { echo "$limit" >"$md/sync_max"; } 2>/dev/null || continue
    while :; do
        at=$(cat "$md/reshape_position") || exit 1
        [ "$at" != none ] || break 2
        read -r place rest <"$md/sync_completed" || exit 1
        case $place in
            # It waits for a sync of another array on the same disks, or for the first write after a boot.
            none | delayed) sleep 1 ;;
            *) [ "$place" -lt "$limit" ] || break; sleep 0.1 ;;
        esac
    done
done
echo max >"$md/sync_max"
"""
)


def shift_bytes(array: Array, later: Array, members: int) -> int:
    """How far mdadm moves the start of the data towards the start of each member, which must be free there.

    The least whole number of new stripes that is also one of old stripes: 3 chunks from 2 data disks to 3, but 2 chunks to 4
    (``analyse_change`` of mdadm's Grow.c; measured with mdadm 4.2 and 4.4).
    """
    old, new = _data_disks(array, later, members)
    return lcm(old, new) // old * later.chunk_bytes


def _data_disks(array: Array, later: Array, members: int) -> tuple[int, int]:
    return int(data_disks(later.level, array.raid_disks)), int(data_disks(later.level, members))


def limits(array: Array, later: Array, members: int) -> Iterator[int]:
    """Where the reshape stops and records its place, in sectors of each member.

    Up to a limit it writes over old data only as far as that had been moved at the limit before.
    """
    chunk = later.chunk_bytes // SECTOR
    old, new = _data_disks(array, later, members)
    whole = lcm(old, new) // new * chunk  # new stripes that are whole old ones
    shift = shift_bytes(array, later, members) // SECTOR
    ahead = max(_AHEAD * chunk * old, _PROBED // SECTOR // new)
    end = min(array.component_bytes // SECTOR, ahead)
    if not whole:  # its chunk is not known
        return
    place = shift // whole * whole
    while place < end:
        yield place
        place = (shift + place * new // old) // whole * whole


def held_at_first(array: Array, later: Array, members: int) -> Run:
    """Let the reshape that is started next stop at its first limit."""
    first = next(limits(array, later, members), later.chunk_bytes // SECTOR)
    return Run(argv=("sh", "-c", _FIRST, "sh", address(array), str(first)))


def eased(array: Array, later: Array, members: int) -> Run:
    """Let it go from limit to limit, then to its end; also after a job was killed while it was held.

    It is held for as long as it waits for a sync of another array on the same disks.
    """
    return _from_limit_to_limit(array, limits(array, later, members))


def let_go(array: Array) -> Run:
    """Let a reshape of which only the shape that it will have is known continue from where it is held.

    From one chunk to the next: it writes over no more than a chunk beyond what is on record, and moves by one at least.
    """
    chunk = array.chunk_bytes // SECTOR
    end = min(array.component_bytes // SECTOR, _AHEAD * chunk * array.raid_disks)
    return _from_limit_to_limit(array, range(chunk, end, chunk))


def _from_limit_to_limit(array: Array, places: Iterable[int]) -> Run:
    every = map(str, places)
    return Run(argv=("sh", "-c", _EASE, "sh", address(array), *every), timeout_seconds=LONGEST_SECONDS)
