"""What disks say about their own health, through smartctl's JSON (smartmontools 7.0 and newer).

Never spins up a sleeping disk, and never asks virtual ones, which have nothing to say.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import DecodeError, structs

from raidtui.machine.ask import Answer, Ask
from raidtui.machine.smart_document import Attribute, Counters, Document, Limit, ScsiTests, Speed, Test
from raidtui.machine.tools import find_tool, is_older
from raidtui.model.machine import Disk, Smart
from raidtui.model.struct import decode_json

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
# Attributes whose normalised value is the percentage of life left. Known by their names, which smartctl chooses by the
# model: the same numbers count something else in drives of other makers.
_WEAR: Final = re.compile(
    r"media_wearout_indicator|wear_leveling_count|ssd_life_?left(_perc)?|lifetime_left|percent_lifetime_(remain|used)"
    r"|perc_rated_life_(remain|used)|(percent|pct)_life_remaining|remaining_life(time_perc)?|lifetime_remaining%"
    r"|drive_?life_remaining%",
    re.IGNORECASE,
)
_ENDURANCE: Final = re.compile(
    r"Percentage used endurance indicator: *(\d+)%"
)  # of SCSI, before smartctl 7.4


def read_smart(disks: Sequence[Disk], ask: Ask, version: str = "") -> Mapping[str, Smart]:
    """The health of those of ``disks`` that report it, by name, asked side by side: each may take a second.

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


def ask_behind(disk: Disk, where: Sequence[str], ask: Ask, version: str = "") -> Smart | None:
    """The health of a drive without a device: ``where`` are smartctl's words for it, a type and a node."""
    return parse_smart(ask([*_command(disk, version)[:-1], *where]))


def _command(disk: Disk, version: str) -> list[str]:
    # Only ATA disks have these (and SCSI ones the write cache); asking NVMe ones for them is an error.
    more = [] if disk.transport == "nvme" else ["--log=scterc", "--get=wcache", "--get=security"]
    if disk.transport != "nvme" and not disk.rotational:
        more.append("--log=ssd")  # how worn it is, by its own account
    if disk.transport == "sas":
        more.append("--json=o")  # older ones say that of a SCSI disk in words only
    if disk.transport == "sata" and _SEAGATE.fullmatch(disk.model) and not is_older(version, _KNOWS_FARM):
        more.append("--log=farm")
    return ["smartctl", *_ARGUMENTS, *more, disk.path]


def parse_smart(answer: Answer) -> Smart | None:
    """What smartctl said, ``None`` if it said nothing: the disk sleeps, has no SMART, or smartctl may not ask.

    Its exit status is a bit mask in which a failing disk is one bit of many, so a status above 0 is not an error.
    """
    if answer.returncode is None:
        return None
    try:
        told = decode_json(answer.stdout, Document)
    except DecodeError:
        return None
    status = told.smartctl.exit_status
    if status & _NOT_ASKED:
        return None
    attributes = {one.id: one for one in told.ata_smart_attributes.table}
    ata_tests = told.ata_smart_self_test_log.standard
    tests = _self_tests(told, answer.stdout)
    test = next(iter(tests), Test())
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
        self_test=test.outcome,
        failed_test=_failed_test(tests),
        self_tests_logged=len(ata_tests.table) if ata_tests is not None else None,
        long_test_hours=_last_long_test(ata_tests.table) if ata_tests is not None else None,
        self_test_hours=test.hours,
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


def _raw(attributes: Mapping[int, Attribute], number: int) -> int | None:
    return attributes[number].raw.value if number in attributes else None


def _timeouts(attributes: Mapping[int, Attribute]) -> int | None:
    """Seagate packs three counts into one number; the lowest two bytes are all timeouts, the others slow ones."""
    packed = _raw(attributes, _TIMEOUTS)
    return None if packed is None else packed & 0xFFFF


def _uncorrected(log: Counters) -> int | None:
    counts = [one.total_uncorrected_errors for one in (log.read, log.write, log.verify) if one is not None]
    return sum(counts) if counts else None


def _bits(speed: Speed | None) -> int | None:
    return (speed.units_per_second * speed.bits_per_unit or None) if speed else None


def _protected(attributes: Mapping[int, Attribute]) -> bool | None:
    """Whether the drive tests capacitors that keep its cache through a power cut, and found them good.

    Known by the attribute's name: its number means something else with other makers. A failed test sets it to 1.
    """
    test = next((one for one in attributes.values() if one.name.lower().startswith("power_loss_cap")), None)
    return None if test is None else test.value > 1


def _worn(told: Document, attributes: Mapping[int, Attribute]) -> int | None:
    if told.nvme_smart_health_information_log.percentage_used is not None:
        return told.nvme_smart_health_information_log.percentage_used
    own = told.endurance_used.current_percent
    own = told.scsi_percentage_used_endurance_indicator if own is None else own
    if own is None:
        statistics = (one for page in told.ata_device_statistics.pages for one in page.table)
        own = next(
            (one.value for one in statistics if one.name == "Percentage Used Endurance Indicator"), None
        )
    if own is None:
        found = next(filter(None, map(_ENDURANCE.search, told.smartctl.output)), None)
        own = int(found[1]) if found else None
    if own is not None or told.rotation_rate:
        return own
    left = next((one.value for one in attributes.values() if _WEAR.fullmatch(one.name)), None)
    return None if left is None else max(0, 100 - left)


def _limit(limit: Limit | None) -> int | None:
    if limit is None:
        return None
    return limit.deciseconds if limit.enabled else 0


def _self_tests(told: Document, text: str) -> Sequence[Test]:
    """The log of self-tests, the newest first."""
    if told.ata_smart_self_test_log.standard is not None:
        return told.ata_smart_self_test_log.standard.table
    if '"scsi_self_test_0"' in text:
        return [one for one in structs.astuple(decode_json(text, ScsiTests)) if one is not None]
    return told.nvme_self_test_log.table


def _failed_test(tests: Sequence[Test]) -> str:
    """The newest failure that no later test has answered: a short test that passes says nothing of a long one."""
    short_passed = False
    for one in tests:
        if one.passed and one.is_long:
            return ""
        if one.failed and not (short_passed and not one.is_long):
            when = f" at {one.hours} hours" if one.hours is not None else ""
            return f"{one.kind or 'self-test'}: {one.outcome}{when}"
        short_passed = short_passed or one.passed
    return ""


def _last_long_test(table: Sequence[Test]) -> int | None:
    """The hours at the end of the newest test that read the whole disk and found nothing wrong."""
    return next((one.lifetime_hours for one in table if one.is_long and one.passed), None)
