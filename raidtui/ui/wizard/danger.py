"""What a plan erases, in the one line that stands first on Review and Confirm. Pure."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.machine import Disk
from raidtui.ui.wizard import disk_words

_MOST_NAMED: Final = 3  # disks with data that the line names


def erases(disks: Sequence[Disk], *, also: str = "") -> str:
    """How many disks are erased and what is on them, the ones with data first.

    Args:
        also: what is lost besides, as the array that they are members of.
    """
    count = len(disks)
    held = [f"{disk.name} holds {'; '.join(found)}" for disk in disks if (found := disk_words.losses(disk))]
    said = held[:_MOST_NAMED]
    if len(held) > _MOST_NAMED:
        said.append(f"{len(held) - _MOST_NAMED} more hold data")
    if not held and not also:
        said.append("no data was found on " + ("it" if count == 1 else "them"))
    elif held and len(held) < count and not also:
        said.append(f"{count - len(held)} blank")
    erased = f"ERASES {count} disk{'s'[: count != 1]}" + (f" and {also}" if also else "")
    return f"{erased}: {', '.join(said)}" if said else erased
