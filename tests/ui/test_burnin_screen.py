"""Burn-in: disks chosen and started, followed while it runs, and the results side by side."""

import msgspec
import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.bench.burnin.course import LONG, READ, progress_of
from raidtui.bench.burnin.disks import request_for
from raidtui.model.history import BurnIn, History, SelfTest, SlowPart
from raidtui.model.journal import BurnInNote, Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.machine import Disk, Machine
from raidtui.ui.care.burnin_words import speed_line
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.made_jobs import JOB, open_at, request
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, in_app, picture, press, settle, shown
from tests.ui.worlds import PretendWorld

ZONES = 512
ZONE_BYTES = 7452 * 2**20


def speeds(share: float = 1.0, slow: range = range(0)) -> tuple[int, ...]:
    """A disk of platters: fast at its begin; ``slow`` zones are at a third."""
    return tuple(
        int(share * 182e6 * (1 - zone / ZONES / 2) / (3 if zone in slow else 1)) for zone in range(ZONES)
    )


def result(disk: Disk, **changes: object) -> BurnIn:
    made = BurnIn(
        subject=disk.identity,
        at="2026-11-20T21:14:00+00:00",
        begun="2026-11-19T09:00:00+00:00",
        size_bytes=disk.size_bytes,
        zone_bytes=ZONE_BYTES,
        rates=speeds(),
        sisters=3,
        self_tests=(SelfTest(kind="short", passed=True), SelfTest(kind="long", passed=True)),
    )
    return replace(made, **changes)


def tried() -> Machine:
    """Four disks: one slow in a part, one with bad sectors, one as fast as the others, one not burned in."""
    here = machines.four_disks()
    found = [disk for disk in here.disks if disk.serial.startswith("WD")]
    slow = SlowPart(begin_bytes=100 * ZONE_BYTES, end_bytes=160 * ZONE_BYTES, share=0.33)
    results = (
        result(found[0]),
        result(found[1], rates=speeds(slow=range(100, 160)), slow=(slow,)),
        result(found[2], bad=((80, 87), (1_200_400, 1_200_407)), rates=(*speeds()[:-1], 0)),
    )
    return replace(here, history=History(burn_ins=results))


def a_job(machine: Machine, outcome: Outcome) -> JobState:
    wanted = request_for([disk for disk in machine.disks if disk.serial.startswith("WD")])
    asked = request(kind=JobKind.BURN_IN, title="Burn in 4 disks", spec=None, burn_in=wanted)
    return JobState(request=asked, outcome=outcome, step=READ, steps_done=("short-test",))


def so_far(machine: Machine) -> tuple[Entry, ...]:
    """A journal: the first disk at a half, the next ones less, the last one given up."""
    entries = [Entry(seq=0, at="", event=Event.STARTED), Entry(seq=1, at="", event=Event.STEP, step=READ)]
    disks = [disk for disk in machine.disks if disk.serial.startswith("WD")]
    for number, disk in enumerate(disks):
        noted = BurnInNote(
            disk=disk.identity,
            step=READ,
            rates={str(zone): rate for zone, rate in enumerate(speeds(1 - number / 10)[: 256 - 60 * number])},
            gave_up="it completed nothing for 15 min" if number == len(disks) - 1 else "",
        )
        data = msgspec.Raw(msgspec.json.encode(noted))
        entries.append(Entry(seq=len(entries), at="", event=Event.CELL, step=READ, data=data))
    return tuple(entries)


def open_burn_in(machine: Machine, outcome: Outcome | None = None, look: str = "80x24") -> RaidtuiApp:
    world = PretendWorld(machine)
    if outcome is not None:
        world._jobs = (a_job(machine, outcome),)
        world._journals = {JOB: so_far(machine)}
    return open_at(world, "burnin", console=look == "console")


@WITH_WIDE
def test_disks_to_try(snap_compare: SnapCompare, look: str) -> None:
    app = open_burn_in(machines.four_disks(), look=look)
    assert picture(snap_compare, app, look, ["space", "space"])


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_every_disk_is_listed_at_every_size(size: tuple[int, int]) -> None:
    app = open_burn_in(machines.four_disks())

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        lines = shown(app).splitlines()
        names = [disk.name for disk in machines.four_disks().disks]
        assert [name for name in names if not any(f" {name} " in line for line in lines)] == []

    in_app(app, walk, size=size)


