"""Cards and tools that are not as they should be, of both families: one sentence that says what is wrong, where and what
would be right, and nothing is changed.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.backends import reading
from raidtui.backends.adaptec import conditions as adaptec
from raidtui.backends.adaptec.conditions import VOLUME_GONE as ADAPTEC_GONE
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, CardReading
from raidtui.backends.megaraid import conditions as megaraid
from raidtui.backends.megaraid.conditions import VOLUME_GONE as MEGARAID_GONE
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.backends.units import about_cards
from raidtui.jobs.commands import Done
from raidtui.jobs.journal import read_journal
from raidtui.jobs.runner import run_job
from raidtui.machine.ask import Ask, ToolAnswer
from raidtui.machine.child import Output
from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed, ToolMissing
from raidtui.model.machine import Card, Machine
from raidtui.model.plan import Check
from raidtui.model.spec import Backend, Spec
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from tests.unit import adaptec_machines, card_machines
from tests.unit import test_backends_adaptec_build as of_adaptec
from tests.unit import test_backends_megaraid_build as of_megaraid
from tests.unit.adaptec_machines import SERIALS, all_ready, with_adaptec
from tests.unit.card_machines import answer, with_card
from tests.unit.changed_parts import change_part
from tests.unit.fake_computer import FakeComputer
from tests.unit.lvm_machines import lvm_disk
from tests.unit.plan_machines import SEED, disk, machine
from tests.unit.test_backends_megaraid_build import a_job

FIRST, SECOND, THIRD = of_megaraid.SERIALS[:3]
HTML = "<html>\n<body>It works!</body>\n</html>"
QUESTION = "Do you want to continue? (y/n)"
WRONG = "run it yourself to see what it wants"
HANGS = ToolAnswer(returncode=None, stderr="the tool did not end within 60 s")


def test_the_tool_of_a_card_has_a_minute_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[Backend, float] = {}

    def late(process: object, timeout_seconds: float) -> Output:
        return Output(returncode=None, problem=f"did not end within {timeout_seconds:.0f} s")

    def read(name: Backend, machine: Machine, ask: Ask) -> None:
        said = ask(["true"]).stderr
        limits[name] = float(said.removeprefix("true did not end within ").removesuffix(" s"))

    cards = tuple(Card(driver=driver, address="0000:01:00.0") for driver in ("megaraid_sas", "smartpqi"))
    monkeypatch.setattr(reading, "read_machine", lambda **_: replace(machine(lvm_disk(1)), cards=cards))
    monkeypatch.setattr("raidtui.machine.ask.start", lambda argv: None)
    monkeypatch.setattr("raidtui.machine.ask.finish", late)
    for name in (Backend.LVM, Backend.MEGARAID, Backend.ADAPTEC):
        change_part(monkeypatch, name, "reader.READER", read=partial(read, name))
    reading.read_whole()
    assert limits == {Backend.MEGARAID: 60, Backend.ADAPTEC: 60, Backend.LVM: 20}


def failure(code: int, text: str) -> str:
    """What storcli answers where it did not do it."""
    rows: Any = {"Detailed Status": [{"Status": "Failed", "ErrCd": code, "ErrMsg": text}]}
    return answer(Status="Failure", Description="Failed", **rows)


def aborted(text: str) -> str:
    """The same of arcconf."""
    return f"Controllers found: 1\n\n{text}\n\nCommand aborted.\n"


BUSY = failure(7, "Application already in use - try later")
FLASHED = failure(15, "Flash download already in progress")
ARCCONF_BUSY = aborted("The controller is busy.")
AGAIN = "the card is busy: try again when it is idle"
OLD = json.dumps(
    {"Controllers": [{"Command Status": {"Status": "Success", "CLI Version": "1.23.02 Mar 2017"}}]}
)


@pytest.mark.parametrize(
    ("answers", "returncode", "tool", "kind", "said"),
    [
        pytest.param({}, 0, "", ToolMissing, ["storcli64", "0000:01:00.0", "not installed", "Broadcom"], id="missing"),
        pytest.param({"show": OLD}, 0, "storcli64", ToolMissing, ["1.23.02", "7 or newer", "Broadcom"], id="too old"),
        pytest.param(
            {"show": answer({"Number of Controllers": 0})},
            0,
            "storcli64",
            Refused,
            ["storcli64 does not see the RAID card at 0000:01:00.0: use a newer version"],
            id="older than the card",
        ),
        pytest.param({}, -11, "storcli64", Refused, ["storcli64 show", "signal 11", "newer version"], id="crashes"),
        pytest.param({"show": QUESTION}, 0, "storcli64", Refused, ["storcli64 show", QUESTION, WRONG], id="asks"),
        pytest.param({"show": HTML}, 0, "storcli64", Refused, ["storcli64 show", "<html>", WRONG], id="HTML"),
        pytest.param({"show": ""}, 0, "storcli64", Refused, ["storcli64 show", "no answer"], id="says nothing"),
        pytest.param({"show": BUSY}, 0, "storcli64", Refused, ["storcli64 show", "in use", AGAIN], id="busy"),
        pytest.param(
            {"show": answer({"Number of Controllers": 1}), "/c0/vall show all": FLASHED},
            0,
            "storcli64",
            Refused,
            ["storcli64 /c0/vall", "Flash download already in progress (error 15)", AGAIN],
            id="flashes its firmware",
        ),
    ],
)  # fmt: skip
def test_a_megaraid_card_that_is_not_read_is_said_so(
    monkeypatch: pytest.MonkeyPatch,
    answers: dict[str, str],
    returncode: int,
    tool: str,
    kind: type[RaidtuiError],
    said: Sequence[str],
) -> None:
    monkeypatch.setattr(card_machines, "asks", with_code(card_machines.asks, returncode))
    see(with_card(monkeypatch, answers, disks=[disk(1)], tool=tool), of_megaraid.SPEC, kind, said)


@pytest.mark.parametrize(
    ("answers", "returncode", "tool", "kind", "said"),
    [
        pytest.param({}, 0, "", ToolMissing, ["arcconf", "0000:01:00.0", "not installed", "Microchip"], id="missing"),
        pytest.param(
            {"GETVERSION": "Controllers found: 0\n\nCommand completed successfully."},
            0,
            "arcconf",
            Refused,
            ["arcconf does not see the RAID card at 0000:01:00.0: use a newer version"],
            id="older than the card",
        ),
        pytest.param({}, -11, "arcconf", Refused, ["arcconf GETVERSION", "signal 11", "newer version"], id="crashes"),
        pytest.param({"GETVERSION": QUESTION}, 0, "arcconf", Refused, ["arcconf GETVERSION", QUESTION, WRONG], id="asks"),
        pytest.param({"GETVERSION": HTML}, 0, "arcconf", Refused, ["arcconf GETVERSION", "</html>", WRONG], id="HTML"),
        pytest.param({"GETVERSION": ""}, 0, "arcconf", Refused, ["arcconf GETVERSION", "no answer"], id="says nothing"),
        pytest.param(
            {"GETVERSION": ARCCONF_BUSY}, 0, "arcconf", Refused, ["arcconf GETVERSION", "is busy", AGAIN], id="busy"
        ),
        pytest.param(
            all_ready() | {"GETCONFIG 1 LD": ARCCONF_BUSY},
            0,
            "arcconf",
            Refused,
            ["arcconf GETCONFIG 1 LD", "is busy", AGAIN],
            id="busy for a part",
        ),
        pytest.param(
            all_ready() | {"GETCONFIG 1 LD": aborted("Invalid argument.")},
            0,
            "arcconf",
            Refused,
            ["arcconf GETCONFIG 1 LD", "refused", "Invalid argument."],
            id="does not know the command",
        ),
    ],
)  # fmt: skip
def test_an_adaptec_card_that_is_not_read_is_said_so(
    monkeypatch: pytest.MonkeyPatch,
    answers: dict[str, str],
    returncode: int,
    tool: str,
    kind: type[RaidtuiError],
    said: Sequence[str],
) -> None:
    monkeypatch.setattr(adaptec_machines, "asks", with_code(adaptec_machines.asks, returncode))
    see(with_adaptec(monkeypatch, answers, disks=[disk(1)], tool=tool), of_adaptec.SPEC, kind, said)


def with_code(asks: Any, returncode: int) -> Any:
    """Something that answers for a tool which always ends with this code."""
    return lambda answers: asks(answers, returncode=returncode)


def see(there: Machine, spec: Spec, kind: type[RaidtuiError], said: Sequence[str]) -> None:
    """That neither a build nor a removal is planned on ``there``, with the sentence that the screens show too."""
    with pytest.raises(kind) as built:
        make_plan(spec, there, seed=SEED)
    with pytest.raises(kind) as removed:
        make_teardown("tank", there, seed=SEED)
    for text in (str(built.value), str(removed.value), "\n".join(about_cards(there))):
        assert all(words in text for words in said), text
    assert "\n" not in str(built.value)


@pytest.mark.parametrize("hanging", ["show", "/c0 show all"])
def test_a_storcli_that_hangs_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, hanging: str) -> None:
    monkeypatch.setattr("raidtui.backends.megaraid.tools.find_tool", lambda name: name)
    answers = {"show J nolog": answer({"Number of Controllers": 1})}
    reading, asked = hung(MEGARAID, card_machines.CARD, answers, f"{hanging} J nolog")
    assert asked[-1] == f"storcli64 {hanging} J nolog"
    assert reading.problems == (
        f"{asked[-1]}: {HANGS.stderr}; run it yourself: the card or its driver may hang",
    )


@pytest.mark.parametrize("hanging", ["GETVERSION", "GETCONFIG 1 AL"])
def test_an_arcconf_that_hangs_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, hanging: str) -> None:
    monkeypatch.setattr("raidtui.backends.adaptec.tools.find_tool", lambda name: name)
    reading, asked = hung(ADAPTEC, adaptec_machines.CARD, all_ready(), hanging)
    assert asked[-1] == f"arcconf {hanging}"
    assert reading.problems == (
        f"{asked[-1]}: {HANGS.stderr}; run it yourself: the card or its driver may hang",
    )


def hung(
    family: Family, card: Any, answers: Mapping[str, str], hanging: str
) -> tuple[CardReading, list[str]]:
    """What is read where the tool hangs at some words, and everything that it was asked."""
    asked: list[str] = []

    def ask(argv: Sequence[str]) -> ToolAnswer:
        asked.append(" ".join(argv))
        words = " ".join(argv[1:])
        return HANGS if words == hanging else ToolAnswer(returncode=0, stdout=answers[words])

    reading = family.read_ours([card], ask)
    assert isinstance(reading, CardReading)
    return reading, asked


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"rotational": False}, BadInput, f"{FIRST} (slot 252:0) and {SECOND} (slot 252:1) differ: rotating and flash"),
        ({"logical_sector_bytes": 4096}, BadInput, "differ: 512-byte sectors and 4096-byte sectors"),
        ({"serial": "GONE"}, BadInput, f"no disk of this machine is called '{SECOND}'"),
    ],
)  # fmt: skip
def test_a_drive_that_does_not_suit_is_named_with_its_slot(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], kind: type[RaidtuiError], said: str
) -> None:
    there = of_megaraid.free(monkeypatch)
    odd = tuple(replace(one, **change) if one.serial == SECOND else one for one in there.disks)
    with pytest.raises(kind) as found:
        make_plan(of_megaraid.SPEC, replace(there, disks=odd), seed=SEED)
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rotational": False}, f"{SERIALS[0]} (slot 0:0) and {SERIALS[1]} (slot 0:1) differ: rotating and flash"),
        ({"transport": "sata"}, "differ: SAS and SATA"),
        ({"logical_sector_bytes": 4096}, "differ: 512-byte sectors and 4096-byte sectors"),
        ({"serial": "GONE"}, f"no disk of this machine is called '{SERIALS[1]}'"),
    ],
)  # fmt: skip
def test_the_same_of_an_adaptec_card(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], said: str
) -> None:
    there = of_adaptec.free(monkeypatch)
    odd = tuple(replace(one, **change) if one.serial == SERIALS[1] else one for one in there.disks)
    with pytest.raises(BadInput) as found:
        make_plan(of_adaptec.SPEC, replace(there, disks=odd), seed=SEED)
    assert said in str(found.value)


@pytest.mark.parametrize("family", ["megaraid", "adaptec"])
def test_drives_behind_two_cards_are_named_with_their_cards(
    monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    room = of_megaraid if family == "megaraid" else of_adaptec
    there, spec = room.free(monkeypatch), room.SPEC
    (one,) = there.readings[family]["adapters"]
    second = one | {
        "number": 7,
        "address": "0000:81:00.0",
        "drives": [d for d in one["drives"] if d["serial"] == spec.members[1]],
    }
    one["drives"] = [d for d in one["drives"] if d["serial"] != spec.members[1]]
    there.readings[family]["adapters"] = [one, second]
    moved = tuple(
        replace(d, controller=replace(d.controller, address="0000:81:00.0"))
        if d.serial == spec.members[1] and d.controller
        else d
        for d in there.disks
    )
    with pytest.raises(BadInput) as found:
        make_plan(spec, replace(there, disks=moved), seed=SEED)
    assert f"{spec.members[0]} (slot " in str(found.value)
    assert f"behind card c{one['number']} and {spec.members[1]} (slot " in str(found.value)
    assert "behind card c7; choose drives of one card" in str(found.value)


@pytest.mark.parametrize("family", ["megaraid", "adaptec"])
def test_a_card_that_refuses_the_command_is_quoted_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, family: str
) -> None:
    said = end_of_job(monkeypatch, tmp_path, family, BUSY if family == "megaraid" else ARCCONF_BUSY)
    assert "(Create the RAID5 virtual drive" in said
    card = f"storcli64 0 {of_megaraid.NAME}" if family == "megaraid" else f"arcconf 1 {of_adaptec.NAME}"
    assert card in said  # by its tool and number
    assert AGAIN in said
    assert "'raidtui resume" in said


def end_of_job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, family: str, printed: str) -> str:
    """The last words of a job whose card's tool prints this and does nothing."""
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    room: Any = of_megaraid if family == "megaraid" else of_adaptec
    where = room.free(monkeypatch)
    plan = make_plan(room.SPEC, where, seed=SEED)
    folder, computer = a_job(plan, where), FakeComputer(plan, where)
    tool = "storcli64" if family == "megaraid" else "arcconf"
    computer.fails[tool] = Done(argv=(), returncode=0, stdout=printed, stderr="", seconds=0.1)
    assert run_job(folder, on=computer) == StepFailed.exit_code
    assert "mkfs" not in list(computer.in_effect)
    return read_journal(folder)[-1].text


