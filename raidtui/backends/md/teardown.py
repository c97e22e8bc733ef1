"""Tear down an array: wipe its contents, stop it, erase its superblocks, remove it from mdadm.conf and the initramfs.

This also handles inactive arrays, failed members and former members.
"""

import shlex
from collections.abc import Collection, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.care import called_at
from raidtui.backends.md.array_names import (
    address,
    entries_of,
    footprint_of,
    mountpoints,
)
from raidtui.backends.md.conditions import ARRAY_GONE
from raidtui.backends.md.create import erase_member, release_members, stop_array
from raidtui.machine.md.health import arrays_under
from raidtui.model.device import is_virtual
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Array, Machine, Signature
from raidtui.model.nodes import partition_path
from raidtui.model.plan import FORMER, Role, Run, Step, Undo, removal_step
from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.superblock import clones, of_array
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.uuids import bare
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.files import line_step
from raidtui.steps.filesystems import NOT_MOUNTED
from raidtui.steps.initramfs import without_lines
from raidtui.steps.multi_device import check_on_no_other
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.removal import MEMBER, OnDisk, Removal, erase_step, wholes_of

_WRITABLE: Final = frozenset({"clean", "active", "active-idle", "write-pending", "read-auto", "readonly"})


class FoundMember(OnDisk, frozen=True, kw_only=True):
    """A member that was found: the device on a disk that holds the superblock."""

    order: tuple[int, str]
    also: tuple[str, ...] = ()  # other signatures on a former member


class OnArray(Record, frozen=True, kw_only=True):
    """A member that is an array itself."""

    device: str
    shown: str
    whole: str = ""
    role: str = MEMBER
    also: tuple[str, ...] = ()


def removal_of(found: Array, machine: Machine, *, emptied: bool = False, table: bool = False) -> Removal:
    """How an array is removed, and the arrays that its members are on with it.

    Args:
        emptied: the plan has already removed the unit that is on it, and left it blank.
        table: but for the partition table: that unit was on its partitions.

    Raises:
        BadInput: none of its members is on a disk.
        Refused: it has no UUID or is a firmware RAID; a member is not on a disk; its contents span other devices
            too; or a member is one of several partitions of an array.
    """
    name, members = called_here(found), find_all(found, machine)
    arrays = arrays_under(found, machine.arrays)
    parts_of = {one.node: _parts_used(found, one, machine) for one in arrays}
    others = replace(machine, arrays=tuple(one for one in machine.arrays if one is not found))
    below = tuple(removal_of(one, others, emptied=True, table=bool(parts_of[one.node])) for one in arrays)
    inside = [inner for one in below for inner in one.every]
    own = {path for some in (members, *(one.members for one in inside)) for one in some for path in one.shows}
    own |= {node for one in inside for node in one.footprint.nodes}
    writable = found.state in _WRITABLE and (table or not emptied)
    if not emptied:
        # One that has failed cannot be read at all, and is removed all the same.
        unread = found.unread if writable else ""
        check_on_no_other(name, found.signatures, machine, own=own, unread=unread)
    on_it = footprint_of(found, machine)
    on_arrays = [
        OnArray(device=f"{address(one)}{part}", shown=f"the array {called_here(one)}")
        for one in arrays
        for part in parts_of[one.node] or ("",)
    ]
    parts: tuple[FoundMember | OnArray, ...] = (*members, *on_arrays)
    return Removal(
        spec=Spec(name=name, level=found.level, members=(), metadata=found.metadata or None),
        noun="array",
        mark=found.uuid,
        uuids=(found.uuid,),
        path=found.path or found.node,
        size_bytes=found.size_bytes,
        members=members,
        partition_type=LINUX_RAID,
        footprint=on_it,
        source=address(found) if len(on_it.nodes) == 1 else "",
        free=(address(found),) if writable and not emptied else (),
        core=(
            *(_clear_step(found, name) if writable else ()),
            _stop_step(found, name, members),
            _zero_step(name, parts),
        ),
        gone=(ARRAY_GONE.of(found.uuid),),
        folders=tuple(mountpoints(found, machine)),
        built=found.uuid,
        forget=tuple(_forget_steps(found, machine)),
        release=(release_members(found.uuid),),
        below=below,
    )