@WITH_WIDE
def test_results_side_by_side(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_burn_in(tried(), look=look), look, ["down"])


@WITH_WIDE
def test_one_that_runs(snap_compare: SnapCompare, look: str) -> None:
    app = open_burn_in(machines.four_disks(), Outcome.RUNNING, look)
    assert picture(snap_compare, app, look, ["down"])


@LOOKS
def test_one_that_was_interrupted(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_burn_in(machines.four_disks(), Outcome.INTERRUPTED, look), look)


def test_chosen_disks_are_burned_in_after_a_question() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_at(world, "burnin")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "up", "space")
        assert "mounted" in shown(app), "the system disk cannot be chosen, and it says why"
        await press(pilot, "a", "enter")
        assert "Nothing is written" in " ".join(shown(app).replace("║", " ").split())
        await press(pilot, "enter")
        assert world.orders == [], "no is the answer of Enter"
        await press(pilot, "enter", "right", "enter")
        ((order, made),) = world.orders
        assert order == "burn-in"
        assert isinstance(made, JobRequest)
        assert made.burn_in is not None
        assert made.burn_in.disks == tuple(
            disk.serial for disk in machines.four_disks().disks if disk.serial.startswith("WD")
        )

    in_app(app, walk)


def test_the_disks_chosen_for_an_array_are_chosen_here_and_b_leads_here() -> None:
    app = open_at(PretendWorld(machines.four_disks()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "a", "b")
        assert app.place.name == "burnin"
        assert shown(app).count("[x]") == 4
        await press(pilot, "n")

    in_app(app, walk)


def test_a_recorded_machine_can_be_looked_at_but_not_burned_in() -> None:
    world = PretendWorld(machines.four_disks())
    world._jobs = (a_job(machines.four_disks(), Outcome.DONE),)
    app = open_at(world, "burnin")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "Resume" not in shown(app).splitlines()[-1]
        await press(pilot, "l")
        assert "Journal" in shown(app)

    in_app(app, walk)


def test_how_far_it_is() -> None:
    machine = machines.four_disks()
    job = a_job(machine, Outcome.RUNNING).request.burn_in
    assert job is not None
    far = progress_of(job, so_far(machine))
    first, *_, last = far.disks.values()
    assert first.share == 0.5
    assert first.bytes_per_second == pytest.approx(182e6 * 0.875, rel=0.01)
    assert first.left_seconds == pytest.approx(256 * ZONE_BYTES / (182e6 * 0.875), rel=0.05)
    assert last.gave_up
    assert last.left_seconds is None
    assert far.left_seconds == max(one.left_seconds or 0 for one in far.disks.values())
    assert progress_of(job, ()).share == 0.0
    assert far.step == READ


def test_how_far_a_self_test_is() -> None:
    machine = machines.four_disks()
    job = a_job(machine, Outcome.RUNNING).request.burn_in
    assert job is not None
    entries = [Entry(seq=0, at="", event=Event.STEP, step=LONG)]
    for noted in (
        BurnInNote(disk=job.disks[0], step=LONG, test_left=90),
        BurnInNote(disk=job.disks[0], step=LONG, test_left=40),
        BurnInNote(disk=job.disks[1], step=LONG, self_test=SelfTest(kind="long", passed=True)),
    ):
        data = msgspec.Raw(msgspec.json.encode(noted))
        entries.append(Entry(seq=len(entries), at="", event=Event.CELL, step=LONG, data=data))
    far = [one.share for one in progress_of(job, entries).disks.values()]
    assert far == [0.6, 1.0, None, None]


@pytest.mark.parametrize(
    ("rates", "top", "drawn"),
    [
        ((), 100, ""),
        ((0, 0), 100, ""),
        ((100, 50, 1), 100, "#=_"),
        ((100, 0, 50, 0), 100, "# ="),
        ((5,) * 64, 10, "=" * 12),
        ((*(100,) * 40, *(0,) * 24), 100, "#" * 8),
    ],
)
def test_speeds_are_drawn_from_zero_to_the_fastest_disk(rates: tuple[int, ...], top: int, drawn: str) -> None:
    assert speed_line(rates, top) == drawn


def test_the_first_disk_that_can_be_chosen_is_highlighted() -> None:
    app = open_burn_in(machines.four_disks())

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "Choose" in shown(app).splitlines()[-1]
        await press(pilot, "space")
        assert "1 chosen" in shown(app)

    in_app(app, walk)