@pytest.mark.parametrize("condition", [MEGARAID_GONE, ADAPTEC_GONE])
def test_a_card_that_does_not_answer_has_not_lost_its_virtual_drives(
    monkeypatch: pytest.MonkeyPatch, condition: Any
) -> None:
    one = Adapter(number=0, tool="tool", unread=f"tool /c0/vall show all: {AGAIN}")
    monkeypatch.setattr(type(condition), "read", lambda self, tool, number: one)
    found = condition.ask(condition.of("tool 0 tank"), lambda path: False)
    assert (found.holds, found.text) == (False, one.unread)


def asked_by(monkeypatch: pytest.MonkeyPatch, of: Any, condition: Any, check: Check) -> list[str]:
    """What the tool is asked for a condition, on a card whose tool answers everything."""
    asked: list[list[str]] = []
    answers = (
        card_machines.nine_two_seventy()
        if of is megaraid
        else all_ready() | {"GETCONFIG 1 AL": all_ready()["GETCONFIG 1 PD"]}
    )
    machines: Any = card_machines if of is megaraid else adaptec_machines
    monkeypatch.setattr(of, "ask_patiently", machines.asks(answers, asked=asked))
    condition.ask(check, lambda path: False)
    return [" ".join(argv[1:]).removesuffix(" J nolog") for argv in asked]


