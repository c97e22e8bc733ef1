"""The details of a disk, below the list: vendor, health, what uses it, and what would be erased."""

from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.widgets.parts import Parts
from raidtui.ui.wizard import disk_words
from raidtui.ui.wizard.disk_owner import has_only_a_table, what_it_belongs_to


def in_full(disk: Disk, machine: Machine, units: tuple[Unit, ...]) -> Parts:
    """All details of ``disk``, and how to free it."""
    lines: Parts = [
        (
            f"{disk.shown}  {harmless(disk.vendor)} {harmless(disk.model)}  serial {disk_words.number(disk)}",
            "bold",
        ),
        f"  WWN {harmless(disk.wwn) or 'none'}\n",
        *(
            [f"Named by its place: {harmless(disk.identity)}\n"]
            if disk.identity and not (disk.serial or disk.wwn)
            else []
        ),
        disk_words.kind(disk) + "\n",
        disk_words.health_in_full(disk) + "\n",
    ]
    for claim in disk_words.obstacles(disk):
        lines.append((f"In use: {harmless(claim.device)} {harmless(claim.detail)}\n", "$text-warning"))
    if disk.to_free:
        lines.append(f"  {disk_words.to_free(disk)}\n")
    if has_only_a_table(disk, machine):
        lines.append(
            "It holds no data: its partition table has no partitions. t shows the plan that erases it\n"
        )
    elif what_it_belongs_to(disk, units, machine):
        lines.append("  Or press t: the plan that removes what it is in, with all data on that\n")
    blocked = bool(disk_words.why_not(disk, machine))
    for named in disk_words.named_in(disk):  # erasing the disk does not remove these lines
        lines.append((f"Also {named}\n", "$text-warning"))
    for lost in disk_words.contents(disk):
        lines.append(
            f"On it: {lost}\n" if blocked else (f"Will be erased if chosen: {lost}\n", "$text-warning")
        )
    if not machine.complete:
        lines.append("Read without root: the contents of the disks are unknown. F2 opens raidtui as root.\n")
    elif disk.free and not disk_words.losses(disk):
        lines.append("Blank: no signature on it or its partitions, and not in use.\n")
    return lines
