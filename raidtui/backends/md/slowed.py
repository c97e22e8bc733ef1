"""Take back speed limits so low that no rebuild of an array ends in a useful time: its own, or the computer's."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.md.care_conditions import ARRAY_AT, ARRAY_PACED
from raidtui.backends.md.states import is_slowed, shown_name, slowed_words
from raidtui.machine.sync_limits import LEAST
from raidtui.model.machine import Array
from raidtui.model.plan import Run, Step, order_step
from raidtui.model.system import System
from raidtui.model.units import KIB

_USUAL: Final = {"min": LEAST // KIB, "max": 200_000}  # md's defaults, KiB/s
_SYSTEM: Final = "/proc/sys/dev/raid/speed_limit_{}"


def unslow(array: Array, system: System) -> Iterator[Step]:
    """Take back the array's own limits, and give the computer's their defaults where they are lower; else no step."""
    if not is_slowed(array):
        return
    usual = {"min": system.raid_speed_min, "max": system.raid_speed_max}
    actions = [
        Run(argv=("tee", f"{array.md_folder}/sync_speed_{which}"), input="system\n")
        for which in ("max", "min")
    ]
    for which, value in usual.items():
        if value is not None and value < _USUAL[which] * KIB and max(filter(None, usual.values())) < LEAST:
            actions.append(Run(argv=("tee", _SYSTEM.format(which)), input=f"{_USUAL[which]}\n"))
    yield order_step(
        id="unslow",
        title=f"Let the syncs of {shown_name(array)} run at md's usual speed",
        reason=f"They may run at {slowed_words(array)}. If a file in /etc/sysctl.d sets that, the next boot sets it again.",
        actions=tuple(actions),
        before=(ARRAY_AT.of(array.uuid, array.node),),
        after=(ARRAY_PACED.of(array.uuid, str(LEAST // KIB)),),
        undo_note="the lower limits are not set again",
    )
