"""What a virtual drive can become with free drives of its card. Pure.

Only what the guides of the cards describe for certain: more drives at the same level, and levels with more redundancy.
A level with less of it is never made; spanned virtual drives cannot be reconfigured (PERC and MegaRAID guides,
RAID level migration).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from raidtui.backends.arithmetic.disks import data_disks
from raidtui.backends.cards.chosen import check_drives, disks_by_slot
from raidtui.backends.cards.facts import MOST_DRIVES
from raidtui.backends.cards.levels import SPANNED
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.redundancy import count_with_missing, is_failing, unprotected
from raidtui.backends.cards.units import disk_of
from raidtui.backends.growing import Shape, Way, refused
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import decimal

MOST_ADDED: Final = 4  # rows of the table
_OFF_BY: Final = 0.02  # of the size of a virtual drive that fills its drives
_SPANNED: Final = frozenset({"raid10", *SPANNED})
_MOVES: Final = "all data is moved while it is in use, and the card continues after a reboot; it cannot be stopped or turned back"
_LEAST: Final = {"raid1": 2, "raid5": 3, "raid6": 4}

Targets = Mapping[str, Sequence[str]]
"""By level, the levels that a family's tool changes it to, its own if drives can be added to it."""


def drives_needed(level: str, volume: Volume) -> int:
    """How many drives are added at least so that ``volume`` becomes ``level`` with no less space; 0: it never does."""
    count = len(volume.slots)
    if level == "raid1":
        return 1 if count == 1 else 0
    data, least = data_of(volume.level, count), _LEAST.get(level, 1)
    return next(
        (
            more
            for more in range(1, MOST_DRIVES)
            if count + more >= least and data_of(level, count + more) >= data
        ),
        0,
    )


def data_of(level: str, count: int) -> int:
    """How many drives' worth of data a level has on ``count`` drives; 0 if it takes more."""
    least = _LEAST.get(level, 1)
    return int(data_disks(level, count)) if count >= least else 0


def size_with(level: str, drives: Sequence[Drive]) -> int:
    """The bytes of a virtual drive of these drives."""
    return data_of(level, len(drives)) * min(one.size_bytes for one in drives)


def why_not_now(volume: Volume, adapter: Adapter, unit: Unit, machine: Machine) -> str:
    """Why the virtual drive cannot be changed now; empty if it can."""
    drives = adapter.drives_of(volume)
    problems = (adapter.unread, *adapter.problems)
    if any(problems):
        return f"not all of the card could be read: {harmless(next(filter(None, problems)))}"
    if volume.level in _SPANNED:
        return f"a card does not reconfigure {spelled(volume.level)}, which has spans"
    if volume.state is not VolumeState.OPTIMAL or len(drives) != len(volume.slots):
        return f"it is {volume.state}: it must be optimal first"
    if any(one.state is not DriveState.ONLINE for one in drives):
        return "not all of its drives are online"
    if unit.activity is not None:
        return f"it is busy: {unit.activity.what}. Wait until that ends"
    if any(one.state in {DriveState.COPYING, DriveState.REBUILDING} for one in adapter.drives):
        return "the card copies or rebuilds a drive. Wait until that ends"
    if adapter.foreign:
        return "drives of the card hold a foreign configuration: see what that is first"
    if adapter.preserved_cache:
        return "the card keeps unwritten data of a virtual drive that is gone: connect its drives first"
    if volume.bad_blocks:
        return "some of its data is lost already: copy what can be read, and build it anew"
    if any(is_failing(one) for one in drives):
        return "one of its drives is failing: replace that first, for all of its data is read"
    if unprotected(volume, adapter):
        return "a power cut would lose its cached writes: let it write through first"
    return _why_not_certain(volume, adapter, drives, machine)


def _why_not_certain(volume: Volume, adapter: Adapter, drives: Sequence[Drive], machine: Machine) -> str:
    if len([one for one in adapter.volumes if one.group == volume.group]) > 1 and volume.group:
        return (
            "other virtual drives are on its drives: a card reconfigures only one that has its drives alone"
        )
    if not (volume.naa or volume.serial) or disk_of(volume, adapter, machine.disks) is None:
        return "it is not certain which disk of the kernel it is"
    whole = size_with(volume.level, drives)
    if not whole or abs(volume.size_bytes - whole) > _OFF_BY * whole:
        return "it does not use all of its drives, and it is not certain how large the card would make it"
    return ""


