"""Building on an Adaptec card: the exact commands, what is refused, jobs that are killed, and deletion."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.backends.adaptec import conditions
from raidtui.backends.adaptec.backend import BACKEND
from raidtui.backends.adaptec.commands import create, delete, link, wait
from raidtui.backends.adaptec.conditions import (
    DRIVE_CACHE,
    DRIVES_FREE,
    INITIALIZED,
    SPARES,
    VOLUME,
    VOLUME_CREATED,
    VOLUME_GONE,
)
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards import conditions as of_cards
from raidtui.backends.cards.names import marked
from raidtui.backends.cards.records import Adapter, Drive, DriveState
from raidtui.backends.facts import Options
from raidtui.backends.specfile import read_spec, write_spec
from raidtui.jobs.runner import run_job
from raidtui.model.errors import BadInput, CannotBuild, Refused
from raidtui.model.machine import Card, Claim, ClaimKind, Machine, Weight
from raidtui.model.plan import Plan, Run, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.plan.build import make_plan
from raidtui.plan.script import as_script
from raidtui.plan.teardown import make_teardown
from tests.unit.adaptec_machines import (
    CARD,
    SERIALS,
    VIRTUAL,
    a_volume,
    all_ready,
    of_series_two,
    with_adaptec,
    with_volume,
)
from tests.unit.card_machines import recorded
from tests.unit.fake_computer import FakeComputer, Killed
from tests.unit.plan_machines import SEED, disk
from tests.unit.test_backends_megaraid_build import a_job, commands

SPEC = Spec(
    name="tank",
    backend=Backend.ADAPTEC,
    level="raid5",
    members=SERIALS[:3],
    spares=SERIALS[3:],
    filesystem=FilesystemSpec(type="ext4"),
)
NAME = marked("tank", SEED)
SIZE = 286102 * 2**20


def free(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The computer whose four drives are all free."""
    return with_adaptec(monkeypatch, all_ready(), disks=[disk(1)])


def adapter(there: Machine) -> Adapter:
    reading = ADAPTEC.kept(there)
    assert reading is not None
    return reading.adapters[0]


def test_the_plan_has_the_exact_commands_and_says_that_it_cannot_be_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = make_plan(SPEC, free(monkeypatch), seed=SEED)
    made = next(step for step in plan.steps if step.id == "virtual-drive")
    assert made.undoable is Undo.IMPOSSIBLE
    first, spare = made.actions
    assert isinstance(first, Run)
    assert isinstance(spare, Run)
    assert " ".join(first.argv) == (
        f"arcconf CREATE 1 LOGICALDRIVE Stripesize 256 Name {NAME} Rcache RON Wcache WBB Method BUILD "
        "MAX 5 0 0 0 1 0 2 noprompt"
    )
    assert spare.argv[-5:] == ("arcconf", "1", NAME, "0", "3")
    assert '"$1" SETSTATE "$2" DEVICE "$4" "$5" HSP LOGICALDRIVE' in spare.argv[2]
    assert made.before == (
        DRIVES_FREE.of("arcconf 1 drives", " ".join(f"0:{n}={SERIALS[n]}" for n in range(4))),
    )
    assert made.after == (
        VOLUME.of(f"arcconf 1 {NAME}", f"raid5 {2 * SIZE} 0:0,0:1,0:2"),
        SPARES.of("arcconf 1 spares", f"0:3={SERIALS[3]}"),
    )
    assert len(made.destroys) == 4
    words = {word for argv in commands(plan) for one in argv for word in one.split()}
    assert not words & {"force", "OPTIMAL", "ALL", "Wcache=WB", "UNINIT", "INITIALIZE"}
    assert [one.identity for one in plan.disks] == list(SERIALS)
    assert next(step.undoable for step in plan.steps if step.id != "mountpoint") is Undo.IMPOSSIBLE


