"""Optional fixes in a plan: each is named in the spec and resolves one hazard.

They apply to the computer and its disks, not to one array, so a teardown leaves them in place.
"""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from raidtui.backends.fix import OF_DISKS, Fix
from raidtui.backends.registry import fixes as fixes_of
from raidtui.backends.specfile import fix_words
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Action, DropLine, EnsureLine, Hazard, Role, Run, Severity, Step
from raidtui.model.spec import Spec
from raidtui.model.text import count_of
from raidtui.steps.files import LINE_IN

RULES: Final = "/etc/udev/rules.d/60-raidtui-patience.rules"
# The kernel's command timeout is 30 s; a drive may retry a bad sector for two minutes or more.
_PATIENCE: Final = 180
# Tenths of a second for reads and writes: raid.wiki.kernel.org, Timeout Mismatch; smartctl(8), scterc.
_LIMIT: Final = "70,70"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")  # a serial number that needs no quoting in a udev rule


def offered(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> tuple[str, ...]:
    """The fixes available for these hazards, in the order of the hazards."""
    return tuple(_possible(spec, hazards, machine))


def settled(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> tuple[Hazard, ...]:
    """The hazards with those that ``spec`` fixes lowered to INFO, so that they need no acknowledgment."""
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
    """The steps for the fixes in ``spec``; a fix without its hazard makes no step.

    Raises:
        BadInput: an unknown fix.
    """
    known = fix_words()
    if unknown := [word for word in spec.fixes if word not in known]:
        raise BadInput(f"{unknown[0]!r} is not a known fix; valid values: {', '.join(known)}")
    possible = _possible(spec, hazards, machine)
    found = (possible[word] for word in dict.fromkeys(spec.fixes) if word in possible)
    return [fix.step(hazard, machine) for hazard, fix in found]


def _possible(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> dict[str, tuple[Hazard, Fix]]:
    """The hazards that can be fixed on this computer, with their fixes, by name of the fix."""
    known = {**_OF_DISKS, **fixes_of(spec.backend)}
    by_hazard = {fix.hazard: (word, fix) for word, fix in known.items()}
    seen = ((one, *by_hazard[one.id]) for one in hazards if one.id in by_hazard)
    return {word: (one, fix) for one, word, fix in seen if fix.can(one, machine)}


def _can_be_named_in_rule(hazard: Hazard, machine: Machine) -> bool:
    """Whether all disks of a hazard can be named in a udev rule; False without udev."""
    return machine.system.udev and all(_PLAIN.fullmatch(machine.disk(one).serial) for one in hazard.disks)


def _recovery_step(hazard: Hazard, machine: Machine) -> Step:
    disks = [machine.disk(one) for one in hazard.disks]
    return _rule_step(
        "erc",
        title=f"Limit the error recovery of {count_of(disks, 'disk')} to 7 seconds, now and at boot",
        reason="The drive then reports a bad sector before the kernel times out, and its data is read from the other members.",
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
    """Write one udev rule per disk and trigger it at once, which also tests the rule."""
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
            Fix(hazard="erc-off", step=_recovery_step, can=_can_be_named_in_rule),
            Fix(hazard="erc-missing", step=_timeout_step, can=_can_be_named_in_rule),
        ),
        strict=True,
    )
)
