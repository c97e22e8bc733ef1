"""Check a volume over bands: as any volume over arrays."""

from raidtui.backends.lvm_on_md.tend import TENDER

__all__ = ["TENDER"]
