"""What is wrong on a whole computer: one finding a unit, and what the configuration expects and is not here."""

import json
from collections.abc import Iterator
from typing import TypeVar, get_args

import msgspec
import pytest

from raidtui import cli
from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.pages import COSTS, PAGES, cost_of, data_of, facts_of, paragraphs
from raidtui.backends.md.units import unit_of
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.backends.units_now import Now
from raidtui.commands import care, status
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.lost import LostMember
from raidtui.model.machine import Machine, Mount
from raidtui.model.procedure import (
    Procedure,
    ReAdd,
    Recover,
    RemoveFailed,
    Replace,
    Start,
    is_choice,
    word_of,
)
from raidtui.plan.care import make_care
from tests.ui import machines
from tests.unit.test_machine_commands import MACHINES, machine
from tests.unit.test_plan_care import degraded, nas

P = TypeVar("P", bound=Procedure)

LOST = LostMember(
    path="/dev/sdc1",
    disk="WD-1",
    model="WDC WD40EFRX",
    place="ata3",
    slot=3,
    noticed="2026-11-20T10:00:00+00:00",
)


def test_a_finding_says_which_disk_what_is_left_what_not_to_do_and_what_is_done() -> None:
    array = degraded(lost=(LOST,))
    unit = msgspec.structs.replace(unit_of(array), lost=(LOST,))
    whole = nas(array, machines.disk(5))
    (finding,) = diagnose([unit], whole)
    assert finding.name == "tank"
    assert finding.unit == array.uuid
    assert finding.what == "array tank: degraded, not redundant: 1 of 4 members missing"
    (disk,) = finding.disks
    assert (disk.disk, disk.model, disk.place, disk.path, disk.state) == (
        "WD-1",
        "WDC WD40EFRX",
        "ata3",
        "/dev/sdc1",
        "lost",
    )
    assert disk.since == LOST.noticed
    assert finding.left == "none, one more failure loses tank"
    assert "serial number" in finding.never
    new = machines.disk(5).serial
    (remedy,) = finding.remedies
    assert remedy.procedure == Replace(old="WD-1", new=new, missing_from=(array.uuid,))
    assert finding.order(remedy) == f"raidtui care tank --erase {new}"


def test_the_most_urgent_unit_comes_first_and_healthy_ones_have_none() -> None:
    fine = machines.running_array(name="fine", uuid="9" * 32, node="/dev/md9")
    broken = degraded(state="broken", degraded=2, name="gone", uuid="8" * 32, node="/dev/md8")
    arrays = [fine, degraded(), broken]
    whole = machines.machine([machines.disk(1)], arrays)
    findings = diagnose([unit_of(one) for one in arrays], whole)
    assert [one.name for one in findings] == ["gone", "tank"]
    assert "re-add" in findings[0].never


def test_without_a_reading_only_faults_are_told() -> None:
    (finding,) = diagnose([unit_of(degraded())], None)
    assert finding.remedies == ()


def test_two_units_of_one_name_are_called_by_their_uuids() -> None:
    one, two = degraded(), degraded(uuid="1" * 32, node="/dev/md1")
    whole = nas(one)
    assert {found.name for found in diagnose([unit_of(one), unit_of(two)], whole)} == {
        one.uuid,
        two.uuid,
    }


# What the configuration expects.


def expecting(*arrays: str, fstab: tuple[str, ...] = (), nodes: tuple[str, ...] = ()) -> Machine:
    whole = machines.machine([machines.disk(1)])
    system = msgspec.structs.replace(
        whole.system, mdadm_conf_arrays=arrays, fstab=fstab, fstab_nodes=nodes, udev=True
    )
    return msgspec.structs.replace(whole, system=system)


LINE = "ARRAY /dev/md/tank metadata=1.2 UUID=aaaaaaaa:bbbbbbbb:cccccccc:dddddddd"


