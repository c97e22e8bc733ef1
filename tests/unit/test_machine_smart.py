"""What smartctl's JSON says of disks of each kind, and when it says nothing."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from raidtui.machine import smart as smart_module
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.smart import parse_smart, read_smart, tells
from raidtui.model.machine import Disk
from raidtui.model.smart import Smart
from raidtui.model.struct import to_json


def said(document: dict[str, object], *, status: int = 0) -> ToolAnswer:
    """smartctl's answer with that document."""
    whole = {"json_format_version": [1, 0], "smartctl": {"version": [7, 3], "exit_status": status}} | document
    return ToolAnswer(returncode=status, stdout=to_json(whole))


NAMES = {
    5: "Reallocated_Sector_Ct",
    187: "Reported_Uncorrect",
    188: "Command_Timeout",
    197: "Current_Pending_Sector",
    198: "Offline_Uncorrectable",
    199: "UDMA_CRC_Error_Count",
}


def attribute(number: int, raw: int, value: int = 100, name: str = "") -> dict[str, object]:
    return {
        "id": number,
        "name": name or NAMES.get(number, "x"),
        "value": value,
        "worst": value,
        "raw": {"value": raw, "string": str(raw)},
    }


def test_a_sata_disk_tells_its_attributes_and_error_recovery() -> None:
    smart = parse_smart(
        said(
            {
                "model_family": "Western Digital Red (SMR)",
                "firmware_version": "82.00A82",
                "smart_status": {"passed": True},
                "temperature": {"current": 34},
                "power_on_time": {"hours": 31542},
                "ata_smart_attributes": {
                    "revision": 16,
                    "table": [attribute(5, 8), attribute(197, 2), attribute(198, 1), attribute(199, 40)],
                },
                "ata_sct_erc": {
                    "read": {"enabled": True, "deciseconds": 70},
                    "write": {"enabled": False},
                },
                "ata_smart_self_test_log": {
                    "standard": {
                        "table": [
                            {
                                "status": {"value": 0, "string": "Completed without error"},
                                "lifetime_hours": 31200,
                            },
                            {"status": {"value": 0, "string": "Aborted by host"}, "lifetime_hours": 20000},
                        ]
                    }
                },
                "trim": {"supported": True, "deterministic": False},
            }
        )
    )
    assert smart == Smart(
        passed=True,
        temperature_celsius=34,
        power_on_hours=31542,
        reallocated_sectors=8,
        pending_sectors=2,
        uncorrectable_sectors=1,
        crc_errors=40,
        erc_read_deciseconds=70,
        erc_write_deciseconds=0,
        family="Western Digital Red (SMR)",
        firmware="82.00A82",
        self_test="Completed without error",
        self_test_hours=31200,
        self_tests_logged=2,
        trim_supported=True,
    )


def test_only_a_long_self_test_that_ended_well_has_read_the_disk() -> None:
    def entry(kind: str, hours: int, *, passed: bool = True) -> dict[str, object]:
        status = {"value": 0, "string": "Completed without error", "passed": True}
        failed = {"value": 25, "string": "Aborted by host", "remaining_percent": 90}
        return {
            "type": {"value": 1, "string": kind},
            "status": status if passed else failed,
            "lifetime_hours": hours,
        }

    table = [
        entry("Short offline", 1708),
        entry("Extended offline", 1650, passed=False),
        entry("Extended offline", 1624),
        entry("Extended offline", 1439),
    ]
    smart = parse_smart(
        said({"ata_smart_self_test_log": {"standard": {"revision": 1, "count": 4, "table": table}}})
    )
    assert smart is not None
    assert (smart.self_tests_logged, smart.self_test_hours, smart.long_test_hours) == (4, 1708, 1624)


def test_an_empty_log_of_self_tests_is_a_log() -> None:
    smart = parse_smart(said({"ata_smart_self_test_log": {"standard": {"revision": 1, "count": 0}}}))
    assert smart is not None
    assert (smart.self_tests_logged, smart.long_test_hours, smart.self_test) == (0, None, "")


