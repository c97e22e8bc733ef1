"""What a virtual drive can become: only what a card does for certain is offered; all else is refused with its reason."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.advice.growths import table_of
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.conditions import Changing
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Operation, Volume, VolumeState
from raidtui.backends.growing import Shape
from raidtui.backends.megaraid import conditions
from raidtui.backends.megaraid.cards import read_changes
from raidtui.backends.units import units_of
from raidtui.model.answer import Truth
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Grow
from raidtui.model.units import GIB
from raidtui.plan.care import make_care, title_of
from raidtui.plan.words import check_words
from tests.unit.card_machines import answer, asks
from tests.unit.test_backends_cards_care import FREE, TWO, UNIT, drive, there
from tests.unit.test_backends_cards_replace import SEED, changed

THREE = (*TWO, drive(2))
MORE = (drive(4, FREE), drive(5, FREE))


def well(*drives: Drive, **about: Any) -> Machine:
    return there(*(drives or (*THREE, *MORE)), state=VolumeState.OPTIMAL, **about)


def with_volume(machine: Machine, **volume: Any) -> Machine:
    machine.readings["megaraid"]["adapters"][0]["volumes"][0].update(volume)
    return machine


def rows(machine: Machine) -> dict[str, Shape]:
    (unit, *_) = units_of(machine)
    return {one.shape.change: one.shape for one in table_of(unit, machine).rows}


def planned(machine: Machine, **order: Any) -> Plan:
    return make_care(Grow(unit=UNIT, **order), machine, seed=SEED)


def test_the_table_has_what_the_card_does_with_the_free_drives_that_fit() -> None:
    found = rows(well(*THREE, *MORE, drive(6, FREE, size_bytes=9 * GIB), drive(7, FREE, rotational=False)))
    assert [
        (key, one.members, one.unit_bytes // GIB, one.survives)
        for key, one in found.items()
        if not one.refused
    ] == [
        ("today", 3, 20, 1),
        ("+1 drive", 4, 30, 1),
        ("+2 drives", 5, 40, 1),
        ("to raid6", 4, 20, 2),
    ]
    assert found["+1 drive"].fits == ("S-4", "S-5")
    assert found["to raid6"].procedure == Grow(unit=UNIT, add=("S-4",), level="raid6")
    assert {key for key, one in found.items() if one.refused} == {
        "larger drives",
        "less redundancy",
        "fewer drives",
    }


@pytest.mark.parametrize(
    ("level", "slots", "size", "ways"),
    [
        ("raid0", 1, 10, {"+1 drive": 2, "+2 drives": 3, "to raid1": 2, "to raid5": 3}),
        ("raid0", 3, 30, {"+1 drive": 4, "+2 drives": 5, "to raid5": 4, "to raid6": 5}),
        ("raid1", 2, 10, {"to raid5": 3, "to raid6": 4}),
        ("raid5", 3, 20, {"+1 drive": 4, "+2 drives": 5, "to raid6": 4}),
        ("raid6", 3, 20, {}),  # not the size that it has
    ],
)  # fmt: skip
def test_a_level_is_never_changed_to_one_with_less_redundancy_or_space(
    level: str, slots: int, size: int, ways: dict[str, int]
) -> None:
    machine = with_volume(
        well(), level=level, slots=[f"252:{n}" for n in range(slots)], size_bytes=size * GIB
    )
    reachable = {key: one.members for key, one in rows(machine).items() if not one.refused and key != "today"}
    assert {key: count for key, count in reachable.items() if count - slots <= 2} == ways


def test_the_plan_names_the_drives_to_be_erased_and_proves_size_level_and_redundancy() -> None:
    machine = well()
    plan = planned(machine, add=("S-4",), level="raid6")
    assert (
        title_of(Grow(unit=UNIT, add=("S-4",), level="raid6"), plan)
        == "Let tank become RAID6 with 1 further disk"
    )
    assert [disk.identity for disk in plan.erased] == ["S-4"]
    assert [step.id for step in plan.steps] == ["migrate", "wait", "rescan", "prove"]
    (run,) = plan.steps[0].actions
    assert isinstance(run, Run)
    assert run.argv[4:] == ("storcli64", "0", UNIT, "6", "252:4")
    assert 'start migrate "type=raid$4" option=add "drives=$5" J nolog' in run.argv[2]
    said = [check_words(one) for one in plan.steps[-1].after]
    assert f"raid6 {20 * GIB} 252:0,252:1,252:2,252:4" in said[0]
    assert said[1].endswith("no drive that is rebuilt, and no foreign configuration")


def test_arcconf_is_given_all_drives_old_and_new() -> None:
    places = [replace(one, place=f"0 {one.place[-1]}") for one in (*THREE, *MORE)]
    machine = well(*places, family=ADAPTEC, tool="arcconf")
    (run,) = planned(machine, add=("S-5",)).steps[0].actions
    assert isinstance(run, Run)
    assert run.argv[4:] == ("arcconf", "0", UNIT, "5", "0", "0", "0", "1", "0", "2", "0", "5")
    assert 'MODIFY "$card" FROM "${found%% *}" TO MAX "$level" "$@" noprompt' in run.argv[2]


@pytest.mark.parametrize(
    ("machine", "order", "why"),
    [
        (well(tool="storcli2"), {"add": ("S-4",)}, "other commands for it than storcli"),
        (well(family=ADAPTEC, tool="arcconf", driver="smartpqi"), {"add": ("S-4",)}, "a SmartRAID card changes an array"),
        (there(*THREE, *MORE), {"add": ("S-4",)}, "it is degraded"),
        (well(*TWO, drive(2, DriveState.OFFLINE), *MORE), {"add": ("S-4",)}, "not all of its drives are online"),
        (well(*TWO, drive(2, predicted_failures=1), *MORE), {"add": ("S-4",)}, "one of its drives is failing"),
        (well(*THREE, *MORE, drive(6, DriveState.FOREIGN, group="")), {"add": ("S-4",)}, "foreign configuration"),
        (with_volume(well(), level="raid10"), {"add": ("S-4",)}, "does not reconfigure RAID10"),
        (with_volume(well(), size_bytes=9 * GIB), {"add": ("S-4",)}, "does not use all of its drives"),
        (with_volume(well(), bad_blocks=True), {"add": ("S-4",)}, "some of its data is lost already"),
        (with_volume(well(), naa=""), {"add": ("S-4",)}, "units here have|not certain which disk"),
        (changed(well(), preserved_cache=True), {"add": ("S-4",)}, "unwritten data"),
        (changed(well(), problems=("storcli64 /c0/vall show all: no answer",)), {"add": ("S-4",)}, "not all of the card"),
        (well(), {"add": ("S-4",), "level": "raid0"}, "cannot become RAID0"),
        (well(), {"level": "raid6"}, "needs 1 further drive"),
        (well(), {"to_largest": True}, "is not enlarged within its drives"),
        (well(), {"add": ("S-4", "S-4")}, "named twice"),
        (well(*THREE, drive(4, FREE, size_bytes=9 * GIB)), {"add": ("S-4",)}, "cannot join tank"),
        (well(*THREE, drive(4, DriveState.SPARE, group="")), {"add": ("S-4",)}, "cannot join tank"),
    ],
)  # fmt: skip
def test_what_is_not_certain_or_could_lose_data_is_refused_with_its_reason(
    machine: Machine, order: dict[str, Any], why: str
) -> None:
    with pytest.raises((Refused, BadInput), match=why):
        planned(machine, **order)


def test_a_virtual_drive_that_shares_its_drives_is_not_changed() -> None:
    machine = well()
    card = machine.readings["megaraid"]["adapters"][0]
    card["volumes"] = [*card["volumes"], card["volumes"][0] | {"number": "238", "naa": "5000000000000012"}]
    with pytest.raises(Refused, match="other virtual drives are on its drives"):
        planned(machine, add=("S-4",))


def migrates(percent: object, status: str) -> str:
    row = {
        "VD": 0,
        "Operation": "MIGRATE",
        "Progress%": percent,
        "Status": status,
        "Estimated Time Left": "-",
    }
    return answer({"VD Operation Status": [row]})


def asked(changing: Changing, monkeypatch: pytest.MonkeyPatch, printed: str) -> Truth:
    from tests.unit.card_machines import nine_two_seventy

    answers = nine_two_seventy() | {"/c0/vall show migrate": printed}
    monkeypatch.setattr(conditions, "ask_patiently", asks(answers))
    (number,) = [one.naa for one in read_changes("storcli64", 0, asks(answers)).volumes] or [""]
    return changing.ask(
        changing.of(f"storcli64 0 {number}", f"raid5 {GIB} 252:0,252:1"), lambda path: False
    ).truth


@pytest.mark.parametrize(
    ("printed", "truth"),
    [
        (migrates(12, "In progress"), Truth.YES),
        (migrates("-", "Not in progress"), Truth.NO),
        (answer({"VD Operation Status": []}), Truth.UNKNOWN),
        (answer(Status="Failure", Description="Un-supported command"), Truth.UNKNOWN),
        ("<html>It works!</html>", Truth.UNKNOWN),
        ("", Truth.UNKNOWN),
    ],
)
def test_whether_a_card_migrates_is_unknown_unless_it_says_so(
    monkeypatch: pytest.MonkeyPatch, printed: str, truth: Truth
) -> None:
    assert asked(conditions.KINDS.changing, monkeypatch, printed) is truth


@pytest.mark.parametrize(
    ("volume", "holds"),
    [
        ({}, True),
        ({"operations": (Operation(what="migration", fraction=0.9),)}, False),
        ({"state": VolumeState.DEGRADED}, False),
        ({"level": "raid5"}, False),
        ({"slots": ("252:0", "252:1", "252:2")}, False),
        ({"size_bytes": 10 * GIB}, False),
    ],
)
def test_it_has_grown_only_if_all_of_it_is_so(volume: dict[str, Any], holds: bool) -> None:
    made = Volume(
        number="1", place="/c0/v1", state=VolumeState.OPTIMAL, state_word="Optl", name="tank", level="raid6",
        size_bytes=20 * GIB, naa="5" * 16, slots=("252:0", "252:1", "252:2", "252:4"),
    )  # fmt: skip
    adapter = Adapter(number=0, tool="storcli64", volumes=(replace(made, **volume),))
    kind = conditions.KINDS.on_card
    check = kind.of("storcli64 0 tank", f"raid6 {20 * GIB} 252:0,252:1,252:2,252:4")
    assert kind.judge(check, adapter, "tank").holds is holds
