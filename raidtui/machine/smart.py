"""Read the health of disks from smartctl's JSON (smartmontools 7.0 and newer).

Never spins up a sleeping disk, and skips virtual disks, which have no SMART.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import DecodeError, structs

from raidtui.machine.ask import Ask, ToolAnswer
from raidtui.machine.smart_document import Attribute, Counters, Limit, ScsiTests, SmartDocument, Speed, Test
from raidtui.machine.tools import find_tool, is_older, version_in
from raidtui.model.machine import Disk
from raidtui.model.smart import Smart
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
    "--log=error",  # SCSI: the error counters
)
_NOT_READ: Final = 0b11  # exit status bits: bad command line; device could not be opened, or is in standby

_FAILING: Final = 0b1000  # exit status bit: the disk says that it is failing
_BELOW: Final = (
    0b10000  # exit status bit: pre-failure attributes are at or below their limit, whatever the disk says
)
# ATA attributes by number, and what is in their name. smartctl names them by model: on others, 198 counts what was read.
_REALLOCATED: Final = 5, r"alloc|retire|bad|defect|remap"
_PENDING: Final = 197, r"pend"
_UNCORRECTABLE: Final = 198, r"unc"
_CRC: Final = 199, r"crc"
_REPORTED: Final = 187, r"unc|_ue_"
_TIMEOUTS: Final = 188, r"time"
_NOT_COUNTED: Final = frozenset({2**32 - 1, 2**48 - 1, 2**64 - 1})
_PACKED: Final = re.compile(r"(\d{1,19}) \(.*\)", re.ASCII)
# Attributes whose normalized value is the percentage of life left. Matched by name, which smartctl chooses by model:
# the numbers mean something else on other vendors' drives. Compiled when first used: virtual disks have no attributes.
_WEAR: Final = (
    r"ssd_life_?left(_perc)?|lifetime_left|percent_lifetime_(remain|used)"
    r"|perc_rated_life_(remain|used)|(percent|pct)_life_remaining|remaining_life(time_perc)?|lifetime_remaining%"
    r"|drive_?life_remaining%"
)
# smartctl also names the numbers 233 and 177 so on a model that it does not know: they count where there is no other.
_WEAR_ALSO: Final = r"media_wearout_indicator|wear_leveling_count"
_ENDURANCE: Final = re.compile(
    r"Percentage used endurance indicator: *(\d{1,19})%"
)  # SCSI, before smartctl 7.4


def read_smart(disks: Sequence[Disk], ask: Ask) -> Mapping[str, Smart]:
    """Read the health of the ``disks`` that report it, by name; in parallel, as each may take a second."""
    reporting = [disk for disk in disks if tells(disk)]
    if not reporting or find_tool("smartctl") is None:
        return {}
    from concurrent.futures import ThreadPoolExecutor

    farm = any(map(_may_have_farm, reporting)) and _reads_farm(ask)
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        answers = pool.map(lambda disk: parse_smart(ask(_command(disk, farm=farm))), reporting)
        return {disk.name: smart for disk, smart in zip(reporting, answers, strict=True) if smart is not None}


def tells(disk: Disk) -> bool:
    """Whether ``disk`` may report its health."""
    return bool(
        disk.size_bytes
        and _SPEAKS.fullmatch(disk.name)
        and not _VIRTUAL.search(f"{disk.vendor} {disk.model}")
    )


def ask_behind(disk: Disk, where: Sequence[str], ask: Ask) -> Smart | None:
    """Read the health of a drive without a device; ``where`` are the smartctl arguments for it, a type and a node."""
    farm = _may_have_farm(disk) and _reads_farm(ask)
    return parse_smart(ask([*_command(disk, farm=farm)[:-1], *where]))


def _may_have_farm(disk: Disk) -> bool:
    return disk.transport == "sata" and _SEAGATE.fullmatch(disk.model) is not None


def _reads_farm(ask: Ask) -> bool:
    """Whether this smartctl prints the log of Seagate's disks. One that does not say its version is not asked to."""
    return not is_older(version_in(ask(["smartctl", "--version"]).stdout), _KNOWS_FARM)


