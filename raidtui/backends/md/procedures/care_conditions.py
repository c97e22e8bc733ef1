"""Conditions on an array that is cared for: it lacks a member, is started, was checked, and no sync of it is held up."""

import os
from typing import ClassVar, Final

from raidtui.backends.md.conditions import WORKING, WRITABLE, OfArray
from raidtui.machine.md.arrays import read_arrays
from raidtui.machine.md.health import is_container, is_failed, missing
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.machine import Array
from raidtui.model.plan import Check
from raidtui.model.text import count_of
from raidtui.model.units import KIB
from raidtui.steps.condition import Condition, Held


class ArrayLacks(OfArray):
    """The array runs without a member, and has lost no more than it survives: only then may one be re-added.

    In an array that has failed, mdadm --re-add makes a spare of a member whose data is needed.
    """

    kind = "array-lacks"
    says = "the array {subject} runs without a member, and has not failed"
    source = r"""
array_lacks() {
    md_folder "$1" || return 1
    case $(cat "$md/array_state") in clean | active | active-idle | read-auto | write-pending) ;; *) return 1 ;; esac
    disks=$(cut -d ' ' -f 1 "$md/raid_disks") && lost=$(cat "$md/degraded") || return 1
    level=$(cat "$md/level") || return 1
    case ${level#raid} in
    1) most=$((disks - 1)) ;;
    4 | 5) most=1 ;;
    6) most=2 ;;
    10) most=$lost ;;
    *) return 1 ;;
    esac
    [ "$lost" -ge 1 ] && [ "$lost" -le "$most" ]
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        runs = array.state in WRITABLE and not is_failed(array)
        text = f"{array.node} is {array.state or 'not running'} and lacks {missing(array)} of {array.raid_disks} members"
        return either(holds=runs and missing(array) > 0, text=text)


class InState(OfArray):
    """md reports one of these states of the array."""

    states: ClassVar[frozenset[str]]
    can_be_lost = True

    def judge(self, check: Check, array: Array) -> Answer:
        return either(
            holds=array.state in self.states, text=f"{array.node} is {array.state or 'not running'}"
        )


class ArrayStarted(InState):
    """The array is started, with all its members or without some."""

    kind = "array-started"
    says = "the array {subject} is started"
    source = r"""
array_started() {
    md_folder "$1" || return 1
    case $(cat "$md/array_state") in clean | active | active-idle | read-auto | write-pending | readonly) ;; *) return 1 ;; esac
}"""
    states = WORKING


class ArrayChecked(OfArray):
    """The last sync of the array was a check, which ran to its end and found no mismatch."""

    kind = "array-checked"
    says = "the last sync of the array {subject} was a check without a mismatch"
    source = r"""
array_checked() {
    array_synced "$1" check && [ "$(cat "$md/mismatch_cnt")" = 0 ] && [ "$(cat "$md/sync_min")" = 0 ]
}"""
    may_be_older = True

    def judge(self, check: Check, array: Array) -> Answer:
        if array.sync_action != "idle":
            return no(f"{array.node}: {array.sync_action} is not over")
        found = array.mismatch_sectors
        text = f"{array.node}: {'unknown' if found is None else found} mismatched sectors"
        if not array.checked:
            return no(f"{text}; its last sync was no check that ran to its end")
        return either(holds=found == 0, text=text)


class ArrayWritable(InState):
    """The array is started and takes writes, also if nothing has been written to it yet."""

    kind = "array-writable"
    says = "the array {subject} takes writes"
    source = r"""
array_writable() {
    md_folder "$1" || return 1
    case $(cat "$md/array_state") in clean | active | active-idle | read-auto | write-pending) ;; *) return 1 ;; esac
}"""
    states = WRITABLE


class ArrayAwake(InState):
    """The array takes writes and does not wait for its first one, which holds up every sync."""

    kind = "array-awake"
    says = "the array {subject} does not wait for its first write"
    source = r"""
