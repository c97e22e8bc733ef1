"""What a pool needs the administrator to do: bring a device back, or replace it by its GUID."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.replacements import remedies_of
from raidtui.backends.care import Replacement
from raidtui.backends.zfs.care import care_for
from raidtui.backends.zfs.care_conditions import DEVICE_IN
from raidtui.backends.zfs.reading import read_pools
from raidtui.backends.zfs.report import Pool, Status
from raidtui.backends.zfs.spare import spare
from raidtui.backends.zfs.status_json import parse_json
from raidtui.backends.zfs.tend import resilvered, scrub
from raidtui.backends.zfs.units import left_in, units_of
from raidtui.jobs.progress import may_be_done
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind, Remedy
from raidtui.model.lost import LostMember
from raidtui.model.machine import Disk
from raidtui.model.md_levels import Left
from raidtui.model.plan import Run
from raidtui.model.procedure import (
    AddSpare,
    Balance,
    Procedure,
    ReAdd,
    RemoveFailed,
    RemoveSpare,
    Scrub,
    Start,
    UseSpare,
)
from raidtui.model.unit import Health
from raidtui.model.units import both
from raidtui.plan.care import make_care
from raidtui.plan.words import command_line
from tests.unit.plan_machines import disk
from tests.unit.remedies import runs
from tests.unit.zfs_machines import (
    DATA,
    HEALTHY,
    answers,
    others,
    pool,
    recorded,
    report,
    zfs_disk,
    zfs_machine,
)

NO_SPARE = HEALTHY.replace("\tspares\n\t  /dev/sdd1    AVAIL   \n", "")
GONE = f"/dev/disk/by-id/{disk(3).by_id[0]}-part1"


WAIT = command_line(resilvered("tank"))
SCRUB = (command_line(scrub("tank").actions[0]), "zpool clear tank")
ONLINE = ("zpool online tank 13", WAIT, *SCRUB)
# The n-th call of status answers with the n-th line, and then with the last one.
FAKE_ZPOOL = """#!/bin/sh
echo "$*" >>said
case $1 in
scrub) exit 1 ;;
status) sed -n 1p answers; [ "$(wc -l <answers)" = 1 ] || sed -i 1d answers ;;
esac
"""


def torn(
    state: str = "REMOVED", *, text: str = NO_SPARE, name: str = GONE, pool_state: str = "DEGRADED"
) -> Pool:
    """The pool with its third device in ``state``, and GUIDs 11, 12 … of its devices as zpool has them."""
    text = text.replace("/dev/sdc1  ONLINE", f"{name}  {state}").replace(
        " state: ONLINE", f" state: {pool_state}"
    )
    found = pool(text)
    vdevs = tuple(
        msgspec.structs.replace(one, guid=str(10 + place)) for place, one in enumerate(found.status.vdevs)
    )
    return msgspec.structs.replace(found, status=msgspec.structs.replace(found.status, vdevs=vdevs))


def said(its: Pool, *disks: Disk) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences and commands for the one pool."""
    there = zfs_machine(report(its), *disks)
    (found,) = remedies_of(units_of(there), there)
    return [(one.text, runs(one, there)) for one in found]


def by_id(number: int) -> str:
    return f"/dev/disk/by-id/{disk(number).by_id[0]}"


TWO = (zfs_disk(1), zfs_disk(2))


def test_a_missing_device_is_replaced_by_its_guid() -> None:
    ((text, commands),) = said(torn(), *TWO)
    assert text == f"replace the missing disk {GONE} with the free disk S-0003 (sdc), 10.0 GB"
    assert f"zpool replace -o ashift=12 tank 13 {by_id(3)}-part1" in commands


def with_errors(*disks: str, counts: str = "0     0   512") -> Pool:
    """The pool with these devices degraded by checksum errors, and GUIDs 11, 12 … of its devices."""
    its = torn("ONLINE", name="/dev/sdc1")
    read, write, checksum = (int(one) for one in counts.split())
    vdevs = tuple(
        msgspec.structs.replace(
            one, state="DEGRADED", read_errors=read, write_errors=write, checksum_errors=checksum
        )
        if one.path in disks
        else one
        for one in its.status.vdevs
    )
    return msgspec.structs.replace(its, status=msgspec.structs.replace(its.status, vdevs=vdevs))


