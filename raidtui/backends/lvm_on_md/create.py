"""Create physical volumes on arrays. LVM aligns them to md's full stripe by itself; a condition verifies it."""

from collections.abc import Sequence

from raidtui.backends.lvm.conditions import PHYSICAL_VOLUME
from raidtui.backends.lvm.create import erase_device, make_device
from raidtui.backends.lvm_on_md.base import Base
from raidtui.backends.lvm_on_md.conditions import DATA_START
from raidtui.model.plan import Role, Step
from raidtui.model.text import count_of
from raidtui.model.units import spell_size
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED


def devices_step(bases: Sequence[Base]) -> Step:
    """Make each array a physical volume; never a member, which would bypass md."""
    devices = [one.holder for one in bases]
    erase = tuple(run for one in devices for run in erase_device(one.device))
    starts = " and ".join(dict.fromkeys(spell_size(one.data_start_bytes) for one in bases))
    width = bases[0].resolved.facts.stripe_width_bytes
    aligned = f", at the start of a full stripe of {spell_size(width)}" if width else ""
    return Step(
        id="physical-volumes",
        role=Role.PREPARE,
        title=f"Make {count_of(devices, 'physical volume')} on {', '.join(one.path for one in bases)}",
        reason=f"The data begins at {starts}{aligned}, so stripes of the filesystem match those of md. "
        "pvcreate follows the array's hints.",
        actions=tuple(make_device(one) for one in devices),
        before=tuple(kind.of(one.device) for one in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        after=(
            *(PHYSICAL_VOLUME.of(one.device, one.uuid) for one in devices),
            *(DATA_START.of(one.path, str(one.data_start_bytes)) for one in bases),
        ),
        undo=erase,
        undo_note="the array is blank again" if len(bases) == 1 else "the arrays are blank again",
        repair=erase,
    )
