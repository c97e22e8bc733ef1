"""Conditions on a volume group on arrays: its data is aligned to md's full stripe, and its volume reports that."""

from pathlib import Path
from typing import Final

from raidtui.backends.lvm.conditions import OfLvm, device_at
from raidtui.backends.lvm.report import Reading
from raidtui.machine.devices import device_number
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.plan import Check
from raidtui.steps.condition import Condition, Held


class DataStart(OfLvm):
    """The first extent of the physical volume begins at the expected byte."""

    kind = "data-start"
    says = "the data of the physical volume {subject} begins at byte {expect:,}"
    source = r"""
data_starts_at() {
    volume_node=$(node_of "$1") || return 1
    [ "$(asked lvm pvs --noheadings --units b --nosuffix --options pe_start "$volume_node" | tr -d ' ')" = "$2" ]
}"""

    def judge(self, check: Check, known: Reading) -> Answer:
        device = device_at(check.subject, known)
        if device is None:
            return no(f"{check.subject} is not a physical volume")
        start = device.data_start_bytes
        text = f"the data of {check.subject} begins at byte {start:,}"
        return either(holds=str(start) == check.expect, text=text)


class Hints(Condition):
    """The device reports the expected chunk and full stripe, in bytes, as its minimum and optimal I/O size."""

    kind = "io-hints"
    says = "{subject} reports a chunk of {first:,} bytes and a full stripe of {rest:,}"
    source = r"""
has_hints() {
    hints_node=$(node_of "$1") || return 1
    queue=/sys/class/block/${hints_node##*/}/queue
    [ "$(cat "$queue/minimum_io_size") $(cat "$queue/optimal_io_size")" = "$2 $3" ]
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        number = device_number(check.subject)
        if not number:
            return no(f"there is no {check.subject}")
        queue = Path("/sys/dev/block") / number / "queue"
        try:
            least, best = (int((queue / name).read_text()) for name in ("minimum_io_size", "optimal_io_size"))
        except (OSError, ValueError) as error:
            return unknown(f"the I/O sizes of {check.subject} cannot be read: {error}")
        text = f"{check.subject} reports a chunk of {least:,} bytes and a full stripe of {best:,}"
        return either(holds=f"{least} {best}" == check.expect, text=text)


DATA_START: Final = DataStart()
HINTS: Final = Hints()
