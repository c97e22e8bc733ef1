"""Which levels of md this kernel can run: those it has, and those that it has a module for."""

import re
from typing import Final

from raidtui.machine.tree import Tree

_MODULES: Final = {
    "raid0": ("raid0",),
    "raid1": ("raid1",),
    "raid10": ("raid10",),
    "raid456": ("raid4", "raid5", "raid6"),
    "linear": ("linear",),
    "md-linear": ("linear",),
}
_FILE: Final = re.compile(r"(.+)\.ko(\.(gz|xz|zst))?")


def md_levels(tree: Tree, release: str) -> tuple[str, ...] | None:
    """The levels that an array can have on the running kernel, sorted.

    ``None`` where there are no modules to look for at all: their place is not known, or the kernel needs none.

    Args:
        release: the running kernel's, as ``uname -r`` prints it.
    """
    if not tree.names("/lib/modules"):
        return None
    loaded = re.findall(r"\[(\w+)\]", next(iter(tree.lines("/proc/mdstat")), ""))
    files = (_FILE.fullmatch(name) for name in tree.names(f"/lib/modules/{release}/kernel/drivers/md"))
    loadable = [level for file in files if file for level in _MODULES.get(file[1], ())]
    return tuple(sorted({*loaded, *loadable}))
