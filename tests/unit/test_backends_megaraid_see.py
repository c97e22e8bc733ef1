"""A MegaRAID card as raidtui shows it: cards, virtual drives as units, drives in slots, hazards; without a tool too."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.backends.cards import reader
from raidtui.backends.cards.chosen import adapter_of
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import CardReading
from raidtui.backends.megaraid import tools
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.backends.megaraid.reader import READER as MEGARAID_READER
from raidtui.backends.registry import OF_CARDS
from raidtui.backends.suited import OF_DISKS
from raidtui.backends.units import about_cards, card_warnings, units_of
from raidtui.commands.doctor import card_lines
from raidtui.commands.inspect import describe
from raidtui.machine.ask import ToolAnswer
from raidtui.model.errors import BadInput
from raidtui.model.machine import Card, Claim, ClaimKind, Machine, Weight
from raidtui.model.struct import from_json, to_json
from raidtui.model.unit import Health
from tests.unit.card_machines import (
    CARD,
    VIRTUAL,
    answer,
    asks,
    nine_six_sixty,
    nine_two_seventy,
    recorded,
    with_card,
    without_volumes,
)
from tests.unit.machine_trees import MadeTree
from tests.unit.plan_machines import machine


def changed(name: str, **values: Any) -> str:
    """A recording with other values under these keys (spaces written as underscores), wherever they stand."""
    document = json.loads(recorded(name))
    spoken = {key.replace("__", "/").replace("_", " "): value for key, value in values.items()}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key in value:
                if key in spoken:
                    value[key] = spoken[key]
                walk(value[key])
        elif isinstance(value, list):
            for one in value:
                walk(one)

    walk(document)
    return json.dumps(document)


def test_a_virtual_drive_is_a_unit_on_its_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    (unit,) = units_of(with_card(monkeypatch, nine_two_seventy()))
    assert (unit.name, unit.level, unit.node) == ("c0v0", "raid5", "/dev/sda")
    assert unit.path == "/dev/disk/by-id/wwn-0x5000000000000011"
    assert (unit.health, unit.state) == (Health.OK, "optimal, consistency check 36.0 %")
    assert [one.path for one in unit.members][:2] == ["252:7", "252:6"]
    assert unit.members[0].disk == "WD-WM00000008"
    assert unit.members[0].note == "no errors"
    assert unit.details == (
        "strip: 256 KiB",
        "write policy: write-back",
        "read-ahead: on",
        "drive cache: off",
        "cache protection: CacheVault Optimal",
        "controller: LSI MegaRAID SAS 9270CV-8i, firmware 23.34.0-0019, cache 875 MiB",
        "place: /c0/v0",
    )
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction) == ("consistency check", 0.36)


def test_the_tool_s_word_for_the_node_is_not_taken_where_the_wwn_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = replace(VIRTUAL, wwn="0x5000000000000099")
    (unit,) = units_of(with_card(monkeypatch, nine_two_seventy(), disks=[other]))
    assert (unit.node, unit.health) == ("", Health.INACTIVE)


def test_drives_are_disks_in_slots_and_cannot_be_chosen_while_they_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    behind = [disk for disk in there.disks if not disk.has_device]
    assert [disk.slot for disk in behind] == [f"252:{slot}" for slot in range(8)]
    assert len({disk.key for disk in there.disks}) == 9
    assert there.disk("WD-WM00000001").shown == "slot 252:0"
    for disk in behind:
        assert not disk.choosable
        assert [claim.what for claim in disk.taken_by] == [ClaimKind.CARD]
        assert disk.taken_by[0].detail == "in virtual drive c0v0 (/dev/sda)"


def test_drives_under_the_system_are_the_system_s(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(what=ClaimKind.SYSTEM, weight=Weight.SYSTEM, device="/dev/sda1", detail="/", how_to_free="")
    there = with_card(
        monkeypatch, nine_two_seventy(), disks=[replace(VIRTUAL, taken_by=(claim,), free=False)]
    )
    assert {claim.weight for disk in there.disks for claim in disk.taken_by} == {Weight.SYSTEM}


def test_of_a_free_drive_nobody_knows_what_is_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy() | {
        "/c0/vall show all": answer(Status="Failure", Description="No VD's have been configured."),
        "/c0 show all": without_volumes(changed("9270-c0.json", State="UGood", DG="-")),
        "/c0/eall/sall show all": changed("9270-sall.json", State="UGood", DG="-"),
    }
    there = with_card(monkeypatch, answers, disks=())
    assert len(there.disks) == 8
    assert all(disk.choosable and not disk.free for disk in there.disks)
    assert {claim.what for disk in there.disks for claim in disk.taken_by} == {ClaimKind.UNKNOWN_DATA}
    assert not [line for line in about_cards(there) if "not known" in line]


@pytest.mark.parametrize(
    ("state", "group", "weight", "word", "how"),
    [
        (
            "UGood",
            "F",
            Weight.BUSY,
            "foreign",
            "fall show all'. Importing brings its data back; clearing it loses it",
        ),
        ("UBad", "-", Weight.UNUSABLE, "UBad", "replace the drive"),
        ("GHS", "-", Weight.BUSY, "hot spare", "delete hotsparedrive"),
        ("Sntze", "-", Weight.BUSY, "Sntze", "show all"),
        ("Whatever", "-", Weight.UNUSABLE, "Whatever", "show all"),
    ],
)
def test_a_drive_that_is_set_aside_cannot_be_chosen(
    monkeypatch: pytest.MonkeyPatch, state: str, group: str, weight: Weight, word: str, how: str
) -> None:
    answers = nine_two_seventy() | {
        "/c0/vall show all": answer({}),
        "/c0/eall/sall show all": changed("9270-sall.json", State=state, DG=group),
    }
    there = with_card(monkeypatch, answers, disks=())
    assert {claim.weight for disk in there.disks for claim in disk.taken_by} == {weight}
    assert all(word in disk.taken_by[0].detail for disk in there.disks)
    assert all(how in disk.taken_by[0].how_to_free for disk in there.disks)


def test_a_drive_that_is_passed_on_keeps_its_device_and_gets_its_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = replace(VIRTUAL, serial="WD-WM00000001", wwn="0x5000000000000008")
    answers = nine_two_seventy() | {
        "/c0/vall show all": answer({}),
        "/c0/eall/sall show all": changed("9270-sall.json", State="JBOD", DG="-"),
    }
    there = with_card(monkeypatch, answers, disks=[raw])
    assert [disk.slot for disk in there.disks if disk.has_device] == ["252:0"]
    assert len(there.disks) == 8
    assert {one.id for one in card_warnings(there)} == set()


def test_one_sick_drive_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    every = json.loads(recorded("9270-sall.json"))["Controllers"][0]["Response Data"]
    answers = nine_two_seventy()
    rows: Any = {"Detailed Status": [{"Status": "Failure", "ErrCd": 46, "ErrMsg": "sick"}]}
    answers["/c0/eall/sall show all"] = answer(Status="Failure", **rows)
    for slot in range(8):
        if slot != 3:
            mine = {key: value for key, value in every.items() if f"/s{slot}" in key}
            answers[f"/c0/e252/s{slot} show all"] = answer(mine)
    there = with_card(monkeypatch, answers)
    behind = {disk.slot: disk for disk in there.disks if not disk.has_device}
    assert len(behind) == 8
    assert behind["252:0"].serial == "WD-WM00000001"
    assert behind["252:3"].identity == ""
    assert behind["252:3"].taken_by[0].weight is Weight.UNUSABLE
    assert any("sick (error 46)" in line for line in about_cards(there))


def test_a_card_without_a_tool_is_named_with_what_to_get(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(monkeypatch, {}, tool="")
    lines = about_cards(there)
    assert lines[0] == "RAID card 0000:01:00.0: PCI 1000:005b, board 1000:9273, driver megaraid_sas"
    assert "storcli64, which reads the RAID card at 0000:01:00.0, is not installed" in lines[1]
    assert "Broadcom" in lines[1]
    assert units_of(there) == ()
    assert there.disks == (VIRTUAL,)


@pytest.mark.parametrize(
    ("driver", "board", "first"),
    [
        ("megaraid_sas", "1000", "storcli64"),
        ("megaraid_sas", "1028", "perccli64"),
        ("mpi3mr", "1000", "storcli2"),
        ("mpi3mr", "1028", "perccli2"),
    ],
)
def test_the_tool_is_the_one_of_the_vendor(driver: str, board: str, first: str) -> None:
    assert tools.names_for(replace(CARD, driver=driver, board_vendor=board))[0] == first


def test_a_tool_where_vendors_install_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find_tool", lambda name: name if name.startswith("/opt") else None)
    assert tools.tool_for(CARD) == "/opt/MegaRAID/storcli/storcli64"


def test_slots_of_two_cards_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    second = {
        key.replace("/c0", "/c1"): text.replace("/c0", "/c1")
        .replace("WD-WM", "WD-XX")
        .replace("00:01:00:00", "00:81:00:00")
        .replace("5000000000000011", "5000000000000012")
        for key, text in nine_two_seventy().items()
    }
    both = nine_two_seventy() | second | {"show": answer({"Number of Controllers": 2})}
    behind = [one for one in with_card(monkeypatch, both).disks if one.slot]
    slots = [one.slot for one in behind]
    assert [claim.device for one in behind for claim in one.taken_by] == [f"slot {slot}" for slot in slots]
    assert len(slots) == len(set(slots)) == 16
    assert {"c0 252:0", "c1 252:0"} <= set(slots)


def with_two_tools(
    monkeypatch: pytest.MonkeyPatch, second: Card, tool: str, told: Mapping[str, str]
) -> Machine:
    """The computer with the 9270 and a second card, which another tool reads."""
    monkeypatch.setattr(tools, "find_tool", lambda name: name if name in {"storcli64", tool} else None)
    by_tool = {"storcli64": asks(nine_two_seventy()), tool: asks(told)}
    there = replace(machine(), cards=(CARD, second), disks=(VIRTUAL,))

    def ask(argv: Sequence[str]) -> ToolAnswer:
        return by_tool[argv[0]](argv)

    there = replace(there, readings={"megaraid": msgspec.to_builtins(MEGARAID_READER.read(there, ask))})
    return MEGARAID_READER.with_drives(there, ask, False)


def test_a_card_that_two_tools_show_is_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """storcli also lists a PERC, which perccli reads."""
    perc = replace(CARD, address="0000:81:00.0", board_vendor="1028")
    own = {key: text.replace("00:01:00:00", "00:81:00:00") for key, text in nine_two_seventy().items()}
    both = own | {"show": answer({"Number of Controllers": 2})}
    both |= {key.replace("/c0", "/c1"): text for key, text in nine_two_seventy().items() if key != "show"}
    there = with_two_tools(monkeypatch, perc, "perccli64", both)
    assert len([one for one in there.disks if not one.has_device]) == 16
    assert len(units_of(there)) == 2


def test_cards_to_which_two_tools_give_one_number_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    new = replace(CARD, driver="mpi3mr", address="0000:16:00.0")
    there = with_two_tools(monkeypatch, new, "storcli2", nine_six_sixty())
    assert [one.name for one in units_of(there)] == ["storcli64-c0v0", "storcli2-c0v2"]
    assert {"storcli64-c0 252:0", "storcli2-c0 320:3"} <= {one.slot for one in there.disks}
    drives = [
        next(one for one in there.disks if one.slot == slot)
        for slot in ("storcli64-c0 252:0", "storcli2-c0 320:3")
    ]
    with pytest.raises(
        BadInput, match=r"behind card storcli64-c0 and .* behind card storcli2-c0; choose drives of one card"
    ):
        adapter_of(drives, MEGARAID.kept(there), card="a MegaRAID card")


def test_nothing_is_asked_on_a_computer_without_a_card() -> None:
    asked: list[list[str]] = []
    assert MEGARAID_READER.read(machine(), asks({}, asked=asked)) is None
    assert asked == []
    assert "RAID card" not in "\n".join(describe(machine()))
    assert not set(OF_CARDS) & set(OF_DISKS)


def test_the_second_generation_is_seen_too(monkeypatch: pytest.MonkeyPatch) -> None:
    card = replace(CARD, driver="mpi3mr", address="0000:16:00.0")
    disk = replace(VIRTUAL, path="/dev/sdc", name="sdc", wwn="0x600062b22066d54069faf44d843b9bb2")
    answers = nine_six_sixty()
    there = with_card(monkeypatch, answers, card=card, disks=[disk], tool="storcli2")
    (unit,) = units_of(there)
    assert (unit.node, unit.level) == ("/dev/sdc", "raid0")
    assert there.disk("WP00MLKP0000E2426F8Q").slot == "320:3"


@pytest.mark.parametrize(
    ("file", "values", "found"),
    [
        ("9270-vall.json", {"Cache": "RAWBD"}, "card-write-back-unprotected"),
        ("9270-vall.json", {"Cache": "RWTD"}, "card-write-through"),
        ("9270-vall.json", {"Disk_Cache_Policy": "Enabled"}, "card-drive-cache"),
        ("9270-vall.json", {"State": "Dgrd"}, "card-degraded"),
        ("9270-vall.json", {"State": "Pdgd"}, "card-degraded"),
        ("9270-c0.json", {"Patrol_Read_Reoccurrence": "NA"}, "card-no-patrol"),
        ("9270-c0.json", {"Any_Offline_VD_Cache_Preserved": "Yes"}, "card-preserved-cache"),
        ("9270-sall.json", {"DG": "F", "State": "UGood"}, "card-foreign"),
        ("9270-sall.json", {"Media_Error_Count": 7}, "card-drive-errors"),
        ("9270-sall.json", {"Predictive_Failure_Count": 1}, "card-drive-errors"),
    ],
)
def test_what_is_wrong_with_a_card_is_said(
    monkeypatch: pytest.MonkeyPatch, file: str, values: dict[str, Any], found: str
) -> None:
    asked = {"9270-vall.json": "/c0/vall show all", "9270-c0.json": "/c0 show all"}
    key = asked.get(file, "/c0/eall/sall show all")
    bad = nine_two_seventy() | {key: changed(file, **values)}
    if found == "card-write-back-unprotected":
        bad["/c0 show all"] = recorded("9270-c0.json").replace('"State": "Optimal"', '"State": "Failed"')
    ids = {one.id for one in card_warnings(with_card(monkeypatch, bad))}
    assert found in ids
    healthy = {one.id for one in card_warnings(with_card(monkeypatch, nine_two_seventy()))}
    assert healthy == {"card-family"}


@pytest.mark.parametrize(
    ("state", "meaning", "advice"),
    [
        (
            "Dgrd",
            "If another drive fails, the data of this virtual drive may be lost.",
            "Copy what matters now.",
        ),
        ("Pdgd", "It survives one more failed drive.", "Replace the failed drive"),
        (
            "OfLn",
            "Too many of its drives are gone: its data cannot be read.",
            "Do not delete or initialize it.",
        ),
    ],
)
def test_what_a_degraded_virtual_drive_survives_is_said(
    monkeypatch: pytest.MonkeyPatch, state: str, meaning: str, advice: str
) -> None:
    answers = nine_two_seventy() | {"/c0/vall show all": changed("9270-vall.json", State=state)}
    (one,) = [one for one in card_warnings(with_card(monkeypatch, answers)) if one.id == "card-degraded"]
    assert one.meaning.startswith(meaning)
    assert one.advice.startswith(advice)


@pytest.mark.parametrize(
    ("off", "seen", "advice"),
    [
        (
            {"Patrol_Read_Reoccurrence": "NA"},
            "patrol read off on LSI MegaRAID SAS 9270CV-8i",
            "Turn it on: storcli64 /c0 set patrolread=on mode=auto",
        ),
        (
            {"Consistency_Check_Reoccurrence": "NA"},
            "consistency check off on LSI MegaRAID SAS 9270CV-8i",
            "Turn it on: storcli64 /c0 set consistencycheck=conc delay=168",
        ),
        (
            {"Patrol_Read_Reoccurrence": "NA", "Consistency_Check_Reoccurrence": "NA"},
            "patrol read and consistency check off on LSI MegaRAID SAS 9270CV-8i",
            "Turn them on: storcli64 /c0 set patrolread=on mode=auto; "
            "storcli64 /c0 set consistencycheck=conc delay=168",
        ),
    ],
)
def test_what_is_off_is_turned_on_by_its_own_command(
    monkeypatch: pytest.MonkeyPatch, off: dict[str, str], seen: str, advice: str
) -> None:
    answers = nine_two_seventy() | {"/c0 show all": changed("9270-c0.json", **off)}
    (one,) = [one for one in card_warnings(with_card(monkeypatch, answers)) if one.id == "card-no-patrol"]
    assert (one.seen, one.advice) == (seen, advice)


@pytest.mark.parametrize(
    ("personality", "said"), [("RAID-Mode ", False), ("HBA-Mode ", True), ("JBOD-Mode", True)]
)
def test_a_card_that_passes_its_drives_on_is_said_to(
    monkeypatch: pytest.MonkeyPatch, personality: str, said: bool
) -> None:
    """PERC 9, the 9400 and newer cards report it in their status."""
    controller = json.loads(recorded("9270-c0.json"))
    controller["Controllers"][0]["Response Data"]["Status"]["Current Personality"] = personality
    there = with_card(monkeypatch, nine_two_seventy() | {"/c0 show all": json.dumps(controller)})
    assert ("card-personality" in {one.id for one in card_warnings(there)}) is said
    assert any(f"personality {personality.partition('-')[0]}," in line for line in about_cards(there))


@pytest.mark.parametrize(
    ("state", "advice"), [("Rbld", "let the rebuild finish"), ("Offln", "replace the failed")]
)
def test_a_rebuild_that_runs_is_waited_for(monkeypatch: pytest.MonkeyPatch, state: str, advice: str) -> None:
    answers = nine_two_seventy() | {
        "/c0/vall show all": changed("9270-vall.json", State="Dgrd"),
        "/c0/eall/sall show all": recorded("9270-sall.json").replace(
            '"State": "Onln"', f'"State": "{state}"', 1
        ),
    }
    (one,) = [one for one in card_warnings(with_card(monkeypatch, answers)) if one.id == "card-degraded"]
    assert advice in one.advice


def test_a_drive_that_failed_is_not_called_free_of_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = recorded("9270-sall.json").replace('"State": "Onln"', '"State": "Failed"', 1)
    (unit,) = units_of(with_card(monkeypatch, nine_two_seventy() | {"/c0/eall/sall show all": failed}))
    notes = {one.state: one.note for one in unit.members}
    assert notes == {"faulty": "", "in sync": "no errors"}


@pytest.mark.parametrize(
    ("model", "package", "fixed"),
    [
        ("PERC H740P Adapter", "51.16.0-4076", "51.16.0-5150"),
        ("PERC H740P Mini", "50.9.4-3025", "51.16.0-5150"),
        ("PERC H745P MX", "51.16.0-5149", "51.16.0-5150"),
        ("PERC H840 Adapter", "51.16.0-5147", "51.16.0-5148"),
        ("PERC H840 Adapter", "51.16.0-5148", ""),
        ("PERC H740P Adapter", "51.16.0-5150", ""),
        ("PERC H740P Adapter", "52.0.0-1", ""),
        ("PERC H740P Adapter", "Unknown", ""),
        ("PERC H730P Mini", "25.5.9.0001", ""),
        ("SAS9341-8i H7400", "24.7.0-0026", ""),
    ],
)
def test_firmware_with_a_fault_that_its_maker_names_is_said(
    monkeypatch: pytest.MonkeyPatch, model: str, package: str, fixed: str
) -> None:
    answers = nine_two_seventy()
    answers["/c0 show all"] = changed("9270-c0.json", Model=model, Firmware_Package_Build=package)
    found = [one for one in card_warnings(with_card(monkeypatch, answers)) if one.id == "card-firmware"]
    assert [one.seen for one in found] == (
        [f"{model}: firmware package {package}, fixed in {fixed}"] if fixed else []
    )
    assert all(fixed in one.advice and "000223830" in one.source for one in found)


def test_write_back_with_a_battery_that_failed_is_grave(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = recorded("9270-c0.json").replace('"State": "Optimal"', '"State": "Failed"')
    there = with_card(monkeypatch, nine_two_seventy() | {"/c0 show all": failed})
    (warning,) = [one for one in card_warnings(there) if one.id == "card-write-back-unprotected"]
    assert warning.seen == "c0v0: write-back, CacheVault Failed"
    assert warning.advice == (
        "Replace the CacheVault, unless it is only charging or learning. "
        "Let it write through until then: storcli64 /c0/v0 set wrcache=wt"
    )


@pytest.mark.parametrize(
    ("cache", "kind", "command"),
    [("RWBD", "card-write-back-unprotected", "wrcache=wt"), ("RWTD", "card-write-through", "/c0 show all")],
)
def test_where_no_battery_is_fitted_none_is_to_be_replaced(
    monkeypatch: pytest.MonkeyPatch, cache: str, kind: str, command: str
) -> None:
    controller = json.loads(recorded("9270-c0.json"))
    data = controller["Controllers"][0]["Response Data"]
    data["HwCfg"]["BBU"] = "Absent"
    del data["Cachevault_Info"]
    answers = nine_two_seventy() | {
        "/c0 show all": json.dumps(controller),
        "/c0/vall show all": changed("9270-vall.json", Cache=cache),
    }
    (warning,) = [one for one in card_warnings(with_card(monkeypatch, answers)) if one.id == kind]
    assert warning.seen.endswith(", no battery or capacitor")
    assert warning.advice.startswith("Fit the battery or capacitor that is made for this card. ")
    assert warning.advice.endswith(command)


def test_bad_blocks_are_lost_data(monkeypatch: pytest.MonkeyPatch) -> None:
    card = replace(CARD, driver="mpi3mr", address="0000:16:00.0")
    disk = replace(VIRTUAL, wwn="0x600062b22066d54069faf44d843b9bb2")
    answers = nine_six_sixty()
    key = "/c0/vall show all"
    answers[key] = answers[key].replace('"Bad Block Exists": "No"', '"Bad Block Exists": "Yes"')
    there = with_card(monkeypatch, answers, card=card, disks=[disk], tool="storcli2")
    (unit,) = units_of(there)
    assert unit.health is Health.ERRORS
    assert "c0v2 is optimal and has bad blocks" in [one.seen for one in card_warnings(there)]


def test_health_is_asked_through_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    reading = MEGARAID.kept(there)
    assert reading is not None
    (adapter,) = reading.adapters
    words = MEGARAID.smart_words(adapter.drives[0], adapter, there.cards)
    assert words == ("--device", "megaraid,14", "/dev/bus/0")
    assert next(disk.smart_words for disk in there.disks if not disk.has_device) == words
    asked: list[list[str]] = []
    known = replace(there, disks=(VIRTUAL,), tools=there.tools | {"smartctl": ""})
    MEGARAID_READER.with_drives(known, asks({}, asked=asked), True)
    assert len(asked) == 8
    assert all(argv[0] == "smartctl" and argv[-1] == "/dev/bus/0" for argv in asked)
    assert [argv[-2] for argv in asked][:2] == ["megaraid,14", "megaraid,13"]


def test_a_recorded_machine_has_its_card(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    again = from_json(to_json(msgspec.to_builtins(there)), Machine, origin="test")
    assert again.disks == there.disks
    assert MEGARAID.kept(again) == MEGARAID.kept(there)
    assert units_of(again) == units_of(there)
    text = "\n".join(describe(again))
    assert "RAID card 0000:01:00.0: LSI MegaRAID SAS 9270CV-8i" in text
    assert "slot 252:0" in text
    assert "write policy: write-back" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_card_is_found_by_the_kernel_s_driver(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    for driver, address, kind in (
        ("megaraid_sas", "0000:01:00.0", "0x010400"),
        ("mpi3mr", "0000:02:00.0", "0x010700"),  # a plain adapter
        ("ahci", "0000:03:00.0", "0x010601"),
    ):
        folder = f"/sys/bus/pci/drivers/{driver}/{address}"
        for name, text in {"class": kind, "vendor": "0x1000", "device": "0x005b"}.items():
            made.write(f"{folder}/{name}", text)
        made.write(f"{folder}/host3/uevent", "")
    made.write("/sys/bus/pci/drivers/megaraid_sas/bind", "")
    (card,) = made.read().cards
    assert (card.driver, card.address, card.vendor, card.hosts) == (
        "megaraid_sas",
        "0000:01:00.0",
        "1000",
        (3,),
    )


def test_a_rebuild_is_watched_and_a_drive_that_is_rebuilt_is_not_in_sync(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drive = recorded("9270-sall.json").replace('"State": "Onln"', '"State": "Rbld"', 1)
    rows = [
        {
            "Drive-ID": "/c0/e252/s0",
            "Progress%": 4,
            "Status": "In progress",
            "Estimated Time Left": "12 Hours 54 Minutes",
        },
        {
            "Drive-ID": "/c0/e252/s1",
            "Progress%": "-",
            "Status": "Not in progress",
            "Estimated Time Left": "-",
        },
    ]
    answers = nine_two_seventy() | {
        "/c0/vall show all": changed("9270-vall.json", Active_Operations="None").replace("Optl", "Dgrd"),
        "/c0/eall/sall show all": drive,
        "/c0/eall/sall show rebuild": json.dumps(
            {"Controllers": [{"Command Status": {"Status": "Success"}, "Response Data": rows}]}
        ),
    }
    (unit,) = units_of(with_card(monkeypatch, answers))
    assert unit.health is Health.DEGRADED
    assert unit.state == "degraded, not redundant: 1 of 8 drives not online, rebuild 4.0 %"
    assert [one.path for one in unit.members if one.state == "rebuilding"] == ["252:0"]
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction) == ("rebuild", 0.04)
    assert unit.activity.seconds_left == 12 * 3600 + 54 * 60


def test_an_initialization_is_watched_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {
            "VD": 0,
            "Operation": "BGI",
            "Progress%": 41,
            "Status": "In progress",
            "Estimated Time Left": "2 Hours",
        },
        {
            "VD": 1,
            "Operation": "BGI",
            "Progress%": "-",
            "Status": "Not in progress",
            "Estimated Time Left": "-",
        },
    ]
    active = changed("9270-vall.json", Active_Operations="Background Initialization (40%)", Consist="No")
    answers = nine_two_seventy() | {"/c0/vall show all": active}
    (unit,) = units_of(with_card(monkeypatch, answers))  # a card that does not say more
    assert unit.activity is not None
    assert (unit.activity.fraction, unit.activity.seconds_left) == (0.4, None)
    (unit,) = units_of(
        with_card(monkeypatch, answers | {"/c0/vall show bgi": answer({"VD Operation Status": rows})})
    )
    assert (unit.health, unit.state) == (Health.SYNCING, "optimal, background initialization 41.0 %")
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction, unit.activity.seconds_left) == (
        "background initialization",
        0.41,
        7200,
    )


def test_parity_that_the_card_never_writes_by_itself_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    idle = changed("9270-vall.json", Active_Operations="None", Consist="No")
    (unit,) = units_of(with_card(monkeypatch, nine_two_seventy() | {"/c0/vall show all": idle}))
    assert (unit.health, unit.state, unit.activity) == (Health.OK, "optimal, parity not verified yet", None)


def test_a_card_is_asked_again_after_its_interval_or_when_a_disk_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    asked, disks = [0.0], [[VIRTUAL]]

    def here() -> CardReading | None:
        asked.append(clock[0])
        return MEGARAID.kept(there)

    clock, seen = [100.0], reader.card_reader(MEGARAID)
    monkeypatch.setattr(Family, "reading_here", lambda family: here())
    monkeypatch.setattr(reader, "read_here", lambda tree: [CARD])
    monkeypatch.setattr(reader, "disks_here", lambda: disks[0])
    monkeypatch.setattr(reader, "read_mounts", lambda tree: ())
    monkeypatch.setattr("raidtui.backends.cards.reader.time.monotonic", lambda: clock[0])
    for clock[0] in (100.0, 101.0, 109.0, 110.0, 111.0):
        (unit,) = seen.now()
        assert unit.node == "/dev/sda"
    assert asked[1:] == [100.0, 110.0]
    disks[0] = [VIRTUAL, replace(VIRTUAL, path="/dev/sdb", wwn="0x5000000000000099")]
    seen.now()
    assert asked[-1] == 111.0


def test_a_benchmark_keeps_the_card_and_its_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    (unit,) = units_of(there)
    made = MEGARAID_READER.measured(unit, there)
    assert (made.level, made.raid_disks, made.chunk_bytes, made.degraded) == ("raid5", 8, 256 * 1024, 0)
    assert made.card == (
        "LSI MegaRAID SAS 9270CV-8i, firmware 23.34.0-0019, cache 875 MiB, CacheVault Optimal, write-back, "
        "read-ahead, drive cache off"
    )
    assert made.properties == {
        "write policy": "write-back",
        "read-ahead": "on",
        "drive cache": "off",
        "battery": "CacheVault Optimal",
        "controller": "LSI MegaRAID SAS 9270CV-8i",
        "firmware": "23.34.0-0019",
        "cache": "875 MiB",
    }


def test_doctor_names_the_tool_and_says_that_no_card_was_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert card_lines(()) == ()
    monkeypatch.setattr(tools, "find_tool", lambda name: name if name == "storcli64" else None)
    first, last = card_lines([CARD])
    assert first == "RAID card 0000:01:00.0: storcli64 answers for it"
    assert "recordings" in last
    monkeypatch.setattr(tools, "find_tool", lambda name: None)
    assert "is not installed" in card_lines([CARD])[0]
