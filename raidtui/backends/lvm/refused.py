"""Volumes that LVM does not activate with their group, though all their disks are here. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from raidtui.backends.lvm.report import LogicalVolume
from raidtui.model.text import harmless, listed


def is_kept_down(volume: LogicalVolume, beside: Sequence[LogicalVolume]) -> bool:
    """Whether it is a thin pool that is not active, ``beside`` others of its group that are: LVM may have refused it."""
    down = volume.type == "thin-pool" and not (volume.active or volume.suspended or volume.left_inactive)
    return down and any(one.active for one in beside)


def is_unknown(volume: LogicalVolume) -> bool:
    """Whether it is of a type that the LVM here does not know, and never activates: lvs(8), target type."""
    return volume.attr[6:7] == "u"


def unknown_words(names: str, volumes: Iterable[LogicalVolume]) -> str:
    """What to do about volumes of such types; ``names`` in a sentence."""
    kinds = dict.fromkeys(harmless(kind) for one in volumes for kind in one.type.split("+"))
    return (
        f"read {names} with the system that made it: LVM here does not know the type {listed(list(kinds))}, and "
        "activates nothing that needs it. QNAP's LVM has types of its own. Change nothing in the group here"
    )


def active_alone(volumes: Iterable[LogicalVolume], group: str) -> tuple[LogicalVolume, ...]:
    """The parts that are active by themselves: until they are not, LVM activates nothing that they belong to.

    An interrupted activation leaves them, and so does a repair by hand. Parts of what is active are open: lvs(8).

    Args:
        volumes: at least every volume of the group.
        group: its UUID.
    """
    return tuple(part for part, _ in _alone(volumes, group))


def kept_by_parts(volumes: Iterable[LogicalVolume], group: str) -> frozenset[str]:
    """The names of the volumes that cannot be active for such parts; `active_alone` has the arguments."""
    return frozenset(name for part, names in _alone(volumes, group) for name in names)


def _alone(volumes: Iterable[LogicalVolume], group: str) -> Iterator[tuple[LogicalVolume, tuple[str, ...]]]:
    """Each of them, with what it is a part of. LVM names the parts of ``data`` ``data_tmeta``, ``data_rimage_0`` …"""
    own = [one for one in volumes if one.group == group]
    for part in own:
        if part.hidden and part.active and part.attr[5:6] != "o":
            wholes = [one for one in own if part.name.startswith(f"{one.name}_")]
            if wholes and not any(one.active or one.suspended for one in wholes):
                yield part, tuple(one.name for one in wholes)
