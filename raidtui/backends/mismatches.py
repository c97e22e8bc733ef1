"""What mismatches mean, where md's kernel code counted them: md arrays and LVM's RAID volumes. Pure.

Measured: one wrong sector counts 128 sectors on RAID1, 8 on RAID5 and RAID6. About swap: md(4), SCRUBBING AND
MISMATCHES.
"""

from typing import Final

from raidtui.model.unit import Unit

_COPIES: Final = "One place where copies differ counts 128 sectors. Swap and files that programs map into memory differ without harm."
_PARITY: Final = (
    "One place where parity does not fit the data counts 8 sectors. After a power cut the parity may be old; otherwise "
    "data or parity is damaged."
)
_SIDE: Final = "The kernel does not say which side is right."


def mismatch_words(unit: Unit) -> str:
    """What the mismatches of ``unit`` mean on its level; empty if there are none, or it is not known."""
    if not unit.scrub_found:
        return ""
    return f"{_COPIES if unit.level.startswith(('raid1', 'mirror')) else _PARITY} {_SIDE}"
