"""What the wizard's answers come to: defaults filled in, member sizes, and what the levels give on them."""

from typing import TYPE_CHECKING

import msgspec

from raidtui.model.machine import Machine
from raidtui.model.spec import Spec

if TYPE_CHECKING:
    from raidtui.advice.levels import Offer


def filled(spec: Spec, machine: Machine) -> Spec:
    """``spec`` with every default; before a level is chosen only those that do not depend on it count.

    Raises:
        BadInput: an answer that cannot be; the sentence says which.
    """
    from raidtui.plan.complete import complete

    if not spec.level:
        # Any disks make a raid1: it stands in for the level that is still to be chosen.
        spec = msgspec.structs.replace(spec, level="raid1", layout=None, chunk=None, consistency=None)
    return complete(spec, machine)


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
            partition=bool(spec.partition),
            reserve=spec.reserve or 0,
        ).size_bytes
        for disk in map(machine.disk, spec.disks)
    ]


def _sector(spec: Spec, machine: Machine) -> int:
    return max((machine.disk(word).logical_sector_bytes for word in spec.disks), default=512)


def level_offers(spec: Spec, machine: Machine) -> "tuple[Offer, ...]":
    """What each level gives on the disks of ``spec``; also in the layout that it names, if that is a rare one."""
    from raidtui.advice.levels import offer, survey

    whole = filled(msgspec.structs.replace(spec, level=""), machine)
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

    whole = filled(spec, machine)
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
