"""Answers of arcconf and storcli in the shapes of many firmwares: what endangers a virtual drive is never left out."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.backends.adaptec.answer import level_of
from raidtui.backends.adaptec.reader import READER as ADAPTEC_READER
from raidtui.backends.cards.care import left_in
from raidtui.backends.cards.records import CardReading, OnCard
from raidtui.backends.units import units_of
from raidtui.model.machine import Machine
from raidtui.model.md_levels import Left
from raidtui.model.unit import Health, Unit
from tests.unit.adaptec_machines import SMARTRAID, with_adaptec
from tests.unit.card_machines import nine_two_seventy, recorded, with_card

ABOUT = """Controllers found: 1
----------------------------------------------------------------------
Controller information
----------------------------------------------------------------------
   Controller Status                        : Optimal
   Controller Model                         : Adaptec 6805
   Installed memory                         : 512 MB
   Defunct disk drive count                 : 0
   Logical devices/Failed/Degraded          : 1/0/0
   --------------------------------------------------------
   Controller Battery Information
   --------------------------------------------------------
   Status                                   : Optimal
"""
VOLUME = """
----------------------------------------------------------------------
Logical device information
----------------------------------------------------------------------
Logical device number 0
   Logical device name                      : tank
   RAID level                               : 1
   Unique Identifier                        : DE172470
   Status of logical device                 : Optimal
   Size                                     : 572194 MB
   Write-cache mode                         : Enabled (write-back)
   Failed stripes                           : No
   --------------------------------------------------------
   Logical device segment information
   --------------------------------------------------------
   Segment 0                                : Present (0,0)      AAAA0001
   Segment 1                                : Present (0,1)      AAAA0002
"""
DRIVES = """
----------------------------------------------------------------------
Physical Device information
----------------------------------------------------------------------
      Device #0
         Device is a Hard drive
         State                              : Online
         Reported Channel,Device(T:L)       : 0,0(0:0)
         Serial number                      : AAAA0001
         Total Size                         : 572325 MB
         S.M.A.R.T.                         : No
      Device #1
         Device is a Hard drive
         State                              : Online
         Reported Channel,Device(T:L)       : 0,1(1:0)
         Serial number                      : AAAA0002
         Total Size                         : 572325 MB
         S.M.A.R.T.                         : No
         S.M.A.R.T. warnings                : 0
"""
DONE = "\n\nCommand completed successfully.\n"
COUNTERS = """      ----------------------------------------------------------------
      Runtime Error Counters
      ----------------------------------------------------------------
         Hardware Error Count               : 0
         Medium Error Count                 : 17
         SMART Warning Count                : 1
