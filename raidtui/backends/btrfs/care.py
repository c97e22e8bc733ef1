"""What a Btrfs needs the administrator to do. Pure."""

from collections.abc import Callable

from raidtui.backends.btrfs.units import ALIKE
from raidtui.backends.care import Care, called_at
from raidtui.model.machine import Machine
from raidtui.model.text import listed
from raidtui.model.unit import Unit


def care_for(unit: Unit, machine: Callable[[], Machine]) -> tuple[Care, ...]:
    """What to do where two devices have one superblock; else nothing: its state says what is wrong.

    The kernel knows a device by the UUID of the filesystem and its devid, so it may take either, now one, now the
    other; no command can name the right one.
    """
    slots = dict.fromkeys(one.slot for one in unit.members if one.state == ALIKE)
    if not slots:
        return ()
    whole = machine()
    if unit.node:
        way = "Unmount the filesystem, disconnect the one that does not belong here, and mount it again"
    else:
        way = "Disconnect the one that does not belong here; until then do not mount it"
    return tuple(
        Care(
            text=f"{listed(called_at((one.path for one in unit.members if one.slot == slot), whole))} have the same superblock "
            f"(devid {slot}): a clone beside its original, or a disk that was replaced. {way}"
        )
        for slot in slots
    )
