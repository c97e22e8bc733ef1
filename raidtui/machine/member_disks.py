"""The whole disks under the members of an array, from sysfs: cheap enough to do every second."""

from collections.abc import Callable

from raidtui.machine.disks import read_identity_of, whole_folder
from raidtui.machine.tree import Tree
from raidtui.machine.udev import Properties


class MemberDisks:
    """Finds the identities of disks repeatedly; each is read once while it is present."""

    def __init__(self, tree: Tree, lookup: Callable[[str], Properties]) -> None:
        self._tree = tree
        self._lookup = lookup
        self._known: dict[tuple[str, str], str] = {}  # (number, diskseq) of a whole disk → its identity

    def under(self, folder: str) -> tuple[str, tuple[str, ...]]:
        """What the device with the sysfs folder ``folder`` is on.

        Returns:
            The identity of the whole disk; empty if the device is gone, or is another one. Then the identities of the
            disks below that, for example below an opened encrypted one; none for an array.
        """
        where = whole_folder(self._tree, folder)
        own = self._identity(where)
        return (own, ()) if own else ("", tuple(dict.fromkeys(self._below(where))))

    def _below(self, where: str) -> list[str]:
        tree = self._tree
        names = tree.names(f"{where}/slaves") if not tree.exists(f"{where}/md") else []
        found: list[str] = []
        for one in (whole_folder(tree, f"/sys/class/block/{name}") for name in names):
            own = self._identity(one)
            found += [own] if own else self._below(one)
        return found

    def _identity(self, where: str) -> str:
        tree = self._tree
        number = tree.text(f"{where}/dev")
        if not number:
            return ""
        sequence = tree.text(f"{where}/diskseq")
        known = self._known.get((number, sequence)) if sequence else None
        if known is None:
            known = read_identity_of(tree, where, self._lookup(number))
            self._known[number, sequence] = known
        return known
