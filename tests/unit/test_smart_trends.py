"""Trends of SMART values: failing series are found in time, healthy and odd ones give no finding.

The series have the shape of public drive statistics: one row a day, counts that stand still for years on most disks,
and on failing ones begin to grow some weeks before the end, faster and faster.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.pages import PAGES
from raidtui.advice.findings.worsening_disks import trends_of, worsening
from raidtui.advice.smart_trends import thinned, trends
from raidtui.backends.units import units_of
from raidtui.jobs.regular import record_smart, row_of
from raidtui.machine.history import HistoryFile, read_history
from raidtui.machine.reader import load_machine
from raidtui.model.finding import Kind, Urgency
from raidtui.model.history import History, SmartRow
from raidtui.model.machine import Disk, Machine
from raidtui.model.smart import Smart

MACHINES = Path(__file__).parent.parent / "machines"
CLEAN = load_machine(str(MACHINES / "raid5-clean.json"))
BEGIN = date(2026, 1, 1)
HDD = replace(CLEAN.disks[0], rotational=True, size_bytes=4_000_787_030_016)
SSD = replace(HDD, rotational=False, size_bytes=500_107_862_016)


def series(*days: dict[str, Any], disk: Disk = HDD, begin: date = BEGIN) -> list[SmartRow]:
    """A row for each day."""
    return [
        SmartRow(
            subject=disk.identity,
            at=datetime.combine(begin + timedelta(days=number), datetime.min.time(), UTC).isoformat(),
            **day,
        )
        for number, day in enumerate(days)
    ]


def healthy(chance: random.Random) -> list[dict[str, int]]:
    """A disk that works: old counts that stand, perhaps one bad spot that was replaced, a warm summer."""
    old = chance.choice((0, 0, 0, 0, 8, 24, 160))
    reported = chance.choice((0, 0, 0, 1, 3))
    spot = chance.randrange(400)  # in the first 120 days of few of them
    return [
        {
            "reallocated_sectors": old + (8 if day >= spot else 0),
            "pending_sectors": 0,
            "uncorrectable_sectors": 0,
            "reported_uncorrectable": reported,
            "command_timeouts": chance.choice((0, 0, 1)),
            "crc_errors": 3,
            "temperature_celsius": 30 + chance.randrange(12),
        }
        for day in range(120)
    ]


def failing_disk(chance: random.Random) -> list[dict[str, int]]:
    """A disk whose counts begin to grow three to eight weeks before its last day."""
    begin = 120 - chance.randrange(21, 56)
    field = chance.choice(("reallocated_sectors", "pending_sectors", "reported_uncorrectable"))
    count, rows = 0, []
    for day in range(120):
        if day >= begin and chance.random() < 0.15 + (day - begin) / 100:
            count += chance.choice((1, 2, 8, 8, 16))
        rows.append(
            {"reallocated_sectors": 0, "pending_sectors": 0, "reported_uncorrectable": 0} | {field: count}
        )
    return rows


def found_on(rows: Sequence[SmartRow], disk: Disk = HDD) -> int | None:
    """The day on which a failing trend was first seen."""
    return next(
        (
            day
            for day in range(1, len(rows) + 1)
            if any(one.failing for one in trends(disk, rows[max(0, day - 40) : day]))
        ),
        None,
    )


@pytest.mark.slow
def test_most_failing_disks_are_found_at_least_a_week_before_their_end() -> None:
    early = 0
    for seed in range(200):
        day = found_on(series(*failing_disk(random.Random(seed))))
        early += day is not None and day <= 120 - 7
    assert early >= 180, early


@pytest.mark.slow
def test_healthy_disks_give_no_finding() -> None:
    alarms = sum(found_on(series(*healthy(random.Random(seed)))) is not None for seed in range(500))
    assert alarms == 0, alarms


def test_a_value_that_has_stood_for_long_is_none_and_one_that_grows_is() -> None:
    assert trends(HDD, series(*[{"reallocated_sectors": 1688}] * 40)) == ()
    (trend,) = trends(HDD, series(*({"reallocated_sectors": 8 + 8 * day} for day in range(10))))
    assert (trend.words, trend.failing) == ("reallocated sectors 8 → 80 since 1 Jan", True)


@pytest.mark.parametrize(
    ("why", "rows", "disk"),
    [
        ("packed into 48 bits", [{"reallocated_sectors": 0x2_0001_0000 + day} for day in range(20)], HDD),
        ("all bits set", [{"uncorrectable_sectors": 0xFFFF_FFFF}] * 20, HDD),
        (
            "flash of Crucial takes a pending sector back",
            [{"pending_sectors": day % 2} for day in range(20)],
            SSD,
        ),
        ("a bad spot that was replaced", [{"reallocated_sectors": 8 * (day > 3)} for day in range(20)], HDD),
        (
            "sectors that were written again",
            [{"pending_sectors": 24 * (day in {3, 9})} for day in range(20)],
            HDD,
        ),
        ("counts that were reset", [{"reallocated_sectors": 100 - day} for day in range(20)], HDD),
        ("not reported", [{"temperature_celsius": 30}] * 20, HDD),
        ("timeouts of a bus that was reset", [{"command_timeouts": day} for day in range(20)], HDD),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_false_alarm(why: str, rows: list[dict[str, int]], disk: Disk) -> None:
    for day in range(1, len(rows)):
        assert trends(disk, series(*rows[:day], disk=disk)) == (), (why, day)


def test_damaged_transfers_are_the_cable_and_not_the_disk() -> None:
    rows = series(*({"crc_errors": 100 + 7 * day} for day in range(5)))
    (trend,) = trends(HDD, rows)
    assert not trend.failing
    assert "cable" in trend.words
    machine = with_history(rows)
    (finding,) = worsening(machine, ())
    assert PAGES[finding.kind].urgency is Urgency.NOTE
    assert "cable" in finding.remedies[0].text


def test_wear_is_told_when_its_end_is_near() -> None:
    soon = series(*({"percentage_used": 80 + day // 5} for day in range(40)), disk=SSD)
    (trend,) = trends(SSD, soon)
    assert "rated life ends in about" in trend.words
    assert trends(SSD, series(*({"percentage_used": 10 + day // 20} for day in range(40)), disk=SSD)) == ()


def with_history(rows: Sequence[SmartRow]) -> Machine:
    disks = (HDD, *CLEAN.disks[1:])
    return replace(CLEAN, disks=disks, history=History(smart=tuple(rows)))


def test_the_finding_names_the_disk_and_the_array_and_how_it_is_replaced() -> None:
    machine = with_history(series(*({"pending_sectors": 8 * day} for day in range(9))))
    (finding,) = [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.WORSENING_DISK]
    assert finding.name == HDD.identity
    assert "in tank: pending sectors 0 → 64 since 1 Jan" in finding.what
    assert f"raidtui replace {HDD.identity} NEW" in finding.remedies[0].text


def test_one_that_says_that_it_fails_is_not_found_twice() -> None:
    rows = series(*({"pending_sectors": 8 * day} for day in range(9)))
    machine = with_history(rows)
    sick = replace(HDD, smart=Smart(passed=False))
    assert list(worsening(replace(machine, disks=(sick, *CLEAN.disks[1:])), ())) == []
    assert trends_of(machine).keys() == {HDD.identity}


def test_without_a_history_nothing_is_said() -> None:
    assert list(worsening(replace(CLEAN, history=None), ())) == []


# Recording.


def days(count: int) -> Iterator[date]:
    return (BEGIN + timedelta(days=number) for number in range(count))


def read_on(day: date, smart: Smart | None) -> Machine:
    disks = tuple(replace(disk, smart=smart) for disk in CLEAN.disks)
    return replace(CLEAN, read_at=f"{day}T04:00:00+00:00", disks=disks)


def test_one_row_a_day_and_disk(tmp_path: Path) -> None:
    file = HistoryFile(tmp_path / "history.sqlite")
    smart = Smart(passed=True, temperature_celsius=31, reallocated_sectors=8)
    machine = read_on(BEGIN, smart)
    record_smart(machine, (), file)
    record_smart(replace(machine, read_at=f"{BEGIN}T09:00:00+00:00"), (), file)
    rows = file.of(SmartRow)
    assert len(rows) == len(CLEAN.disks)
    assert rows[0] == row_of(rows[0].subject, smart, machine.read_at)
    assert read_history(file).smart == rows


def test_a_disk_that_sleeps_has_no_row_that_day(tmp_path: Path) -> None:
    file = HistoryFile(tmp_path / "history.sqlite")
    record_smart(read_on(BEGIN, None), (), file)
    assert not file.path.exists()


def test_rows_are_thinned_with_age() -> None:
    rows = [SmartRow(subject="A", at=f"{day}T04:00:00+00:00") for day in days(1500)]
    today = BEGIN + timedelta(days=1499)
    gone = set(thinned(rows, today))
    kept = [date.fromisoformat(row.day) for row in rows if row not in gone]
    ages = [(today - day).days for day in kept]
    assert sum(age <= 90 for age in ages) == 91
    assert 90 <= sum(90 < age <= 730 for age in ages) <= 93  # weeks
    assert 25 <= sum(age > 730 for age in ages) <= 27  # months
    assert thinned([row for row in rows if row not in gone], today) == ()