def _parts_used(array: Array, under: Array, machine: Machine) -> tuple[str, ...]:
    """How the paths of the partitions of ``under`` that are members of ``array`` end; empty if it is one as a whole.

    Raises:
        Refused: it has other partitions too, which may hold something.
    """
    graph = graph_of(machine)
    device, members = graph.at(under.node), {member.path for member in array.members}
    if device is None or under.node in members:
        return ()
    others = [one.path for one in graph.parts(device) if one.path not in members]
    if others:
        raise Refused(
            f"{called_here(array)} is on a partition of the array {called_here(under)}, which has others too: "
            f"{listed(others)}. Remove what is on these, and the partitions, first"
        )
    by_link = "-part" if under.path else "p"
    return tuple(
        f"{by_link}{path.removeprefix(f'{under.node}p')}"
        for path in sorted(members)
        if path.startswith(f"{under.node}p")
    )


def called_here(array: Array) -> str:
    """The name of ``array`` as shown."""
    return harmless(array.shown.removeprefix("/dev/"))


def find_all(found: Array, machine: Machine) -> tuple[FoundMember, ...]:
    """The members on disks of an array to be removed; its others are arrays.

    Raises:
        BadInput: it has none of either.
        Refused: the array has no UUID or is a firmware RAID; a member is neither on a disk nor an array; or a clone
            of one is here.
    """
    name = called_here(found)
    if found.level == "container" or found.metadata.startswith("external"):
        raise Refused(f"{name} is a firmware RAID; delete it in the firmware's setup")
    if not bare(found.uuid):
        raise Refused(f"{name} ({found.node}) has no UUID, so its members cannot be identified for certain")
    if same := next(iter(clones(of_array(found.uuid, machine.superblocks))), None):
        raise Refused(
            f"{listed(called_at(same, machine))} have the same superblock of {name}: disconnect the one that does not belong "
            "here, and try again"
        )
    members = find_members(found, machine)
    below = {path for one in arrays_under(found, machine.arrays) for path in footprint_of(one, machine).nodes}
    _check_all_found(found, members, machine, name, below)
    if not members and not below:
        raise BadInput(
            f"no member of {name} is on a disk of this computer; stop what is left with 'mdadm --stop {found.node}'"
        )
    return members


def find_members(array: Array, machine: Machine) -> tuple[FoundMember, ...]:
    """The members of ``array`` by slot, then its spares and failed members, then former members.

    A former member still has the superblock and would bring back a degraded array.
    """
    listed = {member.path: member for member in array.members}
    # The superblock of an array on another may show on a member of that.
    of_others = {member.path for one in machine.arrays if one is not array for member in one.members}
    found = []
    for disk in machine.disks:
        whole = disk.stable_path
        devices = [(disk.path, whole, disk.size_bytes, disk.signatures)]
        devices += [
            (p.path, partition_path(whole, p.number), p.size_bytes, p.signatures) for p in disk.partitions
        ]
        for path, device, size, signatures in devices:
            member = listed.get(path)
            superblock = any(
                s.type == "linux_raid_member" and s.device == path and bare(s.uuid) == bare(array.uuid)
                for s in signatures
            )
            if member is None and (not superblock or path in of_others):
                continue
            slot = member.slot if member is not None else None
            is_spare = member is not None and "spare" in member.state and slot is None
            role = FORMER if member is None else "spare" if is_spare else MEMBER
            order = (slot if slot is not None else 2000 + (member is None), path)
            inside = (s for p in disk.partitions for s in p.signatures) if path == disk.path else ()
            others = [s for s in (*signatures, *inside) if bare(s.uuid) != bare(array.uuid)]
            also = tuple(dict.fromkeys(_spell(s) for s in others)) if member is None else ()
            found.append(
                FoundMember(
                    disk=disk, device=device, path=path, size_bytes=size, role=role, order=order, also=also
                )
            )
    return tuple(sorted(found, key=lambda one: one.order))


def _spell(signature: Signature) -> str:
    return harmless(f"{signature.type} {signature.label!r}" if signature.label else signature.type)


