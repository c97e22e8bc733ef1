"""What becomes worse on a disk: a count that grows is a finding, one that has stood for long is not. Pure.

Of Backblaze's failed drives 77 % had a value above zero in one of the attributes 5, 187, 188, 197 and 198, but so had
4 % of those that worked ("What SMART Stats Tell Us About Hard Drives"): the level alone says little. A count that keeps
growing does.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from raidtui.model.history import SmartRow
from raidtui.model.machine import Disk
from raidtui.model.struct import Record

WINDOW_DAYS: Final = 30
_DAYS: Final = 2  # on which it grew: once may be one bad spot, which the disk has replaced
_AT_ONCE: Final = 16  # sectors or errors on one day that are no single bad spot
_TRANSFERS: Final = 10  # damaged transfers in the window: a cable that is plugged in makes a few
_PACKED: Final = 0xFFFF  # a raw value from here on is several numbers in one
_WEAR_DAYS: Final = 180  # before the end of the rated life
_WEAR_SEEN: Final = 14  # days over which wear is measured: it counts in whole percents
_WEAR_STEP: Final = 5  # percent from one row to the next that no disk wears off
_UNITS: Final = (8, 512, 4096)  # by which a count grows that is no longer of 4096-byte sectors, or of sectors
_DAILY: Final = 90  # days for which every row is kept
_WEEKLY: Final = 730  # days for which one a week is kept; then one a month

GROWING: Final = {
    "reallocated_sectors": "reallocated sectors",
    "pending_sectors": "pending sectors",
    "uncorrectable_sectors": "uncorrectable sectors",
    "reported_uncorrectable": "reported uncorrectable errors",
    "uncorrected_errors": "uncorrected errors",
    "media_errors": "media errors",
}
_MOVES: Final = frozenset({"pending_sectors", "uncorrectable_sectors"})
"""They fall again when a sector is written: only what stays counts."""


class Trend(Record, frozen=True, kw_only=True):
    """A value of a disk that becomes worse."""

    field: str  # of `SmartRow`
    words: str  # "reallocated sectors 8 → 40 since 2 Nov"
    failing: bool = True  # False: not the disk itself, or no sign of an early end


def trends(disk: Disk, rows: Sequence[SmartRow], today: str = "") -> tuple[Trend, ...]:
    """What becomes worse on ``disk``, the gravest first.

    Args:
        rows: its rows, oldest first, of which those before the last month are ignored for errors.
        today: the date, 2026-11-26. Rows after it are from a day on which the clock was wrong; empty: not known.
    """
    own = _of_past_days([row for row in rows if row.subject == disk.identity], today)
    if len(own) < 2:
        return ()
    last = date.fromisoformat(own[-1].day)
    recent = [row for row in own if last - date.fromisoformat(row.day) <= timedelta(days=WINDOW_DAYS)]
    found = [*_errors(disk, recent), *_transfers(recent), *_wear(own)]
    return tuple(sorted(found, key=lambda one: not one.failing))


def _of_past_days(rows: Sequence[SmartRow], today: str) -> Sequence[SmartRow]:
    """``rows`` without those of the future; if that is most of them, the clock is wrong now."""
    try:
        tomorrow = (date.fromisoformat(today) + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return rows
    past = [row for row in rows if row.day <= tomorrow]
    return past if 2 * len(past) >= len(rows) else rows


def _errors(disk: Disk, rows: Sequence[SmartRow]) -> Iterator[Trend]:
    sectors = disk.size_bytes // disk.logical_sector_bytes
    for field, name in GROWING.items():
        values = _counts(rows, field, most=sectors)
        if len({value for _, value in values}) < 2:
            continue  # nearly every count of nearly every disk
        if field not in _MOVES:
            values = _lasting(values)
        if len(values) < 2:
            continue
        (begun, first), (_, now) = values[0], values[-1]
        unit = _UNITS if field.endswith("_sectors") else ()
        steps = [
            new - old for (_, old), (_, new) in pairwise(values) if new > old and new not in _times(old, unit)
        ]
        if now <= first or (field in _MOVES and not disk.rotational and now <= 1):
            continue  # flash of Crucial counts one pending sector now and then, and takes it back
        if field in _MOVES and values[-2][1] <= first:
            continue  # seen once: the next reading may be without it
        seen_twice = values[-2][1] - first >= _AT_ONCE or field in _MOVES
        if len(steps) >= _DAYS or (max(steps, default=0) >= _AT_ONCE and seen_twice):
            yield Trend(field=field, words=f"{name} {first} → {now} since {_day(begun)}")


def _times(old: int, factors: Sequence[int]) -> frozenset[int]:
    """The same count in smaller units: a firmware or smartctl that is new may count bytes or 512-byte sectors."""
    return frozenset(old * factor for factor in factors)


def _lasting(values: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The values of a count that never falls in truth; none if it falls again and again, as of two disks with one name.

    A lower value that is taken back is left out: some disks report 0 after they slept. One that stays is a new
    beginning: the count was reset.
    """
    falls = sum(0 < new < old for (_, old), (_, new) in pairwise(values))
    if falls > 1:
        return []
    kept: list[tuple[str, int]] = []
    out: list[int] = []
    for place, (day, value) in enumerate(values):
        if kept and value < kept[-1][1]:
            if any(later >= kept[-1][1] for _, later in values[place + 1 :]):
                out.append(value)
                continue
            kept = []
        kept.append((day, value))
    # The window may begin on such a day.
    return kept[1:] if out and kept[0][1] in out else kept


