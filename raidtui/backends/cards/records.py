"""Records of RAID cards, their virtual drives and the drives behind them, the same for every family."""

from enum import StrEnum
from typing import Final

from raidtui.backends.cards.protection import Protection, protection_of
from raidtui.backends.kept import kept_in
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Bytes, Record, Sector, Whole


class DriveState(StrEnum):
    """The state of a drive behind a card."""

    FREE = "free"  # unconfigured good: available for a virtual drive
    ONLINE = "online"
    REBUILDING = "rebuilding"
    OFFLINE = "offline"
    FAILED = "failed"
    MISSING = "missing"
    SPARE = "spare"
    FOREIGN = "foreign"  # holds a configuration of another card, or an earlier one of this card
    RAW = "raw"  # passed through to the kernel: JBOD
    COPYING = "copying"  # the card copies a drive that works onto it, which then leaves its place to it
    BUSY = "busy"  # being erased or tested by the card
    UNKNOWN = "unknown"


class VolumeState(StrEnum):
    """The state of a virtual drive."""

    OPTIMAL = "optimal"
    PARTLY_DEGRADED = "partly degraded"  # RAID6 with one drive missing
    BUILDING = "not redundant yet"  # parity or copies are being written
    DEGRADED = "degraded"
    OFFLINE = "offline"
    RECOVERY = "recovery"
    UNKNOWN = "unknown"


class Policy(StrEnum):
    """When the card reports a write as done."""

    WRITE_BACK = "write-back"  # once it is in the cache, while the cache would survive a power cut
    ALWAYS_WRITE_BACK = "always write-back"  # once it is in the cache, even without a battery
    WRITE_THROUGH = "write-through"  # once it is on the drives
    UNKNOWN = "unknown"


class Operation(Record, frozen=True, kw_only=True):
    """A running operation on a virtual drive or a drive."""

    # initialization, background initialization, consistency check, rebuild, copyback, migration, patrol read …
    what: str
    fraction: float
    seconds_left: Whole | None = None
    paused: bool = False


NO_SLOT: Final = "gone-"
"""Begins the slot of a missing drive of which the card does not say where it was."""


class Drive(Record, frozen=True, kw_only=True):
    """A drive behind a card."""

    slot: str  # the card's enclosure and slot: "252:3"; for Adaptec channel and device: "0:8"
    place: str  # its name in the tool: /c0/e252/s3; empty if it is known only from a virtual drive
    state: DriveState
    state_word: str  # the card's word for the state
    bay: str = ""  # its physical location, if that is not the slot: "enclosure 1, slot 0"
    device_id: Whole | None = None  # for smartctl
    group: str = ""  # its drive group; empty for none
    row: Whole | None = None  # its position in the group, or in its span
    span: Whole | None = None  # of the group; None: not reported
    serial: str = ""
    wwn: str = ""
    model: str = ""
    vendor: str = ""
    firmware: str = ""
    size_bytes: Bytes = 0  # usable by a virtual drive
    logical_sector_bytes: Sector = 512
    physical_sector_bytes: Sector = 512
    rotational: bool = True
    transport: str = ""
    media_errors: Whole | None = None
    other_errors: Whole | None = None
    predicted_failures: Whole | None = None
    smart_alert: bool | None = None
    temperature_celsius: Whole | None = None
    drive_cache: bool | None = None  # whether the drive's own write cache is on
    operation: Operation | None = None
    problem: str = ""  # why the card does not describe it further


class Volume(Record, frozen=True, kw_only=True):
    """A virtual drive: the disk that a card presents to the kernel in place of its drives."""

    number: str  # the card's number: not necessarily from 0, and reused
    place: str  # its name in the tool: /c0/v239
    state: VolumeState
    state_word: str  # the card's word for the state
    name: str = ""
    level: str = ""  # raid5
    group: str = ""
    size_bytes: Bytes = 0
    strip_bytes: Bytes = 0
    policy: Policy = Policy.UNKNOWN  # now …
    policy_set: Policy = Policy.UNKNOWN  # … and as it was set; they differ while a battery is low
    read_ahead: bool | None = None  # now …
    read_ahead_set: bool | None = None  # … and as it was set
    drive_cache: bool | None = None  # of its drives; None: each drive's own setting
    access: str = (
        ""  # what the card lets be done with it: "read-only", "blocked"; empty: it is read and written
    )
    naa: str = ""  # the hexadecimal digits of its WWN, in lower case
    serial: str = ""  # of the kernel's disk, if the card gives it no WWN
    node: str = ""  # its node according to the tool
    consistent: bool | None = None  # whether all of its parity was ever written
    bad_blocks: bool | None = None  # whether the card knows of lost data: failed stripes
    operations: tuple[Operation, ...] = ()
    slots: tuple[str, ...] = ()  # of its drives, in order; a tool may leave missing ones out
    spans: tuple[int, ...] = ()  # the span of each of these; empty: see the drives
    span_drives: Whole = 0  # drives of each span, missing ones too; 0: not reported
    span_count: Whole = 0


