"""Units are polled at the interval of their backend; a backend without units is asked only for new ones."""

from collections import Counter

import pytest
from msgspec.structs import replace

from raidtui.backends.registry import FOLDERS, REPORTED, reader
from raidtui.backends.units_now import Polling
from raidtui.model.errors import StepFailed
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Health, Unit

POLLED = set(FOLDERS) - REPORTED
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
    for name in POLLED:

        def now(self: object, name: Backend = name) -> tuple[Unit, ...]:
            count[name] += 1
            if name not in units:
                return ()
            if not units[name]:
                raise StepFailed("it does not answer")
            return units[name]

        monkeypatch.setattr(reader(name), "now", now.__get__(reader(name)), raising=False)
    return count, units


def test_a_backend_without_units_is_not_asked_until_disks_change(
    asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]],
) -> None:
    count, _ = asked
    polling = Polling()
    for second in range(100):
        assert polling.look(second, fresh=False).units == ()
    assert count == dict.fromkeys(POLLED, 1)
    assert polling.wait(100) is None
    polling.look(100, fresh=True)
    assert count == dict.fromkeys(POLLED, 2)


@pytest.mark.parametrize(("unit", "seconds"), [(BUSY, 2), (IDLE, 30)])
def test_a_backend_with_units_is_asked_at_its_interval_and_no_other_is(
    unit: Unit, seconds: int, asked: tuple[Counter[Backend], dict[Backend, tuple[Unit, ...]]]
) -> None:
    count, units = asked
    units[Backend.LVM] = (unit,)
    polling = Polling()
    for second in range(61):
        assert polling.look(second, fresh=False).units == (unit,), "kept between two polls"
    assert count == {name: 1 + 60 // seconds if name is Backend.LVM else 1 for name in POLLED}
    assert polling.wait(60.5) == seconds - 0.5


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
