"""Shapes of SMART series that are no sign of a failing disk, and failing ones under the same troubles."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from raidtui.advice.smart_trends import trends
from raidtui.jobs.regular import record_smart
from raidtui.machine.history import HistoryFile
from raidtui.model.history import SmartRow
from raidtui.model.machine import Disk
from raidtui.model.smart import Smart
from tests.unit.test_smart_trends import BEGIN, HDD, SSD, failing_disk, found_on, read_on, series

Day = dict[str, Any]
DAYS: Final = 90


def each(make: Callable[[int], Day]) -> list[Day]:
    return [make(day) for day in range(DAYS)]


NO_SIGN: Final[dict[str, tuple[list[Day], Disk]]] = {
    "Seagate packs three counts into 48 bits": (
        each(lambda day: {"reallocated_sectors": (3 << 32) + (7 << 16) + day // 9}),
        HDD,
    ),
    "a 16-bit count without a count": (each(lambda day: {"reported_uncorrectable": 0xFFFF}), HDD),
    "a firmware counts 512-byte sectors where it counted 4096-byte ones": (
        each(lambda day: {"reallocated_sectors": 5 if day < 40 else 40}),
        HDD,
    ),
    "a firmware counts bytes": (each(lambda day: {"reallocated_sectors": 8 if day < 40 else 4096}), HDD),
    "a firmware sets the count to zero": (
        each(lambda day: {"reallocated_sectors": 160 if day < 40 else 0}),
        HDD,
    ),
    "set to zero, and one bad spot after it": (
        each(lambda day: {"reallocated_sectors": 160 if day < 40 else 0 if day < 60 else 8}),
        HDD,
    ),
    "0 after it slept": (each(lambda day: {"reallocated_sectors": 0 if day % 7 == 3 else 24}), HDD),
    "0 after it slept, and one bad spot": (
        each(lambda day: {"reallocated_sectors": 0 if day % 7 == 3 else 24 if day < 50 else 32}),
        HDD,
    ),
    "two disks behind bridges with one serial number": (
        each(lambda day: {"reallocated_sectors": 3 if day % 2 else 40}),
        HDD,
    ),
    "a count that wraps at 8 bits": (each(lambda day: {"media_errors": 255 if day < 30 else 3}), SSD),
    "a count that is new in the drive database": (
        each(lambda day: {} if day < 30 else {"uncorrectable_sectors": 1688}),
        HDD,
    ),
    "days without a reading": (
        each(lambda day: {} if day % 5 else {"reallocated_sectors": 8, "pending_sectors": 0}),
        HDD,
    ),
    "a glitch of one reading": (
        each(lambda day: {"uncorrected_errors": 0 if day != 44 else 60_000}),
        HDD,
    ),
    "one read error in a spring and one in a summer": (
        each(lambda day: {"reported_uncorrectable": (day > 10) + (day > 70)}),
        HDD,
    ),
    "a temperature packed with its lowest and highest": (
        each(lambda day: {"temperature_celsius": 0x2D_0014_0000 + 30 + day % 9}),
        HDD,
    ),
    "a firmware says how much life is left instead of used": (
        each(lambda day: {"percentage_used": 4 if day < 40 else 96}),
        SSD,
    ),
    "used above 100 percent": (each(lambda day: {"percentage_used": 99 + day // 4}), SSD),
    "used stands at 255": (each(lambda day: {"percentage_used": 255}), SSD),
    "used was set to zero by the maker": (
        each(lambda day: {"percentage_used": 97 if day < 40 else day // 45}),
        SSD,
    ),
    "hours that run backwards": (
        each(lambda day: {"power_on_hours": 65_535 - day * 24, "crc_errors": 4}),
        HDD,
    ),
    "a cable that was plugged in once": (each(lambda day: {"crc_errors": 0 if day < 20 else 190}), HDD),
    "a drive that counts slow commands as timeouts": (
        each(lambda day: {"command_timeouts": day * 65_537}),
        HDD,
    ),
}


@pytest.mark.parametrize("why", NO_SIGN)
def test_it_is_no_sign(why: str) -> None:
    days, disk = NO_SIGN[why]
    rows = series(*days, disk=disk)
    for day in range(1, DAYS + 1):
        # As the diagnosis sees it: the last 40 rows.
        assert trends(disk, rows[max(0, day - 40) : day], rows[day - 1].day) == (), (why, day)


def moved(row: SmartRow, day: date) -> SmartRow:
    return replace(row, at=datetime.combine(day, datetime.min.time(), UTC).isoformat())


@pytest.mark.parametrize("wrong", [date(1970, 1, 1), date(2038, 1, 19), BEGIN + timedelta(days=9)])
def test_a_clock_that_was_wrong_for_days_makes_no_sign(wrong: date) -> None:
    rows = series(*({"reallocated_sectors": 8, "percentage_used": 40} for _ in range(60)))
    for at in (20, 21, 40):
        rows[at] = moved(rows[at], wrong + timedelta(days=at - 20))
    rows.sort(key=lambda row: row.at)
    for today in ("2026-03-01", wrong.isoformat(), "", "rubbish"):
        assert trends(HDD, rows, today) == (), today


TROUBLES: Final[dict[str, Callable[[list[SmartRow], random.Random], list[SmartRow]]]] = {
    "a third of the days is missing": lambda rows, chance: [one for one in rows if chance.random() > 0.33],
    "0 after it slept": lambda rows, chance: [
        replace(one, reallocated_sectors=0, pending_sectors=0, reported_uncorrectable=0)
        if chance.random() < 0.1
        else one
        for one in rows
    ],
    "a day in 2038": lambda rows, chance: [*rows[:50], *rows[51:], moved(rows[50], date(2038, 1, 19))],
    "a firmware sets all counts to zero on day 60": lambda rows, chance: [
        one
        if place < 60
        else replace(
            one,
            **{
                name: max(0, (getattr(one, name) or 0) - (getattr(rows[60], name) or 0))
                for name in ("reallocated_sectors", "pending_sectors", "reported_uncorrectable")
            },
        )
        for place, one in enumerate(rows)
    ],
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_failing_disks_are_found_a_week_before_their_end_in_spite_of_it(trouble: str) -> None:
    early = 0
    for seed in range(60):
        chance = random.Random(seed)
        rows = TROUBLES[trouble](series(*failing_disk(chance)), chance)
        limit = (BEGIN + timedelta(days=120 - 7)).isoformat()
        past = [one for one in rows if one.day <= limit]
        ahead = [one for one in rows if one.day.startswith("2038")]
        early += bool(
            any(
                one.failing
                for day in range(2, len(past) + 1, 3)
                for one in trends(HDD, [*past[max(0, day - 39) : day], *ahead], past[day - 1].day)
            )
        )
    assert early >= 52, early


def test_of_most_failing_disks_the_first_sign_comes_weeks_before() -> None:
    found = [found_on(series(*failing_disk(random.Random(seed)))) for seed in range(100)]
    assert sum(day is not None and day <= 120 - 14 for day in found) >= 60


def test_a_clock_that_was_ahead_does_not_make_a_row_each_time(tmp_path: Path) -> None:
    file = HistoryFile(tmp_path / "history.sqlite")
    smart = Smart(passed=True, reallocated_sectors=8)
    record_smart(read_on(date(2038, 1, 19), smart), (), file)
    for minute in range(0, 60, 5):
        machine = replace(read_on(BEGIN, smart), read_at=f"{BEGIN}T09:{minute:02}:00+00:00")
        record_smart(machine, (), file)
    assert len(file.of(SmartRow, machine.disks[0].identity)) == 2
