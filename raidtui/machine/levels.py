"""Which levels of md this kernel can run: those it has, and those that it has a module for."""

import re
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.md_levels import MD_LEVELS

_ALSO_CALLED: Final = {"md-linear": "linear"}  # its name differs between kernels
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
    modules = {_ALSO_CALLED.get(file[1], file[1]) for file in files if file}
    loadable = {level for level, known in MD_LEVELS.items() if known.module in modules}
    return tuple(sorted({*loaded, *loadable}))
