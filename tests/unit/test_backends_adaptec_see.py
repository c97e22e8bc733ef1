"""An Adaptec card as raidtui shows it: cards, virtual drives as units, drives in slots, hazards; and answers that lie."""

import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.backends.adaptec import tools
from raidtui.backends.adaptec.answer import level_of, lines_of, size_of
from raidtui.backends.adaptec.drives import drives_in
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.adaptec.volumes import operations_in, volumes_in
from raidtui.backends.cards.records import Drive, DriveState, Policy, Volume, VolumeState
from raidtui.backends.units import about_cards, card_warnings, units_of
from raidtui.commands.doctor import card_lines
from raidtui.model.errors import StepFailed
from raidtui.model.machine import ClaimKind, Machine, Weight
from raidtui.model.plan import Severity
from raidtui.model.struct import from_json, to_json
from raidtui.model.unit import Health
from tests.unit.adaptec_machines import (
    CARD,
    REFUSED,
    SERIALS,
    SMARTRAID,
    VIRTUAL,
    a_volume,
    all_ready,
    asks,
    of_series_three,
    of_series_two,
    of_smartraid,
    with_adaptec,
    with_volume,
)
from tests.unit.card_machines import recorded

RECORDED = ("arcconf-m1-ld.txt", "arcconf-8k-al.txt", "arcconf-8kl-al.txt", "arcconf-raid10-ld.txt")


def drives(name: str) -> list[Drive]:
    return list(drives_in(lines_of(recorded(name))))


def volumes(text: str, behind: list[Drive] | None = None) -> list[Volume]:
    return [volume for volume, _ in volumes_in(lines_of(text), behind or [], {})]