def free_for(volume: Volume, adapter: Adapter, machine: Machine) -> list[Disk]:
    """The free drives of the card that can join, the smallest first."""
    known = disks_by_slot(machine, adapter)
    members = [known[slot] for slot in volume.slots if slot in known]
    least = min((one.size_bytes for one in adapter.drives_of(volume)), default=0)
    found = []
    for drive in adapter.drives:
        disk = known.get(drive.slot)
        if drive.state is not DriveState.FREE or disk is None or not disk.identity or is_failing(drive):
            continue
        if drive.size_bytes < least or not drive.serial:
            continue
        try:
            check_drives([*members, disk], adapter, see_foreign="")
        except (BadInput, Refused):
            continue
        found.append(disk)
    return sorted(found, key=lambda one: (one.size_bytes, one.identity))


def shapes_of(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, targets: Targets, no_tool: str
) -> Iterator[Shape]:
    """The rows of the table.

    Args:
        no_tool: why the tool of this card changes no virtual drive for certain; empty: it does.
    """
    level, count = unit.level, count_with_missing(volume)
    lost = sum(one.role not in {"in sync", "spare"} for one in unit.members)
    yield Shape(
        change="today",
        level=level,
        members=count,
        unit_bytes=unit.size_bytes,
        survives=max(0, survives(level, count) - lost),
    )
    why = no_tool or why_not_now(volume, adapter, unit, machine)
    if why:
        yield from (refused(level, change, count, why) for change in ("more drives", "another level"))
    else:
        yield from _reachable(unit, volume, adapter, machine, targets)
    yield refused(
        level,
        "larger drives",
        count,
        f"'{harmless(adapter.tool)}' needs the size of it, whose form is not certain: replace the drives, then use the tool",
    )
    if level in MD_LEVELS and level != "raid0" and not why:
        yield refused(
            level, "less redundancy", count, "a failed drive would lose what it does not lose today"
        )
    yield refused(level, "fewer drives", count, "its filesystem would have to be made smaller first")


def _reachable(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, targets: Targets
) -> Iterator[Shape]:
    free = free_for(volume, adapter, machine)
    drives = adapter.drives_of(volume)
    offered = targets.get(volume.level, ())
    if volume.level not in offered:
        yield refused(
            volume.level,
            "+1 drive",
            len(drives),
            f"{spelled(volume.level)} takes no further drive; another level does",
        )
    for level in offered:
        least = drives_needed(level, volume)
        if not least:
            continue
        most = max(least, min(len(free), MOST_ADDED)) if level == volume.level else least
        for more in range(least, most + 1):
            if len(drives) + more <= MOST_DRIVES:
                yield _with(unit, volume, adapter, free, level=level, more=more)


def _with(
    unit: Unit, volume: Volume, adapter: Adapter, free: Sequence[Disk], *, level: str, more: int
) -> Shape:
    drives = adapter.drives_of(volume)
    least = min(one.size_bytes for one in drives)
    added = free[:more] if len(free) >= more else ()
    add = tuple(one.identity for one in added)
    same = level == volume.level
    change = f"+{count_of(range(more), 'drive')}" if same else f"to {level}"
    return Shape(
        change=change,
        level=level,
        members=len(drives) + more,
        unit_bytes=data_of(level, len(drives) + more) * least,
        survives=survives(level, len(drives) + more),
        way=Way.MOVE,
        moved_bytes=least,
        risk=_MOVES,
        needs=""
        if add
        else f"{count_of(range(more), 'free drive')} of {decimal(least)} or more behind this card",
        undo="not possible from the first step",
        fits=tuple(one.identity for one in free),
        add=add,
        procedure=Grow(unit=unit.uuid, add=add, level="" if same else level) if add else None,
    )


def survives(level: str, count: int) -> int:
    """How many failures of any drives a level survives."""
    return {"raid1": count - 1, "raid5": 1, "raid6": 2, "raid10": 1, "raid50": 1, "raid60": 2}.get(level, 0)