def test_a_sata_ssd_is_as_worn_as_its_normalised_value_says() -> None:
    smart = parse_smart(
        said(
            {"ata_smart_attributes": {"table": [attribute(177, 1200, value=93, name="Wear_Leveling_Count")]}}
        )
    )
    assert smart is not None
    assert smart.percentage_used == 7


@pytest.mark.parametrize(
    ("number", "name", "value"),
    [
        (202, "Data_Address_Mark_Errs", 1),  # a Seagate of 2010
        (231, "Temperature_Celsius", 50),
        (233, "Total_LBAs_Written", 99),  # a Dell Certified Intel S3520
        (202, "End_of_Life", 100),
        (173, "Unknown_Attribute", 1),
    ],
)
def test_a_number_that_counts_something_else_is_not_wear(number: int, name: str, value: int) -> None:
    smart = parse_smart(
        said({"ata_smart_attributes": {"table": [attribute(number, 7, value=value, name=name)]}})
    )
    assert smart is not None
    assert smart.percentage_used is None


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (233, "Media_Wearout_Indicator"),
        (245, "Percent_Life_Remaining"),
        (202, "Percent_Lifetime_Remain"),
        (231, "SSD_Life_Left"),
        (169, "Remaining_Lifetime_Perc"),
        (177, "DriveLife_Remaining%"),
    ],
)
def test_wear_is_known_by_the_name_of_its_attribute(number: int, name: str) -> None:
    smart = parse_smart(
        said({"ata_smart_attributes": {"table": [attribute(number, 7, value=90, name=name)]}})
    )
    assert smart is not None
    assert smart.percentage_used == 10


def test_a_rotating_disk_does_not_wear() -> None:
    table = [attribute(233, 7, value=90, name="Media_Wearout_Indicator")]
    smart = parse_smart(said({"rotation_rate": 7200, "ata_smart_attributes": {"table": table}}))
    assert smart is not None
    assert smart.percentage_used is None


_STATISTICS = {
    "pages": [
        {
            "number": 7,
            "name": "Solid State Device Statistics",
            "table": [{"offset": 8, "name": "Percentage Used Endurance Indicator", "size": 1, "value": 12}],
        }
    ]
}


@pytest.mark.parametrize(
    "document",
    [
        {"scsi_percentage_used_endurance_indicator": 12},
        {"endurance_used": {"current_percent": 12}},
        {"ata_device_statistics": _STATISTICS},
    ],
)
def test_an_ssd_says_itself_how_much_of_its_endurance_is_used(document: dict[str, object]) -> None:
    smart = parse_smart(said(document))
    assert smart is not None
    assert smart.percentage_used == 12


def test_an_older_smartctl_says_the_endurance_of_a_sas_ssd_in_words() -> None:
    output = ["=== START OF READ SMART DATA SECTION ===", "Percentage used endurance indicator: 12%"]
    answer = ToolAnswer(returncode=0, stdout=to_json({"smartctl": {"exit_status": 0, "output": output}}))
    smart = parse_smart(answer)
    assert smart is not None
    assert smart.percentage_used == 12


def test_only_flash_is_asked_for_its_endurance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smart_module, "find_tool", lambda name: name)
    asked: dict[str, Sequence[str]] = {}

    def ask(argv: Sequence[str]) -> ToolAnswer:
        asked[argv[-1]] = argv
        return said({})

    def disk(name: str, **about: object) -> Disk:
        return Disk(name=name, path=f"/dev/{name}", device_number="8:0", size_bytes=1, **about)  # type: ignore[arg-type]

    disks = [
        disk("sda", transport="sas", rotational=False),
        disk("sdb", transport="sas"),
        disk("nvme0n1", transport="nvme", rotational=False),
    ]
    read_smart(disks, ask)
    assert [path for path, argv in asked.items() if "--log=ssd" in argv] == ["/dev/sda"]


