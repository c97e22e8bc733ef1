"""Let a drive give up on a bad sector before the kernel gives up on the drive: now, and by a udev rule at every boot."""

import re
from collections.abc import Sequence
from typing import Final

from raidtui.advice.hazards.drives import PATIENCE_SECONDS
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Action, DropLine, EnsureLine, Plan, Run, Step, fix_step
from raidtui.model.procedure import LimitRecovery
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Unit
from raidtui.plan.of_computer import plan_of_computer
from raidtui.steps.files import LINE_IN

RULES: Final = "/etc/udev/rules.d/60-raidtui-patience.rules"
# Tenths of a second for reads and writes: raid.wiki.kernel.org, Timeout Mismatch; smartctl(8), scterc.
_LIMIT: Final = "70,70"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")  # a serial number that needs no quoting in a udev rule


def make_patience(order: LimitRecovery, unit: Unit, machine: Machine, *, seed: str) -> Plan:
    """Plan the limits that ``order`` names: the job that does it reads no SMART data again.

    Raises:
        BadInput: a disk is not here.
        Refused: no disk is named, or a udev rule cannot name one.
    """
    name = harmless(unit.shown)
    drives, others = ([machine.disk(one) for one in some] for some in (order.drives, order.kernel))
    if not drives and not others:
        raise Refused(f"no disk of {name} is known to retry a bad sector longer than the kernel waits")
    if not can_be_named([*drives, *others], machine):
        raise Refused("there is no udev here, or the serial number of a disk cannot stand in a udev rule")
    steps = [
        *([limit_step(drives)] if drives else []),
        *([timeout_step(others)] if others else []),
    ]
    return plan_of_computer(name, steps, machine, seed=seed)


def can_be_named(disks: Sequence[Disk], machine: Machine) -> bool:
    """Whether a udev rule can name each of ``disks``; False without udev."""
    return machine.system.udev and all(_PLAIN.fullmatch(one.serial) for one in disks)


def limit_step(disks: Sequence[Disk]) -> Step:
    """Limit the time that the drives retry."""
    return _rule_step(
        "erc",
        title=f"Limit the error recovery of {count_of(disks, 'disk')} to 7 seconds, now and at boot",
        reason="The drive then reports a bad sector before the kernel times out, and its data is read from the other members.",
        disks=disks,
        assignment=f'RUN+="/usr/sbin/smartctl -l scterc,{_LIMIT} $devnode"',
    )


def timeout_step(disks: Sequence[Disk]) -> Step:
    """Let the kernel wait longer than the drives retry."""
    return _rule_step(
        "timeout",
        title=f"Set the command timeout of {count_of(disks, 'disk')} to {PATIENCE_SECONDS} seconds, now and at boot",
        reason="The drive has no error recovery limit, so the kernel must wait until it gives up on a bad sector.",
        disks=disks,
        assignment=f'ATTR{{device/timeout}}="{PATIENCE_SECONDS}"',
    )


def _rule_step(name: str, *, title: str, reason: str, disks: Sequence[Disk], assignment: str) -> Step:
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
    return fix_step(
        id=f"fix-{name}",
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