def test_an_array_of_mdadm_conf_that_no_disk_here_has_is_a_finding() -> None:
    (finding,) = diagnose([], expecting(LINE))
    assert (
        finding.what
        == "/etc/mdadm/mdadm.conf expects the array /dev/md/tank, and no disk here has a member of it"
    )
    assert finding.first is None


@pytest.mark.parametrize(
    "whole",
    [
        msgspec.structs.replace(
            expecting(LINE), arrays=(machines.running_array(uuid="aaaaaaaa-bbbb-bbbb-cccc-ccccdddddddd"),)
        ),
        msgspec.structs.replace(
            expecting(LINE),
            superblocks=(
                msgspec.structs.replace(machines.superblock(0), uuid="aaaaaaaa-bbbb-bbbb-cccc-ccccdddddddd"),
            ),
        ),
        msgspec.structs.replace(expecting(LINE), complete=False),  # superblocks were not read
        expecting(LINE.replace("1.2", "imsm")),
        expecting("ARRAY <ignore> container=x"),
    ],
)
def test_one_that_is_here_or_cannot_be_known_is_not_missed(whole: Machine) -> None:
    assert [one for one in diagnose([], whole) if "mdadm.conf" in one.what] == []


FSTAB = "UUID=1234 /srv/films ext4 defaults,nofail 0 2"


def test_a_mount_of_fstab_that_no_device_here_provides_is_a_finding() -> None:
    (finding,) = diagnose([], expecting(fstab=(FSTAB,), nodes=("",)))
    assert finding.name == "/srv/films"
    assert "UUID=1234" in finding.what


@pytest.mark.parametrize(
    ("line", "node"),
    [
        (FSTAB, "/dev/sda1"),
        (FSTAB.replace("nofail", "noauto"), ""),
        ("tmpfs /tmp tmpfs defaults 0 0", ""),
        ("nas:/srv /srv/nas nfs defaults 0 0", ""),
        ("UUID=77 none swap sw 0 0", ""),
    ],
)
def test_what_is_here_or_not_mounted_at_boot_is_not_missed(line: str, node: str) -> None:
    assert diagnose([], expecting(fstab=(line,), nodes=(node,))) == ()
    old = expecting(fstab=(FSTAB,))  # a recording without the nodes
    assert diagnose([], old) == ()
    mounted = msgspec.structs.replace(
        expecting(fstab=(FSTAB,), nodes=("",)),
        mounts=(Mount(source="/dev/sdz", target="/srv/films", type="ext4"),),
    )
    assert diagnose([], mounted) == ()


# The command.


def test_care_lists_each_finding_with_the_command_that_does_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["care", "--machine", str(MACHINES / "raid5-degraded.json")]) == 0
    text = capsys.readouterr().out
    assert " 1  array tank: degraded, not redundant" in text
    assert "raidtui care tank --erase LAB-0005" in text
    assert "raidtui care tank --do remove-failed" in text
    assert cli.main(["care", "--json", "--machine", str(MACHINES / "raid5-degraded.json")]) == 0
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert [one["procedure"]["type"] for one in finding["remedies"]] == ["replace", "remove-failed"]
    assert cli.main(["care", "--machine", str(MACHINES / "blank-4.json")]) == 0
    assert "nothing is wrong" in capsys.readouterr().out


def test_doctor_shows_the_same_findings(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["doctor", "--machine", str(MACHINES / "raid5-degraded.json")])
    assert "raidtui care tank --erase LAB-0005" in capsys.readouterr().out
    cli.main(["doctor", "--machine", str(MACHINES / "blank-4.json")])
    assert "raidtui care" not in capsys.readouterr().out


def test_a_recorded_machine_is_not_cared_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["care", "tank", "--machine", str(MACHINES / "raid5-degraded.json")]) == 3
    assert "cannot be changed" in capsys.readouterr().err


def finding(*remedies: Remedy) -> Finding:
    return Finding(name="tank", kind=Kind.DEGRADED, unit="u", what="degraded", remedies=remedies)


