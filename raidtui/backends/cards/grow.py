"""Let a virtual drive grow with free drives of its card, or get a level with more redundancy.

The card moves the data while the virtual drive is in use, and continues by itself after a reboot or a power cut. Then the
kernel reads the size of the disk again, and what is on it grows.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from raidtui.backends.cards.care import left_in
from raidtui.backends.cards.conditions import Kinds, slots_and_serials, subject
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, Drive, OnCard
from raidtui.backends.cards.replace import CardNeed
from raidtui.backends.cards.shapes import (
    Targets,
    data_of,
    drives_needed,
    free_for,
    shapes_of,
    size_with,
    why_not_now,
)
from raidtui.backends.cards.steps import key_of, wait_step
from raidtui.backends.cards.units import volume_of
from raidtui.backends.care import Place
from raidtui.backends.growing import Grower, Grown, Shape
from raidtui.backends.replacing import Naming
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Check, Run, Step, member_step
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.unit import Unit

_RESCAN: Final = (
    'node=$(readlink -f "$1") && file="/sys/class/block/${node##*/}/device/rescan" && '
    'if [ -e "$file" ]; then echo 1 >"$file"; fi'
)


class Growing(NamedTuple):
    """How a family changes a virtual drive."""

    family: Family
    kinds: Kinds
    targets: Targets
    migrate: Callable[[Adapter, str, str, Sequence[Drive], Sequence[Drive]], Run]
    """Change the virtual drive with this identity to a level, on its drives and these further ones."""
    why_not: Callable[[Adapter], str]
    """Why that is not certain for a card; empty: it is."""


class GrowNeed(CardNeed, frozen=True, kw_only=True):
    """What each new drive has to be like."""

    def check(self, new: Disk) -> None:
        """A card mixes neither kinds nor sector sizes, and takes only drives of its own."""
        self._fitting(new)


class CardGrower(Grower):
    """The tool of one family."""

    def __init__(self, how: Growing) -> None:
        """Set how the family does it."""
        self._how = how

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        found = self._find(unit, machine)
        refused = self._how.why_not(found.adapter)
        return tuple(shapes_of(unit, found.volume, found.adapter, machine, self._how.targets, refused))

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        found, level, new = self._checked(order, unit, machine)
        adapter, volume = found.adapter, found.volume
        drives = adapter.drives_of(volume)
        known = {disk.identity: disk for disk in machine.disks if not disk.has_device}
        present = tuple(known[one.serial] for one in drives if one.serial in known)
        return Grown(
            need=GrowNeed(
                unit=unit,
                left=left_in(volume, adapter),
                places=tuple(Place(disk, None) for disk in present),
                present=present,
                least=min(one.size_bytes for one in drives),
                partition_type="",
                family=self._how.family,
                kinds=self._how.kinds,
                adapter=adapter,
                volume=volume,
                drive=None,
            ),
            unit_bytes=size_with(level, [*drives, *new]),
            chunk_bytes=volume.strip_bytes if level != "raid1" else 0,
            width_bytes=volume.strip_bytes * data_of(level, len(drives) + len(new))
            if level != "raid1"
            else 0,
            device=unit.path,
            moves=True,
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Tell the card, wait, and let the kernel read the new size."""
        found, level, drives = self._checked(order, unit, machine)
        adapter, volume, how = found.adapter, found.volume, self._how
        key, name = key_of(volume, unit), harmless(unit.name)
        old = adapter.drives_of(volume)
        about, made = subject(adapter, key), _made(level, [*old, *drives])
        joins = listed(
            [f"{one.new} in {harmless(drive.slot)}" for one, drive in zip(new, drives, strict=True)]
        )
        begun = how.kinds.changing.of(about, made)
        then = f"become {spelled(level)} with" if level != volume.level else "grow by"
        begin = member_step(
            id="migrate",
            title=f"Let {name} {then} {joins}",
            reason="The card moves all of its data while it is in use. This cannot be stopped or turned back.",
            actions=(how.migrate(adapter, key, level.removeprefix("raid"), old, drives),),
            destroys=tuple(f"{one.new}: what is on it" for one in new),
            before=(
                how.kinds.whole.of(about),
                how.kinds.free.of(subject(adapter, "drives"), slots_and_serials(drives)),
            ),
            after=(begun,),
        )
        wait = wait_step(
            name,
            before=(begun,),
            after=(how.kinds.on_card.of(about, made),),
            until=f"is {spelled(level)} of {count_of([*old, *drives], 'drive')}",
            lasts="moving all data of the virtual drive",
        )
        rescan = member_step(
            id="rescan",
            title=f"Let the kernel read the size of {name} again",
            reason="A disk that has grown keeps its old size in the kernel until it is asked again.",
            actions=(
                Run(argv=("sh", "-c", _RESCAN, "sh", unit.path)),
                *(
                    (Run(argv=("udevadm", "settle", "--timeout=60"), ok=(0, 1)),)
                    if machine.system.udev
                    else ()
                ),
            ),
            after=(how.kinds.grown.of(about, made),),
        )
        return [begin, wait, rescan]

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """Level, drives and bytes, in the card and in the kernel, and what the card says of redundancy."""
        assert isinstance(grown.need, GrowNeed), "grown by this grower"
        assert isinstance(unit.reading, OnCard), "a unit of a card"
        adapter, volume = grown.need.adapter, grown.need.volume
        about = subject(adapter, key_of(volume, unit))
        new = [one for one in adapter.drives if one.serial in order.add]
        old = adapter.drives_of(volume)
        made = _made(order.level or volume.level, [*old, *new])
        return self._how.kinds.grown.of(about, made), self._how.kinds.whole.of(about)

    def last(self, unit: Unit) -> list[Step]:
        """Nothing: a consistency check is the card's, and takes as long again."""
        return []

    def _find(self, unit: Unit, machine: Machine) -> OnCard:
        found = volume_of(unit, self._how.family.kept(machine), machine)
        if found is None:
            raise Refused(f"the virtual drive {harmless(unit.name)} could not be read")
        return OnCard(adapter=found[0], volume=found[1])

    def _checked(self, order: Grow, unit: Unit, machine: Machine) -> tuple[OnCard, str, list[Drive]]:
        """The virtual drive, its new level and the drives that join, if it can become so now.

        Raises:
            Refused: it cannot.
        """
        found, name = self._find(unit, machine), harmless(unit.name)
        adapter, volume = found.adapter, found.volume
        if order.to_largest:
            raise Refused(f"{name} is not enlarged within its drives: 'raidtui grow {name}' says why")
        if len(set(order.add)) != len(order.add):
            raise Refused("a drive is named twice")
        if why := self._how.why_not(adapter) or why_not_now(volume, adapter, unit, machine):
            raise Refused(f"{name} cannot grow: {why}")
        level = order.level or volume.level
        allowed = self._how.targets.get(volume.level, ())
        if level not in allowed:
            ways = listed([spelled(one) for one in allowed]) or "no other level"
            raise Refused(
                f"{name} cannot become {spelled(level)}: a card makes {ways} of {spelled(volume.level)} for certain"
            )
        least = drives_needed(level, volume)
        if not least:
            raise Refused(f"{name} cannot become {spelled(level)}: it has too many drives for that")
        if len(order.add) < least or (level == "raid1" and len(order.add) != least):
            raise Refused(
                f"{name} needs {count_of(range(least), 'further drive')} for that, not {len(order.add)}"
            )
        fitting = {disk.identity for disk in free_for(volume, adapter, machine)}
        drives = []
        for identity in order.add:
            drive = next((one for one in adapter.drives if one.serial == identity), None)
            if drive is None or identity not in fitting:
                raise Refused(
                    f"{harmless(identity)} cannot join {name}: it is not a free drive of its card, or too small, or of another kind"
                )
            drives.append(drive)
        return found, level, drives


def _made(level: str, drives: Sequence[Drive]) -> str:
    """The expectation of the conditions: level, bytes and slots."""
    return f"{level} {size_with(level, drives)} {','.join(one.slot for one in drives)}"
