"""The fixes of bands of arrays: md's."""

from raidtui.backends.md.fixes import FIXES

__all__ = ["FIXES"]