WAIT = Remedy(text="connect the missing disk")
ADD = Remedy(text="re-add", procedure=ReAdd(unit="u", disk="d"))
FAILED = Remedy(text="remove", procedure=RemoveFailed(unit="u"))
DEGRADED = Remedy(text="start it degraded", procedure=Start(unit="u", degraded=True))


def test_a_disk_whose_slot_another_one_has_by_now_is_not_named() -> None:
    older = msgspec.structs.replace(LOST, disk="WD-0", slot=None, noticed="2026-11-19T10:00:00+00:00")
    unit = msgspec.structs.replace(unit_of(degraded()), lost=(older, LOST))
    (found,) = diagnose([unit], None)
    assert [one.disk for one in found.disks] == ["WD-1"]
    failed = machines.running_array().members[3]
    members = (*degraded().members, msgspec.structs.replace(failed, slot=None, state=("faulty",)))
    unit = msgspec.structs.replace(unit_of(degraded(members=members)), lost=(older,))
    (found,) = diagnose([unit], None)
    assert [one.disk for one in found.disks] == [failed.disk]


def test_since_when_a_disk_is_out_reads_as_a_sentence() -> None:
    here = msgspec.structs.replace(LOST, here="/dev/sdx")
    said = []
    for lost in (LOST, here):
        (found,) = diagnose([msgspec.structs.replace(unit_of(degraded()), lost=(lost,))], None)
        said.append(facts_of(found)[0][1])
    assert said[0].endswith(f", lost since {LOST.noticed}")
    assert said[1].endswith(f", not in it since {LOST.noticed}")


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_page_with_all_its_parts(kind: Kind) -> None:
    found = msgspec.structs.replace(finding(), kind=kind)
    assert kind in PAGES
    assert "tank" in data_of(found)
    assert len(data_of(found)) <= 76  # one line of a small terminal
    assert all(text.endswith(".") for _, text in paragraphs(found))


def _variants(kind: type[P]) -> Iterator[P]:
    """Made procedures of one kind: its strings filled, its booleans all false, and each of them true."""
    fields = msgspec.structs.fields(kind)
    words: dict[str, object] = {field.name: "x" for field in fields if field.type is str}
    words |= {field.name: ("x",) for field in fields if field.type == tuple[str, ...]}
    for flag in ({}, *({field.name: True} for field in fields if field.type is bool)):
        yield msgspec.convert({"type": kind.__struct_config__.tag} | words | flag, kind)


def test_every_choice_says_what_it_costs() -> None:
    every: list[Procedure] = [one for kind in get_args(Procedure) for one in _variants(kind)]
    choices = {word_of(one) for one in every if is_choice(one)}
    assert {"start-degraded", "start-forced", "repair"} <= choices <= COSTS.keys()
    costly = Remedy(text="start it", procedure=Start(unit="u", degraded=True), warnings=("HIGH: x",))
    assert cost_of(finding(), costly) == (COSTS["start-degraded"], "HIGH: x")


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, Kind.NO_REDUNDANCY),
        ({"degraded": 2, "state": "broken"}, Kind.FAILED),
        ({"level": "raid6"}, Kind.DEGRADED),
        ({"state": "inactive"}, Kind.INACTIVE),
    ],
)
def test_a_finding_knows_its_kind(changes: dict[str, object], kind: Kind) -> None:
    array = msgspec.structs.replace(degraded(), **changes)
    (found,) = diagnose([unit_of(array)], nas(array))
    assert found.kind is kind


def test_a_page_is_printed_and_nothing_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["care", "tank", "--explain", "--machine", str(MACHINES / "raid5-degraded.json")]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("ONE MORE FAILURE LOSES tank\n")
    assert "Never\n" in shown


