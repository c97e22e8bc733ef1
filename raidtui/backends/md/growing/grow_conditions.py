"""Conditions on an array that grows: its level, its reshape runs, it has become what was planned, its bitmap is on or off."""

from typing import Final

from raidtui.backends.md.conditions import OfArray
from raidtui.backends.md.states import misread_words
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, either, unknown
from raidtui.model.machine import Array
from raidtui.model.plan import Check
from raidtui.model.units import SECTOR


def _text(array: Array, name: str) -> str:
    return HERE.text(f"{array.md_folder}/{name}")


class ArrayCounts(OfArray):
    """The array has the expected number of members, or is on the way to it by a reshape."""

    kind = "array-counts"
    says = "the array {subject} has {expect} members, or is being reshaped to this number"
    source = r"""
array_counts() { md_folder "$1" && [ "$(cut -d ' ' -f 1 "$md/raid_disks")" = "$2" ]; }"""

    def judge(self, check: Check, array: Array) -> Answer:
        words = _text(array, "raid_disks")
        if not words:
            return unknown(f"{array.node}: md does not say how many members it has")
        return either(holds=words.split()[0] == check.expect, text=f"{array.node} has {words} members")


class ArrayLevel(OfArray):
    """The array has the expected level, with any number of members."""

    kind = "array-level"
    says = "the array {subject} is a {expect}"
    source = r"""
array_level() { md_folder "$1" && [ "$(cat "$md/level")" = "$2" ]; }"""

    def judge(self, check: Check, array: Array) -> Answer:
        if not array.level:
            return unknown(f"{array.node}: md does not say which level it has")
        return either(holds=array.level == check.expect, text=f"{array.node} is a {array.level}")


class ArrayReshapes(OfArray):
    """A reshape of the array runs, is paused, or waits for the first write."""

    kind = "array-reshapes"
    says = "a reshape of the array {subject} is not over"
    source = r"""
array_reshapes() {
    md_folder "$1" && place=$(cat "$md/reshape_position") && [ -n "$place" ] && [ "$place" != none ]
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        place = _text(array, "reshape_position")
        if not place:
            return unknown(f"{array.node}: md does not say where its reshape is")
        over = "its reshape is over" if place == "none" else f"its reshape is at {place}"
        return either(holds=place != "none", text=f"{array.node}: {misread_words(array) or over}")


class ArrayIs(OfArray):
    """The array is what it was to become: ``raid5 4 1073741824``, level, members and bytes, and no reshape is under way."""

    kind = "array-is"
    says = "the array {subject} is {expect}: level, members and bytes, and its reshape is over"
    source = r"""
array_is() {
    md_folder "$1" || return 1
    sectors=$(cat "${md%/md}/size") && [ -n "$sectors" ] || return 1
    [ "$(cat "$md/reshape_position")" = none ] || return 1
    [ "$(cat "$md/level") $(cat "$md/raid_disks") $((sectors * 512))" = "$2 $3 $4" ]
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        place, count = _text(array, "reshape_position"), _text(array, "raid_disks")
        sectors = HERE.number(f"/sys/block/{array.node.removeprefix('/dev/')}/size")
        if not place or not count or sectors is None:
            return unknown(f"{array.node}: md does not say what it is")
        found = f"{array.level} {count} {sectors * SECTOR}"
        over = "" if place == "none" else f", its reshape is at {place}"
        text = f"{array.node} is {array.level} of {count} with {sectors * SECTOR:,} bytes{over}"
        return either(holds=place == "none" and found == check.expect, text=text)


class ArrayInSync(OfArray):
    """No part of the array waits for a resync, and none runs."""

    kind = "array-in-sync"
    says = "all of the array {subject} is in sync"
    source = r"""
array_in_sync() {
    md_folder "$1" && [ "$(cat "$md/sync_action")" = idle ] && [ "$(cat "$md/resync_start")" = none ]
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        place = _text(array, "resync_start")
        if not place:
            return unknown(f"{array.node}: md does not say what is in sync")
        holds = place == "none" and array.sync_action == "idle"
        text = f"{array.node}: {array.sync_action}, in sync {'as a whole' if place == 'none' else f'up to sector {place}'}"
        return either(holds=holds, text=text)


class ArrayBitmap(OfArray):
    """The write-intent bitmap of the array is ``on`` or ``off``."""

    kind = "array-bitmap"
    says = "the bitmap of the array {subject} is {expect}"
    source = r"""
array_bitmap() {
    md_folder "$1" && place=$(cat "$md/bitmap/location") || return 1
    case $place in none) [ "$2" = off ] ;; [+-][0-9]*) [ "$2" = on ] ;; *) return 1 ;; esac
}"""

    def judge(self, check: Check, array: Array) -> Answer:
        place = _text(array, "bitmap/location")
        if not place:
            return unknown(f"{array.node}: md does not say whether it has a bitmap")
        found = "off" if place == "none" else "on"
        return either(holds=found == check.expect, text=f"{array.node}: the bitmap is {found}")


ARRAY_COUNTS: Final = ArrayCounts()
ARRAY_LEVEL: Final = ArrayLevel()
ARRAY_RESHAPES: Final = ArrayReshapes()
ARRAY_IS: Final = ArrayIs()
ARRAY_IN_SYNC: Final = ArrayInSync()
ARRAY_BITMAP: Final = ArrayBitmap()
