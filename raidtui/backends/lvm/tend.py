"""Activate a volume group, use a disk again that was gone, and check a volume: vgchange(8), vgextend(8), lvchange(8).

A disk that is back is out of date: the kernel copies to it what was written since it left, by the bitmap of the volume.
Only a check shows that all its data is right.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from raidtui.backends.lvm.care import doubtful
from raidtui.backends.lvm.care_conditions import (
    ACTIVE,
    ALIVE,
    EQUAL,
    MOVED,
    PACED,
    RESTORED,
    RESUMED,
    UNHELD,
    VOLUMES,
    is_raid,
)
from raidtui.backends.lvm.conditions import VOLUME_WHOLE
from raidtui.backends.lvm.hidden import left_inactive
from raidtui.backends.lvm.moving import moved
from raidtui.backends.lvm.places import devices_of, stable_paths_in
from raidtui.backends.lvm.reading import LvmReading, group_in
from raidtui.backends.lvm.refused import active_alone
from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.restore import restore, restored
from raidtui.backends.lvm.shrunk import smaller
from raidtui.backends.lvm.status import device_name
from raidtui.backends.lvm.units import MARKED, others, unfinished
from raidtui.backends.lvm.unused_missing import lacks_only_unused, remove
from raidtui.backends.lvm.view import put_away, view
from raidtui.backends.lvm.volumes import (
    busy_in,
    busy_words,
    expected_of,
    held_in,
    lost_in,
    names_of,
    slowed_in,
    suspended_in,
    with_integrity,
    with_redundancy,
)
from raidtui.backends.tending import Tender, does_not
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import (
    Check,
    Hazard,
    Role,
    Run,
    Step,
    Undo,
    member_step,
    order_step,
    proof_step,
    start_step,
    waiting_step,
)
from raidtui.model.procedure import LetSync, ReAdd, RemoveMissing, RestoreMetadata, Scrub, Start, Tended
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.unit import Health, Unit
from raidtui.steps.devices import PRESENT
from raidtui.steps.flush import flushed

_POLL_SECONDS: Final = 5  # LVM has no command that waits for a sync
# Where metadata is torn, LVM prints "Retrying metadata scan." before its answer, on the standard output too.
_UNTIL_IDLE: Final = (
    'until lvs --noheadings --options raid_sync_action "$1" | grep -q "^ *idle *$"; do '
    f"sleep {_POLL_SECONDS}; done"
)
_LONGEST_SECONDS: Final = 60 * 86400


class LvmTender(Tender):
    """lvm2."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        group, volumes, reading = _group(unit, machine)
        doing = busy_in(group, reading)
        match procedure:
            case Start() if waiting := suspended_in(group, reading.known):
                return (_resume(unit, group, waiting),)
            case Start(degraded=degraded):
                if why := left_inactive(group, reading) or smaller(group, reading.known, machine):
                    raise Refused(f"{harmless(unit.name)} cannot be activated: {why}")
                return (_activate(unit, group, volumes, reading.known, degraded=degraded),)
            case _ if group.exported:
                raise Refused(f"{harmless(unit.name)} is exported; import it first")
            case LetSync() if moves := unfinished(group, reading.known):
                return (_let_move(unit, group, moves, machine),)
            case LetSync():
                return (_let_sync(unit, group, reading),)
            case RemoveMissing():
                return (remove(unit, group, reading.known, machine),)
            case ReAdd() | Scrub() if doing is not None:
                raise Refused(f"{harmless(unit.name)} is busy: {busy_words(doing)}")
            case ReAdd(disk=disk):
                return tuple(_take_back(unit, group, reading.known, disk, machine))
            case Scrub(repair=repair):
                return tuple(_scrub(unit, group, reading.known, repair=repair))
            case _:
                raise does_not(procedure, unit)

    def restore(self, order: RestoreMetadata, machine: Machine) -> tuple[Hazard, tuple[Step, ...]]:
        return restored(order), tuple(restore(order, machine))

    def view(self, unit: Unit, machine: Machine, called: str) -> tuple[Step, ...]:
        """Map its volumes read-only, without LVM."""
        return tuple(view(unit, machine, called))

    def put_away(self, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """Remove what was mapped, and deactivate what this computer activated by itself."""
        return tuple(put_away(unit, machine))


def _group(unit: Unit, machine: Machine) -> tuple[VolumeGroup, tuple[LogicalVolume, ...], LvmReading]:
    """The group of ``unit``, its volumes, and what LVM reports.

    Raises:
        Refused: it is not this computer's, or LVM would refuse the commands or take the wrong disks.
    """
    name = harmless(unit.name)
    if (found := group_in(unit, machine)) is None:
        raise Refused(f"LVM does not report the volume group {name}")
    reading, group = found
    if whose := others(group, reading):
        raise Refused(f"{name} is {whose}")
    volumes = reading.known.of(group)
    if not volumes or any(map(reading.known.half_made, volumes)):
        raise Refused(f"{name} has no volume, or one that is half made; see lvmraid(7)")
    if why := doubtful(group, reading.known.groups, machine):
        raise Refused(f"{name} cannot be changed safely: {why}")
    return group, volumes, reading


def _activate(
    unit: Unit, group: VolumeGroup, volumes: tuple[LogicalVolume, ...], known: Reading, *, degraded: bool
) -> Step:
    name = harmless(unit.name)
    if all(one.active or one.left_inactive for one in volumes):
        raise Refused(f"{name} is active already")
    missing = count_of(group.missing, "disk")
    gap = bool(group.missing) and not lacks_only_unused(group, known)
    if gap:
        if lost := lost_in(group, known):
            what = spelled(lost[0].type) if len(volumes) == 1 else names_of(group, lost)
            raise Refused(f"{what} cannot be activated without {missing}: connect it")
        if not degraded:
            raise Refused(
                f"{name} lacks {missing}; connect it, or choose to activate it degraded (--do start-degraded)"
            )
        if checked := with_integrity(group, known):
            raise Refused(
                f"LVM activates nothing degraded that has integrity, as {names_of(group, checked)} has: remove that first "
                "(--raidintegrity n in lvconvert(8))"
            )
    if group.exported and group.missing:
        raise Refused(f"{name} is exported and lacks {missing}: connect it first")
    how = ("--activationmode", "degraded") if gap else ()
    # Exit code 5: it was imported already; the condition decides.
    imported = (Run(argv=("vgimport", group.name), ok=(0, 5)),) if group.exported else ()
    parts = active_alone(known.volumes, group.uuid)
    apart = tuple(Run(argv=("lvchange", "-an", f"{group.name}/{one.name}")) for one in parts)
    return start_step(
        id="start",
        title=f"{'Import and activate' if imported else 'Activate'} {name}"
        + (f" degraded, without {missing}" if gap else ""),
        reason="LVM does not activate a group with a missing disk at boot."
        if group.missing
        else "LVM refuses it while parts of a volume are active by themselves."
        if parts
        else "All its disks are here.",
        actions=(*imported, *apart, Run(argv=("vgchange", "-ay", *how, group.name))),
        after=(VOLUMES.of(group.uuid, ACTIVE),),
        undo_note=f"{name} stays active",
    )


def _resume(unit: Unit, group: VolumeGroup, waiting: tuple[LogicalVolume, ...]) -> Step:
    """LVM loads what its metadata says before it resumes a volume; without a disk it refuses, and the kernel has to do it."""
    return order_step(
        id="resume",
        title=f"Resume {names_of(group, waiting)}",
        reason="What suspended it was interrupted. Its reads and writes wait, and so do the programs that use it.",
        actions=tuple(
            Run(argv=("dmsetup", "resume", device_name(group.name, one.name)))
            if group.missing
            else Run(argv=("lvchange", "--refresh", f"{group.name}/{one.name}"))
            for one in waiting
        ),
        after=(VOLUMES.of(group.uuid, RESUMED),),
        undo_note=f"{harmless(unit.name)} is not suspended again",
    )


def _let_sync(unit: Unit, group: VolumeGroup, reading: LvmReading) -> Step:
    """LVM has no command for it, and refuses a check until then."""
    held, slowed = held_in(group, reading), slowed_in(group, reading.known)
    for one in reading.known.of(group):
        if is_raid(one) and reading.status(group, one) is None:
            raise Refused(
                f"what the kernel does with {names_of(group, (one,))} cannot be read: dmsetup does not say"
            )
    if slowed and not held:
        return _unslow(group, slowed)
    if not held:
        raise Refused(f"no sync of {harmless(unit.name)} is held up")
    return order_step(
        id="unhold",
        title=f"Let every sync of {names_of(group, held)} run",
        reason="Otherwise no disk that is replaced or comes back is filled, and no check starts.",
        actions=tuple(
            Run(argv=("dmsetup", "message", status.name, "0", "idle"))
            for one in held
            if (status := reading.status(group, one)) is not None
        ),
        after=(VOLUMES.of(group.uuid, UNHELD),),
        undo_note="what held a sync up is not set again",
    )


def _let_move(unit: Unit, group: VolumeGroup, moves: Sequence[LogicalVolume], machine: Machine) -> Step:
    """Continue moves of data: pvmove(8) takes up one that has begun from the same disk, also where another pvmove runs."""
    sources = dict.fromkeys(
        one.segments[0].devices[0] for one in moves if one.segments and one.segments[0].devices
    )
    if not sources or "" in sources:
        raise Refused(f"a disk that {harmless(unit.name)} moves data from is missing; see pvmove(8)")
    stable = stable_paths_in(machine)
    return order_step(
        id="move",
        title=f"Continue to move data in {harmless(unit.name)}, and wait until that ends",
        reason="The volumes can be used meanwhile. After an interruption it continues from where it was.",
        actions=(
            *(moved(stable.get(one, one)) for one in sources),
            flushed(*devices_of(unit, machine)),
        ),
        after=(VOLUMES.of(group.uuid, MOVED),),
        undo_note="what has been moved stays where it is",
    )


def _unslow(group: VolumeGroup, slowed: tuple[LogicalVolume, ...]) -> Step:
    return order_step(
        id="unslow",
        title=f"Let the syncs of {names_of(group, slowed)} run at the usual speed",
        reason="LVM keeps the limit with the volume, so that it also holds after a boot.",
        actions=tuple(
            Run(
                argv=(
                    "lvchange",
                    "--yes",
                    "--minrecoveryrate",
                    "0",
                    "--maxrecoveryrate",
                    "0",
                    f"{group.name}/{one.name}",
                )
            )
            for one in slowed
        ),
        after=(VOLUMES.of(group.uuid, PACED),),
        undo_note="the lower limits are not set again",
    )


def _take_back(unit: Unit, group: VolumeGroup, known: Reading, disk: str, machine: Machine) -> Iterator[Step]:
    name, shown, volumes = harmless(unit.name), harmless(disk), with_redundancy(group, known)
    if not volumes:
        raise Refused(f"{name} has no volume with redundancy: nothing is copied to {shown}")
    stable = stable_in(machine.disks)
    marked = [one for one in unit.members if one.note == MARKED]
    stale = [one for one in unit.members if one.state == "faulty" and one.path]
    if not any(one.disk == disk for one in (*marked, *stale)):
        raise Refused(f"LVM waits for no disk {shown} in {name}")
    if group.missing > len(marked):
        raise Refused(f"{name} lacks another disk still: connect it, or replace it first")
    if marked:
        devices = tuple(stable.get(one.path, one.path) for one in marked)
        yield member_step(
            id="restore",
            title=f"Take {listed([harmless(one.disk) or one.path for one in marked])} back into {name}",
            reason="LVM changed the group without it, and does not use it again by itself.",
            actions=(
                Run(argv=("vgextend", "--restoremissing", group.name, *devices)),
                flushed(*devices_of(unit, machine)),
            ),
            before=tuple(PRESENT.of(one) for one in devices),
            after=tuple(RESTORED.of(one, group.uuid) for one in devices),
        )
    # LVM refreshes a hidden one with what lies on it.
    active = [one for one in known.of(group) if one.active and (one in volumes or known.inside(one))]
    refreshed = tuple(Run(argv=("lvchange", "--refresh", f"{group.name}/{one.name}")) for one in active)
    started = (Run(argv=("vgchange", "-ay", group.name)),) if len(active) < len(known.of(group)) else ()
    yield member_step(
        id="refresh" if active else "start",
        title=f"{'Refresh' if active else 'Activate'} {name} with {shown}",
        reason=f"The kernel copies to {shown} what was written since it left, as the bitmap has recorded.",
        actions=(*refreshed, *started),
        after=(VOLUMES.of(group.uuid, ALIVE),),
    )
    yield wait_step(
        "wait",
        f"Wait until {name} is in sync",
        before=VOLUMES.of(group.uuid, ALIVE),
        after=VOLUME_WHOLE.of(group.uuid, expected_of(volumes, known)),
        as_long_as="writing the whole member",
    )
    yield from _check_steps(unit, group, volumes, known)


def _scrub(unit: Unit, group: VolumeGroup, known: Reading, *, repair: bool) -> Iterator[Step]:
    """A repair comes first; whether it has made all copies equal, the check after it shows."""
    name, volumes = harmless(unit.name), with_redundancy(group, known)
    if not volumes:
        kinds = listed([spelled(kind) for kind in dict.fromkeys(one.type for one in known.of(group))])
        raise Refused(f"{name} is {kinds}: it has no copies to compare")
    if not all(one.active for one in volumes):
        raise Refused(f"{name} is not active; activate it first, 'raidtui status' shows how")
    if unit.health in {Health.DEGRADED, Health.FAILED}:
        raise Refused(f"{name} lacks a disk: take it back or replace it first, which ends with a check")
    if repair:
        yield waiting_step(
            id="repair",
            title=f"Repair {name}: write again what differs",
            reason="Parity is computed from the data, and of copies the first one counts, whichever is right. Exit code 5: one runs.",
            actions=tuple(run for one in volumes for run in _sync("repair", f"{group.name}/{one.name}")),
            as_long_as="reading a whole member",
        )
    yield from _check_steps(unit, group, volumes, known)


def _check_steps(
    unit: Unit, group: VolumeGroup, volumes: tuple[LogicalVolume, ...], known: Reading
) -> Iterator[Step]:
    """Read all copies and compare; the volume can be used meanwhile.

    Nothing shows afterwards that a check ran to its end, so it is started again if the job is interrupted.
    """
    name = harmless(unit.name)
    yield check_step(name, [f"{group.name}/{one.name}" for one in volumes])
    yield proof_step(
        id="prove",
        title=f"Check that {name} has full redundancy",
        reason="No disk is missing, every part is in sync, and the check found no mismatch.",
        after=(
            VOLUME_WHOLE.of(group.uuid, expected_of(volumes, known)),
            VOLUMES.of(group.uuid, EQUAL),
        ),
    )


def check_step(name: str, volumes: Iterable[str]) -> Step:
    """The check itself; ``volumes``: each GROUP/VOLUME."""
    return Step(
        id="check",
        role=Role.WAIT,
        title=f"Check {name}: read every copy and compare",
        reason="Only a check shows that the data of each disk is right. Exit code 5: one runs already.",
        actions=tuple(run for one in volumes for run in _sync("check", one)),
        undoable=Undo.NOTHING,
        undo_note="a check changes nothing",
        as_long_as="reading a whole member",
    )


def _sync(action: str, whole: str) -> tuple[Run, ...]:
    """Start a check or a repair, and wait until it ends: LVM has no command that does."""
    return (
        Run(argv=("lvchange", "--syncaction", action, whole), ok=(0, 5)),
        Run(argv=("sh", "-c", _UNTIL_IDLE, "sh", whole), timeout_seconds=_LONGEST_SECONDS),
    )


def wait_step(step: str, title: str, *, before: Check, after: Check, as_long_as: str) -> Step:
    """A wait for a sync of the kernel, which LVM has no command for."""
    return waiting_step(
        id=step,
        title=title,
        reason="The kernel continues if raidtui ends.",
        actions=(Run(argv=("sleep", str(_POLL_SECONDS))),),
        before=(before,),
        after=(after,),
        as_long_as=as_long_as,
    )


TENDER: Final = LvmTender()
