"""Conditions on md arrays and their members: running, gone, in sync."""

import os
from abc import abstractmethod
from pathlib import Path
from typing import Final

from raidtui.backends.md.states import member_state
from raidtui.machine.devices import device_number
from raidtui.machine.md.arrays import read_arrays
from raidtui.model.answer import Answer, either, no, yes
from raidtui.model.machine import Array
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Condition, Held

_DEAD_STATES: Final = frozenset({"", "clear", "inactive", "broken"})
WRITABLE: Final = frozenset({"clean", "active", "active-idle", "read-auto", "write-pending"})
"""States in which an array takes writes, some of them only after the first."""
WORKING: Final = WRITABLE | {"readonly"}
"""States in which the data of an array can be read."""


def array_with(uuid: str) -> Array | None:
    """The assembled array with this UUID, as it is now."""
    return next((one for one in read_arrays() if same_uuid(one.uuid, uuid)), None)


class OfArray(Condition):
    """A condition on the assembled array with the UUID ``subject``."""

    def ask(self, check: Check, held: Held) -> Answer:
        array = array_with(check.subject)
        if array is None:
            return no(f"no array with the UUID {check.subject} is assembled")
        return self.judge(check, array)

    @abstractmethod
    def judge(self, check: Check, array: Array) -> Answer:
        """Answer ``check`` from the array."""


class ArrayRuns(OfArray):
    """The array with this UUID runs with the expected level and number of members: ``raid5 4``."""

    kind = "array-runs"
    says = "the array {subject} runs as {first} with {rest} members"
    shell = "array_runs"
    source = r"""
# Sets $md to the folder in sysfs of the array with the UUID $1.
md_folder() {
    for md in /sys/block/md*/md; do
        [ "$(cat "$md/uuid" 2>/dev/null)" != "$1" ] || return 0
    done
    # Only the metadata of a firmware RAID has its UUID, and udev makes a link of that.
    md=$(printf %s "$1" | tr -d - | sed 's/......../&:/g; s/:$//')
    md=$(readlink -e "/dev/disk/by-id/md-uuid-$md") || return 1
    md=/sys/block/${md#/dev/}/md
    [ -d "$md" ]
}

array_runs() {
    md_folder "$1" || return 1
    disks=$(cut -d ' ' -f 1 "$md/raid_disks" 2>/dev/null) || return 1
    case $(cat "$md/array_state" 2>/dev/null) in '' | clear | inactive | broken) return 1 ;; esac
    [ "$(cat "$md/level") $disks" = "$2 $3" ]
}"""
    runs_unit = True

    def judge(self, check: Check, array: Array) -> Answer:
        alive = sum("faulty" not in member.state for member in array.members)
        text = (
            f"{array.node} is {array.level or 'an array'} of {array.raid_disks}, "
            f"{array.state or 'not running'}, with {alive} working members"
        )
        runs = array.state not in _DEAD_STATES and alive >= array.raid_disks
        return either(holds=runs and f"{array.level} {array.raid_disks}" == check.expect, text=text)


class ArrayGone(Condition):
    """No array with this UUID is assembled, not even partly."""

    kind = "array-gone"
    says = "no array {subject} is assembled"
    source = r"""
array_gone() {
    for md in /sys/block/md*; do
        [ -e "$md/md" ] || continue
        case $(cat "$md/md/array_state") in clear) continue ;; esac # a name without an array
        details=$(asked mdadm --detail --export "/dev/${md##*/}" | tr -d :)
        case $newline$details in *"${newline}MD_UUID="?*) ;; *) return 1 ;; esac # unknown: it may be this one
        lacks "$details" "MD_UUID=$(printf %s "$1" | tr -d -)" || return 1
    done
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        array = array_with(check.subject)
        if array is not None:
            return no(f"{array.node} is still there, {array.state or 'not running'}")
        return yes(f"no array with the UUID {check.subject} is assembled")


class MemberIs(Condition):
    """The device is a working member of the array with the expected UUID, in the expected state.

    The states: ``member``, also as a spare; ``syncing``, it has a slot and is or gets in sync; ``in-sync``; ``active``, in
    sync, and not as the replacement of another member.
    """

    kind = "member-is"
    says = "{subject} in the array {first} is: {rest}"
    source = r"""
