"""What a card's tool does not say is unknown, of both families: nothing is removed, built or found gone on its word."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.backends.adaptec import conditions as adaptec
from raidtui.backends.adaptec.commands import link
from raidtui.backends.adaptec.conditions import VOLUME_GONE as ADAPTEC_GONE
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.asking import placed
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, CardReading, Volume, VolumeState
from raidtui.backends.cards.units import disk_of
from raidtui.backends.megaraid import conditions as megaraid
from raidtui.backends.megaraid.answer import parse_answer
from raidtui.backends.megaraid.conditions import DRIVES_FREE, INITIALIZED
from raidtui.backends.megaraid.conditions import VOLUME_GONE as MEGARAID_GONE
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.backends.reading import the_machine, with_readings
from raidtui.backends.units import about_cards, units_of
from raidtui.cli import main
from raidtui.commands.inspect import describe
from raidtui.machine.ask import ToolAnswer
from raidtui.model.controller import RAID_CLASS, Controller
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.struct import to_json
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from tests.unit import adaptec_machines, card_machines
from tests.unit.adaptec_machines import a_volume, all_ready, with_adaptec, with_volume
from tests.unit.card_machines import CARD, VIRTUAL, answer, asks, nine_two_seventy, recorded, with_card
from tests.unit.plan_machines import SEED, machine
from tests.unit.test_backends_adaptec_build import SPEC as ADAPTEC_SPEC
from tests.unit.test_backends_megaraid_build import SPEC as MEGARAID_SPEC
from tests.unit.test_backends_megaraid_build import free

SYSTEM = Claim(
    what=ClaimKind.SYSTEM, weight=Weight.SYSTEM, device="/dev/sda1", detail="mounted at /", how_to_free=""
)
NO_IDENTITY = a_volume("tank").replace("   Unique Identifier                        : DE172470\n", "")
NAMED = replace(adaptec_machines.VIRTUAL, serial="", by_id=(), model="tank")


def without_naa() -> dict[str, str]:
    """The 9270 with a tool that gives neither WWN nor node of its virtual drive."""
    text = recorded("9270-vall.json").replace('"SCSI NAA Id"', '"x"').replace('"OS Drive Name"', '"y"')
    return nine_two_seventy() | {"/c0/vall show all": text}


def adaptec_machine(monkeypatch: pytest.MonkeyPatch, disk: Disk, volume: str = NO_IDENTITY) -> Machine:
    return with_adaptec(monkeypatch, with_volume(volume), disks=[disk])


@pytest.mark.parametrize("tool", ["hangs", "is missing"])
def test_a_card_that_is_not_read_may_have_degraded_virtual_drives(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], tool: str
) -> None:
    """No command may say that all is well there."""

    def silent(argv: Sequence[str]) -> ToolAnswer:
        return ToolAnswer(returncode=None, stderr="no answer within 60 seconds")

    monkeypatch.setattr("raidtui.backends.megaraid.tools.find_tool", lambda name: tool == "hangs")
    there = with_readings(replace(machine(), cards=(CARD,)), silent, silent, smart=False)
    why = "no answer within 60 seconds" if tool == "hangs" else "is not installed"
    (problem,) = there.problems
    assert why in problem.text
    assert not [line for line in about_cards(there) if why in line]  # said once
    file = tmp_path / "machine.json"
    file.write_text(to_json(there))
    assert main(["--machine", str(file), "status", "--once"]) == 3
    assert "RAIDTUI UNKNOWN - storcli64" in capsys.readouterr().out
    for command in ("status", "care", "inspect"):
        main(["--machine", str(file), command])
        assert "unknown: storcli64" in capsys.readouterr().out


def test_a_card_that_is_not_read_now_has_not_lost_its_virtual_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    from raidtui.backends.cards import reader

    class Silent(Family, frozen=True):
        def reading_here(self) -> CardReading | None:
            return CardReading(problems=("storcli64 show: no answer",))

    family = Silent(**{name: getattr(MEGARAID, name) for name in MEGARAID.__struct_fields__})
    monkeypatch.setattr(reader, "read_here", lambda tree: (CARD,))
    monkeypatch.setattr(reader, "disks_here", lambda: ())
    with pytest.raises(StepFailed, match="storcli64 show: no answer"):
        reader.card_reader(family).now()


@pytest.mark.parametrize(
    ("family", "name"), [("megaraid", "c0v0"), ("adaptec", "tank")]
)  # fmt: skip
def test_a_virtual_drive_whose_disk_is_not_known_is_not_removed(
    monkeypatch: pytest.MonkeyPatch, family: str, name: str
) -> None:
    disk = replace(VIRTUAL, taken_by=(SYSTEM,), free=False)
    there = (
        with_card(monkeypatch, without_naa(), disks=[disk])
        if family == "megaraid"
        else adaptec_machine(monkeypatch, replace(disk, wwn="", model="other"))
    )
    (unit,) = units_of(there)
    with pytest.raises(Refused, match="its tool does not say which disk it is") as refused:
        make_teardown(name, there, seed=SEED)
    assert "\n" not in str(refused.value)
    behind = [
        one for one in there.disks if not one.has_device and one.identity in {m.disk for m in unit.members}
    ]
    assert behind
    assert not any(claim.how_to_free for one in behind for claim in one.taken_by)
    assert "to free it: raidtui teardown" not in "\n".join(describe(there))


def test_one_that_the_kernel_has_no_disk_for_is_not_removed_unless_the_card_says_that_it_is_offline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = with_card(monkeypatch, nine_two_seventy(), disks=[])
    with pytest.raises(Refused, match="the kernel has no disk for it"):
        make_teardown("c0v0", there, seed=SEED)
    offline = nine_two_seventy() | {
        "/c0/vall show all": recorded("9270-vall.json").replace('"Optl"', '"OfLn"')
    }
    there = with_card(monkeypatch, offline, disks=[])
    assert [step.id for step in make_teardown("c0v0", there, seed=SEED).steps] == ["virtual-drive", "settle"]
    assert "to free it: raidtui teardown c0v0" in "\n".join(describe(there))


def test_of_two_that_have_the_same_name_and_no_identity_none_is_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command finds it by its name, and would delete the first."""
    failed = NO_IDENTITY.replace(": Optimal", ": Failed")
    two = (
        NO_IDENTITY.replace("Command completed successfully.\n", "")
        + failed.partition("Logical device information")[2]
    )
    two = two.replace("number 0", "number 1", 1)
    there = with_adaptec(monkeypatch, with_volume(two), disks=[])
    (card,) = there.readings["adaptec"]["adapters"]
    card["unread"] = ""
    number = next(unit.uuid for unit in units_of(there) if unit.state.startswith("FAILED"))
    with pytest.raises(Refused, match="several virtual drives are called tank"):
        make_teardown(number, there, seed=SEED)


