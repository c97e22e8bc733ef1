"""What LVM says of its volume groups, physical and logical volumes: ``lvm fullreport`` as records.

One process and one look at the disks answer everything, so that what is said of a group belongs together. LVM writes
every value as text, the names of hidden volumes in brackets, and one row for each segment of a volume.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import DecodeError

from raidtui.machine.ask import Ask
from raidtui.machine.volumes import TAG, ask_lvm, lvm_number
from raidtui.model.struct import Record, decode_json
from raidtui.model.units import KIB
from raidtui.model.uuids import same_uuid

_NOT_HERE: Final = "[unknown]"


class VolumeGroup(Record, frozen=True, kw_only=True):
    """A volume group. Sizes in bytes."""

    uuid: str
    name: str
    tags: tuple[str, ...] = ()
    system_id: str = ""  # of the computer that it belongs to; empty for whoever has the disks
    lock_type: str = ""  # of a group that a cluster shares: sanlock, dlm, idm
    exported: bool = False
    size_bytes: int = 0
    free_bytes: int = 0
    extent_bytes: int = 0
    missing: int = 0  # physical volumes that are not here

    @property
    def marks(self) -> tuple[str, ...]:
        """By what a plan knows it: its UUID, and those that builds of raidtui wrote into its tags."""
        return (self.uuid, *(tag.removeprefix(TAG) for tag in self.tags if tag.startswith(TAG)))


class PhysicalVolume(Record, frozen=True, kw_only=True):
    """A physical volume; ``group`` is the UUID of its volume group, empty for one in none."""

    uuid: str
    path: str  # as LVM calls it now; empty if it is missing
    group: str
    size_bytes: int = 0
    data_start_bytes: int = 0  # where its first extent begins
    missing: bool = False


class Segment(Record, frozen=True, kw_only=True):
    """A part of a logical volume that is made in one way; most have one. Sizes in bytes."""

    type: str  # linear, striped, raid5 …: what lvcreate --type takes
    stripes: int = 0  # devices, those for copies and parity too
    stripe_bytes: int = 0
    region_bytes: int = 0
    devices: tuple[str, ...] = ()  # physical volumes by path, images by name; empty for one that is missing


class LogicalVolume(Record, frozen=True, kw_only=True):
    """A logical volume, or a hidden one that another is made of. ``group`` is the UUID of its volume group."""

    uuid: str
    name: str
    group: str
    hidden: bool = False
    path: str = ""
    dm_path: str = ""
    tags: tuple[str, ...] = ()
    size_bytes: int = 0
    attr: str = ""  # lvs(8): the 5th letter is its state
    health: str = ""  # partial, refresh needed, mismatches exist …; empty if LVM knows of nothing
    sync_percent: float | None = None  # stays at 100 where a leg is dead; none while it is inactive
    sync_action: str = ""
    mismatches: int | None = None
    least_rate: int = 0  # of what it does, bytes a second of each leg; 0: the system's limit
    most_rate: int = 0
    device_number: str = ""  # "253:0" while the kernel has it
    segments: tuple[Segment, ...] = ()

    @property
    def type(self) -> str:
        """The type of its segments; ``striped+linear`` where they differ."""
        return "+".join(dict.fromkeys(segment.type for segment in self.segments))

    @property
    def active(self) -> bool:
        """Whether the kernel has it; false too where LVM did not ask the kernel."""
        return self.attr[4:5] == "a"


class Reading(Record, frozen=True, kw_only=True):
    """Everything that LVM knows."""

    groups: tuple[VolumeGroup, ...] = ()
    devices: tuple[PhysicalVolume, ...] = ()
    volumes: tuple[LogicalVolume, ...] = ()

    def group(self, mark: str) -> VolumeGroup | None:
        """The group that a plan knows by ``mark``."""
        return next((one for one in self.groups if any(same_uuid(mark, its) for its in one.marks)), None)

    def devices_of(self, group: VolumeGroup) -> tuple[PhysicalVolume, ...]:
        """The physical volumes of a group, those that are missing too."""
        return tuple(one for one in self.devices if one.group == group.uuid)

    def on_arrays(self, group: VolumeGroup) -> bool:
        """Whether it is on arrays of md alone, as far as it is here."""
        paths = [one.path for one in self.devices_of(group) if one.path]
        return bool(paths) and all(path.startswith("/dev/md") for path in paths)

    def of(self, group: VolumeGroup) -> tuple[LogicalVolume, ...]:
        """The logical volumes of a group that people see."""
        return tuple(one for one in self.volumes if one.group == group.uuid and not one.hidden)

    def half_made(self, volume: LogicalVolume) -> bool:
        """Whether lvcreate or lvconvert was cut off: the metadata of a RAID image is hidden when it is done."""
        return any(
            one.group == volume.group and not one.hidden and one.name.startswith(f"{volume.name}_rmeta_")
            for one in self.volumes
        )

    def legs(self, volume: LogicalVolume) -> tuple[tuple[str, ...], ...]:
        """The physical volumes below each device of ``volume``, by path; an empty path is one that is missing.

        Those of a RAID volume are in the order of the kernel's letters.
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
    """Everything that LVM knows; ``None`` where it is not installed, may not look, or says what nobody understands.

    It is not asked with ``--readonly``: LVM would then not ask the kernel, and know neither what is active nor how
    far a sync is.
    """
    columns = (word for kind, names in _COLUMNS.items() for word in ("--configreport", kind, "-o", names))
    text = ask_lvm(ask, "fullreport", "--all", "--units", "b", "--nosuffix", *columns)
    return None if text is None else parse(text)


def parse(text: str) -> Reading | None:
    """The answer of ``lvm fullreport``; ``None`` if it is not one."""
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
        sync_percent=_percent(row.sync_percent),
        sync_action=row.raid_sync_action,
        mismatches=lvm_number(row.raid_mismatch_count) if row.raid_mismatch_count.isdigit() else None,
        least_rate=lvm_number(row.raid_min_recovery_rate) * KIB,
        most_rate=lvm_number(row.raid_max_recovery_rate) * KIB,
        device_number=f"{row.lv_kernel_major}:{row.lv_kernel_minor}" if row.lv_kernel_minor.isdigit() else "",
        segments=tuple(_segment(one) for one in sorted(segments, key=lambda one: lvm_number(one.seg_start))),
    )


def _segment(row: "_Seg") -> Segment:
    return Segment(
        type=row.segtype,
        stripes=lvm_number(row.stripes),
        stripe_bytes=lvm_number(row.stripe_size),
        region_bytes=lvm_number(row.region_size),
        devices=tuple(_place(one.rpartition("(")[0] or one) for one in _words(row.devices)),
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
    vg_uuid: str = ""
    pv_size: str = ""
    pe_start: str = ""
    pv_missing: str = ""


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
    sync_percent: str = ""
    raid_sync_action: str = ""
    raid_mismatch_count: str = ""
    raid_min_recovery_rate: str = ""  # KiB a second
    raid_max_recovery_rate: str = ""


class _Seg(Record, frozen=True, kw_only=True):
    lv_uuid: str
    seg_start: str = ""
    segtype: str = ""
    stripes: str = ""
    stripe_size: str = ""
    region_size: str = ""
    devices: str = ""


class _Part(Record, frozen=True, kw_only=True):
    """What belongs to one group; physical volumes in none have a part of their own."""

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
"""By report: what is asked for is what is decoded. ``pvseg`` cannot be left out."""
