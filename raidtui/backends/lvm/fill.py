"""Thin pools, VDO pools and snapshots with little room left. Pure.

What is on them does not see it: lvmthin(7), "Thin pool data space exhaustion"; lvmvdo(7); lvconvert(8) on snapshots.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import LogicalVolume, VolumeGroup
from raidtui.backends.lvm.units import others
from raidtui.backends.lvm.volumes import names_of
from raidtui.model.chance import share
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.units import decimal

_FILLING: Final = 80.0
_FULL: Final = 95.0
_FREE: Final = "delete files and run fstrim(8)"


class _Kind(Record, frozen=True, kw_only=True):
    word: str
    setting: str  # in lvm.conf, before _autoextend_threshold
    enlarge: str
    is_pool: bool = True  # what is written to it is lost when it is full, not it alone


_POOLS: Final = {
    "thin-pool": _Kind(
        word="thin pool", setting="thin_pool", enlarge=f"enlarge it (lvextend(8)), or {_FREE}"
    ),
    "vdo-pool": _Kind(word="VDO pool", setting="vdo_pool", enlarge=f"enlarge it (lvextend(8)), or {_FREE}"),
}
_METADATA: Final = _Kind(
    word="metadata of the thin pool",
    setting="thin_pool",
    enlarge="enlarge its metadata (--poolmetadatasize in lvextend(8)), or remove thin snapshots",
)
_SNAPSHOT: Final = _Kind(
    word="snapshot",
    setting="snapshot",
    enlarge="remove it when it is not needed any more, or enlarge it (lvextend(8))",
    is_pool=False,
)


class _Fill(Record, frozen=True, kw_only=True):
    volume: LogicalVolume
    kind: _Kind
    percent: float

    @property
    def full(self) -> bool:
        return self.kind.is_pool and self.percent >= _FULL


def filling(machine: Machine) -> Iterator[Finding]:
    """A finding for each volume group of this computer with a pool or a snapshot that is nearly full."""
    reading = reading_in(machine)
    for group in reading.known.groups if reading is not None else ():
        if reading is None or others(group, reading):
            continue
        found = [
            one
            for volume in reading.known.of(group)
            for one in _fills(volume)
            if one.percent >= _FILLING and (one.percent >= _FULL or not _is_extended(one, group, reading))
        ]
        if found:
            found.sort(key=lambda one: (one.full, one.kind.is_pool, one.percent), reverse=True)
            name = harmless(group.name)
            yield Finding(
                name=group.name,
                kind=Kind.FULL if found[0].full else Kind.FILLING,
                what=f"volume group {name}: {', '.join(_words(one, group) for one in found)}",
                unit=group.uuid,
                remedies=tuple(_remedy(one, group, reading) for one in found),
            )


def _fills(volume: LogicalVolume) -> Iterator[_Fill]:
    """What of a volume can be full; nothing of one that has been, which is an error of the group."""
    if volume.data_percent is None or volume.overflowed or volume.health:
        return
    if (pool := _POOLS.get(volume.type)) is not None:
        yield _Fill(volume=volume, kind=pool, percent=volume.data_percent)
        if volume.metadata_percent is not None and volume.type == "thin-pool":
            yield _Fill(volume=volume, kind=_METADATA, percent=volume.metadata_percent)
    elif volume.attr.startswith("s") and volume.size_bytes <= volume.origin_bytes:
        # A larger one has room for all of its origin. One that is being merged (S) empties itself.
        yield _Fill(volume=volume, kind=_SNAPSHOT, percent=volume.data_percent)


def _words(one: _Fill, group: VolumeGroup) -> str:
    return f"{one.kind.word} {names_of(group, (one.volume,))} {share(one.percent / 100)} full"


def _at(one: _Fill, reading: LvmReading) -> int | None:
    """From how many percent it is extended; None: it is not."""
    at = reading.extended_at.get(one.kind.setting, 100)
    return at if at < 100 and one.volume.monitored else None


def _is_extended(one: _Fill, group: VolumeGroup, reading: LvmReading) -> bool:
    """Whether dmeventd extends it in time, so that it need not be looked at."""
    return _at(one, reading) is not None and group.free_bytes >= one.volume.size_bytes // 10


def _remedy(one: _Fill, group: VolumeGroup, reading: LvmReading) -> Remedy:
    name, free = names_of(group, (one.volume,)), group.free_bytes
    room = (
        f"The group has {decimal(free)} free"
        if free
        else "The group has no room for that: add a disk to it first (vgextend(8))"
    )
    setting, at = f"{one.kind.setting}_autoextend_threshold", reading.extended_at.get(one.kind.setting)
    if at is None:
        itself = ""
    elif at >= 100:
        itself = f". LVM does not extend it by itself: {setting} in lvm.conf is 100"
    elif not one.volume.monitored:
        itself = f". LVM would extend it at {at} %, but dmeventd does not monitor it"
    else:
        itself = f". LVM extends it at {at} %, if the group has room"
    return Remedy(text=f"{name}: {one.kind.enlarge}. {room}{itself}")
