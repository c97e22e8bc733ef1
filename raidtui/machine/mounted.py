"""Read what is mounted now from the kernel's mountinfo."""

import os
import re
from pathlib import Path
from typing import Final

from raidtui.machine.devices import device_number, partition_numbers, whole_disks
from raidtui.model.struct import Record

_MOUNTINFO: Final = Path("/proc/self/mountinfo")
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


class Mounted(Record, frozen=True, kw_only=True):
    """One line of mountinfo."""

    device_number: str
    target: str
    type: str
    source: str


def find_mounts(text: str | None = None) -> tuple[Mounted, ...]:
    """Every mount in this mount namespace, in mount order.

    ``text`` is the content of a mountinfo file, by default that of this process.
    """
    lines = (_MOUNTINFO.read_text(errors="replace") if text is None else text).splitlines()
    found = []
    for line in lines:
        head, _, tail = line.partition(" - ")
        left, right = head.split(" "), tail.split(" ")
        found.append(
            Mounted(
                device_number=left[2], target=_plain(left[4]), type=_plain(right[0]), source=_plain(right[1])
            )
        )
    return tuple(found)


def disk_under_mount(path: str) -> frozenset[str]:
    """Device numbers of the whole disks under the partition at ``path``; empty unless it is mounted."""
    number = device_number(path)
    mounted = {device_number(mount.source) for mount in find_mounts() if mount.source.startswith("/dev/")}
    return whole_disks(number) if number and number in mounted else frozenset()


def files_on(path: str) -> dict[str, list[str]]:
    """List the mount points of the device at ``path`` and its partitions, each with the names in it."""
    number = device_number(path)
    devices = {number, *partition_numbers(number)} if number else set()
    places = [
        mount.target
        for mount in find_mounts()
        if devices & {mount.device_number, device_number(mount.source)}
    ]
    return {place: sorted(os.listdir(place)) for place in dict.fromkeys(places) if os.path.isdir(place)}


def _plain(word: str) -> str:
    """Decode octal escapes: the kernel writes blanks, tabs, newlines and backslashes as three octal digits."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), word)