@pytest.mark.parametrize(
    ("level", "drives", "spans", "data"),
    [
        ("raid50", 6, 2, 4),
        ("raid50", 9, 3, 6),
        ("raid50", 10, 2, 8),
        ("raid60", 8, 2, 4),
        ("raid60", 15, 3, 9),
    ],
)
def test_drives_that_can_be_divided_in_one_way_are(level: str, drives: int, spans: int, data: int) -> None:
    """CREATE takes no number of spans for RAID50 and RAID60."""
    found = BACKEND.facts(level, [SIZE] * drives, Options())
    assert (found.groups, found.array_bytes) == (spans, data * SIZE)


@pytest.mark.parametrize(
    ("level", "drives", "why"),
    [
        ("raid50", 7, "cannot divide 7 drives into spans of 3 or more"),
        ("raid50", 12, "has 2, 3 or 4 spans, as the card chooses; use 10 drives"),
        ("raid50", 27, "has 3 or 9 spans, as the card chooses; use 26 drives"),
        ("raid60", 9, "cannot divide 9 drives into spans of 4 or more"),
        ("raid60", 12, "has 2 or 3 spans, as the card chooses; use 10 drives"),
    ],
)
def test_drives_that_the_card_may_divide_otherwise_are_refused(level: str, drives: int, why: str) -> None:
    with pytest.raises(CannotBuild, match=why):
        BACKEND.facts(level, [SIZE] * drives, Options())


def test_a_level_of_spans_is_created_as_any_other() -> None:
    members = [
        Drive(slot=f"0:{n}", place=f"0 {n}", state=DriveState.FREE, state_word="Ready") for n in range(6)
    ]
    wanted = BACKEND.defaults(replace(SPEC, level="raid50"))
    one, *_ = create(
        Adapter(number=1, tool="arcconf"), spec=wanted, name="t", members=members, spares=[], strip=65536
    )
    assert " ".join(one.argv) == (
        "arcconf CREATE 1 LOGICALDRIVE Stripesize 64 Name t Rcache RON Wcache WBB Method BUILD "
        "MAX 50 0 0 0 1 0 2 0 3 0 4 0 5 noprompt"
    )


def test_raid0_has_nothing_to_build_and_smartraid_takes_no_options() -> None:
    members = [
        Drive(slot=f"0:{n}", place=f"0 {n}", state=DriveState.FREE, state_word="Ready") for n in (4, 5)
    ]
    old, new = Adapter(number=2, tool="arcconf"), Adapter(number=1, tool="arcconf", driver="smartpqi")
    (zero,) = create(
        old, spec=replace(SPEC, level="raid0"), name="t", members=members, spares=[], strip=65536
    )
    assert " ".join(zero.argv) == (
        "arcconf CREATE 2 LOGICALDRIVE Stripesize 64 Name t Rcache RON Wcache WBB Method QUICK "
        "MAX 0 0 4 0 5 noprompt"
    )
    (one,) = create(new, spec=replace(SPEC, level="raid1"), name="t", members=members, spares=[], strip=0)
    assert " ".join(one.argv) == "arcconf CREATE 1 LOGICALDRIVE Name t MAX 1 0 4 0 5 noprompt"


@pytest.mark.parametrize(
    ("kind", "method", "steps"), [("background", "BUILD", 0), ("fast", "QUICK", 0), ("full", "CLEAR", 1)]
)
def test_an_initialization_is_the_method_of_create_and_a_full_one_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, kind: str, method: str, steps: int
) -> None:
    plan = make_plan(replace(SPEC, options={"initialization": kind}), free(monkeypatch), seed=SEED)
    made = next(step for step in plan.steps if step.id == "virtual-drive")
    assert f" Method {method} " in " ".join(next(one.argv for one in made.actions if isinstance(one, Run)))
    waits = [step for step in plan.steps if step.id == "initialize"]
    assert len(waits) == steps
    expected = f"raid5 {2 * SIZE} 0:0,0:1,0:2"
    of = f"arcconf 1 {NAME}"
    if waits:
        # The kernel need not have it before.
        assert made.after[0] == VOLUME_CREATED.of(of, expected)
        assert waits[0].after == (INITIALIZED.of(of, "full"), VOLUME.of(of, expected))
        assert plan.steps.index(waits[0]) == plan.steps.index(made) + 1
    else:
        assert made.after[0] == VOLUME.of(of, expected)


