"""Every backend by its word in a spec. Folders are imported on first use."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from raidtui.backends.contract import BackendContract, Builder, CardReader, Reader, Reporter
from raidtui.machine.cards import ADAPTEC, MEGARAID
from raidtui.model.errors import BadInput
from raidtui.model.machine import Card, Machine
from raidtui.model.spec import Backend

if TYPE_CHECKING:
    from raidtui.backends.fix import Fix
    from raidtui.backends.growing import Grower
    from raidtui.backends.recovering import Recoverer
    from raidtui.backends.rehearsing import Rehearser
    from raidtui.backends.replacing import Needs, Sparing
    from raidtui.backends.tending import Tender

FOLDERS: Final = {
    Backend.MDADM: "md",
    Backend.LVM: "lvm",
    Backend.LVM_ON_MD: "lvm_on_md",
    Backend.HYBRID: "hybrid",
    Backend.ZFS: "zfs",
    Backend.BTRFS: "btrfs",
    Backend.MEGARAID: "megaraid",
    Backend.ADAPTEC: "adaptec",
    Backend.DISK: "single",
}
"""In display order."""

SHARED: Final = {
    "hybrid": {"fixes": "md", "recover": "lvm_on_md", "rehearse": "lvm_on_md", "tend": "lvm_on_md"},
    "lvm_on_md": {"fixes": "md"},
}
"""Files that a folder does not have because those of another one serve it as they are."""

OF_CARDS: Final = {Backend.MEGARAID: MEGARAID, Backend.ADAPTEC: ADAPTEC}
"""Backends that build only from drives behind a RAID card, with the kernel's drivers of these cards."""

REPORTED: Final = frozenset({Backend.MDADM})
"""Backends whose every change the kernel reports."""

READ_BY: Final = {
    Backend.LVM: Backend.LVM,
    Backend.LVM_ON_MD: Backend.LVM,
    Backend.HYBRID: Backend.LVM,
    Backend.ZFS: Backend.ZFS,
    Backend.BTRFS: Backend.BTRFS,
}
"""Backends whose units come only from what a reader keeps in a reading, and whose reader that is.

Its `signs.may_be_here` says whether a computer has anything for it to read: on one with disks of another kind nothing
of these backends is loaded.
"""

ALSO: Final = {
    word: name
    for name, words in (
        (Backend.MDADM, "md"),
        (Backend.HYBRID, "shr"),
        (Backend.ZFS, "zpool"),
        (Backend.MEGARAID, "perc perccli perccli64 storcli storcli64 storcli2 lsi broadcom dell"),
        (Backend.ADAPTEC, "arcconf microchip microsemi smartraid"),
        (Backend.DISK, "single"),
    )
    for word in words.split()
}
"""Other tools' words for a backend. A spec does not take them; the error suggests the right word."""


def backend(name: Backend) -> BackendContract:
    found: BackendContract = _part(name, "backend.BACKEND")
    return found


def builder(name: Backend) -> Builder:
    """Return the builder of the backend ``name``.

    Raises:
        BadInput: this version of raidtui cannot build with it.
    """
    found = find_builder(name)
    if found is None:
        raise BadInput(
            f"this version of raidtui cannot build with {name}; it builds with {', '.join(builds())}"
        )
    return found


def find_builder(name: Backend) -> Builder | None:
    """Return the builder of the backend ``name``; None if it can only be calculated."""
    found: Builder | None = _part(name, "builder.BUILDER")
    return found


def find_replacer(name: Backend) -> "Needs | None":
    """Return how the backend ``name`` replaces a member of a unit; None if raidtui cannot do that with it yet."""
    found: Needs | None = _part(name, "replace.needs")
    return found


def find_sparing(name: Backend) -> "Sparing | None":
    """Return what a hot spare of the backend ``name`` has to be like; None if its spares are added otherwise, or never."""
    found: Sparing | None = _part(name, "spare.spare")
    return found


