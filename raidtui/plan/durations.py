"""How long a plan takes: each step, all of them, and the first resync of what it builds. Pure.

Typical times, good enough for a bar and for "about 2 min", not for anything exact. What is not known is left out.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.advice.hazards.drives import shingled
from raidtui.advice.time import reshape_range, sync_range
from raidtui.backends.resolve import place
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, PlanKind, Run, SaveCapsule, Step
from raidtui.model.struct import Record
from raidtui.model.units import about, duration_range

# Typical seconds of a command, between fast and slow disks.
_SECONDS: Final = {
    "update-initramfs": 45.0,
    "dracut": 45.0,
    "mdadm": 3.0,
    "mkfs.ext4": 8.0,
    "mkfs.xfs": 4.0,
    "mkfs.btrfs": 3.0,
    "udevadm": 1.0,
    "mount": 1.0,
    "umount": 1.0,
}
_OTHERWISE: Final = 0.5
_CAPSULE: Final = 1.0  # seconds for each disk
_MAY_LAST: Final = 600  # seconds: a command that is not in the table and may take longer has no typical time
_BRIEF: Final = 9.5  # seconds: less is not worth a word


class Durations(Record, frozen=True, kw_only=True):
    """In words. Empty: not known, or not worth a word."""

    steps: dict[str, str]  # of the steps that take long, and of syncs, by id
    total: str  # of all steps; empty if one of them is not known
    resync: str  # of the first resync, which continues after the last step


def durations(plan: Plan, machine: Machine) -> Durations:
    """How long ``plan`` takes on the disks of ``machine``, if these do nothing else."""
    spans = {step.id: _span(step, plan, machine) for step in plan.steps}
    known = [span for span in spans.values() if span is not None]
    total = (sum(low for low, _ in known), sum(high for _, high in known))
    syncs = {step.id for step in plan.steps if step.sync_bytes}
    return Durations(
        steps={
            key: _words(span)
            for key, span in spans.items()
            if span is not None and (span[1] >= _BRIEF or key in syncs)
        },
        total=_words(total) if len(known) == len(spans) else "",
        resync=_first_resync(plan, machine),
    )


def expected_seconds(step: Step) -> float:
    """The typical duration of ``step``, without a sync that it waits for."""
    seconds = _OTHERWISE
    for action in step.actions:
        if isinstance(action, Run):
            seconds += _SECONDS.get(action.argv[0], _OTHERWISE)
        elif isinstance(action, SaveCapsule):
            seconds += _CAPSULE * len(action.disks)
    return seconds


def _span(step: Step, plan: Plan, machine: Machine) -> tuple[float, float] | None:
    if step.sync_bytes:
        disks, limit = _disks(plan, machine), machine.system.raid_speed_max
        if step.reshapes:
            rotational = any(disk.rotational for disk in disks)
            return reshape_range(step.sync_bytes, rotational=rotational, bytes_per_second=None, limit=limit)
        return _sync(step.sync_bytes, disks, limit)
    runs = (action for action in step.actions if isinstance(action, Run))
    if step.as_long_as or any(r.argv[0] not in _SECONDS and r.timeout_seconds > _MAY_LAST for r in runs):
        return None
    seconds = expected_seconds(step)
    return seconds, seconds


def _first_resync(plan: Plan, machine: Machine) -> str:
    if plan.kind is not PlanKind.BUILD:
        return ""
    facts = place(plan.spec, machine).facts
    if not (facts.paced_by_md and facts.survival.guaranteed):
        return ""  # nothing to make equal, or the backend writes it with the data
    limit = machine.system.raid_speed_max
    return _words(_sync(facts.component_bytes, _disks(plan, machine), limit))


def _sync(size: int, disks: Sequence[Disk], limit: int | None) -> tuple[float, float]:
    return sync_range(
        size,
        rotational=any(disk.rotational for disk in disks),
        bytes_per_second=None,
        limit=limit,
        shingled=any(shingled(disk) for disk in disks),
    )


def _disks(plan: Plan, machine: Machine) -> list[Disk]:
    wanted = {planned.identity for planned in plan.disks}
    return [disk for disk in machine.disks if disk.identity in wanted]


def _words(span: tuple[float, float]) -> str:
    low, high = span
    if high < _BRIEF:
        return "a few seconds"
    return about(high) if about(low) == about(high) else duration_range(low, high)