member_is() {
    member=$(node_of "$1") && md_folder "$2" || return 1
    words=$(cat "$md/dev-${member##*/}/state" 2>/dev/null) || return 1
    slot=$(cat "$md/dev-${member##*/}/slot" 2>/dev/null) || return 1
    case ,$words, in *,faulty,*) return 1 ;; esac
    case $3 in
    member) [ -n "$words" ] ;;
    syncing) case $slot in [0-9]*) ;; *) return 1 ;; esac ;;
    in-sync) case ,$words, in *,in_sync,*) ;; *) return 1 ;; esac ;;
    active) case ,$words, in *,replacement,*) return 1 ;; *,in_sync,*) ;; *) return 1 ;; esac ;;
    *) return 1 ;;
    esac
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        uuid, _, wanted = check.expect.partition(" ")
        array, real = array_with(uuid), os.path.realpath(check.subject)
        if array is None:
            return no(f"no array with the UUID {uuid} is assembled")
        member = next((one for one in array.members if one.path == real), None)
        if member is None:
            return no(f"{check.subject} is not in {array.node}")
        place = f"slot {member.slot} of " if member.slot is not None else ""
        words = f"{check.subject} in {place}{array.node}: {member_state(member, array)}"
        works = "faulty" not in member.state
        holds = {
            "member": works,
            "syncing": works and member.slot is not None,
            "in-sync": works and "in_sync" in member.state,
            "active": works and "in_sync" in member.state and "replacement" not in member.state,
        }
        if wanted == "active" and holds["in-sync"] and not holds["active"]:
            words += "; md has not made it a member yet: stop and start the array, or reboot, and resume"
        return either(holds=holds.get(wanted, False), text=words)


class MemberGone(Condition):
    """The device is not in the array with the expected UUID, which is running.

    It comes back as a spare at a boot, as long as it has its superblock.
    """

    kind = "member-gone"
    says = "{subject} is not in the array {expect}"
    source = r"""
member_gone() {
    member=$(node_of "$1") || member=
    md_folder "$2" || return 1
    for state in "$md"/dev-*/state; do
        words=$(cat "$state") && [ -n "$words" ] || return 1
        [ "$state" != "$md/dev-${member##*/}/state" ] || return 1
        case ,$words, in *,faulty,*) [ -n "$member" ] || return 1 ;; esac
    done
}"""
    can_be_lost = True
    splits = False

    def ask(self, check: Check, held: Held) -> Answer:
        array = array_with(check.expect)
        if array is None:
            return no(f"no array with the UUID {check.expect} is assembled")
        # The links of a disk that is gone are gone, and the array may still list what failed.
        real = os.path.realpath(check.subject)
        here = bool(device_number(check.subject))
        for one in array.members:
            if one.path == real or (not here and "faulty" in one.state):
                return no(f"{one.path} is still in it: {', '.join(one.state)}")
        return yes(f"{check.subject} is not in it")


class ArrayWhole(OfArray):
    """The array with this UUID has full redundancy: care.md 9, all that holds without another check of its data.

    A check, which a timer may have started, only reads: nothing lacks meanwhile.
    """

    kind = "array-whole"
    says = "the array {subject} has full redundancy"
    source = r"""
array_whole() {
    md_folder "$1" || return 1
    case $(cat "$md/array_state") in clean | active | active-idle | read-auto | write-pending | readonly) ;; *) return 1 ;; esac
    [ "$(cat "$md/degraded")" = 0 ] || return 1
    case $(cat "$md/sync_action") in idle | check) ;; *) return 1 ;; esac
    disks=$(cut -d ' ' -f 1 "$md/raid_disks") || return 1
    synced=0
    for state in "$md"/dev-*/state; do
        words=$(cat "$state") || return 1
        case $words in *want_replacement*) return 1 ;; esac
        case ,$words, in *,in_sync,*) synced=$((synced + 1)) ;; esac
        for list in bad_blocks unacknowledged_bad_blocks; do
            bad=$(cat "${state%/state}/$list") && [ -z "$bad" ] || return 1
        done
    done
    [ "$disks" -gt 0 ] && [ "$synced" -eq "$disks" ]
}"""
    can_be_lost = True

    def judge(self, check: Check, array: Array) -> Answer:
        lacks = _lacks(array)
        synced = sum("in_sync" in member.state for member in array.members)
        text = f"{array.node}: {synced} of {array.raid_disks} members in sync"
        return no(f"{text}; {lacks}") if lacks else yes(text)


ARRAY_RUNS: Final = ArrayRuns()
ARRAY_GONE: Final = ArrayGone()
MEMBER_IS: Final = MemberIs()
MEMBER_GONE: Final = MemberGone()
ARRAY_WHOLE: Final = ArrayWhole()


def _lacks(array: Array) -> str:
    """What its redundancy lacks; empty if nothing."""
    if array.state not in WORKING:
        return f"its state is {array.state or 'unknown'}"
    if array.degraded is None:
        return "it has no redundancy" if array.level else "its level is unknown"
    if array.degraded:
        return f"{array.degraded} missing or not in sync"
    if array.sync_action not in {"idle", "check"}:
        return f"{array.sync_action} has not ended"
    if sum("in_sync" in member.state for member in array.members) != array.raid_disks:
        return "a slot is not in sync"
    if any("want_replacement" in member.state for member in array.members):
        return "a member waits for its replacement"
    folder = Path("/sys/class/block", array.node.removeprefix("/dev/"), "md")
    lists = [*folder.glob("dev-*/bad_blocks"), *folder.glob("dev-*/unacknowledged_bad_blocks")]
    if not lists:
        return "its lists of bad blocks cannot be read"
    bad = [one for one in lists if one.read_text().strip()]
    return f"bad blocks are recorded in {bad[0]}" if bad else ""
