"""What a volume group needs the administrator to do: activate it, or replace a disk."""

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.replacements import remedies_of
from raidtui.backends.lvm import now
from raidtui.backends.lvm.care_conditions import VOLUMES
from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import LogicalVolume
from raidtui.backends.lvm.status import RaidStatus
from raidtui.backends.lvm.units import others, units_of
from raidtui.jobs.progress import may_be_done
from raidtui.model.answer import Truth
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind
from raidtui.model.machine import Disk, Signature
from raidtui.model.procedure import LetSync, Procedure, ReAdd, Recover, RemoveFailed, Replace, Scrub, Start
from raidtui.model.unit import Health
from raidtui.plan.care import make_care
from raidtui.plan.words import check_words
from tests.unit.lvm_machines import (
    GROUP_UUID,
    MARK,
    VOLUME,
    group,
    lvm_disk,
    lvm_machine,
    pv_uuid,
    reading,
    status,
)
from tests.unit.remedies import runs

DOWN = msgspec.structs.replace(VOLUME, attr="rwi---r---", device_number="")
ONE = ("/dev/sda1", "")
CHECKED = ("sleep 5", "lvchange --syncaction check tank/data", "sh")  # once it is in sync


def said(found: LvmReading, *disks: Disk) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences and commands for the one group."""
    machine = lvm_machine(found, *(disks or (lvm_disk(1),)), mounted=False)
    (unit,) = units_of(machine)
    (found_care,) = remedies_of([unit], machine)
    return [(one.text, tuple(map(_short, runs(one, machine)))) for one in found_care]


def _short(line: str) -> str:
    """A shell's script as ``sh``."""
    return "sh" if line.startswith("sh -c") else line


def test_a_group_that_stays_down_with_a_disk_missing_is_connected_or_activated_degraded() -> None:
    assert said(reading(volumes=(DOWN,), paths=ONE)) == [
        (
            "connect the missing disk, or activate it degraded",
            ("vgchange -ay --activationmode degraded tank",),
        )
    ]


def test_a_level_that_loses_all_with_a_disk_is_not_activated_without_it() -> None:
    segment = msgspec.structs.replace(DOWN.segments[0], type="raid0")
    striped = msgspec.structs.replace(DOWN, segments=(segment,))
    assert said(reading(volumes=(striped,), paths=ONE)) == [
        ("connect the missing disk: RAID0 cannot be activated without it", ())
    ]


def test_what_a_linear_volume_has_on_the_other_disks_is_looked_for_on_overlays() -> None:
    segment = msgspec.structs.replace(DOWN.segments[0], type="linear")
    machine = lvm_machine(
        reading(volumes=(msgspec.structs.replace(DOWN, segments=(segment,)),), paths=ONE),
        lvm_disk(1),
        mounted=False,
    )
    (unit,) = units_of(machine)
    ((connect, trial),) = remedies_of([unit], machine)
    assert connect.text.startswith("connect the missing disk")
    assert trial.procedure == Recover(unit=unit.uuid)


def test_a_volume_whose_disks_are_here_and_are_called_failed_is_looked_for_on_overlays() -> None:
    failed = {"tank-data": msgspec.structs.replace(status(), letters="DD")}
    machine = lvm_machine(msgspec.structs.replace(reading(), statuses=failed), lvm_disk(1), lvm_disk(2))
    (unit,) = units_of(machine)
    assert unit.health is Health.FAILED
    ((trial,),) = remedies_of([unit], machine)
    assert trial.procedure == Recover(unit=unit.uuid)


def test_a_group_with_a_clone_of_a_disk_is_not_activated() -> None:
    sign = Signature(device="/dev/sda1", offset=536, type="LVM2_member", uuid=pv_uuid(1))
    first = msgspec.structs.replace(lvm_disk(1), signatures=(sign,))
    clone = msgspec.structs.replace(
        lvm_disk(3), signatures=(msgspec.structs.replace(sign, device="/dev/sdc1"),)
    )
    ((text, commands),) = said(reading(volumes=(DOWN,)), first, lvm_disk(2), clone)
    assert "have the same physical volume" in text
    assert commands == ()


def test_a_group_whose_name_another_one_has_too_is_not_activated() -> None:
    found = reading(volumes=(DOWN,))
    twice = msgspec.structs.replace(
        found.known, groups=(*found.known.groups, msgspec.structs.replace(group(), uuid="other"))
    )
    machine = lvm_machine(
        msgspec.structs.replace(found, known=twice), lvm_disk(1), lvm_disk(2), mounted=False
    )
    unit = units_of(machine)[0]
    ((care,),) = remedies_of([unit], machine)
    assert "another volume group is called tank too" in care.text
    assert care.commands == ()


