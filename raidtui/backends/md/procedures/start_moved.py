"""Start an array after its superblocks say where the data of each member begins, as a trial found it.

A power cut at the end of a reshape leaves the place of before in some of them (`raidtui.model.superblock.missed_end`), and
mdadm(8) has no option that changes it. Only that field is written, and all superblocks are kept for a rollback.
"""

from collections.abc import Iterator, Sequence

from raidtui.backends.md.conditions import MEMBER_IS
from raidtui.backends.md.procedures.care_conditions import ARRAY_STARTED
from raidtui.backends.md.procedures.place_conditions import ARRAY_PLACED, DATA_BEGINS
from raidtui.backends.md.states import shown_name
from raidtui.model.machine import Array, Machine
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.superblock import Superblock
from raidtui.model.text import count_of
from raidtui.model.units import SECTOR
from raidtui.steps.devices import PRESENT
from raidtui.steps.kept import is_kept


def begin_where(
    kept: str, devices: Sequence[str], stored: Sequence[Superblock], begins: Sequence[int], machine: Machine
) -> Iterator[Step]:
    """Write into the superblocks of ``devices`` where their data begins, if they say another place.

    Args:
        kept: the folder with all superblocks as they were.
        stored: what each says, and ``begins``: the byte at which its data begins.
    """
    places = {
        device: begin // SECTOR
        for device, own, begin in zip(devices, stored, begins, strict=True)
        if own.data_offset_bytes != begin or own.reshaping
    }
    sectors = ",".join(map(str, places.values()))
    yield Step(
        id="begin",
        role=Role.MEMBER,
        title=f"Write where the data begins into {count_of(len(places), 'superblock')}",
        reason="A power cut as a reshape ended left the place of before in them. Nothing else is written.",
        actions=(
            Run(argv=(*machine.system.program, "recover", "--begin", sectors, "--disks", ",".join(places))),
        ),
        before=(is_kept(kept), *(PRESENT.of(one) for one in places)),
        after=tuple(DATA_BEGINS.of(device, str(sector)) for device, sector in places.items()),
        undoable=Undo.NOTHING,
        undo_note="the superblocks that are kept have the place of before",
    )


def start_whole(array: Array, node: str, devices: Sequence[str]) -> Step:
    """Assemble it from all its members."""
    name = shown_name(array)
    return Step(
        id="start",
        role=Role.CREATE,
        title=f"Start {name} from all its members",
        reason="With their data at these places the trial found the files whole.",
        actions=(
            Run(argv=("udevadm", "settle")),  # it may have assembled what was written to; mdadm adds the rest
            Run(argv=("mdadm", "--assemble", node, f"--uuid={array.uuid}", *devices), ok=(0, 1)),
        ),
        before=tuple(PRESENT.of(device) for device in devices),
        after=(
            ARRAY_STARTED.of(array.uuid),
            ARRAY_PLACED.of(array.uuid),
            *(MEMBER_IS.of(one, f"{array.uuid} in-sync") for one in devices),
        ),
        undo=(Run(argv=("mdadm", "--stop", node), ok=(0, 1)),),
        undo_note=f"{name} is stopped",
    )
