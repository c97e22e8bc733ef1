"""A drive behind a card is replaced: copied while it works, rebuilt onto a hot spare once it failed; else refused, and why."""

import subprocess
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.records import Battery, Drive, DriveState, Operation, Policy, VolumeState
from raidtui.backends.controls import controls_of
from raidtui.backends.units import units_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine
from raidtui.model.plan import REPLACED, Plan, Run
from raidtui.model.procedure import AddSpare, Replace
from raidtui.model.smart import Smart
from raidtui.model.unit import Unit
from raidtui.model.units import GIB
from raidtui.plan.care import make_care
from raidtui.plan.replace import find_order
from raidtui.plan.words import check_words, command_line
from tests.unit.card_machines import answer
from tests.unit.test_backends_cards_care import FAILED, FREE, GLOBAL, OFFLINE, TWO, UNIT, drive, there
from tests.unit.test_recorded_states import state

SEED = "5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11"
THREE = (*TWO, drive(2))
SPARE = drive(5, FREE)
WELL = VolumeState.OPTIMAL


def planned(machine: Machine, old: str, new: str = "S-5") -> Plan:
    return make_care(find_order(old, new, machine, units_of(machine)), machine, seed=SEED)


def commands(plan: Plan) -> list[str]:
    return [command_line(one) for step in plan.steps for one in step.actions if isinstance(one, Run)]


def test_a_drive_that_works_is_copied_and_leaves_when_the_new_one_is_online() -> None:
    plan = planned(there(*THREE, SPARE, state=WELL), "S-1")
    assert commands(plan) == ["storcli64 /c0/e252/s1 start copyback target=252:5 J nolog", "sleep 5"]
    assert [disk.identity for disk in plan.erased] == ["S-5"]
    assert [disk.identity for disk in plan.disks if disk.role == REPLACED] == ["S-1"]
    copy, wait, prove = plan.steps
    assert "optimal" in check_words(copy.before[1])  # else the card would not copy, but rebuild
    assert [check_words(one) for one in wait.after] == [
        "card 0 of storcli64 has these drives online, by slot and serial number: 252:5=S-5",
        "card 0 of storcli64 has these drives in no virtual drive, by slot and serial number: 252:1=S-1",
        f"card 0 of storcli64 has the virtual drive {UNIT}, and it is optimal",
    ]
    assert check_words(prove.after[0]).endswith("no drive that is rebuilt, and no foreign configuration")


def test_a_drive_that_failed_is_rebuilt_onto_a_hot_spare_by_its_serial_number_or_that_of_its_unit() -> None:
    machine = there(*TWO, FAILED, SPARE)
    for word in ("S-2", "tank"):
        assert commands(planned(machine, word)) == [
            "storcli64 /c0/e252/s5 add hotsparedrive dgs=0 J nolog",
            "sleep 5",
        ]


def test_a_failed_drive_that_the_card_lists_apart_is_that_of_the_only_virtual_drive_that_lacks_one() -> None:
    machine = state("card-drive-failed")
    assert commands(planned(machine, "WD-WM00000003", "WD-WM00000009")) == [
        "storcli64 /c0/e252/s8 add hotsparedrive dgs=0 J nolog",
        "sleep 5",
    ]
    with pytest.raises(BadInput, match="is in no array that runs here"):
        planned(state("card-drive-bad-outside"), "WD-WM00000009", "WD-WM00000001")


def test_a_drive_that_two_virtual_drives_share_is_copied_once_for_both() -> None:
    machine = there(*THREE, SPARE, state=WELL)
    (card,) = machine.readings["megaraid"]["adapters"]
    card["volumes"] = [
        *card["volumes"],
        card["volumes"][0] | {"number": "238", "naa": "5000000000000012", "name": "two"},
    ]
    plan = planned(machine, "S-1")
    assert commands(plan)[0] == "storcli64 /c0/e252/s1 start copyback target=252:5 J nolog"
    assert len([one for one in plan.steps[1].after if "optimal" in check_words(one)]) == 2