def ata_log(*tests: tuple[str, str, int]) -> dict[str, object]:
    """A log of self-tests: kind, how it ended and at what hour, the newest first."""
    table = [
        {
            "type": {"value": 2, "string": kind},
            "status": {"value": 0, "string": outcome}
            | ({"passed": outcome == "Completed without error"} if outcome.startswith("Completed") else {}),
            "lifetime_hours": hours,
        }
        for kind, outcome, hours in tests
    ]
    return {"ata_smart_self_test_log": {"standard": {"table": table}}}


GOOD, BAD = "Completed without error", "Completed: read failure"


@pytest.mark.parametrize(
    ("tests", "failed"),
    [
        (
            [("Short offline", GOOD, 90), ("Extended offline", BAD, 80)],
            "Extended offline: " + BAD + " at 80 hours",
        ),
        ([("Extended offline", GOOD, 90), ("Extended offline", BAD, 80)], ""),
        (
            [("Extended offline", "Aborted by host", 90), ("Extended offline", BAD, 80)],
            "Extended offline: " + BAD,
        ),
        ([("Short offline", GOOD, 90), ("Short offline", BAD, 80)], ""),
        (
            [("Short offline", BAD, 90), ("Extended offline", GOOD, 80)],
            "Short offline: " + BAD + " at 90 hours",
        ),
        (
            [("Short offline", GOOD, 90)] * 18 + [("Extended offline", BAD, 80)] * 3,
            "Extended offline: " + BAD,
        ),
        ([("Extended offline", "Self-test routine in progress", 90)], ""),
    ],
)
def test_a_long_self_test_that_failed_is_not_hidden_by_newer_ones(
    tests: list[tuple[str, str, int]], failed: str
) -> None:
    smart = parse_smart(said(ata_log(*tests)))
    assert smart is not None
    assert smart.failed_test.startswith(failed)
    assert bool(smart.failed_test) == bool(failed)


@pytest.mark.parametrize(
    "document",
    [
        {
            "scsi_self_test_0": {
                "code": {"value": 1, "string": "Background short"},
                "result": {"value": 0, "string": "Completed"},
                "power_on_time": {"hours": 90},
            },
            "scsi_self_test_1": {
                "code": {"value": 2, "string": "Background long"},
                "result": {"value": 7, "string": "Failed in segment -->"},
                "power_on_time": {"hours": 80},
            },
        },
        {
            "nvme_self_test_log": {
                "table": [
                    {
                        "self_test_code": {"value": 1, "string": "Short"},
                        "self_test_result": {"value": 0, "string": GOOD},
                        "power_on_hours": 90,
                    },
                    {
                        "self_test_code": {"value": 2, "string": "Extended"},
                        "self_test_result": {"value": 7, "string": "Completed: failed segments"},
                        "power_on_hours": 80,
                    },
                ]
            }
        },
    ],
    ids=["SCSI", "NVMe"],
)
def test_other_drives_keep_logs_of_self_tests_too(document: dict[str, object]) -> None:
    smart = parse_smart(said(document))
    assert smart is not None
    assert "fail" in smart.failed_test.lower()
    assert smart.failed_test.endswith("at 80 hours")
    assert smart.self_test_hours == 90


def test_an_nvme_disk_tells_wear_and_media_errors() -> None:
    smart = parse_smart(
        said(
            {
                "smart_status": {"passed": True, "nvme": {"value": 0}},
                "nvme_smart_health_information_log": {"percentage_used": 104, "media_errors": 3},
                "nvme_self_test_log": {
                    "table": [
                        {"self_test_result": {"value": 0, "string": "Completed"}, "power_on_hours": 512}
                    ]
                },
            }
        )
    )
    assert smart is not None
    assert (smart.percentage_used, smart.media_errors, smart.self_test) == (104, 3, "Completed")
    assert (smart.self_test_hours, smart.trim_supported) == (512, None)
    assert smart.reallocated_sectors is None


def test_a_sas_disk_tells_grown_defects() -> None:
    smart = parse_smart(said({"smart_status": {"passed": True}, "scsi_grown_defect_list": 12}))
    assert smart is not None
    assert smart.reallocated_sectors == 12


