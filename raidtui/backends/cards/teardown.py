"""Delete a virtual drive: refuse while anything uses it, and wipe its contents through Linux first."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from raidtui.backends.cards.conditions import Kinds, subject
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume
from raidtui.backends.cards.units import disk_of, footprint_of, is_offline, units_in
from raidtui.model.device_graph import TABLES
from raidtui.model.errors import Refused
from raidtui.model.machine import ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import Run, Step, removal_step
from raidtui.model.spec import Spec
from raidtui.model.text import harmless, in_order
from raidtui.model.unit import Unit
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.filesystems import NOT_MOUNTED
from raidtui.steps.removal import MEMBER, OnDisk, Removal

_MEMBERS: Final = frozenset({ClaimKind.MD_MEMBER, ClaimKind.LVM, ClaimKind.ZFS, ClaimKind.BTRFS_POOL})


class Remover(Protocol):
    """How a family deletes virtual drives; the builder's `raidtui.backends.cards.builder.Making`."""

    @property
    def family(self) -> Family: ...

    @property
    def kinds(self) -> Kinds: ...

    @property
    def delete(self) -> Callable[[Adapter, str, Sequence[Drive]], tuple[Run, ...]]: ...


def remove_volume(word: str, machine: Machine, how: Remover) -> Removal | None:
    """How the virtual drive ``word`` is deleted; None if there is none.

    Raises:
        Refused: the system is on it, something uses it, it cannot be identified, or the card still holds unwritten
            data of it.
    """
    reading = how.family.kept(machine)
    for adapter in reading.adapters if reading else ():
        one = CardReading(adapters=(adapter,))
        units = units_in(one, machine.disks, machine.mounts, how.family.name)
        for unit, volume in zip(units, adapter.volumes, strict=True):
            if unit.is_called(word) or unit.has_mark(word):
                return _removal(unit, volume, adapter, machine, how)
    return None


def _removal(unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, how: Remover) -> Removal:
    disk = disk_of(volume, adapter, machine.disks)
    if adapter.unread:
        raise Refused(adapter.unread)
    if disk is None and not is_offline(volume):
        why = (
            "the kernel has no disk for it"
            if volume.naa or volume.serial
            else "its tool does not say which disk it is"
        )
        raise Refused(
            f"{unit.name} cannot be removed: {why}, so it is unknown whether the system or anything else uses it"
        )
    if is_offline(volume) and adapter.preserved_cache:
        raise Refused(
            f"{unit.name} is offline, and the card keeps unwritten data in its cache, which deleting it would lose. "
            f"Connect its drives again; '{how.family.wording.look_at_preserved(adapter)}' shows whose data it is"
        )
    _check_free(unit, disk, built=bool(unit.given))
    key = volume.naa or volume.serial or volume.name
    if not key:
        raise Refused(f"{unit.name} has no name, WWN or serial number to identify it by")
    if key == volume.name and sum(one.name == key for one in adapter.volumes) > 1:
        raise Refused(f"several virtual drives are called {unit.name}, and nothing else identifies them")
    spares = {one.disk for one in unit.members if one.state == "spare"}
    members = tuple(
        OnDisk(
            disk=one,
            device="",
            path=one.path,
            size_bytes=one.size_bytes,
            role="spare" if one.identity in spares else MEMBER,
        )
        for one in machine.disks
        if not one.has_device and one.identity in {m.disk for m in unit.members}
    )
    gone = how.kinds.gone.of(subject(adapter, key))
    return Removal(
        spec=Spec(name=harmless(unit.name), backend=how.family.name, level=unit.level, members=()),
        noun="virtual drive",
        mark=volume.name or key,
        path=unit.path,
        size_bytes=unit.size_bytes,
        members=members,
        footprint=footprint_of(disk),
        source=unit.path if disk is not None and len(disk.every_path) == 1 else "",
        free=tuple(path for path in [unit.path] if path),
        core=(
            *_clear_step(unit, disk),
            removal_step(
                id="virtual-drive",
                title=f"Delete the virtual drive {harmless(unit.name)}",
                reason="Without 'force': the card refuses while it still sees a filesystem.",
                actions=how.delete(adapter, key, adapter.own_spares(volume)),
                destroys=() if disk is not None else (f"{harmless(unit.name)}: everything on it",),
                before=tuple(UNCLAIMED.of(path) for path in [unit.path] if path),
                after=(gone,),
            ),
        ),
        gone=(gone,),
        folders=unit.mountpoints,
        built=_filesystem_on(unit),
    )


def _check_free(unit: Unit, disk: Disk | None, *, built: bool) -> None:
    """Check that nothing uses the disk of a virtual drive. If raidtui built it, the plan unmounts it.

    Raises:
        Refused: it is in use, the system is on it, or it holds a member of another unit.
    """
    claims = disk.taken_by if disk is not None else ()
    if any(claim.weight is Weight.SYSTEM for claim in claims):
        raise Refused(f"the running system is on {unit.name}; it cannot be removed")
    busy = [
        one for one in claims if one.weight is Weight.BUSY and not (built and one.what is ClaimKind.MOUNT)
    ]
    if busy:
        ways = harmless(" && ".join(in_order(one.how_to_free for one in busy)))
        free = f"; to free it: {ways}" if ways else ""
        raise Refused(f"{unit.name} is in use ({busy[0].device}: {harmless(busy[0].detail)}){free}")
    for claim in claims:
        if claim.what in _MEMBERS:
            raise Refused(
                f"{unit.name} holds a member of another unit ({claim.device}: {harmless(claim.detail)}); remove that "
                "unit first"
            )


def _filesystem_on(unit: Unit) -> str:
    """The UUID of the filesystem on it, which identifies the build that created its mount point."""
    return next((one.uuid for one in unit.signatures if one.uuid and one.type not in TABLES), "")


def _clear_step(unit: Unit, disk: Disk | None) -> list[Step]:
    if disk is None:
        return []
    held = ", ".join(f"{s.type} {s.label!r}" if s.label else s.type for s in unit.signatures)
    partitions = [part.path for part in sorted(disk.partitions, key=lambda one: -one.number)]
    return [
        removal_step(
            id="clear",
            title=f"Wipe the contents of {harmless(unit.name)}",
            reason="Through the virtual drive: a later one on the same drives would show them again.",
            actions=tuple(Run(argv=("wipefs", "--all", path)) for path in (*partitions, unit.path)),
            destroys=(harmless(f"{unit.name}: {held or 'everything on it'}"),),
            before=tuple(kind.of(unit.path) for kind in (NOT_MOUNTED, UNCLAIMED)),
            after=(BLANK.of(unit.path),),
        )
    ]
