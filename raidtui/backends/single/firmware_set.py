"""Erase what is left of a firmware RAID set on a disk: its own metadata, which a build takes for a disk in use.

Only where nothing is on the disk now: neither an array that was assembled from it nor anything else. The firmware that
made the set, if it is still there, shows the disk as missing from it afterwards.
"""

from typing import Final

from raidtui.model.device_graph import TABLES, graph_of
from raidtui.model.disk_names import find_called
from raidtui.model.errors import Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import Run
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.text import harmless, listed
from raidtui.steps.footprint import footprint_of_devices
from raidtui.steps.pieces import called
from raidtui.steps.removal import OnDisk, Removal, erase_step

_ENDING: Final = "_raid_member"  # isw_raid_member, ddf_raid_member …; libblkid's types
_NATIVE: Final = "linux_raid_member"


def find_firmware_set(word: str, machine: Machine) -> Disk | None:
    """The disk called ``word``, if the metadata of a firmware RAID set is all that takes it.

    Raises:
        Refused: it has such metadata, and something else takes it too.
    """
    named = {disk.key: disk for disk in find_called(word, machine.disks)}
    if len(named) != 1:
        return None
    (disk,) = named.values()
    if not _makers(disk):
        return None
    others = [harmless(one.detail) for one in disk.taken_by if not _is_left_behind(one, disk)]
    graph = graph_of(machine)
    device = graph.by_name.get(disk.name)
    others += [one.path for one in graph.on(device)] if device else []
    if others or any(s.type not in TABLES and not _is_of_firmware(s.type) for s in disk.every_signature):
        raise Refused(f"{called(disk)} is not left blank: {listed(others) or 'more than that is on it'}")
    return disk


def _is_left_behind(claim: Claim, disk: Disk) -> bool:
    """Whether a claim is for the metadata itself, or for a table that a build would erase as well."""
    if claim.what is ClaimKind.FIRMWARE_RAID:
        return claim.device == disk.path
    return claim.what is ClaimKind.PARTITION_TABLE and claim.weight is Weight.DATA


def _is_of_firmware(type_: str) -> bool:
    return type_.endswith(_ENDING) and type_ != _NATIVE


def _makers(disk: Disk) -> list[str]:
    """Who made the set, as libblkid names it."""
    return [s.type.removesuffix(_ENDING) for s in disk.signatures if _is_of_firmware(s.type)]


def firmware_set_removal(disk: Disk) -> Removal:
    """How the disk is left blank."""
    whole, makers = disk.stable_path, listed(list(dict.fromkeys(_makers(disk))))
    member = OnDisk(disk=disk, device=whole, path=disk.path, size_bytes=disk.size_bytes)
    return Removal(
        spec=Spec(
            name=called(disk),
            backend=Backend.DISK,
            level="single",
            members=(),
            filesystem=FilesystemSpec(type="none"),
        ),
        noun="metadata of a firmware RAID set",
        mark="",
        path=whole,
        size_bytes=disk.size_bytes,
        members=(member,),
        footprint=footprint_of_devices([(disk, disk.path)]),
        free=(whole,),
        core=(
            erase_step(
                "firmware-set",
                (member,),
                lambda one: (Run(argv=("wipefs", "--all", one.device)),),
                title=f"Erase the metadata of a firmware RAID set ({makers}) on {called(disk)}",
                reason="Without it the disk belongs to no set and is free.",
                destroys=lambda one: (
                    f"{one.shown}: its part of a firmware RAID set ({makers}), and all data in it"
                ),
            ),
        ),
    )
