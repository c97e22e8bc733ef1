"""A large array without a write-intent bitmap is a finding while it is whole and at rest; a plan adds one."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.backends.md.array_names import address
from raidtui.backends.md.diagnosis.no_bitmap import no_bitmaps
from raidtui.backends.md.growing.grow_conditions import ARRAY_BITMAP
from raidtui.backends.reading import recorded_machine
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine, Sync
from raidtui.model.plan import Run
from raidtui.model.procedure import AddBitmap
from raidtui.model.units import GIB
from tests.unit.test_md_tend import lines, made

STATE = Path(__file__).parents[1] / "machines/states/md-large-without-a-bitmap.json"


def changed(**changes: Any) -> Machine:
    machine = recorded_machine(str(STATE))
    (array,) = machine.arrays
    return replace(machine, arrays=(replace(array, **changes),))


def found(**changes: Any) -> list[Kind]:
    return [one.kind for one in no_bitmaps(changed(**changes))]


@pytest.mark.parametrize(
    "changes", [{}, {"level": "raid5", "raid_disks": 3}, {"level": "raid10", "raid_disks": 4}]
)
def test_a_large_array_that_can_have_one_is_found(changes: dict[str, Any]) -> None:
    assert found(**changes) == [Kind.NO_BITMAP]


@pytest.mark.parametrize(
    "changes",
    [
        {"consistency": "bitmap"},
        {"consistency": "lockless"},
        {"consistency": "ppl"},
        {"consistency": "journal"},
        {"consistency": ""},  # not known
        {"component_bytes": 100 * GIB},  # mdadm makes none
        {"level": "raid0"},
        {"raid_disks": 1},
        {"metadata": "external:/md127/0"},  # firmware RAID has none
        {"degraded": 1},
        {"degraded": None},
        {
            "sync": Sync(action="resync", done_bytes=0, total_bytes=1, bytes_per_second=0),
            "sync_action": "resync",
        },
        {"sync_action": "frozen"},
        {"state": "inactive"},
    ],
)
def test_what_needs_none_or_something_else_first_is_not(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


def test_a_bitmap_is_added_while_the_array_is_used_and_the_undo_takes_it_away() -> None:
    (array,) = changed().arrays
    plan = made(AddBitmap(unit=array.uuid), changed())
    assert lines(plan) == [f"mdadm --grow {address(array)} --bitmap=internal"]
    (step,) = plan.steps
    assert step.after == (ARRAY_BITMAP.of(array.uuid, "on"),)
    assert [one.argv[2:] for one in step.undo if isinstance(one, Run)] == [(address(array), "--bitmap=none")]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"consistency": "bitmap"}, "takes no write-intent bitmap"),
        ({"consistency": "journal"}, "takes no write-intent bitmap"),
        ({"level": "raid0"}, "takes no write-intent bitmap"),
        ({"metadata": "external:/md127/0"}, "takes no write-intent bitmap"),
        ({"sync_action": "resync"}, "is busy: resync"),
    ],
)
def test_what_takes_none_is_refused(changes: dict[str, Any], why: str) -> None:
    machine = changed(**changes)
    with pytest.raises(Refused, match=why):
        made(AddBitmap(unit=machine.arrays[0].uuid), machine)
