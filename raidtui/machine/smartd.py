"""Read smartd's configuration: what it watches, and whether it starts self-tests."""

from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.system import SmartdConf

_FILES: Final = ("/etc/smartd.conf", "/etc/smartmontools/smartd.conf")  # Debian; Fedora and openSUSE


def smartd_conf(tree: Tree) -> SmartdConf | None:
    """The directives of its file; None if there is no file."""
    for file in _FILES:
        if tree.exists(file):
            lines = (line.strip() for line in tree.lines(file))
            return SmartdConf(file=file, lines=tuple(one for one in lines if one and not one.startswith("#")))
    return None
