"""Conditions on where the data of members begins, which a power cut at the end of a reshape leaves wrong."""

import os
from typing import Final

from raidtui.backends.md.conditions import OfArray
from raidtui.backends.md.states import misread_words
from raidtui.machine.devices import device_number
from raidtui.machine.md.superblock import find_superblock
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.machine import Array
from raidtui.model.plan import Check
from raidtui.model.units import SECTOR
from raidtui.steps.condition import Condition, Held


class ArrayPlaced(OfArray):
    """md reads every member of the array where its data is: none missed the end of a reshape."""

    kind = "array-placed"
    says = "the array {subject} reads every member where its data is"
    source = r"""
array_placed() {
    md_folder "$1" && place=$(cat "$md/reshape_position") && [ -n "$place" ] || return 1
    [ "$place" = none ] || return 0 # until the end, a member has data at both places
    for member in "$md"/dev-*; do
        begin=$(cat "$member/offset") && [ -n "$begin" ] && [ "$begin" = "$(cat "$member/new_offset")" ] || return 1
    done
}"""
    can_be_lost = True

    def judge(self, check: Check, array: Array) -> Answer:
        if not HERE.text(f"{array.md_folder}/reshape_position"):
            return unknown(f"{array.node}: md does not say where its reshape is")
        if wrong := misread_words(array):
            return no(f"{array.node}: {wrong}")
        return yes(f"{array.node} reads every member where its data is")


class DataBegins(Condition):
    """The superblock of a member says that its data begins at the expected sector, and that no reshape is under way."""

    kind = "data-begins"
    says = "the data of {subject} begins at sector {expect}"
    source = r"""
data_begins() {
    found=$(asked mdadm --examine "$1") && unlike "$found" 'Reshape pos' || return 1
    [ "$(printf '%s\n' "$found" | sed -n 's/^ *Data Offset : \([0-9]*\) sectors$/\1/p')" = "$2" ]
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        size = HERE.number(f"/sys/dev/block/{device_number(check.subject)}/size")
        found = find_superblock(HERE, os.path.realpath(check.subject), (size or 0) * SECTOR)
        if found is None:
            return unknown(f"no superblock can be read from {check.subject}")
        sector = found.data_offset_bytes // SECTOR
        text = f"its superblock says sector {sector}{', in a reshape' if found.reshaping else ''}"
        return either(holds=str(sector) == check.expect and not found.reshaping, text=text)


ARRAY_PLACED: Final = ArrayPlaced()
DATA_BEGINS: Final = DataBegins()
