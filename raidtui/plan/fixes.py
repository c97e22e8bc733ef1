"""Fixes that a plan can include: the spec asks for each by name, and each ends a hazard.

They concern the computer and its disks, not one array, so a teardown leaves them in place.
"""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from raidtui.backends.fix import OF_DISKS, Fix
from raidtui.backends.registry import backend
from raidtui.backends.specfile import fix_words
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Action, DropLine, EnsureLine, Hazard, Role, Run, Severity, Step
from raidtui.model.spec import Spec
from raidtui.model.text import count_of
from raidtui.steps.files import LINE_IN

RULES: Final = "/etc/udev/rules.d/60-raidtui-patience.rules"
# The kernel gives a command 30 s; a drive may retry a bad sector for two minutes and more.
_PATIENCE: Final = 180
# Tenths of a second for reading and writing: raid.wiki.kernel.org, Timeout Mismatch; smartctl(8), scterc.
_LIMIT: Final = "70,70"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")  # a serial number that can stand in a udev rule as it is


def offered(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> tuple[str, ...]:
    """The fixes that these hazards have, in their order."""
    return tuple(_possible(spec, hazards, machine))


def settled(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> tuple[Hazard, ...]:
    """The hazards once the plan is carried out: one that ``spec`` has fixed is listed and needs no acknowledgement."""
    every = tuple(hazards)
    fixed = {one.id: word for word, (one, _) in _possible(spec, every, machine).items() if word in spec.fixes}
    return tuple(
        msgspec.structs.replace(
            one, severity=Severity.INFO, advice=f"This plan fixes it in the step fix-{fixed[one.id]}"
        )
        if one.id in fixed
        else one
        for one in every
    )


def fix_steps(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> list[Step]:
    """The steps of the fixes of ``spec``; one whose hazard is not there has nothing to do and makes none.

    Raises:
        BadInput: a fix that is not known.
    """
    known = fix_words()
    if unknown := [word for word in spec.fixes if word not in known]:
        raise BadInput(f"{unknown[0]!r} is not a known fix; there are {', '.join(known)}")
    possible = _possible(spec, hazards, machine)
    found = (possible[word] for word in dict.fromkeys(spec.fixes) if word in possible)
    return [fix.step(hazard, machine) for hazard, fix in found]


def _possible(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> dict[str, tuple[Hazard, Fix]]:
    """The hazards that can be fixed on this computer and how, by the word of the fix."""
    known = {**_OF_DISKS, **backend(spec.backend).fixes}
    by_hazard = {fix.hazard: (word, fix) for word, fix in known.items()}
    seen = ((one, *by_hazard[one.id]) for one in hazards if one.id in by_hazard)
    return {word: (one, fix) for one, word, fix in seen if fix.can(one, machine)}


def _can_have_a_rule(hazard: Hazard, machine: Machine) -> bool:
    """Whether the disks that a hazard is about can be named in a udev rule; without udev none can."""
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


_OF_DISKS: Final = dict(
    zip(
        OF_DISKS,
        (
            Fix(hazard="erc-off", step=_recovery_step, can=_can_have_a_rule),
            Fix(hazard="erc-missing", step=_timeout_step, can=_can_have_a_rule),
        ),
        strict=True,
    )
)
