"""Shared steps and checks of teardowns: remove fstab lines, erase partition tables, check other uses of a disk."""

from collections.abc import Sequence

from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.nodes import partition_path
from raidtui.model.plan import DropLine, EnsureLine, Role, Step, Undo
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.files import LINE_NOT_IN
from raidtui.steps.fstab import FSTAB, reload_systemd
from raidtui.steps.pieces import called
from raidtui.steps.wipe import forget_table


class OnDisk(Record, frozen=True, kw_only=True):
    """A disk or partition that may be a member of a unit."""

    disk: Disk
    device: str  # its stable path
    path: str  # the kernel's path
    size_bytes: int

    @property
    def whole(self) -> str:
        """The path of the whole disk."""
        return self.disk.stable_path


def devices_by_path(machine: Machine) -> dict[str, OnDisk]:
    """Every disk and partition of ``machine``, by the kernel's path."""
    return {
        path: OnDisk(disk=disk, device=device, path=path, size_bytes=size)
        for disk in machine.disks
        for path, device, size in (
            (disk.path, disk.stable_path, disk.size_bytes),
            *((p.path, partition_path(disk.stable_path, p.number), p.size_bytes) for p in disk.partitions),
        )
    }


def has_only(disk: Disk, device: str, *types: str) -> bool:
    """Whether ``device`` is a partition and the disk has only partitions of ``types``, so that its table can go too."""
    return device != disk.stable_path and tuple(part.type for part in disk.partitions) == types


def drop_fstab_lines(
    lines: Sequence[str], machine: Machine, *, what: str, unused: Sequence[str] = ()
) -> list[Step]:
    """Remove ``lines``, which mount ``what``, from fstab; no step if there are none.

    Args:
        unused: the devices that hold it. Nothing may use them any more, or the removal would fail after this.
    """
    if not lines:
        return []
    reload = reload_systemd(machine.system)
    return [
        Step(
            id="fstab",
            role=Role.REMOVE,
            title=f"Remove the {what} from {FSTAB}",
            reason="Otherwise the next boot waits for a filesystem that no longer exists.",
            actions=(*(DropLine(path=FSTAB, line=line) for line in lines), *reload),
            before=tuple(UNCLAIMED.of(device) for device in unused),
            after=tuple(LINE_NOT_IN.of(FSTAB, line) for line in lines),
            undo=(*(EnsureLine(path=FSTAB, line=line) for line in lines), *reload),
            undo_note="the lines are restored",
        )
    ]


def erase_tables(wholes: Sequence[str]) -> list[Step]:
    """Erase the partition table of each disk whose only partition was a member; no step if there are none."""
    if not wholes:
        return []
    return [
        Step(
            id="table",
            role=Role.REMOVE,
            title=f"Erase the partition table of {count_of(wholes, 'disk')}",
            reason="The member was its only partition: the disk is free again.",
            actions=tuple(run for whole in wholes for run in forget_table(whole)),
            after=tuple(BLANK.of(whole) for whole in wholes),
            undoable=Undo.IMPOSSIBLE,
            holds=tuple(wholes),
        )
    ]


def check_disk_is_free(disk: Disk, device: str, *, whole: str, name: str) -> None:
    """Check that nothing else uses the disk at ``whole``; ``device`` is the member of the unit ``name`` on it.

    Raises:
        Refused: the running system is on it, or another of its partitions is in use.
    """
    if any(claim.weight is Weight.SYSTEM for claim in disk.taken_by):
        raise Refused(f"the running system is on {called(disk)}, a disk of {name}; it cannot be removed")
    for partition in disk.partitions:
        if partition_path(whole, partition.number) == device:
            continue
        for claim in disk.taken_by:
            if claim.device == partition.path and claim.weight is not Weight.DATA:
                raise Refused(
                    f"{called(disk)}, a disk of {name}, is in use by something else too ({partition.path}: "
                    f"{harmless(claim.detail)})"
                    + (f"; to free it: {harmless(claim.how_to_free)}" if claim.how_to_free else "")
                )
