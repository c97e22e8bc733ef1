"""The overview: what is here, in words; what to do next; and that it changes by itself."""

import msgspec
import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Static

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.lvm.status import parse_line
from raidtui.backends.md.units import unit_of
from raidtui.backends.units import units_of
from raidtui.bench.live import Live
from raidtui.commands.text.status import Seen, Status, describe
from raidtui.machine.space import Space
from raidtui.model.journal import JobKind, Outcome
from raidtui.model.lost import LostMember
from raidtui.model.machine import Array, Machine, Partition
from raidtui.model.nodes import stable_paths
from raidtui.model.unit import Activity, Health, Limits, UnitMember
from raidtui.ui.care.job_progress import job_lines
from raidtui.ui.care.overview_units import unit_blocks
from raidtui.ui.care.suggestion import findings_of, suggest
from raidtui.ui.care.unit_screen import UnitScreen, unit_lines
from raidtui.ui.shell.recorded_world import RecordedWorld
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import (
    JOB,
    built_array,
    first_build,
    job,
    member,
    nas,
    open_at,
    raid5_plan,
    request,
    syncing,
)
from tests.ui.made_results import bench_job, result
from tests.ui.pictures import LOOKS, SnapCompare, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

PLAN = raid5_plan()
LOST = LostMember(
    path="/dev/sdd1",
    disk="WD-WCC7K0014",
    model="WDC WD40EFRX-68N32N0",
    place="ata4",
    slot=2,
    state=("faulty",),
)
DEGRADED = built_array(PLAN, degraded=1, members=tuple(member(n, n - 1) for n in (1, 2, 4)), lost=(LOST,))
SPACE = Space(used_bytes=5_200_000_000_000, total_bytes=11_800_000_000_000)


def mirror() -> Array:
    """A healthy RAID1 beside the array of the plan."""
    return built_array(
        PLAN,
        name="mirror",
        uuid="00000000:00000000:00000000:00000125",
        level="raid1",
        node="/dev/md125",
        mountpoints=("/srv/mirror",),
    )


def home(*arrays: Array) -> Machine:
    """The home NAS with members on partitions: the third disk is gone, and a new one is connected."""
    made = []
    for number in (1, 2, 4):
        disk = machines.disk(number)
        part = Partition(
            name=f"{disk.name}1",
            path=f"{disk.path}1",
            number=1,
            start_bytes=1024**2,
            size_bytes=disk.size_bytes - 200 * 1024**2,
        )
        made.append(msgspec.structs.replace(disk, partitions=(part,), free=False))
    return machines.machine([machines.system_disk(0), *made, machines.disk(5)], arrays)


def filled(world: BusyWorld, *places: str) -> BusyWorld:
    """``world`` with its filesystems half full."""
    world.filled = dict.fromkeys(places or ("/srv/data",), SPACE)
    return world


@LOOKS
def test_a_newcomer_is_told_what_to_do(snap_compare: SnapCompare, look: str) -> None:
    world = BusyWorld(machines.four_disks())
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


@LOOKS
def test_an_array_that_is_built_for_the_first_time(snap_compare: SnapCompare, look: str) -> None:
    world = filled(BusyWorld(nas(first_build(PLAN, 0.432)), jobs=[job(Outcome.DONE)]))
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


@LOOKS
def test_a_degraded_array_and_a_job_that_failed(snap_compare: SnapCompare, look: str) -> None:
    world = BusyWorld(
        home(DEGRADED),
        jobs=[
            job(
                Outcome.FAILED,
                step="mkfs",
                request=request(id="20261121-040500-two", title="Build RAID1 two"),
            ),
            job(Outcome.DONE),
        ],
        results=[result(1, "data raid5")],
    )
    filled(world)
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


@LOOKS
def test_long_names_many_arrays_jobs_and_results(snap_compare: SnapCompare, look: str) -> None:
    long = "родительские-[bold]фотографии[/bold]-с-дачи-и-всё-что-было"  # noqa: RUF001
    arrays = [
        built_array(PLAN, name=long, mountpoints=("/srv/" + "very-long-name/" * 8,)),
        built_array(
            PLAN, name="scratch", uuid="2", level="raid0", degraded=None, mountpoints=(), node="/dev/md126"
        ),
        built_array(
            PLAN,
            name="mirror",
            uuid="3",
            level="raid1",
            node="/dev/md125",
            sync_action="check",
            sync=syncing(0.1, action="check"),
        ),
    ]
    jobs = [
        job(Outcome.DONE, request=request(id=f"j{n}", title=f"Build RAID5 {long} {n}")) for n in range(12)
    ]
    world = BusyWorld(nas(*arrays), jobs=jobs, results=[result(n, f"{long} {n}") for n in range(1, 12)])
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


