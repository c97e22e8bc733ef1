"""Find the processes that keep a filesystem mounted: with an open file, a working folder or a program on it.

Reads the links in ``/proc``, as fuser(1) does, and follows none of them: the filesystem may not answer.
"""

from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.device_graph import lies_in
from raidtui.model.text import harmless, listed

_LINKS: Final = ("cwd", "root", "exe")
_MOST: Final = 3  # processes named


def file_users(tree: Tree, place: str) -> str:
    """The processes that use what is mounted at ``place``, in words; empty if none is seen.

    Without root, only the user's own processes can be read.
    """
    found = []
    for pid in sorted((name for name in tree.names("/proc") if name.isdigit()), key=int):
        links = [f"/proc/{pid}/{name}" for name in _LINKS]
        links += [f"/proc/{pid}/fd/{name}" for name in tree.names(f"/proc/{pid}/fd")]
        if any(lies_in(target, place) for link in links if (target := tree.link(link)).startswith("/")):
            found.append(f"{harmless(tree.text(f'/proc/{pid}/comm'))} (process {pid})")
    more = [f"{len(found) - _MOST} more"] if len(found) > _MOST else []
    return listed([*found[:_MOST], *more])
