"""A volume over bands for a rehearsal: a volume group on arrays, as any other."""

from typing import Final

from raidtui.backends.lvm_on_md.rehearse import REHEARSER as OVER_ARRAYS

REHEARSER: Final = OVER_ARRAYS
