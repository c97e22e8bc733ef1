"""Takes an array apart, from the inside out, so that nothing of it comes back.

Order: unmount, forget (fstab), clear the content through md, stop, remove each superblock, remove what lies
under it, forget (mdadm.conf, initramfs). The members are locked against udev while their superblocks go: else it
assembles the array again between two commands.
"""

from collections.abc import Sequence

from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Array, Disk, Machine, Weight
from raidtui.model.plan import Action, Check, CheckKind, DropLine, Plan, PlanKind, Run, Step, Undo
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.model.units import MIB
from raidtui.plan.partitions import LINUX_RAID
from raidtui.plan.persistence import FSTAB, initramfs_step
from raidtui.plan.seeds import as_md
from raidtui.plan.targets import partition_node, planned_disk
from raidtui.plan.wipe import zero

_GONE = "what it held is gone for good"


def make_teardown(array: str, machine: Machine, *, seed: str) -> Plan:
    """The plan that takes ``array`` (name, UUID or node) apart and leaves its disks blank.

    Raises:
        BadInput: there is no such array.
        Refused: the running system is on it.
    """
    found = machine.array(array)
    members = _members(found, machine)
    for disk, _ in members:
        if any(claim.weight is Weight.SYSTEM for claim in disk.taken_by):
            raise Refused(f"the running system is on the array {found.name}; no option overrides that")
    steps = [
        *_unmount(found),
        *_forget_fstab(found, machine),
        *_clear(found),
        _stop(found, members),
        _wipe_members(members),
        *_forget_conf(found, machine),
    ]
    spec = Spec(
        name=found.name,
        level=found.level or "raid1",
        members=tuple(disk.identity for disk, _ in members),
        metadata=found.metadata or None,
        filesystem=FilesystemSpec(),
    )
    return Plan(
        kind=PlanKind.TEARDOWN,
        spec=spec,
        seed=seed,
        array_uuid=found.uuid,
        array_path=found.path or found.node,
        array_bytes=found.size_bytes,
        disks=tuple(planned_disk(disk, "member") for disk, _ in members),
        steps=tuple(steps),
    )


def _members(array: Array, machine: Machine) -> tuple[tuple[Disk, str], ...]:
    """Each member that is still there: its disk and its own device, by the path that plans use."""
    found: list[tuple[Disk, str]] = []
    for member in array.members:
        for disk in machine.disks:
            if disk.path == member.path:
                found.append((disk, disk.stable_path))
            for part in disk.partitions:
                if part.path == member.path:
                    found.append((disk, partition_node(disk, part.number)))
    if not found:
        raise BadInput(f"the array {array.name} has no member that is on a disk of this machine")
    disks = [disk.path for disk, _ in found]
    twice = next((path for path in disks if disks.count(path) > 1), "")
    if twice:
        raise BadInput(f"two members of the array {array.name} are on {twice}; take it apart by hand")
    return tuple(sorted(found, key=lambda one: one[0].identity))


def _unmount(array: Array) -> list[Step]:
    if not array.mountpoints:
        return []
    return [
        Step(
            id="unmount",
            title=f"Unmount {', '.join(array.mountpoints)}",
            reason="A mounted filesystem keeps the array busy.",
            actions=tuple(Run(argv=("umount", place)) for place in reversed(array.mountpoints)),
            after=tuple(Check(kind=CheckKind.NOT_MOUNTED, subject=place) for place in array.mountpoints),
            undo=tuple(Run(argv=("mount", place), ok=(0, 32)) for place in array.mountpoints),
            undo_note="it is mounted again",
        )
    ]


def _forget_fstab(array: Array, machine: Machine) -> list[Step]:
    uuids = {signature.uuid for signature in array.signatures if signature.uuid}
    nodes = {array.node, array.path} - {""}
    lines = [
        line
        for line in machine.system.fstab
        if line.split()[0] in nodes or line.split()[0].removeprefix("UUID=").strip('"') in uuids
    ]
    return _drop("fstab", FSTAB, lines, "The next boot must not wait for it.")


