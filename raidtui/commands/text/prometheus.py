"""The state of a computer as metrics for node_exporter's textfile collector.

Its own md metrics do not show a removed member. Here a member that is gone stays until it is acknowledged, and the
redundancy that is left is one number. What is not known has no sample: a rule with ``absent()`` finds that.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from raidtui.advice.findings.pages import PAGES
from raidtui.advice.redundancy import redundancy
from raidtui.commands._look import Look
from raidtui.model.finding import Urgency
from raidtui.model.history import History
from raidtui.model.machine import Disk
from raidtui.model.smart import Smart
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit

_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Sample(NamedTuple):
    """One line."""

    labels: dict[str, str]
    value: float


class Metric(NamedTuple):
    """A metric with its samples; all are gauges, as each file replaces the last one."""

    name: str
    help: str
    samples: list[Sample]


def metrics_text(seen: Look) -> str:
    """Every metric in Prometheus' text format, which node_exporter reads from a file named ``*.prom``."""
    return "".join(_text(one) for one in _metrics(seen) if one.samples)


def _text(metric: Metric) -> str:
    name = f"raidtui_{metric.name}"
    lines = [f"# HELP {name} {metric.help}", f"# TYPE {name} gauge"]
    for labels, value in metric.samples:
        words = ",".join(f'{key}="{harmless(text).translate(_ESCAPED)}"' for key, text in labels.items())
        lines.append(f"{name}{f'{{{words}}}' if words else ''} {_number(value)}")
    return "\n".join([*dict.fromkeys(lines), ""])


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _metrics(seen: Look) -> Iterator[Metric]:
    machine, units = seen.machine, seen.units
    yield _one("read_timestamp_seconds", "Time of this reading.", _seconds(machine.read_at))
    yield _one(
        "reading_complete",
        "1 if everything could be read; else what is missing here is unknown.",
        float(machine.complete and not machine.problems),
    )
    yield Metric(
        "unit_info",
        "An array, volume group, pool or virtual drive.",
        [
            Sample(
                {
                    **_unit(unit),
                    "backend": unit.backend.value,
                    "level": unit.level,
                    "path": unit.path,
                    "mountpoint": next(iter(unit.mountpoints), ""),
                },
                1,
            )
            for unit in units
        ],
    )
    yield Metric(
        "unit_health",
        "1 for the health that a unit has, 0 for the others.",
        [
            Sample({**_unit(unit), "health": health.value}, float(unit.health is health))
            for unit in units
            for health in Health
        ],
    )
    yield _of_units(
        units,
        "unit_redundancy",
        "2 all that the level gives, 1 reduced, 0 the next failure can lose data, -1 lost; absent: not known.",
        redundancy,
    )
    yield _of_units(units, "unit_size_bytes", "Size of a unit.", lambda unit: unit.size_bytes or None)
    yield _of_units(
        units,
        "unit_members_wanted",
        "Members that hold data, the missing ones included.",
        lambda unit: unit.raid_disks or None,
    )
    yield _of_units(units, "unit_members_lost", "Members that are gone.", lambda unit: len(unit.lost))
    yield _of_units(
        units,
        "unit_sync_ratio",
        "Part of the resync, rebuild or scrub that is done; absent: nothing runs.",
        lambda unit: None if unit.activity is None else unit.activity.fraction,
    )
    yield _of_units(
        units,
        "unit_sync_bytes_per_second",
        "Rate of that activity for each member; absent: not known.",
        lambda unit: None if unit.activity is None else unit.activity.bytes_per_second,
    )
    yield Metric(
        "member_info",
        "A member of a unit by the serial number of its disk.",
        [
            Sample(
                {
                    **_unit(unit),
                    "disk": member.disk,
                    "path": member.path,
                    "slot": "" if member.slot is None else str(member.slot),
                    "state": member.state,
                },
                1,
            )
            for unit in units
            for member in unit.members
        ],
    )
    yield Metric(
        "member_lost_info",
        "A member that is gone, until 'raidtui status --acknowledge'.",
        [
            Sample({**_unit(unit), "disk": lost.disk, "path": lost.path, "place": lost.place}, 1)
            for unit in units
            for lost in unit.lost
        ],
    )
    yield Metric(
        "findings",
        "Findings of 'raidtui care'.",
        [
            Sample(
                {"urgency": urgency.name.lower()},
                sum(PAGES[one.kind].urgency is urgency for one in seen.findings),
            )
            for urgency in Urgency
        ],
    )
    yield Metric(
        "finding_info",
        "A finding of 'raidtui care'.",
        [
            Sample({"name": name, "kind": kind, "urgency": urgency}, 1)
            for name, kind, urgency in dict.fromkeys(
                (one.name, one.kind.value, PAGES[one.kind].urgency.name.lower()) for one in seen.findings
            )
        ],
    )
    yield from _health(machine.disks)
    if machine.history is not None:
        yield from _recorded(machine.history, units)


