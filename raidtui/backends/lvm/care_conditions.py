"""Conditions on a volume group that is cared for: a disk is taken back, its volume runs, is alive, idle, free of mismatches."""

from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.backends.lvm.conditions import InSync, OfLvm, device_at
from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.status import FROZEN, RaidStatus, device_name
from raidtui.backends.lvm.units import unfinished
from raidtui.backends.lvm.volumes import with_redundancy
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.chance import share
from raidtui.model.plan import Check
from raidtui.model.text import count_of
from raidtui.model.uuids import same_uuid

ACTIVE: Final = "active"
ALIVE: Final = "alive"
EQUAL: Final = "equal"
UNHELD: Final = "unheld"
RESUMED: Final = "resumed"
PACED: Final = "paced"
MOVED: Final = "moved"
COPIED: Final = "copied"
COMPLETE: Final = "complete"


class Restored(OfLvm):
    """LVM uses the device in the group with the expected UUID: it is not marked as missing."""

    kind = "lvm-restored"
    says = "{subject} is in the volume group {expect} and not marked as missing"
    source = r"""
lvm_restored() {
    lvm_node=$(node_of "$1") && wanted=$(printf %s "$2" | tr -d -) && [ -n "$wanted" ] || return 1
    [ "$(asked lvm pvs --noheadings --options vg_uuid,pv_missing "$lvm_node" | tr -d ' -')" = "$wanted" ]
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading) -> Answer:
        device = device_at(check.subject, known)
        if device is None or not same_uuid(device.group, check.expect):
            return no(f"{check.subject} is not in the volume group {check.expect}")
        text = f"{check.subject} is {'' if device.missing else 'not '}marked as missing"
        return either(holds=not device.missing, text=text)


class VolumesAre(InSync):
    """All volumes of the group with this UUID are active; or, of RAID types, alive, or equal in all their copies.

    ``alive``: no leg is dead or missing. ``equal``: nothing runs, and a check that ended found no mismatch. That there
    was a check is not known to the kernel after another sync. ``unheld``: the kernel may start a sync of each.
    ``resumed``: none is suspended. ``paced``: no limit is so low that a sync hardly moves.
    ``moved``: no move of pvmove(8) is left. ``copied``: each that is left has copied all. ``complete``: the group lacks
    no disk.
    """

    kind = "lvm-volumes"
    says = "the volumes of the group {subject} are {expect}"
    source = r"""