def test_a_sas_disk_counts_the_errors_that_nothing_could_correct() -> None:
    def counter(uncorrected: int) -> dict[str, object]:
        return {
            "errors_corrected_by_eccfast": 0,
            "errors_corrected_by_eccdelayed": 374,
            "errors_corrected_by_rereads_rewrites": 374,
            "total_errors_corrected": 374,
            "correction_algorithm_invocations": 376,
            "gigabytes_processed": "2657380.347",
            "total_uncorrected_errors": uncorrected,
        }

    smart = parse_smart(
        said(
            {
                "rotation_rate": 7200,
                "scsi_grown_defect_list": 0,
                "scsi_error_counter_log": {"read": counter(3), "write": counter(0), "verify": counter(1)},
            }
        )
    )
    assert smart is not None
    assert (smart.uncorrected_errors, smart.reallocated_sectors, smart.rotation_rate) == (4, 0, 7200)


def test_a_sata_disk_tells_its_link_its_cache_and_its_lock() -> None:
    def speed(value: int, units: int) -> dict[str, object]:
        return {
            "sata_value": value,
            "string": f"{units / 10} Gb/s",
            "units_per_second": units,
            "bits_per_unit": 100000000,
        }

    smart = parse_smart(
        said(
            {
                "rotation_rate": 5400,
                "interface_speed": {"max": speed(14, 60), "current": speed(2, 30)},
                "write_cache": {"enabled": True},
                "ata_security": {
                    "state": 41,
                    "string": "Disabled, frozen [SEC2]",
                    "enabled": False,
                    "frozen": True,
                },
                "ata_smart_attributes": {"table": [attribute(187, 12), attribute(188, 0x0002_0005_0007)]},
            }
        )
    )
    assert smart is not None
    assert (smart.link_bits_per_second, smart.link_best_bits_per_second) == (3 * 10**9, 6 * 10**9)
    assert (smart.write_cache, smart.password_set, smart.rotation_rate) == (True, False, 5400)
    assert smart.reported_uncorrectable == 12
    assert smart.command_timeouts == 7  # the rest of the number counts the slow ones among them
    assert smart.power_loss_protected is None


def test_a_drive_that_tests_its_capacitors_survives_a_power_cut_while_they_are_good() -> None:
    for value, good in ((100, True), (1, False)):
        test = attribute(175, 447, value=value, name="Power_Loss_Cap_Test")
        smart = parse_smart(said({"ata_smart_attributes": {"table": [test]}}))
        assert smart is not None
        assert smart.power_loss_protected is good
    other = attribute(175, 0, name="Program_Fail_Count_Chip")  # the same number with another maker
    smart = parse_smart(said({"ata_smart_attributes": {"table": [other]}}))
    assert smart is not None
    assert smart.power_loss_protected is None


def test_an_nvme_disk_tells_its_warnings_and_its_spare_blocks() -> None:
    smart = parse_smart(
        said(
            {
                "smart_status": {"passed": False, "nvme": {"value": 1, "spare_below_threshold": True}},
                "nvme_smart_health_information_log": {
                    "critical_warning": 1,
                    "available_spare": 3,
                    "available_spare_threshold": 10,
                    "percentage_used": 98,
                    "media_errors": 0,
                },
            },
            status=8,
        )
    )
    assert smart is not None
    assert (smart.critical_warning, smart.available_spare, smart.available_spare_threshold) == (1, 3, 10)


def test_one_call_asks_each_kind_of_disk_for_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def answer(argv: Sequence[str]) -> ToolAnswer:
        asked.append(list(argv))
        return said({})

    monkeypatch.setattr("raidtui.machine.smart.find_tool", lambda _: "/usr/sbin/smartctl")
    sata = Disk(name="sda", path="/dev/sda", device_number="8:0", size_bytes=1, transport="sata")
    nvme = Disk(name="nvme0n1", path="/dev/nvme0n1", device_number="259:0", size_bytes=1, transport="nvme")
    assert set(read_smart([sata, nvme], answer)) == {"sda", "nvme0n1"}
    of_sata, of_nvme = sorted(asked, key=lambda argv: "nvme" in argv[-1])
    assert {"--log=scterc", "--get=wcache", "--get=security", "--log=error"} <= set(of_sata)
    assert not any(word.startswith(("--get", "--log=scterc")) for word in of_nvme)


