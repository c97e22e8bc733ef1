"""How an array that is not started gets going, judged from every superblock on the machine. Pure.

What counts is not which members md happens to hold: one that is connected and up to date may not be in the array, and
starting without it would make it a former member.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.backends.care import called_at, look_for_files
from raidtui.backends.md.diagnosis.kernel_lacks import kernel_lacks
from raidtui.backends.md.diagnosis.misplaced import not_started
from raidtui.backends.md.diagnosis.raid0_layout import without_layout
from raidtui.backends.md.diagnosis.shrunk import shrunk, usable
from raidtui.backends.md.diagnosis.superblock_lost import superblock_lost
from raidtui.backends.md.diagnosis.table_gone import without_table
from raidtui.backends.md.diagnosis.used_by_itself import in_use_alone
from raidtui.machine.contents.signatures import PARTITION_TABLES
from raidtui.machine.md.health import is_container
from raidtui.machine.md.newest import newest
from raidtui.model.finding import Remedy
from raidtui.model.machine import STOPPED, Array, Machine
from raidtui.model.procedure import Start
from raidtui.model.superblock import (
    Superblock,
    clones,
    complete,
    current,
    is_enough,
    lacks_bitmap,
    newest_of,
    of_array,
    only_adds,
    reshapes,
    starts_only_by_force,
    used_apart,
    written_alone,
)
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.uuids import same_uuid

FORCED: Final = (
    "HIGH forced-start: --force takes these members as current. Copy a disk that fails first (ddrescue), and check the filesystem "
    "without changes before you mount it (fsck -n)",
)
"""What to know before an array is assembled by force."""
_WRITTEN: Final = "it was being written to when it stopped, and starts"
_MEMBER: Final = "linux_raid_member"
AS_ROOT: Final = Remedy(text="run raidtui as root: without it, the superblocks on the disks cannot be read")
_PLAIN: Final = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


def start(array: Array, machine: Machine) -> Iterator[Remedy]:
    """What to do about ``array``, which is not started."""
    if is_container(array):
        yield _start_volumes(array)
        return
    if not machine.complete:
        yield AS_ROOT
        return
    stored = of_array(array.uuid, machine.superblocks)
    if not stored:
        yield Remedy(
            text="its superblocks cannot be read: see what 'mdadm --examine' says of each of its members"
        )
        return
    if unsaid := without_layout(stored):
        yield from unsaid
        return
    if missed := not_started(array, stored, machine):
        yield from missed
        return
    small = shrunk(stored, machine)
    yield from small.values()
    if stored := usable(stored, machine):
        others = doubtful(stored, machine) or tuple(_by_members(array, stored, machine, small))
        beside = tuple(_beside(stored, machine))
        others = tuple(
            replace(one, warnings=(*beside, *one.warnings)) if one.procedure else one for one in others
        )
        yield from with_trial(others, array, stored, machine)


def _beside(stored: Mapping[str, Superblock], machine: Machine) -> Iterator[str]:
    """That members have another signature too. With metadata 1.1 or 1.2, what is in the array does not show on them."""
    inside = {path for path, one in stored.items() if one.metadata in {"1.1", "1.2"}}
    others = [
        one
        for disk in machine.disks
        for one in disk.every_signature
        if one.device in inside and one.type not in {_MEMBER, *PARTITION_TABLES}
    ]
    if others:
        kinds = listed(list(dict.fromkeys(harmless(one.type) for one in others)))
        yield (
            f"WARN: {listed(_at((one.device for one in others), machine))} also {'has' if len({o.device for o in others}) == 1 else 'have'} "
            f"a signature of {kinds}, so one of the two is old. Find out which before you write to either"
        )


def with_trial(
    others: Sequence[Remedy], array: Array, stored: Mapping[str, Superblock], machine: Machine
) -> tuple[Remedy, ...]:
    """``others`` with a trial on overlays, where only force would start it and the members here may be enough for its files.

    It comes first, or after the advice to connect a disk, which may have newer data. There is none where a device is here
    twice, or lost its table: a trial may read an old copy, or at the wrong place. And none where only another kernel starts it.
    """
    sure = not doubtful(stored, machine) and up_to_date(array, stored) is not None
    if (
        sure
        or not array.uuid
        or clones(stored)
        or without_table(stored, machine)
        or kernel_lacks(stored, machine)
        or in_use_alone(stored, machine)
        or not is_enough(complete(stored).values())
    ):
        return tuple(others)
    trial = look_for_files(array.uuid)
    connects = [one for one in others[:1] if one.text.startswith(_connect(1))]
    return (*connects, trial, *others[len(connects) :])


def doubtful(stored: Mapping[str, Superblock], machine: Machine) -> tuple[Remedy, ...]:
    """Why no command is safe, or can work: it is not known which data is meant, or this kernel cannot start it."""
    same = clones(stored)
    if same:
        devices = listed(_at(same[0], machine))
        return (
            Remedy(
                text=f"{devices} have the same superblock: a clone beside its original, or two paths to one disk. "
                "Disconnect the one that does not belong here; until then start nothing"
            ),
        )
    apart = used_apart(complete(stored))
    if apart is not None:
        return (
            Remedy(
                text=f"{listed(_at(apart, machine))} were used without each other, so each has data that the other lacks. Find "
                "out which one is right, and disconnect the other; until then start nothing"
            ),
        )
    if gone := without_table(stored, machine):
        return gone
    if used := in_use_alone(stored, machine):
        return used
    alone = written_alone(complete(stored))
    if alone is not None:
        return (
            Remedy(
                text=f"{listed(_at(alone, machine))} differ, and md takes both for up to date: one of them was written by itself, "
                "without the array. Find out which one is right (mount each read-only), and disconnect the other; until "
                "then start nothing"
            ),
        )
    if unable := kernel_lacks(stored, machine):
        return (Remedy(text=unable),)
    if reshapes(stored) and not only_adds(stored):
        return (
            Remedy(
                text="its reshape was interrupted. Find the backup file if one was used; never force it, and do not create it "
                "again"
            ),
        )
    journaled = any(one.journal for one in stored.values())
    here = any(one.is_journal for one in stored.values())
    if journaled and not (here and is_enough(current(complete(stored)).values())):
        lacks = "connect it and the missing disks" if here else "connect it"
        return (
            Remedy(
                text=f"its journal device has writes that may be on no other member: {lacks}. Without it "
                "these writes are lost; never force it"
            ),
        )
    return ()


class Members(NamedTuple):
    """From which members an array starts without force."""

    outside: tuple[str, ...]  # up to date, and not in the array: kernel paths, by slot
    lost: int  # slots without such a member


def up_to_date(array: Array, stored: Mapping[str, Superblock]) -> Members | None:
    """The members that are up to date; None if the array does not start from these without force."""
    fresh = current(complete(stored))
    if not is_enough(fresh.values()):
        return None
    inside = {member.path for member in array.members} if array.state != STOPPED else set()
    lost = newest_of(stored.values()).raid_disks - len(fresh)
    if lost and starts_only_by_force(tuple(fresh.values())):
        return None
    by_slot = sorted(fresh, key=lambda one: fresh[one].slot or 0)
    return Members(tuple(path for path in by_slot if path not in inside), lost)


def _by_members(
    array: Array, stored: Mapping[str, Superblock], machine: Machine, refused: Collection[str]
) -> Iterator[Remedy]:
    """``refused``: the paths of members that are here and that md does not take."""
    by_slot = complete(stored)
    fresh = current(by_slot)
    lost = newest_of(stored.values()).raid_disks - len(fresh)
    found = up_to_date(array, stored)
    old = [path for path in by_slot if path not in fresh]
    without = f" without {listed(_at(old, machine))}, whose data is out of date" if old else ""
    without_bitmap = ". Its bitmap is damaged, so it is started without one" if lacks_bitmap(stored) else ""
    if not is_enough(fresh.values()):
        yield from _without_enough(array, stored, machine, lost)
    elif found is None:
        forced = "only by force, with wrong blocks where it was written"
        gone = newest_of(stored.values()).raid_disks - len(
            {one.slot for one in stored.values() if one.slot is not None}
        )
        if gone > 0:
            them = "it" if gone == 1 else "them"
            yield Remedy(
                text=f"{_connect(gone)}: {_WRITTEN} without {them} {forced}. If a disk is gone for good, copy the others first "
                "(ddrescue)"
            )
        else:
            yield Remedy(text=f"{_WRITTEN}{without} {forced}. Copy its disks first (ddrescue)")
    elif lost:
        if refused and len(refused) == lost:
            old = [*refused]
            without = f" without {listed(_at(refused, machine))}"
        comma = "," if old else ""
        added = f"{comma} with {_named(found.outside, fresh, machine)}" if found.outside else ""
        how = f"start it degraded{without}{added}"
        text = how if old else f"{_connect(lost)}, or {how}"
        yield Remedy(text=f"{text}{without_bitmap}", procedure=Start(unit=array.uuid, degraded=True))
    else:
        text = f"{_put_in(found.outside, fresh, machine)}{without_bitmap}"
        yield Remedy(text=text, procedure=Start(unit=array.uuid))


def _put_in(outside: Sequence[str], fresh: Mapping[str, Superblock], machine: Machine) -> str:
    """How an array with all its members starts, in words."""
    if not outside:
        return "start it"
    if len(outside) == len(fresh):
        if len(outside) == 1:
            return "start it: its only member is here and up to date"
        every = "both members" if len(outside) == 2 else f"all {count_of(outside, 'member')}"
        return f"start it: {every} are here and up to date"
    return f"start it: add {_named(outside, fresh, machine)}"


def _named(outside: Sequence[str], fresh: Mapping[str, Superblock], machine: Machine) -> str:
    one = len(outside) == 1
    if len(outside) == len(fresh):
        return f"the {'member' if one else f'{len(outside)} members'} here, which {'is' if one else 'are'} up to date"
    return f"{listed(_at(outside, machine))}, which {'is' if one else 'are'} here and up to date"


def _connect(lost: int) -> str:
    return "connect the missing disk" if lost == 1 else "connect the missing disks"


def _at(paths: Iterable[str], machine: Machine) -> list[str]:
    return called_at(paths, machine)


def _without_enough(
    array: Array, stored: Mapping[str, Superblock], machine: Machine, lost: int
) -> Iterator[Remedy]:
    """Too few members are up to date: those that left last are needed, by force, or it needs its other disks."""
    chosen = newest(stored)
    if not chosen and (why := uncertain(stored, machine)):
        yield from why
        return
    if not chosen:
        yield from superblock_lost(array, stored, lost, machine)
        yield Remedy(
            text=f"{_connect(lost)}: {spelled(array.level)} cannot start without {'them' if lost > 1 else 'it'}"
        )
        return
    old = listed(_at((path for path in complete(stored) if path not in chosen), machine))
    named = f"with {count_of(chosen, 'member')}{f', without {old}, whose data is out of date' if old else ''}"
    text = f"assemble it again {named}, then back up its data"
    node = array.node or free_name(array, machine)
    if not node:
        yield Remedy(text=f"{text}. Another array has its name: 'man mdadm' on --assemble --force")
        return
    yield Remedy(text=text, procedure=Start(unit=array.uuid, forced=True), warnings=FORCED)


def uncertain(stored: Mapping[str, Superblock], machine: Machine) -> tuple[Remedy, ...]:
    """Why nobody can say from which members to assemble it, though all are here; empty if one is not here.

    A member that is a spare now may have been rebuilt when the array failed, or have been re-added to it afterwards.
    The superblocks of both look alike, and what is right differs.
    """
    spares = [path for path, one in stored.items() if one.slot is None and not one.is_journal]
    if not spares or len(stored) < max(one.raid_disks for one in stored.values()):
        return ()
    was = "was it" if len(spares) == 1 else "were they"
    return (
        Remedy(
            text=f"{listed(_at(spares, machine))} became spare: {was} being rebuilt when another member failed, or re-added after "
            "that? Which members have the newest data depends on it. Start nothing before that is clear"
        ),
    )


def free_name(array: Array, machine: Machine) -> str:
    """The node under which a stopped array can be assembled; empty if its name is taken or not plain."""
    others = (one for one in machine.arrays if not same_uuid(one.uuid, array.uuid))
    taken = any(array.name in {one.name, one.path.removeprefix("/dev/md/")} for one in others)
    return "" if taken or not _PLAIN.fullmatch(array.name) else f"/dev/md/{array.name}"


def _start_volumes(array: Array) -> Remedy:
    """A firmware RAID has no UUID by which it could be meant."""
    by_name = Start(unit=array.name if array.state == STOPPED else array.node)
    if array.state == STOPPED:
        text = f"a firmware RAID ({harmless(array.name)}) is on these disks and not assembled; assemble it"
        return Remedy(text=text, procedure=by_name)
    return Remedy(text="start its volumes", procedure=by_name)
