"""The frame of a removal, for every backend and for several units at once, each step with the topmost unit first.

Unmount, remove the lines of fstab and crypttab, the backend's core, partition tables, wait for udev, mount points, other lines in
/etc. A disk is planned once and its table erased once, however many of the units are on it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Plan, PlanKind, PlannedDisk, Role, Step, removal_step
from raidtui.model.text import count_of, listed
from raidtui.plan.alerts import alerts_of_last
from raidtui.plan.scrub_schedule import own_schedule_gone
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.files import line_step
from raidtui.steps.footprint import crypt_lines, lines_through, own_lines, unmount
from raidtui.steps.fstab import FSTAB, reload_systemd, remove_folder_steps
from raidtui.steps.ids import unique_ids
from raidtui.steps.pieces import called, check_identity, planned
from raidtui.steps.removal import MEMBER, OnDisk, Removal, wholes_of
from raidtui.steps.settle import settle_step
from raidtui.steps.wipe import forget_table


def removal_plan(units: Sequence[Removal], machine: Machine, *, seed: str) -> Plan:
    """The plan that removes ``units``, the topmost first, and leaves their disks blank.

    What else is on a disk, in partitions of its own, is left alone.

    Raises:
        Refused: the running system is on a disk, a disk has no identity of its own to confirm it by, or something
            else is mounted over one of the units.
    """
    plans = [_plan_of(unit, machine, seed=seed) for unit in units]
    every = [one for unit in units for one in unit.every]
    return replace(
        plans[0],
        disks=_planned_disks(every, machine),
        steps=tuple(_steps(every, machine)),
        release=tuple(dict.fromkeys(run for one in every for run in one.release)),
        also=tuple(plans[1:]),
    )


def _plan_of(unit: Removal, machine: Machine, *, seed: str) -> Plan:
    """What the plan says of one unit, without its steps."""
    members = [member for one in unit.every for member in one.members]
    disks = _planned_disks(unit.every, machine)
    return Plan(
        kind=PlanKind.TEARDOWN,
        spec=replace(
            unit.spec,
            members=tuple(one.identity for one in disks if one.role == MEMBER),
            spares=tuple(one.identity for one in disks if one.role == "spare"),
            partition=any(member.device not in {"", member.whole} for member in members),
        ),
        seed=seed,
        host=machine.system.hostname,
        array_uuid=unit.mark,
        array_path=unit.path,
        filesystem_uuid=unit.filesystem_uuid,
        uuids=tuple(uuid for one in unit.every for uuid in one.uuids),
        array_bytes=unit.size_bytes,
    )


def _planned_disks(units: Sequence[Removal], machine: Machine) -> tuple[PlannedDisk, ...]:
    """The disks under ``units``, each once; where members on one differ in their role, it has that of the first."""
    found: dict[str, list[tuple[OnDisk, str]]] = {}
    for unit in units:
        for member in unit.members:
            found.setdefault(member.disk.key, []).append((member, unit.spec.name))
    return tuple(_planned_disk(some, machine) for some in found.values())


def _planned_disk(members: Sequence[tuple[OnDisk, str]], machine: Machine) -> PlannedDisk:
    (first, name), disk = members[0], members[0][0].disk
    if any(claim.weight is Weight.SYSTEM for claim in disk.taken_by):
        of = "" if name == called(disk) else f", a disk of {name}"
        raise Refused(f"the running system is on {called(disk)}{of}; it cannot be removed")
    check_identity(disk, machine)
    devices = {member.device for member, _ in members}
    used = {claim.device for claim in disk.taken_by if claim.weight is not Weight.DATA}
    shares = tuple(
        part.number
        for part in disk.partitions
        if part.path in used and partition_path(first.whole, part.number) not in devices
    )
    return planned(disk, first.whole if first.device else "", first.role, shares)


def _steps(units: Sequence[Removal], machine: Machine) -> list[Step]:
    emptied = _emptied(units)
    members = [member for unit in units for member in unit.members if member.device]
    blank = (member.whole if member.whole in emptied else member.device for member in members)
    steps = [step for unit in units for step in _unmount(unit, machine)]
    steps += _drop_lines(units, machine)
    steps += [step for unit in units for step in unit.core]
    if emptied:
        steps.append(_table_step(emptied))
    steps.append(
        settle_step(
            "settle",
            role=Role.REMOVE,
            title=f"Check that nothing of the {_nouns(units)} comes back",
            reason="udev probes the disks as soon as they are unlocked.",
            udev=machine.system.udev,
            after=(
                *(check for unit in units for check in unit.gone),
                *(BLANK.of(place) for place in dict.fromkeys(blank)),
            ),
        )
    )
    steps += [step for unit in units for step in remove_folder_steps(unit.folders, built=unit.built)]
    steps += _once([step for unit in units for step in unit.forget])
    names = listed([unit.spec.name for unit in units])
    marks = [unit.mark for unit in units]
    steps += own_schedule_gone(names, marks, machine)
    steps += alerts_of_last(marks, machine)
    return unique_ids(steps)


def _unmount(unit: Removal, machine: Machine) -> list[Step]:
    mounted = {member.path for member in unit.members} & unit.footprint.nodes
    return unmount(
        unit.footprint,
        machine,
        name=unit.spec.name,
        source=unit.source,
        by_hand=lambda mount: unit.mounts_itself.get((mount.source, mount.target)),
        reason=f"Writes what is still cached and ends all use of the {unit.noun}.",
        holds=wholes_of(unit.members) if mounted else (),
    )


def _drop_lines(units: Sequence[Removal], machine: Machine) -> list[Step]:
    """Remove the lines that mean ``units`` from fstab and crypttab; each file is edited once."""
    crypt = [(unit, crypt_lines(unit.footprint, machine)) for unit in units]
    fstab = [
        (unit, [*own_lines(unit.footprint, machine), *lines_through(below, machine)]) for unit, below in crypt
    ]
    return [
        *_drop_from(FSTAB, "fstab", fstab, machine, why="a filesystem that no longer exists"),
        *_drop_from("/etc/crypttab", "crypttab", crypt, machine, why="a device that no longer exists"),
    ]


def _drop_from(
    file: str,
    step: str,
    found: Sequence[tuple[Removal, Sequence[str]]],
    machine: Machine,
    *,
    why: str,
) -> list[Step]:
    """No step without lines. Nothing may use the units any more, or the core would fail after this."""
    named = [unit for unit, some in found if some]
    lines = tuple(dict.fromkeys(line for _, some in found for line in some))
    if not lines:
        return []
    return [
        line_step(
            step,
            role=Role.REMOVE,
            title=f"Remove the {_nouns(named)} from {file}",
            reason=f"Otherwise the next boot waits for {why}.",
            old=[(file, line) for line in lines],
            then=reload_systemd(machine.system),
            before=tuple(UNCLAIMED.of(device) for unit in named for device in unit.free),
            undo_note="the lines are restored",
        )
    ]


def _nouns(units: Sequence[Removal]) -> str:
    """What ``units`` are, each word once: array, volume group and array."""
    return listed(list(dict.fromkeys(unit.noun for unit in units)))


def _emptied(units: Sequence[Removal]) -> tuple[str, ...]:
    """The whole disks that have nothing but members of ``units``, so that their partition tables are erased too."""
    own: dict[str, dict[str, str]] = {}
    disks: dict[str, Disk] = {}
    for unit in units:
        for member in unit.members:
            disks[member.whole] = member.disk
            own.setdefault(member.whole, {})[member.device] = unit.partition_type
    leftover = {unit.leftover_type for unit in units} - {""}
    found = []
    for whole, members in own.items():
        parts = {partition_path(whole, part.number): part.type for part in disks[whole].partitions}
        ours = all(parts.get(device) == kind for device, kind in members.items())
        if ours and all(kind in leftover for device, kind in parts.items() if device not in members):
            found.append(whole)
    return tuple(found)


def _table_step(wholes: Sequence[str]) -> Step:
    return removal_step(
        id="table",
        title=f"Erase the partition table of {count_of(wholes, 'disk')}",
        reason="Nothing else is on them: they are free again.",
        actions=tuple(run for whole in wholes for run in forget_table(whole)),
        after=tuple(BLANK.of(whole) for whole in wholes),
        holds=tuple(wholes),
    )


def _once(steps: Sequence[Step]) -> list[Step]:
    """Join steps of several units that do the same for each: a file is edited once, an initramfs rebuilt once."""
    found: dict[tuple[str, str], list[Step]] = {}
    for step in steps:
        found.setdefault((step.id.rstrip("0123456789-"), step.title), []).append(step)
    return [
        replace(
            some[0],
            actions=tuple(dict.fromkeys(action for one in some for action in one.actions)),
            after=tuple(dict.fromkeys(check for one in some for check in one.after)),
            undo=tuple(dict.fromkeys(action for one in some for action in one.undo)),
        )
        for some in found.values()
    ]