def test_a_condition_asks_the_tool_only_what_it_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer of a tool takes it a second or more."""
    free = megaraid.DRIVES_FREE.of("storcli64 0 drives", f"252:0={FIRST}")
    assert asked_by(monkeypatch, megaraid, megaraid.DRIVES_FREE, free) == [
        "/c0 show all",
        "/c0/eall/sall show all",
    ]
    gone = MEGARAID_GONE.of("storcli64 0 tank")
    asked = asked_by(monkeypatch, megaraid, MEGARAID_GONE, gone)
    assert asked[:2] == ["/c0 show all", "/c0/vall show all"]
    gone = ADAPTEC_GONE.of("arcconf 1 tank")
    assert asked_by(monkeypatch, adaptec, ADAPTEC_GONE, gone) == ["GETCONFIG 1 AL"]


@pytest.mark.parametrize("printed", [QUESTION, HTML])
@pytest.mark.parametrize("family", ["megaraid", "adaptec"])
def test_a_tool_that_asks_or_answers_a_page_in_a_job_is_quoted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, family: str, printed: str
) -> None:
    said = end_of_job(monkeypatch, tmp_path, family, printed)
    assert "(Create the RAID5 virtual drive" in said
    assert (QUESTION if printed == QUESTION else "html>") in said
    assert WRONG in said


@pytest.mark.parametrize("condition", [MEGARAID_GONE, ADAPTEC_GONE])
def test_nothing_is_gone_from_a_card_that_the_tool_does_not_see(
    monkeypatch: pytest.MonkeyPatch, condition: Any
) -> None:
    of: Any = megaraid if condition is MEGARAID_GONE else adaptec
    machines: Any = card_machines if of is megaraid else adaptec_machines
    monkeypatch.setattr(of, "ask_patiently", machines.asks({}))
    assert not condition.ask(condition.of("tool 7 tank"), lambda path: False).holds
