"""LVM's types of logical volumes, named as in lvmraid(7)."""

from typing import Final

from raidtui.backends.level import Level, by_name

_ADDS: Final = (
    "LVM adds later resizing, and rebuilds into free space of the group in place of a hot spare. "
    "But with a disk missing at boot the group stays inactive until you activate it."
)
_RESIZES: Final = "resized later: vgextend, lvextend, lvconvert"
_REBUILDS: Final = "rebuilds into free space, needs no hot spare"
_STAYS_DOWN: Final = "with a disk missing it stays down at boot"

LEVELS: Final = by_name(
    Level(
        name="linear",
        min_disks=2,
        redundant=False,
        title="one disk after the other",
        explains="Extents come from one disk after the other: all the space of unequal disks, the speed of one. "
        "One failed disk loses the filesystem. For scratch data that grows, a disk at a time.",
        suits="scratch data on unequal disks",
        pros=("all the space, of unequal disks too", "grows by a disk of any size"),
        cons=("any failed disk loses everything", "a single file is as slow as one disk"),
    ),
    Level(
        name="striped",
        also=("stripe",),
        min_disks=2,
        placed_as="raid0",
        redundant=False,
        title="stripe, no redundancy",
        explains="Stripes go to all disks in turn, through device-mapper alone: all the speed, but one failed disk "
        "loses everything. For scratch data that you can recreate.",
        suits="scratch data only",
        pros=("fastest reads and writes", "becomes RAID4, 5, 6 or 10: lvconvert"),
        cons=("any failed disk loses everything", "grows by as many disks as it has stripes"),
        has_chunk=True,
    ),
    Level(
        name="raid0",
        min_disks=2,
        redundant=False,
        title="stripe, no redundancy",
        explains="The same as striped, made by md's code inside LVM, as a step towards RAID4, 5, 6 or 10. One "
        "failed disk loses everything.",
        suits="a step towards RAID4, 5, 6 or 10",
        pros=("fastest reads and writes", "becomes RAID4, 5, 6 or 10: lvconvert"),
        cons=("any failed disk loses everything",),
        has_chunk=True,
    ),
    Level(
        name="raid1",
        # lvcreate still makes it, with a log of its own; lvmraid(7) recommends raid1 instead.
        replaces={"mirror": "it is LVM's older type; use 'raid1', which replaces it (lvmraid(7))"},
        min_disks=2,
        title="mirror on every disk",
        explains=f"md's RAID1 inside LVM: every disk holds the same data, and any one copy is enough. {_ADDS}",
        suits="two disks whose volume will grow",
        pros=("any one remaining disk is enough", _REBUILDS, _RESIZES),
        cons=("space of one disk only", _STAYS_DOWN),
    ),
    Level(
        name="raid4",
        min_disks=3,
        title="parity on one disk",
        explains=f"md's RAID4 inside LVM: all parity is on one disk, which every write waits for. {_ADDS}",
        suits="a step between striped and RAID5",
        pros=("any one disk can fail", _RESIZES),
        cons=("every write waits for the parity disk", _STAYS_DOWN),
        has_chunk=True,
    ),
    Level(
        name="raid5",
        min_disks=3,
        title="one disk's worth of parity",
        explains="md's RAID5 inside LVM: data and parity rotate over all disks, and any one can fail. "
        f"Small writes cost four I/Os. {_ADDS}",
        suits="3 to 5 disks, resized later",
        pros=("any one disk can fail", _REBUILDS, _RESIZES),
        cons=("small writes are slow: 3 or 4 I/Os each", _STAYS_DOWN),
        has_chunk=True,
    ),
    Level(
        name="raid6",
        min_disks=5,
        default_layout="ddf-zero-restart",  # lvmraid(7): raid6 is raid6_zr, here in md's word
        title="two disks' worth of parity",
        explains="md's RAID6 inside LVM: two parities rotate over all disks, and any two can fail. Small writes "
        f"cost up to six I/Os. It needs five disks in LVM. {_ADDS}",
        suits="large disks, five and more",
        pros=("any two disks can fail", _REBUILDS, _RESIZES),
        cons=("costs the space of two disks", "small writes are slow: up to 6 I/Os each", _STAYS_DOWN),
        has_chunk=True,
    ),
    Level(
        name="raid10",
        min_disks=4,
        default_layout="n2",
        title="stripe over copies",
        explains="md's RAID10 inside LVM: every stripe is stored on two disks, striped over all pairs. It takes an "
        f"even number of disks. {_ADDS}",
        suits="databases and many small writes",
        pros=("fast small writes", "quick rebuild from one partner", _RESIZES),
        cons=("every byte is stored twice", _STAYS_DOWN),
        has_chunk=True,
    ),
)

COMPARED: Final = ("linear", "striped", "raid1", "raid4", "raid5", "raid6", "raid10")
"""The levels worth comparing on the same disks."""
