"""Hot spares and rebuilds of a card: make a free drive a hot spare, free one, rebuild an offline drive in its place.

A card rebuilds onto a hot spare by itself. Nothing is imported, cleared or forced, and no drive is set good or online.
"""

from collections.abc import Iterator

from raidtui.backends.cards.chosen import check_drives, drive_of
from raidtui.backends.cards.conditions import Kinds, slots_and_serials, subject
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.steps import key_of, prove_step, wait_step
from raidtui.backends.cards.units import volume_of
from raidtui.backends.tending import Tender, does_not
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Step, member_step
from raidtui.model.procedure import AddSpare, ReAdd, RemoveSpare, Tended
from raidtui.model.text import harmless
from raidtui.model.unit import Unit


class CardTender(Tender):
    """The tool of one family."""

    def __init__(self, family: Family, kinds: Kinds) -> None:
        """Set the family and its conditions."""
        self._family, self._kinds = family, kinds

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        found = volume_of(unit, self._family.kept(machine), machine)
        if found is None:
            raise Refused(f"the virtual drive {harmless(unit.name)} could not be read")
        adapter, volume = found
        if adapter.unread:
            raise Refused(adapter.unread)
        foreign = self._family.wording.look_at_foreign(adapter)
        check_drives((), adapter, see_foreign=foreign)
        match procedure:
            case AddSpare(disk=disk, shared=shared):
                return tuple(self._add(adapter, volume, unit, disk, machine, shared=shared))
            case RemoveSpare(disk=disk):
                return (self._remove(adapter, unit, disk, machine),)
            case ReAdd(disk=disk):
                return tuple(self._rebuild(adapter, volume, unit, disk, machine))
            case _:
                raise does_not(procedure, unit)

    def _add(
        self, adapter: Adapter, volume: Volume, unit: Unit, disk: str, machine: Machine, *, shared: bool
    ) -> Iterator[Step]:
        drive = _drive(adapter, disk, machine, DriveState.FREE, "is not a free drive of the card")
        members = [one for one in adapter.drives_of(volume) if one.size_bytes]
        least = min((one.size_bytes for one in members), default=0)
        if drive.size_bytes < least:
            raise Refused(f"{harmless(disk)} is smaller than the drives of {harmless(unit.name)}")
        known = [one for one in machine.disks if (d := drive_of(one, adapter)) is not None and d in members]
        check_drives(
            [*known, machine.disk(disk)], adapter, see_foreign=self._family.wording.look_at_foreign(adapter)
        )
        command = self._family.wording.add_spare(adapter, drive, None if shared else volume)
        if not command:
            raise Refused(
                f"which spares {adapter.model or 'this card'} takes is not certain; use {adapter.tool}"
            )
        serves = self._kinds.serve.of(subject(adapter, "drives"), slots_and_serials([drive]))
        of = "every virtual drive of the card" if shared else harmless(unit.name)
        yield member_step(
            id="spare",
            title=f"Make {harmless(disk)} in {harmless(drive.slot)} a hot spare of {of}",
            reason="The card rebuilds onto it by itself when a drive has failed.",
            actions=(self._family.wording.run(command),),
            destroys=(f"{harmless(disk)}: what is on it, once the card rebuilds onto it",),
            before=(self._kinds.free.of(subject(adapter, "drives"), slots_and_serials([drive])),),
            after=(serves,),
        )
        if volume.state in {VolumeState.DEGRADED, VolumeState.PARTLY_DEGRADED}:
            yield from self._until_whole(adapter, volume, unit, serves)

    def _remove(self, adapter: Adapter, unit: Unit, disk: str, machine: Machine) -> Step:
        drive = _drive(adapter, disk, machine, DriveState.SPARE, "is not a hot spare")
        return member_step(
            id="remove",
            title=f"Free the hot spare {harmless(disk)} in {harmless(drive.slot)}",
            reason=f"{harmless(unit.name)} keeps all its data; it only loses what would take the place of a failed drive.",
            actions=(self._family.wording.run(self._family.wording.free_spare(adapter, drive)),),
            after=(self._kinds.free.of(subject(adapter, "drives"), slots_and_serials([drive])),),
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
        serves = self._kinds.serve.of(subject(adapter, "drives"), slots_and_serials([drive]))
        yield member_step(
            id="rebuild",
            title=f"Rebuild {harmless(disk)} in {harmless(drive.slot)}",
            reason="It missed what was written since it went offline: the card writes all of it again from the others.",
            actions=(self._family.wording.run(command),),
            after=(serves,),
        )
        yield from self._until_whole(adapter, volume, unit, serves)

    def _until_whole(self, adapter: Adapter, volume: Volume, unit: Unit, serves: Check) -> Iterator[Step]:
        about, name = subject(adapter, key_of(volume, unit)), harmless(unit.name)
        yield wait_step(name, before=(serves,), after=(self._kinds.optimal.of(about),))
        yield prove_step(name, (self._kinds.whole.of(about),))


def _drive(adapter: Adapter, disk: str, machine: Machine, state: DriveState, what: str) -> Drive:
    drive = drive_of(machine.disk(disk), adapter)
    if drive is None or drive.state is not state or not drive.serial:
        raise Refused(f"{harmless(disk)} {what}")
    return drive
