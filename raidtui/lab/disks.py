"""Virtual disks: sparse files, their serial numbers, and the udev rules that give them an identity."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.units import MIB, both, parse_size

MOST: Final = 15  # user-mode Linux has 16 block devices, and one is kept for the guest's state
_GROUP: Final = re.compile(r"(?:(?P<count>\d+)x)?(?P<size>[\d.]+\s*[A-Za-z]+)")
_FILE: Final = re.compile(r"LAB-\d{4}\.img")


@dataclass(frozen=True)
class VirtualDisk:
    """One disk of the guest."""

    serial: str
    path: Path

    @property
    def wwn(self) -> str:
        """A WWN that is the same whenever the serial is."""
        return f"0x5000c50000{int(self.serial[4:]):06x}"


def parse_disks(text: str) -> tuple[int, ...]:
    """Sizes in bytes of ``4x2GiB,1x3GiB``.

    Raises:
        BadInput: not of that form, smaller than 16 MiB, or more than 15 disks.
    """
    sizes: list[int] = []
    for group in text.split(","):
        match = _GROUP.fullmatch(group.strip())
        if match is None:
            raise BadInput(
                f"--disks {text!r}: {group.strip()!r} is not a count and a size; write for example 4x2GiB"
            )
        size = parse_size(match["size"])
        if size < 16 * MIB:
            raise BadInput(f"--disks {text!r}: {match['size']} is too small for a disk; at least 16MiB")
        if size % 512:
            raise BadInput(f"--disks {text!r}: {match['size']} is not a whole number of 512-byte sectors")
        sizes += [size] * int(match["count"] or 1)
    if not 1 <= len(sizes) <= MOST:
        raise BadInput(f"--disks {text!r}: {len(sizes)} disks; the lab has room for 1 to {MOST}")
    return tuple(sizes)


def make_disks(folder: Path, sizes: tuple[int, ...] | None) -> tuple[VirtualDisk, ...]:
    """The disk files of ``folder``: those that are there, and new sparse ones up to the number of ``sizes``.

    Raises:
        BadInput: a disk that is there has another size than was asked for, or there are more of them.
    """
    there = sorted(path for path in folder.iterdir() if _FILE.fullmatch(path.name))
    if sizes is not None and there:
        found = tuple(path.stat().st_size for path in there)
        if found != sizes[: len(found)]:
            raise BadInput(
                f"{folder} already holds {len(found)} disks ({', '.join(map(both, found))}), not those of --disks; "
                "leave --disks out to use them, or name another folder"
            )
    disks = [VirtualDisk(path.stem, path) for path in there]
    for number, size in enumerate((sizes or ())[len(there) :], start=len(there) + 1):
        path = folder / f"LAB-{number:04}.img"
        with path.open("xb") as file:
            file.truncate(size)
        disks.append(VirtualDisk(path.stem, path))
    if len(disks) > MOST:
        raise BadInput(f"{folder} holds {len(disks)} disks; the lab has room for {MOST}")
    return tuple(disks)


def device_name(index: int) -> str:
    """The guest's name of its disk number ``index``, from 0: ubda, ubdb …"""
    return f"ubd{chr(ord('a') + index)}"


def udev_rules(disks: tuple[VirtualDisk, ...], *, internal: str = "") -> str:
    """Rules that give each disk a serial number, a model, a WWN and links under /dev/disk/by-id."""
    lines = ['SUBSYSTEM!="block", GOTO="lab_end"']
    for index, disk in enumerate(disks):
        name = device_name(index)
        about = (
            f'ENV{{ID_SERIAL}}="Lab_disk_{disk.serial}", ENV{{ID_SERIAL_SHORT}}="{disk.serial}", '
            f'ENV{{ID_MODEL}}="Lab_disk", ENV{{ID_BUS}}="ubd", ENV{{ID_WWN}}="{disk.wwn}"'
        )
        for kernel, suffix in ((name, ""), (f"{name}[0-9]*", "-part%n")):
            links = f"disk/by-id/lab-{disk.serial}{suffix} disk/by-id/wwn-{disk.wwn}{suffix}"
            lines.append(f'KERNEL=="{kernel}", {about}, SYMLINK+="{links}"')
    if internal:
        lines.append(f'KERNEL=="{internal}", ENV{{RAIDTUI_LAB_INTERNAL}}="1", ENV{{UDISKS_IGNORE}}="1"')
    return "\n".join([*lines, 'LABEL="lab_end"', ""])
