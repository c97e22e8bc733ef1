"""Assemble an array so that md can only read it, and has nothing to write: without its superblocks and its bitmap.

``mdadm --assemble --readonly`` writes: md_bitmap_load() in drivers/md/md-bitmap.c writes the bitmap's superblock to every
member also of a read-only array, and md does again when it stops it (measured on Linux 6.1: one write to each member each
time). So md gets the geometry through sysfs instead (Documentation/admin-guide/md.rst), as mdadm itself gives it for
metadata that the kernel does not know. An array made so has no superblock in the kernel, and is read-only from its first
moment: no resync, no rebuild, no bitmap, no event count. It starts degraded, and also if it is not clean, without
``--force``, because nothing is computed anew.
"""

from collections.abc import Iterator, Mapping

from raidtui.backends.md.diagnosis.start import doubtful
from raidtui.backends.md.procedures.begin import stop
from raidtui.backends.md.procedures.care_conditions import NO_ARRAY, VIEWED
from raidtui.backends.md.states import shown_name
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import Refused
from raidtui.model.machine import STOPPED, Array, Machine
from raidtui.model.md_by_hand import NO_METADATA, Given, settings
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Action, Role, Run, Step, Undo
from raidtui.model.superblock import Superblock, complete, current, is_enough, of_array, starts_only_by_force
from raidtui.model.text import count_of, harmless
from raidtui.steps.devices import NUMBERED, PRESENT


def is_view(array: Array) -> bool:
    """Whether it was assembled as here: by hand, without superblocks, and can only be read."""
    return array.metadata == NO_METADATA and array.node.startswith("/dev/md_") and array.state == "readonly"


def view(array: Array, machine: Machine, called: str) -> Iterator[Step]:
    """Assemble an array, which is not started, read-only as /dev/md_``called``.

    Raises:
        Refused: it is not certain which data is meant, too little of it is here, or md must write to read it.
    """
    name = shown_name(array)
    if array.started:
        raise Refused(f"{name} is started already")
    stored = of_array(array.uuid, machine.superblocks)
    if not stored:
        raise Refused(f"no superblock of {name} could be read; run raidtui as root")
    if why := doubtful(stored, machine):
        raise Refused(f"{name} cannot be read: {harmless(why[0].text)}")
    members = current(complete(stored))
    newest = max(members.values(), key=lambda one: one.events)
    if not is_enough(members.values()):
        raise Refused(
            f"{name} has {count_of(len(members), 'member')} of {newest.raid_disks} here and up to date: too few to read it"
        )
    if newest.journal:
        raise Refused(
            f"{name} has a journal device: what is in it must be written before its data can be read"
        )
    if not newest.data_bytes:
        raise Refused(f"the reading does not have the geometry of {name}; read the computer anew")
    node, stable, graph = f"/dev/md_{called}", stable_in(machine.disks), graph_of(machine)
    if any(one.node == node for one in machine.arrays):
        raise Refused(f"{node} is here already")
    numbers = {
        path: block.number for path in members if (block := graph.at(path)) is not None and block.number
    }
    if numbers.keys() != members.keys():
        raise Refused(f"a member of {name} is not here any more; read the computer anew")
    lost = newest.raid_disks - len(members)
    if array.state != STOPPED:
        yield stop(array, machine)
    unclean = starts_only_by_force(list(members.values()))
    yield Step(
        id="assemble",
        role=Role.CREATE,
        title=f"Assemble {name} read-only as {node}"
        + (f", without {count_of(lost, 'member')}" if lost else ""),
        reason="md gets the geometry from here, not the superblocks and the bitmap, so it has nothing to write. No resync and no "
        "rebuild can start."
        + (
            " The array was being written to when it stopped: what was written last may be wrong."
            if unclean
            else ""
        ),
        actions=tuple(_assembled(node, newest, members, numbers)),
        before=(
            *(PRESENT.of(stable.get(path, path)) for path in members),
            *(NUMBERED.of(stable.get(path, path), number) for path, number in numbers.items()),
        ),
        after=(VIEWED.of(node),),
        undo=(Run(argv=("mdadm", "--stop", node), ok=(0, 1)),),
        undo_note=f"{name} is stopped",
        repair=(Run(argv=("mdadm", "--stop", node), ok=(0, 1)),),
    )


def put_away(array: Array) -> Iterator[Step]:
    """Stop an array that `view` assembled; one that the computer itself has assembled stays as it is."""
    if is_view(array):
        yield Step(
            id="stop",
            role=Role.REMOVE,
            title=f"Stop {shown_name(array)} ({array.node})",
            reason="Nothing is written: it has no superblock in the kernel.",
            # Exit code 1: it is stopped already; the condition decides.
            actions=(Run(argv=("mdadm", "--stop", array.node), ok=(0, 1)),),
            after=(NO_ARRAY.of(array.node),),
            undoable=Undo.NOTHING,
            undo_note="it stays stopped",
        )


def _assembled(
    node: str, newest: Superblock, members: Mapping[str, Superblock], numbers: Mapping[str, str]
) -> Iterator[Action]:
    given = [
        Given(
            held=path.removeprefix("/dev/").replace("/", "!"),
            number=numbers[path],
            slot=one.slot or 0,
            offset_bytes=one.data_offset_bytes,
            size_bytes=one.component_bytes or one.data_bytes,
        )
        for path, one in sorted(members.items(), key=lambda pair: pair[1].slot or 0)
    ]
    yield Run(argv=("modprobe", "md_mod"), ok=(0, 1))  # built in, or loaded: the next command decides
    (new, name), *others = settings(
        node.removeprefix("/dev/"),
        newest.level,
        newest.raid_disks,
        given,
        chunk_bytes=newest.chunk_bytes,
        layout=newest.layout,
        component_bytes=newest.component_bytes,
    )
    # Exit code 1: Linux 7.2 has kept the node of an earlier look; the next command decides.
    yield Run(argv=("tee", new), input=f"{name}\n", ok=(0, 1), writes=())
    for file, value in others:
        # Only the kernel's picture of the array changes.
        yield Run(argv=("tee", file), input=f"{value}\n", writes=())
