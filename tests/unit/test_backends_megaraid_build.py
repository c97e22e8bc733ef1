"""Building on a MegaRAID card: the exact commands, what is refused, jobs that are killed, and deletion."""

import json
import os
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.advice.report import Question, one_report
from raidtui.backends.cards import conditions as of_cards
from raidtui.backends.cards.chosen import check_drives
from raidtui.backends.cards.names import LONGEST_NAME, check_name, marked
from raidtui.backends.cards.records import Adapter, Drive, DriveState
from raidtui.backends.facts import Options
from raidtui.backends.megaraid import conditions
from raidtui.backends.megaraid.adapters import adapter_in
from raidtui.backends.megaraid.backend import BACKEND
from raidtui.backends.megaraid.commands import create, initialize
from raidtui.backends.megaraid.conditions import DRIVES_FREE, VOLUME, VOLUME_GONE
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.backends.megaraid.reader import READER as MEGARAID_READER
from raidtui.jobs.journal import read_journal
from raidtui.jobs.runner import run_job
from raidtui.jobs.store import write_job
from raidtui.model.errors import BadInput, CannotBuild, Refused
from raidtui.model.journal import JobKind, JobRequest, Outcome
from raidtui.model.machine import Claim, ClaimKind, Machine, Mount, Signature, Weight
from raidtui.model.plan import Plan, RemoveFolder, Run, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import KIB
from raidtui.plan.build import make_plan
from raidtui.plan.script import as_script
from raidtui.plan.teardown import make_teardown
from raidtui.steps.seeds import derive
from tests.unit.card_machines import VIRTUAL, answer, nine_two_seventy, recorded, with_card, without_volumes
from tests.unit.fake_computer import FakeComputer, Killed
from tests.unit.plan_machines import SEED, disk
from tests.unit.test_backends_megaraid_see import changed

SERIALS = tuple(f"WD-WM0000000{number}" for number in range(1, 9))
SPEC = Spec(
    name="tank",
    backend=Backend.MEGARAID,
    level="raid5",
    members=SERIALS[:3],
    spares=SERIALS[3:4],
    filesystem=FilesystemSpec(type="ext4"),
)
NAME = marked("tank", SEED)


def free(monkeypatch: pytest.MonkeyPatch, **values: Any) -> Machine:
    """The computer with the 9270, whose drives are all free; ``values`` replace those of its drives."""
    every: dict[str, Any] = {"State": "UGood", "DG": "-"} | values
    answers = nine_two_seventy() | {
        "/c0/vall show all": answer(Status="Failure", Description="No VD's have been configured."),
        "/c0 show all": good_battery(
            without_volumes(
                changed("9270-c0.json", State="UGood", DG="-").replace("RAID00, RAID10", "RAID6, RAID10")
            )
        ),
        "/c0/eall/sall show all": changed("9270-sall.json", **every),
    }
    return with_card(monkeypatch, answers, disks=[disk(1)])


def good_battery(text: str) -> str:
    """The same answer with the capacitor as it was recorded."""
    document = json.loads(text)
    document["Controllers"][0]["Response Data"]["Cachevault_Info"][0]["State"] = "Optimal"
    return json.dumps(document)


def commands(plan: Plan) -> list[tuple[str, ...]]:
    return [action.argv for step in plan.steps for action in step.actions if isinstance(action, Run)]


def test_the_plan_has_the_exact_command_and_says_that_it_cannot_be_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = make_plan(SPEC, free(monkeypatch), seed=SEED)
    made = next(step for step in plan.steps if step.id == "virtual-drive")
    assert made.undoable is Undo.IMPOSSIBLE
    (run,) = made.actions
    assert isinstance(run, Run)
    assert " ".join(run.argv) == (
        f"storcli64 /c0 add vd r5 name={NAME} drives=252:0,252:1,252:2 pdcache=off wb ra direct strip=256 "
        "Spares=252:3 J nolog"
    )
    assert made.before[0].expect == " ".join(f"252:{n}={SERIALS[n]}" for n in range(4))
    assert made.after == (
        VOLUME.of(f"storcli64 0 {NAME}", f"raid5 {2 * 0x15D400000 * 512} 252:0,252:1,252:2"),
    )
    assert len(made.destroys) == 4
    words = {word for argv in commands(plan) for word in argv}
    assert not words & {"force", "awb", "init", "jbod"}
    assert [one.identity for one in plan.disks] == list(SERIALS[:4])
    assert next(step.undoable for step in plan.steps if step.id != "mountpoint") is Undo.IMPOSSIBLE