def test_a_seagate_disk_is_asked_for_its_own_log_by_a_smartctl_that_knows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []
    new = ToolAnswer(returncode=0, stdout="smartctl 7.4 2023-08-01 r5530")
    others = (
        ToolAnswer(returncode=0, stdout="smartctl 7.3 2022-02-28 r5338"),
        ToolAnswer(returncode=0, stdout="rubbish"),
        ToolAnswer(returncode=None, stderr="smartctl did not end within 20 s"),
    )
    versions = iter((new, new, *others))

    def answer(argv: Sequence[str]) -> ToolAnswer:
        if "--version" in argv:
            return next(versions)
        asked.append(list(argv))
        return said(
            {
                "power_on_time": {"hours": 3},
                "seagate_farm_log": {
                    "page_0_log_header": {"farm_log_version": [2, 9]},
                    "page_1_drive_information": {
                        "poh": 28104,
                        "date_of_assembly": "2138",
                        "drive_recording_type": "CMR",
                    },
                },
            }
        )

    monkeypatch.setattr("raidtui.machine.smart.find_tool", lambda _: "/usr/sbin/smartctl")
    seagate = Disk(
        name="sda",
        path="/dev/sda",
        device_number="8:0",
        size_bytes=1,
        transport="sata",
        model="ST16000NM001G-2KK103",
    )
    other = replace(seagate, name="sdb", path="/dev/sdb", model="WDC WD40EFRX-68N32N0")
    smart = read_smart([seagate], answer)["sda"]
    assert (smart.power_on_hours, smart.farm_hours, smart.assembled, smart.recording) == (
        3,
        28104,
        "2138",
        "CMR",
    )
    read_smart([other, seagate], answer)
    for _ in others:
        read_smart([seagate], answer)
    read_smart([other], answer)  # does not ask for the version: there is no answer left
    farm = [argv[-1] for argv in asked if "--log=farm" in argv]
    assert farm == ["/dev/sda", "/dev/sda"]
    assert len(asked) == 7


def test_a_failing_disk_makes_smartctl_fail_and_is_heard_all_the_same() -> None:
    smart = parse_smart(said({"smart_status": {"passed": False}}, status=8 | 64))
    assert smart is not None
    assert smart.passed is False
    assert smart.raw_exit_status == 72


def test_a_sleeping_disk_is_left_asleep() -> None:
    standby = {"smartctl": {"exit_status": 2, "messages": [{"string": "Device is in STANDBY mode, exit(2)"}]}}
    assert parse_smart(ToolAnswer(returncode=2, stdout=to_json(standby))) is None


def test_smart_support_in_either_form_does_not_matter() -> None:
    for form in (True, {"available": True, "enabled": True}):
        assert parse_smart(said({"smart_support": form, "smart_status": {"passed": True}})) is not None


def test_nothing_and_nonsense_are_no_answer() -> None:
    assert parse_smart(ToolAnswer(returncode=None, stderr="smartctl is not installed")) is None
    assert parse_smart(ToolAnswer(returncode=1, stdout="smartctl 6.6 has no --json")) is None


def test_virtual_disks_are_not_asked() -> None:
    def disk(name: str, model: str = "", size: int = 1) -> Disk:
        return Disk(name=name, path=f"/dev/{name}", device_number="8:0", size_bytes=size, model=model)

    assert tells(disk("sda", "WDC WD40EFRX"))
    assert tells(disk("nvme0n1"))
    assert not tells(disk("ubda"))
    assert not tells(disk("vda"))
    assert not tells(disk("sda", "QEMU HARDDISK"))
    assert not tells(disk("sda", size=0))