class Battery(Record, frozen=True, kw_only=True):
    """Backup of a card's cache through a power cut: a battery, or a capacitor and flash."""

    kind: str  # battery, CacheVault, energy pack, flash backup
    state: str  # the card's word

    @property
    def protection(self) -> Protection:
        """The meaning of its state."""
        return protection_of(self.state)


class Adapter(Record, frozen=True, kw_only=True):
    """One card as its tool describes it."""

    number: Whole  # the tool's
    label: str = ""  # its name if two tools give two cards the same number: perccli2-c0
    tool: str  # the program that read it
    tool_version: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    package: str = ""  # the firmware package, as published by vendors
    driver: str = ""
    address: str = ""  # on the PCI bus
    status: str = ""
    cache_bytes: Bytes = 0
    battery: Battery | None = None
    has_battery: bool | None = None  # whether one is fitted; None: not reported
    patrol_read: bool | None = None
    consistency_check: bool | None = None
    personality: str = ""  # RAID, JBOD, HBA
    preserved_cache: bool = False  # whether it holds unwritten data of a virtual drive that is gone
    levels: tuple[str, ...] = ()  # supported: raid0, raid1
    sas_with_sata: tuple[str, ...] = ()  # the kinds that it mixes in a virtual drive: rotating, flash
    volumes: tuple[Volume, ...] = ()
    drives: tuple[Drive, ...] = ()
    faults: tuple[str, ...] = ()  # of the card itself, in words that follow "but"
    problems: tuple[str, ...] = ()  # what could not be read, a sentence each
    unread: str = ""  # why its virtual drives are not all known; empty if they are

    @property
    def called(self) -> str:
        """Its name: c0."""
        return self.label or f"c{self.number}"

    @property
    def protection(self) -> Protection:
        """Whether its cache would survive a power cut now."""
        if self.battery is not None:
            return self.battery.protection
        return Protection.ABSENT if self.has_battery is False else Protection.UNKNOWN

    @property
    def keeps_cache(self) -> bool | None:
        """The same as yes or no; None: unknown."""
        known = self.protection is not Protection.UNKNOWN
        return self.protection is Protection.KEEPS if known else None

    def volumes_on(self, drive: Drive) -> list[Volume]:
        """The virtual drives that ``drive`` belongs to; as a spare, those it is kept for."""
        return [one for one in self.volumes if drive.slot in one.slots or one.group == drive.group != ""]

    def drive(self, slot: str) -> Drive | None:
        return next((one for one in self.drives if one.slot == slot), None)

    def drives_of(self, volume: Volume) -> list[Drive]:
        """The drives of a virtual drive that the card describes, in order."""
        return [one for one in map(self.drive, volume.slots) if one is not None]

    def own_spares(self, volume: Volume) -> list[Drive]:
        """The hot spares that are only for this virtual drive and those that share its drives."""
        return [
            one for one in self.drives if one.state is DriveState.SPARE and one.group == volume.group != ""
        ]

    def has_spare(self, volume: Volume) -> bool:
        """Whether a hot spare would take the place of a drive of this virtual drive."""
        return any(one.state is DriveState.SPARE and one.group in {"", volume.group} for one in self.drives)

    @property
    def foreign(self) -> list[str]:
        """The slots of the drives that hold a foreign configuration."""
        return [one.slot for one in self.drives if one.state is DriveState.FOREIGN]


class OnCard(Record, frozen=True, kw_only=True):
    """A virtual drive with its card: what only this backend understands of a unit."""

    adapter: Adapter
    volume: Volume


class CardReading(Record, frozen=True, kw_only=True):
    """All cards of one family at one moment."""

    adapters: tuple[Adapter, ...] = ()
    problems: tuple[str, ...] = ()  # why a card could not be read, a sentence each
    missing: tuple[str, ...] = ()  # absent or outdated programs, a sentence each

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Why virtual drives may be here that are not among those read, a sentence each."""
        return (*self.missing, *self.problems, *(one.unread for one in self.adapters if one.unread))


def reading_in(machine: Machine, family: Backend) -> CardReading | None:
    """The cards of ``family`` in a reading, recorded or not; None without any.

    Raises:
        BadInput: the recorded file is damaged.
    """
    return kept_in(machine, family, CardReading, of="its cards")
