"""Read volume groups on bands of arrays. The arrays are part of every reading, and the LVM backend stores LVM's report."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.hybrid.units import measured, units_now, units_of
from raidtui.backends.lvm_on_md.reader import READER as OVER_ARRAYS

READER: Final = replace(OVER_ARRAYS, units=units_of, now=units_now, measured=measured)
