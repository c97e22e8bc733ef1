"""``lvm fullreport`` as records: volume groups, physical and logical volumes.

One process scans the disks once for everything, so that a report is consistent. LVM writes every value as text, names
of hidden volumes in brackets, and one row per segment of a volume.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import DecodeError

from raidtui.machine.ask import Ask
from raidtui.machine.md.sync_limits import LEAST
from raidtui.machine.volumes import TAG, ask_lvm, lvm_number
from raidtui.model.struct import Bytes, Record, Whole, decode_json
from raidtui.model.units import KIB
from raidtui.model.uuids import same_uuid

_NOT_HERE: Final = "[unknown]"
_POOL_SPARE: Final = re.compile(r"lvol\d+_pmspare", re.ASCII)


class VolumeGroup(Record, frozen=True, kw_only=True):
    """A volume group. Sizes in bytes."""

    uuid: str
    name: str
    tags: tuple[str, ...] = ()
    system_id: str = ""  # of the computer that owns it; empty if any computer may use it
    lock_type: str = ""  # of a group shared in a cluster: sanlock, dlm, idm
    exported: bool = False
    size_bytes: Bytes = 0
    free_bytes: Bytes = 0
    extent_bytes: Bytes = 0
    missing: Whole = 0  # number of missing physical volumes

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks by which a plan identifies it: its UUID, and those that raidtui wrote into its tags."""
        return (self.uuid, *(tag.removeprefix(TAG) for tag in self.tags if tag.startswith(TAG)))


class PhysicalVolume(Record, frozen=True, kw_only=True):
    """A physical volume; ``group`` is the UUID of its volume group, empty without one."""

    uuid: str
    path: str  # its present path in LVM; empty if it is missing
    group: str
    size_bytes: Bytes = 0
    data_start_bytes: Bytes = 0  # of the first extent
    missing: bool = False
    damaged: bool = False  # it is in a group, and LVM finds no metadata of that
    no_area: bool = False  # it has no metadata area, or none that LVM can read


class Segment(Record, frozen=True, kw_only=True):
    """A segment of a logical volume; most volumes have one. Sizes in bytes."""

    type: str  # as in lvcreate --type: linear, striped, raid5 …
    stripes: Whole = 0  # devices, including those for copies and parity
    stripe_bytes: Bytes = 0
    region_bytes: Bytes = 0
    devices: tuple[str, ...] = ()  # physical volumes by path, images by name; empty for a missing one
    first_extents: tuple[Whole, ...] = ()  # on each of these, where it begins
    size_bytes: Bytes = 0  # of the segment


class LogicalVolume(Record, frozen=True, kw_only=True):
    """A logical volume, or a hidden one inside another. ``group`` is the UUID of its volume group."""

    uuid: str
    name: str
    group: str
    hidden: bool = False
    path: str = ""
    dm_path: str = ""
    tags: tuple[str, ...] = ()
    size_bytes: Bytes = 0
    attr: str = ""  # lvs(8): the 5th letter is its state
    health: str = ""  # partial, refresh needed, mismatches exist …; empty if LVM reports no fault
    data_percent: float | None = None  # full: of a snapshot or a pool; None while inactive
    metadata_percent: float | None = None  # of a thin pool
    origin_bytes: Bytes = 0  # of what it is a snapshot of
    sync_percent: float | None = None  # stays at 100 with a dead leg; None while inactive
    sync_action: str = ""
    mismatches: Whole | None = None
    least_rate: Whole = 0  # recovery rate limits, bytes a second per leg; 0: the system's limit
    most_rate: Whole = 0
    device_number: str = ""  # "253:0" while it is active
    monitored: bool = False  # by dmeventd, which can extend it
    segments: tuple[Segment, ...] = ()

    @property
    def type(self) -> str:
        """The type of its segments; ``striped+linear`` if they differ."""
        return "+".join(dict.fromkeys(segment.type for segment in self.segments))

    @property
    def active(self) -> bool:
        """Whether it is active in the kernel; also false if LVM did not query the kernel."""
        return self.attr[4:5] == "a"

    @property
    def left_inactive(self) -> bool:
        """Whether LVM does not activate it with its group: lvs(8), skip activation, as snapshots of thin volumes have."""
        return self.attr[9:10] == "k"

    @property
    def suspended(self) -> bool:
        """Whether the kernel keeps every read and write of it waiting."""
        return self.attr[4:5] in {"s", "S"}

    @property
    def is_pool_spare(self) -> bool:
        """Whether it is where LVM repairs the metadata of a pool: it has no data, and LVM makes it again."""
        return self.hidden and _POOL_SPARE.fullmatch(self.name) is not None

    @property
    def overflowed(self) -> bool:
        """Whether it is a snapshot that was full, which the kernel has given up: lvs(8), state invalid."""
        return self.attr[4:5] == "I"

    @property
    def slowed(self) -> bool:
        """Whether its own limit lets a sync of it hardly move."""
        return 0 < self.most_rate < LEAST


