"""Every backend by the word of a spec. A folder is imported when its backend is first asked for."""

from functools import cache
from importlib import import_module
from typing import Final

from raidtui.backends.contract import BackendContract, Builder, CardReader, OfCards, Reader
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend

FOLDERS: Final = {
    Backend.MDADM: "md",
    Backend.LVM: "lvm",
    Backend.LVM_ON_MD: "lvm_on_md",
    Backend.ZFS: "zfs",
    Backend.BTRFS: "btrfs",
    Backend.MEGARAID: "megaraid",
    Backend.DISK: "single",
}
"""In the order in which they are shown."""

OF_CARDS: Final = frozenset({Backend.MEGARAID})
"""Those that build of drives behind a RAID card, and of nothing else."""


@cache
def backend(name: Backend) -> BackendContract:
    """The backend that a spec calls ``name``.

    Raises:
        BadInput: this version of raidtui does not know it.
    """
    if name not in FOLDERS:
        raise BadInput(
            f"this version of raidtui does not know the backend {name}; known are {', '.join(FOLDERS)}"
        )
    found: BackendContract = import_module(f"raidtui.backends.{FOLDERS[name]}.backend").BACKEND
    return found


def builder(name: Backend) -> Builder:
    """What builds units of the backend ``name``.

    Raises:
        BadInput: this version of raidtui cannot build them.
    """
    found = backend(name).builder if name in FOLDERS else None
    if found is None:
        raise BadInput(
            f"this version of raidtui cannot build with {name}; it builds with {', '.join(builds())}"
        )
    return found


def builders() -> dict[Backend, Builder]:
    """Everything that can build, by the word of a spec, in the order of `FOLDERS`."""
    return {name: found for name in FOLDERS if (found := backend(name).builder) is not None}


def builds() -> tuple[Backend, ...]:
    """The backends that can be built, in the order of `FOLDERS`."""
    return tuple(builders())


def card_readers() -> dict[Backend, CardReader]:
    """What sees RAID cards, by the word of a spec, a family each."""
    known = {name: backend(name) for name in FOLDERS if name in OF_CARDS}
    return {name: one.card_reader for name, one in known.items() if isinstance(one, OfCards)}


def reader(name: Backend) -> Reader:
    """What sees units of the backend ``name``, which has some.

    Raises:
        BadInput: this version of raidtui cannot see them.
    """
    return card_readers()[name] if name in OF_CARDS and name in FOLDERS else builder(name)


def readers() -> dict[Backend, Reader]:
    """Everything that sees units, by the word of a spec."""
    return {**builders(), **card_readers()}
