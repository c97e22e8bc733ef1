"""Temperatures of disks and throttling of the processor, from the kernel's sensors; a disk may have none."""

from collections.abc import Iterable, Iterator
from typing import Final

from raidtui.machine.tree import HERE, Tree

# If the disk reports no limit: most makers warrant rotating disks to 60 °C and flash to 70 °C.
_LIMIT: Final = {True: 60.0, False: 70.0}


def temperatures(disks: Iterable[str], *, tree: Tree = HERE) -> dict[str, float]:
    """Degrees Celsius of those of these disks (kernel names) that have a sensor: drivetemp's or NVMe's own."""
    found = {}
    for name in disks:
        for folder in _sensors(name, tree):
            value = tree.number(f"{folder}/temp1_input")
            if value is not None:
                found[name] = value / 1000
                break
    return found


def limit_of(disk: str, *, rotational: bool, tree: Tree = HERE) -> float:
    """The limit of a disk in degrees Celsius, as it reports it, else the usual one of its kind."""
    for folder in _sensors(disk, tree):
        value = tree.number(f"{folder}/temp1_max")
        # A drive without a set limit reports 0, or the end of the scale.
        if value is not None and 30_000 <= value <= 110_000:
            return value / 1000
    return _LIMIT[rotational]


def throttled(*, tree: Tree = HERE) -> int:
    """How often the processors have throttled because of heat since boot; it only grows."""
    folder = "/sys/devices/system/cpu"
    return sum(
        tree.number(f"{folder}/{name}/thermal_throttle/core_throttle_count") or 0
        for name in tree.names(folder)
        if name.removeprefix("cpu").isdecimal()
    )


def _sensors(disk: str, tree: Tree) -> Iterator[str]:
    # SATA has hwmon/hwmon3 below its device, NVMe below its controller, older kernels hwmon3 itself.
    device = f"/sys/block/{disk}/device"
    for folder in (device, f"{device}/hwmon", f"{device}/device/hwmon"):
        for name in tree.names(folder):
            if name.startswith("hwmon") and name != "hwmon":
                yield f"{folder}/{name}"
