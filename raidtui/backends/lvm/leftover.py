"""Remove a physical volume alone: one without data from its group, or what is left of another system's group.

A group itself is removed in `raidtui.backends.lvm.teardown`. Erasing a physical volume of another system or cluster
loses what is on it there, so the plan says whose it is, and that it may be in use at this moment.
"""

from collections.abc import Iterator

from raidtui.backends.lvm.conditions import LEFT
from raidtui.backends.lvm.create import erase_device
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import PhysicalVolume, VolumeGroup
from raidtui.backends.lvm.units import clones_in, others
from raidtui.model.disk_names import find_called
from raidtui.model.machine import Machine
from raidtui.model.plan import Role, Run, Step
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import Record
from raidtui.model.text import harmless, listed
from raidtui.steps.flush import flushed
from raidtui.steps.footprint import footprint_of_devices
from raidtui.steps.partitions import LINUX_LVM
from raidtui.steps.removal import OnDisk, Removal, devices_by_path, erase_step, wholes_of


class Leftover(Record, frozen=True, kw_only=True):
    """A physical volume that is removed without its group."""

    volume: PhysicalVolume
    group: VolumeGroup
    member: OnDisk
    beside: tuple[str, ...] = ()  # the other physical volumes of the group, by paths that survive a reboot
    whose: str = ""  # who else owns the group, in words; empty: it is ours, and nothing is on the volume

    @property
    def device(self) -> str:
        """Its stable path."""
        return self.member.device

    @property
    def whole(self) -> str:
        """The path of the whole disk."""
        return self.member.whole

    @property
    def shown(self) -> str:
        """It for people."""
        return self.member.shown

    @property
    def destroys(self) -> str:
        """What is lost."""
        of = f"the volume group {harmless(self.group.name)}"
        if self.whose:
            return f"{self.shown}: its part of {of}, which is {harmless(self.whose)}, and may be in use there now"
        return f"{self.shown}: its part of {of}, which has no data on it"


def find_leftovers(word: str, machine: Machine) -> tuple[Leftover, ...]:
    """The physical volumes on the disk called ``word`` that are removed without their group."""
    reading, named = reading_in(machine), find_called(word, machine.disks)
    if reading is None or len(named) != 1:
        return ()
    (disk,) = named
    places, clones = devices_by_path(machine), clones_in(machine)
    return tuple(
        Leftover(
            volume=volume,
            group=group,
            member=places[volume.path],
            beside=tuple(
                places[other.path].device
                for other in reading.known.devices_of(group)
                if other is not volume and other.path in places
            ),
            whose=whose,
        )
        for volume, group, whose in _left(reading)
        if volume.path in places and places[volume.path].disk.key == disk.key and volume.uuid not in clones
    )


def _left(reading: LvmReading) -> Iterator[tuple[PhysicalVolume, VolumeGroup, str]]:
    known = reading.known
    for group in known.groups:
        whose = others(group, reading)
        present = [one for one in known.devices_of(group) if one.path and not one.missing]
        # A group keeps its last physical volume, and none leaves it by name while another is missing.
        spared = len(present) > 1 and not group.missing and not group.exported
        for volume in present:
            if whose or (spared and not known.on_device(volume)):
                yield volume, group, whose


def removal_of_leftovers(found: tuple[Leftover, ...]) -> Removal:
    """How they are left blank."""
    first = found[0]
    disk, members = first.member.disk, tuple(one.member for one in found)
    return Removal(
        spec=Spec(name=first.shown, backend=Backend.LVM, level="linear", members=()),
        noun="physical volume",
        mark="",
        path=first.device,
        size_bytes=sum(member.size_bytes for member in members),
        uuids=tuple(one.volume.uuid for one in found),
        members=members,
        partition_type=LINUX_LVM,
        footprint=footprint_of_devices([(disk, member.path) for member in members]),
        free=tuple(member.device for member in members),
        core=(*(_leave(one) for one in found if not one.whose), _erase(found)),
    )


def _leave(one: Leftover) -> Step:
    """LVM itself refuses this, with exit code 5, if something has come onto the volume."""
    return Step(
        id="leave",
        role=Role.REMOVE,
        title=f"Remove {one.shown} from the volume group {harmless(one.group.name)}",
        reason="No volume is on it. The group runs on with its other physical volumes.",
        actions=(
            Run(argv=("vgreduce", one.group.name, one.device), ok=(0, 5)),
            *([flushed(*one.beside)] if one.beside else []),
        ),
        after=(LEFT.of(one.device, one.group.uuid),),
        undo=(Run(argv=("vgextend", one.group.name, one.device), ok=(0, 5)),),
        undo_note="it joins the group again",
        holds=wholes_of((one,)),
    )


def _erase(found: tuple[Leftover, ...]) -> Step:
    names = listed([one.shown for one in found])
    return erase_step(
        "physical-volumes",
        found,
        # LVM does not remove what belongs to another system.
        lambda one: erase_device(one.device)[1:] if one.whose else erase_device(one.device),
        title=f"Erase the physical volume on {names}",
        reason="Its label would show the disk as LVM's.",
        destroys=lambda one: one.destroys,
    )