"""


def replied(text: str) -> dict[str, str]:
    return {
        "GETVERSION": recorded("arcconf-3204-version.txt"),
        "GETCONFIG 1 AL": text,
        "GETSTATUS 1": recorded("arcconf-none-running.txt"),
    }


def mirror(monkeypatch: pytest.MonkeyPatch, old: str = "", new: str = "", *, more: str = "") -> Unit:
    """The only virtual drive, a mirror, with a line of the answer replaced, or ``more`` at its end."""
    text = ABOUT + VOLUME + DRIVES + more + DONE
    assert old in text
    (unit,) = units_of(with_adaptec(monkeypatch, replied(text.replace(old, new, 1) if old else text)))
    return unit


def test_a_mirror_that_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = mirror(monkeypatch)
    assert (unit.health, unit.state) == (Health.OK, "optimal")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("drive count                 : 0", "drive count : 1", "the card counts 1 failed drive more than it lists"),
        ("Failed stripes                           : No", "Defunct stripes : Yes", "some of its data is lost"),
        (": Optimal\n   Controller Model", ": Failed\n   Controller Model", "the card's own state is Failed"),
        ("State                              : Online", "Condition : Online", "the card does not describe 1 of its 2 drives"),
        (": 1\n   Unique", ":\n   Unique", "its level is not known"),
        (": 1\n   Unique", ": Odd\n   Unique", "its level is not known"),
        ("   Segment 1 ", "   Odd ", "the card lists 1 drive of it: redundancy unknown"),
    ],
)  # fmt: skip
def test_what_endangers_it_is_said_though_the_card_says_optimal(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, words: str
) -> None:
    unit = mirror(monkeypatch, old, new)
    assert unit.health is Health.ERRORS
    assert unit.state.startswith(f"optimal, but {words}")


@pytest.mark.parametrize(
    ("more", "note"),
    [
        (COUNTERS, "17 media errors, 1 predicted failure"),
        ("         SSD Smart Trip Wearout : True\n", "SMART alert"),
        ("         56 Day Warning Present : True\n", "SMART alert"),
    ],
)
def test_the_error_counters_of_each_firmware_are_read(
    monkeypatch: pytest.MonkeyPatch, more: str, note: str
) -> None:
    unit = mirror(monkeypatch, more=more)
    assert (unit.health, unit.state) == (Health.ERRORS, "optimal, but 1 drive is failing")
    assert unit.members[1].note == note


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ("Present (0,1)      AAAA0002", "Inconsistent (0,1)", "offline"),
        ("Present (0,1)", "Rebuilding (0,1)", "rebuilding"),
        ("Present (0,1)", "Failed (0,1)", "faulty"),
        ("S.M.A.R.T. warnings                : 0", "Failed logical device segments : True", "offline"),
    ],
)
def test_a_drive_that_answers_and_lacks_its_part_is_not_in_sync(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, state: str
) -> None:
    unit = mirror(monkeypatch, old, new)
    assert unit.health is Health.DEGRADED
    assert [one.state for one in unit.members] == ["in sync", state]
    assert [one.path for one in unit.members] == ["0:0", "0:1"]


def test_a_card_that_counts_more_degraded_virtual_drives_than_it_describes_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = with_adaptec(monkeypatch, replied((ABOUT + VOLUME + DRIVES + DONE).replace(": 1/0/0", ": 1/0/1")))
    (why,) = ADAPTEC_READER.unlisted(there)
    assert "1 failed or degraded" in why


@pytest.mark.parametrize("level", ["Simple_volume", "Spanned_volume", "JBOD", "Volume"])
def test_a_volume_of_one_copy_has_no_redundancy(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    unit = mirror(monkeypatch, ": 1\n   Unique", f": {level}\n   Unique")
    assert (unit.health, unit.state) == (Health.OK, "optimal, no redundancy")
    assert isinstance(unit.reading, OnCard)
    assert left_in(unit.reading.volume, unit.reading.adapter) is not Left.SOME


@pytest.mark.parametrize(
    ("text", "level"), [("1(Triple)", "raid1"), ("10Triple", "raid10"), ("10 (ADM)", "raid10"), ("5EE", "raid5ee")]
)  # fmt: skip
def test_triple_mirrors_are_mirrors(text: str, level: str) -> None:
    assert level_of(text) == level


HBA = ABOUT.replace("Controller Model", "Controller Mode : HBA\n   Controller Model").replace(
    "   Logical devices/Failed/Degraded          : 1/0/0\n", ""
)
PASSED = DRIVES.replace(": Online", ": Raw (Pass Through)")


def unlisted(there: Machine) -> tuple[str, ...]:
    return ADAPTEC_READER.unlisted(there)


def test_a_card_that_is_an_hba_has_no_virtual_drives_that_could_not_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = with_adaptec(monkeypatch, replied(HBA + PASSED + DONE), card=SMARTRAID)
    assert unlisted(whole) == ()
    parts = replied("") | {
        "GETCONFIG 1 AL": "The requested feature is not supported on this controller.\n\nCommand aborted.\n",
        "GETCONFIG 1 AD": HBA + DONE,
        "GETCONFIG 1 PD": PASSED + DONE,
    }
    assert unlisted(with_adaptec(monkeypatch, parts, card=SMARTRAID)) == ()


@pytest.mark.parametrize(
    "text",
    [
        HBA.replace(": HBA", ": Mixed") + PASSED,
        HBA + "\nLogical device information\n   Something else\n" + PASSED,
    ],
)
def test_another_card_that_lists_no_virtual_drives_may_have_some(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (why,) = unlisted(with_adaptec(monkeypatch, replied(text + DONE), card=SMARTRAID))
    assert "cannot be understood" in why


def storcli(
    monkeypatch: pytest.MonkeyPatch, command: str, change: Callable[[dict[str, Any]], object]
) -> Unit:
    """The only virtual drive of the 9270 with one answer changed."""
    answers = nine_two_seventy()
    document = json.loads(answers[command])
    change(document["Controllers"][0]["Response Data"])
    (unit,) = units_of(with_card(monkeypatch, answers | {command: json.dumps(document)}))
    return unit


VALL, ALL = "/c0/vall show all", "/c0 show all"


@pytest.mark.parametrize(("word", "says"), [("RO", "read-only"), ("Blocked", "blocked"), ("Odd", "Odd")])
def test_a_virtual_drive_that_the_card_does_not_let_be_written_is_not_well(
    monkeypatch: pytest.MonkeyPatch, word: str, says: str
) -> None:
    unit = storcli(monkeypatch, VALL, lambda data: data["/c0/v0"][0].update(Access=word))
    assert unit.health is Health.ERRORS
    assert unit.state.startswith(f"optimal, but the card keeps it {says}")


def test_a_stripe_over_spans_has_no_redundancy(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = storcli(monkeypatch, VALL, lambda data: data["/c0/v0"][0].update(TYPE="RAID00"))
    assert unit.state.startswith("optimal, no redundancy")


def test_a_virtual_drive_whose_drives_are_not_listed_lacks_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not known that any is missing, nor that none is."""
    unit = storcli(monkeypatch, VALL, lambda data: data.pop("PDs for VD 0"))
    assert unit.health is Health.ERRORS
    assert "the card does not describe 8 of its 8 drives: redundancy unknown" in unit.state
    assert {one.state for one in unit.members} == {"unknown"}


