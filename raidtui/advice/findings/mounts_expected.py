"""What fstab mounts at boot from a device that is not here; perhaps an array has only another name now. Pure."""

import shlex
from collections.abc import Iterator, Sequence

from raidtui.advice.findings.boot_mounts import Unmounted, not_mounted
from raidtui.advice.findings.containers import closed, mapped, to_open
from raidtui.backends.registry import readers
from raidtui.backends.unit_words import with_noun
from raidtui.machine.contents.signatures import PARTITION_TABLES
from raidtui.machine.md.made_again import of_others, seems_empty
from raidtui.model.config_lines import name_in, uuid_in
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Recover, RemoveLine
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.uuids import same_uuid
from raidtui.steps.fstab import FSTAB, fields_of


def mounts_expected(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """A finding for each such line."""
    # With findings of their own:
    lost = {device.began_uuid.lower() for device in machine.devices if device.began}
    locked = {mapped(each.name) for each in closed(machine) if each.lost_header}
    down = [with_noun(unit) for unit in units if unit.health in {Health.INACTIVE, Health.FAILED}]
    for one in not_mounted(machine):
        name = name_in(one.source)
        if one.here or one.source in locked or (name.tag == "UUID" and name.value.lower() in lost):
            continue
        here = (*to_open(one.source, machine), *_beside(one, machine))
        known = (*here, *_renamed(one, machine, units), *(() if here else _on_those(down)))
        yield Finding(
            name=one.target,
            kind=Kind.MOUNT_EXPECTED,
            what=f"{FSTAB} mounts {one.source} at {one.target} at boot, and no device here is called so",
            remedies=(
                *known,
                *(() if known else (Remedy(text="connect its disks, or start what it is on"),)),
                *_below(one, machine),
                *(
                    each
                    for reader in readers(machine.cards).values()
                    for each in reader.removed(one.source, machine)
                ),
                *(() if here or down else (_remove(one),)),
            ),
        )


def _on_those(down: Sequence[str]) -> Iterator[Remedy]:
    """The units whose data cannot be reached now: it may be on one of them."""
    if down:
        yield Remedy(text=f"see to {harmless(listed(down, 'or'))} first: it may be on that")


def _beside(one: Unmounted, machine: Machine) -> Iterator[Remedy]:
    """The device that has it, with the signature of something else beside it: udev gives such a device no name."""
    name = name_in(one.source)
    every = [
        *(each for array in machine.arrays for each in array.signatures),
        *(each for disk in machine.disks for each in disk.every_signature),
    ]
    for own in every:
        value = own.uuid if name.tag == "UUID" else own.label if name.tag == "LABEL" else ""
        if not value or value.lower() != name.value.lower():
            continue
        beside = {each.type for each in every if each.device == own.device} - {own.type, *PARTITION_TABLES}
        # A member whose data begins where it begins shows the filesystem of its array.
        if beside and not any(each.endswith("_raid_member") for each in beside):
            array = next((each.shown for each in machine.arrays if each.node == own.device), "")
            where = f"array {array}" if array else own.device
            others = listed([f"of {each}" for each in sorted(beside)])
            yield Remedy(
                text=f"{harmless(where)} has it, with the signature {harmless(others)} beside it, so udev gives it no name. Mount it "
                f"read-only with -t {harmless(own.type)}. If its files are right, back them up before wipefs(8) erases the other one"
            )


def _remove(one: Unmounted) -> Remedy:
    return Remedy(
        text=f"if it is gone for good, remove its line from {FSTAB}",
        procedure=RemoveLine(file=FSTAB, lines=(one.line,)),
    )


def _below(one: Unmounted, machine: Machine) -> Iterator[Remedy]:
    """The one array that seems empty: it may have been created over that which has the filesystem."""
    if not one.source.startswith("UUID="):
        return
    empty = [
        array for array in machine.arrays if seems_empty(array, machine) and not of_others(array, machine)
    ]
    if len(empty) == 1:
        yield Remedy(
            text=f"nothing known is on array {harmless(empty[0].shown)}. If it was created again, over the one with this filesystem, "
            "write nothing to it, and look for that on overlays",
            procedure=Recover(unit=empty[0].uuid),
        )
    graph = graph_of(machine)
    blank = [
        device
        for device in machine.devices
        if device.kind is DeviceKind.VOLUME and machine.complete and _is_blank(device, graph)
    ]
    for array in machine.arrays if len(blank) == 1 else ():
        if array.node in {below.path for below in graph.all_below(blank[0])}:
            yield Remedy(
                text=f"nothing known is on volume {harmless(blank[0].dm_name)} of array {harmless(array.shown)}. If that was created again, "
                "write nothing to it, and look for the filesystem on overlays",
                procedure=Recover(unit=array.uuid),
            )


def _is_blank(device: Device, graph: DeviceGraph) -> bool:
    """Whether nothing known is on it: no filesystem, swap or other device."""
    return not (device.type or device.is_swap or graph.all_on(device) or graph.mounts_on(device))


def _renamed(one: Unmounted, machine: Machine, units: Sequence[Unit]) -> Iterator[Remedy]:
    """The arrays that run under another name than the line of fstab has, with the name that stays.

    An array that mdadm.conf does not name, or not in the initramfs, gets a number from md127 down (mdadm.conf(5)).
    """
    if not one.source.startswith("/dev/md"):
        return
    free = [array for array in machine.arrays if array.started and _is_unused(array, machine, units)]
    named = [array for array in free if _is_called(array, one.source, machine)]
    for array in named or free:
        uuid = next((s.uuid for s in array.signatures if s.device == array.node and s.uuid), "")
        name = harmless(array.shown)
        if uuid:
            runs = f"array {name} runs as {array.node}"
            which = f"{runs}: write" if named else f"{runs}, and nothing mounts it. If it is that one, write"
            yield Remedy(
                text=f"{which} UUID={uuid} in place of {one.source} in {FSTAB}, since a number changes. Then update the initramfs, "
                f"and run: mount {harmless(shlex.quote(one.target))}"
            )


def _is_unused(array: Array, machine: Machine, units: Sequence[Unit]) -> bool:
    """Whether neither a mount nor a line of fstab nor another unit has it."""
    uuids = {one.uuid for one in array.signatures if one.uuid}
    listed = any(fields_of(line)[0].partition("=")[2].strip('"') in uuids for line in machine.system.fstab)
    return not array.mountpoints and not listed and not any(array.uuid in unit.below for unit in units)


def _is_called(array: Array, path: str, machine: Machine) -> bool:
    """Whether mdadm.conf calls it so, or the name in its superblock does."""
    lines = machine.system.mdadm_conf_arrays
    listed = any(line.split()[1:2] == [path] and same_uuid(uuid_in(line), array.uuid) for line in lines)
    return listed or (
        bool(array.name)
        and path in {f"/dev/md{array.name}", f"/dev/md/{array.name}", f"/dev/md_{array.name}"}
    )
