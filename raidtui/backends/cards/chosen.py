"""The drives that somebody chose for a virtual drive: the one card that they are behind, and whether it takes them. Pure."""

from collections.abc import Sequence

from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Disk
from raidtui.model.text import harmless
from raidtui.steps.pieces import called


def drive_of(disk: Disk, adapter: Adapter) -> Drive | None:
    """What a card says of a disk of the machine that is behind it."""
    if disk.has_device or (disk.controller is not None and disk.controller.address != adapter.address):
        return None
    wwn = disk.wwn.lower().removeprefix("0x")
    for drive in adapter.drives:
        if (disk.serial and drive.serial == disk.serial) or (not disk.serial and wwn and drive.wwn == wwn):
            return drive
    return None


def adapter_behind(disks: Sequence[Disk], reading: CardReading | None) -> Adapter | None:
    """The one card that all of ``disks`` are behind."""
    adapters = reading.adapters if reading is not None else ()
    return next((one for one in adapters if disks and all(drive_of(disk, one) for disk in disks)), None)


def adapter_of(disks: Sequence[Disk], reading: CardReading | None, *, card: str) -> Adapter:
    """The one card that all of ``disks`` are behind.

    Args:
        card: what such cards are called: ``a MegaRAID card``.

    Raises:
        BadInput: one is not behind such a card, or they are behind two.
    """
    found = adapter_behind(disks, reading)
    if found is not None:
        return found
    found_behind: dict[int, Disk] = {}
    for disk in disks:
        adapters = reading.adapters if reading is not None else ()
        number = next((one.number for one in adapters if drive_of(disk, one)), None)
        if number is None:
            raise BadInput(
                f"{called(disk)} ({disk.shown}) is not a drive behind {card}; choose another backend for it"
            )
        found_behind.setdefault(number, disk)
    where = " and ".join(
        f"{called(disk)} ({disk.shown}) behind card {number}" for number, disk in found_behind.items()
    )
    raise BadInput(f"a virtual drive has all of its drives behind one card, and {where}; choose those of one")


def check_read(reading: CardReading | None) -> None:
    """See that every card of a family was read, so that what is not in ``reading`` is not there.

    Raises:
        ToolMissing: a tool is absent or too old.
        Refused: a tool does not work, or a card does not answer.
    """
    if reading is None:
        return
    if reading.missing:
        raise ToolMissing(reading.missing[0])
    for why in (*reading.problems, *(one.unread for one in reading.adapters)):
        if why:
            raise Refused(why)


def check_drives(disks: Sequence[Disk], adapter: Adapter, *, see_foreign: str) -> None:
    """See that a virtual drive can be made of ``disks``.

    Args:
        see_foreign: the command that shows a foreign configuration.

    Raises:
        Refused: a drive of the card holds a foreign configuration.
        BadInput: they differ in a way that the card does not mix.
    """
    foreign = [one.slot for one in adapter.drives if one.state is DriveState.FOREIGN]
    if foreign:
        raise Refused(
            f"the drives in {', '.join(foreign)} hold a foreign configuration, an array that another card made; "
            f"look at it with '{see_foreign}' before you build"
        )
    for one, two, what in (
        *_differing(disks, [("flash", "rotating")[disk.rotational] for disk in disks]),
        *_differing(disks, [f"{disk.logical_sector_bytes}-byte sectors" for disk in disks]),
        *_differing(disks, [disk.transport.upper() or "unknown" for disk in disks]),
    ):
        raise BadInput(
            f"{called(one)} ({one.shown}) and {called(two)} ({two.shown}) differ: {harmless(what)}; "
            "a virtual drive does not mix them"
        )


def _differing(disks: Sequence[Disk], kinds: Sequence[str]) -> list[tuple[Disk, Disk, str]]:
    """The first disk beside one of another kind, and what both are."""
    pairs = zip(disks, kinds, strict=True)
    return [(disks[0], disk, f"{kinds[0]} and {kind}") for disk, kind in pairs if kind != kinds[0]][:1]