class Reading(Record, frozen=True, kw_only=True):
    """Everything that LVM reports."""

    groups: tuple[VolumeGroup, ...] = ()
    devices: tuple[PhysicalVolume, ...] = ()
    volumes: tuple[LogicalVolume, ...] = ()

    def group(self, mark: str) -> VolumeGroup | None:
        return next((one for one in self.groups if any(same_uuid(mark, its) for its in one.marks)), None)

    def devices_of(self, group: VolumeGroup) -> tuple[PhysicalVolume, ...]:
        """The physical volumes of a group, missing ones included."""
        return tuple(one for one in self.devices if one.group == group.uuid)

    def on_arrays(self, group: VolumeGroup) -> bool:
        """Whether all its physical volumes that are present are md arrays."""
        paths = [one.path for one in self.devices_of(group) if one.path]
        return bool(paths) and all(path.startswith("/dev/md") for path in paths)

    def of(self, group: VolumeGroup) -> tuple[LogicalVolume, ...]:
        """The visible logical volumes of a group."""
        return tuple(one for one in self.volumes if one.group == group.uuid and not one.hidden)

    def half_made(self, volume: LogicalVolume) -> bool:
        """Whether lvcreate or lvconvert was interrupted: metadata volumes of RAID images are still visible then."""
        return any(
            one.group == volume.group and not one.hidden and one.name.startswith(f"{volume.name}_rmeta_")
            for one in self.volumes
        )

    def on_device(self, device: PhysicalVolume) -> tuple[LogicalVolume, ...]:
        """The volumes, hidden ones included, with segments on this physical volume."""
        return tuple(
            one
            for one in self.volumes
            if one.group == device.group and any(device.path in segment.devices for segment in one.segments)
        )

    def is_on(self, device: PhysicalVolume, volume: LogicalVolume) -> bool:
        """Whether a part of this visible volume is on this physical volume."""
        return bool(device.path) and any(device.path in leg for leg in self.legs(volume))

    def inside(self, volume: LogicalVolume) -> tuple[LogicalVolume, ...]:
        """The hidden volumes that a cache or a thin pool lies on; none of a RAID volume, which has its legs."""
        if volume.type.startswith(("raid", "mirror")):
            return ()
        names = {name for segment in volume.segments for name in segment.devices}
        return tuple(
            one for one in self.volumes if one.group == volume.group and one.hidden and one.name in names
        )

    def carrier(self, volume: LogicalVolume) -> LogicalVolume:
        """The RAID volume that a cache or a thin pool lies on; ``volume`` itself if there is none."""
        return next((one for one in self.inside(volume) if one.type.startswith("raid")), volume)

    def legs(self, volume: LogicalVolume) -> tuple[tuple[str, ...], ...]:
        """The paths of the physical volumes below each device of ``volume``; empty for a missing one.

        For a RAID volume they are in the order of the kernel's status letters.
        """
        images = {one.name: one for one in self.volumes if one.group == volume.group and one.hidden}
        return tuple(
            tuple(dict.fromkeys(_below(device, images)))
            for segment in volume.segments
            for device in segment.devices
        )


def _below(device: str, images: Mapping[str, LogicalVolume]) -> Iterator[str]:
    image = images.get(device)
    if image is None:
        yield device
        return
    others = {name: one for name, one in images.items() if name != device}
    for segment in image.segments:
        for one in segment.devices:
            yield from _below(one, others)


def read_lvm(ask: Ask) -> Reading | None:
    """Read LVM; ``None`` if it is not installed, lacks permission, or its answer cannot be parsed.

    Without ``--readonly``: with it LVM does not query the kernel, and reports neither what is active nor the progress
    of a sync.
    """
    columns = (word for kind, names in _COLUMNS.items() for word in ("--configreport", kind, "-o", names))
    text = ask_lvm(ask, "fullreport", "--all", "--units", "b", "--nosuffix", *columns)
    return None if text is None else parse(text)


def parse(text: str) -> Reading | None:
    """Parse the output of ``lvm fullreport``; ``None`` if it is not valid."""
    try:
        parts = decode_json(text, _Report).report
    except DecodeError:
        return None
    segments: dict[str, list[_Seg]] = {}
    for row in (seg for part in parts for seg in part.seg):
        segments.setdefault(row.lv_uuid, []).append(row)
    return Reading(
        groups=tuple(_group(row) for part in parts for row in part.vg if row.vg_uuid),
        devices=tuple(_device(row) for part in parts for row in part.pv),
        volumes=tuple(_volume(row, segments.get(row.lv_uuid, ())) for part in parts for row in part.lv),
    )


def _group(row: "_Vg") -> VolumeGroup:
    return VolumeGroup(
        uuid=row.vg_uuid,
        name=row.vg_name,
        tags=_words(row.vg_tags),
        system_id=row.vg_systemid,
        lock_type=row.vg_lock_type if row.vg_lock_type != "none" else "",
        exported=bool(row.vg_exported),
        size_bytes=lvm_number(row.vg_size),
        free_bytes=lvm_number(row.vg_free),
        extent_bytes=lvm_number(row.vg_extent_size),
        missing=lvm_number(row.vg_missing_pv_count),
    )


