"""Replace a physical volume: under RAID volumes with lvconvert(8), --replace while it works, --repair when it is gone.

Where a volume without redundancy is on it too, everything on it is moved with pvmove(8), which needs it readable.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.care import Place, places_at
from raidtui.backends.lvm.care_conditions import COPIED, VOLUMES
from raidtui.backends.lvm.conditions import EMPTY, LEFT, LEG_IN_SYNC, USES, VOLUME_WHOLE
from raidtui.backends.lvm.create import Holder, erase_device, make_device
from raidtui.backends.lvm.moving import move_begun, moved
from raidtui.backends.lvm.names import escaped
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.space import first_extent
from raidtui.backends.lvm.units import absent_legs, others, unfinished, units_of
from raidtui.backends.lvm.volumes import (
    busy_in,
    busy_words,
    expected_of,
    left_without,
    lost_in,
    lost_words,
    others_on,
    pool_spare_on,
    with_a_gap,
    with_redundancy,
)
from raidtui.backends.replacing import Leaving, Naming, Need
from raidtui.model.errors import Refused
from raidtui.model.md_levels import Left
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Check, Run, Step, member_step, waiting_step
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import MIB
from raidtui.steps.devices import FORGOTTEN
from raidtui.steps.flush import flushed
from raidtui.steps.partitions import LINUX_LVM

_POLL_SECONDS: Final = 5  # LVM has no command that waits for a sync
_PROVEN: Final = "No disk is missing, and every volume with redundancy is in sync."
_FORMER_PARTS: Final = 'lv_name=~"_r(image|meta)_[0-9]+_extracted$"'  # no user can give a volume such a name: lvm(8), VALID NAMES


class LvmNeed(Need, frozen=True, kw_only=True):
    """A volume group."""

    volumes: tuple[
        str, ...
    ]  # NAME:LEGS of those with a part on the disk; what a failure takes first comes first
    whole: str  # all that have redundancy, in sync: "data:3 home:2"
    moves: bool = False  # a volume without redundancy is on the old disk, so all that is on it is moved
    staying: tuple[str, ...] = ()  # stable paths of the other physical volumes
    pool_spare: str = ""  # the spare for the metadata of pools, if it is on the disk

    def steps(self, naming: Naming) -> list[Step]:
        """Extend the group; replace or repair one volume after the other, or move all; reduce the group."""
        group, uuid = self.unit.name, self.unit.uuid
        out = (group, escaped(self.old)) if self.copied else ("--removemissing", group)
        # It has no data, and LVM makes it again when it repairs a pool; vgreduce refuses while it is there.
        dropped = (
            (Run(argv=("lvremove", "--yes", f"{group}/{self.pool_spare}"), ok=(0, 5)),)
            if self.pool_spare
            else ()
        )
        # A power cut in the middle of lvconvert leaves the old parts as volumes of their own, which hold the old disk.
        former = Run(argv=("lvremove", "--yes", "--select", _FORMER_PARTS, group), ok=(0, 5))
        cleared = () if self.moves else (*dropped, former)
        return [
            member_step(
                id=f"add{naming.suffix}",
                title=f"Add {naming.new} to the volume group {self.name}",
                reason="lvconvert takes the place for the new part of the volume only from disks of its group.",
                actions=(
                    make_device(Holder(device=naming.device, uuid=naming.uuid)),
                    Run(argv=("vgextend", group, naming.device)),
                    self._flushed(naming),
                ),
                before=naming.ready,
                after=(USES.of(naming.device, f"{uuid} group"),),
                # A power cut may leave it marked as used by the group, whose metadata does not name it; no
                # vgextend or pvremove takes such a device.
                repair=erase_device(naming.device),
                holds=(naming.whole,),
            ),
            *(self._moves(naming) if self.moves else self._rebuilds(naming)),
            member_step(
                id=f"remove{naming.suffix}",
                title=f"Remove {naming.old} from the volume group {self.name}",
                reason="A group with a missing disk is not activated at boot.",
                actions=(
                    *cleared,
                    *self._mended,
                    Run(argv=("vgreduce", *out), ok=(0, 5)),
                    self._flushed(naming),
                ),
                after=(self.out() if self.copied else VOLUME_WHOLE.of(uuid, self.whole),),
            ),
        ]

    @property
    def _mended(self) -> Iterator[Run]:
        """Write torn metadata anew: LVM leaves it alone, and lets no disk go that has the only whole copy.

        Not with a disk missing. Exit code 3: an LVM without this option.
        """
        if self.copied:
            yield Run(argv=("vgck", "--updatemetadata", self.unit.name), ok=(0, 3, 5))

    @property
    def _active(self) -> Run:
        """Activate what a boot activates: with torn metadata on one of the disks it may not have been."""
        return Run(argv=("vgchange", "--activate", "ay", self.unit.name), ok=(0, 5))

    def _flushed(self, naming: Naming) -> Run:
        """Flush the metadata of the group on all its disks: torn on every one of them, no LVM command takes the group."""
        return flushed(*self.staying, *((self.old,) if self.copied else ()), naming.device)

    def _moves(self, naming: Naming) -> Iterator[Step]:
        """Mirror everything to the new disk with pvmove(8), flush the copy, and only then let the old disk go."""
        begun = USES.of(naming.device, f"{self.unit.uuid} volumes")
        yield member_step(
            id=f"start{naming.suffix}",
            title=f"Start to move what {self.name} has on {naming.old} to {naming.new}",
            reason="Everything is mirrored to the new disk first. The volumes can be used meanwhile.",
            actions=(
                self._active,
                move_begun(self.old, naming.device),
                self._flushed(naming),
            ),
            after=(begun,),
            holds=(naming.whole,),
        )
        yield waiting_step(
            id=f"wait{naming.suffix}",
            title=f"Wait until all of it is on {naming.new} too",
            reason="The kernel continues if raidtui ends; after a reboot it begins again.",
            actions=(Run(argv=("sleep", str(_POLL_SECONDS))),),
            before=(begun,),
            after=(VOLUMES.of(self.unit.uuid, COPIED),),
            as_long_as="reading and writing all that is on the disk",
        )
        yield member_step(
            id=f"leave{naming.suffix}",
            title=f"Let the volumes leave {naming.old}",
            reason=f"The copy is flushed before: until then {naming.old} has the only one that survives a power cut.",
            actions=(
                flushed(naming.device),
                moved(self.old, naming.device),
                self._flushed(naming),
            ),
            after=(EMPTY.of(self.old, self.unit.uuid),),
        )

    def _rebuilds(self, naming: Naming) -> Iterator[Step]:
        for volume in self.volumes:
            yield from self._rebuild(volume, naming)

    def _rebuild(self, volume: str, naming: Naming) -> Iterator[Step]:
        """Let one volume use the new disk, and wait until it is in sync; ``volume``: NAME:LEGS."""
        name, _, _ = volume.rpartition(":")
        several = len(self.volumes) > 1
        suffix = f"-{self.volumes.index(volume) + 1}{naming.suffix}" if several else naming.suffix
        shown = f"{self.name}/{harmless(name)}" if several else self.name
        how = ("--replace", escaped(self.old)) if self.copied else ("--repair",)
        uses = USES.of(naming.device, f"{self.unit.uuid} volume {name}")
        argv = ("lvconvert", "--yes", *how, f"{self.unit.name}/{name}", escaped(naming.device))
        yield member_step(
            id=f"start{suffix}",
            title=f"Replace {naming.old} in {shown} with {naming.new}",
            reason="The volume can be used meanwhile."
            if self.copied
            else "The kernel rebuilds the missing part from the others; the volume can be used meanwhile.",
            actions=(self._active, Run(argv=argv, timeout_seconds=1800), self._flushed(naming)),
            after=(uses,),
            holds=(naming.whole,),
        )
        yield waiting_step(
            id=f"wait{suffix}",
            title=f"Wait until {shown} is in sync",
            reason="The kernel continues if raidtui ends.",
            actions=(Run(argv=("sleep", str(_POLL_SECONDS))),),
            before=(uses,),
            after=(LEG_IN_SYNC.of(naming.device, f"{self.unit.uuid} {volume}"),),
            as_long_as="writing the whole new physical volume",
        )

    def proof(self) -> Check:
        """No disk missing, every part of a volume with redundancy in sync."""
        return VOLUME_WHOLE.of(self.unit.uuid, self.whole)

    def out(self) -> Check:
        """It is in no group."""
        return LEFT.of(self.old, self.unit.uuid)

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """Remove the physical volume from the old disk."""
        runs = (
            Run(argv=("pvremove", self.old), ok=(0, 5)),
            Run(argv=("wipefs", "--all", self.old), ok=(0, 1)),
        )
        return runs, FORGOTTEN.of(self.old)


def needs(leaving: Leaving) -> Iterator[LvmNeed]:
    """The groups with a physical volume on the disk, or that miss one that was on it."""
    reading = reading_in(leaving.machine)
    units = {unit.uuid: unit for unit in units_of(leaving.machine)} if reading is not None else {}
    for group in reading.known.groups if reading is not None else ():
        if reading is None or (unit := units.get(group.uuid)) is None:
            continue
        inside = [
            one
            for one in reading.known.devices_of(group)
            if one.path and leaving.has(one.path) and not one.missing
        ]
        lacks = group.missing or with_a_gap(group, reading.known)
        if not inside and not (leaving.is_missing_from(group.uuid) and lacks):
            continue
        volumes, known = _check(unit, group, reading, inside), reading.known
        path = inside[0].path if inside else ""
        moves = bool(inside and others_on(inside[0], volumes, group, known))
        staying = [one.path for one in unit.members if one.path and one.path != path]
        stable = stable_in(leaving.machine.disks)
        size = inside[0].size_bytes if moves else _of_images(path, volumes, group, known)
        lefts = [left_without(one, known, absent_legs(one, known)) for one in volumes]
        yield LvmNeed(
            unit=unit,
            left=Left.NOTHING if moves else min(lefts, key=lambda one: one.urgency, default=Left.SOME),
            old=leaving.stable(path),
            old_path=path,
            copied=bool(inside),
            places=tuple(_as_large(size, places_at(filter(None, (path, *staying)), leaving.machine))),
            present=leaving.beside(unit, path),
            least=size or max((one.size_bytes for one in reading.known.devices_of(group)), default=0),
            partition_type=LINUX_LVM,
            data_at=tuple(_data_on(inside[0], group, known)) if inside else (),
            volumes=tuple(expected_of([one], known) for one in volumes),
            whole=expected_of(with_redundancy(group, known), known),
            moves=moves,
            bare=moves or not with_redundancy(group, known),
            proven_by=_PROVEN,
            staying=tuple(stable.get(one, one) for one in staying),
            pool_spare="" if moves else pool_spare_on(path, group, known),
        )


def _data_on(device: PhysicalVolume, group: VolumeGroup, known: Reading) -> Iterator[int]:
    """Where each part of a volume begins on ``device``, in bytes."""
    for volume in known.on_device(device):
        for one in volume.segments:
            for path, extent in zip(one.devices, one.first_extents, strict=False):
                if path == device.path:
                    yield device.data_start_bytes + extent * group.extent_bytes


def _of_images(path: str, volumes: Iterable[LogicalVolume], group: VolumeGroup, known: Reading) -> int:
    """The bytes that a member needs for the images at ``path``, if one is on several disks too; 0: none is.

    LVM rebuilds an image as a whole.

    Args:
        path: of one of its disks; empty for the missing one.
    """
    on = {disk for one in volumes for leg in known.legs(one) if path in leg for disk in leg}
    if len(on) < 2:
        return 0
    sizes = [one.size_bytes for one in known.devices_of(group) if one.path in on]
    return -(-(sum(sizes) + first_extent()) // MIB) * MIB


def _as_large(size: int, places: Iterable[Place]) -> Iterator[Place]:
    """The places, with partitions of ``size`` bytes at least."""
    for place in places:
        part = place.part
        if part is not None and part.size_bytes < size:
            part = replace(part, size_bytes=size)
        yield Place(place.disk, part)


def _check(
    unit: Unit, group: VolumeGroup, reading: LvmReading, inside: list[PhysicalVolume]
) -> tuple[LogicalVolume, ...]:
    """Check that a disk of the group can be replaced now, and return the volumes with a part on it.

    Raises:
        Refused: one of them is not redundant, is busy or not active, or the group lacks more than one disk.
    """
    name, known = harmless(unit.name), reading.known
    if whose := others(group, reading):
        raise Refused(f"{name} is {whose}; replace its disk there")
    volumes = with_redundancy(group, known)
    if len(inside) > 1 or group.missing > 1:
        raise Refused(f"{name} has several physical volumes on that disk, or lacks several; see lvmraid(7)")
    if inside and group.missing:
        raise Refused(f"{name} already lacks a disk; replace that one first")
    if inside:
        found = tuple(one for one in volumes if known.is_on(inside[0], one))
        if alone := others_on(inside[0], volumes, group, known):
            _check_moves(alone, name, group, known)
    elif not volumes:
        raise Refused(
            f"{name} has no volume with redundancy, so nothing of the missing disk can be rebuilt: connect it"
        )
    elif lost := lost_in(group, known):
        raise Refused(lost_words(group, lost))
    else:
        found = with_a_gap(group, known)
    for one in volumes:
        if reading.status(group, one) is None or known.half_made(one):
            which = name if len(volumes) == 1 else f"{name}/{harmless(one.name)}"
            raise Refused(f"{which} is not active; activate it first, 'raidtui status' shows how")
    if (doing := busy_in(group, reading)) is not None:
        raise Refused(f"{name} is busy: {busy_words(doing)}")
    return found


def _check_moves(names: Iterable[str], name: str, group: VolumeGroup, known: Reading) -> None:
    """Check that pvmove(8) moves what is on a disk.

    Raises:
        Refused: it refuses one of ``names``, or a move has not ended.
    """
    if any(one.group == group.uuid and one.type == "writecache" for one in known.volumes):
        raise Refused(
            f"pvmove(8) does not move a volume with a writecache, which {name} has: split it off first (lvconvert(8))"
        )
    if kept := [one for one in names if one.endswith(("_imeta", "_iorig"))]:
        raise Refused(f"pvmove(8) does not move a volume with integrity, as {harmless(kept[0])} of {name} is")
    if unfinished(group, known):
        raise Refused(f"a move of data in {name} has not ended; 'raidtui care' says what to do about it")
