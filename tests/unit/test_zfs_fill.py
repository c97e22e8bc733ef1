"""A pool of ZFS that is nearly full."""

from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.backends.zfs.fill import filling
from raidtui.backends.zfs.report import reading_in
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine

STATE = Path(__file__).parents[1] / "machines/states/zfs-well.json"


def pool_filled(allocated: int, size: int = 1000) -> Machine:
    machine = recorded_machine(str(STATE))
    report = reading_in(machine)
    assert report is not None
    pools = tuple(replace(one, size_bytes=size, allocated_bytes=allocated) for one in report.pools)
    return replace(machine, readings={**machine.readings, "zfs": to_builtins(replace(report, pools=pools))})


@pytest.mark.parametrize(
    ("allocated", "size", "kind", "words"),
    [
        (800, 1000, Kind.FILLING, "pool tank: 80.0 % full"),
        (949, 1000, Kind.FILLING, "pool tank: 94.9 % full"),
        (950, 1000, Kind.FULL, "pool tank: 95.0 % full"),
        (1000, 1000, Kind.FULL, "pool tank: 100 % full"),
    ],
)
def test_it_is_said_how_full_it_is(allocated: int, size: int, kind: Kind, words: str) -> None:
    (found,) = filling(pool_filled(allocated, size))
    assert (found.kind, found.what) == (kind, words)
    machine = pool_filled(allocated, size)
    assert diagnose(units_of(machine), machine)[0].kind is kind


@pytest.mark.parametrize(("allocated", "size"), [(799, 1000), (5, 0)])
def test_one_with_room_or_of_unknown_size_is_no_finding(allocated: int, size: int) -> None:
    assert list(filling(pool_filled(allocated, size))) == []
