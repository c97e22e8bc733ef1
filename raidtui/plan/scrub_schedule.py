"""Plan a regular scrub of a unit: the timer of the distribution where it has one, else one of ours; never two."""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.advice.findings.scrubs import schedules_of, scrubbed_units
from raidtui.backends.registry import backend, builder, reader
from raidtui.backends.units import units_of
from raidtui.machine.scrub import AUTOCHECK, DEBIAN_CRON, INSTEAD, OWN, TIMERS
from raidtui.model.errors import Refused
from raidtui.model.hours import Hours, read_hours
from raidtui.model.machine import Machine
from raidtui.model.plan import Action, Plan, Role, Run, Step, fix_step
from raidtui.model.procedure import NO_HOURS, ScheduleScrub
from raidtui.model.spec import Spec
from raidtui.model.system import ScrubSchedule, with_continue
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid
from raidtui.plan.of_computer import plan_of_computer
from raidtui.plan.own_command import can_be_started, exec_start

_FOLDER: Final = "/etc/systemd/system"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")  # what a timer's instance can hold without escapes
_RELOAD: Final = Run(argv=("systemctl", "daemon-reload"))
_TIMER: Final = """\
[Unit]
Description=Monthly scrub of %i by raidtui

[Timer]
OnCalendar=Sun *-*-8..14 01:00:00
RandomizedDelaySec=1h
Persistent=true

[Install]
WantedBy=timers.target
"""
# Exit code 3: not now, because it is degraded or busy. KillMode: the scrub of Btrfs is a process, which stays.
# Each night, of which a part is used: the program itself sees whether a scrub is due.
_NIGHTLY: Final = """\
[Unit]
Description=Scrub of {uuid} by raidtui in the hours {hours}

[Timer]
OnCalendar=*-*-* {begin}:00
Persistent=true

[Install]
WantedBy=timers.target
"""
_IN_HOURS: Final = """\
[Unit]
Description=Scrub of {uuid} by raidtui

[Service]
Type=oneshot
ExecStart={start}
SuccessExitStatus=3
KillMode=process
Restart=on-failure
RestartSec=1min
"""
_SERVICE: Final = """\
[Unit]
Description=Scrub of %i by raidtui

[Service]
Type=oneshot
ExecStart={start}
SuccessExitStatus=3
KillMode=process
"""


def why_no_timer(name: str) -> str:
    """Why a computer without systemd gets no schedule, and what scrubs the unit ``name`` there."""
    command = shlex.join(("raidtui", "scrub", name, "--now"))
    return f"this computer does not run systemd; a line of cron can scrub it: {command}"


def make_schedule(order: ScheduleScrub, unit: Unit, machine: Machine, *, seed: str) -> Plan:
    """Plan what ``order`` says about the scrubs of ``unit``.

    Raises:
        Refused: it is scrubbed so already, a file of cron does it, or it is not known what does.
    """
    name = harmless(unit.shown)
    found = schedules_of(unit, machine)
    if found is None:
        raise Refused(f"what scrubs {name} is not known on this computer")
    if not machine.system.systemd:
        raise Refused(why_no_timer(name))
    if not any(same_uuid(one.uuid, unit.uuid) for one in scrubbed_units(units_of(machine))):
        raise Refused(f"{name} has no copies or parity of its own that a scrub could compare")
    match order.how:
        case "monthly":
            steps = tuple(_on(unit, name, found, machine, order.hours))
        case "off":
            steps = tuple(_off(name, found, machine))
        case "one":
            if len(found) < 2:
                raise Refused(f"{name} is not scrubbed by two schedules")
            # A file of cron belongs to a package: it stays, and the timers go.
            kept = min(found, key=lambda one: one.by.endswith(".timer"))
            steps = tuple(_off(name, [one for one in found if one is not kept], machine))
    plan = plan_of_computer(name, steps, machine, seed=seed)
    return replace(plan, spec=Spec(name=name, backend=unit.backend, level=unit.level))