def test_the_first_procedure_is_done_or_the_one_that_is_named() -> None:
    found = finding(WAIT, ADD, FAILED)
    assert care._chosen([found], "") == ADD.procedure
    assert care._chosen([found], "remove-failed") == FAILED.procedure
    assert found.order(ADD) == "raidtui care tank"
    assert found.order(FAILED) == "raidtui care tank --do remove-failed"
    assert found.order(WAIT) == ""
    with pytest.raises(BadInput, match="can be re-add or remove-failed"):
        care._chosen([found], "replace")


def test_a_degraded_start_is_never_the_first_choice() -> None:
    found = finding(DEGRADED)
    with pytest.raises(Refused, match="for you to decide"):
        care._chosen([found], "")
    assert found.order(DEGRADED) == "raidtui care tank --do start-degraded"
    assert care._chosen([found], "start-degraded") == DEGRADED.procedure


def test_a_finding_is_found_by_its_name_its_unit_or_its_number() -> None:
    found = (finding(ADD), msgspec.structs.replace(finding(FAILED), name="1", unit="v"))
    assert care._find("tank", found, ()) == [found[0]]
    assert care._find("v", found, ()) == [found[1]]
    assert care._find("2", found, ()) == [found[1]]
    assert care._find("1", found, ()) == [found[1]]  # a name goes before a number
    with pytest.raises(BadInput, match="known here: tank and 1"):
        care._find("other", found, ())


@pytest.mark.parametrize(
    ("name", "procedure"),
    [
        ("raid5-one-outside", Start),
        ("raid5-stopped", Start),
        ("raid5-degraded", Replace),
        ("raid1-four-on-one-disk", Replace),
        ("raid1-clone", type(None)),
        ("raid1-used-apart", Recover),
    ],
)
def test_the_first_procedure_in_recorded_states(name: str, procedure: type) -> None:
    recorded = machine(name)
    first = diagnose(units_of(recorded), recorded)[0]
    done = first.first.procedure if first.first is not None else None
    assert isinstance(done, procedure)


def test_an_array_of_a_level_that_this_kernel_lacks_is_not_offered_to_be_started() -> None:
    recorded = machine("raid5-stopped")
    system = msgspec.structs.replace(recorded.system, kernel="6.12.1", md_levels=("raid0", "raid1"))
    without = msgspec.structs.replace(recorded, system=system)
    first = diagnose(units_of(without), without)[0]
    assert [one.procedure for one in first.remedies] == [None]
    assert "this kernel (6.12.1) has neither RAID5 nor a module for it" in first.remedies[0].text
    with pytest.raises(Refused, match="neither RAID5 nor a module for it"):
        make_care(Start(unit=first.unit), without, seed="d4d83b0f-02a7-5db3-8211-760bcd28fcd1")


@pytest.mark.parametrize(("what", "option"), [("add-spare", "--erase"), ("remove-spare", "--with")])
def test_a_spare_is_named_by_its_serial_number(
    what: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["care", "tank", "--do", what, "--machine", str(MACHINES / "raid5-degraded.json")]) == 2
    assert f"--do {what} needs the serial number of the disk: {option} SERIAL" in capsys.readouterr().err


def test_a_status_tells_one_story_though_an_array_starts_while_the_computer_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    states = MACHINES / "states"
    well = recorded_machine(str(states / "md-well.json"))
    looks = iter([units_of(recorded_machine(str(states / "md-stopped.json")))])
    monkeypatch.setattr(status, "every_unit_now", lambda: Now(next(looks, units_of(well)), ()))
    monkeypatch.setattr("raidtui.backends.reading.Readings.read", lambda _: well)
    assert cli.main(["status"]) == 0
    said = capsys.readouterr().out
    assert "in sync" in said
    assert "not started" not in said


def test_no_page_sends_people_to_a_serial_number_alone() -> None:
    """Not every disk reports one."""
    told = [page.never for page in PAGES.values() if "serial number" in page.never]
    assert told
    assert all("its light" in text for text in told)
