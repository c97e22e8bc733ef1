"""The layouts of a pool, in the words of ZFS."""

from typing import Final

from raidtui.backends.level import Level, by_name

_PLACED: Final = "ZFS records have no fixed positions: each is written where there is room, {}."
_REPAIRS: Final = "repairs data whose checksum is wrong"
_USED_ONLY: Final = "a resilver copies only what is stored"
_ONE_DISK: Final = "small reads as slow as one disk"
_CUT: Final = "larger disks are cut to the smallest"
_PARITY: Final = (
    "Each record is a stripe of its own with {}: no write hole. A record needs all disks of the vdev, so small I/O is "
    "that of one disk."
)

LEVELS: Final = by_name(
    Level(
        name="stripe",
        also=("raid0", "striped"),
        min_disks=1,
        redundant=False,
        title="stripe, no redundancy",
        explains="Records go to all disks in turn: all the space and all the speed, but one failed disk loses the pool. "
        "Checksums find damaged files. For scratch data.",
        suits="scratch data only",
        pros=("all the space of the disks", "fastest reads and writes"),
        cons=("any failed disk loses everything", "finds damaged files, cannot repair them"),
        placed=_PLACED.format("on one of the disks"),
    ),
    Level(
        name="mirror",
        also=("raid1", "raid10"),
        min_disks=2,
        title="stripe over mirrors",
        explains="Two or three disks are one mirror. From four on, pairs of disks are mirrors and records are striped over "
        "them. The fastest redundant layout for small I/O. It grows by a pair at a time.",
        suits="databases and many small writes",
        pros=(_REPAIRS, "quick resilver from one partner", "grows by two disks"),
        cons=("every byte is stored twice or more", _CUT),
        placed=_PLACED.format("with its copy on the other disks of its mirror"),
    ),
    Level(
        name="raidz1",
        also=("raidz", "raid5"),
        min_disks=2,
        title="one disk's worth of parity",
        explains=_PARITY.format("one parity") + " Any one disk can fail.",
        suits="3 to 5 disks of moderate size",
        pros=(_REPAIRS, "no write hole after a power cut", _USED_ONLY),
        cons=(_ONE_DISK, _CUT),
        placed=_PLACED.format("as a stripe of its own with one parity"),
    ),
    Level(
        name="raidz2",
        also=("raid6",),
        min_disks=3,
        title="two disks' worth of parity",
        explains=_PARITY.format("two parities") + " Any two disks can fail.",
        suits="large disks, and more than four",
        pros=(_REPAIRS, "no write hole after a power cut", _USED_ONLY),
        cons=("costs the space of two disks", _ONE_DISK),
        placed=_PLACED.format("as a stripe of its own with two parities"),
    ),
    Level(
        name="raidz3",
        min_disks=4,
        title="three disks' worth of parity",
        explains=_PARITY.format("three parities") + " Any three disks can fail.",
        suits="many large disks at a remote site",
        pros=(_REPAIRS, "no write hole after a power cut", _USED_ONLY),
        cons=("costs the space of three disks", _ONE_DISK),
        placed=_PLACED.format("as a stripe of its own with three parities"),
    ),
)