def test_raid0_has_nothing_to_initialize(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = replace(SPEC, level="raid0", spares=(), options={"initialization": "full"})
    with pytest.raises(
        BadInput,
        match="the key 'initialization' is for RAID1, RAID5, RAID6, RAID10, RAID50 and RAID60",
    ):
        make_plan(wanted, free(monkeypatch), seed=SEED)


def test_the_drive_cache_is_set_of_each_drive_and_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(replace(SPEC, options={"drive_cache": "off"}), free(monkeypatch), seed=SEED)
    made = next(step for step in plan.steps if step.id == "virtual-drive")
    told = [" ".join(one.argv) for one in made.actions if isinstance(one, Run) and "SETCACHE" in one.argv]
    assert told == [f"arcconf SETCACHE 1 DEVICE 0 {n} wt noprompt" for n in range(4)]
    check = DRIVE_CACHE.of("arcconf 1 drive caches", "0:0=off 0:1=off 0:2=off 0:3=off")
    assert check in made.after

    one = adapter(free(monkeypatch))
    for cache, holds in ((False, True), (True, False), (None, True)):
        off = [replace(drive, drive_cache=False) for drive in one.drives[:3]]
        drives = (*off, replace(one.drives[3], drive_cache=cache))
        seen = replace(one, drives=drives)
        monkeypatch.setattr(conditions, "read_adapter", lambda *asked, seen=seen, **more: seen)
        assert DRIVE_CACHE.ask(check, lambda _: False).holds is holds


CACHES = {"write_policy": "write-through", "read_ahead": "off", "drive_cache": "on"}


def test_the_caches_are_set_as_the_spec_says(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(replace(SPEC, options=CACHES), free(monkeypatch), seed=SEED)
    made = next(step for step in plan.steps if step.id == "virtual-drive")
    run = made.actions[0]
    assert isinstance(run, Run)
    assert " Rcache ROFF Wcache WT Method BUILD MAX 5 " in " ".join(run.argv)
    assert "Write-through, no read-ahead, drive cache on." in made.reason
    assert read_spec(write_spec(plan.spec), origin="t").options == CACHES | {"initialization": "background"}


@pytest.mark.parametrize("change", [{key: value} for key, value in CACHES.items()])
def test_the_caches_of_a_smartraid_card_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    there = free(monkeypatch)
    there.readings["adaptec"]["adapters"][0]["driver"] = "smartpqi"
    with pytest.raises(
        BadInput, match=r"does not set the caches of a SmartRAID card; .* 'arcconf SETCACHE' shows"
    ):
        make_plan(replace(SPEC, spares=(), options=change), there, seed=SEED)


def test_a_smartraid_card_is_told_nothing_of_the_initialization(monkeypatch: pytest.MonkeyPatch) -> None:
    there = free(monkeypatch)
    there.readings["adaptec"]["adapters"][0]["driver"] = "smartpqi"
    with pytest.raises(BadInput, match="leave 'initialization' out"):
        make_plan(replace(SPEC, spares=(), options={"initialization": "full"}), there, seed=SEED)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"level": "raid7"}, "an Adaptec card has no level 'raid7'"),
        ({"level": "raid6", "spares": ()}, "RAID6 takes at least 4 drives, not 3"),
        ({"level": "raid1", "spares": ()}, "RAID1 takes 2 drives"),
        ({"chunk": 4096}, "an Adaptec card has no strip of 4KiB"),
        ({"partition": True}, "whole drives"),
        ({"metadata": "1.2"}, "'metadata'"),
        ({"name": "averylongname"}, "at most 8"),
        ({"members": ("S-0001", *SERIALS[:2])}, "not a drive behind an Adaptec card"),
    ],
)
def test_what_a_card_does_not_take_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        make_plan(replace(SPEC, **change), free(monkeypatch), seed=SEED)


def test_a_smartraid_card_is_given_no_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    there = free(monkeypatch)
    there.readings["adaptec"]["adapters"][0]["driver"] = "smartpqi"
    with pytest.raises(BadInput, match=r"leave 'spares' out .* 'arcconf SETSTATE' shows"):
        make_plan(SPEC, there, seed=SEED)
    assert make_plan(replace(SPEC, spares=()), there, seed=SEED).steps


