"""Following a job: the syncs of all its units are told, whichever backends built them. When a sync has ended."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from raidtui.backends.units import units_of
from raidtui.commands.terminal import follow
from raidtui.model.errors import RaidtuiError
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.spec import Backend, Spec
from raidtui.model.unit import Activity, Unit, syncs_ended
from tests.ui.recorded import recorded

COPYING = Activity(what="recovery", fraction=0.4)
ARRAY = replace(units_of(recorded("raid5-clean"))[0], activity=COPYING)
VOLUME = replace(units_of(recorded("lvm-raid5"))[0], activity=COPYING)


class Reads:
    """A reader that finds these units, or fails."""

    def __init__(self, *found: Unit, fails: bool = False) -> None:
        self.found, self.fails = found, fails

    def now(self) -> tuple[Unit, ...]:
        if self.fails:
            raise RaidtuiError("it does not answer")
        return self.found


def replacement() -> Plan:
    """A plan that replaces a disk in an array and in a volume group."""
    first, second = (
        Plan(
            kind=PlanKind.REPLACE,
            spec=Spec(name=unit.name, backend=unit.backend, level=unit.level),
            seed="",
            array_uuid=unit.uuid,
            array_path=unit.path,
            uuids=(unit.uuid,),
        )
        for unit in (ARRAY, VOLUME)
    )
    return replace(first, also=(second,))


def told(monkeypatch: pytest.MonkeyPatch, readers: Mapping[Backend, Reads]) -> list[str]:
    monkeypatch.setattr(follow, "reader", readers.__getitem__)
    return [unit.uuid for unit in follow.syncing(replacement())]


def test_the_syncs_of_every_unit_of_a_replacement_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = {ARRAY.backend: Reads(ARRAY), VOLUME.backend: Reads(VOLUME)}
    assert told(monkeypatch, readers) == [ARRAY.uuid, VOLUME.uuid]


def test_a_backend_that_cannot_be_read_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = {ARRAY.backend: Reads(fails=True), VOLUME.backend: Reads(VOLUME)}
    assert told(monkeypatch, readers) == [VOLUME.uuid]


def test_what_does_not_sync_or_belongs_to_others_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    still, other = replace(ARRAY, activity=None), replace(VOLUME, uuid="other", marks=("other",))
    assert told(monkeypatch, {ARRAY.backend: Reads(still), VOLUME.backend: Reads(other)}) == []


def test_a_sync_has_ended_when_its_unit_does_nothing_or_something_else() -> None:
    further = replace(ARRAY, activity=replace(COPYING, fraction=0.5))
    assert not syncs_ended((ARRAY, VOLUME), (further, VOLUME))
    assert syncs_ended((ARRAY, VOLUME), (replace(ARRAY, activity=None), VOLUME))
    assert syncs_ended((ARRAY,), (replace(ARRAY, activity=replace(COPYING, what="check")),))
    assert not syncs_ended((replace(ARRAY, activity=None),), (ARRAY,)), "it has begun"


def test_of_a_unit_that_is_not_read_no_sync_has_ended() -> None:
    assert not syncs_ended((ARRAY, VOLUME), (VOLUME,))
    assert not syncs_ended((), (replace(ARRAY, activity=None),))


def test_a_sync_that_has_not_begun_is_not_said_to_continue() -> None:
    waits = replace(ARRAY, activity=Activity(what="reshape", waiting="pending: starts with the first write"))
    assert "\nThe recovery continues; " in follow._about(ARRAY, replacement())
    assert "\nNot ended: reshape pending: starts with the first write; " in follow._about(
        waits, replacement()
    )
