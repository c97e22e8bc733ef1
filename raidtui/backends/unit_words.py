"""What a unit does, in words that are the same for the command line and the screens. Pure."""

from raidtui.model.machine import Activity
from raidtui.model.units import rate


def activity_words(activity: Activity) -> str:
    """How far it is and how fast: "rebuild 12.5 %, 55.0 MB/s"."""
    if activity.paused:
        return f"{activity.what} paused"
    if activity.waiting:
        return f"{activity.what} {activity.waiting}"
    speed = f", {rate(activity.bytes_per_second)}" if activity.bytes_per_second else ""
    return f"{activity.what} {100 * activity.fraction:.1f} %{speed}"