def test_a_drive_with_another_array_s_configuration_stops_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    there = free(monkeypatch)
    there.readings["adaptec"]["adapters"][0]["drives"][3]["state"] = "foreign"
    with pytest.raises(Refused, match="arcconf GETCONFIG 1 PD"):
        make_plan(replace(SPEC, spares=()), there, seed=SEED)


def test_a_drive_in_use_is_refused_with_the_way_to_free_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match=f"raidtui teardown {NAME}"):
        make_plan(SPEC, with_adaptec(monkeypatch, with_volume(a_volume(NAME))), seed=SEED)


def test_a_drive_that_the_kernel_cannot_reach_is_not_md_s(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match=r"build on it with backend = 'adaptec'$"):
        make_plan(replace(SPEC, backend=Backend.MDADM, spares=()), free(monkeypatch), seed=SEED)


def test_a_job_that_is_killed_after_any_command_is_resumed_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    where = free(monkeypatch)
    plan = make_plan(SPEC, where, seed=SEED)
    for after in range(1, sum(len(step.actions) for step in plan.steps)):
        monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / str(after)))
        computer, folder = FakeComputer(plan, where), a_job(plan, where)
        computer.kill_after = after
        with pytest.raises(Killed):
            run_job(folder, on=computer)
        computer.kill_after = None
        assert run_job(folder, on=computer) == 0, after


def test_a_drive_in_another_slot_stops_the_job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    where = free(monkeypatch)
    plan = make_plan(SPEC, where, seed=SEED)
    folder = a_job(plan, where)
    first, second = where.readings["adaptec"]["adapters"][0]["drives"][:2]
    first["slot"], second["slot"] = second["slot"], first["slot"]
    assert run_job(folder, on=FakeComputer(plan, where)) == Refused.exit_code


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"serial": "OTHER"}, "slot 0:0 holds OTHER, not 3LM0QZVP"),
        ({"state": DriveState.ONLINE, "state_word": "Online"}, "is online (Online)"),
        ({"slot": "0:9"}, "there is no drive in slot 0:0"),
    ],
)
def test_right_before_the_command_slots_and_serial_numbers_are_asked_again(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], said: str
) -> None:
    one = adapter(free(monkeypatch))
    changed = replace(one, drives=(replace(one.drives[0], **changes), *one.drives[1:]))
    monkeypatch.setattr(conditions, "read_adapter", lambda *asked, **more: changed)
    check = DRIVES_FREE.of("arcconf 1 drives", f"0:0={SERIALS[0]} 0:1={SERIALS[1]}")
    found = DRIVES_FREE.ask(check, lambda path: False)
    assert found.holds is (not said)
    assert said in found.text


def test_a_virtual_drive_is_the_plan_s_by_level_drives_and_about_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = adapter(with_adaptec(monkeypatch, with_volume(a_volume(NAME))))
    monkeypatch.setattr(conditions, "read_adapter", lambda *asked, **more: one)
    monkeypatch.setattr(of_cards, "disks_here", lambda: (VIRTUAL,))

    def holds(level: str, size: int, slots: str) -> bool:
        return VOLUME.ask(VOLUME.of(f"arcconf 1 {NAME}", f"{level} {size} {slots}"), lambda _: False).holds

    assert holds("raid5", 2 * SIZE, "0:0,0:1,0:2")
    assert not holds("raid6", 2 * SIZE, "0:0,0:1,0:2")
    assert not holds("raid5", 3 * SIZE, "0:0,0:1,0:2")
    assert not holds("raid5", 2 * SIZE, "0:0,0:1,0:3")
    spares = SPARES.of("arcconf 1 spares", f"0:3={SERIALS[3]}")
    assert not SPARES.ask(spares, lambda _: False).holds
    given = replace(one, drives=(*one.drives[:3], replace(one.drives[3], state=DriveState.SPARE)))
    monkeypatch.setattr(conditions, "read_adapter", lambda *asked, **more: given)
    assert SPARES.ask(spares, lambda _: False).holds
    assert not VOLUME_GONE.ask(VOLUME_GONE.of("arcconf 1 DE172470"), lambda _: False).holds


