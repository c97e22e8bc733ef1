"""What disks say about their own health, through smartctl's JSON (smartmontools 7.0 and newer).

Never wakes a sleeping disk, and never asks virtual ones, which have nothing to say.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import DecodeError, field

from raidtui.machine.ask import Answer, Ask
from raidtui.machine.tools import find_tool, is_older
from raidtui.model.machine import Disk, Smart
from raidtui.model.struct import Record, decode_json

_SPEAKS: Final = re.compile(r"(sd|hd|nvme)[a-z0-9]+")
_VIRTUAL: Final = re.compile(r"QEMU|VBOX|VMware|Virtual|Msft", re.IGNORECASE)
_SEAGATE: Final = re.compile(r"(SEAGATE )?ST\d.*", re.IGNORECASE)
_KNOWS_FARM: Final = "7.4"
_AT_ONCE: Final = 8
_ARGUMENTS: Final = (
    "--json",
    "--nocheck=standby",
    "--info",
    "--health",
    "--attributes",
    "--log=selftest",
    "--log=error",  # of SCSI disks the counters of errors
)
_NOT_ASKED: Final = 0b11  # exit status: bad command line, or the device could not be opened or sleeps

# ATA attributes by number; makers differ in the names.
_REALLOCATED, _UNCORRECTABLE, _PENDING, _CRC = 5, 198, 197, 199
_REPORTED, _TIMEOUTS = 187, 188
_WEAR: Final = (231, 233, 177, 202, 169)  # percent left, as a normalised value, by maker


class _Raw(Record, frozen=True, kw_only=True):
    value: int = 0


class _Attribute(Record, frozen=True, kw_only=True):
    id: int
    name: str = ""
    value: int = 0
    raw: _Raw = field(default_factory=_Raw)


class _Table(Record, frozen=True, kw_only=True):
    table: Sequence[_Attribute] = ()


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


class _Speed(Record, frozen=True, kw_only=True):
    units_per_second: int = 0
    bits_per_unit: int = 0


class _Speeds(Record, frozen=True, kw_only=True):
    current: _Speed | None = None
    max: _Speed | None = None


class _Errors(Record, frozen=True, kw_only=True):
    total_uncorrected_errors: int = 0


class _Counters(Record, frozen=True, kw_only=True):
    read: _Errors | None = None
    write: _Errors | None = None
    verify: _Errors | None = None


class _Switch(Record, frozen=True, kw_only=True):
    enabled: bool | None = None


class _Limit(Record, frozen=True, kw_only=True):
    enabled: bool = False
    deciseconds: int = 0


class _Limits(Record, frozen=True, kw_only=True):
    read: _Limit | None = None
    write: _Limit | None = None


class _Words(Record, frozen=True, kw_only=True):
    string: str = ""
    passed: bool | None = None


class _Test(Record, frozen=True, kw_only=True):
    type: _Words = field(default_factory=_Words)
    status: _Words = field(default_factory=_Words)
    lifetime_hours: int | None = None
    self_test_result: _Words = field(default_factory=_Words)  # NVMe calls them so
    power_on_hours: int | None = None


class _Tests(Record, frozen=True, kw_only=True):
    table: Sequence[_Test] = ()


class _AtaTests(Record, frozen=True, kw_only=True):
    standard: _Tests | None = None


class _Trim(Record, frozen=True, kw_only=True):
    supported: bool | None = None


class _Zoned(Record, frozen=True, kw_only=True):
    capabilities: str = ""


class _Told(Record, frozen=True, kw_only=True):
    exit_status: int = 0


class _FarmDrive(Record, frozen=True, kw_only=True):
    poh: int | None = None
    date_of_assembly: str = ""
    drive_recording_type: str = ""


class _Farm(Record, frozen=True, kw_only=True):
    page_1_drive_information: _FarmDrive = field(default_factory=_FarmDrive)


class _Document(Record, frozen=True, kw_only=True):
    """The keys of smartctl's document that are used; everything in it may be missing."""

    smartctl: _Told = field(default_factory=_Told)
    model_family: str = ""
    firmware_version: str = ""
    smart_status: _Status = field(default_factory=_Status)
    temperature: _Temperature = field(default_factory=_Temperature)
    power_on_time: _Hours = field(default_factory=_Hours)
    ata_smart_attributes: _Table = field(default_factory=_Table)
    ata_sct_erc: _Limits = field(default_factory=_Limits)
    ata_smart_self_test_log: _AtaTests = field(default_factory=_AtaTests)
    nvme_smart_health_information_log: _Nvme = field(default_factory=_Nvme)
    nvme_self_test_log: _Tests = field(default_factory=_Tests)
    scsi_grown_defect_list: int | None = None
    scsi_error_counter_log: _Counters = field(default_factory=_Counters)
    interface_speed: _Speeds = field(default_factory=_Speeds)
    rotation_rate: int | None = None
    seagate_farm_log: _Farm = field(default_factory=_Farm)
    write_cache: _Switch = field(default_factory=_Switch)
    ata_security: _Switch = field(default_factory=_Switch)
    zoned_device: _Zoned = field(default_factory=_Zoned)
    trim: _Trim = field(default_factory=_Trim)


def read_smart(disks: Sequence[Disk], ask: Ask, version: str = "") -> Mapping[str, Smart]:
    """The health of those of ``disks`` that tell it, by name, asked side by side: each may take a second.

    Args:
        version: smartctl's; older ones are not asked what they do not know.
    """
    asked = [disk for disk in disks if tells(disk)]
    if not asked or find_tool("smartctl") is None:
        return {}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        answers = pool.map(lambda disk: parse_smart(ask(_command(disk, version))), asked)
        return {disk.name: smart for disk, smart in zip(asked, answers, strict=True) if smart is not None}


