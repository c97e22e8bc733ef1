"""What the wizard's answers come to: defaults filled in, member sizes, and what the levels give on them."""

from typing import TYPE_CHECKING

import msgspec

from raidtui.model.machine import Machine
from raidtui.model.spec import Spec

if TYPE_CHECKING:
    from raidtui.advice.levels import Offer


def filled(spec: Spec) -> Spec:
    """``spec`` with the defaults for what lies on the disks; names and filesystem are not looked at."""
    from raidtui.advice.levels import LEVELS
    from raidtui.plan.complete import DEFAULT_RESERVE

    consistency = spec.consistency
    if consistency is None and spec.level:
        consistency = LEVELS[spec.level].consistencies[0]
    return msgspec.structs.replace(
        spec,
        partition=spec.partition is not False,
        reserve=DEFAULT_RESERVE if spec.reserve is None else spec.reserve,
        metadata=spec.metadata or "1.2",
        consistency=consistency,
    )


def member_sizes(spec: Spec, machine: Machine) -> list[int]:
    """Bytes of the member devices, then of the spares: partitions, or whole disks. ``spec`` is filled in.

    Raises:
        BadInput: a disk that is not there, or too small for its partition.
    """
    from raidtui.advice.partition import member_extent

    return [
        member_extent(
            disk.size_bytes,
            disk.logical_sector_bytes,
            partition=spec.partition is not False,
            reserve=spec.reserve or 0,
        ).size_bytes
        for disk in map(machine.disk, spec.disks)
    ]


def _sector(spec: Spec, machine: Machine) -> int:
    return max((machine.disk(word).logical_sector_bytes for word in spec.disks), default=512)


def level_offers(spec: Spec, machine: Machine) -> "tuple[Offer, ...]":
    """What each level gives on the disks of ``spec``; also in the layout that it names, if that is a rare one."""
    from raidtui.advice.levels import offer, survey

    whole = filled(spec)
    sizes, count = member_sizes(whole, machine), len(spec.members)
    sector, metadata = _sector(spec, machine), whole.metadata or "1.2"
    found = survey(
        sizes,
        spares=len(spec.spares),
        chunk=spec.chunk,
        metadata=metadata,
        consistency=spec.consistency,
        logical_sector=sector,
    )
    common = {one.layout for one in found if one.level == "raid10"}
    if spec.level == "raid10" and spec.layout and spec.layout not in common:
        rare = offer(
            "raid10",
            sizes[:count],
            spare_sizes=sizes[count:],
            chunk=spec.chunk,
            layout=spec.layout,
            metadata=metadata,
            consistency=spec.consistency,
            logical_sector=sector,
        )
        found = (*found, rare)
    return found


def chosen_offer(spec: Spec, machine: Machine) -> "Offer":
    """What the chosen level gives with every answer so far.

    Raises:
        BadInput: an answer that cannot be.
    """
    from raidtui.advice.levels import offer

    whole = filled(spec)
    sizes, count = member_sizes(whole, machine), len(spec.members)
    return offer(
        whole.level,
        sizes[:count],
        spare_sizes=sizes[count:],
        chunk=whole.chunk,
        layout=whole.layout,
        metadata=whole.metadata or "1.2",
        consistency=whole.consistency,
        logical_sector=_sector(spec, machine),
    )