def test_a_new_virtual_drive_without_identity_is_the_disk_that_has_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = adapter(with_adaptec(monkeypatch, with_volume(a_volume(NAME))))
    # arcconf itself prints neither the driver nor the address of such a card.
    said = replace(one, driver="", address="", volumes=(replace(one.volumes[0], serial=""),))
    monkeypatch.setattr(conditions, "read_adapter", lambda *asked, **more: said)

    def holds(model: str, *cards: Card) -> bool:
        monkeypatch.setattr(of_cards, "disks_here", lambda: (replace(VIRTUAL, serial="", model=model),))
        monkeypatch.setattr(conditions, "read_cards", lambda tree: cards)
        check = VOLUME.of(f"arcconf 1 {NAME}", f"raid5 {2 * SIZE} 0:0,0:1,0:2")
        return VOLUME.ask(check, lambda _: False).holds

    assert holds(NAME, CARD)
    assert not holds("another", CARD)
    other = replace(CARD, address="0000:02:00.0")
    assert holds(NAME, CARD, other)  # of two, it is not known which one, but the name is on neither twice
    assert not holds(NAME, CARD, replace(other, driver="smartpqi"))
    assert not holds(NAME)


def test_a_virtual_drive_is_deleted_by_what_identifies_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = with_volume(a_volume(NAME))
    spare = "Dedicated Hot-Spare\n         Dedicated Spare for : logical device 0"
    answers["GETCONFIG 1 PD"] = answers["GETCONFIG 1 PD"].replace(": Ready", f": {spare}")
    plan = make_teardown("tank", with_adaptec(monkeypatch, answers), seed=SEED)
    assert sorted(one.identity for one in plan.disks) == sorted(SERIALS)
    assert [step.id for step in plan.steps] == ["clear", "virtual-drive", "settle"]
    removed, freed = commands(plan)[1:3]
    assert removed[-3:] == ("arcconf", "1", "DE172470")
    assert '"$1" DELETE "$2" LOGICALDRIVE' in removed[2]
    assert freed[-4:] == ("arcconf", "1", "0", "3")
    assert plan.steps[1].undoable is Undo.IMPOSSIBLE


@pytest.mark.parametrize(
    ("kind", "weight"),
    [
        (ClaimKind.MOUNT, Weight.BUSY),
        (ClaimKind.LVM, Weight.BUSY),
        (ClaimKind.ARRAY, Weight.BUSY),
        (ClaimKind.ZFS, Weight.BUSY),
        (ClaimKind.SYSTEM, Weight.SYSTEM),
    ],
)
def test_a_virtual_drive_in_use_is_not_deleted(
    monkeypatch: pytest.MonkeyPatch, kind: ClaimKind, weight: Weight
) -> None:
    claim = Claim(what=kind, weight=weight, device="/dev/sda1", detail="used", how_to_free="free it")
    used = replace(VIRTUAL, taken_by=(claim,), free=False)
    there = with_adaptec(monkeypatch, with_volume(a_volume("other")), disks=[used])
    with pytest.raises(Refused, match=r"in use|running system"):
        make_teardown("other", there, seed=SEED)


def test_what_cannot_be_known_again_is_not_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="its tool does not say which disk it is"):
        make_teardown("c1v1", with_adaptec(monkeypatch, of_series_two()), seed=SEED)


