"""Erase a partition table without partitions: what is left of a disk that another program has prepared.

Only where nothing else takes the disk, and sfdisk has read the table: that the kernel shows no partitions is not enough.
If samples show data behind the table, or an array lacks a member that it may be, the table may be newer than what it
hides: then this is refused.
"""

from typing import Final

from raidtui.backends.single.whole import removal_of_whole
from raidtui.machine.contents.found import NO_PARTITIONS
from raidtui.model.device_graph import TABLES
from raidtui.model.disk_names import find_called
from raidtui.model.errors import Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine
from raidtui.model.plan import Step, removal_step
from raidtui.model.text import harmless, listed
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.pieces import called
from raidtui.steps.removal import Removal
from raidtui.steps.wipe import forget_table

_SHOWN: Final = {"gpt": "GPT", "dos": "MBR"}


def find_empty(word: str, machine: Machine) -> Disk | None:
    """The disk called ``word``, if a partition table without partitions is all that is known to be on it.

    Raises:
        Refused: something else takes it too, or it is not known that the table has no partitions.
    """
    named = find_called(word, machine.disks)
    if len(named) != 1:
        return None
    (disk,) = named
    if disk.partitions or not disk.signatures or any(one.type not in TABLES for one in disk.signatures):
        return None
    empty = [one for one in disk.taken_by if _is_empty_table(one)]
    others = [harmless(one.detail) for one in disk.taken_by if not _is_empty_table(one)]
    if others or not empty:
        raise Refused(f"{called(disk)} is not left blank: {listed(others) or 'what is on it is not known'}")
    return disk


def _is_empty_table(claim: Claim) -> bool:
    return claim.what is ClaimKind.PARTITION_TABLE and claim.detail.endswith(NO_PARTITIONS)


def empty_removal(disk: Disk) -> Removal:
    """How the disk is left blank."""
    return removal_of_whole(disk, noun="partition table", erase=_erase(disk))


def _erase(disk: Disk) -> Step:
    name, whole = called(disk), disk.stable_path
    kinds = [_SHOWN[one.type] for one in disk.signatures if one.type in _SHOWN]
    table = f"{listed(list(dict.fromkeys(kinds)))} partition table".strip()
    return removal_step(
        id="table",
        title=f"Erase the empty partition table of {name}",
        reason="It has no partitions. Without it the disk is free.",
        actions=forget_table(whole),
        destroys=(f"{name}: its {table}, which has no partitions",),
        before=(UNCLAIMED.of(whole),),
        after=(BLANK.of(whole),),
        holds=(whole,),
    )