def _on(
    unit: Unit, name: str, found: Sequence[ScrubSchedule], machine: Machine, hours: str
) -> Iterator[Step]:
    by = listed([harmless(one.by) for one in found])
    wanted = read_hours(hours, what="--hours") if hours not in {"", NO_HOURS} else None
    if len(found) > 1:
        raise Refused(f"{name} is scrubbed twice, by {by}; keep one of them first")
    if wanted is not None and builder(unit.backend).nights is None:
        raise Refused(f"a scrub of {name} that was stopped begins anew, so it cannot keep hours")
    if not found:
        yield from _new(unit, name, wanted, machine)
        return
    (old,) = found
    if not hours or old.hours == wanted:
        when = f" in the hours {old.hours.shown}" if old.hours is not None else ""
        raise Refused(f"{name} is scrubbed already{when}, by {by}")
    if old.hours is not None and wanted is not None:
        yield _other_hours(old, name, wanted, machine)
        return
    yield from (replace(step, id=f"old-{step.id}") for step in _off(name, found, machine))
    left = _without(old, machine)
    yield from _new(unit, name, wanted, left, instead=old.by if old.by in TIMERS else "")
    # A timer of the distribution scrubs every unit of its kind: the others keep a schedule too.
    others = [one for one in scrubbed_units(units_of(machine)) if schedules_of(one, machine) == (old,)]
    others = [one for one in others if not same_uuid(one.uuid, unit.uuid)]
    if others:
        yield replace(_files(left), id="own-timer")
    for other in others:
        shown = harmless(other.shown)
        step = _enable((_own(other, shown),), f"Scrub {shown} once a month", f"{old.by} scrubbed it too.")
        yield replace(step, id=f"schedule-{other.uuid}")


def _without(old: ScrubSchedule, machine: Machine) -> Machine:
    """``machine`` once ``old`` is off."""
    left = tuple(one for one in machine.system.scrub_schedules or () if one != old)
    return replace(machine, system=replace(machine.system, scrub_schedules=left))


def _new(
    unit: Unit, name: str, hours: Hours | None, machine: Machine, *, instead: str = ""
) -> Iterator[Step]:
    """The schedule of a unit that has none; ``instead`` of a timer of the distribution."""
    if hours is not None:
        yield from _on_in_hours(unit, name, machine, hours, instead)
        return
    timers = reader(unit.backend).scrub_timers(unit, machine.system)
    # One that scrubs every unit of its kind would be the second one of those that have their own.
    every = bool(timers) and not any("@" in timer for timer in timers)
    if every and any(
        schedules_of(one, machine) for one in scrubbed_units(units_of(machine)) if one.backend is unit.backend
    ):
        timers = ()
    also = f", and every other {backend(unit.backend).noun}" if timers and every else ""
    if not timers:
        timers = (_own(unit, name),)
        yield _files(machine)
    yield _enable(
        timers,
        f"Scrub {name}{also} once a month",
        "A scrub finds unreadable sectors and rewrites them from the other members while those are still good.",
    )


def _enable(timers: tuple[str, ...], what: str, reason: str) -> Step:
    return fix_step(
        id="schedule",
        title=f"{what}: enable {listed(timers)}",
        reason=reason,
        actions=(Run(argv=("systemctl", "enable", "--now", *timers)),),
        undo=(Run(argv=("systemctl", "disable", "--now", *timers)),),
        undo_note=f"{listed(timers)} {'is' if len(timers) == 1 else 'are'} disabled",
    )


def _other_hours(old: ScrubSchedule, name: str, new: Hours, machine: Machine) -> Step:
    assert old.hours is not None, "it is in hours"
    # A timer that is active computes its next start when it is started (systemd.timer(5)).
    restart = Run(argv=("systemctl", "restart", old.by))
    before = old.hours.shown
    return fix_step(
        id="hours",
        title=f"Scrub {name} in the hours {new.shown} instead of {before}",
        reason="Only its timer and service are written anew. A scrub that runs now keeps the old hours until their end.",
        actions=(*_writes_in_hours(old.by, new, machine, old.instead), restart),
        undo=(*_writes_in_hours(old.by, old.hours, machine, old.instead), restart),
        undo_note=f"the hours are {before} again",
    )


def _on_in_hours(unit: Unit, name: str, machine: Machine, hours: Hours, instead: str) -> Iterator[Step]:
    timer = _own(unit, name)
    yield fix_step(
        id="timer",
        title=f"Write {timer} and its service",
        reason=f"It pauses the scrub at the end of {hours.shown}, and continues it in the next night.",
        actions=_writes_in_hours(timer, hours, machine, instead),
        undo=_removes(timer),
        undo_note="both files are removed",
    )
    yield _enable(
        (timer,),
        f"Scrub {name} once a month, in the hours {hours.shown}",
        "A scrub slows other work; so it is done while there is little.",
    )


def _writes_in_hours(timer: str, hours: Hours, machine: Machine, instead: str = "") -> tuple[Action, ...]:
    """What writes the timer of one unit, and its service; they take precedence over those of all units."""
    uuid = timer.removeprefix(f"{OWN}@").removesuffix(".timer")
    start = exec_start(machine, "scrub", uuid, "--run", "--hours", hours.shown)
    texts = {
        timer: (f"{INSTEAD}{instead}\n" if instead else "")
        + _NIGHTLY.format(uuid=uuid, hours=hours.shown, begin=hours.shown.partition("-")[0]),
        f"{OWN}@{uuid}.service": _IN_HOURS.format(uuid=uuid, start=start),
    }
    return (
        *(Run(argv=("tee", f"{_FOLDER}/{file}"), input=text) for file, text in texts.items()),
        _RELOAD,
    )


