"""What an array needs the administrator to do: the reason and the commands. Pure.

Nothing is executed here. Commands name disks by stable paths. Where the right command is not certain, a sentence
stands alone.
"""

import re
import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from raidtui.backends.care import (
    Replacement,
    Room,
    called,
    no_pattern,
    room_of,
    while_it_works,
)
from raidtui.backends.md.array_names import is_mounted_by
from raidtui.backends.md.diagnosis import lost_journal
from raidtui.backends.md.diagnosis.created_over import before_start, look_beside, may_hide_another
from raidtui.backends.md.diagnosis.differing import differing
from raidtui.backends.md.diagnosis.former_members import comes_back, formers_of, instead_of_a_blank
from raidtui.backends.md.diagnosis.held import held, slowed, unread
from raidtui.backends.md.diagnosis.in_container import in_container
from raidtui.backends.md.diagnosis.kept_down import afterwards, beforehand
from raidtui.backends.md.diagnosis.shrunk import shrunk
from raidtui.backends.md.diagnosis.spare_elsewhere import spares_elsewhere
from raidtui.backends.md.diagnosis.start import AS_ROOT, FORCED, doubtful, start, uncertain, with_trial
from raidtui.backends.md.diagnosis.used_by_itself import ran_alone, used_by_itself
from raidtui.backends.md.states import (
    health,
    is_paused,
    is_reshaped,
    lacks_journal,
    misread,
    name_of,
    sync_name,
    with_bad_blocks,
)
from raidtui.machine.md.former import Way
from raidtui.machine.md.health import can_still_be_read, left_in, missing, rebuilding, troubled
from raidtui.machine.md.made_again import older_of, seems_empty
from raidtui.machine.md.newest import members_on
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Machine, Member
from raidtui.model.md_levels import Left, loses_all_with_one
from raidtui.model.nodes import stable_paths
from raidtui.model.procedure import LetSync, RemoveFailed, Start
from raidtui.model.superblock import of_array, only_adds, reshapes
from raidtui.model.text import harmless, listed, spelled
from raidtui.model.unit import Health
from raidtui.model.uuids import same_uuid
from raidtui.steps.fstab import fields_of, is_mounted_at_boot
from raidtui.steps.partitions import LINUX_RAID

_AFTER_RESHAPE = Remedy(
    text="let its reshape end first: it runs without the missing member. Do not stop it, and add or re-add nothing before"
)
_NOTHING_BEFORE = Remedy(
    text="add or re-add nothing before its reshape has ended, which it does without the missing member"
)
_WRITABLE_FIRST = Remedy(
    text="let its reshape end first, without the missing member: the array is read-only, and it waits until that ends (mdadm "
    "--readwrite). Add or re-add nothing before"
)
_AFTER_REBUILD = Remedy(text="let the rebuild end, then replace the other missing member")
_NO_FILES = re.compile(r"(LVM2_member|crypto_LUKS|swap|.*_raid_member|zfs_member|bcache)")


