"""The benchmark screen: what is asked, the grid as it is measured, refusal while syncing, and one cell in full."""

from collections.abc import Sequence

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.bench.live import Live
from raidtui.model.errors import Refused
from raidtui.model.journal import BenchRequest, JobRequest, Outcome
from raidtui.model.machine import Array
from raidtui.model.result import Cell, Result
from raidtui.model.units import MIB
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import built_array, first_build, nas, open_at, raid5_plan
from tests.ui.made_results import BENCH, bench_job, bench_journal, result
from tests.ui.pictures import LOOKS, SnapCompare, in_app, open_app, picture, press, settle, shown

PLAN = raid5_plan()
ARRAY = built_array(PLAN)
LIVE = Live(
    cell="SEQ1M Q1T1",
    direction="write",
    run=3,
    runs=6,
    phase="measuring",
    percent=43.2,
    bytes_per_second=131.4e6,
    iops=125,
    remaining_seconds=250,
)
KEPT = result(1, "data raid5", flags=["V spread 12 %, unreliable"])


def idle(*arrays: Array) -> BusyWorld:
    return BusyWorld(nas(*(arrays or (ARRAY,))))


def running(live: Live | None = LIVE) -> BusyWorld:
    return BusyWorld(
        nas(ARRAY),
        jobs=[bench_job(Outcome.RUNNING)],
        journals={BENCH: bench_journal(runs=2, cells=5)},
        live={BENCH: live} if live else {},
    )


def finished(kept: Result = KEPT, *, mix: bool = False, profile: str = "cdm") -> BusyWorld:
    runs = 6 if profile == "cdm" else 0
    entries = bench_journal(runs=runs, stored=kept.id, mix=mix, ended=Outcome.DONE)
    job = bench_job(Outcome.DONE, mix=mix, profile=profile)
    return BusyWorld(nas(ARRAY), jobs=[job], journals={BENCH: entries}, results=[kept])


def at_bench(world: BusyWorld, look: str = "80x24", **about: str) -> RaidtuiApp:
    return open_at(world, "benchmark", console=look == "console", **about)


@LOOKS
def test_before_anything_is_measured(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_bench(idle(), look), look)


WIDE = pytest.mark.parametrize("look", ["80x24", "120x40", "200x50", "console"])


@WIDE
def test_while_it_measures(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_bench(running(), look), look, ["right", "down"])


@WIDE
def test_when_it_is_done(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_bench(finished(), look, job=BENCH), look)


@WIDE
def test_with_the_mix(snap_compare: SnapCompare, look: str) -> None:
    world = finished(result(1, "fast", factor=17.3, mix=True), mix=True)
    assert picture(snap_compare, at_bench(world, look, job=BENCH), look, ["right", "right"])


@LOOKS
def test_refused_while_the_array_syncs(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_bench(idle(first_build(PLAN, 0.4)), look), look, ["s"])


@LOOKS
def test_one_cell_in_full(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_bench(finished(), look, job=BENCH), look, ["enter"])


@LOOKS
def test_where_to_measure(snap_compare: SnapCompare, look: str) -> None:
    other = built_array(PLAN, name="Каталог" * 12, mountpoints=("/srv/" + "long/" * 30,), node="/dev/md126")
    assert picture(snap_compare, at_bench(idle(ARRAY, other), look), look, ["t"])


@LOOKS
def test_how_to_measure(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_bench(idle(), look), look, ["o"])


def bonnie(number: int = 1) -> Result:
    """What Bonnie++ says: blocks, seeks and files."""
    cells = [
        Cell(name=name, direction=direction, bytes_per_second=rate, iops=iops, latency_mean_seconds=0.0)
        for name, direction, rate, iops in (
            ("block", "read", 412e6, 0.0),
            ("block", "write", 305e6, 0.0),
            ("rewrite", "write", 131e6, 0.0),
            ("seeks", "mix", 0.0, 512.7),
            ("create in order", "write", 0.0, 21400.0),
            ("stat in order", "read", 0.0, 480000.0),
            ("delete in order", "write", 0.0, 33100.0),
        )
    ]
    return msgspec.structs.replace(result(number, "blocks"), profile="bonnie", cells=tuple(cells))


