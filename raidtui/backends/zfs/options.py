"""The options of a pool, described, and their valid values (zpoolprops(7), zfsprops(7))."""

import re
from typing import Final

from raidtui.backends.options import Option, one_of
from raidtui.model.errors import BadInput
from raidtui.model.units import KIB, MIB, parse_size, spell_size

LEAST_ASHIFT: Final = 9
MOST_ASHIFT: Final = 16
USUAL_ASHIFT: Final = 12
_MOST_RECORD: Final = 16 * MIB
_COMPRESSION: Final = r"on|off|lz4|lzjb|zle|gzip(-[1-9])?|zstd(-(1\d|[1-9]))?|zstd-fast(-\d+)?"
_MOST_VDEVS: Final = 512


def _ashift(text: str) -> str:
    if text.isascii() and text.isdigit() and LEAST_ASHIFT <= int(text) <= MOST_ASHIFT:
        return str(int(text))
    raise BadInput(f"{text!r} is not a whole number from 9 to 16; 12 means sectors of 4 KiB")


def _record(text: str) -> str:
    size = parse_size(text)
    if not 512 <= size <= _MOST_RECORD or size & (size - 1):
        raise BadInput(f"{spell_size(size)} is not a power of two from 512 bytes to 16 MiB")
    return spell_size(size)


def _compression(text: str) -> str:
    if re.fullmatch(_COMPRESSION, text):
        return text
    raise BadInput(f"ZFS does not know the compression {text!r}; use lz4, zstd, gzip, zle or off")


def _vdevs(text: str) -> str:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_VDEVS:
        return str(int(text))
    raise BadInput(f"{text!r} is not a number of vdevs; write 1 or more")


OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The name of the pool. Use letters, digits, dots, dashes, colons and underscores, beginning with a "
        "letter.",
    ),
    "partition": Option(
        label="Members are",
        help="One GPT partition of ZFS' type on each disk, all of one size; the end of each disk stays free.",
        choices=("one partition",),
    ),
    "spares": Option(
        label="Hot spares",
        help="Disks that hold no data until a device fails; then zed(8) resilvers onto them.",
    ),
    "vdevs": Option(
        label="Vdevs",
        help="How many mirrors or raidz groups share the disks. Empty: mirrors of two disks each, one raidz.",
        own=_vdevs,
        of_level=True,
    ),
    "ashift": Option(
        label="ashift",
        help="The sector size of every write, as a power of two: 12 is 4 KiB. It cannot be changed later. Empty: "
        "the physical sector of the disks, 4 KiB at least.",
        own=_ashift,
    ),
    "recordsize": Option(
        label="Record size",
        help="The largest block of a file. 128KiB suits most uses; 1MiB large files that are read in order; the "
        "page size of a database. It can be changed later, for new files.",
        own=_record,
        default=spell_size(128 * KIB),
    ),
    "compression": Option(
        label="Compression",
        help="lz4 costs hardly any time and saves space and I/O. zstd saves more and costs more processor time. "
        "It can be changed later, for new files.",
        choices=("lz4", "zstd", "off"),
        own=_compression,
        default="lz4",
    ),
    "atime": Option(
        label="Access times",
        help="off: reading a file writes nothing. on: each read writes its time, as programs like mutt expect.",
        choices=("off", "on"),
        own=one_of("off", "on"),
        default="off",
    ),
}
"""By spec key, in the order the Options screen shows them."""
