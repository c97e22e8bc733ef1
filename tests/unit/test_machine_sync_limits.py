"""When md's own limits count again for an array whose resync was made faster or slower."""

import msgspec
import pytest

from raidtui.machine.sync_limits import limits_left_over, limits_moved
from raidtui.model.machine import Array, Sync
from raidtui.model.system import System

SYSTEM = System(hostname="nas", kernel="6.1", raid_speed_min=1_024_000, raid_speed_max=204_800_000)
FAST = Array(name="tank", node="/dev/md127", sync_speed_min=50_000_000, sync_speed_max=204_800_000)
RUNS = Sync(action="resync", done_bytes=1, total_bytes=2, bytes_per_second=3)


@pytest.mark.parametrize(
    ("array", "due"),
    [
        (FAST, True),
        (msgspec.structs.replace(FAST, sync=RUNS, sync_action="resync"), False),
        (msgspec.structs.replace(FAST, sync_action="frozen"), False),
        (msgspec.structs.replace(FAST, sync_speed_min=1_024_000), False),
        (msgspec.structs.replace(FAST, sync_speed_min=None), False),
    ],
    ids=["ended", "runs", "paused", "the system's", "no sync at all"],
)
def test_limits_are_given_back_once_the_sync_has_ended(array: Array, due: bool) -> None:
    assert limits_left_over(array, SYSTEM) is due


def test_where_the_system_is_not_known_nothing_is_changed() -> None:
    assert not limits_moved(FAST, None)
    assert not limits_left_over(FAST, None)