def test_a_whole_group_that_is_not_active_is_activated() -> None:
    first, (text, commands) = said(reading(volumes=(DOWN,)), lvm_disk(1), lvm_disk(2))
    assert first == ("activate it", ("vgchange -ay tank",))
    assert text.startswith("if LVM refuses that, an image may have lost its metadata")
    assert commands == ()


def test_a_missing_disk_is_replaced_by_a_free_one_with_a_partition_like_the_others() -> None:
    torn = reading(paths=ONE, kernel=status("AD"))
    ((text, commands),) = said(torn, lvm_disk(1, free=False))
    assert text.startswith("replace the missing disk with the free disk S-0002 (sdb)")
    begin, _, part = commands[0].rpartition(" ")
    assert begin.startswith("pvcreate --norestorefile --uuid ")  # which a resumed job knows as its own
    assert part.endswith("-part1")
    flush = f"sync /dev/disk/by-id/wwn-0x5000c50000000001-part1 {part}"
    assert commands == (
        commands[0],
        f"vgextend tank {part}",
        flush,
        "vgchange --activate ay tank",
        f"lvconvert --yes --repair tank/data {part}",
        flush,
        "sleep 5",
        """lvremove --yes --select 'lv_name=~"_r(image|meta)_[0-9]+_extracted$"' tank""",
        "vgreduce --removemissing tank",
        flush,
    )
    large = msgspec.structs.replace(lvm_disk(2), logical_sector_bytes=4096, physical_sector_bytes=4096)
    used = [lvm_disk(n, free=False) for n in range(3, 7)]
    ((text, commands),) = said(torn, lvm_disk(1, free=False), large, *used)
    assert "4096-byte sectors" in text
    assert commands == ()
    ((text, commands),) = said(torn, *(lvm_disk(n, free=False) for n in range(1, 7)))
    assert "none is free here" in text
    assert commands == ()


def test_a_disk_that_failed_for_a_while_is_taken_back() -> None:
    stale = msgspec.structs.replace(VOLUME, health="refresh needed")
    found = reading(volumes=(stale,), kernel=status("AD"))
    ((text, commands),) = said(found, lvm_disk(1, free=False), lvm_disk(2, free=False), lvm_disk(3))
    assert text.startswith("S-0002 (sdb) is connected again: find out why it failed")
    assert commands == ("lvchange --refresh tank/data", *CHECKED)


@pytest.mark.parametrize(
    "found",
    [
        reading(),
        reading(volumes=()),
        reading(paths=("/dev/sda1", "/dev/sdb1"), kernel=status("Aa", action="recover")),
    ],
)
def test_one_that_is_fine_or_busy_needs_nothing(found: LvmReading) -> None:
    assert said(found, lvm_disk(1), lvm_disk(2)) == []


def test_an_exported_group_is_imported_and_one_that_lacks_a_disk_only_when_it_is_connected() -> None:
    exported = reading(its=group(exported=True), volumes=(DOWN,))
    assert said(exported, *BOTH) == [("import and activate it", ("vgimport tank", "vgchange -ay tank"))]
    lacks = reading(its=group(exported=True, missing=1), volumes=(DOWN,))
    ((text, commands),) = said(lacks, *BOTH)
    assert text.startswith(
        "connect the missing disk, then import and activate it. If that cannot be: --force in vgimport(8)"
    )
    assert not commands


@pytest.mark.parametrize("exported", [False, True])
def test_a_group_of_another_system_is_left_to_it_or_taken_over(exported: bool) -> None:
    theirs = reading(its=group(exported=exported, system_id="nas-2"), volumes=(DOWN,))
    ((text, commands),) = said(theirs, *BOTH)
    assert text.startswith("leave it to nas-2 while that computer can reach its disks")
    assert commands == ()
    ((text, commands),) = said(reading(its=group(lock_type="sanlock"), volumes=(DOWN,)), *BOTH)
    assert text.startswith("leave it to the cluster")
    assert commands == ()


def back(*volumes: LogicalVolume, kernel: RaidStatus | None = None) -> LvmReading:
    """The group after it was changed while its second disk was missing; the disk is connected again."""
    found = reading(its=group(missing=1), volumes=volumes, kernel=kernel)
    first, second = found.known.devices
    known = msgspec.structs.replace(
        found.known, devices=(first, msgspec.structs.replace(second, missing=True))
    )
    return msgspec.structs.replace(found, known=known)


