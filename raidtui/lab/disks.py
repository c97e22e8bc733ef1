"""The virtual disks: sparse files that the guest sees as disks with a serial number, a model and a WWN."""

import hashlib
import itertools
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.units import MIB, SECTOR, both, parse_size, spell_size

MAX_DISKS: Final = 64
"""The most of a guest."""

LETTERS: Final = "abcdefghijklmnop"
"""Of the disks that are not on a SCSI bus, in user-mode Linux: there are no more."""

SCSI, SCSI_4KN = "scsi", "scsi4kn"
"""The SCSI buses: of disks with 512-byte sectors, and with `SECTOR_4KN`."""

SECTOR_4KN: Final = 4096

MIN_SIZE: Final = 16 * MIB
DEFAULT_DISKS: Final = "6x1GiB"
MODEL: Final = "RAIDTUI_LAB"

_GROUP: Final = re.compile(
    r"\s*(?:(?P<count>\d+)\s*[xX]\s*)?(?:(?P<bus>[A-Za-z]\w*)\s*:\s*)?(?P<size>\S.*?)\s*"
)
_FILE: Final = re.compile(r"(?P<serial>LAB-\d{4})(?:\.(?P<bus>[a-z]\w*))?\.img")


@dataclass(frozen=True, slots=True)
class VirtualDisk:
    """One disk of the guest."""

    serial: str
    size: int
    """Bytes, a whole number of sectors."""
    bus: str = ""
    """The bus it is attached to, such as ``nvme``; empty means the engine's default."""

    @property
    def file_name(self) -> str:
        """The name of its file in the folder of the disks; it includes the bus, for another boot."""
        return f"{self.serial}.{self.bus}.img" if self.bus else f"{self.serial}.img"

    @property
    def sector_bytes(self) -> int:
        """The size of its logical sectors."""
        return SECTOR_4KN if self.bus == SCSI_4KN else SECTOR

    @property
    def on_scsi(self) -> bool:
        """Whether it is on one of the SCSI buses."""
        return self.bus in {SCSI, SCSI_4KN}

    @property
    def wwn(self) -> str:
        """A World Wide Name derived from the serial number: NAA 3, locally assigned."""
        return f"0x3{hashlib.sha256(self.serial.encode()).hexdigest()[:15]}"

    @property
    def properties(self) -> dict[str, str]:
        """What udev reports of it."""
        return {
            "ID_BUS": "ubd",
            "ID_MODEL": MODEL,
            "ID_SERIAL": f"{MODEL}_{self.serial}",
            "ID_SERIAL_SHORT": self.serial,
            "ID_WWN": self.wwn,
            "ID_WWN_WITH_EXTENSION": self.wwn,
        }

    @property
    def links(self) -> tuple[str, ...]:
        """Its names in /dev/disk/by-id."""
        return f"ubd-{MODEL}_{self.serial}", f"wwn-{self.wwn}"


@dataclass(frozen=True, slots=True)
class CopiedDisk(VirtualDisk):
    """A disk that looks like a real one of the host, under all its names; its file is made by the caller."""

    model: str = ""
    name: str = ""
    """World Wide Name; empty if it has none."""
    by_id: tuple[str, ...] = ()
    rotational: bool = False

    @property
    def file_name(self) -> str:
        """The name of its file: of its best name, which a folder can hold whatever the serial number is."""
        return f"copy-{hashlib.sha256(repr((self.serial, self.by_id)).encode()).hexdigest()[:16]}"

    @property
    def properties(self) -> dict[str, str]:
        """What udev reports of it, as far as the real one has it."""
        # Of SCSI disks, udev adds a name made of these two; without them it would ask the disk itself.
        bus, _, number = (self.by_id or (f"lab-{self.file_name}",))[0].partition("-")
        known = {
            **({"ID_BUS": bus, "ID_SERIAL": number} if self.on_scsi else {}),
            "ID_MODEL": self.model,
            "ID_SERIAL_SHORT": self.serial,
            "ID_WWN": self.name,
            "ID_WWN_WITH_EXTENSION": self.name,
        }
        return {key: value for key, value in known.items() if value}

    @property
    def links(self) -> tuple[str, ...]:
        """Its names in /dev/disk/by-id."""
        return self.by_id


def parse_disks(text: str) -> tuple[VirtualDisk, ...]:
    """Parse a list of disks such as ``4x2GiB,1x3GiB``, ``3GiB`` or ``2xnvme:1GiB``; serials start at ``LAB-0001``.

    Raises:
        BadInput: it is not such a list, has an impossible size, or more disks than a guest can have.
    """
    kinds: list[tuple[int, str]] = []
    for group in text.split(","):
        match = _GROUP.fullmatch(group)
        if match is None:
            raise BadInput(f"{text!r} is not a list of disks; write for example 4x2GiB,1x3GiB")
        size, bus = parse_size(match["size"]), (match["bus"] or "").lower()
        sector = VirtualDisk("", size, bus).sector_bytes
        if size % sector:
            raise BadInput(f"a disk of {match['size']} is not a whole number of {sector}-byte sectors")
        if size < MIN_SIZE:
            raise BadInput(
                f"a disk of {match['size']} is too small for an array; the least is {spell_size(MIN_SIZE)}"
            )
        count = int(match["count"] or 1)
        if not 1 <= count + len(kinds) <= MAX_DISKS or count == 0:
            raise BadInput(
                f"{text!r} asks for {count + len(kinds)} disks; the lab has room for 1 to {MAX_DISKS}"
            )
        kinds += [(size, bus)] * count
    return tuple(VirtualDisk(f"LAB-{number:04}", *kind) for number, kind in enumerate(kinds, 1))


