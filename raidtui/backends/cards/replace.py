"""Replace a drive behind a card: one that works is copied (copyback), one that failed is rebuilt onto a hot spare.

A copyback leaves the virtual drive optimal: the old drive stays in it until all of it is on the new one. The card
writes the new drive, so nothing of it is prepared. A drive is in one drive group: one procedure serves all virtual
drives of the group.
"""

from collections.abc import Iterator

from raidtui.backends.cards.care import left_in
from raidtui.backends.cards.chosen import check_drives, disks_by_slot, drive_of
from raidtui.backends.cards.conditions import Kinds, slots_and_serials, subject
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.levels import WITHOUT
from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.redundancy import failed_outside, lost_words
from raidtui.backends.cards.steps import PROVEN, key_of, wait_step
from raidtui.backends.cards.units import units_in
from raidtui.backends.care import Place
from raidtui.backends.replacing import Leaving, Naming, Need, Needs
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Disk
from raidtui.model.plan import Check, Step, member_step
from raidtui.model.text import harmless
from raidtui.model.unit import Unit

_LOST = frozenset({DriveState.FAILED, DriveState.MISSING, DriveState.OFFLINE})
_DEGRADED = frozenset({VolumeState.DEGRADED, VolumeState.PARTLY_DEGRADED})


class CardNeed(Need, frozen=True, kw_only=True):
    """A virtual drive, with those that share its drives."""

    family: Family
    kinds: Kinds
    adapter: Adapter
    volume: Volume
    beside: tuple[tuple[Unit, Volume], ...] = ()  # the others of its drive group
    drive: Drive | None  # the old one; None if it is gone
    of_card: bool = True
    proven_by: str = PROVEN

    def check(self, new: Disk) -> None:
        """A card mixes neither kinds nor sector sizes, and takes only drives of its own."""
        if not self._command(self._fitting(new)):
            raise Refused(_WHY_NOT[self.copied].format(tool=harmless(self.adapter.tool)))

    def steps(self, naming: Naming) -> list[Step]:
        """Copy, or make it a hot spare; then wait for the card."""
        new = self._new(naming.disk)
        at = subject(self.adapter, "drives")
        optimal = [
            self.kinds.optimal.of(subject(self.adapter, key_of(volume, unit)))
            for unit, volume in ((self.unit, self.volume), *self.beside)
        ]
        which = slots_and_serials([new])
        begin = member_step(
            id=f"{'copy' if self.copied else 'spare'}{naming.suffix}",
            title=f"Copy {naming.old} to {naming.new} in {harmless(new.slot)}"
            if self.copied
            else f"Make {naming.new} in {harmless(new.slot)} a hot spare of {self.name}",
            reason=f"{self.name} stays optimal: {naming.old} is in it until all of it is copied."
            if self.copied
            else f"The card rebuilds onto it in place of {naming.old}.",
            actions=(self.family.wording.run(self._command(new)),),
            destroys=(f"{naming.new}: what is on it",),
            before=(self.kinds.free.of(at, which), *(optimal if self.copied else ())),
            after=(self._begun(at, which),),
        )
        left = (
            (self.kinds.out.of(at, slots_and_serials([self.drive])),)
            if self.copied and self.drive is not None and self.kinds.out is not None
            else ()
        )
        wait = wait_step(
            self.name,
            before=(self._begun(at, which),),
            after=(self.kinds.online.of(at, which), *left, *optimal),
            suffix=naming.suffix,
            until=f"has {naming.new} in place of {naming.old}",
        )
        return [begin, wait]

    def _begun(self, at: str, which: str) -> Check:
        kind = self.kinds.copied if self.copied and self.kinds.copied is not None else self.kinds.serve
        return kind.of(at, which)

    def _command(self, new: Drive) -> str:
        words = self.family.wording
        if self.copied and self.drive is not None:
            return words.copy(self.adapter, self.drive, new) if self.kinds.copied is not None else ""
        return words.add_spare(self.adapter, new, self.volume)

    def _fitting(self, new: Disk) -> Drive:
        drive = self._new(new.identity)
        if drive.state is not DriveState.FREE:
            raise Refused(f"{harmless(new.identity)} is not a free drive of the card: it is {drive.state}")
        see_foreign = self.family.wording.look_at_foreign(self.adapter)
        try:
            check_drives([*self.present, new], self.adapter, see_foreign=see_foreign)
        except BadInput as error:
            raise Refused(f"{harmless(new.identity)} does not fit {self.name}: {error}") from None
        return drive

    def _new(self, identity: str) -> Drive:
        found = next((one for one in self.adapter.drives if identity in {one.serial, one.wwn} - {""}), None)
        if found is None or not found.serial or not found.place:
            raise Refused(f"{harmless(identity)} is not a drive of the card that {self.name} is on")
        return found

    def proof(self) -> Check:
        """What the card says of it."""
        return self.kinds.whole.of(subject(self.adapter, key_of(self.volume, self.unit)))


