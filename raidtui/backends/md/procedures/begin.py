"""Start an array that is not started, also by force from members that are not up to date.

It is started from every member here that is up to date, not from those that md happens to hold. By force only from the
members that left last, named one by one: mdadm would take in more, with old data (`raidtui.machine.md.newest`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from raidtui.backends.md.array_names import mountpoints
from raidtui.backends.md.conditions import ARRAY_GONE, ARRAY_RUNS, MEMBER_IS
from raidtui.backends.md.diagnosis.raid0_layout import without_layout
from raidtui.backends.md.diagnosis.shrunk import usable
from raidtui.backends.md.diagnosis.start import doubtful, free_name, up_to_date
from raidtui.backends.md.procedures.care_conditions import ARRAY_STARTED, VOLUMES_STARTED
from raidtui.backends.md.procedures.start_moved import begin_where, start_whole
from raidtui.backends.md.states import shown_name
from raidtui.machine.md.health import is_container
from raidtui.machine.md.newest import find_newest, name_of_member
from raidtui.model.device import DeviceKind
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import Refused
from raidtui.model.machine import STOPPED, Array, Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Check, Role, Run, Step, Undo, order_step, start_step
from raidtui.model.procedure import StartTried
from raidtui.model.superblock import (
    Superblock,
    complete,
    current,
    geometry,
    is_enough,
    lacks_bitmap,
    missed_end,
    newest_of,
    of_array,
)
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.steps.devices import PRESENT
from raidtui.steps.kept import is_kept, keep_step

_LAYOUT: Final = "layout-alternate"  # that of Linux 3.14 and later


def start(array: Array, machine: Machine, *, degraded: bool) -> Iterator[Step]:
    """Start an array from the members that are up to date; ``degraded``: without those that are missing."""
    name = shown_name(array)
    if is_container(array):
        yield _start_volumes(array, machine)
        return
    if array.started:
        raise Refused(f"{name} is started already")
    stored = usable(of_array(array.uuid, machine.superblocks), machine)
    if why := doubtful(stored, machine):
        raise Refused(f"{name} cannot be started safely: {harmless(why[0].text)}")
    found = up_to_date(array, stored)
    if found is None or missed_end(stored):
        raise Refused(f"{name} cannot be started safely: 'raidtui status' shows what to do")
    stable = stable_in(machine.disks)
    inside_now = {member.path for member in array.members} if array.state != STOPPED else set()
    journals = [path for path, one in stored.items() if one.is_journal and path not in inside_now]
    outside = [stable.get(path, path) for path in (*journals, *found.outside)]
    lost = count_of(found.lost, "member")
    if found.lost and not degraded:
        raise Refused(
            f"{name} lacks {lost}; connect it, or choose to start it degraded (--do start-degraded)"
        )
    level = newest_of(stored.values())
    whole = () if found.lost else (ARRAY_RUNS.of(array.uuid, f"{level.level} {level.raid_disks}"),)
    inside = tuple(MEMBER_IS.of(device, f"{array.uuid} member") for device in outside)
    after = whole or (ARRAY_STARTED.of(array.uuid),)
    if unsaid := without_layout(stored):
        if unsaid[0].procedure is None:
            raise Refused(f"{name} cannot be started safely: {harmless(unsaid[0].text)}")
        reason = "Both layouts place the data alike on members of these sizes, so either is right to store."
        yield from _updated(array, stored, machine, _LAYOUT, "with a layout stored", reason, after)
        return
    if lacks_bitmap(stored):
        reason = "The bitmap is damaged, and md starts no array with such a one. Its data is not concerned."
        yield from _updated(array, stored, machine, "no-bitmap", "without its bitmap", reason, after)
        return
    if any(geometry(one) != geometry(level) for path, one in stored.items() if path in inside_now):
        reason = "What it holds left before the array was reshaped, and md takes no other member beside it."
        yield from _updated(array, stored, machine, "", "from its present members", reason, after)
        return
    if outside and _was_tried(array):
        how = f"degraded, without {lost}" if found.lost else "from all its members"
        reason = "md tried to start it without a member that is here, failed, and takes no other since."
        yield from _updated(array, stored, machine, "", how, reason, (ARRAY_STARTED.of(array.uuid),))
        return
    reassembled = array.state == STOPPED and found.lost > 0
    if outside and not reassembled:
        yield start_step(
            id="add",
            title=f"Add {count_of(outside, 'member')} to {name}",
            reason="They are here and up to date. md starts the array when the last of them is in it.",
            # Exit codes 1 and 2: udev was faster; the conditions decide.
            actions=tuple(Run(argv=("mdadm", "--incremental", device), ok=(0, 1, 2)) for device in outside),
            before=tuple(PRESENT.of(device) for device in outside),
            after=(*inside, *whole),
            undo_note=f"{name} stays started",
        )
    if found.lost or not outside:
        run: tuple[str, ...] = ("mdadm", "--run", array.node)
        if reassembled:
            node = free_name(array, machine)
            if not node:
                raise Refused(
                    f"{name} has the name of another array, or one that is not plain; see mdadm(8), --assemble"
                )
            run = ("mdadm", "--assemble", "--run", node, f"--uuid={array.uuid}", *outside)
        yield start_step(
            id="start",
            title=f"Start {name}" + (f" degraded, without {lost}" if found.lost else ""),
            reason=f"{spelled(level.level)} runs without them; what they hold becomes out of date."
            if found.lost
            else "All its members are in it.",
            actions=(Run(argv=run, ok=(0, 1)),),
            after=whole or (ARRAY_STARTED.of(array.uuid),),
            undo_note=f"{name} stays started",
        )


def _was_tried(array: Array) -> bool:
    """Whether md tried to start it and failed: only then do its members have a state, while it is not started."""
    return any({"in_sync", "faulty"} & {*one.state} for one in array.members)


def _updated(
    array: Array,
    stored: Mapping[str, Superblock],
    machine: Machine,
    update: str,
    how: str,
    why: str,
    after: tuple[Check, ...],
) -> Iterator[Step]:
    """Start an array that md refuses as it is, by itself: mdadm(8) changes what keeps it from starting, --update, if anything does."""
    name, stable = shown_name(array), stable_in(machine.disks)
    node = array.path or free_name(array, machine) or array.node
    if not node:
        raise Refused(f"another array has the name of {name}; see mdadm(8), --assemble")
    fresh = current(complete(stored))
    top = max((one.events for one in fresh.values()), default=0)
    # One that is rebuilt, or copied to, goes on from where it was; a replacement that has all data may be alone in its slot.
    others = {path: one for path, one in stored.items() if one.rebuilding and one.events >= top}
    every = fresh | others
    devices = [stable.get(path, path) for path in sorted(every, key=lambda one: every[one].slot or 0)]
    if array.node:
        yield stop(array, machine)
    yield start_step(
        id="start",
        title=f"Start {name} {how}",
        reason=why,
        actions=(
            Run(
                argv=(
                    "mdadm",
                    "--assemble",
                    "--run",
                    *((f"--update={update}",) if update else ()),
                    node,
                    f"--uuid={array.uuid}",
                    *devices,
                ),
                ok=(0, 1),
            ),
        ),
        before=(ARRAY_GONE.of(array.uuid), *(PRESENT.of(device) for device in devices)),
        after=after,
        undo_note=f"{name} stays started",
    )


def _start_volumes(array: Array, machine: Machine) -> Step:
    """Assemble a firmware RAID: mdadm starts each of its volumes that is whole."""
    name, stable = shown_name(array), stable_in(machine.disks)
    members = [stable.get(one.path, one.path) for one in array.members if one.path]
    if not members:
        raise Refused(f"no disk of the firmware RAID {name} is here")
    if array.volumes:
        raise Refused(f"the volumes of {name} are started already")
    devices = members if array.state == STOPPED else [array.node]
    return start_step(
        id="start",
        title=f"Start the volumes of the firmware RAID {name}",
        reason=f"{count_of(members, 'disk')} of it {'is' if len(members) == 1 else 'are'} here. mdadm starts what is whole on them.",
        # Exit codes 1 and 2: udev was faster; the conditions decide.
        actions=tuple(Run(argv=("mdadm", "--incremental", device), ok=(0, 1, 2)) for device in devices),
        before=tuple(PRESENT.of(device) for device in members),
        after=tuple(VOLUMES_STARTED.of(device) for device in members),
        undo_note="they stay started",
    )


def start_forced(array: Array, machine: Machine) -> Iterator[Step]:
    """Assemble an array that has lost more than it survives from the members that left last.

    Never ``--re-add``: in an array that has failed it makes a spare of a member for good.
    """
    name = shown_name(array)
    if why := doubtful(of_array(array.uuid, machine.superblocks), machine):
        raise Refused(f"{name} must not be forced: {harmless(why[0].text)}")
    chosen = find_newest(machine.superblocks, machine.disks, array)
    node = array.path or array.node or free_name(array, machine)
    if not chosen or not node:
        raise Refused(f"{name} must not be forced: it is not certain which members have its newest data")
    if array.node:
        yield stop(array, machine)
    yield Step(
        id="start",
        role=Role.CREATE,
        title=f"Start {name} by force with {count_of(chosen, 'member')}",
        reason="These left last. mdadm takes their data as current, and names no other member.",
        actions=(
            Run(argv=("mdadm", "--assemble", "--force", node, f"--uuid={array.uuid}", *chosen), ok=(0, 1)),
        ),
        before=(ARRAY_GONE.of(array.uuid), *(PRESENT.of(device) for device in chosen)),
        after=(ARRAY_STARTED.of(array.uuid), *(MEMBER_IS.of(one, f"{array.uuid} in-sync") for one in chosen)),
        undoable=Undo.IMPOSSIBLE,
    )


def start_tried(array: Array, order: StartTried, machine: Machine) -> Iterator[Step]:
    """Start an array by force from the members that a trial found right, with all superblocks kept for a rollback.

    It can be undone until the first write to the array: md writes nothing else before.
    """
    name, stored = shown_name(array), of_array(array.uuid, machine.superblocks)
    if why := doubtful(stored, machine):
        raise Refused(f"{name} must not be forced: {harmless(why[0].text)}")
    by_slot = complete(stored)
    by_name = {name_of_member(path, machine.disks): path for path in by_slot}
    if [stored[by_name[one]].events if one in by_name else None for one in order.members] != [*order.events]:
        raise Refused(
            f"the members of {name} are not as they were when it was tried: try again ('raidtui recover')"
        )
    chosen = [by_name[one] for one in order.members]
    whole = len(chosen) == array.raid_disks
    if not is_enough(stored[path] for path in chosen) or whole != bool(order.begins):
        raise Refused(f"{name} must not be forced with {harmless(listed(list(order.members)))}")
    if not whole:
        _check_force(array, stored, chosen)
    node = array.path or array.node or free_name(array, machine)
    if not node:
        raise Refused(f"another array has the name of {name}; see mdadm(8), --assemble")
    stable = stable_in(machine.disks)
    every = [stable.get(path, path) for path in stored]
    devices = [stable.get(path, path) for path in chosen]
    if array.node:
        yield stop(array, machine, "It is assembled anew. Its data cannot be reached until then.")
    yield keep_step(
        order.kept,
        every,
        machine,
        what="superblocks",
        of=f"{count_of(every, 'member')} of {name}",
        reason=f"They are in {order.kept} then: 'raidtui recover --put-back' writes them back if nothing was written since.",
        before=(ARRAY_GONE.of(array.uuid),),
        undo_note="every superblock is as it was",
    )
    if whole:
        yield from begin_where(order.kept, devices, [stored[path] for path in chosen], order.begins, machine)
        yield start_whole(array, node, devices)
        return
    yield Step(
        id="start",
        role=Role.CREATE,
        title=f"Start {name} by force with {count_of(chosen, 'member')}",
        reason="With these the trial found the files whole. mdadm takes their data as current, and names no other member.",
        actions=(
            Run(argv=("mdadm", "--assemble", "--force", node, f"--uuid={array.uuid}", *devices), ok=(0, 1)),
        ),
        before=(is_kept(order.kept), *(PRESENT.of(device) for device in devices)),
        after=(
            ARRAY_STARTED.of(array.uuid),
            *(MEMBER_IS.of(one, f"{array.uuid} in-sync") for one in devices),
        ),
        undo=(Run(argv=("mdadm", "--stop", node), ok=(0, 1)),),
        undo_note=f"{name} is stopped",
    )


def _check_force(array: Array, stored: Mapping[str, Superblock], chosen: Sequence[str]) -> None:
    """Check that a start without some members needs force, and that force gives what was tried.

    Raises:
        Refused: it does not, or the members that are ``chosen`` disagree about a reshape.
    """
    name = shown_name(array)
    if len({stored[path].reshaping for path in chosen}) > 1:
        raise Refused(f"{name} must not be forced: not all of these are in its reshape")
    if up_to_date(array, stored) is not None:
        raise Refused(f"{name} starts without force: 'raidtui care' shows how")


_FAILED: Final = "A running array that has failed is not assembled again. Its data cannot be reached now."


def stop(array: Array, machine: Machine, reason: str = _FAILED) -> Step:
    """Stop it, so that mdadm assembles it anew and does not add to what is there.

    Volumes on it are removed from the device mapper: LVM cannot read the metadata of their group while it has failed.

    Raises:
        Refused: something else is on it.
    """
    name, graph = shown_name(array), graph_of(machine)
    block = graph.at(array.node)
    found = (one for part in (block, *graph.parts(block)) for one in graph.all_on(part)) if block else ()
    above = list(dict.fromkeys(found))
    mounted = [one.mount.target for one in graph.mounts_on(*above) if one.here]
    if others := [one for one in above if one.kind is not DeviceKind.VOLUME]:
        first = f"unmount {harmless(listed(mounted))}, then " if mounted else ""
        those = harmless(listed([one.dm_name or one.path for one in others]))
        raise Refused(f"{those} is on {name}: {first}stop it")
    places = dict.fromkeys([*mountpoints(array, machine), *reversed(mounted)])
    end = Run(argv=("mdadm", "--stop", array.node), ok=(0, 1))
    return order_step(
        id="stop",
        title=f"Stop {name}",
        reason=f"{reason} Its volumes are deactivated first." if above else reason,
        actions=(
            # Exit code 32: it is not mounted any more, or in use; the condition decides.
            *(Run(argv=("umount", place), ok=(0, 32)) for place in places),
            *(Run(argv=("dmsetup", "remove", one.dm_name), ok=(0, 1)) for one in reversed(above)),
            end,
            Run(argv=("udevadm", "settle")),
            end,  # udev may have assembled what it found, without starting it
        ),
        after=(ARRAY_GONE.of(array.uuid),),
        undo_note=f"{name} stays stopped",
    )
