"""The results of a burn-in, one for each disk, to be recorded."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from raidtui.advice.burnin import sisters_of, slow_parts
from raidtui.bench.burnin.course import BLANK, VERIFY, Course
from raidtui.bench.burnin.surface import zone_size
from raidtui.model.history import BurnIn, Sectors
from raidtui.model.machine import Disk


def results_of(
    courses: Sequence[Course], begun: str, counted: Mapping[str, tuple[str, ...]]
) -> tuple[BurnIn, ...]:
    """What was found on each disk.

    Args:
        begun: when the burn-in was asked for.
        counted: by identity, the disk's own counts of errors that have grown since.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    readings = [course.reading for course in courses]
    return tuple(
        BurnIn(
            subject=course.disk.identity,
            at=now,
            begun=begun,
            size_bytes=course.disk.size_bytes,
            sector_bytes=course.disk.logical_sector_bytes,
            zone_bytes=zone_size(course.disk.size_bytes),
            rates=readings[place].rates,
            sisters=len(sisters_of(readings, place)),
            slow=slow_parts(readings, zone_size(course.disk.size_bytes), course.disk.size_bytes, place),
            bad=_joined((*course.bad, *as_sectors(course.faults, course.disk))),
            unsteady=_joined(course.unsteady),
            unwritable=as_sectors(course.unwritten, course.disk),
            differing=tuple(
                (at // course.disk.logical_sector_bytes,) * 2 for at in sorted(set(course.differs))
            ),
            grown=counted.get(course.disk.identity, ()),
            written=BLANK in course.done and not course.left(VERIFY) and not course.gave_up,
            gave_up=course.gave_up,
            self_tests=tuple(course.self_tests.values()),
        )
        for place, course in enumerate(courses)
    )


def as_sectors(ranges: Sequence[tuple[int, int]], disk: Disk) -> tuple[Sectors, ...]:
    """Ranges of bytes, as offset and length, as sectors in order."""
    unit = disk.logical_sector_bytes
    return _joined([(offset // unit, (offset + length - 1) // unit) for offset, length in ranges])


def _joined(sectors: Sequence[Sectors]) -> tuple[Sectors, ...]:
    """``sectors`` in order, neighbors together."""
    found: list[Sectors] = []
    for first, last in sorted(sectors):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)
