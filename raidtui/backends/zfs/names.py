"""Names of pools: what ZFS takes, and what is taken."""

from collections.abc import Collection
from typing import Final

from raidtui.backends.names import LONGEST_NAME, check_form, quoted
from raidtui.backends.zfs.report import Report
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.steps.pieces import called

MEMBER: Final = "zfs_member"
"""libblkid's word for a device of a pool."""
_BEGINNINGS: Final = ("mirror", "raidz", "draid", "spare")  # zpoolconcepts(7): words for vdevs


def check_name(name: str) -> None:
    """See that ``name`` can be a pool (zpool-create(8)).

    Raises:
        BadInput: it is empty, too long, has a character that ZFS does not take, or is a word for a vdev.
    """
    check_form(name, of="a pool", marks="_.:-", longest=LONGEST_NAME, digit_first=False)
    if name == "log":
        raise BadInput("'log' is a word of zpool for a vdev; choose a name such as tank")
    for word in _BEGINNINGS:
        if name.startswith(word):
            raise BadInput(
                f"{quoted(name)} begins with {word!r}, zpool's word for a vdev; choose a name such as tank"
            )


def check_name_is_free(name: str, machine: Machine, known: Report | None, *, erased: Collection[str]) -> None:
    """See that no other pool is called ``name``, imported or not.

    Args:
        known: what ZFS says; None where it is not installed.
        erased: paths of the disks and partitions that the plan erases: a pool on these alone does not count.

    Raises:
        BadInput: a pool has the name, also one that is not imported.
    """
    if known is not None and any(pool.name == name for pool in known.pools):
        raise BadInput(f"the name {name} is used by a pool of this computer; choose another")
    for disk in machine.disks:
        for signature in disk.every_signature:
            if signature.type == MEMBER and signature.label == name and signature.device not in erased:
                raise BadInput(
                    f"a pool called {name} that is not imported is on {called(disk)} "
                    f"({harmless(signature.device)}); choose another name, since only one of them could be imported"
                )
