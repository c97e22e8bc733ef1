"""Find the md levels that this kernel supports: those loaded, and those with a module."""

import re
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.md_levels import MD_LEVELS

_ALSO_CALLED: Final = {"md-linear": "linear"}  # the module's name differs between kernels
_FILE: Final = re.compile(r"(.+)\.ko(\.(gz|xz|zst))?")


def md_levels(tree: Tree, release: str) -> tuple[str, ...] | None:
    """The levels that the running kernel supports, sorted.

    ``None`` if not known: there is no /lib/modules, for example because the kernel is built without modules.

    Args:
        release: of the running kernel, as printed by ``uname -r``.
    """
    if not tree.names("/lib/modules"):
        return None
    loaded = re.findall(r"\[(\w+)\]", next(iter(tree.lines("/proc/mdstat")), ""))
    files = (_FILE.fullmatch(name) for name in tree.names(f"/lib/modules/{release}/kernel/drivers/md"))
    modules = {_ALSO_CALLED.get(file[1], file[1]) for file in files if file}
    loadable = {level for level, known in MD_LEVELS.items() if known.module in modules}
    return tuple(sorted({*loaded, *loadable}))
