"""Hot spares and rebuilds of a card: make a free drive a hot spare, free one, rebuild an offline drive in its place.

A card rebuilds onto a hot spare by itself. Nothing is imported, cleared or forced, and no drive is set good or online.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.cards.chosen import check_drives, drive_of
from raidtui.backends.cards.conditions import (
    DrivesFree,
    DrivesServe,
    VolumeOptimal,
    slots_and_serials,
    subject,
)
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.units import volume_of
from raidtui.backends.tending import Tender, does_not
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Role, Run, Step, Undo
from raidtui.model.procedure import AddSpare, ReAdd, RemoveSpare, Tended
from raidtui.model.text import harmless
from raidtui.model.unit import Unit

_POLL_SECONDS: Final = 5


class CardTender(Tender):
    """The tool of one family."""

    def __init__(
        self, family: Family, *, free: DrivesFree, serve: DrivesServe, optimal: VolumeOptimal
    ) -> None:
        """Set the family and its conditions."""
        self._family, self._free, self._serve, self._optimal = family, free, serve, optimal

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """The steps of one procedure."""
        found = volume_of(unit, self._family.kept(machine), machine)
        if found is None:
            raise Refused(f"the virtual drive {harmless(unit.name)} could not be read")
        adapter, volume = found
        if adapter.unread:
            raise Refused(adapter.unread)
        foreign = self._family.wording.look_at_foreign(adapter)
        check_drives((), adapter, see_foreign=foreign)
        match procedure:
            case AddSpare(disk=disk):
                return tuple(self._add(adapter, volume, unit, disk, machine))
            case RemoveSpare(disk=disk):
                return (self._remove(adapter, unit, disk, machine),)
            case ReAdd(disk=disk):
                return tuple(self._rebuild(adapter, volume, unit, disk, machine))
            case _:
                raise does_not(procedure, unit)

    def _add(
        self, adapter: Adapter, volume: Volume, unit: Unit, disk: str, machine: Machine
    ) -> Iterator[Step]:
        drive = _drive(adapter, disk, machine, DriveState.FREE, "is not a free drive of the card")
        members = [
            one for slot in volume.slots if (one := adapter.drive(slot)) is not None and one.size_bytes
        ]
        least = min((one.size_bytes for one in members), default=0)
        if drive.size_bytes < least:
            raise Refused(f"{harmless(disk)} is smaller than the drives of {harmless(unit.name)}")
        known = [one for one in machine.disks if (d := drive_of(one, adapter)) is not None and d in members]
        check_drives(
            [*known, machine.disk(disk)], adapter, see_foreign=self._family.wording.look_at_foreign(adapter)
        )
        command = self._family.wording.add_spare(adapter, drive, volume)
        if not command:
            raise Refused(
                f"which spares {adapter.model or 'this card'} takes is not certain; use {adapter.tool}"
            )
        serves = self._serve.of(subject(adapter, "drives"), slots_and_serials([drive]))
        yield Step(
            id="spare",
            role=Role.MEMBER,
            title=f"Make {harmless(disk)} in {harmless(drive.slot)} a hot spare of {harmless(unit.name)}",
            reason="The card rebuilds onto it by itself when a drive has failed.",
            actions=(self._family.wording.run(command),),
            destroys=(f"{harmless(disk)}: what is on it, once the card rebuilds onto it",),
            before=(self._free.of(subject(adapter, "drives"), slots_and_serials([drive])),),
            after=(serves,),
            undoable=Undo.IMPOSSIBLE,
        )
        if volume.state in {VolumeState.DEGRADED, VolumeState.PARTLY_DEGRADED}:
            yield self._wait(adapter, volume, unit, serves)

    def _remove(self, adapter: Adapter, unit: Unit, disk: str, machine: Machine) -> Step:
        drive = _drive(adapter, disk, machine, DriveState.SPARE, "is not a hot spare")
        return Step(
            id="remove",
            role=Role.MEMBER,
            title=f"Free the hot spare {harmless(disk)} in {harmless(drive.slot)}",
            reason=f"{harmless(unit.name)} keeps all its data; it only loses what would take the place of a failed drive.",
            actions=(self._family.wording.run(self._family.wording.free_spare(adapter, drive)),),
            after=(self._free.of(subject(adapter, "drives"), slots_and_serials([drive])),),
            undoable=Undo.IMPOSSIBLE,
        )

    def _rebuild(
        self, adapter: Adapter, volume: Volume, unit: Unit, disk: str, machine: Machine
    ) -> Iterator[Step]:
        drive = _drive(adapter, disk, machine, DriveState.OFFLINE, "is not an offline drive")
        command = self._family.wording.rebuild(adapter, drive)
        if not command or drive.slot not in volume.slots:
            raise Refused(f"{adapter.tool} does not rebuild {harmless(disk)} in its place; replace it")
        if volume.state not in {VolumeState.DEGRADED, VolumeState.PARTLY_DEGRADED}:
            raise Refused(
                f"{harmless(unit.name)} is {volume.state}: nothing can be rebuilt from its other drives"
            )
        serves = self._serve.of(subject(adapter, "drives"), slots_and_serials([drive]))
        yield Step(
            id="rebuild",
            role=Role.MEMBER,
            title=f"Rebuild {harmless(disk)} in {harmless(drive.slot)}",
            reason="It missed what was written since it went offline: the card writes all of it again from the others.",
            actions=(self._family.wording.run(command),),
            after=(serves,),
            undoable=Undo.IMPOSSIBLE,
        )
        yield self._wait(adapter, volume, unit, serves)

    def _wait(self, adapter: Adapter, volume: Volume, unit: Unit, serves: Check) -> Step:
        key = volume.naa or volume.serial or volume.name
        if not key:
            raise Refused(f"{harmless(unit.name)} has no name, WWN or serial number to find it by")
        return Step(
            id="wait",
            role=Role.WAIT,
            title=f"Wait until {harmless(unit.name)} is optimal",
            reason="The card continues if raidtui ends, and after a reboot.",
            actions=(Run(argv=("sleep", str(_POLL_SECONDS))),),
            before=(serves,),
            after=(self._optimal.of(subject(adapter, key)),),
            undoable=Undo.IMPOSSIBLE,
            as_long_as="writing the whole drive",
        )


def _drive(adapter: Adapter, disk: str, machine: Machine, state: DriveState, what: str) -> Drive:
    drive = drive_of(machine.disk(disk), adapter)
    if drive is None or drive.state is not state or not drive.serial:
        raise Refused(f"{harmless(disk)} {what}")
    return drive
