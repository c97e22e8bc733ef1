"""Check that the machine is still as confirmed: the last check before the first write.

Pure: compares two readings. Checks that need the kernel (O_EXCL, locks) are in `raidtui.jobs.holding`.
"""

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from raidtui.backends.registry import builder
from raidtui.backends.units import check_known, units_of
from raidtui.jobs.disk_contents import (
    describe_contents,
    describe_signatures,
    own_signatures,
    place_of,
    signature_key,
)
from raidtui.machine.contents.signatures import Probed
from raidtui.machine.devices import device_number
from raidtui.machine.md.stopped import FIRMWARE
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import KEPT, REPLACED, UNSHOWN, Plan, PlanKind, PlannedDisk, Run
from raidtui.model.text import count_of, harmless, in_order, listed
from raidtui.model.unit import Unit
from raidtui.model.units import both
from raidtui.model.uuids import same_uuid

# Claims on the members of an active unit of any backend; `Builder.claims` has those of each.
_OF_ANY_UNIT: Final = frozenset({ClaimKind.MOUNT, ClaimKind.SWAP, ClaimKind.EXCLUSIVE})
_MADE_BY_MKFS: Final = "lost+found"
_WORDS: Final = {
    "serial": "serial number",
    "wwn": "WWN",
    "model": "model",
    "size_bytes": "size in bytes",
    "sequence": "sequence number (diskseq)",
}


def find_disks(plan: Plan, live: Machine) -> dict[str, Disk]:
    """Find the live disk of each planned one, by identity, with the serial, WWN, model and size as confirmed.

    A disk that is being replaced may leave at any time, and is then left out.

    Raises:
        Refused: a disk is missing, ambiguous, or a different one.
    """
    here = {disk.identity for disk in live.disks}
    return {
        planned.identity: _find(planned, live)
        for planned in plan.disks
        if planned.role != REPLACED or planned.identity in here
    }


def _find(planned: PlannedDisk, live: Machine) -> Disk:
    try:
        disk = live.disk(planned.identity)
    except BadInput as error:
        raise Refused(f"the disk {planned.identity} was confirmed, but now {error}") from error
    for what, then, now in (
        ("serial number", planned.serial, disk.serial),
        ("WWN", planned.wwn, disk.wwn),
        ("model", planned.model, disk.model),
    ):
        if then != now:
            raise Refused(
                f"{disk.path} is called {planned.identity}, but its {what} was {then or 'not there'} when it was "
                f"confirmed and is {now or 'not there'} now"
            )
    if disk.size_bytes != planned.size_bytes:
        raise Refused(
            f"{planned.identity} ({disk.path}) had {planned.size_bytes:,} bytes ({both(planned.size_bytes)}) when "
            f"it was confirmed and has {disk.size_bytes:,} ({both(disk.size_bytes)}) now"
        )
    return disk


def check_all_read(plan: Plan, live: Machine) -> None:
    """Check that every unit of the plan's backends was read: none that is absent may exist.

    Raises:
        Refused: they could not be read.
    """
    for one in plan.units:
        check_known(one.spec.backend, live)


def check_paths(plan: Plan, disks: dict[str, Disk], number_of: Callable[[str], str] = device_number) -> None:
    """Check that the paths in the commands point to the confirmed disks.

    Raises:
        Refused: a path does not exist or points to another disk.
    """
    for planned in plan.disks:
        disk = disks.get(planned.identity)
        if disk is None:
            continue
        if not planned.path and not disk.has_device:
            continue  # behind a RAID card: commands name it by slot, and it was found by its serial number
        leads_to = number_of(planned.path)
        if leads_to != disk.device_number:
            raise Refused(
                f"{planned.path}, which the commands would write to, "
                + (f"leads to the device {leads_to}" if leads_to else "does not exist")
                + f", and {planned.identity} is {disk.path} ({disk.device_number})"
            )


def check_unchanged(plan: Plan, confirmed: Machine, live: Machine, replan: Callable[[Machine], Plan]) -> None:
    """Check before the first write that nothing has changed since the plan was confirmed.

    Args:
        replan: makes the plan again on another reading of the machine.

    Raises:
        Refused: a disk is now in use, its contents have changed, or the plan would now be different.
    """
    for identity, disk in find_disks(plan, live).items():
        if plan.kind is PlanKind.BUILD:
            _refuse_claims(identity, disk, [c for c in disk.taken_by if c.weight is not Weight.DATA])
        then, now = describe_contents(confirmed.disk(identity)), describe_contents(disk)
        if then != now:
            new = [one for one in now if one not in then]
            gone = [one for one in then if one not in now]
            raise Refused(
                f"{identity} ({disk.path}) changed after it was confirmed: "
                + " and ".join(
                    text
                    for text in (
                        f"{'; '.join(new)} is new" if new else "",
                        f"{'; '.join(gone)} is gone" if gone else "",
                    )
                    if text
                )
            )
    try:
        today = replan(live)
    except RaidtuiError as error:
        raise Refused(f"the confirmed plan is no longer possible: {error}") from error
    if (today.fingerprint, today.steps) != (plan.fingerprint, plan.steps):
        raise Refused(f"the machine changed after the plan was confirmed: {_first_difference(plan, today)}")