def find_grower(name: Backend) -> "Grower | None":
    """Return how a unit of the backend ``name`` grows; None if raidtui cannot do that with it yet."""
    found: Grower | None = _part(name, "grow.GROWER")
    return found


def find_tender(name: Backend) -> "Tender | None":
    """Return how the backend ``name`` does the other procedures on a unit; None if raidtui cannot do that with it yet."""
    found: Tender | None = _part(name, "tend.TENDER")
    return found


def find_rehearser(name: Backend) -> "Rehearser | None":
    """Return how units of the backend ``name`` are copied for a rehearsal; None if the copies would not be units."""
    found: Rehearser | None = _part(name, "rehearse.REHEARSER")
    return found


def recoverers() -> "dict[Backend, Recoverer]":
    """How lost units may be put together, by backend, in the order of `FOLDERS`."""
    return {name: found for name in FOLDERS if (found := _part(name, "recover.RECOVERER")) is not None}


def fixes(name: Backend) -> "Mapping[str, Fix]":
    """Return the fixes for hazards of the backend ``name`` alone, by spec word."""
    return _part(name, "fixes.FIXES") or {}


def builders() -> dict[Backend, Builder]:
    """Every builder by backend, in the order of `FOLDERS`."""
    return {name: found for name in FOLDERS if (found := find_builder(name)) is not None}


def builds() -> tuple[Backend, ...]:
    """The backends that have a builder, in the order of `FOLDERS`."""
    return tuple(builders())


def card_readers(cards: Iterable[Card] | None = None) -> dict[Backend, CardReader]:
    """The reader of each family of RAID cards, by backend; with ``cards``, of the families of these."""
    names = [name for name in OF_CARDS if _is_here(name, cards)]
    return {name: one for name in names if isinstance(one := reader(name), CardReader)}


def reporters() -> dict[Backend, Reporter]:
    """The readers that are notified of changes, by backend."""
    return {name: one for name in FOLDERS if name in REPORTED and isinstance(one := reader(name), Reporter)}


def reader(name: Backend) -> Reader:
    found: Reader = _part(name, "reader.READER")
    return found


def readers(cards: Iterable[Card] | None = None) -> dict[Backend, Reader]:
    """Every reader by backend, in the order of `FOLDERS`.

    Args:
        cards: the RAID cards of a computer: a family of which it has none is left out, and not even imported.
    """
    return {name: reader(name) for name in FOLDERS if _is_here(name, cards)}


def readers_asked(machine: Machine) -> dict[Backend, Reader]:
    """The readers to ask for a reading of ``machine``, which has no readings yet, by backend."""
    owners = {*READ_BY.values()}
    signs = {owner for owner in owners if _part(owner, "signs.may_be_here")(machine)}
    return _readers_but(owners - signs, machine)


def readers_in(machine: Machine) -> dict[Backend, Reader]:
    """The readers that may have units in the reading ``machine``, by backend."""
    return _readers_but({owner for owner in READ_BY.values() if owner.value not in machine.readings}, machine)


def _readers_but(absent: Collection[Backend], machine: Machine) -> dict[Backend, Reader]:
    here = (name for name in FOLDERS if _is_here(name, machine.cards))
    return {name: reader(name) for name in here if READ_BY.get(name) not in absent}


def _is_here(name: Backend, cards: Iterable[Card] | None) -> bool:
    """Whether a computer with these RAID cards can have units of the backend ``name``."""
    return cards is None or name not in OF_CARDS or any(card.driver in OF_CARDS[name] for card in cards)


@cache
def _part(name: Backend, place: str) -> Any:
    """A part of a backend, in a file of its folder: ``reader.READER``. Only that file is imported; None without it."""
    file, _, word = place.partition(".")
    folder = FOLDERS[name]
    module = f"raidtui.backends.{SHARED.get(folder, {}).get(file, folder)}.{file}"
    try:
        return getattr(import_module(module), word)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
