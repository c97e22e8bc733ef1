"""Speed limits so low that no rebuild of an array ends in a useful time: whether they are, and the steps that take them back.

md syncs as fast as the lower limit allows, whatever the upper one is (md_do_sync() in drivers/md/md.c), so the larger
of the two counts. Each is the array's own, or the computer's.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.md.care_conditions import ARRAY_AT, ARRAY_PACED
from raidtui.backends.md.states import shown_name
from raidtui.model.machine import Array
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.system import System
from raidtui.model.units import KIB, duration, rate

LEAST: Final = 1000 * KIB
"""md's default lower limit, bytes a second: what a sync gets even beside other I/O."""
_USUAL: Final = {"min": LEAST // KIB, "max": 200_000}  # md's defaults, KiB/s
_SYSTEM: Final = "/proc/sys/dev/raid/speed_limit_{}"


def fastest(array: Array) -> int | None:
    """The rate that a sync of ``array`` may reach, bytes a second of each member; None if it is not known."""
    if array.sync_speed_min is None or array.sync_speed_max is None:
        return None
    return max(array.sync_speed_min, array.sync_speed_max)


def is_slowed(array: Array) -> bool:
    """Whether its syncs may only run at less than md's default lower limit."""
    most = fastest(array)
    return array.started and array.degraded is not None and most is not None and most < LEAST


def slowed_words(array: Array) -> str:
    """How slow, and how long a whole member takes: "at most 102 kB/s, 453 days for a whole member"."""
    most = fastest(array) or KIB
    size = array.component_bytes
    return f"at most {rate(most)}" + (f", {duration(size / most)} for a whole member" if size else "")


def unslow(array: Array, system: System) -> Iterator[Step]:
    """Take back the array's own limits, and give the computer's their defaults where they are lower; else no step."""
    if not is_slowed(array):
        return
    folder = f"/sys/block/{array.node.removeprefix('/dev/')}/md"
    usual = {"min": system.raid_speed_min, "max": system.raid_speed_max}
    actions = [
        Run(argv=("tee", f"{folder}/sync_speed_{which}"), input="system\n") for which in ("max", "min")
    ]
    for which, value in usual.items():
        if value is not None and value < _USUAL[which] * KIB and max(filter(None, usual.values())) < LEAST:
            actions.append(Run(argv=("tee", _SYSTEM.format(which)), input=f"{_USUAL[which]}\n"))
    yield Step(
        id="unslow",
        role=Role.MEMBER,
        title=f"Let the syncs of {shown_name(array)} run at md's usual speed",
        reason=f"They may run at {slowed_words(array)}. If a file in /etc/sysctl.d sets that, the next boot sets it again.",
        actions=tuple(actions),
        before=(ARRAY_AT.of(array.uuid, array.node),),
        after=(ARRAY_PACED.of(array.uuid, str(LEAST // KIB)),),
        undoable=Undo.NOTHING,
        undo_note="the lower limits are not set again",
    )