def test_checksum_errors_of_one_disk_are_checked_before_it_is_replaced() -> None:
    (text, commands), (other, _) = said(with_errors("/dev/sdc1"), *TWO, zfs_disk(3), disk(4))
    assert text.startswith("S-0003 (sdc) counts checksum errors alone: suspect its cable")
    assert commands == ("zpool clear tank", *SCRUB)
    assert other.startswith("replace the failed disk S-0003 (sdc) with the free disk S-0004")


def test_errors_of_several_disks_at_once_replace_none_of_them() -> None:
    its = with_errors("/dev/sda1", "/dev/sdb1", "/dev/sdc1")
    its = msgspec.structs.replace(its, status=msgspec.structs.replace(its.status, errors="2 data errors"))
    (text, commands), (files, none) = said(its, *TWO, zfs_disk(3), disk(4))
    assert text.startswith("3 disks count errors at once: suspect what they share")
    assert commands == ("zpool clear tank", *SCRUB)
    assert files.startswith("files are damaged: restore those")
    assert none == ()


GROUP = (
    "\t    replacing-2  DEGRADED     0     0     0\n"
    "\t      /dev/sdc1  {old}       0     0     0\n"
    "\t      {link}  {new}       0     0     0\n"
)


def replacing(old: str, new: str, *, group: str = "replacing", scan: str = "") -> Pool:
    """The pool whose third device is being replaced with another disk; GUIDs 11, 12 … of its devices."""
    inner = GROUP.format(old=old, new=new, link="/dev/sdf1" if new == "ONLINE" else f"{by_id(6)}-part1")
    text = NO_SPARE.replace(
        "\t    /dev/sdc1  ONLINE       0     0     0\n", inner.replace("replacing", group)
    )
    return torn(text=text.replace("config:", f"{scan}config:", 1), name="/dev/sdc1", state=old)


def test_a_replacement_whose_new_disk_is_gone_is_done_with_another_or_ended() -> None:
    three = (*TWO, zfs_disk(3))
    (text, commands), (other, detach) = said(replacing("ONLINE", "REMOVED"), *three)
    assert text == f"replace the missing disk {by_id(6)}-part1 with the free disk S-0004 (sdd), 10.0 GB"
    assert f"zpool replace -o ashift=12 tank 15 {by_id(4)}-part1" in commands
    assert other == (
        f"end the replacement: detach the missing disk {by_id(6)}-part1. The disk whose place it was to take stays"
    )
    assert detach == ("zpool detach tank 15", *SCRUB)
    ((text, commands),) = said(replacing("FAULTED", "REMOVED"), *three)
    assert text.startswith("replace the failed disk S-0003 (sdc) with")
    assert f"zpool replace -o ashift=12 tank 14 {by_id(4)}-part1" in commands


def test_a_spare_that_is_gone_while_its_device_works_is_only_detached() -> None:
    its = replacing("ONLINE", "REMOVED", group="spare")
    ((_, detach),) = said(its, *TWO, zfs_disk(3))
    assert detach == ("zpool detach tank 15", *SCRUB)


def test_what_resilvers_is_no_redundancy_before_zpool_marks_it() -> None:
    running = "  scan: resilver in progress since Sat\n\t0B resilvered, 0.00% done\n"
    assert left_in(replacing("FAULTED", "ONLINE", scan=running).status) is Left.NOTHING
    assert left_in(replacing("ONLINE", "ONLINE", scan=running).status) is Left.SOME
    assert left_in(replacing("FAULTED", "ONLINE").status) is Left.SOME


def test_what_is_only_to_be_brought_back_comes_before_a_replacement() -> None:
    text = NO_SPARE.replace("raidz1-0", "raidz2-0").replace("/dev/sdb1  ONLINE", "/dev/sdb1  FAULTED")
    (first,) = said(torn("OFFLINE", text=text), *TWO, zfs_disk(3), disk(5))
    assert first[0].startswith("S-0003 (sdc) is connected: bring it back")