@pytest.mark.parametrize(
    ("drives", "about", "old", "new", "why"),
    [
        ((*THREE, SPARE), {"tool": "storcli2"}, "S-1", "S-5", "copies no drive that works"),
        ((*THREE, SPARE), {"family": ADAPTEC, "tool": "arcconf"}, "S-1", "S-5", "'arcconf' copies no drive that works"),
        ((*TWO, FAILED, SPARE), {"state": VolumeState.DEGRADED}, "S-1", "S-5", "replace the drive that it lost first"),
        ((*TWO, FAILED, SPARE), {"state": VolumeState.OFFLINE}, "S-2", "S-5", "is offline: more drives are gone"),
        ((*TWO, OFFLINE, SPARE), {"state": VolumeState.DEGRADED}, "S-2", "S-5", "may only have lost its cable"),
        ((*TWO, FAILED, SPARE, drive(6, DriveState.SPARE, group="")), {"state": VolumeState.DEGRADED}, "S-2", "S-5", "a hot spare is there"),
        ((*THREE, GLOBAL), {}, "S-1", "S-5", "is in use: hot spare of the card"),
        ((*THREE, drive(5, FREE, size_bytes=9 * GIB)), {}, "S-1", "S-5", "is too small for tank"),
        ((*THREE, drive(5, FREE, rotational=False)), {}, "S-1", "S-5", "differ: rotating and flash"),
        ((*THREE, SPARE, drive(4, DriveState.FOREIGN)), {}, "S-1", "S-5", "foreign configuration"),
        ((*THREE, SPARE), {}, "S-1", "S-1", "cannot replace itself"),
        ((drive(0), drive(1), drive(2, DriveState.REBUILDING), SPARE), {"state": VolumeState.DEGRADED}, "S-1", "S-5", "replace the drive that it lost"),
        ((*THREE, SPARE, drive(6, FREE, serial="")), {}, "S-1", "slot", "S-1|slot"),
    ],
)  # fmt: skip
def test_what_is_not_certain_or_could_lose_data_is_refused(
    drives: tuple[Drive, ...], about: dict[str, Any], old: str, new: str, why: str
) -> None:
    with pytest.raises((Refused, BadInput), match=why):
        planned(there(*drives, **({"state": WELL} | about)), old, new)


def test_a_card_that_is_not_all_read_replaces_nothing() -> None:
    machine = there(*THREE, SPARE, state=WELL)
    machine.readings["megaraid"]["adapters"][0]["unread"] = "storcli64 /c0/vall show all: no answer"
    with pytest.raises(Refused, match="no answer"):
        planned(machine, "S-1")


def found(machine: Machine) -> list[Finding]:
    return list(diagnose(units_of(machine), machine))


def first(finding: Finding) -> Any:
    remedy = finding.remedies[0]
    return remedy.procedure or remedy.text


PREDICTED = drive(2, predicted_failures=1)


def test_a_drive_that_expects_to_fail_is_copied_where_the_tool_can_and_gets_a_spare_where_it_cannot() -> None:
    (one,) = found(there(*TWO, PREDICTED, SPARE, state=WELL))
    assert (one.kind, first(one)) == (Kind.FAILING_DISK, Replace(old="S-2", new="S-5"))
    assert one.remedies[0].text.startswith("replace S-2 in 252:2 while it still works (1 predicted failure)")
    places = [replace(each, place=f"0 {each.place[-1]}") for each in (*TWO, PREDICTED, SPARE)]
    (one,) = found(there(*places, state=WELL, family=ADAPTEC, tool="arcconf"))
    assert first(one) == AddSpare(unit=UNIT, disk="S-5")
    (one,) = found(
        there(*places[:3], drive(5, DriveState.SPARE, group=""), state=WELL, family=ADAPTEC, tool="arcconf")
    )
    assert first(one).startswith("a hot spare is ready to take the place of S-2")
    (one,) = found(there(*TWO, PREDICTED, state=WELL))
    assert first(one).endswith("put a drive of 10.7 GB or more in a free slot of the card")


def test_what_smart_says_of_a_drive_that_the_card_calls_good_counts_too() -> None:
    machine = there(*THREE, SPARE, state=WELL)
    disks = (replace(one, smart=Smart(passed=False)) if one.serial == "S-1" else one for one in machine.disks)
    (one,) = found(replace(machine, disks=tuple(disks)))
    assert (one.kind, first(one)) == (Kind.FAILING_DISK, Replace(old="S-1", new="S-5"))


def changed(machine: Machine, **card: Any) -> Machine:
    machine.readings["megaraid"]["adapters"][0].update(card)
    return machine


