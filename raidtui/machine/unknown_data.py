"""What is on a disk on which no signature is found: a lost partition table, or a volume encrypted without a header.

A few samples tell. Remains of something that was erased are neither: they hold nothing that anybody could open.
"""

import os
import re
from typing import Final

from raidtui.machine.ask import Ask, ask
from raidtui.model.units import MIB

_SAMPLE: Final = 4096
_FIRST_PARTITION: Final = MIB  # where every partitioning program of today begins
# Pearson's statistic of how evenly the 256 values of a byte occur. For random bytes it has a mean of 255 and a
# standard deviation of 22.6: these bounds are six of them away. Programs, text and tables lie in the thousands.
_LEAST_UNEVEN: Final = 120.0
_LEAST_VALUES: Final = 240  # that occur at all; spares counting in what is mostly zeros
_MOST_UNEVEN: Final = 390.0
_TYPE: Final = re.compile(r"^(?:PT)?TYPE=(.+)$", re.MULTILINE)


def read_unknown_data(path: str, size_bytes: int, *, ask: Ask = ask) -> str:
    """What the device ``path``, which has no signature, holds all the same, in words; empty for nothing.

    Empty, too, if it cannot be read: see `raidtui.machine.claims.read_error`.
    """
    middle, last = (size_bytes // 2 // _SAMPLE * _SAMPLE, max(0, size_bytes // _SAMPLE - 1) * _SAMPLE)
    try:
        # Here first: on a blank disk nothing else is read.
        first = _read(path, _FIRST_PARTITION)
        if not any(first):
            return ""
        random = looks_random(first) and all(looks_random(_read(path, place)) for place in (0, middle, last))
    except OSError:
        return ""
    if random:
        return "random bytes from end to end: a volume that is encrypted without a header looks so, a shredded disk too"
    found = _TYPE.search(
        ask(["blkid", "--probe", "--offset", str(_FIRST_PARTITION), "--output", "export", path]).stdout
    )
    if found is None:
        return ""
    return f"{found[1]} at 1 MiB, where a first partition begins: the partition table seems to be lost"


def looks_random(sample: bytes) -> bool:
    """Whether encryption or a random generator made these bytes, a few thousand of them."""
    if len(set(sample)) < _LEAST_VALUES:
        return False
    expected = len(sample) / 256
    unevenness = sum((sample.count(value) - expected) ** 2 for value in range(256)) / expected
    return _LEAST_UNEVEN < unevenness < _MOST_UNEVEN


def _read(path: str, place: int) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(fd, _SAMPLE, place)
    finally:
        os.close(fd)