@pytest.mark.parametrize(
    ("key", "place"),
    [("n", "disks"), ("b", "benchmark"), ("w", "sweep"), ("c", "compare"), ("j", "jobs"), ("d", "disks")],
)
def test_one_key_leads_to_each_place_and_escape_back(key: str, place: str) -> None:
    app = open_at(BusyWorld(nas()), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, key)
        assert app.place.name == place
        await press(pilot, "escape")
        assert app.place.name == "overview"

    in_app(app, walk)


def test_it_follows_arrays_without_a_key() -> None:
    world = BusyWorld(nas(first_build(PLAN, 0.5)))
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "50.0 %)" in shown(app)
        world.have_arrays(first_build(PLAN, 0.6))
        await settle(pilot)
        assert "60.0 %" in shown(app)
        world.have_arrays(built_array(PLAN))
        await settle(pilot)
        assert "in sync" in shown(app)
        world.have_arrays()
        await settle(pilot)
        assert "No arrays and no jobs yet" in shown(app)

    in_app(app, walk)


def test_it_follows_jobs_and_reads_the_results_when_one_ends() -> None:
    world = BusyWorld(nas(built_array(PLAN)), jobs=[bench_job(Outcome.RUNNING)])
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "running" in shown(app)
        assert "Results" not in shown(app)
        world._summaries = BusyWorld(nas(), results=[result(1, "data raid5")]).list_results()
        world.have_jobs(bench_job(Outcome.DONE))
        await settle(pilot)
        assert "data raid5" in shown(app)

    in_app(app, walk)


def test_a_result_of_a_sweep_shows_while_the_sweep_runs() -> None:
    sweep, part = bench_job(Outcome.RUNNING), bench_job(Outcome.RUNNING)
    part = msgspec.structs.replace(
        part, request=msgspec.structs.replace(part.request, id="part", part_of=sweep.request.id)
    )
    world = BusyWorld(nas(built_array(PLAN)), jobs=[sweep, part])
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        world._summaries = BusyWorld(nas(), results=[result(1, "data raid5")]).list_results()
        world.have_jobs(sweep, msgspec.structs.replace(part, outcome=Outcome.DONE))
        await settle(pilot)
        assert "data raid5" in shown(app)

    in_app(app, walk)


def test_when_a_job_has_ended_the_disks_are_read_again() -> None:
    """What it held is free then, of which the kernel tells nothing."""
    world = BusyWorld(nas(), jobs=[bench_job(Outcome.RUNNING)])
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        world.become_silently(machines.no_disks())
        world.have_jobs(bench_job(Outcome.DONE))
        await settle(pilot)
        await settle(pilot)
        assert app.machine == machines.no_disks()

    in_app(app, walk)


