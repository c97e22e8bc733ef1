"""Conditions on an array that is cared for: it may take back a member, it is started, its last check found nothing."""

from typing import Final

from raidtui.backends.md.conditions import WORKING, WRITABLE, OfArray
from raidtui.machine.array_health import is_failed, missing
from raidtui.model.answer import Answer, either, no
from raidtui.model.machine import Array
from raidtui.model.plan import Check


class ArrayLacks(OfArray):
    """The array runs without a member, and has lost no more than it survives: only then may one be re-added.

    In an array that has failed, mdadm --re-add makes a spare of a member whose data is needed.
    """

    kind = "array-lacks"
    says = "the array {subject} runs without a member, and has not failed"
    shell = "array_lacks"
    source = r"""
array_lacks() {
    for md in /sys/block/md*/md; do
        [ "$(cat "$md/uuid" 2>/dev/null)" = "$1" ] || continue
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
        return
    done
    return 1
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        runs = array.state in WRITABLE and not is_failed(array)
        text = f"{array.node} is {array.state or 'not running'} and lacks {missing(array)} of {array.raid_disks} members"
        return either(holds=runs and missing(array) > 0, text=text)


class ArrayStarted(OfArray):
    """The array is started, with all its members or without some."""

    kind = "array-started"
    says = "the array {subject} is started"
    shell = "array_started"
    source = r"""
array_started() {
    for md in /sys/block/md*/md; do
        [ "$(cat "$md/uuid" 2>/dev/null)" = "$1" ] || continue
        case $(cat "$md/array_state") in clean | active | active-idle | read-auto | write-pending | readonly) return 0 ;; esac
        return 1
    done
    return 1
}"""
    can_be_lost = True

    def judge(self, check: Check, array: Array) -> Answer:
        text = f"{array.node} is {array.state or 'not running'}"
        return either(holds=array.state in WORKING, text=text)


class ArrayChecked(OfArray):
    """The last sync of the array was a check, which ran to its end and found no mismatch."""

    kind = "array-checked"
    says = "the last sync of the array {subject} was a check without a mismatch"
    shell = "array_checked"
    source = r"""
array_checked() {
    for md in /sys/block/md*/md; do
        [ "$(cat "$md/uuid" 2>/dev/null)" = "$1" ] || continue
        [ "$(cat "$md/sync_action")" = idle ] && [ "$(cat "$md/last_sync_action")" = check ] || return 1
        [ "$(cat "$md/mismatch_cnt")" = 0 ] && [ "$(cat "$md/sync_min")" = 0 ]
        return
    done
    return 1
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        if array.sync_action != "idle":
            return no(f"{array.node}: {array.sync_action} is not over")
        found = array.mismatch_sectors
        text = f"{array.node}: {'unknown' if found is None else found} mismatched sectors"
        if not array.checked:
            return no(f"{text}; its last sync was no check that ran to its end")
        return either(holds=found == 0, text=text)


ARRAY_LACKS: Final = ArrayLacks()
ARRAY_STARTED: Final = ArrayStarted()
ARRAY_CHECKED: Final = ArrayChecked()

CONDITIONS: Final = (ARRAY_LACKS, ARRAY_STARTED, ARRAY_CHECKED)
