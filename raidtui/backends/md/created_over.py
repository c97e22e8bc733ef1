"""An array that was created over an older one of its name: by mistake mostly, to get that one started. Pure.

'mdadm --create' writes new superblocks and says "array started". With the members in another order, or other geometry
than before, the data is there and cannot be read.
"""

from collections.abc import Iterator

from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.made_again import of_others, seems_empty
from raidtui.model.procedure import Configure, Recover
from raidtui.model.unit_names import command_word

NEVER = "write to it, make a filesystem on it, check it with fsck, or create it once more"


def created_over(machine: Machine) -> Iterator[Finding]:
    """A finding for each array with nothing known on it whose name mdadm.conf gives to another that is not here."""
    for array in machine.arrays:
        if not seems_empty(array, machine) or not of_others(array, machine):
            continue
        yield Finding(
            name=command_word(array, machine.arrays),
            kind=Kind.CREATED_OVER,
            what=f"array {array.shown}: nothing known is on it, and {machine.system.mdadm_conf} gives its name to another array, of "
            "which no disk here has a superblock. It may have been created over that one",
            unit=array.uuid,
            never=NEVER,
            remedies=(
                look_below(array),
                Remedy(
                    text="if it is new and its disks held nothing, replace the line of the other with its own",
                    procedure=Configure(unit=array.uuid),
                ),
            ),
        )


def look_below(array: Array) -> Remedy:
    """A trial of its members in other orders."""
    return Remedy(
        text="look for the files of the older array on overlays, in every order that may be right. No disk is written, but this "
        "one must be stopped for it: --stop",
        procedure=Recover(unit=array.uuid),
    )
