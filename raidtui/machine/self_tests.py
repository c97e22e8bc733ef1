"""What a disk says of its self-tests: whether one runs, how far it is, and how the last one ended."""

from typing import Final

import msgspec
from msgspec import field

from raidtui.machine.smart import self_tests_in
from raidtui.machine.smart_document import SmartDocument, Test
from raidtui.model.struct import Record, decode_json

ASKED: Final = ("--json", "--capabilities", "--attributes", "--log=selftest")
NOT_ASKED: Final = 0b11  # exit status bits of smartctl: bad command line; device could not be opened


class _Status(Record, frozen=True, kw_only=True):
    value: int = 0  # ATA: the upper four bits are 15 while a test runs
    remaining_percent: int | None = None


class _SelfTest(Record, frozen=True, kw_only=True):
    status: _Status = field(default_factory=_Status)


class _AtaData(Record, frozen=True, kw_only=True):
    self_test: _SelfTest | None = None


class _Operation(Record, frozen=True, kw_only=True):
    value: int = 0  # NVMe: 0 while none runs


class _NvmeLog(Record, frozen=True, kw_only=True):
    current_self_test_operation: _Operation = field(default_factory=_Operation)
    current_self_test_completion_percent: int | None = None


class _Running(Record, frozen=True, kw_only=True):
    ata_smart_data: _AtaData = field(default_factory=_AtaData)
    nvme_self_test_log: _NvmeLog | None = None


class SelfTestState(Record, frozen=True, kw_only=True):
    """The self-tests of a disk now."""

    runs: bool
    left_percent: int | None = None  # of the one that runs; None: not known
    newest: Test | None = None  # that has ended
    hours: int | None = None  # power-on hours now


def parse_self_tests(text: str) -> SelfTestState | None:
    """Read the document of smartctl with `ASKED`; None if it is none, or the disk has no self-tests."""
    try:
        document, running = decode_json(text, SmartDocument), decode_json(text, _Running)
        tests = self_tests_in(document, text)
    except msgspec.DecodeError:
        return None
    if document.smartctl.exit_status & NOT_ASKED:
        return None
    hours = document.power_on_time.hours
    ata, nvme = running.ata_smart_data.self_test, running.nvme_self_test_log
    newest = next(iter(tests), None)
    if nvme is not None:
        done = nvme.current_self_test_completion_percent
        runs = bool(nvme.current_self_test_operation.value)
        left = 100 - done if runs and done is not None else None
        return SelfTestState(runs=runs, left_percent=left, newest=newest, hours=hours)
    if newest is not None and "in progress" in newest.outcome.lower():  # SCSI keeps it in the log
        return SelfTestState(runs=True, newest=next(iter(tests[1:]), None), hours=hours)
    if ata is None:
        return SelfTestState(runs=False, newest=newest, hours=hours) if newest is not None else None
    runs = ata.status.value >> 4 == 0xF
    left = ata.status.remaining_percent if runs else None
    return SelfTestState(runs=runs, left_percent=left, newest=newest, hours=hours)