def _forget_conf(array: Array, machine: Machine) -> list[Step]:
    uuid = as_md(array.uuid) if array.uuid else "none"
    lines = [line for line in machine.system.mdadm_conf_arrays if uuid in line.lower()]
    steps = _drop("conf", machine.system.mdadm_conf, lines, "The next boot must not look for the array.")
    if lines and machine.system.initramfs:
        steps.append(initramfs_step(lines[0], machine, has=False))
    return steps


def _drop(name: str, path: str, lines: Sequence[str], reason: str) -> list[Step]:
    if not lines:
        return []
    return [
        Step(
            id=name,
            title=f"Remove the array from {path}",
            reason=reason,
            actions=tuple(DropLine(path=path, line=line) for line in lines),
            after=tuple(Check(kind=CheckKind.LINE_NOT_IN, subject=path, expect=line) for line in lines),
            undoable=Undo.NOTHING,
        )
    ]


def _clear(array: Array) -> list[Step]:
    if array.state in {"inactive", "clear", "broken", ""}:
        return []  # nothing can be written through it; its members are wiped all the same
    held = " ".join(f"{one.type} {one.label!r}" for one in array.signatures) or "its data"
    node = array.path or array.node
    return [
        Step(
            id="clear",
            title=f"Remove the content of {node}",
            reason="Through md, so that the same filesystem does not come back in a later array of this shape.",
            actions=(Run(argv=("wipefs", "--all", node)),),
            destroys=(f"{array.name}: {held}; {_GONE}",),
            before=(Check(kind=CheckKind.NOT_MOUNTED, subject=node),),
            after=(Check(kind=CheckKind.BLANK, subject=node),),
            undoable=Undo.IMPOSSIBLE,
        )
    ]


def _stop(array: Array, members: Sequence[tuple[Disk, str]]) -> Step:
    return Step(
        id="stop",
        title=f"Stop {array.node} and remove its superblocks",
        reason="Under one lock, or udev would assemble it again from the first member it sees.",
        actions=(
            Run(argv=("mdadm", "--stop", array.node)),
            *(Run(argv=("mdadm", "--zero-superblock", node), ok=(0, 1, 2)) for _, node in members),
        ),
        destroys=tuple(f"{disk.identity}: the array's metadata" for disk, _ in members),
        after=(Check(kind=CheckKind.ARRAY_GONE, subject=array.uuid),),
        undoable=Undo.IMPOSSIBLE,
        repair=(Run(argv=("mdadm", "--stop", array.node), ok=(0, 1, 2)),),
        holds=tuple(disk.stable_path for disk, _ in members),
    )


def _wipe_members(members: Sequence[tuple[Disk, str]]) -> Step:
    actions: list[Action] = []
    for disk, node in members:
        # Metadata at the end (1.0, 0.90) leaves a filesystem visible on each member.
        actions.append(Run(argv=("wipefs", "--all", node)))
        ours = len(disk.partitions) == 1 and disk.partitions[0].type == LINUX_RAID
        if node != disk.stable_path and ours:
            actions += [
                Run(argv=("wipefs", "--all", disk.stable_path)),
                Run(argv=zero(disk.stable_path, disk.size_bytes - MIB)),
                Run(argv=zero(disk.stable_path, 0)),
                Run(argv=("blockdev", "--rereadpt", disk.stable_path)),
            ]
    whole = [disk.stable_path for disk, node in members if node == disk.stable_path or _only_ours(disk)]
    parts = [node for disk, node in members if node != disk.stable_path and not _only_ours(disk)]
    return Step(
        id="wipe",
        title=f"Leave {len(members)} disks blank",
        reason="Nothing that a later array or installer could stumble over stays behind.",
        actions=tuple(actions),
        after=tuple(Check(kind=CheckKind.BLANK, subject=path) for path in (*whole, *parts)),
        undoable=Undo.IMPOSSIBLE,
        holds=tuple(disk.stable_path for disk, _ in members),
    )


def _only_ours(disk: Disk) -> bool:
    return len(disk.partitions) == 1 and disk.partitions[0].type == LINUX_RAID