BOTH = (lvm_disk(1), lvm_disk(2))
IS_BACK = (
    "S-0002 (sdb) is connected again, but LVM still marks it as missing: find out why it failed (cable, power, "
    "smartctl), then take it back and check"
)
RESTORE = (
    "vgextend --restoremissing tank /dev/disk/by-id/wwn-0x5000c50000000002-part1",
    "sync /dev/disk/by-id/wwn-0x5000c50000000001-part1 /dev/disk/by-id/wwn-0x5000c50000000002-part1",
)


def test_a_disk_that_came_back_is_marked_missing_until_it_is_restored() -> None:
    assert said(back(DOWN), *BOTH) == [(IS_BACK, (*RESTORE, "vgchange -ay tank", *CHECKED))]


@pytest.mark.parametrize(
    "letters", ["AD", "AA"]
)  # "AA": it was activated again, and is in sync by md's bitmap
def test_a_running_volume_takes_it_back_by_a_refresh(letters: str) -> None:
    found = back(VOLUME, kernel=status(letters))
    assert said(found, *BOTH) == [(IS_BACK, (*RESTORE, "lvchange --refresh tank/data", *CHECKED))]


def test_with_another_disk_missing_nothing_is_taken_back() -> None:
    found = back(DOWN)
    known = msgspec.structs.replace(found.known, groups=(group(missing=2),))
    ((_, commands),) = said(msgspec.structs.replace(found, known=known), *BOTH)
    assert commands == ()


@pytest.mark.parametrize(
    ("found", "procedure", "why"),
    [
        (reading(), Start(unit=GROUP_UUID), "is active already"),
        (reading(volumes=(DOWN,), paths=ONE), Start(unit=GROUP_UUID), "or choose to activate it degraded"),
        (
            reading(volumes=(DOWN,), paths=("", "")),
            Start(unit=GROUP_UUID, degraded=True),
            "cannot be activated without 2 disks",
        ),
        (reading(its=group(system_id="nas-2")), Start(unit=GROUP_UUID), "of another system"),
        (reading(volumes=()), Start(unit=GROUP_UUID), "has no volume, or one that is half made"),
        (reading(), ReAdd(unit=GROUP_UUID, disk="S-0002"), "waits for no disk S-0002"),
        (back(VOLUME), ReAdd(unit=GROUP_UUID, disk="S-0001"), "waits for no disk S-0001"),
        (
            back(VOLUME, kernel=status("Aa", action="recover")),
            ReAdd(unit=GROUP_UUID, disk="S-0002"),
            "is busy: rebuild",
        ),
        (reading(paths=ONE, kernel=status("AD")), Scrub(unit=GROUP_UUID), "lacks a disk"),
        (reading(volumes=(DOWN,)), Scrub(unit=GROUP_UUID), "is not active"),
        (reading(), RemoveFailed(unit=GROUP_UUID), "lvm has no procedure remove-failed"),
    ],
)
def test_what_is_not_possible_is_refused(found: LvmReading, procedure: Procedure, why: str) -> None:
    with pytest.raises(Refused, match=why):
        make_care(procedure, lvm_machine(found, *BOTH), seed=MARK)


def test_a_check_is_done_though_the_last_one_found_nothing() -> None:
    """A step whose conditions hold already is not done, if it may have been done by itself."""
    for repair in (False, True):
        plan = make_care(Scrub(unit=GROUP_UUID, repair=repair), lvm_machine(reading(), *BOTH), seed=MARK)
        for step in plan.steps[:-1]:
            assert not may_be_done(step, begun=False, rebooted=False)
            assert not may_be_done(step, begun=True, rebooted=True)


def test_a_volume_is_checked_and_repaired_and_a_repair_ends_with_a_check() -> None:
    def ids(*, repair: bool) -> list[str]:
        plan = make_care(Scrub(unit=GROUP_UUID, repair=repair), lvm_machine(reading(), *BOTH), seed=MARK)
        return [step.id for step in plan.steps]

    assert ids(repair=False) == ["check", "prove"]
    assert ids(repair=True) == ["repair", "check", "prove"]


def test_a_disk_is_back_only_with_full_redundancy_and_a_check_without_mismatches() -> None:
    plan = make_care(ReAdd(unit=GROUP_UUID, disk="S-0002"), lvm_machine(back(VOLUME), *BOTH), seed=MARK)
    assert [step.id for step in plan.steps] == ["restore", "refresh", "wait", "check", "prove"]
    assert plan.erased == ()
    assert [check_words(one) for one in plan.steps[-1].after] == [
        f"the volume group {GROUP_UUID} lacks no disk and is in sync, by volumes and their disks: data:2",
        f"the volumes of the group {GROUP_UUID} are equal",
    ]