def check_same_disks(disks: Collection[Disk], now: Collection[Disk]) -> None:
    """Check that ``disks`` are still those of their reading; called once all disks are held.

    Args:
        now: another reading of the disks of this computer.

    Raises:
        Refused: one is gone, or another disk has its place.
    """
    by_number = {disk.device_number: disk for disk in now}
    for disk in disks:
        if not disk.has_device:
            continue
        found = by_number.get(disk.device_number)
        if found is None:
            raise Refused(f"{disk.identity} ({disk.path}) was removed just now")
        for what in ("serial", "wwn", "model", "size_bytes", "sequence"):
            then, today = getattr(disk, what), getattr(found, what)
            if then != today:
                raise Refused(
                    f"{disk.identity} ({disk.path}) is another disk just now: its {_WORDS[what]} was "
                    f"{then or 'not there'} and is {today or 'not there'}"
                )


def check_same_signatures(disks: Collection[Disk], probe: Callable[[Sequence[str]], Probed]) -> None:
    """Check that the signatures on ``disks`` are still as in their reading; called once all disks are held.

    Raises:
        Refused: the signatures on a disk have changed, or it cannot be read.
    """
    disks = [disk for disk in disks if disk.has_device]
    read = {
        disk.path: {disk.path: disk.signatures} | {p.path: p.signatures for p in disk.partitions}
        for disk in disks
    }
    probed = probe([path for devices in read.values() for path in devices])
    now = probed.found
    for disk in disks:
        for path, before in read[disk.path].items():
            if path in probed.failed:
                raise Refused(f"{disk.identity}: cannot read what is on {path}: {probed.failed[path]}")
            if {(place_of(s), s.type, s.uuid) for s in before} != {
                (place_of(s), s.type, s.uuid) for s in now[path]
            }:
                raise Refused(
                    f"{disk.identity} ({path}) changed just now: it has "
                    f"{', '.join(s.type for s in now[path]) or 'no signature'}"
                )


def check_array_names(plan: Plan, confirmed: Machine, live: Machine) -> None:
    """Check that array names in the commands mean this plan's array or none: a reboot may reassign them.

    Raises:
        Refused: another array now has such a name.
    """
    every = (one for step in plan.steps for one in step.every_action)
    words = tuple({word for one in every if isinstance(one, Run) for word in one.argv})
    nodes = {unit.node for unit in units_of(confirmed) if _is_named(unit, plan)} - {""}
    # A node that no command names may be any array's.
    names = {*(one.array_path for one in plan.units), *words} | {
        node for node in nodes if any(word.startswith(node) for word in words)
    }
    for array in units_of(live):
        if not _is_own(array, plan) and names & {array.node, array.path} - {""}:
            raise Refused(
                f"{(names & {array.node, array.path} - {''}).pop()}, which the commands would write to, is now "
                f"{array.name} with the UUID {array.uuid}, not {listed([one.array_uuid for one in plan.units])}"
            )


def _is_named(unit: Unit, plan: Plan) -> bool:
    """Whether ``unit`` is one of those that ``plan`` builds or removes, and not just below one."""
    return any(unit.has_mark(one.array_uuid) for one in plan.units)


def _is_own(unit: Unit, plan: Plan) -> bool:
    """Whether ``unit`` is what ``plan`` builds or removes, or is below it."""
    return any(unit.has_mark(mark) for mark in plan.marks)