FAKE = """#!/bin/sh
here=$(dirname "$0")
case $1 in
GETCONFIG) cat "$here/answer" ;;
*) echo "$*" >>"$here/done" ;;
esac
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    ("recording", "key", "number", "identity"),
    [
        ("", NAME, "0", "DE172470"),
        ("", "de172470", "0", "DE172470"),
        ("", "tank", "", ""),
        ("arcconf-m1-ld.txt", "600508b1001c6db81e7099960e5b5796", "2", "600508B1001C6DB81E7099960E5B5796"),
        ("arcconf-m1-ld.txt", "Logical Drive 2", "1", "600508B1001CFE283CA96614826A7F85"),
        ("arcconf-m1-ld.txt", "Logical Drive", "", ""),
        ("arcconf-raid10-ld.txt", "A2", "1", ""),
    ],
)
def test_what_works_on_a_virtual_drive_finds_it_by_name_or_identity(
    tmp_path: Path, recording: str, key: str, number: str, identity: str
) -> None:
    tool = tmp_path / "arcconf"
    tool.write_text(FAKE)
    tool.chmod(0o755)
    (tmp_path / "answer").write_text(recorded(recording) if recording else a_volume(NAME))
    one = Adapter(number=1, tool=str(tool))
    (removed,) = delete(one, key, [])
    subprocess.run(removed.argv, check=True)
    done = tmp_path / "done"
    said = done.read_text() if done.exists() else ""
    assert said == (f"DELETE 1 LOGICALDRIVE {number} noprompt\n" if number else "")
    # A link is made to nothing here: no disk of this computer is called so.
    found = link(one, key, str(tmp_path / "links/x")).argv[2]
    shown = found.partition("; [ -n")[0] + '; printf %s "$id"'
    told = subprocess.run(["sh", "-c", shown, "sh", str(tool), "1", key], capture_output=True, text=True)
    assert told.stdout == identity


@pytest.mark.processes
@pytest.mark.parametrize(
    ("number", "operation", "waits"),
    [("0", "Clear", True), ("1", "Clear", False), ("0", "Build/Verify", False), ("", "", False)],
)
def test_a_clear_of_this_virtual_drive_is_waited_for(
    tmp_path: Path, number: str, operation: str, waits: bool
) -> None:
    tool = tmp_path / "arcconf"
    tool.write_text(FAKE.replace("*)", 'GETSTATUS) cat "$here/status" ;;\n*)'))
    tool.chmod(0o755)
    (tmp_path / "answer").write_text(a_volume(NAME))
    task = f"Logical Device Task:\n   Logical Device    : {number}\n   Current operation  : {operation}\n"
    other = "Logical Device Task:\n   Logical Device    : 7\n   Current operation  : Clear\n"
    (tmp_path / "status").write_text(task + other if number else "   Current operation  : None\n")
    script = wait(Adapter(number=1, tool=str(tool)), NAME).argv[2]
    sleep = tmp_path / "sleep"  # what it waits for has ended once it has slept twice
    sleep.write_text('#!/bin/sh\necho slept\n[ ! -e "$0.once" ] || : >"${0%/*}/status"\n: >"$0.once"\n')
    sleep.chmod(0o755)
    run = ["sh", "-c", script, "sh", str(tool), "1", NAME]
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    told = subprocess.run(run, env=path, capture_output=True, text=True, check=True, timeout=30)
    assert told.stdout == "slept\n" * (2 if waits else 1)  # a card may list the task a moment later


@pytest.mark.processes
def test_a_spare_is_freed_only_while_it_is_one(tmp_path: Path) -> None:
    tool = tmp_path / "arcconf"
    tool.write_text(FAKE)
    tool.chmod(0o755)
    spare = Drive(slot="0:3", place="0 3", state=DriveState.SPARE, state_word="Hot Spare")
    _, freed = delete(Adapter(number=1, tool=str(tool)), NAME, [spare])
    for state, done in (("Online", ""), ("Global Hot-Spare", "SETSTATE 1 DEVICE 0 3 RDY noprompt\n")):
        (tmp_path / "answer").write_text(f"         State                : {state}\n")
        subprocess.run(freed.argv, check=True)
        told = tmp_path / "done"
        assert (told.read_text() if told.exists() else "") == done


@pytest.mark.processes
def test_the_plans_are_scripts_that_a_shell_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = [
        make_plan(SPEC, free(monkeypatch), seed=SEED),
        make_plan(
            replace(SPEC, options={"initialization": "full", "drive_cache": "off"}),
            free(monkeypatch),
            seed=SEED,
        ),
        make_teardown("tank", with_adaptec(monkeypatch, with_volume(a_volume(NAME))), seed=SEED),
    ]
    for plan in plans:
        text = as_script(plan)
        assert "adaptec_drives_free" in text or "adaptec_volume_gone" in text
        assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0