def test_the_state_tells_it_from_a_missing_disk() -> None:
    (unit,) = units_of(lvm_machine(back(VOLUME), *BOTH))
    assert (unit.health, unit.raid_disks) == (Health.ERRORS, 2)
    assert unit.state == "in sync, 1 disk marked missing by LVM"
    assert [one.note for one in unit.members] == ["", "marked missing by LVM"]
    (unit,) = units_of(lvm_machine(back(DOWN), *BOTH, mounted=False))
    assert unit.state == "inactive: 1 disk marked missing by LVM"


# What a crash may leave behind: dm-raid's message "frozen".

FROZEN = status(action="frozen", done_bytes=0)
LET = (
    "let the syncs of tank/data run: the kernel may start none",
    ("dmsetup message tank-data 0 idle",),
)


@pytest.mark.parametrize(
    ("kernel", "paths"),
    [(FROZEN, ("/dev/sda1", "/dev/sdb1")), (status("AD", action="frozen", done_bytes=0), ONE)],
    ids=["whole", "degraded"],
)
def test_a_sync_that_was_left_paused_is_the_first_thing_to_put_right(
    kernel: RaidStatus, paths: tuple[str, ...]
) -> None:
    ((text, commands),) = said(reading(kernel=kernel, paths=paths), *BOTH)
    assert (text.partition(",")[0], commands) == LET


def test_nothing_is_begun_on_a_volume_whose_syncs_are_paused_and_the_reason_says_what_to_do() -> None:
    machine = lvm_machine(reading(kernel=FROZEN), *BOTH, lvm_disk(3), mounted=False)
    (finding,) = diagnose(units_of(machine), machine)
    assert (finding.kind, finding.first and finding.first.procedure) == (Kind.HELD, LetSync(unit=GROUP_UUID))
    others: tuple[Procedure, ...] = (
        Scrub(unit=GROUP_UUID),
        Replace(old=lvm_disk(1).serial, new=lvm_disk(3).serial),
    )
    for procedure in others:
        with pytest.raises(Refused, match="is paused; let it run first"):
            make_care(procedure, machine, seed=MARK)


def test_a_second_volume_is_looked_at_too() -> None:
    home = msgspec.structs.replace(
        VOLUME, uuid="home", name="home", path="/dev/tank/home", device_number="253:9"
    )
    found = reading(volumes=(VOLUME, home))
    paused = msgspec.structs.replace(FROZEN, name="tank-home")
    found = msgspec.structs.replace(found, statuses={**found.statuses, "tank-home": paused})
    ((text, commands),) = said(found, *BOTH)
    assert text.startswith("let the syncs of tank/home run")
    assert commands == ("dmsetup message tank-home 0 idle",)


@pytest.mark.parametrize(
    ("kernel", "truth"),
    [
        (status(), Truth.YES),
        (status(action="recover"), Truth.YES),
        (FROZEN, Truth.NO),
        (status(action=""), Truth.UNKNOWN),  # before dm-raid 1.5
        (None, Truth.UNKNOWN),
    ],
)
def test_what_the_kernel_does_not_say_is_unknown_and_never_means_that_nothing_is_paused(
    kernel: RaidStatus | None, truth: Truth
) -> None:
    check, known = VOLUMES.of(GROUP_UUID, "unheld"), reading().known
    assert VOLUMES.judge(check, known, {kernel.name: kernel} if kernel else {}).truth is truth
    assert VOLUMES.judge(check, reading(volumes=(DOWN,)).known, {}).truth is Truth.NO


def test_without_an_answer_of_dmsetup_the_redundancy_is_unknown_and_that_is_a_finding() -> None:
    machine = lvm_machine(msgspec.structs.replace(reading(), statuses={}), *BOTH, mounted=False)
    (finding,) = diagnose(units_of(machine), machine)
    assert "redundancy unknown: the kernel's status of it cannot be read" in finding.what
    with pytest.raises(Refused, match="what the kernel does with tank/data cannot be read"):
        make_care(LetSync(unit=GROUP_UUID), machine, seed=MARK)
    whole = lvm_machine(reading(), *BOTH, mounted=False)
    with pytest.raises(Refused, match="no sync of tank is held up"):
        make_care(LetSync(unit=GROUP_UUID), whole, seed=MARK)


def test_a_group_with_the_system_id_of_this_computer_is_its_own_at_every_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = reading(its=group(system_id="nas")).known
    monkeypatch.setattr(now, "_devices", lambda: {"sda1"})
    monkeypatch.setattr(now, "read_lvm", lambda _: known)
    monkeypatch.setattr(now, "read_statuses", lambda _: {})
    monkeypatch.setattr("raidtui.backends.lvm.reading.read_system_id", lambda _: "nas")
    found = now.reading_now(on_arrays=False)
    assert found is not None
    assert others(known.groups[0], found) == ""