def made(tool: str, level: str, drives: int, **options: str) -> str:
    """The command that creates such a virtual drive, after the words that name it."""
    (run,) = create(
        Adapter(number=1, tool=tool),
        spec=Spec(name="t", backend=Backend.MEGARAID, level=level, options=options),
        name="t",
        members=[
            Drive(slot=f"1:{number}", place="", state=DriveState.FREE, state_word="")
            for number in range(drives)
        ],
        spares=[],
        strip=64 * KIB,
    )
    return " ".join(run.argv)


@pytest.mark.parametrize(
    ("level", "drives", "options", "said"),
    [
        ("raid10", 4, {}, "PDperArray=2 pdcache=off wb ra direct strip=64"),
        ("raid50", 6, {}, "PDperArray=3 pdcache=off wb ra direct strip=64"),
        ("raid60", 12, {"spans": "3"}, "PDperArray=4 pdcache=off wb ra direct strip=64"),
        (
            "raid5",
            3,
            {"write_policy": "write-through", "read_ahead": "off"},
            "pdcache=off wt nora direct strip=64",
        ),
        ("raid5", 3, {"drive_cache": "on"}, "pdcache=on wb ra direct strip=64"),
    ],
)
def test_every_choice_is_in_the_command(level: str, drives: int, options: dict[str, str], said: str) -> None:
    slots = ",".join(f"1:{number}" for number in range(drives))
    assert made("storcli64", level, drives, **options) == (
        f"storcli64 /c1 add vd r{level.removeprefix('raid')} name=t drives={slots} {said} J nolog"
    )


def test_the_second_generation_has_words_of_its_own() -> None:
    text = made("/opt/MegaRAID/storcli2/storcli2", "raid1", 2)
    assert text.startswith("/opt/MegaRAID/storcli2/storcli2 /c1 add vd r1")
    assert not {"direct", "PDperArray=2"} & set(text.split())


@pytest.mark.parametrize(
    ("level", "drives", "spans", "data", "sure"),
    [("raid50", 6, "", 4, 1), ("raid50", 9, "3", 6, 1), ("raid60", 8, "", 4, 2), ("raid60", 12, "3", 6, 2)],
)
def test_spans_give_what_their_groups_give(level: str, drives: int, spans: str, data: int, sure: int) -> None:
    own = (("spans", spans),) if spans else ()
    facts = BACKEND.facts(level, [10**12] * drives, Options(own=own))
    assert facts.array_bytes == data * 10**12
    assert facts.stripe_width_bytes == data * 256 * KIB
    assert facts.survival.guaranteed == sure
    # Counted on the groups themselves.
    count, per = int(spans or 2), drives // int(spans or 2)
    for failed, sets in enumerate(facts.sets):
        alive = sum(
            max(sum(one // per == group for one in lost) for group in range(count)) <= sure
            for lost in combinations(range(drives), failed)
        )
        assert sets == alive


def test_the_pairs_that_lose_a_raid50_are_in_one_span() -> None:
    found = one_report(Backend.MEGARAID, "raid50", Question(sizes=(10**12,) * 6))
    assert found.fatal_pairs == ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5))


@pytest.mark.parametrize(
    ("level", "drives", "options", "why"),
    [
        ("raid50", 7, {}, "multiple of 2 drives, at least 6, not 7"),
        ("raid60", 8, {"spans": "4"}, "multiple of 4 drives, at least 16, not 8"),
        ("raid10", 18, {}, "at most 16 drives, in 8 spans"),
    ],
)
def test_drives_that_cannot_be_divided_are_refused(
    level: str, drives: int, options: dict[str, str], why: str
) -> None:
    with pytest.raises(CannotBuild, match=why):
        BACKEND.facts(level, [10**12] * drives, Options(own=tuple(options.items())))