def _check_all_found(
    array: Array, members: Sequence[FoundMember], machine: Machine, name: str, below: Collection[str]
) -> None:
    """Check that every member is among ``members`` or is the array ``below``: any other would bring it back degraded."""
    known = {*below} | {m.disk.path for m in members} | {p.path for m in members for p in m.disk.partitions}
    others = [
        member.path
        for member in array.members
        if member.path not in known and (member.disk or is_virtual(member.path.removeprefix("/dev/")))
    ]
    if not others:
        return
    first = "".join(f"umount {shlex.quote(place)} && " for place in mountpoints(array, machine))
    raise Refused(
        f"{', '.join(others)}, a member of {name}, is neither a disk nor a partition, so it cannot be erased here. If "
        f"nothing on {name} is needed: {first}mdadm --stop {array.node}, and remove what its members are on"
    )


def _clear_step(array: Array, name: str) -> list[Step]:
    """Of an array that can be written to; the members of another are erased in any case."""
    path = address(array)
    held = [_spell(s) for s in array.signatures]
    writable = [Run(argv=("mdadm", "--readwrite", path))] if array.state == "readonly" else []
    return [
        removal_step(
            id="clear",
            title=f"Wipe the contents of {name}",
            reason="Through the array, so that its filesystem does not reappear on a later array of the same layout.",
            actions=(*writable, Run(argv=("wipefs", "--all", path))),
            destroys=(f"{name}: {', '.join(held) if held else 'everything on it'}",),
            before=(
                NOT_MOUNTED.of(path),
                UNCLAIMED.of(path),
            ),
            after=(BLANK.of(path),),
        )
    ]


def _stop_step(array: Array, name: str, members: Sequence[FoundMember]) -> Step:
    return Step(
        id="stop",
        role=Role.REMOVE,
        title=f"Stop the array {name}",
        reason="By UUID, since md numbers change at boot. The disks stay locked, or udev would assemble it again.",
        actions=(stop_array(array.uuid),),
        after=(ARRAY_GONE.of(array.uuid),),
        undoable=Undo.COMMANDS,
        undo=(Run(argv=("mdadm", "--assemble", "--scan", f"--uuid={array.uuid}")),),
        undo_note="the array is assembled again, empty",
        holds=wholes_of(members),
    )


def _zero_step(name: str, members: Sequence[FoundMember | OnArray]) -> Step:
    return erase_step(
        "zero",
        members,
        lambda member: erase_member(member.device),
        title=f"Erase the superblocks of {_counted(members)}",
        reason="A remaining superblock would bring the array back at the next boot.",
        destroys=lambda member: _loss(member, name),
    )


def _loss(member: FoundMember | OnArray, name: str) -> str:
    part = "the old copy of a former member" if member.role == FORMER else "its part"
    return f"{member.shown}: {part} of the array {name}" + (
        f", and {', '.join(member.also)}" if member.also else ""
    )


def _counted(members: Sequence[FoundMember | OnArray]) -> str:
    """How many members there are, and how many former ones, which the array runs without."""
    former = [one for one in members if one.role == FORMER]
    own = len(members) - len(former)
    counts = [count_of(own, "member")] if own or not former else []
    return " and ".join(counts + ([count_of(former, "former member")] if former else []))


def _forget_steps(array: Array, machine: Machine) -> list[Step]:
    """Remove ``array`` from mdadm.conf and the initramfs; no step if nothing names it.

    Raises:
        Refused: an entry spans several lines, so it cannot be removed separately.
    """
    system = machine.system
    entries = entries_of(array, machine)
    if not entries:
        return []
    for entry in entries:
        if len(entry.lines) > 1:
            raise Refused(
                f"the ARRAY entry of {harmless(array.name)} in {entry.file} spans {len(entry.lines)} lines, which cannot "
                "be removed separately; join them into one line and try again"
            )
    found = [(entry.file, line) for entry in entries for line in entry.lines]
    files = ", ".join(dict.fromkeys(file for file, _ in found))
    return [
        line_step(
            "conf",
            role=Role.REMOVE,
            title=f"Remove the array from {files}",
            reason="Otherwise the next boot looks for an array that no longer exists.",
            old=found,
            undo_note="the lines are restored",
        ),
        *without_lines([line for _, line in found], system, role=Role.REMOVE),
    ]