def test_virtual_drives_of_smartraid_are_tied_to_their_disks_by_wwn(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = replace(VIRTUAL, serial="x", wwn="0x600508b1001cfe283ca96614826a7f85")
    there = with_adaptec(monkeypatch, of_smartraid(), card=SMARTRAID, disks=[disk])
    units = {unit.name: unit for unit in units_of(there)}
    assert [unit.node for unit in units.values()] == ["", "/dev/sda", ""]
    unit = units["Logical Drive 2"]
    assert (unit.level, unit.health, unit.state) == ("raid0", Health.OK, "optimal, no redundancy")
    assert unit.size_bytes == 1144609 * 2**20
    assert [(one.path, one.disk, one.state) for one in unit.members] == [("0:1", "59M0A06CFJRG", "in sync")]
    assert unit.details == (
        "strip: 128 KiB",
        "write policy: write-through now, set to write-back",
        "drive cache: off",
        "cache protection: capacitor Not Fully Charged",
        "controller: Cisco 24G TriMode M1 RAID 4GB FBWC 16D UCSC-RAID-M1L16, firmware 03.01.24.082-p, cache 3.56 GiB",
        "place: logical device 1",
    )


def test_older_cards_give_a_serial_number_to_the_kernel_s_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    (unit,) = units_of(with_adaptec(monkeypatch, with_volume(a_volume())))
    assert (unit.name, unit.level, unit.node) == ("tank-123456", "raid5", "/dev/sda")
    assert (unit.health, unit.state) == (Health.OK, "optimal")
    assert [one.disk for one in unit.members] == list(SERIALS[:3])
    assert unit.details[:4] == (
        "strip: 256 KiB",
        "write policy: write-back",
        "read-ahead: on",
        "drive cache: on",
    )
    other = replace(VIRTUAL, serial="DE172471")
    (unit,) = units_of(with_adaptec(monkeypatch, with_volume(a_volume()), disks=[other]))
    assert (unit.node, unit.state) == ("", "optimal, but the kernel has no disk for it")


def test_the_oldest_tools_do_not_say_which_disk_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    (unit,) = units_of(with_adaptec(monkeypatch, of_series_two()))
    assert (unit.name, unit.level, unit.node) == ("c1v1", "raid1", "")
    assert unit.state == "optimal, but its tool does not say which disk it is"


@pytest.mark.parametrize(
    ("status", "health", "words"),
    [
        ("Optimal", Health.OK, "optimal"),
        ("Suboptimal, Fault Tolerant", Health.DEGRADED, "one more drive may fail"),
        ("Degraded", Health.DEGRADED, "not redundant"),
        ("Degraded, Rebuilding ( Rebuild : 38 % )", Health.DEGRADED, "not redundant"),
        ("Impacted ( Build/Verify with fix : 4 % )", Health.BUILDING, "not redundant yet"),
        ("Failed", Health.FAILED, "FAILED"),
        ("Failed/Offline", Health.FAILED, "FAILED"),
        ("Logical device disabled", Health.INACTIVE, "the card says Logical device disabled"),
        ("Optimally bad", Health.INACTIVE, "the card says Optimally bad"),
        ("Nicht optimal", Health.INACTIVE, "the card says Nicht optimal"),
        ("", Health.INACTIVE, "the card says nothing"),
    ],
)
def test_a_state_is_never_better_than_the_card_s_word(
    monkeypatch: pytest.MonkeyPatch, status: str, health: Health, words: str
) -> None:
    (unit,) = units_of(with_adaptec(monkeypatch, with_volume(a_volume(status=status))))
    assert unit.health is health
    assert words in unit.state


def test_a_drive_that_is_gone_has_no_place_and_the_unit_is_not_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = with_adaptec(monkeypatch, with_volume(a_volume(third="Missing")))
    (unit,) = units_of(there)
    assert (unit.health, unit.state) == (
        Health.DEGRADED,
        "degraded: 1 drive not online, though the card says Optimal",
    )
    assert [(one.path, one.state) for one in unit.members][2] == ("", "missing")
    assert len([disk for disk in there.disks if not disk.has_device]) == 4
    assert about_cards(there)[1].endswith(", 1 virtual drive, 4 drives")


@pytest.mark.parametrize(
    ("word", "health", "words", "member"),
    [
        ("Rebuilding", Health.DEGRADED, "degraded: 1 drive not online, though the card says", "rebuilding"),
        ("Ejected", Health.ERRORS, "the card says Ejected of a drive of it: redundancy unknown", "Ejected"),
    ],
)
def test_a_unit_is_not_optimal_while_the_state_of_a_drive_of_it_is_another(
    monkeypatch: pytest.MonkeyPatch, word: str, health: Health, words: str, member: str
) -> None:
    answers = with_volume(a_volume())
    answers["GETCONFIG 1 PD"] = re.sub(
        r"(?m)^( +State +: ).*$", rf"\g<1>{word}", answers["GETCONFIG 1 PD"], count=1
    )
    (unit,) = units_of(with_adaptec(monkeypatch, answers))
    assert unit.health is health
    assert words in unit.state
    assert member in {one.state for one in unit.members}


def test_what_the_card_does_is_an_activity_with_its_percentage(monkeypatch: pytest.MonkeyPatch) -> None:
    running = operations_in(lines_of(recorded("arcconf-running.txt")))
    assert {key: [(one.what, one.fraction) for one in found] for key, found in running.items()} == {
        "0": [("migration", 0.09)],
        "1": [("rebuild", 0.03)],
    }
    assert operations_in(lines_of(recorded("arcconf-none-running.txt"))) == {}
    answers = with_volume(a_volume(status="Degraded")) | {
        "GETSTATUS 1": recorded("arcconf-running.txt").replace("device                 : 1", "device : 0")
    }
    (unit,) = units_of(with_adaptec(monkeypatch, answers))
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction) == ("migration", 0.09)
    (unit,) = units_of(with_adaptec(monkeypatch, with_volume(a_volume(status="Degraded ( Rebuild : 38 % )"))))
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction) == ("rebuild", 0.38)


def test_raid5_that_is_not_built_yet_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    (unit,) = units_of(with_adaptec(monkeypatch, of_series_three()))
    assert (unit.name, unit.level, unit.health) == ("somang", "raid5", Health.BUILDING)
    assert [one.path for one in unit.members] == ["0:0", "0:1", "0:2"]


def test_drives_are_disks_in_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_adaptec(monkeypatch, of_series_two())
    behind = [disk for disk in there.disks if not disk.has_device]
    assert [(disk.slot, disk.serial) for disk in behind] == [
        (f"0:{number}", serial) for number, serial in enumerate(SERIALS)
    ]
    assert [disk.taken_by[0].what for disk in behind] == [ClaimKind.CARD] * 2 + [ClaimKind.UNKNOWN_DATA] * 2
    assert behind[0].taken_by[0].detail == "in virtual drive c1v1 (its disk is not known)"
    assert [disk.choosable for disk in behind] == [False, False, True, True]
    assert behind[2].size_bytes == 429247 * 2**20
    assert behind[2].controller is not None
    assert (behind[2].controller.driver, behind[2].controller.address) == ("aacraid", "0000:01:00.0")