@pytest.mark.parametrize(
    ("level", "key", "value", "why"),
    [
        ("raid5", "write_policy", "awb", "write_policy: 'awb' is not write-back or write-through"),
        ("raid5", "initialization", "quick", "not background or fast or full"),
        ("raid5", "spans", "2", "'spans' is for RAID50 and RAID60, not RAID5"),
        ("raid50", "spans", "9", "write 2 to 8"),
        ("raid5", "compression", "lz4", "no option 'compression'"),
    ],
)
def test_a_choice_that_no_card_has_is_refused(
    monkeypatch: pytest.MonkeyPatch, level: str, key: str, value: str, why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        make_plan(replace(SPEC, level=level, options={key: value}), free(monkeypatch), seed=SEED)


@pytest.mark.parametrize(("kind", "word"), [("fast", ""), ("full", "full")])
def test_an_initialization_is_a_step_before_the_filesystem(
    monkeypatch: pytest.MonkeyPatch, kind: str, word: str
) -> None:
    plan = make_plan(replace(SPEC, options={"initialization": kind}), free(monkeypatch), seed=SEED)
    steps = [step.id for step in plan.steps]
    assert steps[steps.index("initialize") - 1] == "clear"
    assert steps.index("initialize") < steps.index("mkfs")
    (run,) = plan.steps[steps.index("initialize")].actions
    assert isinstance(run, Run)
    assert run.argv[-4:] == ("storcli64", "0", NAME, word)
    assert "initialize" not in [step.id for step in make_plan(SPEC, free(monkeypatch), seed=SEED).steps]


@pytest.mark.parametrize(
    ("level", "members", "reason"),
    [
        (
            "raid5",
            SERIALS[:3],
            "mkfs is given chunk and stripe width; both",
        ),
        ("raid1", SERIALS[:2], "On the whole virtual drive."),
    ],
)
def test_mkfs_is_told_the_strip_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, level: str, members: tuple[str, ...], reason: str
) -> None:
    plan = make_plan(replace(SPEC, level=level, members=members), free(monkeypatch), seed=SEED)
    made = next(step for step in plan.steps if step.id == "mkfs")
    assert made.reason.startswith(reason)


@pytest.mark.parametrize("name", ["a" * (LONGEST_NAME + 1), "a b", "", "-a", "tänk", "a;b"])
def test_a_name_that_the_card_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(BadInput):
        check_name(name)
    assert len(marked("a" * LONGEST_NAME, SEED)) == 15


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"level": "raid7"}, "no level 'raid7'"),
        ({"level": "raid6", "spares": ()}, "RAID6 takes at least 4 drives, not 3"),
        ({"level": "raid1", "spares": ()}, "RAID1 takes 2 drives"),
        ({"level": "raid10"}, "at least 4"),
        ({"chunk": 4096}, "no strip of 4KiB"),
        ({"partition": True}, "whole drives"),
        ({"layout": "n2"}, "'layout'"),
        ({"members": ("S-0001", *SERIALS[:2])}, "not a drive behind a MegaRAID card"),
        ({"members": ("WD-NOBODY", *SERIALS[:2])}, "no disk of this machine is called 'WD-NOBODY'"),
    ],
)
def test_what_a_card_does_not_take_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        make_plan(replace(SPEC, **change), free(monkeypatch), seed=SEED)


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ({"rotational": False}, "rotating and flash"),
        ({"logical_sector_bytes": 4096}, "512-byte sectors and 4096-byte sectors"),
        ({"transport": "sas"}, "SATA and SAS"),
    ],
)
def test_drives_of_two_kinds_are_not_mixed(
    monkeypatch: pytest.MonkeyPatch, odd: dict[str, Any], why: str
) -> None:
    there = free(monkeypatch)
    mixed = tuple(replace(one, **odd) if one.serial == SERIALS[1] else one for one in there.disks)
    with pytest.raises(
        BadInput, match=rf"{SERIALS[0]} .* and {SERIALS[1]} .* differ: {why}; a virtual drive"
    ):
        make_plan(SPEC, replace(there, disks=mixed), seed=SEED)