lvm_volumes() {
    case $2 in
    active) [ "$(of_volumes "$1" lv_active | sort -u)" = active ] ;;
    alive) lvm_health=$(of_volumes "$1" lv_active,lv_health_status | sort -u) && [ "$lvm_health" = active ] ;;
    equal)
        lvm_equal=$(of_volumes "$1" raid_sync_action,raid_mismatch_count --all) || return 1
        [ "$(printf '%s\n' "$lvm_equal" | grep . | sort -u)" = "idle 0" ] # empty: a volume without copies
        ;;
    complete) [ "$(of_group "$1" vg_missing_pv_count)" = 0 ] ;;
    resumed)
        lvm_waits=$(of_volumes "$1" lv_active,lv_suspended | sort -u) || return 1
        printf '%s\n' "$lvm_waits" | grep -q . && ! printf '%s\n' "$lvm_waits" | grep -q suspended
        ;;
    paced)
        lvm_rates=$(of_volumes "$1" lv_active,raid_max_recovery_rate) || return 1
        printf '%s\n' "$lvm_rates" | grep -q . || return 1
        ! printf '%s\n' "$lvm_rates" | awk '$NF ~ /^[0-9]+$/ && $NF > 0 && $NF < 1000 { low = 1 } END { exit !low }'
        ;;
    moved)
        lvm_moves=$(of_volumes "$1" lv_name --all) || return 1
        [ -n "$lvm_moves" ] && ! printf '%s\n' "$lvm_moves" | grep . | grep -qvxE '[[:alnum:]+_.-]+' || return 1
        ! printf '%s\n' "$lvm_moves" | grep -qxE 'pvmove[0-9]+'
        ;;
    copied)
        lvm_copies=$(of_volumes "$1" lv_name,copy_percent --all) || return 1
        [ -n "$lvm_copies" ] || return 1
        ! printf '%s\n' "$lvm_copies" | grep . | grep -qvxE '[[:alnum:]+_.-]+( [0-9.]+)?' || return 1
        ! printf '%s\n' "$lvm_copies" | grep -E '^pvmove[0-9]+( |$)' | grep -qv ' 100.00$'
        ;;
    unheld)
        lvm_held=$(of_volumes "$1" raid_sync_action) || return 1
        printf '%s\n' "$lvm_held" | grep -q . || return 1
        ! printf '%s\n' "$lvm_held" | grep . | grep -qvxE 'idle|resync|recover|check|repair|reshape'
        ;;
    *) return 1 ;;
    esac
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading, statuses: Mapping[str, RaidStatus]) -> Answer:
        group = known.group(check.subject)
        volumes = known.of(group) if group is not None else ()
        if group is None or not volumes:
            return no(f"the volume group {check.subject} has no volumes")
        if check.expect == COMPLETE:
            return either(
                holds=not group.missing, text=f"{group.name} lacks {count_of(group.missing, 'disk')}"
            )
        if check.expect == MOVED:
            moves = [one.name for one in unfinished(group, known)]
            return either(
                holds=not moves, text=f"{group.name} has {', '.join(moves) or 'no move that is left'}"
            )
        if check.expect == COPIED:
            shares = [one.sync_percent for one in unfinished(group, known)]
            text = ", ".join("unknown" if one is None else share(one / 100) for one in shares)
            return either(
                holds=all(one == 100 for one in shares), text=f"copied in {group.name}: {text or 'all'}"
            )
        if check.expect == RESUMED:
            waiting = [one.name for one in volumes if one.suspended]
            text = f"{', '.join(waiting) or 'no volume'} of {group.name} is suspended"
            return either(holds=not waiting, text=text)
        if check.expect == PACED:
            slow = [one.name for one in volumes if one.slowed]
            text = f"the syncs of {', '.join(slow) or 'no volume'} of {group.name} may hardly run"
            return either(holds=not slow, text=text)
        if check.expect == UNHELD:
            return _unheld(group, volumes, statuses)
        if down := [one.name for one in volumes if not one.active and not one.left_inactive]:
            return no(f"{', '.join(down)} of {group.name} is not active")
        if check.expect == ACTIVE:
            return either(holds=True, text=f"the volumes of {group.name} are active")
        copied = with_redundancy(group, known)
        found = [statuses.get(device_name(group.name, one.name)) for one in copied]
        known_ones = [one for one in found if one is not None]
        if not copied or len(known_ones) < len(found):
            return no(f"the status of the volumes of {group.name} is not known")
        text = "; ".join(
            f"{one.name}: {one.letters}, {one.action or 'idle'}, {one.mismatches} mismatched sectors"
            for one in known_ones
        )
        holds = {
            ALIVE: all(not one.dead for one in known_ones),
            EQUAL: all(one.action == "idle" and not one.mismatches for one in known_ones),
        }
        return either(holds=holds.get(check.expect, False), text=text)


def _unheld(
    group: VolumeGroup, volumes: Sequence[LogicalVolume], statuses: Mapping[str, RaidStatus]
) -> Answer:
    """Whether the kernel may start a sync of each RAID volume that is active."""
    found = {one.name: statuses.get(device_name(group.name, one.name)) for one in volumes if is_raid(one)}
    if unread := [name for name, status in found.items() if status is None or not status.action]:
        return unknown(f"what the kernel does with {group.name}/{unread[0]} is not known")
    if not found:
        return no(f"no RAID volume of {group.name} is active")
    text = ", ".join(f"{name}: {status.action}" for name, status in found.items() if status is not None)
    return either(
        holds=all(status is not None and status.action != FROZEN for status in found.values()), text=text
    )


def is_raid(volume: LogicalVolume) -> bool:
    """Whether the kernel runs it as a RAID volume that may sync."""
    return volume.active and volume.type.startswith("raid") and volume.type != "raid0"


RESTORED: Final = Restored()
VOLUMES: Final = VolumesAre()