def _device(row: "_Pv") -> PhysicalVolume:
    return PhysicalVolume(
        uuid=row.pv_uuid,
        path=_place(row.pv_name),
        group=row.vg_uuid,
        size_bytes=lvm_number(row.pv_size),
        data_start_bytes=lvm_number(row.pe_start),
        missing=bool(row.pv_missing) or not _place(row.pv_name),
        damaged=row.vg_name == _NOT_HERE,
        no_area=row.pv_mda_count == "0",
    )


def _volume(row: "_Lv", segments: Sequence["_Seg"]) -> LogicalVolume:
    return LogicalVolume(
        uuid=row.lv_uuid,
        name=row.lv_name.strip("[]"),
        group=row.vg_uuid,
        hidden=row.lv_name.startswith("["),
        path=row.lv_path,
        dm_path=row.lv_dm_path,
        tags=_words(row.lv_tags),
        size_bytes=lvm_number(row.lv_size),
        attr=row.lv_attr,
        health=row.lv_health_status,
        data_percent=_percent(row.data_percent),
        metadata_percent=_percent(row.metadata_percent),
        origin_bytes=lvm_number(row.origin_size),
        sync_percent=_percent(row.sync_percent),
        sync_action=row.raid_sync_action,
        mismatches=lvm_number(row.raid_mismatch_count) if row.raid_mismatch_count.isdigit() else None,
        least_rate=lvm_number(row.raid_min_recovery_rate) * KIB,
        most_rate=lvm_number(row.raid_max_recovery_rate) * KIB,
        device_number=f"{row.lv_kernel_major}:{row.lv_kernel_minor}" if row.lv_kernel_minor.isdigit() else "",
        monitored=any(one.seg_monitor == "monitored" for one in segments),
        segments=tuple(_segment(one) for one in sorted(segments, key=lambda one: lvm_number(one.seg_start))),
    )


def _segment(row: "_Seg") -> Segment:
    return Segment(
        type=row.segtype,
        stripes=lvm_number(row.stripes),
        stripe_bytes=lvm_number(row.stripe_size),
        region_bytes=lvm_number(row.region_size),
        # vgreduce --removemissing --force puts this in the place of a part that was on a missing disk.
        devices=("",)
        if row.segtype == "error"
        else tuple(_place(one.rpartition("(")[0] or one) for one in _words(row.devices)),
        first_extents=tuple(lvm_number(one.rpartition("(")[2].rstrip(")")) for one in _words(row.devices)),
        size_bytes=lvm_number(row.seg_size),
    )


def _place(name: str) -> str:
    return "" if name.startswith(_NOT_HERE) else name


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _percent(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 <= found <= 100 else None


class _Vg(Record, frozen=True, kw_only=True):
    vg_uuid: str
    vg_name: str = ""
    vg_tags: str = ""
    vg_systemid: str = ""
    vg_lock_type: str = ""
    vg_exported: str = ""
    vg_size: str = ""
    vg_free: str = ""
    vg_extent_size: str = ""
    vg_missing_pv_count: str = ""


class _Pv(Record, frozen=True, kw_only=True):
    pv_uuid: str
    pv_name: str
    vg_name: str = ""
    vg_uuid: str = ""
    pv_size: str = ""
    pe_start: str = ""
    pv_missing: str = ""
    pv_mda_count: str = ""


class _Lv(Record, frozen=True, kw_only=True):
    vg_uuid: str
    lv_uuid: str
    lv_name: str
    lv_path: str = ""
    lv_dm_path: str = ""
    lv_tags: str = ""
    lv_size: str = ""
    lv_attr: str = ""
    lv_kernel_major: str = ""
    lv_kernel_minor: str = ""
    lv_health_status: str = ""
    data_percent: str = ""
    metadata_percent: str = ""
    origin_size: str = ""
    sync_percent: str = ""
    raid_sync_action: str = ""
    raid_mismatch_count: str = ""
    raid_min_recovery_rate: str = ""  # KiB a second
    raid_max_recovery_rate: str = ""


class _Seg(Record, frozen=True, kw_only=True):
    lv_uuid: str
    seg_start: str = ""
    seg_size: str = ""
    segtype: str = ""
    stripes: str = ""
    stripe_size: str = ""
    region_size: str = ""
    seg_monitor: str = ""
    devices: str = ""


class _Part(Record, frozen=True, kw_only=True):
    """The report of one group; physical volumes without a group have a part of their own."""

    vg: Sequence[_Vg] = ()
    pv: Sequence[_Pv] = ()
    lv: Sequence[_Lv] = ()
    seg: Sequence[_Seg] = ()


class _Report(Record, frozen=True, kw_only=True):
    report: Sequence[_Part]


_COLUMNS: Final = {
    kind: ",".join(row.__struct_fields__)
    for kind, row in (("vg", _Vg), ("pv", _Pv), ("lv", _Lv), ("seg", _Seg))
} | {"pvseg": "pvseg_start"}
"""Columns by report: exactly the fields that are decoded. ``pvseg`` cannot be left out."""