@pytest.mark.parametrize(
    ("state", "weight", "word"),
    [
        ("Failed", Weight.UNUSABLE, "Failed"),
        ("Global Hot-Spare", Weight.BUSY, "hot spare"),
        ("Rebuilding", Weight.BUSY, "Rebuilding"),
        ("Raw (Pass Through)", Weight.BUSY, "no device"),
        ("Bereit", Weight.UNUSABLE, "Bereit"),
        ("Ready\n         Drive has stale RIS data : True", Weight.BUSY, "foreign"),
    ],
)
def test_a_drive_that_is_set_aside_cannot_be_chosen(
    monkeypatch: pytest.MonkeyPatch, state: str, weight: Weight, word: str
) -> None:
    answers = all_ready()
    answers["GETCONFIG 1 PD"] = answers["GETCONFIG 1 PD"].replace(": Ready", f": {state}")
    there = with_adaptec(monkeypatch, answers, disks=())
    assert {claim.weight for disk in there.disks for claim in disk.taken_by} == {weight}
    assert all(word in disk.taken_by[0].detail for disk in there.disks)


def test_a_ready_drive_that_is_passed_on_keeps_its_device_and_gets_its_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = replace(VIRTUAL, serial="WSD55XT0054521231QWM")
    answers = of_smartraid() | {
        "GETCONFIG 1 PD": recorded("arcconf-3204-pd.txt"),
        "GETCONFIG 1 LD": recorded("arcconf-3204-ld.txt"),
    }
    there = with_adaptec(monkeypatch, answers, card=SMARTRAID, disks=[raw])
    assert [disk.slot for disk in there.disks if disk.has_device] == ["0:10"]
    one, two = units_of(there)
    assert [member.disk for member in one.members] == ["8DGYNB3H", "8HHWTJVH"]
    # Its drives are not among those that the recording describes.
    assert [(member.path, member.state) for member in two.members] == [("", "Present")] * 4
    assert one.size_bytes == 11364320 * 2**20
    assert two.size_bytes == 2 * one.size_bytes


def test_slots_of_two_cards_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    second = {
        words.replace(" 1", " 2"): re.sub("3LM|3QQ|5000C5", "9XX", text)
        for words, text in of_series_two().items()
        if " 1" in words
    }
    version = of_series_two()["GETVERSION"].replace("Command", "Controller #2\nFirmware : 5.2\n\nCommand")
    there = with_adaptec(monkeypatch, of_series_two() | second | {"GETVERSION": version})
    slots = [one.slot for one in there.disks if one.slot]
    assert len(slots) == len(set(slots)) == 8
    assert {"c1 0:0", "c2 0:0"} <= set(slots)


def test_a_card_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_adaptec(monkeypatch, of_smartraid(), card=SMARTRAID)
    assert about_cards(there) == (
        "RAID card 0000:4b:00.0: Cisco 24G TriMode M1 RAID 4GB FBWC 16D UCSC-RAID-M1L16, driver smartpqi",
        "  firmware 03.01.24.082-p, cache 3.56 GiB, capacitor Not Fully Charged, status optimal, personality Mixed, "
        "3 virtual drives, 3 drives",
    )
    lines = about_cards(with_adaptec(monkeypatch, of_series_two()))
    assert lines[1] == (
        "  firmware 5.2-0 (11835), cache 32.0 MiB, no battery or capacitor, status okay, 1 virtual drive, 4 drives"
    )


