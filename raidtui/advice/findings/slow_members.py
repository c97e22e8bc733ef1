"""Find a member that has become slower than its neighbors, from what reading cost each during syncs and scrubs. Pure.

All members of an array are read at the same time and by the same amounts, so what reading one MiB costs them can be
compared. In a mixed set a disk may always have been slower than the others. So it is compared with its own earlier
runs; without any, with the others only if they are of its model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from raidtui.backends.unit_words import with_noun
from raidtui.model.finding import Concerned, Finding, Kind, Remedy
from raidtui.model.history import SyncRun
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid

FEWEST_SAMPLES: Final = 6  # half an hour, at one every five minutes
_FEWEST_MEMBERS: Final = 3  # of two it cannot be said which one is unusual
_SLOWER: Final = 1.25  # than the median of the others, and than it was itself
_MOSTLY: Final = 0.75  # of the samples: a single slow stretch is the work of others


def slow_members(
    machine: Machine, units: Sequence[Unit], name_of: Callable[[Unit], str]
) -> Iterator[Finding]:
    """A finding for each unit that has a member which has become slower."""
    if machine.history is None:
        return
    models = {disk.identity: disk.model for disk in machine.disks}
    for unit in units:
        runs = [run for run in machine.history.syncs if same_uuid(run.subject, unit.uuid)]
        for disk, ratio in slower(runs, models).items():
            if disk not in {member.disk for member in unit.members}:
                continue
            yield Finding(
                name=name_of(unit),
                kind=Kind.SLOW_MEMBER,
                what=f"{with_noun(unit)}: {disk} took {ratio:.1f} times as long as its neighbors to read",
                unit=unit.uuid,
                disks=(Concerned(disk=disk, state="slower than its neighbors", model=models.get(disk, "")),),
                remedies=(Remedy(text=f"look at the health, the cable and the port of {harmless(disk)}"),),
            )


def slower(runs: Sequence[SyncRun], models: Mapping[str, str]) -> dict[str, float]:
    """The disks that have become slower in the last of ``runs``, with how many times the others' median they took.

    Args:
        runs: those of one unit, oldest first.
        models: of the disks, by identity.
    """
    measured = [(run, found) for run in runs if (found := _ratios(run))]
    if not measured:
        return {}
    last, now = measured[-1]
    earlier = [found for run, found in measured[:-1] if run.scrub == last.scrub]
    slow = {}
    for disk, ratios in now.items():
        ratio = median(ratios)
        lasting = sum(one >= _SLOWER for one in ratios) >= _MOSTLY * len(ratios)
        before = [median(found[disk]) for found in earlier if disk in found]
        model = models.get(disk, "")
        sisters = bool(model) and all(models.get(other) == model for other in now)
        usual = median(before) if before else 1.0 if sisters else None
        if lasting and usual is not None and ratio >= _SLOWER * max(1.0, usual):
            slow[disk] = ratio
    return slow


def _ratios(run: SyncRun) -> dict[str, list[float]]:
    """Of each disk, its cost to the median of the others in each sample; empty if there are too few of either."""
    costs = {one.disk: one.microseconds for one in run.costs if len(one.microseconds) >= FEWEST_SAMPLES}
    if len(costs) < _FEWEST_MEMBERS:
        return {}
    count = min(map(len, costs.values()))
    latest = {disk: values[-count:] for disk, values in costs.items()}
    found: dict[str, list[float]] = {}
    for disk, values in latest.items():
        others = [median(latest[other][place] for other in latest if other != disk) for place in range(count)]
        found[disk] = [value / other for value, other in zip(values, others, strict=True) if other]
    return {disk: ratios for disk, ratios in found.items() if len(ratios) >= FEWEST_SAMPLES}
