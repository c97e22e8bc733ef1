"""The backend of LVM logical volumes on bare disks."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import usual
from raidtui.backends.lvm.facts import lvm_facts
from raidtui.backends.lvm.hazards import CHECKS
from raidtui.backends.lvm.levels import COMPARED, LEVELS
from raidtui.backends.lvm.names import check_name
from raidtui.backends.lvm.space import DEFAULT_STRIPE
from raidtui.backends.options import Option
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults

OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The name of the volume group; its volume becomes /dev/NAME/data. Use letters, digits, dots, dashes and "
        "underscores.",
    ),
    "partition": Option(
        label="Members are",
        help="A GPT partition marks each disk as Linux LVM for every tool and firmware, and leaves a reserve at "
        "the end. Whole disks lose no space, but some firmware writes a partition table over them.",
    ),
    "chunk": Option(
        label="Stripe size",
        help="How much goes to one disk before the next: 'lvcreate --stripesize'. 64KiB is LVM's default. A power "
        "of two from 4KiB to 4MiB.",
    ),
}
"""By spec key, in the order the Options screen shows them."""


def _check(spec: Spec) -> None:
    check_name(spec.name)
    if spec.level not in LEVELS:
        raise BadInput(f"LVM has no level {spec.level!r}; it has {', '.join(LEVELS)}")


def _defaults(spec: Spec) -> Spec:
    """LVM's defaults for the type; members are partitions that leave room for a smaller replacement."""
    level = LEVELS.get(spec.level)
    chunked = level is not None and level.has_chunk and spec.chunk is None
    return replace(with_member_defaults(spec), chunk=DEFAULT_STRIPE if chunked else spec.chunk)


def _data_map(wanted: Arrangement, rows: int) -> DataMap:
    """Placement as in md: LVM's RAID is md's code."""
    from raidtui.backends.md.placement import alike

    return alike(LEVELS[wanted.level], wanted, rows)


BACKEND: Final = BackendContract(
    name=Backend.LVM,
    noun="volume group",
    blurb="LVM's own RAID: md's code inside a volume group. ",
    unreadable="md records them as bad blocks and continues",
    manual="lvmraid(7)",
    levels=LEVELS,
    options=OPTIONS,
    hazards=CHECKS,
    check=_check,
    defaults=_defaults,
    facts=lvm_facts,
    compared=lambda wanted, disks, alike: usual(COMPARED, wanted),
    data_map=_data_map,
)
