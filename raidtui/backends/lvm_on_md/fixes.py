"""The fixes of a volume group on arrays: md's."""

from raidtui.backends.md.fixes import FIXES

__all__ = ["FIXES"]