def _recorded(history: History, units: tuple[Unit, ...]) -> Iterator[Metric]:
    last = {one.subject: one for one in history.scrubs}  # oldest first
    scrubbed = [(unit, last[unit.uuid]) for unit in units if unit.uuid in last]
    yield Metric(
        "unit_scrub_timestamp_seconds",
        "When the last scrub of a unit was seen to have ended; absent: none was recorded.",
        [Sample(_unit(unit), one) for unit, result in scrubbed if (one := _seconds(result.at)) is not None],
    )
    yield Metric(
        "unit_scrub_mismatches",
        "Sectors that differed, or errors, in the last scrub; absent: not known.",
        [Sample(_unit(unit), result.found) for unit, result in scrubbed if result.found is not None],
    )
    yield Metric(
        "alerts_proven_timestamp_seconds",
        "When a person last confirmed that an alert arrived on this way.",
        [
            Sample({"way": proof.subject}, at)
            for proof in history.alert_proofs
            if (at := _seconds(proof.at)) is not None
        ],
    )


def _health(disks: tuple[Disk, ...]) -> Iterator[Metric]:
    for name, text, of in _SMART:
        samples = [
            Sample(_disk(disk), float(value))
            for disk in disks
            if disk.smart is not None and (value := of(disk.smart)) is not None
        ]
        yield Metric(f"disk_{name}", text, samples)


_SMART: tuple[tuple[str, str, Callable[[Smart], float | None]], ...] = (
    ("smart_passed", "1 if the disk's own assessment is that it is not failing.", lambda one: one.passed),
    ("temperature_celsius", "Temperature of the disk.", lambda one: one.temperature_celsius),
    (
        "power_on_seconds",
        "Time that the disk was powered on.",
        lambda one: None if one.power_on_hours is None else 3600.0 * one.power_on_hours,
    ),
    ("reallocated_sectors", "Sectors that were reallocated.", lambda one: one.reallocated_sectors),
    ("pending_sectors", "Sectors that could not be read.", lambda one: one.pending_sectors),
    ("uncorrectable_sectors", "Sectors that a scan could not read.", lambda one: one.uncorrectable_sectors),
    (
        "reported_uncorrectable",
        "Commands that failed on a bad sector.",
        lambda one: one.reported_uncorrectable,
    ),
    ("crc_errors", "Transfers that arrived damaged: mostly the cable.", lambda one: one.crc_errors),
    ("media_errors", "Unrecovered errors of an NVMe disk.", lambda one: one.media_errors),
    (
        "wear_ratio",
        "Part of the flash's rated life that is used, which can exceed 1.",
        lambda one: None if one.percentage_used is None else one.percentage_used / 100,
    ),
)


def _one(name: str, text: str, value: float | None) -> Metric:
    return Metric(name, text, [] if value is None else [Sample({}, value)])


def _of_units(units: tuple[Unit, ...], name: str, text: str, of: Callable[[Unit], float | None]) -> Metric:
    samples = [Sample(_unit(unit), float(value)) for unit in units if (value := of(unit)) is not None]
    return Metric(name, text, samples)


def _unit(unit: Unit) -> dict[str, str]:
    return {"unit": unit.shown, "uuid": unit.uuid}


def _disk(disk: Disk) -> dict[str, str]:
    return {"disk": disk.identity, "device": disk.path, "model": disk.model}


def _seconds(at: str) -> float | None:
    """Seconds since 1970; None if nothing is known, or a damaged recording holds something else."""
    try:
        return datetime.fromisoformat(at).timestamp() if at else None
    except (ValueError, OverflowError):
        return None