def tells(disk: Disk) -> bool:
    """Whether ``disk`` may know anything about its health."""
    return bool(
        disk.size_bytes
        and _SPEAKS.fullmatch(disk.name)
        and not _VIRTUAL.search(f"{disk.vendor} {disk.model}")
    )


def _command(disk: Disk, version: str) -> list[str]:
    # Only ATA disks have these (and SCSI ones the write cache); asking NVMe ones for them is an error.
    more = [] if disk.transport == "nvme" else ["--log=scterc", "--get=wcache", "--get=security"]
    if disk.transport == "sata" and _SEAGATE.fullmatch(disk.model) and not is_older(version, _KNOWS_FARM):
        more.append("--log=farm")
    return ["smartctl", *_ARGUMENTS, *more, disk.path]


def parse_smart(answer: Answer) -> Smart | None:
    """What smartctl said, ``None`` if it said nothing: the disk sleeps, has no SMART, or smartctl may not ask.

    Its exit status is a bit mask in which a failing disk is one bit of many, so a status above 0 is no error.
    """
    if answer.returncode is None:
        return None
    try:
        told = decode_json(answer.stdout, _Document)
    except DecodeError:
        return None
    status = told.smartctl.exit_status
    if status & _NOT_ASKED:
        return None
    attributes = {one.id: one for one in told.ata_smart_attributes.table}
    test = _last_test(told)
    ata_tests = told.ata_smart_self_test_log.standard
    nvme = told.nvme_smart_health_information_log
    farm = told.seagate_farm_log.page_1_drive_information
    return Smart(
        passed=told.smart_status.passed,
        temperature_celsius=told.temperature.current,
        power_on_hours=told.power_on_time.hours,
        reallocated_sectors=_raw(attributes, _REALLOCATED) if attributes else told.scsi_grown_defect_list,
        pending_sectors=_raw(attributes, _PENDING),
        uncorrectable_sectors=_raw(attributes, _UNCORRECTABLE),
        reported_uncorrectable=_raw(attributes, _REPORTED),
        command_timeouts=_timeouts(attributes),
        uncorrected_errors=_uncorrected(told.scsi_error_counter_log),
        crc_errors=_raw(attributes, _CRC),
        percentage_used=_worn(told, attributes),
        media_errors=nvme.media_errors,
        critical_warning=nvme.critical_warning,
        available_spare=nvme.available_spare,
        available_spare_threshold=nvme.available_spare_threshold,
        erc_read_deciseconds=_limit(told.ata_sct_erc.read),
        erc_write_deciseconds=_limit(told.ata_sct_erc.write),
        family=told.model_family,
        firmware=told.firmware_version,
        zoned=told.zoned_device.capabilities,
        self_test=test.status.string or test.self_test_result.string,
        self_tests_logged=len(ata_tests.table) if ata_tests is not None else None,
        long_test_hours=_last_long_test(ata_tests.table) if ata_tests is not None else None,
        self_test_hours=test.lifetime_hours if test.lifetime_hours is not None else test.power_on_hours,
        trim_supported=told.trim.supported,
        farm_hours=farm.poh,
        assembled=farm.date_of_assembly,
        recording=farm.drive_recording_type,
        rotation_rate=told.rotation_rate,
        link_bits_per_second=_bits(told.interface_speed.current),
        link_best_bits_per_second=_bits(told.interface_speed.max),
        write_cache=told.write_cache.enabled,
        password_set=told.ata_security.enabled,
        power_loss_protected=_protected(attributes),
        raw_exit_status=status,
    )


def _raw(attributes: Mapping[int, _Attribute], number: int) -> int | None:
    return attributes[number].raw.value if number in attributes else None


def _timeouts(attributes: Mapping[int, _Attribute]) -> int | None:
    """Seagate packs three counts into one number; the lowest two bytes are all timeouts, the others slow ones."""
    packed = _raw(attributes, _TIMEOUTS)
    return None if packed is None else packed & 0xFFFF


def _uncorrected(log: _Counters) -> int | None:
    counts = [one.total_uncorrected_errors for one in (log.read, log.write, log.verify) if one is not None]
    return sum(counts) if counts else None


def _bits(speed: _Speed | None) -> int | None:
    return (speed.units_per_second * speed.bits_per_unit or None) if speed else None


def _protected(attributes: Mapping[int, _Attribute]) -> bool | None:
    """Whether the drive tests capacitors that keep its cache through a power cut, and found them good.

    Known by the attribute's name: its number means something else with other makers. A failed test sets it to 1.
    """
    test = next((one for one in attributes.values() if one.name.lower().startswith("power_loss_cap")), None)
    return None if test is None else test.value > 1


def _worn(told: _Document, attributes: Mapping[int, _Attribute]) -> int | None:
    if told.nvme_smart_health_information_log.percentage_used is not None:
        return told.nvme_smart_health_information_log.percentage_used
    left = next((attributes[number].value for number in _WEAR if number in attributes), None)
    return None if left is None else max(0, 100 - left)


def _limit(limit: _Limit | None) -> int | None:
    if limit is None:
        return None
    return limit.deciseconds if limit.enabled else 0


def _last_test(told: _Document) -> _Test:
    """The newest entry of the log of self-tests; an empty one where there is none."""
    ata = told.ata_smart_self_test_log.standard
    return next(iter((*(ata.table if ata else ()), *told.nvme_self_test_log.table)), _Test())


def _last_long_test(table: Sequence[_Test]) -> int | None:
    """The hours at the end of the newest test that read the whole disk and found nothing wrong."""
    return next(
        (one.lifetime_hours for one in table if one.type.string.startswith("Extended") and one.status.passed),
        None,
    )