def test_sas_and_sata_mix_if_the_card_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(recorded("9270-c0.json"))
    able = document["Controllers"][0]["Response Data"]["Capabilities"]
    able["Mix of SAS/SATA of HDD type in VD"] = "Allowed"
    able["Mix of SAS/SATA of SSD type in VD"] = "Not Allowed"
    adapter = adapter_in(document["Controllers"][0]["Response Data"], number=0, tool="storcli64", version="")
    there = [one for one in free(monkeypatch).disks if one.serial in SERIALS[:3]]
    odd = [there[0], replace(there[1], transport="sas"), there[2]]
    check_drives(odd, adapter, see_foreign="")
    with pytest.raises(BadInput, match="SAS or SATA and NVME"):
        check_drives([*odd, replace(there[2], transport="nvme")], adapter, see_foreign="")
    with pytest.raises(BadInput, match="SATA and SAS"):
        check_drives([replace(one, rotational=False) for one in odd], adapter, see_foreign="")


def test_a_foreign_configuration_anywhere_on_the_card_stops_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    there = free(monkeypatch)
    reading = there.readings["megaraid"]
    reading["adapters"][0]["drives"][7]["state"] = "foreign"
    with pytest.raises(Refused, match="foreign configuration"):
        make_plan(SPEC, there, seed=SEED)


def test_a_drive_in_use_is_refused_with_the_way_to_free_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    with pytest.raises(Refused, match="raidtui teardown c0v0"):
        make_plan(SPEC, there, seed=SEED)


def test_a_drive_that_the_kernel_cannot_reach_is_not_md_s(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPEC, backend=Backend.MDADM, spares=())
    with pytest.raises(Refused, match="build on it with backend = 'megaraid'"):
        make_plan(spec, free(monkeypatch), seed=SEED)


def a_job(plan: Plan, where: Machine, kind: JobKind = JobKind.BUILD, array: str = "") -> Path:
    return write_job(
        JobRequest(
            id="20261122-050000-tank",
            kind=kind,
            title="a job",
            created="",
            spec=plan.spec if kind is JobKind.BUILD else None,
            array=array,
            seed=SEED,
            fingerprint=plan.fingerprint,
            erase=tuple(one.identity for one in plan.disks),
            accepted=tuple(one.id for one in plan.hazards),
        ),
        machine=where,
        plan=plan,
    )


def test_a_job_that_is_killed_after_any_command_is_resumed_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    where = free(monkeypatch)
    plan = make_plan(SPEC, where, seed=SEED)
    count = sum(len(step.actions) for step in plan.steps)
    for after in range(1, count):
        monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / str(after)))
        computer, folder = FakeComputer(plan, where), a_job(plan, where)
        computer.kill_after = after
        with pytest.raises(Killed):
            run_job(folder, on=computer)
        computer.kill_after = None
        assert run_job(folder, on=computer) == 0, read_journal(folder)[-1].text
        holds = {check for step in plan.steps if step.id in computer.in_effect for check in step.after}
        assert {check for step in plan.steps for check in step.after} <= holds, after


def test_a_drive_in_another_slot_stops_the_job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    where = free(monkeypatch)
    plan = make_plan(SPEC, where, seed=SEED)
    folder = a_job(plan, where)
    first, second = where.readings["megaraid"]["adapters"][0]["drives"][:2]
    first["slot"], second["slot"] = second["slot"], first["slot"]
    assert run_job(folder, on=FakeComputer(plan, where)) == Refused.exit_code
    assert read_journal(folder)[-1].outcome is Outcome.REFUSED


def adapter(there: Machine) -> Adapter:
    reading = MEGARAID.kept(there)
    assert reading is not None
    return reading.adapters[0]


