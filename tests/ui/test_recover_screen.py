"""Recover: the ways side by side, a bar while they are tried, and the files mounted to copy them away."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, cast

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.jobs.recovering.for_real import order_for_real
from raidtui.jobs.recovering.process import RecoveryProcess
from raidtui.model.machine import Machine
from raidtui.model.procedure import RestoreMetadata, StartTried
from raidtui.model.recovery import Candidate, Recovery, Shape, Slot, Tried, Way
from raidtui.ui.care import recover_words
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.world import Access
from tests.ui.own_process import PretendedProcess
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

STOPPED: Final = recorded("states/md-two-failed-stopped")
MOUNTED: Final = recorded("states/md-two-failed")
RUNNING: Final = replace(
    MOUNTED, arrays=tuple(replace(one, mountpoints=()) for one in MOUNTED.arrays), mounts=()
)
NEWEST: Final = 1_793_646_240  # 2 November 2026


def candidate(words: str, *sources: str, way: Way = Way.EVENTS) -> Candidate:
    shape = Shape(
        level="raid5",
        layout=2,
        chunk_bytes=512 * 1024,
        component_bytes=1 << 30,
        slots=tuple(Slot(source=one, offset_bytes=1 << 20) for one in sources),
    )
    return Candidate(way=way, words=words, shape=shape)


FOUND: Final = Recovery(
    name="tank",
    unit="6f0a3c1e-2b4d-4c6e-8f10-3a5c7e9b1d2f",
    at="2026-11-26T22:14:00+00:00",
    tried=(
        Tried(
            candidate=candidate("LAB-0001 LAB-0003, without LAB-0002 (events 28, 26)", "LAB-0001", "", "LAB-0003"),
            contents="ext4",
            clean=True,
            mounted=True,
            files=41_203,
            newest=NEWEST,
            sampled=48,
        ),
        Tried(
            candidate=candidate("LAB-0001 LAB-0002, without LAB-0003 (events 28, 20)", "LAB-0001", "LAB-0002", ""),
            contents="ext4",
            clean=False,
            fsck="12 errors left uncorrected",
            mounted=True,
            files=40_988,
            newest=NEWEST - 3 * 86_400,
            unreadable=102,
            sampled=46,
            odd=3,
        ),
        Tried(
            candidate=candidate("LAB-0002 LAB-0003, without LAB-0001 (events 26, 20)", "", "LAB-0002", "LAB-0003"),
            problem="it cannot be mounted: wrong fs type, bad option, bad superblock on /dev/mapper/raidtui-try-top",
        ),
    ),
)  # fmt: skip
NONE: Final = replace(FOUND, tried=FOUND.tried[2:])
LINES: Final = (
    "LAB-0001: slot 0, events 28",
    "LAB-0002: slot 1, events 20",
    "LAB-0003: slot 2, events 26",
    "[1/3] LAB-0001 LAB-0003, without LAB-0002 (events 28, 26): ext4, 41,203 files",
)


def pretended(result: Recovery | str) -> PretendedProcess[Recovery]:
    return PretendedProcess(result, LINES, if_stopped="the trial was ended; the members are as they were")


class World(PretendWorld):
    """A world whose trials end as they are told; ``last`` is the list of an earlier one."""

    def __init__(self, machine: Machine, last: Recovery | None = None, **more: Any) -> None:
        super().__init__(machine, **more)
        self.last = last
        self.process = pretended(FOUND)

    def last_recovery(self) -> Recovery | None:
        return self.last

    def for_real(self, number: int, *, name: str, unit: str) -> StartTried | RestoreMetadata:
        return order_for_real(self.last, number, name=name, unit=unit)

    def recover(self, words: Sequence[str]) -> RecoveryProcess:
        self.orders.append(("recover", list(words)))
        return cast("RecoveryProcess", self.process)


def at_care(world: World, *, console: bool = False) -> RaidtuiApp:
    return open_app(world, "overview", "care", console=console)


@LOOKS
def test_care_leads_to_it_first(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_care(World(STOPPED), console=look == "console"), look)


@LOOKS
def test_before_the_first_trial(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_care(World(STOPPED), console=look == "console"), look, ["enter"])


@WITH_WIDE
def test_the_ways_side_by_side(snap_compare: SnapCompare, look: str) -> None:
    app = at_care(World(STOPPED, FOUND), console=look == "console")
    assert picture(snap_compare, app, look, ["enter"])


@LOOKS
def test_one_is_mounted(snap_compare: SnapCompare, look: str) -> None:
    shown_at = replace(FOUND, mounted_at="/run/raidtui-recovery", mounted=1)
    app = at_care(World(STOPPED, shown_at), console=look == "console")
    assert picture(snap_compare, app, look, ["enter"])


@LOOKS
def test_nothing_can_be_had(snap_compare: SnapCompare, look: str) -> None:
    app = at_care(World(STOPPED, NONE), console=look == "console")
    assert picture(snap_compare, app, look, ["enter"])


@LOOKS
def test_an_array_that_runs_is_stopped_only_if_a_person_wants_it(
    snap_compare: SnapCompare, look: str
) -> None:
    app = at_care(World(RUNNING), console=look == "console")
    assert picture(snap_compare, app, look, ["enter", "enter"])


def test_the_cursor_is_on_the_title_while_the_list_is_hidden() -> None:
    app = at_care(World(RUNNING))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "enter", "enter", "escape")
        assert app.place.name == "recover"
        title = shown(app).splitlines()[app.cursor_position.y][app.cursor_position.x :]
        assert title.startswith("Recover tank")

    in_app(app, walk)


def test_one_that_is_mounted_is_not_offered_to_be_stopped() -> None:
    app = at_care(World(MOUNTED))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "enter", "enter")
        assert "run umount on it in a shell (Ctrl-Z), then press Enter again" in " ".join(shown(app).split())
        assert "Stop tank" not in shown(app)

    in_app(app, walk)


def test_a_refusal_is_gone_once_a_question_was_asked() -> None:
    app = at_care(World(RUNNING))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "enter")
        page = cast("Page", app.screen)
        page.complain("tank is mounted at /srv/tank")
        await press(pilot, "enter", "escape")
        assert app.screen is page
        assert "tank is mounted" not in shown(app)

    in_app(app, walk)


@LOOKS
def test_while_it_tries(snap_compare: SnapCompare, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(STOPPED)
    app = at_care(world, console=look == "console")
    width, _, height = look.partition("x") if look != "console" else ("80", "", "24")

    async def before(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "enter")
        await pilot.press("enter")
        await until(app, "1 of 3 ways tried")

    def draw(**options: Any) -> str:
        drawn = RaidtuiApp.export_screenshot(app, **options)
        world.process.may_end.set()  # the app waits for it before it ends
        return drawn

    monkeypatch.setattr(app, "export_screenshot", draw)
    try:
        assert snap_compare(app, terminal_size=(int(width), int(height)), run_before=before)
    finally:
        world.process.may_end.set()


def test_what_is_safe_is_in_sight_where_only_disks_are_named() -> None:
    app = at_care(World(recorded("states/md-all-superblocks-zeroed")))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "enter")
        heading = shown(app).splitlines()[1]
        assert "Recover 3 members. SAFE: try, mount, copy. NOT SAFE: create, add, force" in heading

    in_app(app, walk)


def test_the_newest_lines_of_a_trial_are_in_sight() -> None:
    progress = recover_words.Progress()
    for number in range(1, 13):
        progress.heard(
            f"[{number}/12] {'LAB-0001 LAB-0002 LAB-0003 (raid5, left-symmetric) ' * 2}: {number} files"
        )
    seen = progress.last(6, width=78)
    assert len(seen) == 6
    assert max(map(len, seen)) <= 78
    assert seen[-1].endswith("12 files")


async def until(app: RaidtuiApp, words: str) -> None:
    for _ in range(400):
        if words in shown(app):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(shown(app))


def test_it_tries_then_mounts_and_ends() -> None:
    world = World(STOPPED)
    world.process.may_end.set()
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "recover"
        assert (
            "Recover tank. SAFE: try, mount, copy. NOT SAFE: create, add, force" in shown(app).splitlines()[1]
        )
        await press(pilot, "m", "c")  # nothing to mount yet
        assert world.orders == []
        await press(pilot, "enter")
        assert "CLEAN" in shown(app)
        assert "41,203" in shown(app)
        world.process = pretended(replace(FOUND, mounted_at="/run/raidtui-recovery", mounted=1))
        world.process.may_end.set()
        await press(pilot, "m")
        assert "MOUNTED read-only at /run/raidtui-recovery" in " ".join(shown(app).split())
        await press(pilot, "enter", "o")  # a trial waits until it is unmounted
        world.process = pretended(Recovery(name="", tried=()))
        world.process.may_end.set()
        await press(pilot, "c")
        assert "MOUNTED" not in shown(app)
        assert "CLEAN" in shown(app)

    in_app(app, walk)
    assert world.orders == [
        ("recover", ["tank"]),
        ("recover", ["tank", "--mount", "1"]),
        ("recover", ["--clean"]),
    ]


def test_for_real_leads_to_a_plan_after_what_it_costs() -> None:
    world = World(STOPPED, FOUND)
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter", "f")
        text = " ".join(shown(app).replace("║", " ").split())
        assert "This is your choice" in text
        assert "writes to no member" in text
        assert "?" not in text, "paragraphs are apart"
        await press(pilot, "enter")  # Cancel
        assert app.place.name == "recover"
        await press(pilot, "end", "f")  # nothing was found there
        assert "This is your choice" not in shown(app)
        await press(pilot, "home", "f", "right", "enter")
        assert app.place.name == "procedure"

    in_app(app, walk)
    assert world.orders == []


def test_a_way_without_files_cannot_be_mounted() -> None:
    world = World(STOPPED, FOUND)
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter", "end", "m")
        assert "Not this way: no files." in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_a_refusal_says_why_and_nothing_is_left_of_the_bar() -> None:
    world = World(STOPPED)
    world.process = pretended("LAB-0002 is mounted at /mnt; unmount it first")
    world.process.may_end.set()
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter", "enter")
        assert "LAB-0002 is mounted at /mnt" in shown(app)
        assert "ways tried" not in shown(app)
        assert "Enter begins" in shown(app)

    in_app(app, walk)


def test_leaving_the_screen_ends_the_trial() -> None:
    world = World(STOPPED)
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        await pilot.press("enter")
        await until(app, "1 of 3 ways tried")
        await pilot.press("escape")
        assert await asyncio.to_thread(world.process.stopped.wait, 10)

    in_app(app, walk)


def test_one_that_runs_is_stopped_by_the_trial_after_a_yes() -> None:
    world = World(RUNNING)
    world.process = pretended(replace(FOUND, stopped=("array tank",), md_wrote=True))
    world.process.may_end.set()
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter", "enter", "enter")  # Cancel has the focus
        assert world.orders == []
        await press(pilot, "enter", "right", "enter")
        await until(app, "Still stopped: array tank.")
        await until(app, "Care (Esc) says how to start it again.")

    in_app(app, walk)
    assert world.orders == [("recover", ["tank", "--stop"])]


@pytest.mark.parametrize("access", [Access.USER, Access.RECORDED])
def test_without_root_nothing_is_tried(access: Access) -> None:
    world = World(STOPPED, access=access)
    if access is Access.RECORDED:
        app = open_app(PretendWorld(STOPPED, access=access), "overview", "care")
    else:
        app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter", "enter")

    in_app(app, walk)
    assert world.orders == []


def test_what_runs_with_disks_that_are_named_is_stopped_only_if_a_person_says_so() -> None:
    world = World(recorded("states/public-removed-pv-is-back"))
    app = at_care(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter", "enter")
        assert "Active volumes are deactivated" in shown(app)
        await press(pilot, "enter")  # Cancel
        assert world.orders == []
        await press(pilot, "enter", "right", "enter")

    in_app(app, walk)
    assert world.orders == [("recover", ["--disks", "LAB-0001,LAB-0002,LAB-0003", "--stop"])]