def care_for(array: Array, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    """What ``array`` needs, most urgent first; empty if it is fine or recovers by itself."""
    found = _care_for(_as_in(machine, array), machine)
    if any(_lets_sync(one) for one in found) and may_hide_another(array, machine):
        return tuple(one for one in found if not _lets_sync(one))  # a sync overwrites the older one
    return found


def _lets_sync(one: Remedy | Replacement) -> bool:
    return isinstance(one, Remedy) and isinstance(one.procedure, LetSync)


def _care_for(array: Array, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    match health(array):
        case Health.INACTIVE:
            first = before_start(array, machine) or beforehand(array, machine)
            return first or (*start(array, machine), *afterwards(array, machine))
        case Health.FAILED:
            others = tuple(_assemble(array, machine))
            if not machine.complete or _is_readable(array, machine):
                return others
            return with_trial(others, array, of_array(array.uuid, machine.superblocks), machine)
        case Health.ERRORS:
            if lacks_journal(array):
                return (lost_journal.advise(array),)
            return (
                *held(array),
                *_mend(array, machine),
                *differing(array),
                *_bad_blocks(array, machine),
                *unread(array, machine),
            )
    if misread(array):
        return ()  # a finding of its own says what to do, and nothing else may be done
    if is_reshaping(array, machine):
        return (*slowed(array), *_set_going(array, machine), *_while_reshaped(array))
    going = (*held(array), *_set_going(array, machine))
    if missing(array) and left_in(array) is Left.NOTHING and (first := going or _back_up(array, machine)):
        return (*first, *_replace(array, machine), *_remove_failed(array))
    return (
        *_replace(array, machine),
        *_remove_failed(array),
        *going,
        *differing(array),
        *_bad_blocks(array, machine),
        *unread(array, machine),
    )


def _as_in(machine: Machine, array: Array) -> Array:
    """Add what only a whole reading has: the array's own, read every second, has neither."""
    found = next((one for one in machine.arrays if array.uuid and same_uuid(one.uuid, array.uuid)), None)
    return array if found is None else replace(array, signatures=found.signatures, newest=found.newest)


def _assemble(array: Array, machine: Machine) -> Iterator[Remedy]:
    """More members are lost than it survives: their data is needed, so none may be rebuilt or erased."""
    stored = of_array(array.uuid, machine.superblocks)
    if not machine.complete:
        yield AS_ROOT
    elif why := doubtful(stored, machine):
        yield from why
    elif _is_readable(array, machine):
        yield Remedy(
            text="back up its data, which can still be read. Find out why the disk had an error (cable, power, smartctl). Then "
            "unmount the array, stop it and assemble it again"
        )
    elif not array.newest and (why := uncertain(stored, machine)):
        yield from why
    elif not array.newest:
        yield Remedy(text=f"connect the missing disks: {spelled(array.level)} cannot run without them")
    else:
        yield Remedy(
            text=f"assemble it again with {_lost(array, machine)}, then back up its data",
            procedure=Start(unit=array.uuid, forced=True),
            warnings=FORCED,
        )


def _is_readable(array: Array, machine: Machine) -> bool:
    """Whether a last copy of all its data can be read: md keeps it after a write error, also if its disk is gone."""
    graph = graph_of(machine)
    here = tuple(one for one in array.members if graph.at(one.path) is not None)
    return can_still_be_read(replace(array, members=here))


def _mend(array: Array, machine: Machine) -> Iterator[Remedy | Replacement]:
    """All members are in sync, and one has errors, or has failed and was replaced by a spare."""
    yield from _remove_failed(array)
    worn = [one for one in troubled(array) if "faulty" not in one.state]
    if not worn:
        return
    disk = next((one for one in machine.disks if worn[0].path in one.every_path), None)
    name = called(disk) if disk is not None else name_of(worn[0])
    if not set(worn[0].state) - {"in_sync"} and disk is not None:
        yield Remedy(
            text=f"md corrected the read errors of {name} from the other members. Test the disk (smartctl -t long "
            f"{shlex.quote(disk.stable_path)}) and check the array: if there are more, replace it while it works"
        )
    what = f"{name} while it still works"
    need = while_it_works(what, worn[0].path, (one.path for one in array.members), machine)
    if need is not None and not loses_all_with_one(array.level):
        yield need


def _lost(array: Array, machine: Machine) -> str:
    """Which lost members it is assembled from, and which not, in words."""
    spares = {member.path for member in array.members if member.slot is None and "spare" in member.state}
    running = {member.path for member in array.members if "in_sync" in member.state}
    here = [
        (disk, path, stable_paths(disk)[path])
        for disk in machine.disks
        for path in members_on(disk, array)
        if path not in spares
    ]
    lost = [called(disk) for disk, path, device in here if device in array.newest and path not in running]
    old = [called(disk) for disk, _, device in here if device not in array.newest]
    names = listed(lost) or "the members that it has"
    return f"{names}, without {listed(old)}, whose data is out of date" if old else names


def _back_up(array: Array, machine: Machine) -> tuple[Remedy, ...]:
    """A filesystem that is not mounted and that one more failure would take."""
    holds_files = any(not _NO_FILES.fullmatch(one.type) for one in array.signatures)
    if not holds_files or _is_mounted(array, machine):
        return ()
    return (Remedy(text="mount it read-only and back up its data: the next failure loses it"),)


def is_reshaping(array: Array, machine: Machine) -> bool:
    """Whether a reshape runs, or has been interrupted: no member may come or go before its end."""
    runs = array.sync is not None and array.sync.action == "reshape"
    return runs or bool(reshapes(of_array(array.uuid, machine.superblocks)))


def _replace(array: Array, machine: Machine) -> Iterator[Remedy | Replacement]:
    if missing(array) and rebuilding(array):
        yield _AFTER_REBUILD
    if not missing(array) or rebuilding(array) or _has_spare(array):
        return
    if not machine.complete:
        yield AS_ROOT
        return
    if array.metadata.startswith("external:"):
        yield from in_container(array, machine)
        return
    if seems_empty(array, machine) and (older := older_of(array, machine)):
        yield look_beside(array, older, machine)
        return
    formers = tuple(formers_of(array, machine))
    if cloned := [disk for disk, _, way in formers if way is Way.CLONE]:
        yield Remedy(
            text=f"{listed([called(one) for one in cloned])} has the superblock of another member too: a clone, or a second path to "
            "its disk. Disconnect the one that does not belong here; until then change nothing"
        )
        return
    stored = of_array(array.uuid, machine.superblocks)
    alone = ran_alone([path for _, path, _ in formers], stored)
    yield from used_by_itself(((disk, path) for disk, path, _ in formers), alone, machine)
    suspect = _gone(array, failed_only=True)
    small = shrunk(stored, machine)
    yield from (small[path] for _, path, _ in formers if path in small)
    formers = tuple(one for one in formers if one[1] not in small and one[1] not in alone)
    if (back := comes_back(array, formers, stored, suspect)) is not None:
        yield back
        return
    rooms = tuple(_rooms(array, machine))
    if not rooms:
        paths = (one.path for one in array.members if "in_sync" in one.state)
        yield Remedy(text=f"replace the missing member: {no_pattern(array.name, paths, machine)}")
        return
    yield Replacement(
        what="the missing member",
        rooms=rooms,
        partition_type=LINUX_RAID,
        left=left_in(array),
        lost=_gone(array, failed_only=False),
        suspect=suspect,
        model=next((one.model for one in array.lost if one.model), ""),
        otherwise=tuple(
            spares_elsewhere(array, rooms[0].least, machine)
            or instead_of_a_blank(array, formers, suspect, rooms[0].least)
        ),
    )


def _gone(array: Array, *, failed_only: bool) -> frozenset[str]:
    """The disks of missing members, in the array now or as recorded, or only of those that md found faulty."""
    known = [
        *((one.disk, one.state) for one in array.lost),
        *((one.disk, one.state) for one in _failed(array)),
    ]
    return frozenset(disk for disk, state in known if disk and ("faulty" in state or not failed_only))


def _remove_failed(array: Array) -> Iterator[Remedy]:
    """A failed member stays in the array, even after a spare has replaced it, and keeps its disk in use."""
    failed = _failed(array)
    if not failed or rebuilding(array):
        return
    names = " and ".join(harmless(name_of(one)) for one in failed)
    them, disks = ("they have", "their disks") if len(failed) > 1 else ("it has", "its disk")
    yield Remedy(
        text=f"remove {names} from the array, as {them} failed; {disks} can then be pulled and replaced",
        procedure=RemoveFailed(unit=array.uuid),
    )


def _failed(array: Array) -> list[Member]:
    return [member for member in array.members if "faulty" in member.state and member.path]


def _has_spare(array: Array) -> bool:
    return any(member.slot is None and "spare" in member.state for member in array.members)


def _rooms(array: Array, machine: Machine) -> Iterator[Room]:
    """The pattern of each member in sync that is on a disk of this machine."""
    for one in array.members:
        if "in_sync" in one.state:
            least = one.offset_bytes + (array.component_bytes or one.size_bytes)
            room = room_of(one.path, machine, least=least)
            if room is not None:
                yield room


def _while_reshaped(array: Array) -> tuple[Remedy, ...]:
    """What to do about a missing member: nothing before the reshape has ended."""
    if not missing(array):
        return ()
    if array.state == "readonly":
        return (_WRITABLE_FIRST,)
    stands = is_paused(array) or (array.sync is not None and array.sync.waiting == "pending")
    return (_NOTHING_BEFORE,) if stands else (_AFTER_RESHAPE,)


def _set_going(array: Array, machine: Machine) -> Iterator[Remedy]:
    """An array assembled at boot and never mounted: md leaves it auto-read-only, and its sync waits."""
    waits = array.sync is not None and array.sync.waiting == "pending" and not is_paused(array)
    place = _unmounted_place(array, machine)
    parked = (waits and is_reshaped(array)) or (is_paused(array) and is_reshaping(array, machine))
    if parked and array.level == "raid10" and only_adds(of_array(array.uuid, machine.superblocks)):
        yield Remedy(
            text="do not mount it before its reshape onto more disks has ended: until then what it reads is wrong. Let it end first",
            procedure=LetSync(unit=array.uuid),
        )
    elif place:
        why = f", and its {sync_name(array)} waits until then" if waits else ""
        save = missing(array) and left_in(array) is Left.NOTHING
        yield Remedy(
            text=f"mount it{' and back up its data' if save else ''}: {harmless(place)} is in fstab and not mounted{why}",
            commands=(f"mount {shlex.quote(place)}",),
        )
    elif waits and is_reshaped(array) and not only_adds(of_array(array.uuid, machine.superblocks)):
        by_hand = Remedy(
            text="its reshape was interrupted and waits for the first write. If it only adds a disk, writing continues it. If it "
            "changes the chunk or the level, copy the disks first (ddrescue) and write nothing"
        )
        yield from with_trial((by_hand,), array, of_array(array.uuid, machine.superblocks), machine)
    elif parked:
        why = "was interrupted and waits for the first write" if waits else "is paused"
        yield Remedy(
            text=f"its reshape onto more disks {why}; continue it. If 'raidtui jobs' shows the job that started it, resume that "
            "instead: it also lets the filesystem grow",
            procedure=LetSync(unit=array.uuid),
        )
    elif waits:
        yield Remedy(
            text=f"its {sync_name(array)} waits for the first write; start it",
            procedure=LetSync(unit=array.uuid),
        )


def _bad_blocks(array: Array, machine: Machine) -> Iterator[Remedy | Replacement]:
    """Sectors that md knows it cannot read. No check or repair clears such a list.

    A replacement takes over what two lists have in common; of one alone it reads the others.
    """
    bad = with_bad_blocks(array)
    if not bad:
        return
    names = listed([harmless(one.disk) or one.path for one in bad])
    if len(bad) > 1 or array.degraded:
        yield Remedy(
            text=f"back up its data: where the lists of {names} overlap no good copy is left, and a read fails there. Restore the "
            "files concerned from an older backup"
        )
        return
    path, what = bad[0].path, f"{names}, of which the others still have what it could not read,"
    need = while_it_works(what, path, (one.path for one in array.members), machine)
    if need is not None and path not in {one.path for one in troubled(array)}:
        yield need
    elif need is None:
        yield Remedy(text=f"replace {what.removesuffix(',')}")


def _is_mounted(array: Array, machine: Machine) -> bool:
    """Whether it is mounted, a partition of it, or a filesystem that it is one of the devices of."""
    graph = graph_of(machine)
    device = graph.at(array.node)
    own = (device, *graph.parts(device)) if device is not None else ()
    mounts = graph.mounts_on(*own)
    return bool(array.mountpoints or mounts)


def _unmounted_place(array: Array, machine: Machine) -> str:
    """The mount point that fstab has for it at boot; empty if it has none or the array is mounted now."""
    if _is_mounted(array, machine):
        return ""
    for line in machine.system.fstab:
        fields = fields_of(line)
        if is_mounted_at_boot(fields) and is_mounted_by(line, array, machine):
            return fields[1]
    return ""