@pytest.mark.parametrize(
    ("status", "says"),
    [
        ({"Memory Uncorrectable Errors": 3}, "the card's memory has 3 uncorrectable errors"),
        ({"Controller Status": "Needs Attention"}, "the card's own state is Needs Attention"),
        ({"VD Degraded Count": 1}, ""),
    ],
)
def test_what_the_card_says_of_itself_is_said_of_its_virtual_drives(
    monkeypatch: pytest.MonkeyPatch, status: dict[str, Any], says: str
) -> None:
    unit = storcli(monkeypatch, ALL, lambda data: data["Status"].update(status))
    assert (unit.health is Health.ERRORS) == bool(says)
    assert says in unit.state


def test_storcli2_counts_degraded_virtual_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy()
    document = json.loads(answers[ALL])
    document["Controllers"][0]["Response Data"]["Status"]["VD Degraded Count"] = 1
    there = with_card(monkeypatch, answers | {ALL: json.dumps(document)})
    reading = units_of(there)[0].reading
    assert isinstance(reading, OnCard)
    (why,) = CardReading(adapters=(reading.adapter,)).unlisted
    assert "counts 1 degraded or offline virtual drives but describes 0 as such" in why


SALL = "/c0/eall/sall show all"
FIRST = "Drive /c0/e252/s0 - Detailed Information"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop(FIRST),
        lambda data: data[FIRST].pop("Drive /c0/e252/s0 State"),
        lambda data: data[FIRST]["Drive /c0/e252/s0 State"].update({"Media Error Count": "N/A"}),
        lambda data: data[FIRST]["Drive /c0/e252/s0 State"].pop("Predictive Failure Count"),
    ],
)
def test_a_drive_whose_errors_are_not_counted_is_not_known_to_be_well(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[dict[str, Any]], object]
) -> None:
    unit = storcli(monkeypatch, SALL, change)
    assert unit.health is Health.ERRORS
    assert unit.state.startswith("optimal, but the card does not say whether 1 drive of it had errors")


def test_drives_that_are_only_listed_are_not_known_to_be_well(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy()
    del answers[SALL]
    (unit,) = units_of(with_card(monkeypatch, answers))
    assert "the card does not say whether 8 drives of it had errors" in unit.state


def test_without_a_battery_a_write_policy_that_is_not_understood_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (ABOUT + VOLUME + DRIVES + DONE).replace(": Optimal\n\n---", ": Not Installed\n\n---")
    there = with_adaptec(monkeypatch, replied(text.replace(": Enabled (write-back)", ": Odd")))
    assert "card-cache-unknown" in {one.id for one in ADAPTEC_READER.warnings(there)}
    there = with_adaptec(monkeypatch, replied(text.replace(": Enabled (write-back)", ": Not supported")))
    assert "card-cache-unknown" not in {one.id for one in ADAPTEC_READER.warnings(there)}