def _command(disk: Disk, *, farm: bool) -> list[str]:
    # Only ATA disks have these (SCSI disks have the write cache); on NVMe they are an error.
    more = [] if disk.transport == "nvme" else ["--log=scterc", "--get=wcache", "--get=security"]
    if disk.transport != "nvme" and not disk.rotational:
        more.append("--log=ssd")  # reported wear
    if disk.transport == "sas":
        more.append("--json=o")  # older versions print that for SCSI disks only as text
    if farm and _may_have_farm(disk):
        more.append("--log=farm")
    return ["smartctl", *_ARGUMENTS, *more, disk.path]


def parse_smart(answer: ToolAnswer) -> Smart | None:
    """Parse smartctl's output; ``None`` if there is none: the disk sleeps, has no SMART, or access was denied.

    The exit status is a bit mask with a bit for a failing disk, so a nonzero status is not an error.
    """
    if answer.returncode is None:
        return None
    try:
        document = decode_json(answer.stdout, SmartDocument)
    except DecodeError:
        failing = answer.returncode & _FAILING and not answer.returncode & _NOT_READ
        return Smart(passed=False, raw_exit_status=answer.returncode) if failing else None
    status = document.smartctl.exit_status
    if status & _NOT_READ:
        return None
    attributes = {one.id: one for one in document.ata_smart_attributes.table}
    ata_tests = document.ata_smart_self_test_log.standard
    tests = self_tests_in(document, answer.stdout)
    test = next(iter(tests), Test())
    nvme = document.nvme_smart_health_information_log
    farm = document.seagate_farm_log.page_1_drive_information
    return Smart(
        passed=_passed(document, status),
        below_limit=_below_limit(attributes, status),
        temperature_celsius=document.temperature.current,
        power_on_hours=document.power_on_time.hours,
        reallocated_sectors=_raw(attributes, _REALLOCATED) if attributes else document.scsi_grown_defect_list,
        pending_sectors=_raw(attributes, _PENDING),
        uncorrectable_sectors=_raw(attributes, _UNCORRECTABLE),
        reported_uncorrectable=_raw(attributes, _REPORTED),
        command_timeouts=_timeouts(attributes),
        uncorrected_errors=_uncorrected(document.scsi_error_counter_log),
        crc_errors=_raw(attributes, _CRC),
        percentage_used=_worn(document, attributes),
        media_errors=nvme.media_errors,
        critical_warning=nvme.critical_warning,
        available_spare=nvme.available_spare,
        available_spare_threshold=nvme.available_spare_threshold,
        erc_read_deciseconds=_limit(document.ata_sct_erc.read),
        erc_write_deciseconds=_limit(document.ata_sct_erc.write),
        family=document.model_family,
        serial=document.serial_number,
        firmware=document.firmware_version,
        zoned=document.zoned_device.capabilities,
        self_test=test.outcome,
        failed_test=_failed_test(tests),
        self_tests_logged=len(ata_tests.table) if ata_tests is not None else None,
        long_test_hours=_last_long_test(ata_tests.table) if ata_tests is not None else None,
        self_test_hours=test.hours,
        trim_supported=document.trim.supported,
        farm_hours=farm.poh,
        assembled=farm.date_of_assembly,
        recording=farm.drive_recording_type,
        rotation_rate=document.rotation_rate,
        link_bits_per_second=_bits(document.interface_speed.current),
        link_best_bits_per_second=_bits(document.interface_speed.max),
        write_cache=document.write_cache.enabled,
        password_set=document.ata_security.enabled,
        power_loss_protected=_protected(attributes),
        raw_exit_status=status,
    )


def _passed(document: SmartDocument, status: int) -> bool | None:
    """The disk's own verdict: where the document lacks it, of its exit status and of NVMe's warnings."""
    failing = status & _FAILING or document.nvme_smart_health_information_log.critical_warning
    return False if failing else document.smart_status.passed


