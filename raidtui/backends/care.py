"""What a unit needs the administrator to do, and which disk can replace a missing member. Pure."""

import shlex
from typing import NamedTuple

from raidtui.model.machine import Disk, Machine, Partition
from raidtui.model.nodes import partition_path
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.units import KIB, MIB


class Care(Record, frozen=True, kw_only=True):
    """One thing to do: a sentence without its full stop, and the commands in order."""

    text: str
    commands: tuple[str, ...] = ()


class Room(NamedTuple):
    """The pattern for a new member, from an existing one."""

    least: int  # minimum size of the disk, in bytes
    start: int  # of the partition, in bytes
    part: Partition | None  # of the existing member; None for a whole disk


def room_of(path: str, machine: Machine, *, least: int) -> Room | None:
    """The pattern of the member at ``path``; None if it is on no disk of this machine.

    Args:
        least: minimum size in bytes if the member is a whole disk.
    """
    for disk in machine.disks:
        if disk.path == path:
            return Room(least, 0, None)
        part = next((one for one in disk.partitions if one.path == path), None)
        if part is not None:
            # The backup GPT takes the last 33 sectors.
            return Room(part.start_bytes + part.size_bytes + MIB, part.start_bytes, part)
    return None


def free_disk(room: Room, machine: Machine) -> Disk | None:
    """The smallest free disk that is large enough, fixed disks before removable ones; None if there is none."""
    fitting = [disk for disk in machine.disks if disk.free and disk.size_bytes >= room.least]
    return min(fitting, key=lambda one: (one.removable, one.transport == "usb", one.size_bytes), default=None)


def prepared(disk: Disk, room: Room, *, kind: str) -> tuple[tuple[str, ...], str]:
    """The commands that partition ``disk`` like the other members, and the quoted path of the new member.

    Args:
        kind: the GPT type of the partition.
    """
    whole = shlex.quote(disk.stable_path)
    if room.part is None:
        return (), whole
    table = f"start={room.start // KIB}KiB, size={room.part.size_bytes // KIB}KiB, type={kind}"
    commands = (f"echo '{table}' | sfdisk --label gpt {whole}", "udevadm settle")
    return commands, shlex.quote(partition_path(disk.stable_path, 1))


def called(disk: Disk) -> str:
    """The name of a disk in a sentence."""
    return f"{harmless(disk.identity or disk.path)} ({disk.name})"