def test_a_cache_that_a_power_cut_would_empty_is_a_finding_with_what_to_do() -> None:
    machine = there(*THREE, state=WELL)
    machine.readings["megaraid"]["adapters"][0]["volumes"][0]["policy"] = Policy.ALWAYS_WRITE_BACK.value
    bad = {"kind": "CacheVault", "state": "Failed"}
    (one,) = found(changed(machine, battery=bad))
    assert one.kind is Kind.ERRORS
    assert first(one).startswith("let it write through until its cache is safe (CacheVault Failed)")
    assert one.remedies[0].commands == ("storcli64 /c0/v239 set wrcache=wt",)
    assert found(changed(machine, battery={"kind": "CacheVault", "state": "Optimal"})) == []
    # What is not known is not called safe, and not called lost.
    unknown = found(changed(machine, battery={"kind": "CacheVault", "state": "Frobnicated"}))
    assert unknown == []
    assert Battery(kind="CacheVault", state="Frobnicated").protection.value == "unknown"


def test_a_foreign_configuration_and_a_drive_that_failed_outside_are_findings_of_the_card() -> None:
    foreign, bad = drive(4, DriveState.FOREIGN, group=""), drive(6, DriveState.FAILED, group="")
    one, two = found(there(*THREE, foreign, bad, state=WELL))
    assert (one.kind, one.name) == (Kind.CARD_FOREIGN, "c0-foreign")
    assert first(one).endswith("'storcli64 /c0/fall show all' shows it and changes nothing")
    assert [disk.disk for disk in one.disks] == ["S-4"]
    assert (two.kind, two.name) == (Kind.CARD_DRIVES, "c0-drives")
    assert first(two).startswith("no virtual drive is missing if all that you expect are listed")
    assert not any(remedy.procedure or remedy.commands for each in (one, two) for remedy in each.remedies)
    unread = changed(there(*THREE, bad, state=WELL), unread="no answer")
    assert first(found(unread)[-1]).startswith("not all virtual drives of the card are known")


def test_a_copyback_is_shown_with_its_progress_and_the_virtual_drive_stays_well() -> None:
    target = drive(5, DriveState.COPYING, group="", operation=Operation(what="copyback", fraction=0.44))
    (unit,) = units_of(there(*THREE, target, state=WELL))
    assert unit.activity is not None
    assert (unit.health.value, unit.activity.what, unit.activity.fraction) == ("ok", "copyback", 0.44)
    assert [(one.disk, one.role) for one in unit.members][-1] == ("S-5", "spare")
    assert list(said_by(unit)) == [("pause", "storcli64 /c0/e252/s5 pause copyback J nolog")]


def said_by(unit: Unit) -> list[tuple[str, str]]:
    return [
        (control.value, " ".join(one.argv[4:]))
        for control, order in controls_of(unit, ()).items()
        for one in order.actions
        if isinstance(one, Run)
    ]


def test_what_the_tool_can_pause_is_paused_and_resumed() -> None:
    halted = drive(2, DriveState.REBUILDING, operation=Operation(what="rebuild", fraction=0.2, paused=True))
    (unit,) = units_of(there(*TWO, halted))
    assert said_by(unit) == [("resume", "storcli64 /c0/e252/s2 resume rebuild J nolog")]
    unknown = drive(2, DriveState.REBUILDING)  # whether it runs is not known
    (unit,) = units_of(there(*TWO, unknown))
    assert said_by(unit) == []
    (unit,) = units_of(there(*TWO, replace(halted, place="0 2"), family=ADAPTEC, tool="arcconf"))
    assert said_by(unit) == []  # arcconf has no command for it


@pytest.mark.parametrize(
    ("printed", "code"), [(answer(), 0), (answer(Status="Failure"), 1), ("", 1), ("rubbish", 1)]
)
@pytest.mark.processes
def test_a_pause_that_the_card_refuses_is_no_pause(printed: str, code: int) -> None:
    halted = drive(2, DriveState.REBUILDING, operation=Operation(what="rebuild", fraction=0.2))
    (unit,) = units_of(there(*TWO, halted))
    (order,) = controls_of(unit, ()).values()
    (run,) = order.actions
    assert isinstance(run, Run)
    done = subprocess.run([*run.argv[:4], "printf", "%s", printed], capture_output=True, check=False)
    assert done.returncode == code