def test_a_card_without_the_tool_is_named_with_what_to_get(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_adaptec(monkeypatch, {}, tool="")
    (_, said) = about_cards(there)
    assert "arcconf, which reads the RAID card at 0000:01:00.0, is not installed" in said
    assert "Microchip" in said
    assert there.disks == (VIRTUAL,)
    monkeypatch.setattr(tools, "find_tool", lambda name: name if name == "/usr/StorMan/arcconf" else None)
    assert tools.tool_for(CARD) == "/usr/StorMan/arcconf"
    hpe = replace(SMARTRAID, board_vendor="103c")
    assert "ssacli" in about_cards(with_adaptec(monkeypatch, of_smartraid(), card=hpe))[-1]


def test_doctor_names_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find_tool", lambda name: name if name == "arcconf" else None)
    first, last = card_lines([CARD])
    assert first == "RAID card 0000:01:00.0: arcconf answers for it"
    assert "recordings" in last


def test_smart_is_asked_through_the_older_driver_only(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_adaptec(monkeypatch, of_series_two())
    reading = ADAPTEC.kept(there)
    assert reading is not None
    (adapter,) = reading.adapters
    words = ADAPTEC.smart_words(adapter.drives[2], adapter, there.cards)
    assert words == ("--device", "aacraid,0,0,2", "/dev/aac0")
    newer = replace(adapter, address=SMARTRAID.address)
    assert ADAPTEC.smart_words(adapter.drives[2], newer, (SMARTRAID,)) == ()


def test_an_odd_exit_status_of_a_completed_answer_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find_tool", lambda name: name)
    reading = ADAPTEC.read_ours([CARD], asks(of_series_two(), returncode=3))
    assert reading is not None
    assert len(reading.adapters[0].drives) == 4


@pytest.mark.parametrize("part", ["AD", "LD", "PD"])
def test_one_part_that_fails_hides_no_other(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    there = with_adaptec(monkeypatch, of_series_two() | {f"GETCONFIG 1 {part}": REFUSED})
    lines = [line for line in about_cards(there) if "not known" in line]
    assert any(f"arcconf GETCONFIG 1 {part}" in line for line in lines)
    assert bool(units_of(there)) is (part != "LD")
    assert any(not disk.has_device for disk in there.disks) is (part != "PD")


@pytest.mark.parametrize("parts", [of_series_two, of_series_three])
def test_one_answer_with_everything_says_what_its_parts_say(
    monkeypatch: pytest.MonkeyPatch, parts: Callable[[], dict[str, str]]
) -> None:
    asked: list[list[str]] = []
    answers = parts()
    monkeypatch.setattr(tools, "find_tool", lambda name: name)
    whole = {**answers, "GETCONFIG 1 AL": answers["GETCONFIG 1 AD"]}
    assert ADAPTEC.read_ours([CARD], asks(whole, asked=asked)) == ADAPTEC.read_ours([CARD], asks(answers))
    assert [argv[1:] for argv in asked] == [["GETVERSION"], ["GETCONFIG", "1", "AL"], ["GETSTATUS", "1"]]


def test_other_counts_of_the_card_than_are_described_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = of_smartraid()
    answers["GETCONFIG 1 AD"] = answers["GETCONFIG 1 AD"].replace(": 3/0/0", ": 4/0/1")
    lines = about_cards(with_adaptec(monkeypatch, answers, card=SMARTRAID))
    assert "  not known: arcconf: the card reports 4 virtual drives but describes 3" in lines
    assert any(
        "reports 1 failed or degraded virtual drives but describes 0 as such" in line for line in lines
    )


def test_hazards_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = with_volume(a_volume(status="Degraded"))
    answers["GETCONFIG 1 AD"] = recorded("arcconf-8kl-al.txt")  # without a battery
    there = with_adaptec(monkeypatch, answers)
    found = {one.id: one for one in card_warnings(there)}
    assert set(found) == {"card-degraded", "card-write-back-unprotected", "card-drive-cache", "card-family"}
    lost = found["card-write-back-unprotected"]
    assert lost.seen == "tank-123456: write-back, no battery or capacitor"
    assert lost.advice == (
        "Fit the battery or capacitor that is made for this card. "
        "Let it write through until then: arcconf SETCACHE 1 LOGICALDRIVE 0 WT"
    )
    assert found["card-drive-cache"].advice.endswith(
        "arcconf SETCACHE 1 DEVICE 0 0 WT; arcconf SETCACHE 1 DEVICE 0 1 WT"
    )
    smart = with_adaptec(monkeypatch, of_smartraid(), card=SMARTRAID)
    ids = [one.id for one in card_warnings(smart)]
    assert ids == ["card-write-through"] * 3 + ["card-family"]


def test_failed_stripes_are_lost_data_though_the_card_calls_it_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = with_adaptec(monkeypatch, with_volume(a_volume(failed="Yes")))
    (unit,) = units_of(there)
    assert (unit.health, unit.state) == (Health.ERRORS, "optimal, but some of its data is lost")
    (lost,) = [one for one in card_warnings(there) if one.id == "card-bad-blocks"]
    assert (lost.severity, lost.seen) == (Severity.HIGH, "tank-123456 is optimal and has failed stripes")
    assert "No rebuild or check brings it back" in lost.meaning
    (unit,) = units_of(with_adaptec(monkeypatch, with_volume(a_volume())))
    assert unit.health is Health.OK


def test_a_reading_comes_back_from_a_file_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_adaptec(monkeypatch, of_smartraid(), card=SMARTRAID)
    again = from_json(to_json(msgspec.to_builtins(there)), Machine, origin="test")
    assert units_of(again) == units_of(there)
    assert about_cards(again) == about_cards(there)


def test_another_order_of_lines_says_the_same() -> None:
    whole = recorded("arcconf-m1-pd.txt").splitlines()
    first, last = whole.index("      Device #0"), whole.index("      Device #1")
    inside = whole[first + 1 : last]
    turned = [*whole[: first + 1], *reversed(inside), *whole[last:]]
    assert list(drives_in(lines_of("\n".join(turned)))) == drives("arcconf-m1-pd.txt")


@pytest.mark.parametrize("name", RECORDED)
@given(cut=st.floats(min_value=0, max_value=0.999))
def test_an_answer_that_is_cut_short_is_not_taken_for_one(name: str, cut: float) -> None:
    text = recorded(name).rstrip()
    with pytest.raises(StepFailed):
        lines_of(text[: int((len(text) - 1) * cut)])


@pytest.mark.parametrize("name", RECORDED)
@given(data=st.data())
def test_damaged_lines_never_make_a_bad_state_optimal(name: str, data: st.DataObject) -> None:
    bad = recorded(name).replace(": Optimal", ": Degraded").replace(": Okay", ": Critical")
    lines = bad.splitlines()
    where = data.draw(st.integers(0, len(lines) - 2))
    new = data.draw(st.sampled_from(["", "<html>", "Größe : 12 ГБ", ":", "Device #", "x" * 500, ": : :"]))
    drop = data.draw(st.integers(0, len(lines) - 2))
    damaged = [one if number != where else new for number, one in enumerate(lines) if number != drop]
    text = "\n".join(damaged)
    found = volumes(text, list(drives_in(lines_of(text))))
    assert all(one.state is not VolumeState.OPTIMAL for one in found)


def test_sizes_in_units_that_nobody_knows_are_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = with_volume(a_volume())
    there = with_adaptec(monkeypatch, {key: text.replace(" MB", " Mo") for key, text in answers.items()})
    (unit,) = units_of(there)
    assert unit.size_bytes == VIRTUAL.size_bytes
    behind = [disk for disk in there.disks if not disk.has_device]
    assert {claim.weight for disk in behind for claim in disk.taken_by} == {Weight.UNUSABLE}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("953869 MB", 953869 * 2**20),
        ("1.5 TB", round(1.5 * 2**40)),
        ("64 KB", 65536),
        ("512 Bytes", 512),
        ("953869 Mo", None),
        ("viel", None),
        ("", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("6 Reed-Solomon", "raid6"),
        ("10", "raid10"),
        ("1E", "raid1e"),
        ("5EE", "raid5ee"),
        ("Simple_volume", "simple_volume"),
        ("", ""),
    ],
)
def test_levels(text: str, level: str) -> None:
    assert level_of(text) == level


def test_of_two_ports_the_drive_s_own_name_is_taken() -> None:
    first, second, third = drives("arcconf-m1-pd.txt")
    assert (first.wwn, second.wwn, third.wwn) == (
        "5000039c983ad889",
        "50000399686ba671",
        "5000c500a137c8cb",
    )
    assert first.bay == "backplane 0, slot 1"
    assert first.state is DriveState.ONLINE
    (volume,) = volumes(recorded("arcconf-raid10-ld.txt"))
    assert volume.slots == ("0:8", "0:9", "0:10", "0:11")
    assert volume.policy is Policy.ALWAYS_WRITE_BACK