def test_the_device_whose_vdev_survives_no_other_failure_comes_first() -> None:
    text = NO_SPARE.replace("\terrors", "").replace(
        "	  raidz1-0     ONLINE       0     0     0\n", "	  raidz2-0     ONLINE       0     0     0\n"
    )
    more = "	  mirror-1     DEGRADED     0     0     0\n" + "".join(
        f"	    /dev/sd{one}1  {state}       0     0     0\n"
        for one, state in (("d", "FAULTED"), ("e", "ONLINE"))
    )
    its = torn("FAULTED", text=text.replace("\nerrors", f"{more}\nerrors"), name="/dev/sdc1")
    (first, *_) = said(its, *TWO, *(zfs_disk(one) for one in (3, 4, 5)), disk(6))
    assert first[0].startswith("replace the failed disk S-0004 (sdd)")


def test_a_missing_device_is_named_by_the_serial_number_of_what_was_in_its_slot() -> None:
    its = torn(text=NO_SPARE.replace("raidz1-0", "raidz2-0").replace("/dev/sdb1  ONLINE", "1146  UNAVAIL"))
    there = zfs_machine(report(its), zfs_disk(1), disk(5))
    (unit,) = units_of(there)
    lost = tuple(
        LostMember(path=f"/dev/sd{one}1", disk=f"S-{one}", slot=slot) for one, slot in (("c", 2), ("b", 1))
    )
    ((need, *_),) = [care_for(msgspec.structs.replace(unit, lost=lost), there)]
    assert isinstance(need, Replacement)
    assert (need.what, need.lost) == ("the missing disk S-b", frozenset({"S-b"}))


def test_a_disk_with_read_errors_is_replaced() -> None:
    ((text, _),) = said(with_errors("/dev/sdc1", counts="3 0 9"), *TWO, zfs_disk(3), disk(4))
    assert text.startswith("replace the failed disk S-0003 (sdc)")


def test_a_hot_spare_is_added_as_a_spare_and_never_as_a_device_with_data() -> None:
    there = zfs_machine(report(pool(NO_SPARE)), *TWO, zfs_disk(3), disk(4))
    order = AddSpare(unit=pool().guid, disk=disk(4).identity)
    plan = make_care(order, there, seed="5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11")
    step = plan.steps[-1]
    assert [" ".join(run.argv) for run in step.actions if isinstance(run, Run)] == [
        f"zpool add -n tank spare {by_id(4)}-part1",
        f"zpool add tank spare {by_id(4)}-part1",
    ]
    assert [one.identity for one in plan.disks] == [disk(4).identity]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (HEALTHY, True),
        (HEALTHY.replace("/dev/sdd1    AVAIL", "/dev/sdd1    INUSE"), False),
        (NO_SPARE, False),
        (NO_SPARE.replace("/dev/sdc1  ONLINE", "/dev/sdd1  ONLINE"), False),  # a device with data
    ],
)
def test_a_spare_is_one_that_the_pool_lists_as_free(text: str, holds: bool) -> None:
    check = DEVICE_IN.of("/dev/sdd1", f"{pool().guid} spare")
    assert DEVICE_IN.judge(check, report(pool(text))).holds is holds


def test_a_pool_that_is_not_imported_gets_no_spare() -> None:
    there = zfs_machine(report(), *TWO, zfs_disk(3), disk(4))
    (unit,) = units_of(there)
    with pytest.raises(Refused, match="is not imported"):
        spare(unit, msgspec.structs.replace(there, readings={}))


def test_one_that_has_come_back_is_brought_online_and_nothing_is_replaced() -> None:
    assert said(torn(), *TWO, zfs_disk(3, used=False), disk(5)) == [
        ("S-0003 (sdc) is connected: bring it back, then scrub the pool", ONLINE)
    ]
    assert said(torn("OFFLINE", name="/dev/sdc1"), *TWO, zfs_disk(3), disk(5))[0][1] == ONLINE