_WHY_NOT = {
    True: "'{tool}' copies no drive that works, or it is not certain how. Give the virtual drive a hot "
    "spare, which takes the place of the drive when it fails",
    False: "which spares this card takes is not certain; use '{tool}'",
}


def card_needs(family: Family, kinds: Kinds) -> Needs:
    """How a family finds the virtual drives that get a new drive."""

    def needs(leaving: Leaving) -> Iterator[Need]:
        reading = family.kept(leaving.machine)
        for adapter in reading.adapters if reading is not None else ():
            yield from _on_card(leaving, adapter, family, kinds)

    return needs


def _on_card(leaving: Leaving, adapter: Adapter, family: Family, kinds: Kinds) -> Iterator[CardNeed]:
    machine = leaving.machine
    units = units_in(CardReading(adapters=(adapter,)), machine.disks, machine.mounts, family.name)
    pairs = tuple(zip(units, adapter.volumes, strict=True))
    drive = _old(leaving, adapter)
    found = [
        (unit, volume)
        for unit, volume in pairs
        if (drive is not None and drive.slot in volume.slots) or leaving.is_missing_from(unit.uuid)
    ]
    lacking = [pair for pair in pairs if lost_words(pair[1], adapter)]
    if not found and drive is not None and drive in failed_outside(adapter) and len(lacking) == 1:
        found = lacking  # the card lists a failed drive apart from the virtual drive that lost it
    if not found:
        return
    if adapter.unread:
        raise Refused(adapter.unread)
    unit, volume = found[0]
    copied = drive is not None and drive.state is DriveState.ONLINE
    if drive is None or drive.slot not in volume.slots:
        lost = next((one for one in adapter.drives_of(volume) if one.state in _LOST), None)
        drive = lost or drive
    _check(unit, volume, drive, adapter, family, copied=copied)
    slots = [slot for slot in volume.slots if copied or drive is None or slot != drive.slot]
    members = [one for one in map(adapter.drive, slots) if one is not None and one.state is DriveState.ONLINE]
    known = disks_by_slot(machine, adapter)
    present = tuple(known[one.slot] for one in members if one.slot in known)
    yield CardNeed(
        unit=unit,
        left=left_in(volume, adapter),
        copied=copied,
        places=tuple(Place(disk, None) for disk in present),
        present=present,
        least=min((one.size_bytes for one in members), default=0),
        partition_type="",
        family=family,
        kinds=kinds,
        adapter=adapter,
        volume=volume,
        beside=tuple(found[1:]),
        drive=drive,
    )


def _old(leaving: Leaving, adapter: Adapter) -> Drive | None:
    """The drive that is replaced, if the card still lists it."""
    if leaving.old is not None:
        return drive_of(leaving.old, adapter)
    return next((one for one in adapter.drives if leaving.disk and one.serial == leaving.disk), None)


def _check(
    unit: Unit, volume: Volume, drive: Drive | None, adapter: Adapter, family: Family, *, copied: bool
) -> None:
    """Check that a drive of the virtual drive can be replaced now.

    Raises:
        Refused: it is busy, has no redundancy, has lost too much, or could be rebuilt where it is.
    """
    name = harmless(unit.name)
    if volume.state is VolumeState.OFFLINE:
        raise Refused(
            f"{name} is offline: more drives are gone than it survives. Connect them again; nothing can be rebuilt"
        )
    if volume.level in WITHOUT:
        raise Refused(f"{name} has no redundancy: back up its data, then build it anew")
    if unit.activity is not None and unit.activity.what != "consistency check":
        raise Refused(
            f"{name} is busy: {unit.activity.what}. Wait until that ends; 'raidtui status' shows it"
        )
    if copied and volume.state is not VolumeState.OPTIMAL:
        raise Refused(f"{name} is {volume.state}: replace the drive that it lost first")
    if not copied and volume.state not in _DEGRADED:
        raise Refused(f"{name} is {volume.state} ({harmless(volume.state_word)}), and lacks no drive")
    if (
        drive is not None
        and drive.state is DriveState.OFFLINE
        and drive.serial
        and family.wording.rebuild(adapter, drive)
    ):
        raise Refused(
            f"{harmless(drive.serial)} in {harmless(drive.slot)} is offline, and may only have lost its cable. "
            "'raidtui care' says how it is rebuilt in its place, or pull it first"
        )
    if adapter.has_spare(volume) and not copied:
        raise Refused(f"a hot spare is there, and the card rebuilds {name} onto it; see why it does not")