def found_in(folder: Path) -> tuple[VirtualDisk, ...]:
    """The disks whose files an earlier boot left in ``folder``, in order of serial number.

    Raises:
        BadInput: there are more than a guest can have.
    """
    files = sorted(entry for entry in folder.iterdir() if _FILE.fullmatch(entry.name))
    if len(files) > MAX_DISKS:
        raise BadInput(f"{folder} holds {len(files)} disks; the lab has room for {MAX_DISKS}")
    names = [(file, _FILE.fullmatch(file.name)) for file in files]
    return tuple(
        VirtualDisk(name["serial"], file.stat().st_size, name["bus"] or "") for file, name in names if name
    )


def add_to(
    found: tuple[VirtualDisk, ...], wanted: tuple[VirtualDisk, ...], folder: Path
) -> tuple[VirtualDisk, ...]:
    """The disks of ``wanted`` that are not in ``folder`` yet; ``found`` are those that are.

    Raises:
        BadInput: the disks found are not the first ones of ``wanted``.
    """
    if [(disk.size, disk.bus) for disk in found] != [(disk.size, disk.bus) for disk in wanted[: len(found)]]:
        raise BadInput(
            f"{folder} already holds {describe(found)}; name these and more, leave --disks out, "
            "or name another folder"
        )
    new = wanted[len(found) :]
    taken = {disk.serial for disk in found}
    if twice := sorted(disk.serial for disk in new if disk.serial in taken):
        raise BadInput(f"{folder} already holds a disk {twice[0]}; leave --disks out or name another folder")
    return new


def describe(disks: tuple[VirtualDisk, ...]) -> str:
    """The disks in the notation that `parse_disks` reads: ``4x2GiB,1x3GiB``."""
    kinds = [f"{disk.bus}:{spell_size(disk.size)}" if disk.bus else spell_size(disk.size) for disk in disks]
    return ",".join(f"{len(list(same))}x{kind}" for kind, same in itertools.groupby(kinds))


def split(disks: Sequence[VirtualDisk]) -> tuple[tuple[VirtualDisk, ...], tuple[VirtualDisk, ...]]:
    """The disks that user-mode Linux has as its own, by letter, and those on a SCSI bus, by LUN."""
    return tuple(one for one in disks if not one.on_scsi), tuple(one for one in disks if one.on_scsi)


def check_buses(disks: tuple[VirtualDisk, ...], buses: tuple[str, ...], title: str) -> None:
    """Refuse disks on a bus that the engine does not have.

    Args:
        buses: those that it has.
        title: its name, for the error.

    Raises:
        BadInput: a disk is on another bus.
    """
    for disk in disks:
        if disk.bus and disk.bus not in buses:
            cure = f"it has {', '.join(buses)}" if buses else "leave it out, or take --engine qemu"
            raise BadInput(
                f"{disk.serial} cannot be on {disk.bus!r}, a bus that {title} does not have; {cure}"
            )


def create(disks: tuple[VirtualDisk, ...], folder: Path) -> None:
    """Create the sparse files of ``disks`` in ``folder``; they take no space until they are written to.

    Raises:
        BadInput: the filesystem of the folder does not support files of that size.
    """
    for disk in disks:
        try:
            with (folder / disk.file_name).open("xb") as file:
                os.ftruncate(file.fileno(), disk.size)
        except OSError as error:
            raise BadInput(
                f"no disk of {both(disk.size)} can be created in {folder}: {error.strerror}"
            ) from error


def properties(disk: VirtualDisk) -> str:
    """The part of a udev rule that gives a device the properties of ``disk``."""
    return ", ".join(f'ENV{{{key}}}="{_escaped(value)}"' for key, value in disk.properties.items())


def _escaped(text: str) -> str:
    """``text`` as the value of a udev rule, which substitutes $ and %; a quotation mark cannot be in one."""
    return "".join({"$": "$$", "%": "%%", '"': "_", "\n": "_"}.get(letter, letter) for letter in text)


def udev_rules(seen: Iterable[tuple[str, VirtualDisk]]) -> str:
    """udev rules that give the guest's disks and partitions the properties and links that real disks have.

    Args:
        seen: the disks, each with what it is called on its way from the kernel's root of devices, as KERNELS has it.
    """
    lines = ['SUBSYSTEM!="block", GOTO="lab_end"', 'KERNEL!="ubd*|sd*", GOTO="lab_end"']
    for name, disk in seen:
        which = f'KERNELS=="{name}"'
        whole, part = (f'{which}, ENV{{DEVTYPE}}=="{kind}"' for kind in ("disk", "partition"))
        lines.append(f"{which}, {properties(disk)}")
        if isinstance(disk, CopiedDisk):
            lines.append(f'{whole}, ATTR{{queue/rotational}}="{disk.rotational:d}"')
        for link in map(_escaped, disk.links):
            lines.append(f'{whole}, SYMLINK+="disk/by-id/{link}"')
            lines.append(f'{part}, SYMLINK+="disk/by-id/{link}-part%n"')
    lines.append('LABEL="lab_end"')
    return "\n".join(lines) + "\n"
