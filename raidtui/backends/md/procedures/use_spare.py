"""A hot spare of an array leaves it, or gets a slot of its own in a mirror that has none for it."""

from collections.abc import Iterator

from msgspec.structs import replace

from raidtui.backends.md.conditions import ARRAY_WHOLE, MEMBER_GONE
from raidtui.backends.md.create import erase_former
from raidtui.backends.md.grow import joined
from raidtui.backends.md.growing.shapes import why_no_disk, why_not_now
from raidtui.backends.md.procedures.managing import managed
from raidtui.backends.md.procedures.scrubs import check_steps, unhold
from raidtui.backends.md.states import shown_name
from raidtui.backends.replacing import Naming
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine, Member
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Step, member_step, proof_step
from raidtui.model.text import harmless
from raidtui.steps.devices import FORGOTTEN


def taken_out(array: Array, spare: Member, machine: Machine) -> Iterator[Step]:
    """The steps by which ``spare`` leaves ``array``, of which no sync is held up, and is forgotten."""
    device, shown = stable_in(machine.disks).get(spare.path, spare.path), harmless(spare.disk)
    yield member_step(
        id="remove",
        title=f"Remove the spare {shown} from {shown_name(array)}",
        reason="A spare holds no data.",
        actions=(managed(array, "--remove", device, ok=(0, 1, 2)),),
        after=(MEMBER_GONE.of(device, array.uuid),),
    )
    yield member_step(
        id="forget",
        title=f"Erase the superblock of {shown}",
        reason="It still says that it is a spare, and would join the array again at boot.",
        actions=erase_former(device),
        destroys=(f"{shown}: its superblock; a spare holds no data",),
        before=(MEMBER_GONE.of(device, array.uuid),),
        after=(FORGOTTEN.of(device),),
    )


def use_spare(array: Array, spare: Member, machine: Machine) -> Iterator[Step]:
    """The steps by which ``spare`` becomes a member of ``array``, a mirror without a slot for it.

    It leaves first: md would rebuild onto it the moment that it has a slot, see `raidtui.backends.md.procedures.spare_forgotten`.

    Raises:
        Refused: the array has another spare, or cannot grow now.
    """
    others = replace(array, members=tuple(one for one in array.members if one != spare))
    if array.level != "raid1" or array.raid_disks != 1:
        raise Refused(f"md lets a hot spare of {shown_name(array)} take over by itself when a member fails")
    if why := why_not_now(others) or why_no_disk(others, array.level, 1):
        raise Refused(f"{shown_name(array)} cannot take {harmless(spare.disk)} as a member: {why}")
    disk = machine.disk(spare.disk)
    new = Naming(
        old="",
        new=harmless(spare.disk),
        device=stable_in(machine.disks).get(spare.path, spare.path),
        whole=disk.stable_path,
        suffix="",
        disk=disk.identity,
    )
    yield from unhold(array)
    yield from taken_out(array, spare, machine)
    yield from joined(others, array.level, (new,), machine)
    yield from check_steps(array)
    yield proof_step(
        id="prove",
        title=f"Check that {shown_name(array)} has full redundancy",
        reason="Every slot in sync, no member that waits to be replaced, no bad blocks.",
        after=(ARRAY_WHOLE.of(array.uuid),),
    )
