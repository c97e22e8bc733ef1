"""Every disk to be erased is named exactly once, and by enough of its serial number."""

from collections.abc import Sequence

import pytest

from raidtui.jobs.confirm import check_erase, check_hazards
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Hazard, Plan, PlanKind, PlannedDisk, Severity
from raidtui.model.spec import Spec
from raidtui.model.system import System


def a_plan(serials: Sequence[str], hazards: tuple[Hazard, ...] = ()) -> Plan:
    disks = tuple(
        PlannedDisk(identity=s, serial=s, path=f"/dev/sd{'abcdef'[n]}", model="LAB disk")
        for n, s in enumerate(serials)
    )
    return Plan(
        kind=PlanKind.BUILD,
        spec=Spec(name="tank", level="raid1", members=tuple(serials)),
        seed="",
        array_uuid="",
        array_path="/dev/md/tank",
        disks=disks,
        hazards=hazards,
    )


def a_machine(serials: Sequence[str]) -> Machine:
    disks = tuple(
        Disk(name=f"sd{n}", path=f"/dev/sd{n}", device_number=f"8:{n}", size_bytes=1, serial=s)
        for n, s in enumerate(serials)
    )
    return Machine(system=System(hostname="here", kernel="6.1"), disks=disks)


@pytest.mark.parametrize(
    "erase",
    [
        ["LAB-0001", "LAB-0002"],
        ["LAB-0002", "LAB-0001"],
        ["0001", "0002"],
        ["B-0001", "LAB-0002"],
        ["lab-0001", "b-0002"],
    ],
)
def test_whole_serials_and_their_ends_name_disks(erase: list[str]) -> None:
    check_erase(a_plan(["LAB-0001", "LAB-0002"]), erase)


@pytest.mark.parametrize(
    ("erase", "reason"),
    [
        (
            [],
            r"this erases LAB-0001 \(LAB disk\), LAB-0002 \(LAB disk\); to do it, name every disk: --erase LAB-0001",
        ),
        (
            ["LAB-0001"],
            r"this erases LAB-0002 \(LAB disk\) too; to do it, name every disk: --erase LAB-0001,LAB-0002",
        ),
        (["LAB-0001", "LAB-0002", "LAB-0003"], "'LAB-0003' is not the end of a serial number of this plan"),
        (["LAB-0001", "0001", "LAB-0002"], "LAB-0001 is named twice"),
        (["001", "LAB-0002"], "'001' is too short to name a disk"),
        (["", "LAB-0002"], "'' is too short"),
        (["/dev/sda", "LAB-0002"], "'/dev/sda' is not the end"),
        (["yes"], "too short"),
    ],
)
def test_one_missing_one_too_many_or_a_wrong_name_is_refused(erase: list[str], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        check_erase(a_plan(["LAB-0001", "LAB-0002"]), erase)


def test_a_disk_of_a_plan_that_erases_none_is_refused() -> None:
    with pytest.raises(Refused, match="this plan erases no disk, so it has no 'LAB-0001'; leave --erase out"):
        check_erase(a_plan([]), ["LAB-0001"])


def test_an_end_that_two_disks_of_the_plan_share_names_neither() -> None:
    with pytest.raises(Refused, match="'0001' is the end of several serial numbers: A-0001, B-0001"):
        check_erase(a_plan(["A-0001", "B-0001"]), ["0001", "B-0001"])


def test_an_end_that_another_disk_of_the_machine_shares_is_refused() -> None:
    machine = a_machine(["A-0001", "A-0002", "OTHER-0001"])
    check_erase(a_plan(["A-0001", "A-0002"]), ["A-0001", "0002"], machine)
    with pytest.raises(Refused, match="several serial numbers: A-0001, OTHER-0001"):
        check_erase(a_plan(["A-0001", "A-0002"]), ["0001", "0002"], machine)


def test_a_whole_serial_that_is_the_end_of_another_still_names_its_disk() -> None:
    check_erase(a_plan(["0001", "A-0001"]), ["0001", "A-0001"])


def a_hazard(severity: Severity) -> Hazard:
    return Hazard(
        id="smr", severity=severity, seen="family WD Red (SMR)", meaning="It is slow.", advice="", source=""
    )


def test_a_blocking_hazard_cannot_be_accepted() -> None:
    with pytest.raises(Refused, match="cannot be done safely: smr: It is slow"):
        check_hazards(a_plan(["LAB-0001"], (a_hazard(Severity.BLOCK),)), ["smr"])


def test_a_high_hazard_is_accepted_by_its_id() -> None:
    plan = a_plan(["LAB-0001"], (a_hazard(Severity.HIGH),))
    with pytest.raises(Refused, match="if you accept this HIGH hazard, add --accept smr"):
        check_hazards(plan, [])
    check_hazards(plan, ["smr"])


def test_lesser_hazards_need_no_word() -> None:
    check_hazards(a_plan(["LAB-0001"], (a_hazard(Severity.WARN), a_hazard(Severity.INFO))), [])
