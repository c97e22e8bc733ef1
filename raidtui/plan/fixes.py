"""Fixes that a plan can include: the spec asks for each by name, and each ends a hazard.

They concern the computer and its disks, not one array, so a teardown leaves them in place.
"""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Action, DropLine, EnsureLine, Hazard, Role, Run, Severity, Step
from raidtui.model.text import count_of
from raidtui.steps.files import LINE_IN

RULES: Final = "/etc/udev/rules.d/60-raidtui-patience.rules"
CRON: Final = "/etc/cron.d/raidtui-scrub"
_HAS_SECOND: Final = frozenset({"mdcheck_start.timer"})  # it stops after six hours, and another resumes it
_GOES_ON: Final = "mdcheck_continue.timer"
MAIL: Final = "MAILADDR root"
# The kernel gives a command 30 s; a drive may retry a bad sector for two minutes and more.
_PATIENCE: Final = 180
# Tenths of a second for reading and writing: raid.wiki.kernel.org, Timeout Mismatch; smartctl(8), scterc.
_LIMIT: Final = "70,70"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")  # a serial number that can stand in a udev rule as it is

# The fix of each hazard that has one, as the spec names it.
FIX_OF: Final = {
    "erc-off": "erc",
    "erc-missing": "timeout",
    "no-mail-address": "mail",
    "never-scrubbed": "scrub",
}


def offered(hazards: Iterable[Hazard], machine: Machine) -> tuple[str, ...]:
    """The fixes that these hazards have, in their order."""
    found = [FIX_OF[one.id] for one in hazards if one.id in FIX_OF and _can(one, machine)]
    return tuple(dict.fromkeys(found))


def settled(hazards: Iterable[Hazard], fixes: Iterable[str], machine: Machine) -> tuple[Hazard, ...]:
    """The hazards once the plan is carried out: a fixed one is listed and needs no acknowledgement."""
    chosen = set(fixes)
    return tuple(
        msgspec.structs.replace(
            one, severity=Severity.INFO, advice=f"This plan fixes it in the step fix-{FIX_OF[one.id]}"
        )
        if FIX_OF.get(one.id) in chosen and _can(one, machine)
        else one
        for one in hazards
    )


def fix_steps(fixes: Iterable[str], hazards: Iterable[Hazard], machine: Machine) -> list[Step]:
    """The steps of the chosen ``fixes``; one whose hazard is not there has nothing to do and makes none.

    Raises:
        BadInput: a fix that is not known.
    """
    chosen = tuple(fixes)
    unknown = [name for name in chosen if name not in FIX_OF.values()]
    if unknown:
        raise BadInput(f"{unknown[0]!r} is not a known fix; there are {', '.join(FIX_OF.values())}")
    by_fix = {FIX_OF[one.id]: one for one in hazards if one.id in FIX_OF and _can(one, machine)}
    makers = {"erc": _recovery_step, "timeout": _timeout_step, "mail": _mail_step, "scrub": _scrub_step}
    return [makers[name](by_fix[name], machine) for name in dict.fromkeys(chosen) if name in by_fix]


def _can(hazard: Hazard, machine: Machine) -> bool:
    """Whether the disks that a hazard is about can be named in a udev rule (without udev none can); or there is
    something that could scrub.
    """
    if FIX_OF[hazard.id] == "scrub":
        return bool(machine.system.could_scrub)
    if not hazard.disks:
        return True
    return machine.system.udev and all(_PLAIN.fullmatch(machine.disk(one).serial) for one in hazard.disks)


def _recovery_step(hazard: Hazard, machine: Machine) -> Step:
    disks = [machine.disk(one) for one in hazard.disks]
    return _rule_step(
        "erc",
        title=f"Limit the error recovery of {count_of(disks, 'disk')} to 7 seconds, now and at boot",
        reason="The drive then reports a bad sector before the kernel times out, and md reads it from the other members.",
        disks=disks,
        assignment=f'RUN+="/usr/sbin/smartctl -l scterc,{_LIMIT} $devnode"',
    )


def _timeout_step(hazard: Hazard, machine: Machine) -> Step:
    disks = [machine.disk(one) for one in hazard.disks]
    return _rule_step(
        "timeout",
        title=f"Set the command timeout of {count_of(disks, 'disk')} to {_PATIENCE} seconds, now and at boot",
        reason="The drive has no error recovery limit, so the kernel must wait until it gives up on a bad sector.",
        disks=disks,
        assignment=f'ATTR{{device/timeout}}="{_PATIENCE}"',
    )


def _rule_step(name: str, *, title: str, reason: str, disks: list[Disk], assignment: str) -> Step:
    """A line of a udev rule for each disk, which udev then applies: that proves the rule."""
    lines = [
        f'ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", '
        f'ENV{{ID_SERIAL_SHORT}}=="{disk.serial}", {assignment}'
        for disk in disks
    ]
    apply: list[Action] = [Run(argv=("udevadm", "control", "--reload"))]
    apply += [
        Run(argv=("udevadm", "trigger", "--action=change", f"--name-match={disk.stable_path}"))
        for disk in disks
    ]
    return Step(
        id=f"fix-{name}",
        role=Role.FIX,
        title=title,
        reason=reason,
        actions=(*(EnsureLine(path=RULES, line=line) for line in lines), *apply),
        after=tuple(LINE_IN.of(RULES, line) for line in lines),
        undo=(
            *(DropLine(path=RULES, line=line) for line in lines),
            Run(argv=("udevadm", "control", "--reload")),
        ),
        undo_note=f"the lines are removed from {RULES}; the current setting stays until the next boot",
    )


def _mail_step(hazard: Hazard, machine: Machine) -> Step:
    conf = machine.system.mdadm_conf
    return Step(
        id="fix-mail",
        role=Role.FIX,
        title="Send mail to root when a disk fails",
        reason="A degraded array keeps working; without mail nobody notices until the next disk fails.",
        actions=(EnsureLine(path=conf, line=MAIL),),
        after=(LINE_IN.of(conf, MAIL),),
        undo=(DropLine(path=conf, line=MAIL),),
        undo_note=f"the line is removed from {conf}",
    )


def _scrub_step(hazard: Hazard, machine: Machine) -> Step:
    """mdadm's own timer where there is one, else a line for cron."""
    title = "Scrub every array once a month"
    reason = "A scrub finds unreadable sectors and rewrites them from the other members while those are still good."
    by = machine.system.could_scrub
    if not by.endswith(".timer"):
        line = f'57 0 1-7 * * root [ "$(date +\\%u)" = 7 ] && {by} --cron --all --idle --quiet'  # the first Sunday
        return Step(
            id="fix-scrub",
            role=Role.FIX,
            title=title,
            reason=reason,
            actions=(EnsureLine(path=CRON, line=line),),
            after=(LINE_IN.of(CRON, line),),
            undo=(DropLine(path=CRON, line=line),),
            undo_note=f"the line is removed from {CRON}",
        )
    timers = (by, _GOES_ON) if by in _HAS_SECOND else (by,)
    return Step(
        id="fix-scrub",
        role=Role.FIX,
        title=title,
        reason=reason,
        actions=(Run(argv=("systemctl", "enable", "--now", *timers)),),
        undo=(Run(argv=("systemctl", "disable", "--now", *timers)),),
        undo_note=f"{by} is disabled",
    )
