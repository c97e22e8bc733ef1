"""When md's limits for the sync of one array are given back: the one place that decides it. Pure."""

from raidtui.model.machine import Array
from raidtui.model.system import System


def limits_moved(array: Array, system: System | None) -> bool:
    """Whether the sync of ``array`` has other limits than the system's (md(4), sync_speed_min and _max)."""
    if system is None:
        return False
    wanted = (system.raid_speed_min, system.raid_speed_max)
    own = (array.sync_speed_min, array.sync_speed_max)
    return None not in own and None not in wanted and own != wanted


def limits_left_over(array: Array, system: System | None) -> bool:
    """Whether the sync that somebody made faster or slower has ended, so that the system's limits count again.

    A paused sync has not ended.
    """
    return array.sync is None and array.sync_action != "frozen" and limits_moved(array, system)
