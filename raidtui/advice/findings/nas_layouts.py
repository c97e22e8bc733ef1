"""Whose disk it is: the partitions that the system of a NAS makes on every disk. Pure.

A maker's system puts itself and its swap space on the first partitions of each disk, of sizes that it never asks for.
Sizes are in sectors of 512 bytes, as fdisk prints them. Sources:

* Synology: tech.webit.nu/inner-secrets-of-synology-hybrid-raid-part-1 and blog.milla-online.de (2.4 GiB, then 2 GiB; the
  data of a Synology Hybrid RAID from the fifth partition on). DSM 7.1 and later make 8 GiB of the first.
* QNAP: chil.dk/index.php/qnap-nas/10-nas-file-system-layout (530125, 530142 and 498012 KiB around the data).
* Netgear ReadyNAS: gharris.uk/tech/2012/11/30/xraid-2-readynas-notes.html (4 GiB from sector 64, then 512 MiB).
* Buffalo: buffalo.nas-central.org, Terastation Harddisk Layout, and flish.co.uk on its recovery (385528, 136552 and
  192779 KiB around the data).
"""

from collections.abc import Mapping
from typing import Final

from raidtui.model.machine import Disk
from raidtui.model.struct import Record
from raidtui.model.units import SECTOR

_MARGIN: Final = 64  # sectors: old fdisk rounds to cylinders, and a partition may begin one sector later


class Layout(Record, frozen=True, kw_only=True):
    """The partitions of one maker's system."""

    maker: str
    sizes: Mapping[int, int]  # of its own partitions, by number, in sectors
    first: int | None = None  # where the first one begins, in sectors; None: that differs
    hybrid_from: int = 0  # partitions from this number on are of the maker's hybrid RAID; 0: none are
    hybrid: str = ""  # what the maker calls it


_SYNOLOGY_SWAP: Final = 4194304
LAYOUTS: Final = (
    Layout(maker="Synology", sizes={1: 4980480, 2: _SYNOLOGY_SWAP}, hybrid_from=5, hybrid="SHR"),
    Layout(maker="Synology", sizes={1: 16777216, 2: _SYNOLOGY_SWAP}, hybrid_from=5, hybrid="SHR"),
    Layout(maker="QNAP", sizes={1: 1060250, 2: 1060284, 4: 996024}),
    Layout(maker="Netgear ReadyNAS", sizes={1: 8388608, 2: 1048576}, first=64),
    Layout(maker="Buffalo", sizes={1: 771057, 2: 273105, 4: 385558}),
)


def layout_of(disk: Disk) -> Layout | None:
    """The layout whose partitions are all on ``disk``; None if it has those of no maker that is known."""
    parts = {part.number: part for part in disk.partitions}
    for one in LAYOUTS:
        sizes = {number: parts[number].size_bytes // SECTOR for number in one.sizes if number in parts}
        starts = one.first is None or (1 in parts and parts[1].start_bytes // SECTOR == one.first)
        if starts and all(
            number in sizes and abs(sizes[number] - size) <= _MARGIN for number, size in one.sizes.items()
        ):
            return one
    return None
