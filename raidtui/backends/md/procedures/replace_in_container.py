"""Replace a disk of a firmware RAID: the new one goes into its container, and mdmon rebuilds every volume on it.

mdadm has no hot replacement there (``--replace`` is for md's own metadata), so a disk that works is marked as failed once
the new one waits as a spare. Measured with Intel's metadata (mdadm 4.2). With that of DDF, ``mdadm --add`` to a container
crashed, so nothing is offered.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import places_at
from raidtui.backends.md.conditions import ARRAY_WHOLE, MEMBER_GONE, MEMBER_IS
from raidtui.backends.md.create import erase_former
from raidtui.backends.md.diagnosis.in_container import disk_called, least_of, volumes_of, why_not
from raidtui.backends.md.procedures.managing import added, managed
from raidtui.backends.md.procedures.scrubs import refuse_busy, unhold, until_synced
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in, unit_of
from raidtui.backends.replacing import Leaving, Naming, Need
from raidtui.machine.md.health import IN_NO_VOLUME, left_in, missing
from raidtui.model.errors import Refused
from raidtui.model.machine import Array
from raidtui.model.plan import Check, Hazard, Run, Step, high, member_step, waiting_step
from raidtui.model.text import listed
from raidtui.steps.devices import FORGOTTEN
from raidtui.steps.partitions import LINUX_RAID

_MARK: Final = "isw_raid_member"


class VolumeNeed(Need, frozen=True, kw_only=True):
    """A volume of a firmware RAID. The most urgent one brings the disk into the container, for all of them."""

    container: Array
    volumes: tuple[Array, ...]  # all in the container, if this one brings the disk in; else empty
    works: bool  # the old disk is in the volumes, and in sync

    def steps(self, naming: Naming) -> list[Step]:
        """Bring the new disk in and take the old one out, if it is for this one to do; wait for the rebuild."""
        array = array_in(self.unit)
        steps = list(unhold(array, naming.suffix))
        if self.volumes:
            inside = [_remove(self, naming)] if self.old_path in _paths(self.container) else []
            spare = [_add(self, naming)]
            steps += [*spare, _fail(self, naming), *inside] if self.works else [*inside, *spare]
        return [*steps, _wait(self, array, naming)]

    def proof(self) -> Check:
        """Every slot in sync, nothing waiting, no bad blocks."""
        return ARRAY_WHOLE.of(self.unit.uuid)

    def out(self) -> Check:
        """It is not in the container, so in no volume either."""
        return MEMBER_GONE.of(self.old, self.container.uuid)

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """Erase the metadata: the firmware, too, would start the old copy."""
        return erase_former(self.old), FORGOTTEN.of(self.old)


def needs_in(container: Array, leaving: Leaving) -> Iterator[VolumeNeed]:
    """The volumes of ``container``, if the disk is one of it, or one that it lost."""
    machine = leaving.machine
    volumes = sorted(volumes_of(container, machine), key=lambda one: left_in(one).urgency)
    inside = [one.path for one in container.members if leaving.disk and one.disk == leaving.disk]
    failed = [disk_called(one, machine) for one in container.failed]
    is_lost = any(one is not None and one.identity == leaving.disk for one in failed) or any(
        leaving.is_missing_from(one.uuid) for one in volumes
    )
    if not volumes or (not inside and not (is_lost and any(map(missing, volumes)))):
        return
    marks = leaving.old.signatures if leaving.old is not None else ()
    former = next((one.device for one in marks if one.type == _MARK), "")
    path = inside[0] if inside else former
    works = any(path == one.path and "in_sync" in one.state for volume in volumes for one in volume.members)
    _check(container, volumes, path, works=works)
    staying = [one for one in container.members if one.path != path and IN_NO_VOLUME not in one.state]
    places = tuple(places_at((one.path for one in staying), machine))
    if any(one.part is not None for one in places):
        raise Refused(f"{shown_name(container)} is on partitions, as no firmware makes it")
    for number, volume in enumerate(volumes):
        first = number == 0
        yield VolumeNeed(
            unit=unit_of(volume),
            left=left_in(volume),
            old=leaving.stable(path) if first else "",
            old_path=path,
            places=places,
            present=tuple(one.disk for one in places),
            least=least_of([one.disk for one in places]),
            lacks=max(0, missing(volume) - (0 if works else 1)),
            partition_type=LINUX_RAID,
            container_uuid=container.uuid,
            hazards=_hazards(volumes, leaving) if first and works else (),
            container=container,
            volumes=tuple(volumes) if first else (),
            works=works,
        )


def _check(container: Array, volumes: Sequence[Array], path: str, *, works: bool) -> None:
    """Check that the container can get a new disk now.

    Raises:
        Refused: it is not known to work with such metadata; a volume syncs, or lacks another member; a spare is there.
    """
    name = shown_name(container)
    if why := why_not(container, volumes):
        raise Refused(why)
    for one in volumes:
        refuse_busy(one)
    if works and (lacking := [shown_name(one) for one in volumes if missing(one)]):
        raise Refused(
            f"{listed(lacking)} already lacks a member, and mdmon would put the new disk there; replace that one first"
        )
    spares = [
        one.path
        for one in container.members
        if IN_NO_VOLUME in one.state and one.path != path and one.path not in container.failed
    ]
    if spares:
        raise Refused(
            f"{name} has {listed(spares)} in no volume: a spare that mdmon takes first. Remove it from the container, or let it "
            "take over"
        )


def _paths(container: Array) -> set[str]:
    return {one.path for one in container.members}


def _hazards(volumes: Sequence[Array], leaving: Leaving) -> tuple[Hazard, ...]:
    names = listed([shown_name(one) for one in volumes])
    return (
        high(
            id="redundancy-drops",
            seen=f"{names} {'is' if len(volumes) == 1 else 'are'} in a firmware RAID, where mdadm cannot copy a disk that works",
            meaning="The old disk is marked as failed before its data is on the new one. One more failure until the rebuild ends may "
            "lose everything.",
            advice="Back up first. If the old disk can still be read without errors, check the volumes before: a rebuild reads the "
            "others whole.",
            source="mdadm(8), --replace; measured with mdadm 4.2",
            disks=(leaving.disk,),
        ),
    )


def _add(need: VolumeNeed, naming: Naming) -> Step:
    container = need.container
    reason = (
        "It waits as a spare until the old disk leaves."
        if need.works
        else "mdmon rebuilds every volume on it from the others; they can be used meanwhile."
    )
    run = managed(container, "--add", naming.device)
    return added(container, naming, reason, run, to=f"the container {shown_name(container)}")


def _fail(need: VolumeNeed, naming: Naming) -> Step:
    names = listed([shown_name(one) for one in need.volumes])
    return member_step(
        id=f"fail{naming.suffix}",
        title=f"Mark {naming.old} as failed in {names}",
        reason="mdmon starts the rebuild on the new disk at once. Redundancy is reduced until that has ended.",
        # Exit code 1: with the first volume mdmon has taken it out of the others too; the conditions decide.
        actions=tuple(managed(one, "--fail", need.old, ok=(0, 1, 2)) for one in need.volumes),
        before=(MEMBER_IS.of(naming.device, f"{need.container.uuid} member"),),
        after=tuple(MEMBER_GONE.of(need.old, one.uuid) for one in need.volumes),
    )


def _remove(need: VolumeNeed, naming: Naming) -> Step:
    return member_step(
        id=f"remove{naming.suffix}",
        title=f"Remove {naming.old} from the container {shown_name(need.container)}",
        reason="A failed disk stays in its container, and in use, until it is removed.",
        # It may have left the container, or the computer, by now; the condition decides.
        actions=(managed(need.container, "--remove", need.old, ok=(0, 1, 2)),),
        before=tuple(MEMBER_GONE.of(need.old, one.uuid) for one in need.volumes),
        after=(MEMBER_GONE.of(need.old, need.container.uuid),),
    )


def _wait(need: VolumeNeed, array: Array, naming: Naming) -> Step:
    return waiting_step(
        id=f"wait{naming.suffix}",
        title=f"Wait until {naming.new} is in sync in {need.name}",
        reason="mdmon and md continue if raidtui ends, and after a power cut from where they were.",
        actions=until_synced(array),
        before=(MEMBER_IS.of(naming.device, f"{array.uuid} syncing"),),
        after=(MEMBER_IS.of(naming.device, f"{array.uuid} in-sync"),),
        as_long_as="writing the whole new member",
        sync_bytes=array.component_bytes,
    )