array_awake() {
    md_folder "$1" || return 1
    case $(cat "$md/array_state") in clean | active | active-idle | write-pending) ;; *) return 1 ;; esac
}"""
    states = WRITABLE - {"read-auto"}


class ArraySynced(OfArray):
    """The last sync of the array was of the expected kind, and has ended; also if it was stopped."""

    kind = "array-synced"
    says = "the last sync of the array {subject} was a {expect}, which has ended"
    source = r"""
array_synced() {
    md_folder "$1" || return 1
    [ "$(cat "$md/sync_action")" = idle ] && [ "$(cat "$md/last_sync_action")" = "$2" ]
}"""
    may_be_older = True

    def judge(self, check: Check, array: Array) -> Answer:
        if array.sync_action != "idle":
            return no(f"{array.node}: {array.sync_action} is not over")
        last = HERE.text(f"{array.md_folder}/last_sync_action")
        if not last:
            return unknown(f"{array.node}: md does not say what its last sync was")
        return either(holds=last == check.expect, text=f"{array.node}: its last sync was a {last}")


class ArrayUnheld(OfArray):
    """No sync of the array is held up: md may start one by itself, and it runs to the end."""

    kind = "array-unheld"
    says = "no sync of the array {subject} is held up"
    source = r"""
array_unheld() {
    md_folder "$1" || return 1
    action=$(cat "$md/sync_action") && [ -n "$action" ] && [ "$action" != frozen ] && [ "$(cat "$md/sync_max")" = max ] || return 1
    [ "$action" != idle ] || [ "$(cat "$md/sync_min")" = 0 ]
}"""
    can_be_lost = True

    def judge(self, check: Check, array: Array) -> Answer:
        if not HERE.text(f"{array.md_folder}/sync_max"):
            return unknown(f"{array.node}: md does not say how far a sync may run")
        first, last = array.sync_part
        part = f", from sector {first} to {'the end' if last is None else last}"
        begins = array.sync_action != "idle" or not first
        holds = array.sync_action != "frozen" and last is None and begins
        return either(holds=holds, text=f"{array.node}: {array.sync_action}{part}")


class ArrayPaced(OfArray):
    """A sync of the array may run at the expected rate, in KiB/s of each member, or faster."""

    kind = "array-paced"
    says = "a sync of the array {subject} may run at {expect} KiB/s or faster"
    source = r"""
array_paced() {
    md_folder "$1" || return 1
    least=$(cut -d ' ' -f 1 "$md/sync_speed_min") && most=$(cut -d ' ' -f 1 "$md/sync_speed_max") || return 1
    [ "$least" -ge "$2" ] || [ "$most" -ge "$2" ]
}"""
    can_be_lost = True

    def judge(self, check: Check, array: Array) -> Answer:
        least, most = array.sync_speed_min, array.sync_speed_max
        if least is None or most is None:
            return unknown(f"{array.node}: md does not say how fast a sync may run")
        text = f"{array.node}: {least // KIB} to {most // KIB} KiB/s"
        return either(holds=max(least, most) >= int(check.expect) * KIB, text=text)


class ArrayConsistency(OfArray):
    """The array has the expected consistency policy: what it does about the stripes that were written when power failed."""

    kind = "array-consistency"
    says = "the consistency policy of the array {subject} is {expect}"
    source = r"""
