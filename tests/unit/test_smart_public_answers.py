"""SMART of odd drives: what their numbers mean by their names, and what says that a drive fails where its verdict lacks."""

from typing import Any

import pytest

from raidtui.advice.hazards.health import failing
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.smart import parse_smart
from raidtui.model.machine import Disk
from raidtui.model.smart import Smart
from tests.unit.test_machine_smart import attribute, said

PASSED = {"smart_status": {"passed": True}}


def read(document: dict[str, Any], *, status: int = 0) -> Smart:
    smart = parse_smart(said(document, status=status))
    assert smart is not None
    return smart


def table(*rows: dict[str, object]) -> dict[str, Any]:
    return {"ata_smart_attributes": {"table": list(rows)}}


def words(smart: Smart) -> str:
    """What says that a disk with it fails."""
    return failing(Disk(name="sda", path="/dev/sda", device_number="8:0", size_bytes=10**12, smart=smart))


@pytest.mark.parametrize(
    ("number", "name"),
    [(198, "Read_Sectors_Tot_Ct"), (198, "Host_Reads_GiB"), (197, "Not_In_Use"), (187, "Unknown_JMF_Attribute")],
)  # fmt: skip
def test_a_number_that_counts_something_else_is_no_count_of_bad_sectors(number: int, name: str) -> None:
    smart = read(PASSED | table(attribute(number, 40_000, name=name)))
    assert (smart.uncorrectable_sectors, smart.pending_sectors, smart.reported_uncorrectable) == (
        None,
        None,
        None,
    )
    assert words(smart) == ""


@pytest.mark.parametrize(
    ("number", "name", "field"),
    [
        (5, "Retired_Block_Count", "reallocated_sectors"),
        (5, "Later_Bad_Block", "reallocated_sectors"),
        (197, "Current_Pending_ECC_Cnt", "pending_sectors"),
        (198, "Uncor_Read_Error_Ct", "uncorrectable_sectors"),
        (187, "Uncorrectable_Error_Cnt", "reported_uncorrectable"),
        (187, "Reported_UE_Counts", "reported_uncorrectable"),
        (199, "SATA_CRC_Error_Count", "crc_errors"),
    ],
)
def test_other_names_of_the_same_count_are_read(number: int, name: str, field: str) -> None:
    assert getattr(read(PASSED | table(attribute(number, 7, name=name))), field) == 7


def test_the_first_of_several_packed_counts_is_the_count() -> None:
    packed = attribute(5, 0) | {"raw": {"value": 0x0003_0000_0002, "string": "2 (0 3 0)"}}
    assert read(PASSED | table(packed)).reallocated_sectors == 2


@pytest.mark.parametrize("count", [2**32 - 1, 2**48 - 1])
def test_all_bits_are_no_count(count: int) -> None:
    assert read(PASSED | table(attribute(198, count))).uncorrectable_sectors is None


def test_a_pre_failure_attribute_below_its_limit_fails_a_disk_that_passes() -> None:
    row = attribute(5, 2000, 5) | {"when_failed": "now", "flags": {"prefailure": True}}
    smart = read(PASSED | table(row), status=0b10000)
    assert smart.below_limit == ("Reallocated_Sector_Ct",)
    assert words(smart) == "Reallocated_Sector_Ct below the maker's limit"
    assert read(PASSED, status=0b10000).below_limit == ("a pre-failure attribute",)
    old = attribute(9, 2, 1) | {"when_failed": "now", "flags": {"prefailure": False}}
    past = attribute(5, 2000, 50) | {"when_failed": "past", "flags": {"prefailure": True}}
    assert words(read(PASSED | table(old, past), status=0b100000)) == ""


def test_the_exit_status_says_that_a_disk_fails_where_the_document_does_not() -> None:
    assert words(read({}, status=0b1000)) == "SMART overall health: FAILED"
    odd = said({"smart_status": {"passed": False}, "temperature": {"current": "hot"}}, status=0b1000)
    smart = parse_smart(odd)
    assert smart is not None
    assert words(smart) == "SMART overall health: FAILED"
    assert parse_smart(ToolAnswer(returncode=0, stdout=odd.stdout)) is None
    assert parse_smart(ToolAnswer(returncode=0b1010, stdout="")) is None


def test_the_warnings_of_nvme_are_a_verdict() -> None:
    assert words(read({"nvme_smart_health_information_log": {"critical_warning": 4}})) == (
        "SMART overall health: FAILED, reliability degraded"
    )


def test_a_bridge_that_passes_on_no_health_is_silent() -> None:
    nothing: dict[str, Any] = {"temperature": {"current": 0}, "serial_number": "Volume1"}
    assert read(nothing, status=4).is_silent
    assert not read(PASSED).is_silent
    assert not read({"scsi_grown_defect_list": 0}).is_silent


def test_wear_by_a_name_of_the_model_counts_before_the_common_ones() -> None:
    rows = (attribute(177, 10, 100, "Wear_Leveling_Count"), attribute(231, 10, 8, "SSD_Life_Left"))
    assert read({"rotation_rate": 0} | table(*rows)).percentage_used == 92
    assert read({"rotation_rate": 0} | table(rows[0])).percentage_used == 0