def test_enter_does_what_is_suggested() -> None:
    app = open_at(BusyWorld(nas(built_array(PLAN))), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "> benchmark array data" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "benchmark"
        assert app.place.about == {"target": "/srv/data"}

    in_app(app, walk)


def test_limits_that_outlived_their_sync_are_put_back_once() -> None:
    fast = built_array(PLAN, sync_speed_min=50 * 10**6)
    world = BusyWorld(nas(fast))

    async def walk(pilot: Pilot[int]) -> None:
        world.have_arrays(msgspec.structs.replace(fast, state="active"))
        await settle(pilot)

    in_app(open_at(world, "overview"), walk)
    assert world.orders == [("restore", "data")]


def test_limits_of_a_sync_that_is_paused_or_runs_are_left_alone() -> None:
    for array in (
        first_build(PLAN, 0.5),
        built_array(PLAN, sync_action="frozen", sync=None),
    ):
        world = BusyWorld(nas(msgspec.structs.replace(array, sync_speed_max=5 * 10**6)))

        async def walk(pilot: Pilot[int]) -> None:
            await settle(pilot)

        in_app(open_at(world, "overview"), walk)
        assert world.orders == []


WHOLE = built_array(PLAN)
SUMMARIES = BusyWorld(nas(), results=[result(1, "a"), result(2, "b")]).list_results()


@pytest.mark.parametrize(
    ("arrays", "jobs", "results", "place", "word"),
    [
        ([], [], (), "disks", "build your first array"),
        ([], [job(Outcome.DONE)], (), "disks", "build an array"),
        ([DEGRADED], [bench_job(Outcome.RUNNING)], (), "care", "replace the missing member"),
        ([built_array(PLAN, state="inactive", degraded=None)], [], SUMMARIES[:1], "care", "start it: "),
        ([built_array(PLAN, degraded=2, members=WHOLE.members[:2])], [], (), "care", "data: "),
        ([WHOLE], [job(Outcome.RUNNING)], (), "build", "is running"),
        ([WHOLE], [bench_job(Outcome.RUNNING)], (), "benchmark", "is running"),
        ([WHOLE], [job(Outcome.INTERRUPTED)], (), "build", "resume it or roll it back"),
        ([WHOLE], [bench_job(Outcome.FAILED)], (), "benchmark", "benchmark array data"),
        ([first_build(PLAN, 0.1)], [job(Outcome.DONE)], (), "build", "sync of array data. It can"),
        ([WHOLE], [], SUMMARIES, "compare", "side by side"),
        ([WHOLE], [], SUMMARIES[:1], "disks", "another layout"),
    ],
)
def test_the_most_urgent_thing_comes_first(
    arrays: list[Array], jobs: list[object], results: tuple[object, ...], place: str, word: str
) -> None:
    known = tuple(machines.superblock(slot, uuid=WHOLE.uuid, path=f"/dev/sdx{slot}") for slot in range(4))
    there = msgspec.structs.replace(nas(), superblocks=known)
    its = [*map(unit_of, arrays)]
    found = suggest(findings_of(its, there), its, jobs, results)  # type: ignore[arg-type]  # made data of one kind each
    assert found[0].place == place
    assert word in found[0].text


def test_a_job_of_an_array_is_found_again_from_its_sync() -> None:
    its = [unit_of(first_build(PLAN, 0.1))]
    (found,) = suggest(findings_of(its, nas()), its, [job(Outcome.DONE)], ())
    assert found.about == {"job": JOB}
    other = job(Outcome.DONE, request=request(kind=JobKind.TEARDOWN, spec=None))
    unit = unit_of(first_build(PLAN, 0.1))
    (found,) = suggest(findings_of([unit], nas()), [unit], [other], ())
    assert (found.place, found.about) == ("unit", {"unit": unit.uuid})


def test_a_lost_member_is_named_until_it_is_acknowledged() -> None:
    world = BusyWorld(home(DEGRADED))
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "lost: WD-WCC7K0014, WDC WD40EFRX-68N32N0, last at ata4 as sdd1" in shown(app)
        assert "a acknowledges" in shown(app)
        await press(pilot, "a")
        await press(pilot, "enter")  # the safe answer has the focus
        assert world.orders == []
        await press(pilot, "a", "right", "enter")
        assert world.orders == [("acknowledge", "data")]
        assert "lost:" not in shown(app)
        assert "a acknowledges" not in shown(app)

    in_app(app, walk)


def test_a_failed_member_whose_disk_is_gone_a_moment_later_is_lost() -> None:
    """md reports the failure, and has nothing to report when the disk itself disappears or comes back."""
    still_here = replace(DEGRADED, lost=(replace(LOST, here="/dev/sdd"),))
    world = BusyWorld(home(still_here))
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "not in it now: WD-WCC7K0014" in shown(app)
        for machine, word in ((home(DEGRADED), "lost: WD"), (home(still_here), "not in it now: WD")):
            world.become_silently(machine)
            app.post_message(app.DisksMoved())
            await settle(pilot)
            assert word in shown(app)

    in_app(app, walk)


def test_the_space_of_an_array_is_a_bar_with_numbers() -> None:
    app = open_at(filled(BusyWorld(nas(built_array(PLAN)))), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        (line,) = [line for line in shown(app).splitlines() if "used" in line]
        assert "5.20 TB of 11.8 TB used" in line
        assert "█ 44 % ░" in line, "the percentage stands in the bar"

    in_app(app, walk)


def test_a_very_wide_terminal_has_three_columns() -> None:
    app = open_at(filled(BusyWorld(home(DEGRADED), jobs=[job(Outcome.DONE)])), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        lines = shown(app).splitlines()
        assert all(line.count("│") == 2 for line in lines[2:-1])
        first = [part.strip() for part in lines[2].split("│")]
        assert first[0].startswith("DEGRADED")
        assert first[1] == "Array data"
        assert first[2] == "Jobs"

    in_app(app, walk, size=(300, 50))


WIDE = pytest.mark.parametrize("look", ["200x50"])


@WIDE
def test_a_wide_terminal_shows_a_lost_member_and_what_to_do(snap_compare: SnapCompare, look: str) -> None:
    healthy = mirror()
    world = filled(BusyWorld(home(DEGRADED, healthy), jobs=[job(Outcome.DONE)]), "/srv/data", "/srv/mirror")
    assert picture(snap_compare, open_at(world, "overview"), look)


@LOOKS
def test_an_inactive_array_is_said_to_be_so(snap_compare: SnapCompare, look: str) -> None:
    array = built_array(
        PLAN,
        state="inactive",
        degraded=None,
        size_bytes=0,
        mountpoints=(),
        members=(member(1, 0, ""),),
        lost=tuple(
            LostMember(path=f"/dev/sd{'bcde'[slot]}1", disk=f"WD-WCC7K001{slot + 2}", slot=slot)
            for slot in (1, 2, 3)
        ),
    )
    own = (machines.superblock(0, uuid=array.uuid),)
    world = BusyWorld(msgspec.structs.replace(nas(array), superblocks=own), jobs=[job(Outcome.DONE)])
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


@LOOKS
def test_a_failed_array_and_how_it_is_assembled_again(snap_compare: SnapCompare, look: str) -> None:
    failed = built_array(
        PLAN,
        state="broken",
        degraded=2,
        members=(member(1, 0), member(2, 1), member(4, None, "faulty")),
        lost=(LostMember(path="/dev/sdd1", disk="WD-WCC7K0014", slot=None, state=("faulty",)),),
    )
    there = nas(failed)
    disks = (there.disks[0], *(machines.with_superblock(one, failed) for one in there.disks[1:]))
    paths = tuple(stable_paths(disks[number])[f"{disks[number].path}1"] for number in (1, 2, 4))
    again = msgspec.structs.replace(failed, newest=paths)
    world = BusyWorld(msgspec.structs.replace(there, disks=disks, arrays=(again,)), jobs=[job(Outcome.DONE)])
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


def test_in_the_lab_a_newcomer_is_told_that_no_disk_of_theirs_is_there() -> None:
    class Lab(PretendWorld):
        @property
        def in_lab(self) -> bool:
            return True

    app = open_app(Lab(machines.four_disks()), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "virtual disks" in shown(app)
        assert "Your own disks are not in it." in " ".join(shown(app).split())

    in_app(app, walk)


@LOOKS
@pytest.mark.parametrize(
    "name", ["blank-4", "raid5-building", "zfs-stripe", "zfs-exported", "lvm-raid5", "btrfs-raid1"]
)
def test_a_recording_says_first_that_nothing_can_be_executed(
    snap_compare: SnapCompare, look: str, name: str
) -> None:
    app = open_app(RecordedWorld(recorded(name)), "overview", console=look == "console")
    assert picture(snap_compare, app, look)


@pytest.mark.parametrize("name", ["blank-4", "raid5-building", "disks-24", "raid5-degraded", "zfs-stripe"])
def test_on_a_recording_only_what_needs_no_execution_is_suggested(name: str) -> None:
    app = open_app(RecordedWorld(recorded(name)), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        seen = shown(app)
        assert "A recording: nothing can be changed." in seen.splitlines()[2]
        for word in ("enchmark it", "watch the", "your first", "Build, understand", "This computer"):
            assert word not in seen, word

    in_app(app, walk)


@pytest.mark.parametrize("place", ["overview", "jobs"])
def test_how_a_benchmark_ended_is_never_cut(place: str) -> None:
    world = BusyWorld(machines.no_disks(), jobs=[bench_job(Outcome.INTERRUPTED, step="fill")])
    app = open_at(world, place)

    async def walk(pilot: Pilot[int]) -> None:
        assert any(line.endswith("  INTERRUPTED during test file") for line in shown(app).splitlines())

    in_app(app, walk)


POOL = machines.volume_group(mountpoints=("/srv/pool",))
FIRST_SYNC = Activity(
    what="resync",
    fraction=0.25,
    done_bytes=1_000_000_000_000,
    total_bytes=4_000_000_000_000,
    bytes_per_second=182_300_000,
)
BUILDING_POOL = msgspec.structs.replace(
    POOL,
    health=Health.BUILDING,
    state="not redundant yet: a disk failure now loses data (resync 25.0 %)",
    activity=FIRST_SYNC,
)
DEGRADED_POOL = msgspec.structs.replace(
    POOL,
    health=Health.DEGRADED,
    state="degraded, redundancy reduced: 1 of 4 disks missing or faulty",
    members=(*POOL.members[:3], msgspec.structs.replace(POOL.members[3], path="", disk="", state="missing")),
)


@LOOKS
def test_a_volume_group_that_is_built_beside_an_array(snap_compare: SnapCompare, look: str) -> None:
    world = filled(BusyWorld(nas(built_array(PLAN))), "/srv/data", "/srv/pool")
    world.groups = (BUILDING_POOL,)
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


def test_a_degraded_volume_group_comes_first_with_the_disk_that_is_gone() -> None:
    world = BusyWorld(nas(built_array(PLAN)))
    world.groups = (DEGRADED_POOL,)
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        lines = shown(app).splitlines()
        first = next(number for number, line in enumerate(lines) if "DEGRADED" in line)
        assert "pool" in lines[first]
        assert "volume group, RAID5 of 4, 12.0 TB (10.9 TiB), at /srv/pool" in lines[first]
        assert "MISSING" in lines[first + 1]
        assert "1 of 4 disks missing or faulty" in lines[first + 2]
        assert "volume group pool: degraded" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "care"
        assert "pool IS DEGRADED; ITS DATA IS THERE" in shown(app)

    in_app(app, walk)


def test_a_unit_that_is_rebuilt_takes_care_of_itself_and_one_that_failed_is_not_to_be_written() -> None:
    new = UnitMember(path="/dev/sde", slot=3, state="rebuilding")
    members = tuple(new if one.role == "missing" else one for one in DEGRADED_POOL.members)
    doing = Activity(what="rebuild", fraction=0.5)
    rebuilt = msgspec.structs.replace(DEGRADED_POOL, members=members, activity=doing)
    assert suggest(findings_of([DEGRADED_POOL], nas()), [DEGRADED_POOL], (), ())[0].text.startswith(
        "volume group pool: degraded"
    )
    assert suggest(findings_of([rebuilt], nas()), [rebuilt], (), ())[0].text.startswith(
        "watch the rebuild of volume group pool"
    )
    failed = msgspec.structs.replace(POOL, health=Health.FAILED, state="FAILED: 2 of 4 disks missing")
    assert suggest(findings_of([failed], nas()), [failed], (), ())[0].text.startswith(
        "pool: copy each disk that fails"
    )
    lines = [line.plain for line in unit_lines(failed, [failed], nas(), width=100)]
    assert lines[2] == "Write nothing to its disks, and do not create it again: its data may still be there."


@pytest.mark.slow
def test_a_busy_volume_group_is_looked_at_until_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.ui.care.overview.UNIT_SECONDS", 0.05)
    world = BusyWorld(nas())
    world.groups = (BUILDING_POOL,)
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "25.0 %" in shown(app)
        world.groups = (POOL,)
        for _ in range(100):
            await pilot.pause(0.05)
            if "25.0 %" not in shown(app):
                break
        assert "25.0 %" not in shown(app)
        assert "benchmark volume group pool" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "benchmark"
        assert "/srv/pool" in shown(app)

    in_app(app, walk)


@pytest.mark.slow
def test_s_lists_what_each_unit_takes_and_the_outcome_of_a_scrub_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("raidtui.ui.care.overview.UNIT_SECONDS", 0.05)
    status = parse_line("pool-data: 0 8192 raid raid1 2 AA 8192/8192 check 0 0 -")
    idle = msgspec.structs.replace(POOL, node="/dev/dm-3", limits=Limits(), reading=status)
    world = BusyWorld(nas(built_array(PLAN)))
    world.groups = (idle,)
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s")
        assert "data: scrub" in shown(app)
        assert "pool: scrub" in shown(app)
        assert "Reads every member and compares" in shown(app)
        world.groups = (
            msgspec.structs.replace(
                idle,
                health=Health.SYNCING,
                state="check 40.0 %, usable now",
                activity=Activity(what="check", fraction=0.4),
            ),
        )
        await press(pilot, "down", "enter")
        assert world.orders == [("scrub", "pool")]
        await settle(pilot)
        assert "40.0 %" in shown(app)
        assert "SCRUB" in shown(app)  # not SYNC: it lacks no redundancy
        await press(pilot, "s")
        for offer in ("data: scrub", "pool: stop the check", "pool: speed the check up"):
            assert offer in shown(app)
        await press(pilot, "escape")
        world.groups = (msgspec.structs.replace(idle, scrubbed="last check: mismatches in 8 sectors"),)
        for _ in range(100):
            await pilot.pause(0.05)
            if "has ended" in shown(app):
                break
        assert "pool: the check has ended. Mismatches in 8 sectors." in shown(app)

    in_app(app, walk)


def test_a_recording_offers_no_orders() -> None:
    app = open_at(RecordedWorld(nas(built_array(PLAN))), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "s Scrub" not in shown(app)
        await press(pilot, "s")
        assert "data: scrub" not in shown(app)

    in_app(app, walk)


def test_a_line_that_is_too_long_loses_the_second_size_and_not_the_mount_point() -> None:
    unit = msgspec.structs.replace(POOL, name="datamedia", mountpoints=("/srv/datamedia-of-2026",))
    world = BusyWorld(nas())
    world.groups = (unit,)
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "datamedia  LVM RAID5 of 4, 12.0 TB, at /srv/datamedia-of-2026" in shown(app)

    in_app(app, walk)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
def test_what_belongs_together_stands_together_at_every_width(size: tuple[int, int]) -> None:
    world = BusyWorld(
        nas(built_array(PLAN)), jobs=[bench_job(Outcome.DONE)], results=[result(1, "data raid5")]
    )
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "data  RAID5 of 4" in shown(app)
        assert "Benchmark /srv/data  done" in shown(app)
        assert "data raid5     512.3     318.4" in shown(app)

    in_app(app, walk, size=size)


@pytest.mark.parametrize("plan_only", [False, True])
def test_what_is_noted_of_disks_comes_before_a_new_array_that_may_erase_them(plan_only: bool) -> None:
    machine = recorded("states/synology-shr-half-assembled")
    units = units_of(machine)
    found = suggest(diagnose(units, machine), units, (), (), plan_only=plan_only)
    assert found[0].text.startswith("synology: assemble it read-only")
    assert found[-1].place == "disks"


def test_everything_to_do_is_listed_in_the_words_and_order_of_status() -> None:
    machine = recorded("raid5-degraded")
    app = open_app(machine, "overview")
    units = units_of(machine)
    findings = diagnose(units, machine)
    seen = tuple(Seen(one, None, None, ()) for one in units)
    told = " ".join(" ".join(describe(Status(seen, (), findings=findings))).split()).split("to do: ")[1:]

    async def walk(pilot: Pilot[int]) -> None:
        lines = " ".join(shown(app).split())
        at = [lines.index(" ".join(remedy.text.split())) for one in findings for remedy in one.remedies]
        assert len(at) == len(told) == 2
        assert at == sorted(at)
        await press(pilot, "down")
        assert "> 2 tank: remove LAB-0002" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "care"

    in_app(app, walk)


def test_a_running_job_has_a_bar_with_its_percentage() -> None:
    live = Live(phase="measuring", percent=42.0, remaining_seconds=95.0)
    running = bench_job(Outcome.RUNNING)
    world = BusyWorld(nas(built_array(PLAN)), jobs=[running], live={running.request.id: live})
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "█ 42 % ░" in shown(app)
        assert "measuring, 1 min 35 s left" in shown(app)

    in_app(app, walk)


def test_what_changes_again_before_it_is_laid_out_is_seen_whole() -> None:
    app = open_at(BusyWorld(nas(built_array(PLAN))), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        for count in (3, 4):
            app.screen.query_one("#to-do", Static).update("\n".join(f"line {n}" for n in range(count)))
            app.screen.query_one("#all")._clear_arrangement_cache()  # a neighbor has changed too
            app.screen._refresh_layout()
        await settle(pilot)
        assert "line 3" in shown(app)

    in_app(app, walk)


def test_what_to_do_is_seen_at_once_even_below_many_arrays() -> None:
    arrays = [built_array(PLAN, name=f"a{n}", uuid=f"{n}" * 32, node=f"/dev/md{n}") for n in range(9)]
    app = open_at(BusyWorld(home(DEGRADED, *arrays)), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "replace the missing member" in "\n".join(shown(app).splitlines()[:8])

    in_app(app, walk)


@LOOKS
def test_a_stripe_over_mirrors_says_what_is_degraded_under_it(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(recorded("raid0-over-raid1"), "overview", console=look == "console")
    assert picture(snap_compare, app, look)


@LOOKS
def test_a_stopped_filesystem_makes_no_green_ok_of_its_array(snap_compare: SnapCompare, look: str) -> None:
    machine = recorded("states/public-xfs-shut-down")
    app = open_app(machine, "overview", console=look == "console")
    assert picture(snap_compare, app, look)


@pytest.mark.parametrize("name", ["raid5-degraded", "raid5-clean"])
def test_r_leads_to_care_and_back(name: str) -> None:
    app = open_app(recorded(name), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "r Care" in shown(app).splitlines()[-1]
        await press(pilot, "r")
        assert app.place.name == "care"
        await press(pilot, "escape")
        assert app.place.name == "overview"

    in_app(app, walk)


def test_u_leads_to_the_page_of_the_only_unit_and_asks_which_of_several() -> None:
    app = open_app(PretendWorld(recorded("raid5-clean")), "overview")

    async def one(pilot: Pilot[int]) -> None:
        await press(pilot, "u")
        assert "LAB-0002" in shown(app)
        assert isinstance(app.screen, UnitScreen)

    in_app(app, one)
    several = open_app(PretendWorld(recorded("raid1-four-on-one-disk")), "overview")

    async def many(pilot: Pilot[int]) -> None:
        await press(pilot, "u")
        assert "The page of an array" in shown(several)
        await press(pilot, "down", "enter")
        assert isinstance(several.screen, UnitScreen)

    in_app(several, many)
    nothing = open_app(PretendWorld(recorded("blank-4")), "overview")

    async def none(pilot: Pilot[int]) -> None:
        assert "u Array" not in shown(nothing)
        await press(pilot, "u")
        assert "Overview" in shown(nothing)

    in_app(nothing, none)


def test_keys_that_the_footer_has_no_room_for_are_left_to_help_and_quit_stays() -> None:
    healthy = mirror()
    app = open_at(filled(BusyWorld(home(DEGRADED, healthy)), "/srv/data"), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        footer = shown(app).splitlines()[-1]
        assert footer.rstrip().endswith("F1 Help q Quit")
        assert "r Care" in footer

    in_app(app, walk)


@pytest.mark.parametrize(
    ("width", "title", "is_dated"),
    [(76, "Benchmark /srv/tank", True), (56, "Benchmark /srv/photos/tank", False), (56, "Sweep", True)],
)
def test_a_narrow_list_of_jobs_leaves_out_the_dates_before_it_cuts_titles(
    width: int, title: str, is_dated: bool
) -> None:
    jobs = [job(Outcome.INTERRUPTED, request=request(title=title))]
    line = job_lines(jobs, {}, width, 3)[1].plain
    assert title in line
    assert ("2026-11-21" in line) is is_dated


def test_the_time_left_of_a_sync_is_whole_in_a_narrow_pane() -> None:
    for width in (56, 76, 116):
        lines = unit_blocks([unit_of(first_build(PLAN, 0.43))], {}, nas(), width=width)
        text = [line.plain for line in lines]
        assert max(map(len, text)) <= width
        assert any(line.rstrip().endswith(" left") for line in text)
