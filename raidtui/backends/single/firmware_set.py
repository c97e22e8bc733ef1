"""Erase what is left of a firmware RAID set on a disk: its own metadata, which a build takes for a disk in use.

Only where nothing uses the disk now: no array was assembled from it, and nothing in it is mounted. The firmware that
made the set, if it is still there, shows the disk as missing from it afterwards.
"""

from typing import Final

from raidtui.backends.single.whole import removal_of_whole, whole_disk
from raidtui.model.device_graph import graph_of
from raidtui.model.disk_names import find_called
from raidtui.model.errors import Refused
from raidtui.model.machine import ClaimKind, Disk, Machine, Weight
from raidtui.model.text import harmless, listed
from raidtui.steps.pieces import called
from raidtui.steps.removal import Removal, erase_step
from raidtui.steps.wipe import forget_table

_ENDING: Final = "_raid_member"  # isw_raid_member, ddf_raid_member …; libblkid's types
_NATIVE: Final = "linux_raid_member"


def find_firmware_set(word: str, machine: Machine) -> Disk | None:
    """The disk called ``word``, if it has the metadata of a firmware RAID set, and nothing uses it.

    Raises:
        Refused: it has such metadata, and something uses it.
    """
    named = find_called(word, machine.disks)
    if len(named) != 1:
        return None
    (disk,) = named
    if not _makers(disk):
        return None
    graph = graph_of(machine)
    device = graph.by_name.get(disk.name)
    uses = [
        harmless(one.detail)
        for one in disk.taken_by
        if one.weight is not Weight.DATA
        and (one.what is not ClaimKind.FIRMWARE_RAID or one.device != disk.path)
    ]
    uses += [one.path for one in graph.on(device)] if device else []
    if uses:
        raise Refused(f"{called(disk)} is not left blank: {listed(uses)}")
    return disk


def _is_of_firmware(type_: str) -> bool:
    return type_.endswith(_ENDING) and type_ != _NATIVE


def _makers(disk: Disk) -> list[str]:
    """Who made the set, as libblkid names it."""
    return [s.type.removesuffix(_ENDING) for s in disk.signatures if _is_of_firmware(s.type)]


def firmware_set_removal(disk: Disk) -> Removal:
    """How the disk is left blank."""
    makers = listed(list(dict.fromkeys(_makers(disk))))
    # A mirror whose metadata is at the end shows what is on it.
    inside = [harmless(one.detail) for one in disk.taken_by if one.weight is Weight.DATA]
    seen = f": {listed(inside)}" if inside else ""
    erase = erase_step(
        "firmware-set",
        (whole_disk(disk),),
        lambda one: forget_table(one.device),
        title=f"Erase the metadata of a firmware RAID set ({makers}) on {called(disk)}",
        reason="Without it the disk belongs to no set and is free.",
        destroys=lambda one: (
            f"{one.shown}: its part of a firmware RAID set ({makers}) and all data in it{seen}"
        ),
    )
    return removal_of_whole(disk, noun="metadata of a firmware RAID set", erase=erase)