@LOOKS
def test_a_grid_of_many_rows_has_a_line_for_each(snap_compare: SnapCompare, look: str) -> None:
    world = finished(bonnie(), profile="bonnie")
    assert picture(snap_compare, at_bench(world, look, job=BENCH), look, ["down"])


def test_what_crystaldiskmark_would_say_stands_beside_the_median() -> None:
    job = bench_job(Outcome.DONE)
    request = msgspec.structs.replace(
        job.request, bench=BenchRequest(target="/srv/data", compat="cdm8", runs=6)
    )
    world = BusyWorld(
        nas(ARRAY),
        jobs=[msgspec.structs.replace(job, request=request)],
        journals={BENCH: bench_journal(runs=6, stored=KEPT.id, ended=Outcome.DONE)},
        results=[KEPT],
    )
    app = at_bench(world, job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "as CrystalDiskMark 8" in shown(app)
        assert "CrystalDiskMark 8 would show 596.8 MB/s" in shown(app)
        assert "Unreliable: SEQ1M Q8T1 read (V)" in shown(app)
        # The end of the job may be heard of when its result is already shown: the flags stay.
        app.screen.post_message(
            JobPage.Followed(world.list_jobs()[0], world.read_journal(world.list_jobs()[0]))
        )
        await settle(pilot)
        assert "CrystalDiskMark 8 would show 596.8 MB/s" in shown(app)
        assert "Unreliable: SEQ1M Q8T1 read (V)" in shown(app)

    in_app(app, walk)


@LOOKS
def test_more_rows_than_lines_are_moved_through(snap_compare: SnapCompare, look: str) -> None:
    keys = ["o", *["right"] * 8, "down", *"64GiB", "enter", *["down"] * 20]
    assert picture(snap_compare, at_bench(idle(), look), look, keys)


@LOOKS
def test_stopped(snap_compare: SnapCompare, look: str) -> None:
    text = "canceled. Nothing was saved; the test file is gone."
    entries = bench_journal(runs=1, cells=2, ended=Outcome.CANCELLED, text=text)
    stopped = bench_job(Outcome.CANCELLED, sentence=text)
    world = BusyWorld(nas(ARRAY), jobs=[stopped], journals={BENCH: entries})
    assert picture(snap_compare, at_bench(world, look, job=BENCH), look)


def asked(world: BusyWorld) -> BenchRequest:
    """The one request that was ordered."""
    ((what, request),) = world.orders
    assert what == "bench"
    assert isinstance(request, BenchRequest)
    return request


def test_s_measures_the_array_that_is_mounted() -> None:
    world = idle()

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s")

    in_app(at_bench(world), walk)
    assert asked(world) == BenchRequest(target="/srv/data")


def test_an_array_in_sync_is_offered_before_one_that_syncs() -> None:
    syncing = msgspec.structs.replace(first_build(PLAN, 0.1), mountpoints=("/a",))
    app = at_bench(idle(syncing, ARRAY))

    async def walk(pilot: Pilot[int]) -> None:
        assert "Benchmark of /srv/data" in shown(app)

    in_app(app, walk)


def test_while_syncing_it_waits_by_default_and_measures_only_when_told_to() -> None:
    world = idle(first_build(PLAN, 0.4))
    app = at_bench(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s", "enter")
        assert world.orders == []
        await press(pilot, "s", "right", "enter")

    in_app(app, walk)
    assert asked(world).during_sync


@pytest.mark.parametrize("key", ["enter", "s"])
def test_enter_starts_as_long_as_nothing_is_measured(key: str) -> None:
    world = idle()
    app = at_bench(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Enter Start" in shown(app)
        await press(pilot, "down", key)

    in_app(app, walk)
    assert asked(world).target == "/srv/data"


def test_once_measured_enter_opens_the_cell_and_s_measures_again() -> None:
    world = finished()
    app = at_bench(world, job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        keys = shown(app).splitlines()[-1]
        assert "s Start" in keys
        assert "Enter Cell" in keys
        assert "Enter Start" not in keys
        await press(pilot, "enter")
        assert "Esc closes" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_permission_to_measure_while_syncing_is_given_for_one_benchmark_only() -> None:
    world = idle(first_build(PLAN, 0.4))
    app = at_bench(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s", "right", "enter")
        assert app.bench is not None
        assert not app.bench.during_sync

    in_app(app, walk)


def test_the_size_shown_is_the_one_that_fits() -> None:
    class Small(BusyWorld):
        def read_room(self, target: str) -> int | None:
            return 300 * MIB

    app = at_bench(Small(nas(ARRAY)))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "256MiB, 6 runs" in shown(app)

    in_app(app, walk)


def test_a_refusal_of_the_job_is_told_in_its_own_words() -> None:
    class Full(BusyWorld):
        def start_bench(self, request: BenchRequest) -> JobRequest:
            raise Refused("/srv/data has 20 MB free, and a test file of 1GiB needs 1.2 GB")

    app = at_bench(Full(nas(ARRAY)))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s")
        assert "has 20 MB free" in shown(app)
        assert "Enter Start" in shown(app)

    in_app(app, walk)


def test_a_refusal_because_of_a_sync_that_was_not_seen_is_the_same_question() -> None:
    class Nested(BusyWorld):
        def start_bench(self, request: BenchRequest) -> JobRequest:
            if not request.during_sync:
                raise Refused("/dev/md9 is busy (resync)")
            return super().start_bench(request)

    world = Nested(nas(msgspec.structs.replace(first_build(PLAN, 0.4), mountpoints=())))
    app = at_bench(world, target="/srv/elsewhere")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s")
        assert "/dev/md9 is busy" in shown(app)
        await press(pilot, "right", "enter")

    in_app(app, walk)
    assert asked(world).during_sync


def test_a_time_budget_chooses_runs_and_seconds_and_says_what_they_prove() -> None:
    app = at_bench(idle())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "o", "down", "down", *"10m")
        assert "About 9 min: 6 runs can detect differences of 12 % or more" in shown(app)

    in_app(app, walk)
    taken = choose(idle(), ["o", "down", "down", *"10m", "enter"])
    assert (taken.runs, taken.seconds) == (6, 5)


def test_a_cleared_time_budget_gives_the_own_runs_and_seconds_back() -> None:
    own = ["o", "down", "down", "down", *"4", "down", *"7", "up", "up"]
    budget = [*own, *"10m"]
    assert choose(idle(), [*budget, "enter"]).runs == 6
    taken = choose(idle(), [*budget, *["backspace"] * 3, "enter"])
    assert (taken.runs, taken.seconds) == (4, 7)


def test_a_time_budget_that_does_not_do_says_so_while_it_is_typed() -> None:
    app = at_bench(idle())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "o", "down", "down", *"20s")
        assert "! 20 s is not enough: one run of each cell takes about" in shown(app)

    in_app(app, walk)


def test_a_time_budget_that_is_too_small_is_told_and_nothing_is_taken() -> None:
    app = at_bench(idle())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "o", "down", "down", *"10s", "enter")
        assert "10 s is not enough: one run of each cell" in shown(app)

    in_app(app, walk)


def test_a_disk_that_does_nothing_for_long_is_told() -> None:
    app = at_bench(running(msgspec.structs.replace(LIVE, iops=0.0, silent_seconds=75.0)))

    async def walk(pilot: Pilot[int]) -> None:
        assert "4 min 10 s left: SEQ1M Q1T1 write, run 3 of 6, no I/O for 1 min 15 s" in shown(app)

    in_app(app, walk)


def test_x_stops_at_once() -> None:
    world = running()

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x")

    in_app(at_bench(world), walk)
    assert world.orders == [("cancel", BENCH)]


def test_a_running_benchmark_is_found_again() -> None:
    app = at_bench(running())

    async def walk(pilot: Pilot[int]) -> None:
        assert "run 3 of 6" in shown(app)
        await press(pilot, "escape", "b")
        assert "run 3 of 6" in shown(app)

    in_app(app, walk)


@pytest.mark.parametrize(
    ("live", "words"),
    [
        (Live(phase="filling", percent=3, remaining_seconds=400), "test file, being written"),
        (
            Live(cell="SEQ1M Q8T1", direction="read", runs=6, phase="warm-up", remaining_seconds=9),
            "warm-up",
        ),
        (None, "Starting"),
    ],
)
def test_what_it_does_before_the_first_run(live: Live | None, words: str) -> None:
    app = at_bench(running(live))

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.pause(0.3)
        await settle(pilot)
        assert words in shown(app)

    in_app(app, walk)


def choose(world: BusyWorld, keys: Sequence[str]) -> BenchRequest:
    """Press keys, start, and return what was asked for."""

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *keys, "s")

    in_app(at_bench(world), walk)
    return asked(world)


def test_everything_can_be_set_with_keys() -> None:
    wipe = ["end", *["backspace"] * 8]
    keys = [
        "o",
        "down",
        *wipe,
        *"64MiB",
        "down",
        "down",
        *wipe,
        *"3",
        "down",
        *wipe,
        *"1",
        "down",
        "right",
        "down",
        "down",
        "down",
        *"first",
        "enter",
    ]
    assert choose(idle(), keys) == BenchRequest(
        target="/srv/data", size_bytes=64 * 1024**2, runs=3, seconds=1, mix=True, label="first"
    )


def test_m_adds_the_mix() -> None:
    assert choose(idle(), ["m"]).mix


def test_a_directory_can_be_typed() -> None:
    keys = ["t", "tab", "end", *["backspace"] * 12, *"/mnt/x", "enter"]
    assert choose(idle(), keys).target == "/mnt/x"


def test_another_array_is_chosen_from_the_list() -> None:
    other = built_array(PLAN, name="b", mountpoints=("/srv/other",), node="/dev/md126")
    assert choose(idle(ARRAY, other), ["t", "down", "enter"]).target == "/srv/other"


@pytest.mark.parametrize(
    ("typed", "words"), [("1", "has no unit"), ("1MiB", "must be at least"), ("x", "is not a size")]
)
def test_a_size_that_cannot_be_is_refused_with_a_sentence(typed: str, words: str) -> None:
    app = at_bench(idle())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "o", "down", "end", *["backspace"] * 8, *typed, "enter")
        assert words in shown(app)

    in_app(app, walk)


