"""A large array without a write-intent bitmap is a finding while it is whole and at rest."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.backends.md.no_bitmap import no_bitmaps
from raidtui.backends.reading import recorded_machine
from raidtui.model.finding import Kind
from raidtui.model.machine import Sync
from raidtui.model.units import GIB

STATE = Path(__file__).parents[1] / "machines/states/md-large-without-a-bitmap.json"


def found(**changes: Any) -> list[Kind]:
    machine = recorded_machine(str(STATE))
    (array,) = machine.arrays
    return [one.kind for one in no_bitmaps(replace(machine, arrays=(replace(array, **changes),)))]


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
