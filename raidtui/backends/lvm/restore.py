"""Restore the version of a group's metadata with which a trial on overlays found the files: vgcfgrestore(8). Pure.

For a group that LVM cannot read, whose physical volumes lost their label, or whose volumes were all removed. Only the label
and the metadata area of each physical volume are written, and both are kept before.
"""

from collections.abc import Iterator, Mapping

from raidtui.backends.lvm.care_conditions import ACTIVE, VOLUMES
from raidtui.backends.lvm.conditions import USES
from raidtui.backends.lvm.hidden import without_metadata
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import Reading
from raidtui.backends.lvm.signs import MEMBER
from raidtui.backends.md.array_names import address
from raidtui.machine.md.newest import name_of_member
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Hazard, Run, Step, high, order_step, start_step
from raidtui.model.procedure import RestoreMetadata
from raidtui.model.recovery import KEPT_VERSION
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.uuids import same_uuid
from raidtui.steps.devices import PRESENT
from raidtui.steps.flush import flushed
from raidtui.steps.kept import is_kept, keep_step


def restore(order: RestoreMetadata, machine: Machine) -> Iterator[Step]:
    """Keep the beginning of every physical volume, restore the version, and activate the volumes.

    Raises:
        Refused: a physical volume is not here, or is something else by now; or LVM reads the group.
    """
    group, reading = harmless(order.name), reading_in(machine)
    if reading is None:
        raise Refused("what LVM sees here is not known; see 'raidtui doctor'")
    stable = stable_in(machine.disks) | {one.node: address(one) for one in machine.arrays}
    known = [(stable.get(one.path, one.path), one) for one in reading.known.devices if one.path]
    devices, bare = _devices(order, stable, machine)
    paths = list(devices.values())
    strangers = (one for path, one in known if path in paths and one.group)
    if taken := next((one for one in strangers if not same_uuid(one.group, order.unit)), None):
        raise Refused(
            f"{taken.path} is in another volume group by now: to restore {group} would destroy that"
        )
    _check_needed(order, reading.known)
    yield keep_step(
        order.kept,
        paths,
        machine,
        what="metadata",
        of=f"{count_of(paths, 'physical volume')} of {group}",
        reason=f"The beginning of each, and the version that was tried, are in {order.kept} then.",
        words=("--version", order.digest, "--group", order.unit, "--labels", ",".join(order.labels)),
        undo_note="the metadata is as it was",
    )
    text = f"{order.kept}/{KEPT_VERSION}"
    damaged = {path for path, one in known if without_metadata(one)}
    writes = tuple(
        run
        for (name, device), uuid in zip(devices.items(), order.labels, strict=True)
        if name in bare or device in damaged
        for run in _label(device, uuid, text)
    )
    yield order_step(
        id="restore",
        title=f"Restore the metadata of {group}" + (f", with the label of {listed(bare)}" if bare else ""),
        reason="With this version the trial found the files whole. Only labels and metadata are written.",
        actions=(
            *writes,
            # vgcfgrestore(8) refuses a group with thin pools otherwise: their own metadata may have changed since. It has not.
            Run(argv=("vgcfgrestore", *(("--force",) if order.pools else ()), "--file", text, order.name)),
            flushed(*paths),
        ),
        before=(is_kept(order.kept), *(PRESENT.of(one) for one in paths)),
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


def _devices(
    order: RestoreMetadata, stable: Mapping[str, str], machine: Machine
) -> tuple[dict[str, str], list[str]]:
    """The stable path of each physical volume by its name, and the names of those that have no label.

    Raises:
        Refused: one is not here, or is something else.
    """
    here = {
        name_of_member(path, machine.disks, machine.arrays): (stable.get(path, path), kinds)
        for path, kinds in _places(machine)
    }
    devices, bare = dict[str, str](), list[str]()
    for name in order.members:
        if name not in here:
            raise Refused(f"{harmless(name)}, a physical volume of {harmless(order.name)}, is not here")
        device, kinds = here[name]
        if kinds and kinds != [MEMBER]:
            raise Refused(
                f"{harmless(name)} has {harmless(listed(kinds))} where its label was, and a new label would overwrite it: copy the "
                "files away instead (--mount)"
            )
        devices[name] = device
        bare += [] if kinds else [name]
    return devices, bare


def _places(machine: Machine) -> Iterator[tuple[str, list[str]]]:
    """Everything that may be a physical volume, with the types of what is on it."""
    for disk in machine.disks:
        yield from ((path, _contents(disk, path)) for path in disk.every_path if path)
    for array in machine.arrays:
        if array.started:
            # An array without a signature was perhaps not read: nothing is written where a label may not belong.
            yield array.node, sorted({one.type for one in array.signatures}) or ["nothing known"]


def _contents(disk: Disk, path: str) -> list[str]:
    """The types of what is on the device ``path``, a partition of ``disk`` or the whole of it."""
    if path != disk.path:
        part = next(one for one in disk.partitions if one.path == path)
        return sorted({one.type for one in part.signatures})
    found = {one.type for one in disk.signatures}
    return sorted(found | {disk.partition_table} - {""} if disk.partitions else found)


def _check_needed(order: RestoreMetadata, known: Reading) -> None:
    """Check that LVM cannot do without: it reads no such group, or one that lacks a disk or has no volumes.

    Raises:
        Refused: it reads the group, a volume of it is active, or another group has its name.
    """
    name = harmless(order.name)
    for group in known.groups:
        if not same_uuid(group.uuid, order.unit):
            if group.name == order.name:
                raise Refused(f"another volume group here is called {name}: rename it first (vgrename)")
            continue
        volumes = known.of(group)
        if any(one.active for one in volumes):
            raise Refused(f"{name} is active: deactivate it first (vgchange --activate n {name})")
        if volumes and not group.missing:
            raise Refused(f"LVM reads the metadata of {name}, so there is nothing to restore")