def check_still_ours(plan: Plan, confirmed: Machine, live: Machine, *, written: bool) -> None:
    """Check, when an interrupted job resumes, that nothing else has started to use its disks.

    Args:
        written: whether a destructive step has started; until then the contents must be unchanged.

    Raises:
        Refused: a disk is used by something other than this job's array, or has foreign contents.
    """
    disks = find_disks(plan, live)
    made = [unit.uuid for unit in units_of(live) if _is_named(unit, plan)]
    members = _with_own_filesystem(plan, disks) | {
        member.disk
        for unit in units_of(live)
        if _is_own(unit, plan) and not unit.stopped
        for member in unit.members
        if member.disk
    }
    own = _OF_ANY_UNIT.union(*(builder(one.spec.backend).claims for one in plan.units))
    shared = {planned.identity: planned.shares for planned in plan.disks}
    roles = {planned.identity: planned.role for planned in plan.disks}
    for identity, disk in disks.items():
        others = {part.path for part in disk.partitions if part.number in shared[identity]}
        allowed = own if identity in members or disk.identity in members else frozenset()
        if roles[identity] == REPLACED:  # out of its set already, and its metadata is erased last
            allowed |= {ClaimKind.FIRMWARE_RAID}
        _refuse_claims(
            identity,
            disk,
            [
                c
                for c in disk.taken_by
                if c.weight is not Weight.DATA and c.what not in allowed and c.device not in others
            ],
        )
        before = set(describe_signatures(confirmed.disk(identity)))
        # A disk that the job added to the container of a firmware RAID, whose metadata has no UUID.
        of_firmware = FIRMWARE.keys() if disk.identity in members else set()
        foreign = [
            one
            for one in describe_signatures(disk)
            if one not in before | own_signatures(plan, disk, made=made) | of_firmware
        ]
        # The job itself may have enlarged its partition, or made one for what had none.
        widened = roles[identity] in {KEPT, UNSHOWN}
        if foreign and (written or widened or plan.kind is PlanKind.BUILD):
            raise Refused(
                f"{identity} ({disk.path}) has {', '.join(foreign)} on it, which was not there when it was "
                "confirmed and which this job did not put there"
            )
        if not (written or widened) and describe_contents(confirmed.disk(identity)) != describe_contents(
            disk
        ):
            raise Refused(f"{identity} ({disk.path}) changed after it was confirmed")


def check_array_is_ours(plan: Plan, live: Machine, *, before: Collection[str]) -> None:
    """Check that the array of an unfinished job holds only what was there before or what the job created.

    Anything else was put there since.

    Args:
        before: signatures that it may have had before the job, in the form of `signature_key`.

    Raises:
        Refused: the array holds something else, or cannot be read.
    """
    if plan.kind in {PlanKind.CARE, PlanKind.REPLACE}:
        return  # what is on the unit stays as it is, and of one that was not started it was not known
    for array in units_of(live):
        if not _is_named(array, plan):
            continue
        if array.unread:
            raise Refused(f"cannot read what is on {array.name} ({array.node}): {array.unread}")
        made = plan.filesystem_uuid if plan.kind is PlanKind.BUILD else ""
        foreign = [
            s for s in array.signatures if signature_key(s) not in before and not same_uuid(s.uuid, made)
        ]
        if foreign:
            raise Refused(
                f"{array.name} ({array.node}) has {', '.join(map(signature_key, foreign))} on it, which this job did "
                f"not put there; to remove it with the array: raidtui teardown {shlex.quote(array.name)}"
            )


def check_holds_no_files(plan: Plan, places: Mapping[str, Sequence[str]]) -> None:
    """Check that the filesystem of a build to be undone is empty.

    Args:
        places: its mount points, each with the names in it.

    Raises:
        Refused: there are files, which the undo would erase without confirmation.
    """
    for place, names in places.items():
        files = [name for name in names if name != _MADE_BY_MKFS]
        if files:
            shown = ", ".join(files[:3]) + (" …" if len(files) > 3 else "")
            called = plan.spec.members[0] if plan.spec.alone else plan.spec.name
            raise Refused(
                f"the filesystem of {plan.spec.name} is in use: {place} holds {shown}; a rollback would erase that. "
                f"'raidtui teardown {called}' does so once you name its disks"
            )


def _with_own_filesystem(plan: Plan, disks: Mapping[str, Disk]) -> set[str]:
    """The single disk with this plan's filesystem on its partition: if it is mounted, it is in use by this job."""
    made = [one.filesystem_uuid for one in plan.units if one.spec.alone]
    return {
        identity
        for identity, disk in disks.items()
        for partition in disk.partitions
        if any(same_uuid(s.uuid, uuid) for s in partition.signatures for uuid in made)
    }


def _refuse_claims(identity: str, disk: Disk, claims: Sequence[Claim]) -> None:
    if claims:
        claim, ways = claims[0], " && ".join(in_order(one.how_to_free for one in claims))
        raise Refused(
            f"{identity} ({disk.path}) is in use now: {claim.detail} ({claim.device})"
            + (f"; to free it: {harmless(ways)}" if ways else "")
        )


def _first_difference(plan: Plan, today: Plan) -> str:
    for then, now in zip(plan.steps, today.steps, strict=False):
        if then != now:
            return f"the step {then.title!r} would be different now"
    if len(plan.steps) != len(today.steps):
        return f"it had {count_of(plan.steps, 'step')} and would have {len(today.steps)} now"
    return "its disks are described differently now"