def _removes(timer: str) -> tuple[Action, ...]:
    files = (f"{_FOLDER}/{timer}", f"{_FOLDER}/{timer.removesuffix('.timer')}.service")
    return Run(argv=("rm", "-f", *files)), _RELOAD


def _own(unit: Unit, name: str) -> str:
    if not _PLAIN.fullmatch(unit.uuid):
        raise Refused(f"{name} has the UUID {harmless(unit.uuid)}, which cannot be part of a timer's name")
    return f"{OWN}@{unit.uuid}.timer"


def _writes(machine: Machine) -> tuple[Action, ...]:
    """What writes our own timer and its service: one pair for all units."""
    texts = {"timer": _TIMER, "service": _SERVICE.format(start=exec_start(machine, "scrub", "%i", "--run"))}
    return (
        *(Run(argv=("tee", f"{_FOLDER}/{OWN}@.{kind}"), input=text) for kind, text in texts.items()),
        _RELOAD,
    )


_REMOVES: Final[tuple[Action, ...]] = (
    Run(argv=("rm", "-f", *(f"{_FOLDER}/{OWN}@.{kind}" for kind in ("timer", "service")))),
    _RELOAD,
)


def _files(machine: Machine) -> Step:
    others = any(
        one.by.startswith(f"{OWN}@") and one.hours is None for one in machine.system.scrub_schedules or ()
    )
    return fix_step(
        id="timer",
        title=f"Write raidtui's own timer, {OWN}@.timer, and its service",
        reason="The distribution has no timer for this.",
        actions=_writes(machine),
        undo=() if others else _REMOVES,
        undo_note="other units use them" if others else "both files are removed",
    )


def own_schedule_gone(name: str, marks: Collection[str], machine: Machine) -> Iterator[Step]:
    """Remove our own schedules of the units with these marks, which are being removed; what is the computer's stays."""
    own = [one for one in machine.system.scrub_schedules or () if one.by.startswith(f"{OWN}@")]
    if not own:
        return
    gone = [unit for unit in units_of(machine) if any(mark and unit.has_mark(mark) for mark in marks)]
    theirs = [one for one in own if any(same_uuid(one.target, unit.uuid) for unit in gone)]
    if theirs:
        yield from (replace(step, role=Role.REMOVE) for step in _off(name, theirs, machine))
        # The computer had it before. With another unit in hours it would be a second schedule.
        if len(theirs) == len(own) and (old := next((one.instead for one in theirs if one.instead), "")):
            what = f"Scrub arrays once a month again, as before {name} had hours of its own"
            step = _enable(with_continue(old), what, "It belongs to the computer.")
            yield replace(step, id="schedule-before", role=Role.REMOVE)


def _off(name: str, found: Sequence[ScrubSchedule], machine: Machine) -> Iterator[Step]:
    if not found:
        raise Refused(f"nothing scrubs {name} regularly")
    files = [harmless(one.by) for one in found if not one.by.endswith(".timer")]
    if files:
        switch = (
            f"set AUTOCHECK=false in {AUTOCHECK}, or run 'dpkg-reconfigure mdadm'"
            if files == [harmless(DEBIAN_CRON)]
            else "remove its line by hand"
        )
        raise Refused(f"{listed(files)} belongs to another program; {switch}")
    timers = tuple(timer for one in found for timer in with_continue(one.by))
    every = [one for one in found if not one.target]
    yield fix_step(
        id="schedule",
        title=f"Disable {listed(timers)}, which {'scrubs all such units' if every else f'scrubs {name}'}",
        reason="Nothing else is changed; a scrub that runs now continues.",
        actions=(Run(argv=("systemctl", "disable", "--now", *timers)),),
        undo=(Run(argv=("systemctl", "enable", "--now", *timers)),),
        undo_note=f"{listed(timers)} {'is' if len(timers) == 1 else 'are'} enabled again",
    )
    ours = [one for one in machine.system.scrub_schedules or () if one.by.startswith(f"{OWN}@")]
    for one in ours:
        if one.by in timers and one.hours is not None:
            yield fix_step(
                id="hours",
                title=f"Remove {one.by} and its service",
                reason="They are of this unit alone.",
                actions=_removes(one.by),
                undo=_writes_in_hours(one.by, one.hours, machine, one.instead)
                if can_be_started(machine)
                else (),
                undo_note="both files are written again",
            )
    # Those in hours have files of their own.
    own = {one.by for one in ours if one.hours is None}
    if own and own <= set(timers):
        yield fix_step(
            id="timer",
            title=f"Remove raidtui's own timer, {OWN}@.timer, and its service",
            reason="No unit uses them any more.",
            actions=_REMOVES,
            undo=_writes(machine) if can_be_started(machine) else (),
            undo_note="both files are written again",
        )