def asked(monkeypatch: pytest.MonkeyPatch, one: Adapter) -> None:
    for name in ("read_drives", "read_volumes"):
        monkeypatch.setattr(conditions, name, lambda tool, number, ask: one)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"serial": "OTHER"}, "slot 252:0 holds OTHER, not WD-WM00000001"),
        ({"state": "foreign"}, "foreign configuration"),
        ({"state": "online", "state_word": "Onln"}, "is online"),
        ({"slot": "252:9"}, "there is no drive in slot 252:0"),
    ],
)
def test_right_before_the_command_slots_and_serial_numbers_are_asked_again(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], said: str
) -> None:
    one = adapter(free(monkeypatch))
    asked(
        monkeypatch,
        replace(
            one,
            drives=(
                msgspec.convert(msgspec.to_builtins(one.drives[0]) | changes, type(one.drives[0])),
                *one.drives[1:],
            ),
        ),
    )
    check = DRIVES_FREE.of("storcli64 0 drives", f"252:0={SERIALS[0]} 252:1={SERIALS[1]}")
    found = DRIVES_FREE.ask(check, lambda path: False)
    assert found.holds is (not said)
    assert said in found.text


def test_a_virtual_drive_that_is_another_one_is_not_taken_for_the_plan_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = adapter(with_card(monkeypatch, nine_two_seventy()))
    (volume,) = one.volumes
    asked(monkeypatch, replace(one, volumes=(replace(volume, name=NAME),)))
    monkeypatch.setattr(of_cards, "disks_here", lambda: (VIRTUAL,))
    slots = ",".join(volume.slots)

    def answers(level: str, size: int, wanted: str) -> bool:
        return VOLUME.ask(VOLUME.of(f"storcli64 0 {NAME}", f"{level} {size} {wanted}"), lambda _: False).holds

    assert answers("raid5", VIRTUAL.size_bytes, slots)
    assert not answers("raid6", VIRTUAL.size_bytes, slots)
    assert not answers("raid5", VIRTUAL.size_bytes + 512, slots)
    assert not answers("raid5", VIRTUAL.size_bytes, "252:0")
    assert not VOLUME_GONE.ask(VOLUME_GONE.of(f"storcli64 0 {NAME}"), lambda _: False).holds
    assert VOLUME_GONE.ask(VOLUME_GONE.of("storcli64 0 other"), lambda _: False).holds
    monkeypatch.setattr(of_cards, "disks_here", tuple)
    assert not answers("raid5", VIRTUAL.size_bytes, slots)


def test_the_mount_folder_goes_with_the_virtual_drive_that_it_was_created_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Build and teardown know the build by the UUID of the filesystem, which derives from its seed."""
    files = derive(SEED, "filesystem")
    made = make_plan(SPEC, free(monkeypatch), seed=SEED)
    assert [one.built for step in made.steps for one in step.undo if isinstance(one, RemoveFolder)] == [files]

    claim = Claim(
        what=ClaimKind.MOUNT, weight=Weight.BUSY, device="/dev/sda", detail="mounted", how_to_free="umount"
    )
    mounted = replace(
        VIRTUAL,
        signatures=(Signature(device="/dev/sda", offset=1080, type="ext4", uuid=files),),
        taken_by=(claim,),
        free=False,
    )
    answers = nine_two_seventy()
    answers["/c0/vall show all"] = answers["/c0/vall show all"].replace('"Name": ""', f'"Name": "{NAME}"')
    there = with_card(monkeypatch, answers, disks=[mounted])
    mount = Mount(source="/dev/sda", target="/srv/tank", type="ext4", device_number="8:0")
    gone = make_teardown("tank", replace(there, mounts=(mount,)), seed=SEED)
    removed = [one for step in gone.steps for one in step.actions if isinstance(one, RemoveFolder)]
    assert [(one.path, one.built) for one in removed] == [("/srv/tank", files)]


@pytest.mark.parametrize("source", ["/dev/sda", f"/dev/raidtui/{NAME}", "/dev/mapper/mpatha"])
def test_a_mount_of_btrfs_is_known_by_its_device(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """The source is the symlink of the job that built it, the kernel's name, or whatever udev scanned last."""
    answers = nine_two_seventy()
    answers["/c0/vall show all"] = answers["/c0/vall show all"].replace('"Name": ""', f'"Name": "{NAME}"')
    mount = Mount(source=source, device="/dev/sda", target="/srv/tank", type="btrfs", device_number="0:27")
    there = replace(with_card(monkeypatch, answers), mounts=(mount,))
    (unit,) = MEGARAID_READER.units(there)
    assert unit.mountpoints == ("/srv/tank",)
    assert make_teardown("tank", there, seed=SEED).steps[0].id == "unmount"


