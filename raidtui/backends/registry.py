"""Every backend by the word of a spec. A folder is imported when its backend is first asked for."""

from functools import cache
from importlib import import_module
from typing import Final

from raidtui.backends.contract import BackendContract, Builder, CardReader, Reader, Reporter
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend

FOLDERS: Final = {
    Backend.MDADM: "md",
    Backend.LVM: "lvm",
    Backend.LVM_ON_MD: "lvm_on_md",
    Backend.ZFS: "zfs",
    Backend.BTRFS: "btrfs",
    Backend.MEGARAID: "megaraid",
    Backend.ADAPTEC: "adaptec",
    Backend.DISK: "single",
}
"""In the order in which they are shown."""

OF_CARDS: Final = frozenset({Backend.MEGARAID, Backend.ADAPTEC})
"""Those that build of drives behind a RAID card, and of nothing else."""

REPORTED: Final = frozenset({Backend.MDADM})
"""Those of which the kernel reports every change."""

ALSO: Final = {
    word: name
    for name, words in (
        (Backend.MDADM, "md"),
        (Backend.ZFS, "zpool"),
        (Backend.MEGARAID, "perc perccli perccli64 storcli storcli64 storcli2 lsi broadcom dell"),
        (Backend.ADAPTEC, "arcconf microchip microsemi smartraid"),
        (Backend.DISK, "single"),
    )
    for word in words.split()
}
"""Words of other tools for a backend. A spec does not take them; its error says what was meant."""


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
    return {name: one for name, one in readers().items() if name in OF_CARDS and isinstance(one, CardReader)}


def reporters() -> dict[Backend, Reporter]:
    """What reports the changes of its units, by the word of a spec."""
    return {name: one for name in FOLDERS if name in REPORTED and isinstance(one := reader(name), Reporter)}


def reader(name: Backend) -> Reader:
    """What sees units of the backend ``name``, which has some.

    Raises:
        BadInput: this version of raidtui cannot see them.
    """
    found = _reader(name) if name in FOLDERS else None
    if found is None:
        raise BadInput(f"this version of raidtui cannot see what {name} makes")
    return found


def readers() -> dict[Backend, Reader]:
    """Everything that sees units, by the word of a spec, in the order of `FOLDERS`."""
    return {name: found for name in FOLDERS if (found := _reader(name)) is not None}


@cache
def _reader(name: Backend) -> Reader | None:
    """Without the rest of the folder: who only looks calculates nothing and builds nothing."""
    module = f"raidtui.backends.{FOLDERS[name]}.reader"
    try:
        found: Reader = import_module(module).READER
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
    return found
