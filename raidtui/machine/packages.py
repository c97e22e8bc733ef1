"""Read which family of distributions this computer's belongs to."""

from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.packages import Family, family_in

_FILES: Final = ("/etc/os-release", "/usr/lib/os-release")  # os-release(5): the first that exists


def read_family(tree: Tree) -> Family | None:
    """The family; None: not known."""
    return family_in(next((text for file in _FILES if (text := tree.text(file))), ""))