def test_a_hot_spare_that_goes_with_a_virtual_drive_is_called_one(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy()
    volumes, drives = (json.loads(answers[f"/c0/{of} show all"]) for of in ("vall", "eall/sall"))
    slot = volumes["Controllers"][0]["Response Data"]["PDs for VD 0"].pop()["EID:Slt"].replace(":", "/s")
    drives["Controllers"][0]["Response Data"][f"Drive /c0/e{slot}"][0]["State"] = "DHS"
    answers |= {"/c0/vall show all": json.dumps(volumes), "/c0/eall/sall show all": json.dumps(drives)}
    plan = make_teardown("c0v0", with_card(monkeypatch, answers), seed=SEED)
    assert sorted(one.role for one in plan.disks) == ["member"] * 7 + ["spare"]


def test_a_virtual_drive_is_deleted_by_what_identifies_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = with_card(monkeypatch, nine_two_seventy())
    plan = make_teardown("c0v0", there, seed=SEED)
    assert sorted(one.identity for one in plan.disks) == sorted(SERIALS)
    assert [step.id for step in plan.steps] == ["clear", "virtual-drive", "settle"]
    delete = commands(plan)[1]
    assert delete[-3:] == ("storcli64", "0", "5000000000000011")
    assert "force" not in " ".join(delete)
    assert plan.steps[0].before[0].kind == "not-mounted"


@pytest.mark.parametrize(
    ("kind", "weight"),
    [
        (ClaimKind.MOUNT, Weight.BUSY),
        (ClaimKind.LVM, Weight.BUSY),
        (ClaimKind.ARRAY, Weight.BUSY),
        (ClaimKind.ZFS, Weight.BUSY),
        (ClaimKind.SYSTEM, Weight.SYSTEM),
        # Members of units that are not assembled, active or imported now.
        (ClaimKind.MD_MEMBER, Weight.DATA),
        (ClaimKind.LVM, Weight.DATA),
        (ClaimKind.ZFS, Weight.DATA),
        (ClaimKind.BTRFS_POOL, Weight.DATA),
    ],
)
def test_a_virtual_drive_in_use_is_not_deleted(
    monkeypatch: pytest.MonkeyPatch, kind: ClaimKind, weight: Weight
) -> None:
    claim = Claim(what=kind, weight=weight, device="/dev/sda1", detail="used", how_to_free="free it")
    used = replace(VIRTUAL, taken_by=(claim,), free=False)
    there = with_card(monkeypatch, nine_two_seventy(), disks=[used])
    with pytest.raises(Refused, match=r"in use|running system|a member of another unit"):
        make_teardown("c0v0", there, seed=SEED)


def with_pinned_cache(monkeypatch: pytest.MonkeyPatch, state: str) -> Machine:
    """The 9270 with writes of an offline virtual drive in its cache; its own virtual drive is ``state``."""
    answers = nine_two_seventy() | {
        "/c0 show all": changed("9270-c0.json", Any_Offline_VD_Cache_Preserved="Yes"),
        "/c0/vall show all": recorded("9270-vall.json").replace("Optl", state),
    }
    return with_card(monkeypatch, answers)


def test_an_offline_virtual_drive_whose_writes_are_still_in_the_cache_is_not_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(Refused, match=r"c0v0 is offline, .* 'storcli64 /c0 show preservedcache'"):
        make_teardown("c0v0", with_pinned_cache(monkeypatch, "OfLn"), seed=SEED)
    assert make_teardown("c0v0", with_pinned_cache(monkeypatch, "Optl"), seed=SEED).steps


def test_nothing_is_created_while_the_card_keeps_writes_of_another_virtual_drive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = free(monkeypatch)
    there.readings["megaraid"]["adapters"][0]["preserved_cache"] = True
    with pytest.raises(Refused, match=r"creates no other until .* 'storcli64 /c0 show preservedcache'"):
        make_plan(SPEC, there, seed=SEED)


FAKE = """#!/bin/sh
case "$*" in
*"show all J nolog") cat "$(dirname "$0")/answer" ;;
*) echo "$*" >>"$(dirname "$0")/done" ;;
esac
"""


def pretty(text: str) -> str:
    """A document as storcli prints it: a key a line."""
    return json.dumps(json.loads(text), indent="\t", separators=(",", " : "))


@pytest.mark.processes
@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize(
    ("recording", "key", "number", "naa"),
    [
        ("9270-vall.json", "5000000000000011", "0", "5000000000000011"),
        ("9660-vall.json", "600062b22066d54069faf44d843b9bb2", "2", "600062b22066d54069faf44d843b9bb2"),
        ("9500-v233.json", NAME, "233", "600062b212da5d402bd3b488d03a89ca"),
        ("9500-v233.json", "tank-nobody", "", ""),
    ],
)
def test_the_shell_finds_a_virtual_drive_by_name_or_wwn(
    tmp_path: Path, recording: str, key: str, number: str, naa: str, compact: bool
) -> None:
    from raidtui.backends.megaraid.commands import delete, link

    tool = tmp_path / "storcli64"
    tool.write_text(FAKE)
    tool.chmod(0o755)
    text = recorded(recording).replace('"Name": ""', f'"Name": "{NAME}"')
    (tmp_path / "answer").write_text(json.dumps(json.loads(text)) if compact else pretty(text))
    one = Adapter(number=0, tool=str(tool))
    (run,) = delete(one, key, ())
    subprocess.run(run.argv, check=True)
    done = tmp_path / "done"
    assert (done.read_text() if done.exists() else "") == (f"/c0/v{number} del J nolog\n" if number else "")
    argv = [
        word.replace("/dev/raidtui", str(tmp_path / "links"))
        for word in link(one, key, "/dev/raidtui/x").argv
    ]
    assert subprocess.run(argv, check=False).returncode == (0 if naa else 1)
    where = tmp_path / "links/x"
    assert (str(where.readlink()) if naa else "") == (f"/dev/disk/by-id/wwn-0x{naa}" if naa else "")


INITIALIZING = """#!/bin/sh
cd "$(dirname "$0")"
case "$*" in
*"vall show all J nolog") cat answer ;;
*"start init full"*) echo started >>done; echo xx >left ;;
*"show init"*)
    left=$(cat left 2>/dev/null)
    [ -z "$left" ] && { printf '"Status" : "Not in progress"\\n'; exit; }
    echo "${left#x}" >left
    printf '"Status" : "In progress"\\n' ;;
esac
"""


@pytest.mark.processes
def test_the_shell_waits_until_the_card_has_initialized_the_virtual_drive(tmp_path: Path) -> None:
    for name, text in {"storcli64": INITIALIZING, "sleep": '#!/bin/sh\necho waited >>"$0.done"\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "answer").write_text(recorded("9500-v233.json").replace('"Name": ""', f'"Name": "{NAME}"'))
    run = initialize(Adapter(number=0, tool=str(tmp_path / "storcli64")), NAME, "full")
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run(run.argv, env=path, check=True, capture_output=True, text=True, timeout=30)
    assert (tmp_path / "done").read_text() == "started\n"
    assert (tmp_path / "sleep.done").read_text() == "waited\n" * 2
    assert ended.stderr == ""


@pytest.mark.processes
def test_the_plan_is_a_script_that_a_shell_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    where = free(monkeypatch)
    for plan in (
        make_plan(SPEC, where, seed=SEED),
        make_teardown("c0v0", with_card(monkeypatch, nine_two_seventy()), seed=SEED),
    ):
        text = as_script(plan)
        assert "card_drives_free" in text or "virtual_drive_gone" in text
        assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0
