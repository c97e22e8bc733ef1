"""Large arrays without a write-intent bitmap, and the step that adds one.

mdadm makes one for arrays whose members are larger than 100 GB (Create.c, "automatically enabling write-intent bitmap
on large array"), so somebody turned it off, or mdadm 4.4 or later was run with --run.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.md.growing.grow_conditions import ARRAY_BITMAP
from raidtui.backends.md.procedures.managing import regrown
from raidtui.backends.md.procedures.scrubs import refuse_busy
from raidtui.backends.md.states import shown_name
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import MD_LEVELS, loses_all_with_one
from raidtui.model.plan import Step, Undo, member_step
from raidtui.model.procedure import AddBitmap
from raidtui.model.units import GIB

_LARGE: Final = 100 * GIB


def no_bitmaps(machine: Machine) -> Iterator[Finding]:
    """A finding for each that is whole and at rest."""
    for array in machine.arrays:
        if _lacks_one(array):
            yield Finding(
                name=array.shown,
                kind=Kind.NO_BITMAP,
                what=f"array {array.shown}: it has no write-intent bitmap",
                unit=array.uuid,
                remedies=(
                    Remedy(
                        text="add a bitmap; the array can be used meanwhile",
                        procedure=AddBitmap(unit=array.uuid),
                    ),
                ),
            )


def _lacks_one(array: Array) -> bool:
    at_rest = array.started and array.degraded == 0 and array.sync is None and array.sync_action == "idle"
    return at_rest and _can_have_one(array) and array.component_bytes > _LARGE


def _can_have_one(array: Array) -> bool:
    redundant = array.level in MD_LEVELS and not loses_all_with_one(array.level) and array.raid_disks > 1
    return redundant and not array.metadata.startswith("external:") and array.consistency == "resync"


def add_bitmap(array: Array) -> Step:
    """The step that adds one.

    Raises:
        Refused: the array has another way to stay consistent, or is busy.
    """
    refuse_busy(array)
    if not _can_have_one(array):
        raise Refused(
            f"{shown_name(array)} takes no write-intent bitmap: it has one, a journal or a partial parity log, or no redundancy"
        )
    return replace(
        bitmap_on(array, f"Add a write-intent bitmap to {shown_name(array)}"),
        undoable=Undo.COMMANDS,
        undo=(regrown(array, "--bitmap=none"),),
        undo_note="it has no bitmap again",
    )


def bitmap_on(array: Array, title: str) -> Step:
    """The step after which ``array`` has an internal bitmap."""
    return member_step(
        id="bitmap-on",
        title=title,
        reason="After a power cut only what was just written is synced.",
        actions=(regrown(array, "--bitmap=internal"),),
        after=(ARRAY_BITMAP.of(array.uuid, "on"),),
    )