def write_tools(folder: Path) -> None:
    """The pretended zpool, and a sleep that ends at once: what is waited for is counted in answers, not in seconds."""
    for name, text in (("zpool", FAKE_ZPOOL), ("sleep", "#!/bin/sh\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


@pytest.mark.processes
@pytest.mark.parametrize(
    ("answers", "scrubs"),
    [
        (["scan: scrub repaired 0B"], 1),
        (["scan: resilvered 1.2M", "scan: scrub repaired 0B"], 2),
        (["scan: resilver in progress", "scan: resilvered 1.2M", "scan: scrub repaired 0B"], 3),
        (["scan: resilvered 1.2M"], 5),  # and what is asked after it says that no scrub was done
    ],
)
def test_a_scrub_follows_a_resilver_that_begins_once_more(
    answers: list[str], scrubs: int, tmp_path: Path
) -> None:
    write_tools(tmp_path)
    (tmp_path / "answers").write_text("".join(f"{line}\n" for line in answers))
    (run,) = scrub("tank").actions
    assert isinstance(run, Run)
    done = subprocess.run(run.argv, cwd=tmp_path, env={"PATH": f"{tmp_path}:{os.defpath}"}, check=False)
    said_there = (tmp_path / "said").read_text().splitlines()
    assert done.returncode == 0
    assert said_there.count("scrub tank") == scrubs
    assert said_there[:3] == ["wait -t resilver,replace tank", "scrub tank", "wait -t scrub tank"]


@pytest.mark.processes
def test_a_resilver_that_was_deferred_is_waited_for_too(tmp_path: Path) -> None:
    write_tools(tmp_path)
    answers = [
        "/dev/sdd1 ONLINE 0 0 0 (awaiting resilver)",
        "scan: resilver in progress",
        "scan: resilvered 1.2M",
    ]
    (tmp_path / "answers").write_text("".join(f"{line}\n" for line in answers))
    env = {"PATH": f"{tmp_path}:{os.defpath}"}
    done = subprocess.run(resilvered("tank").argv, cwd=tmp_path, env=env, check=False)
    assert done.returncode == 0
    assert (tmp_path / "said").read_text().splitlines() == [
        "wait -t resilver,replace tank",
        "status tank",
    ] * 3


def test_where_data_is_damaged_the_files_are_what_is_to_be_done() -> None:
    ((text, _),) = said(pool(HEALTHY.replace("No known data errors", "3 data errors")), *TWO)
    assert text.startswith("files are damaged: restore those")


def test_one_that_was_replaced_is_not_taken_for_the_missing_one() -> None:
    """It has a label of the pool too, and nothing removes it."""
    ((text, commands),) = said(torn(), *TWO, zfs_disk(4, used=False), disk(5))
    assert text.startswith("replace the missing disk")
    assert any(line.startswith("zpool replace -o ashift=12 tank 13 ") for line in commands)


def test_a_missing_one_is_found_by_the_path_that_it_had() -> None:
    its = torn(
        "UNAVAIL", name=f"130  UNAVAIL 0 0 0 was /dev/disk/by-partuuid/{zfs_disk(3).partitions[0].uuid} #"
    )
    assert its.status.leaves[2].note.startswith("was /dev/disk")
    assert said(its, *TWO, zfs_disk(3, used=False))[0][1] == ONLINE


def test_one_that_fails_is_replaced_though_it_is_connected() -> None:
    ((text, commands),) = said(torn("FAULTED", name="/dev/sdc1"), *TWO, zfs_disk(3), disk(5))
    assert text.startswith("replace the failed disk S-0003 (sdc) with the free disk S-0004 (sdd)")
    assert f"zpool replace -o ashift=12 tank 13 {by_id(4)}-part1" in commands


def test_an_available_hot_spare_comes_first() -> None:
    ((text, commands),) = said(torn(text=HEALTHY), *TWO, zfs_disk(4), disk(5))
    assert text == "replace it with the hot spare S-0004 (sdd); zed does so by itself where it runs"
    assert commands == (
        f"zpool replace -o ashift=12 tank 13 {by_id(4)}-part1", WAIT, "zpool detach tank 13", *SCRUB
    )  # fmt: skip


def test_errors_that_were_counted_are_scrubbed_though_the_last_scrub_found_none() -> None:
    its = pool(NO_SPARE)
    vdevs = tuple(msgspec.structs.replace(one, checksum_errors=3 * one.leaf) for one in its.status.vdevs)
    its = msgspec.structs.replace(its, status=msgspec.structs.replace(its.status, vdevs=vdevs))
    there = zfs_machine(report(its), *TWO, zfs_disk(3))
    (unit,) = units_of(there)
    assert (unit.health, unit.state) == (Health.ERRORS, "online, 9 errors of its disks counted")
    ((remedy,),) = remedies_of([unit], there)
    assert remedy.procedure == Scrub(unit=unit.uuid)
    plan = make_care(remedy.procedure, there, seed="5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11")
    assert [step.id for step in plan.steps] == ["scrub", "prove", "reset"]
    assert not may_be_done(plan.steps[0], begun=False, rebooted=False)
    assert not may_be_done(plan.steps[2], begun=False, rebooted=False)


@pytest.mark.parametrize(
    ("procedure", "why"),
    [
        (Start(unit=pool().guid), "is imported already"),
        (ReAdd(unit=pool().guid, disk="S-0003"), "no missing device of tank is on S-0003"),
        (UseSpare(unit=pool().guid, disk="S-0004"), "is not a hot spare of tank that is free"),
        (RemoveSpare(unit=pool().guid, disk="S-0004"), "is not a hot spare of tank that is free"),
        (RemoveFailed(unit=pool().guid), "no device of tank can be detached"),
        (Balance(unit=pool().guid), "zfs has no procedure balance"),
    ],
)
def test_what_is_not_possible_is_refused(procedure: Procedure, why: str) -> None:
    there = zfs_machine(report(torn()), *TWO, zfs_disk(4, guid="7"), zfs_disk(3, guid="7"))
    with pytest.raises(Refused, match=why):
        make_care(procedure, there, seed="5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11")


def test_without_a_guid_a_sentence_stands_there_and_no_command() -> None:
    its = torn()
    vdevs = tuple(msgspec.structs.replace(one, guid="") for one in its.status.vdevs)
    its = msgspec.structs.replace(its, status=msgspec.structs.replace(its.status, vdevs=vdevs))
    ((text, commands),) = said(its, *TWO, disk(5))
    assert "zpool status -g tank" in text
    assert commands == ()


def test_without_a_free_disk_its_size_is_said() -> None:
    used = (zfs_disk(number, guid="7") for number in (3, 4, 5, 6))
    ((text, commands),) = said(torn(), *TWO, *used)
    least = 2**20 + 9_893_314_560 + 33 * 512  # the second GPT
    assert text.endswith(f"connect a disk of {both(least).partition(' (')[0]} or more; none is free here")
    assert commands == ()


@pytest.mark.parametrize(
    ("state", "more"),
    [
        ("SUSPENDED", [("when they are connected, resume its I/O", ("zpool clear tank",))]),
        ("UNAVAIL", []),
    ],
)
def test_a_pool_that_lost_too_many_only_gets_them_back(
    state: str, more: list[tuple[str, tuple[str, ...]]]
) -> None:
    its = torn("UNAVAIL", pool_state=state)
    assert said(its, *TWO, disk(5)) == [("connect the missing disks", ()), *more]
    there = zfs_machine(report(its), *TWO, disk(5))
    (found,) = [one for one in diagnose(units_of(there), there) if one.name == "tank"]
    assert found.remedies[0].text == "connect the missing disks"


@pytest.mark.parametrize(
    "its", [pool(), pool(recorded("missing.status")), pool(recorded("replacing.status"))]
)
def test_one_that_is_well_or_resilvers_needs_nothing(its: Pool) -> None:
    assert said(its, *TWO, disk(5)) == []


# GUIDs, as zpool reports them.


def test_json_has_the_guids() -> None:
    found = parse_json((DATA / "offline-2.3.json").read_text(), now=0, resolve=lambda path: path)
    assert found is not None
    assert [one.guid for one in found[0].leaves][:2] == ["16800912981234448470", "4667840575127274259"]
    assert json.loads((DATA / "offline-2.3.json").read_text())["pools"]["tank"]["name"] == "tank"


LISTED = "tank\t15341881706237869165\t9\t9\t9\t0\t0\t12\t-\n"
NAMED = recorded("offline.status").replace("/dev/sd", "1000").replace("raidz1-0", "77")


def asked(named: str) -> Status:
    """What is read where the status with GUIDs is ``named``."""
    ask = answers(
        {
            "zpool list": LISTED,
            "zpool status -p -P -L": recorded("offline.status"),
            "zpool status -p -P -g": named,
        }
    )
    (found,) = read_pools(ask, "2.1.11")
    return found.status


def test_before_json_the_guids_are_those_of_a_second_status() -> None:
    names = {"a1": "101", "b1": "102", "c1": "103", "d1": "104"}
    named = NAMED
    for word, guid in names.items():
        named = named.replace(f"1000{word}", guid)
    assert [(one.name, one.guid) for one in asked(named).leaves] == [
        ("/dev/sda1", "101"),
        ("/dev/sdb1", "102"),
        ("/dev/sdc1", "103"),
        ("/dev/sdd1", "104"),
    ]


@pytest.mark.parametrize("named", ["", "rubbish", recorded("spare.status"), recorded("offline.status")])
def test_a_second_status_that_does_not_fit_gives_no_guids(named: str) -> None:
    assert [one.guid for one in asked(named).leaves] == ["", "", "", ""]


@pytest.mark.parametrize("searched", [False, True])
def test_a_pool_that_is_found_by_its_devices_alone_is_imported_so(searched: bool) -> None:
    machine = zfs_machine(
        others(searched=searched), zfs_disk(1, used=False), zfs_disk(2, used=False), mounted=False
    )
    more = " -d /dev/sda1 -d /dev/sdb1" if searched else ""
    remedy = Remedy(text="", procedure=Start(unit=others().others[0].guid))
    assert runs(remedy, machine) == (f"zpool import -d /dev/disk/by-id{more} {others().others[0].guid}",)


@pytest.mark.parametrize(
    ("changes", "first", "count"),
    [
        ({"state": "UNAVAIL"}, "connect its missing disks", 1),
        ({"state": "FAULTED"}, "copy each of its disks to a new one first", 2),
        ({"state": ""}, "zpool import says: nothing", 1),
        ({"state": "UNAVAIL", "destroyed": True}, "", 0),
        (
            {"status": "The pool was last accessed by another system."},
            "make sure that no other computer can reach its disks: attic used it last, and did not export it",
            1,
        ),
    ],
)
def test_a_pool_that_cannot_be_imported_is_not_written_to(
    changes: dict[str, Any], first: str, count: int
) -> None:
    machine = zfs_machine(others(exported=False, **changes), mounted=False)
    (unit,) = units_of(machine)
    found = care_for(unit, machine)
    assert len(found) == count
    assert all(isinstance(one, Remedy) and one.procedure is None and not one.commands for one in found)
    if found:
        assert isinstance(found[0], Remedy)
        assert found[0].text.startswith(first)
    with pytest.raises(Refused):
        make_care(Start(unit=unit.uuid, degraded=True), machine, seed="5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10")


SPECIAL = "\tspecial\n\t  mirror-1  DEGRADED  0  0  0\n\t    /dev/sdd1  ONLINE  0  0  0\n\t    {gone}  REMOVED  0  0  0\n"


def test_a_device_with_metadata_is_replaced_like_one_with_data() -> None:
    text = NO_SPARE.replace("\nerrors", SPECIAL.format(gone=f"{by_id(6)}-part1") + "\nerrors")
    ((text, commands),) = said(torn("ONLINE", text=text, name="/dev/sdc1"), *TWO, zfs_disk(3), zfs_disk(4))
    assert text == f"replace the missing disk {by_id(6)}-part1 with the free disk S-0005 (sde), 10.0 GB"
    assert f"zpool replace -o ashift=12 tank 16 {by_id(5)}-part1" in commands


@pytest.mark.parametrize("section", ["logs", "cache"])
def test_a_log_or_a_cache_that_is_gone_names_itself_and_no_disk_that_is_well(section: str) -> None:
    beside = f"\tlogs\n\t  /dev/sdd1  ONLINE  0  0  0\n\t{section}\n\t  {by_id(6)}-part1  REMOVED  0  0  0\n"
    its = pool(NO_SPARE.replace("\nerrors", f"{beside}\nerrors"))
    there = zfs_machine(report(its), *TWO, zfs_disk(3), zfs_disk(4))
    (found,) = diagnose(units_of(there), there)
    assert (found.kind, found.disks) == (Kind.FAILED_MEMBER, ())
    assert [one.text.partition(";")[0] for one in found.remedies] == [
        f"connect the missing disk {by_id(6)}-part1 of {section} again"
    ]
