"""From what a trial found to the procedure that does the same to the members themselves."""

from raidtui.jobs.recovering.words import verdict
from raidtui.machine.recovery_trial import place
from raidtui.model.errors import BadInput, Refused
from raidtui.model.procedure import RestoreMetadata, StartTried
from raidtui.model.recovery import Recovery
from raidtui.model.text import harmless, listed


def order_for_real(
    found: Recovery | None, number: int, *, name: str, unit: str
) -> StartTried | RestoreMetadata:
    """What does to the members what candidate ``number`` of the last list was on overlays: a start by force, or a restore of
    the metadata of a volume group.

    Only what superblocks and labels say can be done so, and only what the trial found whole. An order that no superblock
    confirms, and a reshape that needs its backup file, stay a matter of copying the files away: to create an array again
    overwrites what would be needed if the order is wrong, and the superblocks of a reshape cannot be made by hand.

    Args:
        name: what a trial calls the unit, or its disks.
        unit: the UUID of the array; empty: not known.

    Raises:
        BadInput: there is no such number.
        Refused: its files were not found whole, or it must not be done to the members.
    """
    if found is None or found.name != name:
        raise Refused(f"the files of {harmless(name)} were not looked at: run 'raidtui recover' first")
    if not 0 < number <= len(found.tried):
        raise BadInput(f"there is no number {number} in the list of {harmless(name)}")
    tried = found.tried[number - 1]
    chosen = tried.candidate
    array = found.array_of(tried)
    version = None if array is not None else chosen.version
    slots = [one for one in (array or chosen).shape.slots if one.source]
    members = version.members if version else tuple(one.source for one in slots)
    copy = "copy its files away instead: --mount"
    if not (tried.right or found.startable(tried)):
        raise Refused(f"number {number} was not found whole ({harmless(verdict(tried))}); {copy}")
    if tried.by_copy:
        raise Refused(
            f"number {number} was read by a copy of its superblock, and a start alone brings no file back; {copy}"
        )
    if images := [one for one in members if one in found.images]:
        raise Refused(f"{harmless(listed(images))} was read from an image, not from the member; {copy}")
    at = found.at.replace(":", "").replace("-", "")[:15]
    said = f"{verdict(tried)} ({found.at[:16].replace('T', ' ')})"
    if version is not None:
        if why := found.why_not_restored(tried):
            raise Refused(f"number {number} is not restored: {harmless(why)}; {copy}")
        return RestoreMetadata(
            unit=version.uuid,
            name=version.group,
            volume=chosen.pool.name if chosen.pool else chosen.of,
            on=chosen.sources[0],
            digest=version.digest,
            members=members,
            labels=version.labels,
            pools=bool(version.pools),
            kept=str(place() / f"metadata-{version.uuid[:8]}-{at}"),
            tried=said,
        )
    if array is None or not unit:
        raise Refused(f"no superblock confirms number {number}, so nothing is written for it; {copy}")
    if number != 1:
        raise Refused(f"number 1 has newer data than number {number}; {copy}")
    return StartTried(
        unit=unit,
        members=members,
        events=array.events,
        begins=tuple(one.offset_bytes for one in slots) if array.moved else (),
        kept=str(place() / f"superblocks-{unit[:8]}-{at}"),
        tried=said,
    )