def _transfers(rows: Sequence[SmartRow]) -> Iterator[Trend]:
    values = _counts(rows, "crc_errors", most=_PACKED)
    if len(values) < 2:
        return
    (begun, first), (_, now) = values[0], values[-1]
    steps = [new - old for (_, old), (_, new) in pairwise(values) if new > old]
    if now - first >= _TRANSFERS and len(steps) >= _DAYS:
        words = f"damaged transfers {first} → {now} since {_day(begun)}: the cable or its connector"
        yield Trend(field="crc_errors", words=words, failing=False)


def _wear(rows: Sequence[SmartRow]) -> Iterator[Trend]:
    values = [(row.day, row.percentage_used) for row in rows if row.percentage_used is not None]
    jumps = [place + 1 for place, pair in enumerate(pairwise(values)) if _is_no_wear(*pair)]
    values = values[max(jumps, default=0) :]
    if len(values) < 2:
        return
    (begun, first), (day, now) = values[0], values[-1]
    days = (date.fromisoformat(day) - date.fromisoformat(begun)).days
    if days < _WEAR_SEEN or now - first < 2 or now >= 100:
        return
    left = round((100 - now) * days / (now - first))
    if left <= _WEAR_DAYS:
        words = f"wear {first} → {now} % since {_day(begun)}: its rated life ends in about {left} days"
        yield Trend(field="percentage_used", words=words, failing=False)


def _is_no_wear(before: tuple[str, int], after: tuple[str, int]) -> bool:
    """Whether a change is none of the disk: its firmware now says how much is left, or it was set anew."""
    days = (date.fromisoformat(after[0]) - date.fromisoformat(before[0])).days
    more = after[1] - before[1]
    return more < 0 or more > max(_WEAR_STEP, days)


def _counts(rows: Sequence[SmartRow], field: str, *, most: int) -> list[tuple[str, int]]:
    """The values of a count with their days; none if one of them cannot be a count."""
    values = [(row.day, value) for row in rows if (value := getattr(row, field)) is not None]
    most = min(most, _PACKED)
    return values if all(0 <= value < most for _, value in values) else []


def _day(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%b}"


def thinned(rows: Sequence[SmartRow], today: date) -> tuple[SmartRow, ...]:
    """The rows of one disk to remove: after 90 days one a week is kept, after two years one a month, always the first."""
    seen: set[tuple[int, ...]] = set()
    removed = []
    for row in rows:
        day = date.fromisoformat(row.day)
        age = (today - day).days
        if age <= _DAILY:
            continue
        slot = day.isocalendar()[:2] if age <= _WEEKLY else (day.year, -day.month)
        if slot in seen:
            removed.append(row)
        seen.add(tuple(slot))
    return tuple(removed)
