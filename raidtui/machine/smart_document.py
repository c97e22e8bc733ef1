"""The keys of smartctl's JSON that raidtui reads; any of them may be missing."""

from collections.abc import Sequence
from typing import Final

from msgspec import defstruct, field

from raidtui.model.struct import Record

_FAILURES: Final = ("fail", "fatal", "servo", "electrical", "damage", "unknown error")


class _Raw(Record, frozen=True, kw_only=True):
    value: int = 0
    string: str = (
        ""  # the value as smartctl reads it for this model: "2 (0 3 0)" for two and others packed with it
    )


class _Flags(Record, frozen=True, kw_only=True):
    prefailure: bool = False


class Attribute(Record, frozen=True, kw_only=True):
    id: int
    name: str = ""
    value: int = 0
    when_failed: str = ""  # now, past
    flags: _Flags = field(default_factory=_Flags)
    raw: _Raw = field(default_factory=_Raw)


class _Table(Record, frozen=True, kw_only=True):
    table: Sequence[Attribute] = ()


class _Status(Record, frozen=True, kw_only=True):
    passed: bool | None = None


class _Temperature(Record, frozen=True, kw_only=True):
    current: int | None = None


class _Hours(Record, frozen=True, kw_only=True):
    hours: int | None = None


class _Nvme(Record, frozen=True, kw_only=True):
    percentage_used: int | None = None
    media_errors: int | None = None
    critical_warning: int | None = None
    available_spare: int | None = None
    available_spare_threshold: int | None = None


class Speed(Record, frozen=True, kw_only=True):
    units_per_second: int = 0
    bits_per_unit: int = 0


class _Speeds(Record, frozen=True, kw_only=True):
    current: Speed | None = None
    max: Speed | None = None


class _Errors(Record, frozen=True, kw_only=True):
    total_uncorrected_errors: int = 0


class Counters(Record, frozen=True, kw_only=True):
    read: _Errors | None = None
    write: _Errors | None = None
    verify: _Errors | None = None


class _Switch(Record, frozen=True, kw_only=True):
    enabled: bool | None = None


class Limit(Record, frozen=True, kw_only=True):
    enabled: bool = False
    deciseconds: int = 0


class _Limits(Record, frozen=True, kw_only=True):
    read: Limit | None = None
    write: Limit | None = None


class _Words(Record, frozen=True, kw_only=True):
    string: str = ""
    passed: bool | None = None


class Test(Record, frozen=True, kw_only=True):
    """A self-test: the first fields are ATA's, then those of NVMe and SCSI."""

    type: _Words = field(default_factory=_Words)
    status: _Words = field(default_factory=_Words)
    lifetime_hours: int | None = None
    self_test_code: _Words = field(default_factory=_Words)  # NVMe
    self_test_result: _Words = field(default_factory=_Words)
    power_on_hours: int | None = None
    code: _Words = field(default_factory=_Words)  # SCSI
    result: _Words = field(default_factory=_Words)
    power_on_time: _Hours = field(default_factory=_Hours)

    @property
    def kind(self) -> str:
        """ "Short offline", "Extended", "Background long" …"""
        return self.type.string or self.self_test_code.string or self.code.string

    @property
    def outcome(self) -> str:
        """How it ended, in smartctl's words."""
        return self.status.string or self.self_test_result.string or self.result.string

    @property
    def hours(self) -> int | None:
        """Power-on hours at its end."""
        known = (self.lifetime_hours, self.power_on_hours, self.power_on_time.hours)
        return next((hours for hours in known if hours is not None), None)

    @property
    def is_long(self) -> bool:
        """Whether it reads the whole disk."""
        return self.kind.startswith("Extended") or "long" in self.kind

    @property
    def passed(self) -> bool:
        """Whether it completed without error."""
        return bool(self.status.passed) or self.outcome in {"Completed without error", "Completed"}

    @property
    def failed(self) -> bool:
        """Whether it found an error; an aborted test did not."""
        return not self.passed and any(sign in self.outcome.lower() for sign in _FAILURES)


class _Tests(Record, frozen=True, kw_only=True):
    table: Sequence[Test] = ()


# SCSI self-tests are 20 keys at the top of the document.
ScsiTests: Final = defstruct(
    "ScsiTests", [(f"scsi_self_test_{number}", Test | None, None) for number in range(20)], frozen=True
)


class _Used(Record, frozen=True, kw_only=True):
    current_percent: int | None = None


class _Statistic(Record, frozen=True, kw_only=True):
    name: str = ""
    value: int | None = None


class _Page(Record, frozen=True, kw_only=True):
    table: Sequence[_Statistic] = ()


class _Statistics(Record, frozen=True, kw_only=True):
    pages: Sequence[_Page] = ()


class _AtaTests(Record, frozen=True, kw_only=True):
    standard: _Tests | None = None


class _Trim(Record, frozen=True, kw_only=True):
    supported: bool | None = None


class _Zoned(Record, frozen=True, kw_only=True):
    capabilities: str = ""


class _Smartctl(Record, frozen=True, kw_only=True):
    exit_status: int = 0
    output: Sequence[str] = ()  # the text output, with --json=o


class _FarmDrive(Record, frozen=True, kw_only=True):
    poh: int | None = None
    date_of_assembly: str = ""
    drive_recording_type: str = ""


class _Farm(Record, frozen=True, kw_only=True):
    page_1_drive_information: _FarmDrive = field(default_factory=_FarmDrive)


class SmartDocument(Record, frozen=True, kw_only=True):
    """The document for one disk."""

    smartctl: _Smartctl = field(default_factory=_Smartctl)
    model_family: str = ""
    serial_number: str = ""
    firmware_version: str = ""
    smart_status: _Status = field(default_factory=_Status)
    temperature: _Temperature = field(default_factory=_Temperature)
    power_on_time: _Hours = field(default_factory=_Hours)
    ata_smart_attributes: _Table = field(default_factory=_Table)
    ata_sct_erc: _Limits = field(default_factory=_Limits)
    ata_smart_self_test_log: _AtaTests = field(default_factory=_AtaTests)
    nvme_smart_health_information_log: _Nvme = field(default_factory=_Nvme)
    nvme_self_test_log: _Tests = field(default_factory=_Tests)
    ata_device_statistics: _Statistics = field(default_factory=_Statistics)
    endurance_used: _Used = field(default_factory=_Used)  # for every kind of drive; smartctl 7.4 and newer
    scsi_percentage_used_endurance_indicator: int | None = None
    scsi_grown_defect_list: int | None = None
    scsi_error_counter_log: Counters = field(default_factory=Counters)
    interface_speed: _Speeds = field(default_factory=_Speeds)
    rotation_rate: int | None = None
    seagate_farm_log: _Farm = field(default_factory=_Farm)
    write_cache: _Switch = field(default_factory=_Switch)
    ata_security: _Switch = field(default_factory=_Switch)
    zoned_device: _Zoned = field(default_factory=_Zoned)
    trim: _Trim = field(default_factory=_Trim)