def test_a_node_that_the_tool_reports_must_have_the_size_of_the_virtual_drive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = recorded("9270-vall.json").replace('"SCSI NAA Id"', '"x"')
    for size, node in ((VIRTUAL.size_bytes, "/dev/sda"), (VIRTUAL.size_bytes // 2, "")):
        there = with_card(
            monkeypatch,
            nine_two_seventy() | {"/c0/vall show all": text},
            disks=[replace(VIRTUAL, wwn="", size_bytes=size)],
        )
        assert [unit.node for unit in units_of(there)] == [node]


def test_the_name_as_the_model_of_one_disk_of_that_size_tells_which_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """aacraid gives the kernel the name of a virtual drive as the model of its disk."""
    (unit,) = units_of(adaptec_machine(monkeypatch, NAMED))
    assert unit.node == "/dev/sda"
    with pytest.raises(Refused, match="the running system is on tank"):
        make_teardown("tank", adaptec_machine(monkeypatch, replace(NAMED, taken_by=(SYSTEM,))), seed=SEED)


@pytest.mark.parametrize(
    "disks",
    [
        [NAMED, replace(NAMED, name="sdb", path="/dev/sdb", device_number="8:16")],
        [replace(NAMED, size_bytes=NAMED.size_bytes // 2)],
        [replace(NAMED, model="tank2")],
    ],
)
def test_a_name_that_does_not_tell_which_it_is_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, disks: Sequence[Disk]
) -> None:
    there = with_adaptec(monkeypatch, with_volume(NO_IDENTITY), disks=disks)
    assert [unit.node for unit in units_of(there)] == [""]
    with pytest.raises(Refused, match="does not say which disk it is"):
        make_teardown("tank", there, seed=SEED)


def test_drives_of_the_system_are_not_offered_for_freeing(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(
        monkeypatch, nine_two_seventy(), disks=[replace(VIRTUAL, taken_by=(SYSTEM,), free=False)]
    )
    behind = [one for one in there.disks if not one.has_device]
    assert {(one.taken_by[0].weight, one.taken_by[0].how_to_free) for one in behind} == {(Weight.SYSTEM, "")}


@pytest.mark.parametrize("family", ["megaraid", "adaptec"])
def test_nothing_is_built_on_a_card_that_gives_no_identity(
    monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    if family == "megaraid":
        there = free(monkeypatch)
        (card,) = there.readings["megaraid"]["adapters"]
        card["volumes"] = [megaraid_volume(monkeypatch)]
    else:
        there = with_adaptec(monkeypatch, all_ready(), disks=[])
        (card,) = there.readings["adaptec"]["adapters"]
        card["volumes"] = [
            adaptec_machine(monkeypatch, NAMED).readings["adaptec"]["adapters"][0]["volumes"][0]
            | {"slots": [], "name": "other"}
        ]
    with pytest.raises(Refused, match="so a new one could not be found"):
        make_plan(MEGARAID_SPEC if family == "megaraid" else ADAPTEC_SPEC, there, seed=SEED)


def two_older_cards(monkeypatch: pytest.MonkeyPatch, *drivers: str) -> Machine:
    """Adaptec cards with these drivers, whose tool reports neither addresses nor identities; the first has no volumes."""
    there = with_adaptec(monkeypatch, all_ready(), disks=[])
    (card,) = there.readings["adaptec"]["adapters"]
    cards = [replace(there.cards[0], address=f"0000:0{n}:00.0", driver=one) for n, one in enumerate(drivers)]
    read = ADAPTEC.kept(there)
    assert read is not None
    bare = replace(read.adapters[0], address="", driver="")
    card |= {"address": "", "driver": placed([bare, bare], cards)[0].driver}
    disks = [
        replace(one, controller=replace(one.controller, address="")) if one.controller else one
        for one in there.disks
    ]
    return replace(there, cards=tuple(cards), disks=tuple(disks))


def test_of_two_older_cards_a_new_virtual_drive_is_found_by_its_name_as_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert make_plan(ADAPTEC_SPEC, two_older_cards(monkeypatch, "aacraid", "aacraid"), seed=SEED).steps


def test_where_that_is_not_certain_the_build_is_refused_before_its_first_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(Refused, match="so a new one could not be found"):
        make_plan(ADAPTEC_SPEC, two_older_cards(monkeypatch, "aacraid", "smartpqi"), seed=SEED)


def test_without_an_address_only_a_name_that_raidtui_made_says_which_disk_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other card may have a virtual drive of that name too."""
    there = two_older_cards(monkeypatch, "aacraid", "aacraid")
    reading = ADAPTEC.kept(there)
    assert reading is not None
    (adapter,) = reading.adapters
    volume = Volume(
        number="0", place="0", state=VolumeState.OPTIMAL, state_word="Optimal", size_bytes=NAMED.size_bytes
    )
    for name, known in (("tank-123456", True), ("tank", False)):
        disk = replace(NAMED, model=name, wwn="", serial="")
        disk = replace(
            disk, controller=Controller(driver="aacraid", pci_class=RAID_CLASS, address="0000:01:00.0")
        )
        own = replace(volume, name=name)
        found = disk_of(own, replace(adapter, volumes=(own,)), [disk])
        assert (found is not None) is known


def megaraid_volume(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A virtual drive without WWN, on none of the drives."""
    seen = with_card(monkeypatch, without_naa()).readings["megaraid"]["adapters"][0]["volumes"][0]
    return dict(seen) | {"slots": [], "group": "9", "name": "other"}


UDEVADM = """#!/bin/sh
for word; do case $word in --name=*) disk=${word#--name=} ;; esac; done
echo "ID_MODEL=$(cat "$(dirname "$0")/models/$disk" 2>/dev/null)"
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    ("models", "found"),
    [
        ({"sda": "other", "sdb": "tank-123456"}, "/dev/sdb"),
        ({"sda": "tank-123456", "sdb": "tank-123456"}, ""),
        ({"sda": "other", "sdb": "other"}, ""),
    ],
)
def test_a_new_virtual_drive_without_identity_is_linked_by_the_name_that_one_disk_has(
    tmp_path: Path, models: Mapping[str, str], found: str
) -> None:
    for name, text in {"arcconf": '#!/bin/sh\ncat "$(dirname "$0")/answer"\n', "udevadm": UDEVADM}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "answer").write_text(NO_IDENTITY.replace("tank", "tank-123456"))
    for folder in ("models", "block"):
        (tmp_path / folder).mkdir()
    for disk, model in models.items():
        (tmp_path / "models" / disk).write_text(model)
        (tmp_path / "block" / disk).mkdir()
    one = Adapter(number=1, tool=str(tmp_path / "arcconf"))
    argv = list(link(one, "tank-123456", str(tmp_path / "links/x")).argv)
    argv[2] = argv[2].replace("/sys/block", str(tmp_path / "block"))
    done = subprocess.run(argv, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False)
    assert (done.returncode == 0) is bool(found)
    where = tmp_path / "links/x"
    assert (str(where.readlink()) if where.is_symlink() else "") == found


# --- Answers that are not understood


def flat() -> str:
    """A successful answer of another shape: the rows of the short list."""
    rows = [{"DG/VD": "0/1", "TYPE": "RAID1", "State": "Optl", "Size": "1.090 TB", "Name": "system"}]
    return answer({"Virtual Drives": rows})


@pytest.mark.parametrize(
    "vall", [flat(), answer({}), answer({"/c0/v0": "Optl"}), answer({"VD LIST": []}), answer(None)]
)
def test_virtual_drives_that_are_not_understood_are_not_gone(
    monkeypatch: pytest.MonkeyPatch, vall: str
) -> None:
    answers = nine_two_seventy() | {"/c0/vall show all": vall}
    there = with_card(monkeypatch, answers)
    assert "/c0/vall show all: its answer cannot be understood" in "\n".join(about_cards(there))
    check_gone(monkeypatch, answers)
    with pytest.raises(Refused, match="cannot be understood"):
        make_teardown("system", there, seed=SEED)


def check_gone(monkeypatch: pytest.MonkeyPatch, answers: Mapping[str, str]) -> None:
    """Check that no virtual drive counts as gone or initialized on these answers of storcli."""
    monkeypatch.setattr(megaraid, "ask_patiently", asks(answers))
    for kind in (MEGARAID_GONE, INITIALIZED):
        found = kind.ask(kind.of("storcli64 0 tank", "full"), lambda path: False)
        assert not found.holds, found.text
        assert "\n" not in found.text


def test_the_card_s_own_count_is_compared_with_what_was_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy()
    answers["/c0 show all"] = recorded("9270-c0.json").replace('"Virtual Drives": 1', '"Virtual Drives": 2')
    there = with_card(monkeypatch, answers)
    assert "1 virtual drive of 2 understood" in "\n".join(about_cards(there))
    check_gone(monkeypatch, answers)


@pytest.mark.parametrize("broken", ["/c0 show all", "/c0/vall show all"])
def test_nothing_is_gone_where_either_answer_fails(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    check_gone(monkeypatch, {key: text for key, text in nine_two_seventy().items() if key != broken})
    nothing = answer(Description="No VDs have been configured.")
    none = nine_two_seventy() | {"/c0/vall show all": nothing, broken: answer(Status="Failure")}
    check_gone(monkeypatch, none)


def test_a_card_that_says_in_both_answers_that_it_has_none_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy() | {
        "/c0 show all": card_machines.without_volumes(recorded("9270-c0.json")),
        "/c0/vall show all": answer(Description="No VDs have been configured."),
    }
    monkeypatch.setattr(megaraid, "ask_patiently", asks(answers))
    assert MEGARAID_GONE.ask(MEGARAID_GONE.of("storcli64 0 tank"), lambda path: False).holds


def test_drives_that_are_not_all_understood_are_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of those that are not understood may hold a foreign configuration."""
    every = {"/c0/eall/sall show all": recorded("9270-sall.json").replace('"Onln"', '"UGood"')}
    few = json.loads(recorded("9270-c0.json"))
    few["Controllers"][0]["Response Data"]["Physical Drives"] = 9
    answers = nine_two_seventy() | every | {"/c0 show all": json.dumps(few)}
    monkeypatch.setattr(megaraid, "ask_patiently", asks(answers))
    found = DRIVES_FREE.ask(DRIVES_FREE.of("storcli64 0 drives", "252:0=WD-WM00000001"), lambda path: False)
    assert (found.holds, found.text) == (
        False,
        "storcli64 /c0 show all: the card has 9 drives, of which 8 are understood",
    )
    assert "of which 8 are understood" in "\n".join(about_cards(with_card(monkeypatch, answers)))


def test_an_adaptec_card_that_counts_more_than_it_describes_has_lost_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = with_volume(a_volume("tank"))
    answers["GETCONFIG 1 AD"] = answers["GETCONFIG 1 AD"].replace(": 1/0/0", ": 2/0/0")
    monkeypatch.setattr(adaptec, "ask_patiently", adaptec_machines.asks(answers))
    found = ADAPTEC_GONE.ask(ADAPTEC_GONE.of("arcconf 1 other"), lambda path: False)
    assert (found.holds, found.text) == (False, "arcconf: the card reports 2 virtual drives but describes 1")


def test_an_initialization_in_other_words_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("Foreground Initialization (-)", "Full Init (5 %)"):
        vall = recorded("9270-vall.json").replace("Consistency Check (36%)", words)
        assert vall != recorded("9270-vall.json")
        monkeypatch.setattr(megaraid, "ask_patiently", asks(nine_two_seventy() | {"/c0/vall show all": vall}))
        check = INITIALIZED.of("storcli64 0 5000000000000011", "fast")
        found = INITIALIZED.ask(check, lambda path: False)
        assert (found.holds, found.text) == (False, "5000000000000011 is being initialized")


# --- A tool that fails for all because of one card


FOREIGN = {"Detailed Status": [{"Ctrl": 0, "Status": "Failed", "ErrCd": 59, "ErrMsg": "Incomplete foreign configuration"}]}  # fmt: skip


@pytest.mark.parametrize("data", [{"Number of Controllers": 1, "System Overview": [{"Ctl": 0}]}, None])
def test_an_incomplete_foreign_configuration_does_not_hide_the_cards(
    monkeypatch: pytest.MonkeyPatch, data: dict[str, Any] | None
) -> None:
    show = answer(data, Status="Failure", Description="None", **FOREIGN)
    there = with_card(monkeypatch, nine_two_seventy() | {"show": show})
    assert [unit.name for unit in units_of(there)] == ["c0v0"]
    assert "not known: storcli64 show: Incomplete foreign configuration (error 59)" in "\n".join(
        about_cards(there)
    )


@pytest.mark.parametrize("count", [10**12, 65, -1, 1.5, [1], {}, True, None])
def test_a_number_of_cards_that_cannot_be_right_is_no_number(
    monkeypatch: pytest.MonkeyPatch, count: object
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr("raidtui.backends.megaraid.tools.find_tool", lambda name: name)
    show = {"show": answer({"Number of Controllers": count})}
    reading = MEGARAID.read_ours([CARD], asks(show, asked=asked))
    assert reading is not None
    assert len(asked) == 1
    assert len(reading.problems) == 1
    assert reading.problems[0].startswith("storcli64 show: ")


# --- Texts of the tools in sentences


@pytest.mark.parametrize("text", ["\x1b[2J\x1b[31mred", "\u202egpj.exe", "a\u200bb", "A" * 100_000])
def test_what_a_tool_says_is_quoted_without_control_characters_and_not_at_length(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    rows = [{"Status": "Failed", "ErrCd": 255, "ErrMsg": text}] * 50
    status: dict[str, Any] = {"Description": text, "CLI Version": text, "Detailed Status": rows}
    (reply,) = parse_answer(answer(Status="Failure", **status))
    assert reply.version == ""
    texts = [reply.why]
    poisoned = {key: json.dumps(poison(json.loads(whole), text)) for key, whole in nine_two_seventy().items()}
    there = with_card(monkeypatch, poisoned)
    texts += [*about_cards(there), *(unit.state for unit in units_of(there))]
    adaptec_there = with_adaptec(
        monkeypatch,
        {key: whole.replace("Optimal", text) for key, whole in with_volume(a_volume("tank")).items()},
    )
    texts += [*about_cards(adaptec_there), *(unit.state for unit in units_of(adaptec_there))]
    refused = adaptec_machines.REFUSED.replace("such a command", text)
    texts += about_cards(with_adaptec(monkeypatch, with_volume(refused)))
    assert all(one.isprintable() for one in texts), texts
    assert max(map(len, texts)) < 1500


def poison(value: object, text: str) -> object:
    """``value`` with ``text`` at the end of every string in it, but the keys and the status."""
    if isinstance(value, dict):
        return {key: one if key == "Status" else poison(one, text) for key, one in value.items()}
    if isinstance(value, list):
        return [poison(one, text) for one in value]
    return value + text if isinstance(value, str) else value


def test_a_recording_of_an_older_version_is_judged_by_the_present_rules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It said of every drive how to free it, also where that teardown is refused."""
    there = adaptec_machine(monkeypatch, replace(adaptec_machines.VIRTUAL, serial="x", model="x"))
    old = replace(
        there,
        disks=tuple(
            replace(
                one,
                taken_by=tuple(replace(claim, how_to_free="raidtui teardown tank") for claim in one.taken_by),
            )
            for one in there.disks
        ),
    )
    (tmp_path / "old.json").write_text(to_json(old))
    text = "\n".join(describe(the_machine(str(tmp_path / "old.json"))))
    assert "raidtui teardown" not in text
    assert "in virtual drive tank (its disk is not known)" in text
