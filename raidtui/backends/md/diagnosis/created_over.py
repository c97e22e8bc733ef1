"""An array that was created over an older one of its name: by mistake mostly, to get that one started. Pure.

'mdadm --create' writes new superblocks and says "array started". With the members in another order, or other geometry
than before, the data is there and cannot be read.
"""

from collections.abc import Iterator, Sequence

from raidtui.backends.care import called, called_at, places_at
from raidtui.backends.md.states import misread
from raidtui.backends.unexplained import word_of
from raidtui.machine.md.made_again import of_others, older_of, seems_empty
from raidtui.machine.md.stopped import stopped_in
from raidtui.model.device import Device
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Configure, Recover
from raidtui.model.recovery import EVERY_ORDER
from raidtui.model.superblock import Superblock, of_array
from raidtui.model.text import harmless, listed
from raidtui.model.unit_names import command_word
from raidtui.model.units import binary

NEVER = "write to it, make a filesystem on it, check it with fsck, or create it once more"
_EMPTY = "nothing known is on it, and "


def created_over(machine: Machine) -> Iterator[Finding]:
    """A finding for each array whose filesystem is not whole in its layout, or with nothing known on it and the name of another.

    That other one is in mdadm.conf, or in the superblock of a disk.
    """
    graph = graph_of(machine)
    for array in machine.arrays:
        if misread(array):
            continue  # nothing that is read from it says anything
        device = graph.at(array.node)
        above = (device, *graph.parts(device), *graph.all_on(device)) if device is not None else ()
        if (scattered := next((one for one in above if one.misplaced), None)) is not None:
            yield _scattered(array, scattered, machine)
            continue
        if not seems_empty(array, machine):
            continue
        if older := older_of(array, machine):
            yield _beside(array, older, machine)
            continue
        if not of_others(array, machine):
            if array.older:
                yield _over_data(array, machine)
            continue
        seen = f"{_EMPTY}{_named(machine)}. It may have been created over that one"
        yield _finding(array, seen, machine, look_below(array), _is_new(array))


def before_start(array: Array, machine: Machine) -> tuple[Remedy, ...]:
    """What comes before the start of an array that would sync then, and may have been created over an older one."""
    if not _would_sync(array, machine) or not of_others(array, machine):
        return ()
    look = Remedy(
        text=f"do not start it, nor restart this computer, which starts it too: {_named(machine)}. It may have been created over that one, which its sync would overwrite{_reached(array, machine)}. Look for "
        f"the files of that one on overlays, {EVERY_ORDER}",
        procedure=Recover(unit=array.uuid),
    )
    return look, _is_new(array)


def _named(machine: Machine) -> str:
    return (
        f"{machine.system.mdadm_conf} gives its name to another array, of which no disk here has a superblock"
    )


def _is_new(array: Array) -> Remedy:
    return Remedy(
        text="if it is new and its disks held nothing, replace the line of the other with its own",
        procedure=Configure(unit=array.uuid),
    )


def may_hide_another(array: Array, machine: Machine) -> bool:
    """Whether ``array`` may have been created over an older one, so that nothing may be written to its members."""
    return any(one.unit == array.uuid for one in created_over(machine))


def _overwrites(array: Array) -> bool:
    """Whether a sync writes to its members now."""
    return array.sync is not None and not array.sync.waiting and array.sync.action != "check"


def _would_sync(array: Array, machine: Machine) -> bool:
    """Whether a sync of it continues once it is written to, or started."""
    return any(one.rebuilding or not one.clean for one in of_array(array.uuid, machine.superblocks).values())


def _reached(array: Array, machine: Machine) -> str:
    """How far its sync has come on each member, and what lies beyond, as a sentence to append; empty if it is not known."""
    stored = of_array(array.uuid, machine.superblocks).values()
    running = array.sync if _overwrites(array) else None
    done = running.done_bytes if running is not None else max((one.synced_bytes for one in stored), default=0)
    total = max((one.component_bytes for one in stored), default=0)
    if not 0 < done < total:
        return ""
    return f". It has come to {binary(done)} of {binary(total)} on each member: what lies beyond is as it was"


def _look(array: Array, how: str) -> str:
    """What a trial does, the danger first."""
    first = "stop it at once, and " if _overwrites(array) else ""
    return f"{first}look for the files of the older array on overlays, {how}"


def _scattered(array: Array, device: Device, machine: Machine) -> Finding:
    """The first chunk of it, or of a volume on it, has the beginning of a filesystem, and copies of the superblock are where no other chunk has them."""
    seen = (
        f"{device.type} begins on {'it' if device.path == array.node else harmless(device.dm_name or device.path)}, and a copy of its superblock is not in its place. The array may have been created over an older "
        "one, with another chunk, layout or order of members"
    )
    never = "write to it, mount it other than read-only, let a check repair it, or create it once more"
    return _finding(array, seen, machine, look_below(array), never=never)


def _finding(array: Array, seen: str, machine: Machine, *remedies: Remedy, never: str = NEVER) -> Finding:
    writes = ""
    if _overwrites(array):
        writes = f". ITS SYNC RUNS, and overwrites what the older one had{_reached(array, machine)}"
    elif _would_sync(array, machine):
        writes = (
            ". Its sync continues with the first write, or when it is started again, and overwrites what the older one had"
            f"{_reached(array, machine)}"
        )
    return Finding(
        name=command_word(array, (*machine.arrays, *stopped_in(machine))),
        kind=Kind.CREATED_OVER,
        what=f"array {array.shown}: {seen}{writes}",
        unit=array.uuid,
        never=never,
        remedies=remedies,
    )


def _beside(array: Array, older: Sequence[Superblock], machine: Machine) -> Finding:
    """It has the name of an older array, of which disks here still have superblocks."""
    names = listed(called_at((one.path for one in older), machine))
    seen = (
        f"{_EMPTY}{names} {'has' if len(older) == 1 else 'have'} the superblock of an older array of its name. It may have been created "
        "over that one"
    )
    beside = look_beside(array, older, machine)
    return _finding(array, seen, machine, beside, never=f"{NEVER}, or add a member")


def _over_data(array: Array, machine: Machine) -> Finding:
    """Its members hold the beginning of what an older array had, at another place or in another slot."""
    known = {
        place.path: called(place.disk) for place in places_at([path for path, _ in array.older], machine)
    }
    where = listed([f"{known.get(path) or harmless(path)} has {what}" for path, what in array.older])
    seen = (
        f"{_EMPTY}{where}, where md puts the data of a member. It may have been created over an older array"
    )
    new = Remedy(text="if it is new and its disks held nothing that counts, make its filesystem")
    return _finding(array, seen, machine, look_below(array), new)


def look_beside(array: Array, older: Sequence[Superblock], machine: Machine) -> Remedy:
    """A trial of the older array with the members of ``array``."""
    paths = (one.path for one in array.members if one.path)
    newest = max(older, key=lambda one: one.created)
    return Remedy(
        text=_look(array, "with the members of this one"),
        procedure=Recover(unit=newest.uuid, disks=tuple(map(word_of, places_at(paths, machine)))),
    )


def look_below(array: Array) -> Remedy:
    """A trial of its members in other orders."""
    return Remedy(
        text=_look(array, EVERY_ORDER),
        procedure=Recover(unit=array.uuid),
    )
