"""What the kernel does with a logical volume. Pure."""

from typing import Final

from raidtui.backends.lvm.report import LogicalVolume
from raidtui.backends.lvm.status import FROZEN, RaidStatus
from raidtui.model.chance import share
from raidtui.model.unit import REDUNDANCY_UNKNOWN, Activity, Health

_DOING: Final = {"recover": "rebuild"}  # the kernel's words and ours, where they differ
_RUNNING: Final = frozenset({"resync", "recover", "check", "repair", "reshape", FROZEN})
_OLDER: Final = "mirror"
_ALL: Final = 100.0  # percent


def activity_of(status: RaidStatus | None) -> Activity | None:
    """What the kernel does with a volume."""
    if status is None or status.action not in _RUNNING:
        return None
    return Activity(
        what=_DOING.get(status.action, "sync" if status.action == FROZEN else status.action),
        fraction=status.fraction,
        paused=status.action == FROZEN,
    )


def of_older_mirror(volume: LogicalVolume) -> tuple[Health, str] | None:
    """The health of an active mirror of the older type that is not in sync; None for one that is, and for other types.

    The kernel has no status of the target ``raid`` for it: lvs(8) alone says how much of it is in sync.
    """
    if volume.type != _OLDER or volume.sync_percent == _ALL:
        return None
    if volume.sync_percent is None:
        return Health.ERRORS, f"{REDUNDANCY_UNKNOWN}: lvs does not show how much of it is in sync"
    return Health.BUILDING, f"not redundant: {share(volume.sync_percent / _ALL)} of it in sync"
