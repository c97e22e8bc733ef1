"""On Review a key rehearses the plan; Confirm says that it was rehearsed."""

import asyncio
from typing import Any, cast

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.jobs.own_process import OwnProcess
from raidtui.jobs.rehearsed import RehearsalProcess, order_of
from raidtui.model.errors import Refused
from raidtui.model.journal import JobRequest
from raidtui.model.plan import Plan
from raidtui.model.rehearsal import Rehearsal, RehearsedStep
from raidtui.model.units import GIB, MIB
from raidtui.plan.teardown import make_teardown
from raidtui.ui.shell import elevate
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.world import Access
from raidtui.ui.wizard.rehearsed_words import why_not_rehearsed
from tests.ui import machines
from tests.ui.own_process import PretendedProcess
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

SERIALS = [machines.disk(number).serial for number in range(1, 5)]
TITLES = (
    "Create the mount folder /srv/tank",
    "Save a recovery capsule of 4 disks",
    "Erase what is on 4 disks",
    "Create the RAID5 array tank from 4 members",
    "Mount the filesystem at /srv/tank",
)
PASSED = Rehearsal(
    at="2026-11-24T20:15:00+00:00",
    name="tank",
    fingerprint="f",
    seed="s",
    passed=True,
    steps=tuple(RehearsedStep(id=str(n), title=title, seconds=1.5) for n, title in enumerate(TITLES)),
    left_out=("systemctl daemon-reload",),
    calculated_bytes=12_001_550_303_232,
    usable_bytes=12_001_550_303_232,
    after_reboot=True,
    copied_bytes=40 * MIB,
    written_bytes=2 * GIB,
    seconds=41.0,
)
FAILED = msgspec.structs.replace(
    PASSED,
    passed=False,
    sentence="the build failed in the lab: raidtui: mkfs.xfs is missing",
    steps=(
        *PASSED.steps[:3],
        RehearsedStep(id="3", title=TITLES[3], seconds=2.0, error="mkfs.xfs is missing"),
    ),
    usable_bytes=None,
    after_reboot=None,
)


LINES = ("4 disks copied; starting the lab", f"[1/5] {TITLES[0]}")


class World(PretendWorld):
    """A world whose rehearsals end as they are told."""

    def __init__(self, result: Rehearsal | str, **more: Any) -> None:
        super().__init__(machines.four_disks(), **more)
        self.process = PretendedProcess(result, LINES)
        self.words = "Not rehearsed"

    def rehearse(self, order: JobRequest) -> RehearsalProcess:
        self.orders.append(("rehearse", order))
        return cast("RehearsalProcess", self.process)

    def rehearsed(self, plan: Plan) -> str:
        return self.words


@LOOKS
@pytest.mark.parametrize(
    "result", [PASSED, FAILED, "the lab needs user-mode-linux"], ids=["passed", "failed", "not"]
)
def test_the_result_comes_first(snap_compare: SnapCompare, look: str, result: Rehearsal | str) -> None:
    world = World(result)
    world.process.may_end.set()
    app = open_app(world, "review", console=look == "console", draft=answers(*SERIALS, level="raid5"))
    assert picture(snap_compare, app, look, ["r"])


@LOOKS
def test_confirm_says_that_it_was_rehearsed(snap_compare: SnapCompare, look: str) -> None:
    world = World(PASSED)
    world.words = "Rehearsed 2026-11-24, 13 of 13 steps"
    app = open_app(
        world, "review", "confirm", console=look == "console", draft=answers(*SERIALS, level="raid5")
    )
    assert picture(snap_compare, app, look)


def test_its_steps_are_shown_as_they_run_and_escape_stops_it() -> None:
    world = World(PASSED)
    app = open_app(world, "review", draft=answers(*SERIALS, level="raid5"))

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.press("r")
        for _ in range(200):
            if "[1/5] Create the mount folder" in shown(app):
                break
            await asyncio.sleep(0.05)
            await pilot.pause()
        assert "[1/5] Create the mount folder" in shown(app)
        ((_, order),) = world.orders
        assert isinstance(order, JobRequest)
        assert order.spec is not None
        assert set(order.spec.members) == set(SERIALS)
        await pilot.press("escape")
        assert await asyncio.to_thread(world.process.stopped.wait, 10)
        await settle(pilot)
        assert "Esc stops" not in shown(app)
        assert "Rehearsal stopped. Its copies are removed" in shown(app)

    in_app(app, walk)


@pytest.mark.parametrize(
    ("access", "in_lab", "said"),
    [
        (Access.USER, False, "A rehearsal reads the disks. raidtui can open again as root"),
        (Access.ROOT, True, "! this is the lab already: its disks are virtual"),
    ],
    ids=["user", "lab"],
)
def test_where_it_cannot_be_rehearsed_the_key_says_why(
    access: Access, in_lab: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elevate, "way_to_root", lambda: "/usr/bin/sudo")
    monkeypatch.setattr(World, "in_lab", in_lab)
    world = World(PASSED, access=access)
    app = open_app(world, "review", draft=answers(*SERIALS, level="raid5"))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "r")
        assert said in " ".join(shown(app).replace("║", "").split())
        assert world.orders == []

    in_app(app, walk)


def test_a_build_on_a_recording_is_rehearsed_on_blank_copies() -> None:
    world = World(PASSED, access=Access.RECORDED)
    app = open_app(world, "review", draft=answers(*SERIALS, level="raid5"))

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.press("r")
        for _ in range(200):
            if "[1/5] Create the mount folder" in shown(app):
                break
            await asyncio.sleep(0.05)
            await pilot.pause()
        assert "The copies are blank: a recording has no contents." in shown(app)
        assert [word for word, _ in world.orders] == ["rehearse"]
        await pilot.press("escape")
        assert await asyncio.to_thread(world.process.stopped.wait, 10)

    in_app(app, walk)


def test_a_removal_on_a_recording_is_not_rehearsed() -> None:
    machine = recorded("raid5-clean")
    why = why_not_rehearsed(make_teardown("tank", machine, seed="s"), World(PASSED, access=Access.RECORDED))
    assert why == "a recording has no superblocks to copy, so only a build can be rehearsed on it"


def test_the_rehearsal_of_a_recording_reads_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(OwnProcess, "__init__", lambda _, words, text: started.append(list(words)))
    order = order_of(spec=answers(*SERIALS, level="raid5").spec, seed="s")
    RecordedWorld(machines.four_disks(), file="nas.json").rehearse(order)
    assert started == [["--machine", "nas.json", "rehearse", "--order"]]
    with pytest.raises(Refused, match="the file of this recording is not known"):
        RecordedWorld(machines.four_disks()).rehearse(order)
