"""The data profiles of Btrfs."""

from typing import Final

from raidtui.backends.level import Level, by_name

_PLACED: Final = "Btrfs chunks have no fixed positions: each chunk of 1 GiB goes to the disks with the most free space, {}."
_REPAIRS: Final = "repairs data whose checksum is wrong"
_UNEQUAL: Final = "uses unequal disks nearly in full"
_NOT_AT_BOOT: Final = "not mounted at boot with a disk missing"
_WRITE_HOLE: Final = "a power cut may damage data and parity"
_NO_REPAIR: Final = "finds damaged files, cannot repair them"
_NOT_FOR_DATA: Final = (
    "Btrfs' own parity has a write hole: do not use it for data that matters. Metadata is kept in copies."
)

LEVELS: Final = by_name(
    Level(
        name="single",
        also=("linear", "jbod"),
        min_disks=2,
        redundant=False,
        title="one disk after the other",
        explains="Each chunk lies on one disk: all the space of unequal disks. One failed disk loses the files on it, "
        "and may lose the rest. Metadata is kept twice.",
        suits="scratch data on unequal disks",
        pros=("all the space, of unequal disks too",),
        cons=("any failed disk loses files", _NO_REPAIR),
        placed=_PLACED.format("on one of the disks"),
    ),
    Level(
        name="raid0",
        also=("stripe", "striped"),
        min_disks=2,
        redundant=False,
        title="stripe, no redundancy",
        explains="Each chunk is striped over all disks that have room: the speed of all of them, but one failed disk "
        "loses the data. Metadata is kept twice.",
        suits="scratch data only",
        pros=("fast reads and writes of large files",),
        cons=("any failed disk loses everything", _NO_REPAIR),
        placed=_PLACED.format("striped over all of them"),
    ),
    Level(
        name="raid1",
        also=("mirror", "dup"),
        min_disks=2,
        title="two copies",
        explains="Each chunk is kept on two of the disks, however many there are: half the space, of unequal disks too. "
        "Any one disk can fail, and what a checksum finds wrong is repaired from the other copy.",
        suits="unequal disks, and snapshots",
        pros=("any one disk can fail", _REPAIRS, _UNEQUAL),
        cons=("a single file is as slow as one disk", _NOT_AT_BOOT),
        placed=_PLACED.format("on two of them"),
    ),
    Level(
        name="raid1c3",
        min_disks=3,
        title="three copies",
        explains="Each chunk is kept on three of the disks: a third of the space, and any two disks can fail.",
        suits="data that survives two failures",
        pros=("any two disks can fail", _REPAIRS),
        cons=("a third of the space", _NOT_AT_BOOT),
        placed=_PLACED.format("on three of them"),
    ),
    Level(
        name="raid1c4",
        min_disks=4,
        title="four copies",
        explains="Each chunk is kept on four of the disks: a quarter of the space, and any three disks can fail.",
        suits="data that survives three failures",
        pros=("any three disks can fail", _REPAIRS),
        cons=("a quarter of the space", _NOT_AT_BOOT),
        placed=_PLACED.format("on four of them"),
    ),
    Level(
        name="raid10",
        min_disks=2,
        title="stripe over copies",
        explains="Each chunk is striped over pairs of disks: half the space, faster than raid1. The pairs change from "
        "chunk to chunk, so that a second failed disk loses data.",
        suits="fast files, with repair",
        pros=("any one disk can fail", _REPAIRS),
        cons=("a second failed disk loses data", _NOT_AT_BOOT),
        placed=_PLACED.format("striped over pairs of them"),
    ),
    Level(
        name="raid5",
        min_disks=2,
        title="one disk's worth of parity",
        explains=f"{_NOT_FOR_DATA} Use mdadm's RAID5 with a filesystem on it instead.",
        suits="testing only: has a write hole",
        pros=("any one disk can fail",),
        cons=(_WRITE_HOLE, _NOT_AT_BOOT),
        placed=_PLACED.format("with one parity"),
    ),
    Level(
        name="raid6",
        min_disks=3,
        title="two disks' worth of parity",
        explains=f"{_NOT_FOR_DATA} Use mdadm's RAID6 with a filesystem on it instead.",
        suits="testing only: has a write hole",
        pros=("any two disks can fail",),
        cons=(_WRITE_HOLE, _NOT_AT_BOOT),
        placed=_PLACED.format("with two parities"),
    ),
)