def _below_limit(attributes: Mapping[int, Attribute], status: int) -> tuple[str, ...]:
    found = tuple(
        one.name or f"attribute {one.id}"
        for one in attributes.values()
        if one.when_failed == "now" and one.flags.prefailure
    )
    return found or (("a pre-failure attribute",) if status & _BELOW else ())


def _raw(attributes: Mapping[int, Attribute], known: tuple[int, str]) -> int | None:
    """The count of a known attribute; ``None`` if the disk has another under its number, or does not count."""
    number, name = known
    one = attributes.get(number)
    if one is None or (one.name and re.search(name, one.name, re.IGNORECASE) is None):
        return None
    packed = _PACKED.fullmatch(one.raw.string)
    count = int(packed[1]) if packed else one.raw.value
    return None if count in _NOT_COUNTED else count


def _timeouts(attributes: Mapping[int, Attribute]) -> int | None:
    """Seagate packs three counts into one number; the lowest 16 bits count all timeouts, the others slow commands."""
    packed = _raw(attributes, _TIMEOUTS)
    return None if packed is None else packed & 0xFFFF


def _uncorrected(log: Counters) -> int | None:
    counts = [one.total_uncorrected_errors for one in (log.read, log.write, log.verify) if one is not None]
    return sum(counts) if counts else None


def _bits(speed: Speed | None) -> int | None:
    return (speed.units_per_second * speed.bits_per_unit or None) if speed else None


def _protected(attributes: Mapping[int, Attribute]) -> bool | None:
    """Whether the drive has power-loss capacitors that passed its own test; ``None`` if it does not test any.

    Matched by attribute name: the number means something else on other vendors' drives. A failed test sets it to 1.
    """
    test = next((one for one in attributes.values() if one.name.lower().startswith("power_loss_cap")), None)
    return None if test is None else test.value > 1


def _worn(document: SmartDocument, attributes: Mapping[int, Attribute]) -> int | None:
    if document.nvme_smart_health_information_log.percentage_used is not None:
        return document.nvme_smart_health_information_log.percentage_used
    own = document.endurance_used.current_percent
    own = document.scsi_percentage_used_endurance_indicator if own is None else own
    if own is None:
        statistics = (one for page in document.ata_device_statistics.pages for one in page.table)
        own = next(
            (one.value for one in statistics if one.name == "Percentage Used Endurance Indicator"), None
        )
    if own is None:
        found = next(filter(None, map(_ENDURANCE.search, document.smartctl.output)), None)
        own = int(found[1]) if found else None
    if own is not None or document.rotation_rate:
        return own
    left = next(
        (
            one.value
            for names in (_WEAR, _WEAR_ALSO)
            for one in attributes.values()
            if re.fullmatch(names, one.name, re.IGNORECASE)
        ),
        None,
    )
    return None if left is None else max(0, 100 - left)


def _limit(limit: Limit | None) -> int | None:
    if limit is None:
        return None
    return limit.deciseconds if limit.enabled else 0


def self_tests_in(document: SmartDocument, text: str) -> Sequence[Test]:
    """The self-test log, newest first."""
    if document.ata_smart_self_test_log.standard is not None:
        return document.ata_smart_self_test_log.standard.table
    if '"scsi_self_test_0"' in text:
        return [one for one in structs.astuple(decode_json(text, ScsiTests)) if one is not None]
    return document.nvme_self_test_log.table


def _failed_test(tests: Sequence[Test]) -> str:
    """The last failure that no later test has cleared; a passed short test does not clear a failed long one."""
    short_passed = False
    for one in tests:
        if one.passed and one.is_long:
            return ""
        if one.failed and not (short_passed and not one.is_long):
            when = f" at {one.hours:,} hours" if one.hours is not None else ""
            return f"{one.kind or 'self-test'}: {one.outcome}{when}"
        short_passed = short_passed or one.passed
    return ""


def _last_long_test(table: Sequence[Test]) -> int | None:
    """The power-on hours at the end of the last long test that passed."""
    return next((one.lifetime_hours for one in table if one.is_long and one.passed), None)
