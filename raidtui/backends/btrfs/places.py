"""Where a Btrfs is mounted, and could be."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.btrfs.reading import Filesystem
from raidtui.backends.btrfs.signs import TYPE
from raidtui.model.machine import Machine, Signature
from raidtui.model.unit import Unit
from raidtui.steps.footprint import Footprint, footprint_of_devices, own_lines
from raidtui.steps.fstab import fields_of, is_mounted_at_boot

FREE_PLACE: Final = "/mnt"
"""For a filesystem that is mounted for a while (hier(7))."""


def footprint(found: Filesystem, machine: Machine) -> Footprint:
    """Its devices, also those that are connected again, and the new one of a replacement that has not ended."""
    own = {found.node, found.target, *(path for one in found.devices for path in (one.path, one.back))} - {""}
    at = footprint_of_devices(
        [(disk, path) for disk in machine.disks for path in disk.every_path if path in own]
    )
    # Its devices may be volumes, or give errors only: a line that has its UUID or label means it all the same.
    named = Signature(device=found.node, offset=0, type=TYPE, uuid=found.uuid, label=found.label)
    return replace(at, nodes=at.nodes | own, signatures=(*at.signatures, named))


def places_in_fstab(unit: Unit, found: Filesystem, machine: Machine) -> bool:
    """Whether it is mounted only where fstab mounts it, so that it can be unmounted and mounted again."""
    places = {fields_of(line)[1] for line in own_lines(footprint(found, machine), machine)}
    return bool(unit.mountpoints) and places.issuperset(unit.mountpoints)


def mounted_by_boot(found: Filesystem, machine: Machine) -> tuple[str, ...]:
    """Where lines of fstab mount it at each boot."""
    lines = (fields_of(line) for line in own_lines(footprint(found, machine), machine))
    return tuple(fields[1] for fields in lines if is_mounted_at_boot(fields))


def place_to_mount(found: Filesystem, machine: Machine) -> str:
    """Where it can be mounted: its first mount point in fstab, or a place for a while; empty if that is in use."""
    places = (fields_of(line)[1] for line in own_lines(footprint(found, machine), machine))
    free = "" if any(mount.target == FREE_PLACE for mount in machine.mounts) else FREE_PLACE
    return next((place for place in places if place.startswith("/")), free)
