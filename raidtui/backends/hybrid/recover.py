"""A lost volume group on bands of arrays is looked for as one on arrays."""

from raidtui.backends.lvm_on_md.recover import RECOVERER

__all__ = ["RECOVERER"]
