"""RAID cards, their virtual drives and the drives behind them, in words that are the same for every family."""

from enum import StrEnum

from raidtui.backends.kept import kept_in
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Record


class DriveState(StrEnum):
    """What a drive is to its card."""

    FREE = "free"  # unconfigured and good: a virtual drive can be made of it
    ONLINE = "online"
    REBUILDING = "rebuilding"
    OFFLINE = "offline"
    FAILED = "failed"
    MISSING = "missing"
    SPARE = "spare"
    FOREIGN = "foreign"  # it carries the configuration of another card, or of this one before
    RAW = "raw"  # passed on to the kernel as it is: JBOD
    BUSY = "busy"  # copied, erased or tested by the card
    UNKNOWN = "unknown"


class VolumeState(StrEnum):
    """How a virtual drive is."""

    OPTIMAL = "optimal"
    PARTLY_DEGRADED = "partly degraded"  # RAID6 with one drive missing
    BUILDING = "not redundant yet"  # its parity or second copies are being written
    DEGRADED = "degraded"
    OFFLINE = "offline"
    RECOVERY = "recovery"
    UNKNOWN = "unknown"


class Policy(StrEnum):
    """When the card reports a write as done."""

    WRITE_BACK = "write-back"  # in its cache, as long as that would survive a power cut
    ALWAYS_WRITE_BACK = "always write-back"  # in its cache, even with no battery
    WRITE_THROUGH = "write-through"  # on the drives
    UNKNOWN = "unknown"


class Operation(Record, frozen=True, kw_only=True):
    """What the card does with a virtual drive or a drive."""

    what: (
        str  # initialization, background initialization, consistency check, rebuild, migration, patrol read …
    )
    fraction: float
    seconds_left: int | None = None


class Drive(Record, frozen=True, kw_only=True):
    """A drive behind a card."""

    slot: str  # enclosure and slot as the card counts them: "252:3"; of Adaptec channel and device: "0:8"
    place: str  # how its tool calls it: /c0/e252/s3; empty where only a virtual drive names it
    state: DriveState
    said: str  # the card's own word
    bay: str = ""  # where a person finds it, where that is not its slot: "enclosure 1, slot 0"
    device_id: int | None = None  # by which smartctl asks for it
    group: str = ""  # the drive group it belongs to; empty for none
    row: int | None = None  # its place in the group
    serial: str = ""
    wwn: str = ""
    model: str = ""
    vendor: str = ""
    firmware: str = ""
    size_bytes: int = 0  # that a virtual drive can use of it
    logical_sector_bytes: int = 512
    physical_sector_bytes: int = 512
    rotational: bool = True
    transport: str = ""
    media_errors: int | None = None
    other_errors: int | None = None
    predicted_failures: int | None = None
    smart_alert: bool | None = None
    temperature_celsius: int | None = None
    drive_cache: bool | None = None  # whether its own cache of writes is on
    operation: Operation | None = None
    problem: str = ""  # why the card could not say more of it


class Volume(Record, frozen=True, kw_only=True):
    """A virtual drive: what a card shows the kernel in place of its drives."""

    number: str  # the card's: not 0, 1, 2, and used again
    place: str  # how its tool calls it: /c0/v239
    state: VolumeState
    said: str  # the card's own word
    name: str = ""
    level: str = ""  # raid5
    group: str = ""
    size_bytes: int = 0
    strip_bytes: int = 0
    policy: Policy = Policy.UNKNOWN  # now …
    policy_set: Policy = Policy.UNKNOWN  # … and as it was set; they differ while a battery is low
    read_ahead: bool | None = None  # now …
    read_ahead_set: bool | None = None  # … and as it was set
    drive_cache: bool | None = None  # of the drives; None: as each drive has it by itself
    naa: str = ""  # 32 hexadecimal digits, in lower case, in its WWN
    serial: str = ""  # that the kernel's disk has, where a card gives it no WWN
    node: str = ""  # what the tool takes for its node
    consistent: bool | None = None  # whether its parity was ever written as a whole
    bad_blocks: bool | None = None  # whether the card has lost data of it and knows where: failed stripes
    operations: tuple[Operation, ...] = ()
    slots: tuple[str, ...] = ()  # of its drives, in their order


class Battery(Record, frozen=True, kw_only=True):
    """What keeps a card's cache through a power cut: a battery, or a capacitor and flash."""

    kind: str  # battery, CacheVault, energy pack, flash backup
    state: str  # the card's word
    good: bool


class Adapter(Record, frozen=True, kw_only=True):
    """One card as its tool describes it."""

    number: int  # the tool's
    tool: str  # the program that answered
    tool_version: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    package: str = ""  # of the firmware: what vendors publish
    driver: str = ""
    address: str = ""  # on the PCI bus
    status: str = ""
    cache_bytes: int = 0
    battery: Battery | None = None
    has_battery: bool | None = None  # whether one is fitted; None: the card does not say
    patrol_read: bool | None = None
    consistency_check: bool | None = None
    personality: str = ""  # RAID, JBOD, HBA
    preserved_cache: bool = False  # it keeps writes for a virtual drive that is gone
    levels: tuple[str, ...] = ()  # that it makes: raid0, raid1
    volumes: tuple[Volume, ...] = ()
    drives: tuple[Drive, ...] = ()
    problems: tuple[str, ...] = ()  # what it did not answer, a sentence each
    unread: str = ""  # why its virtual drives are not known; empty where they are

    @property
    def keeps_cache(self) -> bool | None:
        """Whether its cache survives a power cut now; None: it does not say."""
        if self.battery is not None:
            return self.battery.good
        return False if self.has_battery is False else None

    def drive(self, slot: str) -> Drive | None:
        """The drive in ``slot``."""
        return next((one for one in self.drives if one.slot == slot), None)


class CardReading(Record, frozen=True, kw_only=True):
    """What the cards of one family are at one moment."""

    adapters: tuple[Adapter, ...] = ()
    problems: tuple[str, ...] = ()  # why a card could not be asked, a sentence each
    missing: tuple[str, ...] = ()  # the programs that are absent or too old, a sentence each


def reading_in(machine: Machine, family: Backend) -> CardReading | None:
    """What a reading of the computer, recorded or not, has of the cards of ``family``.

    Raises:
        BadInput: it is of a file that was damaged.
    """
    return kept_in(machine, family, CardReading, of="its cards")