def test_what_was_asked_is_kept_when_one_leaves_and_comes_back() -> None:
    app = at_bench(idle())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "m", "escape", "b")
        assert "with mix" in shown(app)

    in_app(app, walk)


def test_enter_shows_every_run_and_the_exact_command_of_the_marked_cell() -> None:
    app = at_bench(finished(), job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "right", "down", "enter")
        assert "SEQ1M Q1T1 write: 121.9 MB/s" in shown(app)
        await press(pilot, "end")
        assert "fio --name=cell --rw=write --bs=1048576" in shown(app)

    in_app(app, walk, size=(80, 40))


def test_c_compares_the_result_with_the_one_before_it_of_the_same_grid() -> None:
    kept = [result(number, f"number {number}") for number in (1, 2, 3, 4)]
    kept[1] = msgspec.structs.replace(kept[1], profile="cdm-demo")
    entries = bench_journal(runs=6, stored=kept[2].id, ended=Outcome.DONE)
    world = BusyWorld(
        nas(ARRAY), jobs=[bench_job(Outcome.DONE)], journals={BENCH: entries}, results=[*reversed(kept)]
    )
    app = at_bench(world, job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        assert "no unreliable cells" in shown(app)
        await press(pilot, "c")
        assert app.place.about == {"picked": f"{kept[0].id},{kept[2].id}"}

    in_app(app, walk)


def test_c_leads_to_the_comparison_with_this_result_picked() -> None:
    app = at_bench(finished(), job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "c")
        assert app.place.name == "compare"
        assert "1 base data raid5" in shown(app)

    in_app(app, walk)


def test_back_from_the_comparison_the_result_is_still_done_and_s_measures_the_same_again() -> None:
    kept = [result(number, f"data {number}") for number in (1, 2)]
    entries = bench_journal(runs=6, stored=kept[1].id, ended=Outcome.DONE)
    world = BusyWorld(nas(ARRAY), jobs=[bench_job(Outcome.DONE)], journals={BENCH: entries}, results=kept)
    app = at_bench(world, job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        before = shown(app)
        assert "Done, no unreliable cells. c compares it" in before
        await press(pilot, "c", "escape")
        assert app.place.about == {"result": kept[1].id}
        assert "Done, no unreliable cells. c compares it" in shown(app)
        assert shown(app).splitlines()[1] == before.splitlines()[1]
        assert "Press s" not in shown(app)
        await press(pilot, "s")

    in_app(app, walk)
    context = kept[1].context
    assert asked(world) == BenchRequest(
        target=context.target, size_bytes=context.size_bytes, runs=context.runs, seconds=context.seconds
    )


def test_a_result_of_another_target_is_not_shown_under_the_name_of_an_array_here() -> None:
    elsewhere = result(2, "elsewhere", target="/mnt/elsewhere", unit=None)
    foreign = result(3, "foreign", target="", unit=None, origin="CrystalDiskMark 8.0.5")

    async def walk(pilot: Pilot[int]) -> None:
        assert "Benchmark of /mnt/elsewhere" in shown(app)
        assert "Done" in shown(app)
        app.go("benchmark", result=foreign.id)
        await settle(pilot)
        assert "Benchmark by CrystalDiskMark 8.0.5" in shown(app)
        assert "stored as 'foreign'" in shown(app)
        assert "/srv/data" not in shown(app)
        app.go("benchmark", result="gone")
        await settle(pilot)
        assert "no single result is called 'gone'" in shown(app)
        assert "Press Enter to start" in shown(app)

    app = at_bench(BusyWorld(nas(ARRAY), results=[elsewhere, foreign]), result=elsewhere.id)
    in_app(app, walk)


def test_nothing_to_measure_says_what_can_be_done() -> None:
    world = BusyWorld(nas())
    app = at_bench(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "No array is mounted" in shown(app)
        await press(pilot, "s", "enter", "x", "c")
        assert "choose what to measure" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_a_device_that_was_only_read_has_no_column_for_writing() -> None:
    kept = msgspec.structs.replace(KEPT, cells=tuple(c for c in KEPT.cells if c.direction == "read"))
    app = at_bench(finished(kept), job=BENCH)

    async def walk(pilot: Pilot[int]) -> None:
        header = next(line for line in shown(app).splitlines() if "MB/s" in line)
        assert "Read" in header
        assert "Write" not in header

    in_app(app, walk)


def test_while_units_are_read_none_is_not_said_to_be_mounted() -> None:
    app = open_app(machines.four_disks(), "overview", "benchmark")

    async def walk(pilot: Pilot[int]) -> None:
        app.units_known = False
        await settle(pilot)
        assert "No array is mounted" not in shown(app)
        assert "Reading this computer" in shown(app)
        assert " Start" not in shown(app).splitlines()[-1], "there is nothing to measure yet"
        app.units_known = True
        await settle(pilot)
        assert "No array is mounted" in shown(app)

    in_app(app, walk)
