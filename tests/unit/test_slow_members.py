"""A member that has become slower is found; a healthy set, a mixed set and a busy hour are not."""

import random

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.slow_members import FEWEST_SAMPLES, slower
from raidtui.backends.units import units_of
from raidtui.jobs import scrub_records
from raidtui.jobs.scrub_records import record_scrubs
from raidtui.machine.counters import Counters
from raidtui.machine.history import HistoryFile
from raidtui.model.finding import Kind
from raidtui.model.history import History, ReadCost, SyncRun
from tests.unit.test_scrub_records import CLEAN, checking

SAME = dict.fromkeys("ABCDEF", "WDC WD40EFRX")
MIXED = {disk: f"model {disk}" for disk in "ABCDEF"}


def run(
    month: int, factors: dict[str, float], chance: random.Random, *, samples: int = 24, noise: float = 0.08
) -> SyncRun:
    """A check with disks that become slower towards their end, as they do, and by ``factors``."""

    def cost(factor: float, place: int) -> int:
        return round(5000 * factor * (1 + place / samples) * chance.lognormvariate(0, noise))

    return SyncRun(
        subject="u",
        at=f"2026-{month:02}-01T00:00:00+00:00",
        seen="",
        what="check",
        scrub=True,
        costs=tuple(
            ReadCost(
                disk=disk,
                microseconds=tuple(cost(factor, place) for place in range(samples)),
                read_seconds=0.0,
                read_bytes=0,
            )
            for disk, factor in factors.items()
        ),
    )


@pytest.mark.parametrize("seed", range(100))
def test_healthy_sets_have_no_finding(seed: int) -> None:
    chance = random.Random(seed)
    disks = "ABCDEF"[: chance.randint(3, 6)]
    factors = {disk: chance.uniform(0.95, 1.05) for disk in disks}
    runs = [run(month, factors, chance) for month in range(1, chance.randint(2, 6))]
    assert slower(runs, SAME) == {}


@pytest.mark.parametrize("seed", range(20))
def test_a_mixed_set_that_always_was_so_has_no_finding(seed: int) -> None:
    chance = random.Random(seed)
    factors = {disk: chance.uniform(0.5, 2.5) for disk in "ABCD"}
    assert slower([run(1, factors, chance)], MIXED) == {}, "nothing is known of before"
    assert slower([run(month, factors, chance) for month in (1, 2, 3)], MIXED) == {}


@pytest.mark.parametrize("models", [SAME, MIXED])
def test_a_disk_that_has_become_slower_is_found(models: dict[str, str]) -> None:
    chance = random.Random(1)
    well = {"A": 1.0, "B": 1.0, "C": 1.1, "D": 1.0}
    runs = [run(1, well, chance), run(2, well, chance), run(3, well | {"C": 1.8}, chance)]
    assert list(slower(runs, models)) == ["C"]
    assert slower(runs[:2], models) == {}


def test_a_new_set_of_one_model_needs_no_earlier_run() -> None:
    chance = random.Random(2)
    assert list(slower([run(1, {"A": 1.0, "B": 1.6, "C": 1.0}, chance)], SAME)) == ["B"]


def test_a_few_samples_two_disks_or_one_busy_stretch_say_nothing() -> None:
    chance = random.Random(3)
    slow = {"A": 1.0, "B": 3.0, "C": 1.0}
    assert slower([run(1, slow, chance, samples=FEWEST_SAMPLES - 1)], SAME) == {}
    assert slower([run(1, {"A": 1.0, "B": 3.0}, chance)], SAME) == {}
    calm = run(1, {"A": 1.0, "B": 1.0, "C": 1.0}, chance)
    busy = msgspec.structs.replace(
        calm.costs[1], microseconds=(*(90_000 for _ in range(8)), *calm.costs[1].microseconds[8:])
    )
    assert slower([msgspec.structs.replace(calm, costs=(calm.costs[0], busy, calm.costs[2]))], SAME) == {}


def test_it_is_a_finding_with_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    (unit,) = units_of(CLEAN)
    disks = [member.disk for member in unit.members]
    chance = random.Random(4)
    factors = dict.fromkeys(disks, 1.0)
    last = run(2, factors | {disks[1]: 2.0}, chance)
    runs = tuple(msgspec.structs.replace(one, subject=unit.uuid) for one in (run(1, factors, chance), last))
    machine = msgspec.structs.replace(CLEAN, history=History(syncs=runs))
    (finding,) = [one for one in diagnose([unit], machine) if one.kind is Kind.SLOW_MEMBER]
    assert [one.disk for one in finding.disks] == [disks[1]]
    assert "2.0 times as long" in finding.what


def test_the_cost_of_reading_is_recorded_for_each_member(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = checking(100)
    (unit,) = units_of(machine)
    names = [member.path.removeprefix("/dev/") for member in unit.members]
    for place, seconds in enumerate((0.0, 1.0, 0.5)):  # the last is after a reboot: the counters begin again
        made = {
            name: Counters(
                read_bytes=place * 100 * 2**20,
                write_bytes=0,
                reads=0,
                writes=0,
                busy_seconds=0,
                read_seconds=seconds,
            )
            for name in names
        }
        monkeypatch.setattr(scrub_records, "read_counters", lambda made=made: made)
        record_scrubs(machine, [unit])
    (recorded,) = HistoryFile().of(SyncRun)
    assert [one.microseconds for one in recorded.costs] == [(10_000,)] * len(names)
