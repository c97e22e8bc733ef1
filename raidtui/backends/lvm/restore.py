"""Restore the version of a group's metadata with which a trial on overlays found the files: vgcfgrestore(8). Pure.

For a group that LVM cannot read, whose physical volumes lost their label, or whose volumes were all removed. Only the label
and the metadata area of each physical volume are written, and both are kept before.
"""

from collections.abc import Iterator, Sequence

from raidtui.backends.lvm.care_conditions import ACTIVE, VOLUMES
from raidtui.backends.lvm.conditions import USES
from raidtui.backends.lvm.moving import flushed
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.signs import MEMBER
from raidtui.machine.newest import name_of_member
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Hazard, Role, Run, Step, high, order_step, start_step
from raidtui.model.procedure import RestoreMetadata
from raidtui.model.recovery import KEPT_FILE, KEPT_LINE, KEPT_VERSION
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.uuids import same_uuid
from raidtui.steps.devices import PRESENT
from raidtui.steps.files import LINE_IN


def restore(order: RestoreMetadata, machine: Machine) -> Iterator[Step]:
    """Keep the begin of every physical volume, restore the version, and activate the volumes.

    Raises:
        Refused: a physical volume is not here, or is something else by now; or LVM reads the group.
    """
    group, program = harmless(order.name), machine.system.program
    if not program:
        raise Refused("it is not known how raidtui is started here, which has to keep the metadata")
    labeled, bare = _devices(order, machine)
    devices = {**labeled, **bare}
    paths = [devices[one] for one in order.members]
    _check_group(order, paths, machine)
    state, text = f"{order.kept}/{KEPT_FILE}", f"{order.kept}/{KEPT_VERSION}"
    yield Step(
        id="keep",
        role=Role.MEMBER,
        title=f"Keep the metadata of {count_of(paths, 'physical volume')} of {group}",
        reason=f"The begin of each, and the version that was tried, are in {order.kept} then.",
        actions=(
            Run(
                argv=(
                    *(*program, "recover", "--keep", order.kept, "--disks", ",".join(paths)),
                    *("--version", order.digest, "--group", order.unit, "--labels", ",".join(order.labels)),
                )
            ),
        ),
        before=tuple(PRESENT.of(one) for one in paths),
        after=(LINE_IN.of(state, KEPT_LINE),),
        undo=(Run(argv=(*program, "recover", "--put-back", order.kept)),),
        undo_note="the metadata is as it was",
    )
    damaged = _damaged(machine)
    writes = tuple(
        run
        for name, uuid in zip(order.members, order.labels, strict=True)
        if name in bare or devices[name] in damaged
        for run in _label(devices[name], uuid, text)
    )
    yield order_step(
        id="restore",
        title=f"Restore the metadata of {group}" + (f", with the label of {listed([*bare])}" if bare else ""),
        reason="With this version the trial found the files whole. Only labels and metadata are written.",
        actions=(
            *writes,
            Run(argv=("vgcfgrestore", "--file", text, order.name)),
            flushed(*paths),
        ),
        before=(LINE_IN.of(state, KEPT_LINE), *(PRESENT.of(one) for one in paths)),
        after=(
            *(USES.of(one, f"{order.unit} group") for one in paths),
            USES.of(devices[order.on], f"{order.unit} volume {order.volume}"),
        ),
        undo_note="the step before puts the metadata back",
    )
    yield start_step(
        id="activate",
        title=f"Activate {group}",
        reason="Its volumes can be mounted then.",
        actions=(Run(argv=("vgchange", "--activate", "ay", order.name)),),
        after=(VOLUMES.of(order.unit, ACTIVE),),
        undo_note=f"{group} is deactivated as its metadata is put back",
    )


def _label(device: str, uuid: str, text: str) -> tuple[Run, ...]:
    """Write the label and an empty metadata area: LVM writes none where it cannot read what is in the area."""
    return (
        Run(argv=("wipefs", "--all", "--types", MEMBER, device)),
        Run(argv=("pvcreate", "--uuid", uuid, "--restorefile", text, device)),
    )


def _damaged(machine: Machine) -> frozenset[str]:
    """The stable paths of the physical volumes whose metadata LVM cannot read."""
    reading, stable = reading_in(machine), stable_in(machine.disks)
    every = reading.known.devices if reading is not None else ()
    return frozenset(stable.get(one.path, one.path) for one in every if one.path and one.damaged)


def restored(order: RestoreMetadata) -> Hazard:
    """What has to be accepted before."""
    return high(
        id="restore-metadata",
        seen=f"{harmless(order.name)}: {harmless(order.tried)}",
        meaning="Where the volumes are is taken from this version. What LVM changed after it is forgotten. If it were a wrong one, a "
        "write to a volume would overwrite what is there.",
        advice="Copy the files away first (--mount): that writes to no disk. After the restore check the filesystem without changes "
        "before you mount it (fsck -n).",
        source="vgcfgrestore(8)",
    )


def _devices(order: RestoreMetadata, machine: Machine) -> tuple[dict[str, str], dict[str, str]]:
    """The stable path of each physical volume by its name, and apart those of the ones that have no label.

    Raises:
        Refused: one is not here, or is something else.
    """
    stable = stable_in(machine.disks)
    here = {
        name_of_member(path, machine.disks): (disk, path)
        for disk in machine.disks
        for path in disk.every_path
        if path
    }
    labeled, bare = dict[str, str](), dict[str, str]()
    for name in order.members:
        if name not in here:
            raise Refused(f"{harmless(name)}, a physical volume of {harmless(order.name)}, is not here")
        disk, path = here[name]
        kinds = _contents(disk, path)
        if kinds and kinds != [MEMBER]:
            raise Refused(
                f"{harmless(name)} has {harmless(listed(kinds))} where its label was, and a new label would overwrite it: copy the "
                "files away instead (--mount)"
            )
        (labeled if kinds else bare)[name] = stable.get(path, path)
    return labeled, bare


def _contents(disk: Disk, path: str) -> list[str]:
    """The types of what is on the device ``path``, a partition of ``disk`` or the whole of it."""
    if path != disk.path:
        part = next(one for one in disk.partitions if one.path == path)
        return sorted({one.type for one in part.signatures})
    found = {one.type for one in disk.signatures}
    return sorted(found | {disk.partition_table} - {""} if disk.partitions else found)


def _check_group(order: RestoreMetadata, paths: Sequence[str], machine: Machine) -> None:
    """Check that LVM cannot do without: it reads no such group, or one that lacks a disk or has no volumes.

    Raises:
        Refused: it reads the group, a volume of it is active, or another group has its name or
        one of ``paths``.
    """
    reading = reading_in(machine)
    if reading is None:
        raise Refused("what LVM sees here is not known; see 'raidtui doctor'")
    name = harmless(order.name)
    strangers = [one for one in reading.known.devices if one.group and not same_uuid(one.group, order.unit)]
    if taken := [
        one.path
        for one in strangers
        if one.path and stable_in(machine.disks).get(one.path, one.path) in paths
    ]:
        raise Refused(f"{taken[0]} is in another volume group by now: to restore {name} would destroy that")
    for group in reading.known.groups:
        if not same_uuid(group.uuid, order.unit):
            if group.name == order.name:
                raise Refused(f"another volume group here is called {name}: rename it first (vgrename)")
            continue
        volumes = reading.known.of(group)
        if any(one.active for one in volumes):
            raise Refused(f"{name} is active: deactivate it first (vgchange --activate n {name})")
        if volumes and not group.missing:
            raise Refused(f"LVM reads the metadata of {name}, so there is nothing to restore")
