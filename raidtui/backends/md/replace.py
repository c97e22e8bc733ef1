"""Move a member of a running array to another device, or add one in place of a member that is gone.

A hot replacement copies the old member while it stays in the array, so redundancy never drops (mdadm(8), --replace).
The new member is written to from the moment it is added, so that is the step that cannot be undone.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import places_at
from raidtui.backends.md.array_names import address
from raidtui.backends.md.conditions import ARRAY_WHOLE, MEMBER_GONE, MEMBER_IS
from raidtui.backends.md.create import erase_former
from raidtui.backends.md.procedures.managing import LONGEST_SECONDS, add_spare, managed, rebuild_onto
from raidtui.backends.md.procedures.replace_in_container import needs_in
from raidtui.backends.md.procedures.scrubs import refuse_busy, unhold, until_synced
from raidtui.backends.md.procedures.spare_forgotten import forgotten
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in, unit_of
from raidtui.backends.replacing import Leaving, Naming, Need
from raidtui.machine.md.health import empty_slots, is_container, is_spare, left_in, missing
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Member
from raidtui.model.plan import Check, Run, Step, member_step, waiting_step
from raidtui.model.text import harmless, spelled
from raidtui.steps.devices import FORGOTTEN
from raidtui.steps.partitions import LINUX_RAID

_MARK: Final = "linux_raid_member"
# After a power cut the new member may be alone in its slot, as a replacement that md does not count
# (`raidtui.machine.md.health.not_taken_over`). The old one comes back by the bitmap, so that md lets the new one take over.
_TAKE_OVER: Final = (
    "md=/sys/class/block/${1##*/}/md; "
    'old=$md/dev-$(basename "$(readlink -f "$2")"); '
    'new=$md/dev-$(basename "$(readlink -f "$3")"); '
    'grep -w in_sync "$new/state" | grep -qw replacement || exit 0; '
    '[ -e "$old" ] || mdadm "$1" --re-add "$2" || exit 0; '
    'mdadm --wait "$1"; '
    '[ "$(cat "$md/degraded")" = 0 ] && mdadm "$1" --fail "$2" || exit 0; '
    'for wait in 1 2 3 4 5; do grep -qw replacement "$new/state" || break; sleep 1; done; '
    'mdadm "$1" --remove "$2"'
)


class MdNeed(Need, frozen=True, kw_only=True):
    """An array."""

    def steps(self, naming: Naming) -> list[Step]:
        """Add the new member, copy or rebuild it, remove the old one."""
        array = array_in(self.unit)
        steps = [*unhold(array, naming.suffix), _add(self, array, naming)]
        if self.copied:
            steps.append(_start(self, array, naming))
        if not self.spare:
            steps.append(_wait(self, array, naming))
        if self.old:
            steps.append(_remove(self, array, naming))
        return steps

    def proof(self) -> Check:
        """Every slot in sync, nothing waiting, no bad blocks."""
        return ARRAY_WHOLE.of(self.unit.uuid)

    def out(self) -> Check:
        """It is not in the array, not even as a failed member."""
        return MEMBER_GONE.of(self.old, self.unit.uuid)

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """Erase the superblock: it still says that the old member is one."""
        return erase_former(self.old), FORGOTTEN.of(self.old)


def needs(leaving: Leaving) -> Iterator[Need]:
    """The arrays with a member on the disk, or that lost one on it."""
    disk = leaving.disk
    for array in leaving.machine.arrays:
        if is_container(array):
            yield from needs_in(array, leaving)
            continue
        if not array.started or not array.uuid or array.metadata.startswith("external:"):
            continue
        inside = [one for one in array.members if disk and one.disk == disk]
        former = leaving.former(_MARK, array.uuid) if not inside else ""
        is_lost = bool(former) or leaving.is_missing_from(array.uuid)
        if not inside and not (is_lost and missing(array)):
            continue  # not concerned, or a spare has taken its place
        if len(inside) > 1:
            raise Refused(
                f"{shown_name(array)} has {len(inside)} members on {harmless(disk)}, so it loses its data with this disk. "
                "Copy the data away and build it anew"
            )
        yield need_of(array, inside[0] if inside else None, former, leaving)


def need_of(
    array: Array, member: Member | None, former: str, leaving: Leaving, *, spare: bool = False
) -> MdNeed:
    """What takes the place of ``member``, or of one that is missing; or is a spare.

    Raises:
        Refused: the array cannot get a new member now.
    """
    state = member.state if member is not None else ()
    works = "in_sync" in state and "faulty" not in state
    _check(array, works=works or spare)
    path = member.path if member is not None else former
    staying = {one.disk for one in array.members if one.disk and one is not member}
    offset = max((one.offset_bytes for one in array.members), default=0)
    return MdNeed(
        unit=unit_of(array),
        left=left_in(array),
        old=leaving.stable(path),
        old_path=path,
        copied=works,
        spare=spare or (member is not None and is_spare(member)),
        places=tuple(places_at(_like(array, member), leaving.machine)),
        present=tuple(one for one in leaving.machine.disks if one.identity in staying),
        least=offset + array.component_bytes,
        data_at=(offset,) if offset else (),
        lacks=max(0, missing(array) - 1),
        partition_type=LINUX_RAID,
    )


def _check(array: Array, *, works: bool) -> None:
    """Check that the array can get a new member now.

    Raises:
        Refused: it syncs, has no redundancy, or lacks another member.
    """
    name = shown_name(array)
    if array.degraded is None:
        raise Refused(
            f"{name} is {spelled(array.level)}, which has no redundancy: no member can be replaced. Copy its data away and build it "
            "anew"
        )
    refuse_busy(array)
    if works and empty_slots(array):
        raise Refused(
            f"{name} already lacks a member, and md would put the new disk there; replace that one first"
        )


def _like(array: Array, member: Member | None) -> list[str]:
    """The members that the new one may be like: the old one first, then those in sync."""
    old = [member.path] if member is not None else []
    return old + [one.path for one in array.members if "in_sync" in one.state and one is not member]


def _add(need: Need, array: Array, naming: Naming) -> Step:
    if need.copied:
        why = f"{naming.old} is copied to it and stays a member until then, so redundancy does not drop."
        return add_spare(array, naming, why)
    if need.spare:
        return add_spare(array, naming, "It waits for a member to fail.")
    why = "md rebuilds the missing member on it from the others; the array can be used meanwhile."
    return rebuild_onto(array, naming, why)


def _start(need: Need, array: Array, naming: Naming) -> Step:
    return member_step(
        id=f"start{naming.suffix}",
        title=f"Start to copy {naming.old} to {naming.new} in {need.name}",
        reason="At the end md marks the old member as failed, and mdadm --monitor reports a Fail event: it is expected.",
        actions=(
            forgotten(array.metadata, naming.device),
            managed(array, "--replace", need.old, "--with", naming.device),
        ),
        before=(MEMBER_IS.of(need.old, f"{array.uuid} in-sync"),),
        after=(MEMBER_IS.of(naming.device, f"{array.uuid} syncing"),),
    )


def _wait(need: Need, array: Array, naming: Naming) -> Step:
    return waiting_step(
        id=f"wait{naming.suffix}",
        title=f"Wait until {naming.new} is in sync in {need.name}",
        reason="md continues if raidtui ends, and after a power cut from where it was.",
        actions=until_synced(array),
        before=(MEMBER_IS.of(naming.device, f"{array.uuid} syncing"),),
        after=(MEMBER_IS.of(naming.device, f"{array.uuid} in-sync"),),
        as_long_as="writing the whole new member",
        sync_bytes=array.component_bytes,
    )


def _remove(need: Need, array: Array, naming: Naming) -> Step:
    return member_step(
        id=f"remove{naming.suffix}",
        title=f"Remove {naming.old} from {need.name}",
        reason="A failed member keeps its disk in use.",
        # It may have left the array, or the computer, by now; the conditions decide.
        actions=(
            managed(array, "--remove", need.old, ok=(0, 1, 2)),
            *((_take_over(need, array, naming),) if need.copied else ()),
        ),
        after=(
            MEMBER_GONE.of(need.old, array.uuid),
            *((MEMBER_IS.of(naming.device, f"{array.uuid} active"),) if need.copied else ()),
        ),
    )


def _take_over(need: Need, array: Array, naming: Naming) -> Run:
    path = address(array)
    argv = ("sh", "-c", _TAKE_OVER, "take-over", path, need.old, naming.device)
    return Run(argv=argv, by_node=path, timeout_seconds=LONGEST_SECONDS)