array_consistency() {
    md_folder "$1" && [ "$(cat "$md/consistency_policy")" = "$2" ]
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        if not array.consistency:
            return unknown(f"{array.node}: md does not say its consistency policy")
        return either(
            holds=array.consistency == check.expect, text=f"{array.node}: its policy is {array.consistency}"
        )


class ArrayAt(OfArray):
    """The array has the expected node now: what is written below its folder in sysfs is for this array."""

    kind = "array-at"
    says = "the array {subject} is {expect}"
    source = r"""
array_at() {
    md_folder "$1" && [ "$md" = "/sys/block/${2#/dev/}/md" ]
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        return either(holds=array.node == check.expect, text=f"it is {array.node}")


class VolumesStarted(Condition):
    """The device is in the container of a firmware RAID, and each volume of that is started; it has one at least."""

    kind = "volumes-started"
    says = "{subject} is in a firmware RAID whose volumes are started"
    source = r"""
volumes_started() {
    member=$(node_of "$1") || return 1
    for container in /sys/block/md*/md; do
        [ -e "$container/dev-${member##*/}" ] || continue
        case $(cat "$container/metadata_version") in external:[/-]*) continue ;; external:*) ;; *) continue ;; esac
        node=${container%/md} found=
        for volume in /sys/block/md*/md; do
            case $(cat "$volume/metadata_version") in external:[/-]"${node##*/}"/*) ;; *) continue ;; esac
            case $(cat "$volume/array_state") in clean | active | active-idle | read-auto | write-pending | readonly) found=yes ;; *) return 1 ;; esac
        done
        [ -n "$found" ]
        return
    done
    return 1
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        arrays, path = read_arrays(), os.path.realpath(check.subject)
        container = next(
            (one for one in arrays if is_container(one) and any(path == part.path for part in one.members)),
            None,
        )
        if container is None:
            return no(f"{check.subject} is in no firmware RAID that is assembled")
        volumes = [one for one in arrays if one.node in container.volumes]
        running = [one.node for one in volumes if one.state in WORKING]
        text = f"{container.node} has {count_of(volumes, 'volume')}, {len(running)} of them started"
        return either(holds=bool(volumes) and len(running) == len(volumes), text=text)


class Viewed(Condition):
    """The array at the subject was assembled without superblocks, and can only be read."""

    kind = "view-read-only"
    says = "{subject} can only be read"
    source = r"""
is_viewed() {
    viewed=/sys/block/${1##*/}
    [ "$(cat "$viewed/md/array_state" 2>/dev/null)" = readonly ] && [ "$(cat "$viewed/ro" 2>/dev/null)" = 1 ] &&
        [ "$(cat "$viewed/md/metadata_version" 2>/dev/null)" = none ]
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        block = f"/sys/block/{check.subject.removeprefix('/dev/')}"
        state, only_read, metadata = (
            HERE.text(f"{block}/{name}") for name in ("md/array_state", "ro", "md/metadata_version")
        )
        text = f"{check.subject} is {state or 'not there'}"
        return either(holds=(state, only_read, metadata) == ("readonly", "1", "none"), text=text)


class NoArray(Condition):
    """The subject is not an array: its node is not there, or has none. Linux 7.2 keeps the node of one assembled by hand."""

    kind = "no-array"
    says = "{subject} is not an array"
    source = r"""
is_no_array() {
    case $(cat "/sys/block/${1##*/}/md/array_state" 2>/dev/null) in
    clear) ;;
    '') [ ! -e "/sys/block/${1##*/}" ] ;;
    *) return 1 ;;
    esac
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        block = f"/sys/block/{check.subject.removeprefix('/dev/')}"
        state = HERE.text(f"{block}/md/array_state")
        if not state and HERE.names(block):
            return unknown(f"the state of {check.subject} cannot be read")
        return either(holds=state in {"", "clear"}, text=f"{check.subject} is {state or 'not there'}")


ARRAY_LACKS: Final = ArrayLacks()
ARRAY_STARTED: Final = ArrayStarted()
ARRAY_WRITABLE: Final = ArrayWritable()
ARRAY_AWAKE: Final = ArrayAwake()
ARRAY_SYNCED: Final = ArraySynced()
ARRAY_CHECKED: Final = ArrayChecked()
ARRAY_UNHELD: Final = ArrayUnheld()
ARRAY_PACED: Final = ArrayPaced()
ARRAY_CONSISTENCY: Final = ArrayConsistency()
ARRAY_AT: Final = ArrayAt()
VOLUMES_STARTED: Final = VolumesStarted()
VIEWED: Final = Viewed()
NO_ARRAY: Final = NoArray()
