"""The drives chosen for a virtual drive: the card they are behind, and whether it can use them together. Pure."""

from collections.abc import Iterable, Sequence

from raidtui.backends.cards.records import Adapter, CardReading, Drive
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless
from raidtui.steps.pieces import called


def drive_of(disk: Disk, adapter: Adapter) -> Drive | None:
    """The drive of ``adapter`` that is this disk of the machine; None if it is not behind this card."""
    if disk.has_device or (disk.controller is not None and disk.controller.address != adapter.address):
        return None
    wwn = disk.wwn.lower().removeprefix("0x")
    for drive in adapter.drives:
        if (disk.serial and drive.serial == disk.serial) or (not disk.serial and wwn and drive.wwn == wwn):
            return drive
    return None


def disks_by_slot(machine: Machine, adapter: Adapter) -> dict[str, Disk]:
    """The disks of the machine that are drives of ``adapter``."""
    return {one.slot: disk for disk in machine.disks if (one := drive_of(disk, adapter)) is not None}


def drives_of(disks: Iterable[Disk], adapter: Adapter) -> list[Drive]:
    """The drives of ``adapter`` that ``disks`` are."""
    return [drive for disk in disks if (drive := drive_of(disk, adapter)) is not None]


def adapter_behind(disks: Sequence[Disk], reading: CardReading | None) -> Adapter | None:
    """The card that all of ``disks`` are behind; None if there is no such card."""
    adapters = reading.adapters if reading is not None else ()
    return next((one for one in adapters if disks and all(drive_of(disk, one) for disk in disks)), None)


def adapter_of(disks: Sequence[Disk], reading: CardReading | None, *, card: str) -> Adapter:
    """The card that all of ``disks`` are behind.

    Args:
        card: the family in words, for the error: ``a MegaRAID card``.

    Raises:
        BadInput: one is not behind such a card, or they are behind different cards.
    """
    found = adapter_behind(disks, reading)
    if found is not None:
        return found
    found_behind: dict[str, Disk] = {}
    for disk in disks:
        adapters = reading.adapters if reading is not None else ()
        name = next((one.called for one in adapters if drive_of(disk, one)), None)
        if name is None:
            raise BadInput(
                f"{called(disk)} ({disk.shown}) is not a drive behind {card}; choose another backend for it"
            )
        found_behind.setdefault(name, disk)
    where = " and ".join(
        f"{called(disk)} ({disk.shown}) is behind card {name}" for name, disk in found_behind.items()
    )
    raise BadInput(
        f"the drives of a virtual drive must be behind one card, but {where}; choose drives of one card"
    )


def check_read(reading: CardReading | None) -> None:
    """Check that every card of a family was read, so that a drive absent from ``reading`` is not there.

    Raises:
        ToolMissing: a tool is absent or too old.
        Refused: a tool does not work, or a card does not answer.
    """
    if reading is None:
        return
    if reading.missing:
        raise ToolMissing(reading.missing[0])
    for why in reading.unlisted:
        raise Refused(why)


def check_drives(disks: Sequence[Disk], adapter: Adapter, *, see_foreign: str) -> None:
    """Check that ``disks`` can form a virtual drive.

    Args:
        see_foreign: the command that shows a foreign configuration.

    Raises:
        Refused: a drive of the card holds a foreign configuration.
        BadInput: they are of types that a card does not mix.
    """
    if adapter.foreign:
        raise Refused(
            f"the drives in {', '.join(adapter.foreign)} hold a foreign configuration, an array that another card made; "
            f"look at it with '{see_foreign}' before you build"
        )
    for one, two, what in (
        *_differing(disks, [_kind(disk) for disk in disks]),
        *_differing(disks, [f"{disk.logical_sector_bytes}-byte sectors" for disk in disks]),
        *_differing(disks, [_interface(disk, adapter) for disk in disks]),
    ):
        raise BadInput(
            f"{called(one)} ({one.shown}) and {called(two)} ({two.shown}) differ: {harmless(what)}; "
            "a virtual drive does not mix them"
        )


def _kind(disk: Disk) -> str:
    return "rotating" if disk.rotational else "flash"


def _interface(disk: Disk, adapter: Adapter) -> str:
    """The interface of ``disk``; SAS and SATA are the same if the card mixes them."""
    interface = disk.transport.upper() or "unknown"
    mixed = interface in {"SAS", "SATA"} and _kind(disk) in adapter.sas_with_sata
    return "SAS or SATA" if mixed else interface


def _differing(disks: Sequence[Disk], kinds: Sequence[str]) -> list[tuple[Disk, Disk, str]]:
    """The first disk, the first one that differs from it, and both kinds; empty if all are alike."""
    pairs = zip(disks, kinds, strict=True)
    return [(disks[0], disk, f"{kinds[0]} and {kind}") for disk, kind in pairs if kind != kinds[0]][:1]
