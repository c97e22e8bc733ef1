"""Make the plan that removes arrays, or the filesystems of single disks."""

import posixpath
from collections.abc import Sequence
from typing import Final

from raidtui.backends.registry import FOLDERS, backend, card_readers, find_builder
from raidtui.backends.units import check_known, find_unit, units_of
from raidtui.backends.used_elsewhere import check_not_elsewhere
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.text import harmless
from raidtui.model.uuids import bare
from raidtui.plan.removal import removal_plan
from raidtui.steps.pieces import called
from raidtui.steps.removal import Removal

_MOST: Final = 12  # disks listed


def make_teardown(word: str, machine: Machine, *, seed: str, also: Sequence[str] = ()) -> Plan:
    """Plan the steps that remove units and leave their disks blank.

    Args:
        word: name, UUID, node or mount point of the unit; for a single disk its serial number, WWN, by-id name or
            mount point.
        also: further units, by the same words.

    Raises:
        BadInput: nothing has that name, or several things do.
        Refused: the running system is on the unit or elsewhere on one of its disks, a member is not on a disk, or
            what is on the unit spans other devices; or nothing has that name, and a card that may have it did not
            answer.
        ToolMissing: nothing has that name, and the tool that reads the RAID cards here is missing.
    """
    found: dict[str, Removal] = {}
    for one in (word, *also):
        removal = _removal(one, machine)
        found.setdefault(_key(removal), removal)
    # What is below another unit goes with that one.
    below = {_key(inner) for one in found.values() for inner in one.every[1:]}
    return removal_plan([one for key, one in found.items() if key not in below], machine, seed=seed)


def units_on(disks: Sequence[str], machine: Machine) -> list[str]:
    """The units on ``disks``, each as a word for `make_teardown`, which takes what is on top of them too.

    Args:
        disks: serial number, WWN or by-id name of each.

    Raises:
        BadInput: there is no such disk, or nothing on it that a teardown removes.
    """
    units = [unit for unit in units_of(machine) if not unit.stopped]
    found: dict[str, None] = {}
    for disk in (machine.disk(word) for word in disks):
        here = [unit.uuid or unit.path for unit in units if disk in disks_of(unit, machine)]
        # It says what is not right, if there is nothing.
        found |= dict.fromkeys(here or [_removal(disk.identity, machine).members[0].disk.identity])
    return list(found)


def _key(removal: Removal) -> str:
    return bare(removal.mark) or removal.path


def _removal(word: str, machine: Machine) -> Removal:
    unit = find_unit(word, machine)
    if unit is not None:
        check_known(unit.backend, machine)
        check_not_elsewhere(unit, machine)
    for name in (*(() if unit is None else (unit.backend,)), *FOLDERS):
        maker = find_builder(name)
        if maker is not None and (removal := maker.removal(word, machine)) is not None:
            return removal
    for reader in card_readers(machine.cards).values():
        reader.check_read(machine)
    for name in FOLDERS:
        check_known(name, machine)
    mounted = [one for one in units_of(machine) if posixpath.normpath(word) in one.mountpoints]
    if len(mounted) == 1 and unit is None:
        return _removal(mounted[0].uuid or mounted[0].path, machine)
    raise BadInput(_nothing_called(word, machine))


def _nothing_called(word: str, machine: Machine) -> str:
    """What is said of a name that nothing has: what there is."""
    units = units_of(machine)
    stopped = [
        member.disk for unit in units if unit.stopped and unit.is_called(word) for member in unit.members
    ]
    stopped += [
        called(disk)
        for disk in machine.disks
        for s in disk.every_signature
        if s.label and s.type.endswith(("_member", "btrfs")) and word in {s.label, s.label.partition(":")[2]}
    ]
    if stopped:
        return (
            f"{harmless(word)!r} is not running; parts of it are on {', '.join(dict.fromkeys(stopped))}. Start it and "
            "try again, or choose these disks for something new, which erases them"
        )
    named = [f"the {backend(unit.backend).noun} {harmless(unit.name)}" for unit in units if not unit.stopped]
    disks = [called(disk) for disk in machine.disks if disk.identity]
    shown = [*disks[:_MOST], *([f"{len(disks) - _MOST} more"] if len(disks) > _MOST else [])]
    return (
        f"nothing here is called {harmless(word)!r}. A teardown takes the name or mount point of a unit (here: "
        f"{', '.join(named) or 'none'}), or a single disk's serial number or mount point (disks: "
        f"{', '.join(shown) or 'none'})"
    )
