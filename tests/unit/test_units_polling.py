"""Units are polled at the interval of their backend; a backend without units is asked only for new ones."""

from collections import Counter

import pytest
from msgspec.structs import replace

from raidtui.backends import reading, units_now
from raidtui.backends.reading import Readings
from raidtui.backends.registry import FOLDERS, OF_CARDS, REPORTED
from raidtui.backends.units_now import Polling, seconds_to_next_look
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Machine
from raidtui.model.smart import Smart
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Health, Unit
from raidtui.ui.shell.world import World
from tests.unit.changed_parts import change_part
from tests.unit.plan_machines import disk, machine

POLLED = set(FOLDERS) - REPORTED - OF_CARDS.keys()  # on a computer without RAID cards
IDLE = Unit(
    name="tank",
    uuid="1",
    backend=Backend.LVM,
    path="/dev/tank",
    level="raid1",
    health=Health.OK,
    marks=(),
    size_bytes=1,
    node="dm-0",
    state="ok",
)
BUSY = replace(IDLE, activity=Activity(what="resync"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]]:
    """How often each backend was asked, and the units that each answers with."""
    count: Counter[Backend] = Counter()
    units: dict[Backend, tuple[Unit, ...]] = {}
    monkeypatch.setattr(units_now, "read_cards", lambda tree: ())
    for name in POLLED:

        def now(name: Backend = name) -> tuple[Unit, ...]:
            count[name] += 1
            if name not in units:
                return ()
            if not units[name]:
                raise StepFailed("it does not answer")
            return units[name]

        change_part(monkeypatch, name, "reader.READER", now=now)
    return count, units


def test_a_backend_without_units_is_asked_when_disks_change_and_once_a_minute(
    asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]],
) -> None:
    count, _ = asked
    polling = Polling()
    for second in range(60):
        assert polling.look(second, fresh=False).units == ()
    assert count == dict.fromkeys(POLLED, 1)
    assert polling.wait(59.5) == 0.5
    polling.look(59.5, fresh=True)
    assert count == dict.fromkeys(POLLED, 2)
    assert polling.wait(60) == 59.5
    for second in range(60, 121):
        polling.look(second, fresh=False)
    assert count == dict.fromkeys(POLLED, 3)


def test_a_unit_that_came_without_an_event_is_seen_within_a_minute(
    asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]],
) -> None:
    _, units = asked
    polling = Polling()
    assert polling.look(0, fresh=True).units == ()
    units[Backend.LVM] = (IDLE,)
    assert polling.look(59, fresh=False).units == ()
    assert polling.look(60, fresh=False).units == (IDLE,)
    assert (seconds_to_next_look(()), seconds_to_next_look((BUSY,))) == (60, 2)


@pytest.mark.parametrize(("unit", "seconds"), [(BUSY, 2), (IDLE, 30)])
def test_a_backend_with_units_is_asked_at_its_interval_and_no_other_is(
    unit: Unit, seconds: int, asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]]
) -> None:
    count, units = asked
    units[Backend.LVM] = (unit,)
    polling = Polling()
    for second in range(61):
        assert polling.look(second, fresh=False).units == (unit,), "kept between two polls"
    assert count == {name: 1 + 60 // seconds if name is Backend.LVM else 2 for name in POLLED}
    assert polling.wait(60.5) == seconds - 0.5


def test_for_a_while_after_disks_have_moved_units_are_polled_every_second(
    asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]],
) -> None:
    """The kernel may notice that a disk is gone only when it writes to it next."""
    count, units = asked
    units[Backend.LVM] = (IDLE,)
    polling = Polling()
    polling.look(0, fresh=False)
    polling.look(10, fresh=True)
    for second in range(11, 60):
        polling.look(second, fresh=False)
    assert count[Backend.LVM] == 2 + 29  # until 39, and then not before 69
    assert (polling.wait(59), seconds_to_next_look((IDLE,), eager=True)) == (10, 1)


def test_a_backend_that_does_not_answer_stays_unknown_and_is_asked_again(
    asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]],
) -> None:
    count, units = asked
    units[Backend.LVM] = ()
    polling = Polling()
    for second in range(31):
        (problem,) = polling.look(second, fresh=False).problems
        assert "it does not answer" in problem.text
    assert count[Backend.LVM] == 2


# Whole readings, with the health of the disks.


class Computer:
    """One whose smartctl opens disks for writing, so that each reading of their health is followed by an event."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.disks = [disk(1), disk(2)]
        self.health = self.events = 0
        self.seconds = 1000.0
        monkeypatch.setattr(reading, "read_whole", self.read_whole)
        monkeypatch.setattr(reading, "monotonic", lambda: self.seconds)

    def read_whole(self, *, smart: bool = True) -> Machine:
        self.health += smart
        self.events += smart
        found = (replace(one, smart=Smart(passed=True) if smart else None) for one in self.disks)
        return replace(machine(), disks=tuple(found))

    def follow(self, readings: Readings, most: int) -> int:
        """Read on each event, at most so often; the readings."""
        count = 0
        self.events += 1
        while self.events and count < most:
            self.events -= 1
            self.seconds += 1
            assert all(one.smart is not None for one in readings.read().disks)
            count += 1
        return count


def test_reading_the_health_of_disks_does_not_cause_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    computer, readings = Computer(monkeypatch), Readings()
    assert computer.follow(readings, 50) == 2
    assert computer.health == 1
    computer.disks.append(disk(3))
    assert computer.follow(readings, 50) == 2
    computer.disks[2] = replace(disk(3), serial="another", wwn="", by_id=())
    assert computer.follow(readings, 50) == 2
    computer.seconds += 600
    assert computer.follow(readings, 50) == 2
    assert computer.health == 4


def test_the_screens_read_the_computer_that_way_too(monkeypatch: pytest.MonkeyPatch) -> None:
    computer, world = Computer(monkeypatch), World()
    for _ in range(9):
        world.machine()
    assert computer.health == 1
