"""Open the app on a made or recorded machine, press keys, and compare snapshots."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import pytest
from textual.pilot import Pilot
from textual.worker import Worker, WorkerCancelled

from raidtui.model.machine import Machine
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.world import World
from raidtui.ui.wizard.draft import Draft
from tests.ui.worlds import PretendWorld

SEED: Final = "11111111-2222-4333-8444-555555555555"
# Every snapshot is taken at the minimum size, at a large one, and as on a Linux console.
LOOKS: Final = pytest.mark.parametrize("look", ["80x24", "120x40", "console"])
WITH_WIDE: Final = pytest.mark.parametrize("look", ["80x24", "120x40", "200x50", "console"])
_LONGEST_WAIT: Final = 10_000  # milliseconds, at most, for a key to take effect
_LONGEST_CHAIN: Final = 50  # workers, at most, each started by the result of the previous one


class SnapCompare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(
        self,
        app: RaidtuiApp,
        *,
        terminal_size: tuple[int, int],
        run_before: Callable[[Pilot[int]], Awaitable[None]],
    ) -> bool: ...


def answers(*members: str, **changes: object) -> Draft:
    """A new draft with a fixed seed, and these answers."""
    spec = Spec(
        name="data", level="", filesystem=FilesystemSpec(type="ext4", label="data", mountpoint="/srv/data")
    )
    return Draft(spec=spec, seed=SEED).with_spec(members=members, **changes)


def open_app(
    machine: Machine | World, *places: str, console: bool = False, draft: Draft | None = None
) -> RaidtuiApp:
    """The app at the last of these places; orders are recorded, not executed."""
    world = PretendWorld(machine) if isinstance(machine, Machine) else machine
    return RaidtuiApp(world, console, places=[Place(name) for name in places], draft=draft or answers())


async def drain(pilot: Pilot[int]) -> None:
    """Wait until app and screen have handled all pending messages."""
    app = pilot.app
    assert isinstance(app, RaidtuiApp)
    for _ in range(_LONGEST_WAIT):
        await pilot.pause()
        if app.keyboard.is_idle or not app.is_running or app._exception:
            return
        await asyncio.sleep(0.001)
    raise AssertionError("a key is still waited for")


def _at_work(pilot: Pilot[int]) -> list[Worker[Any]]:
    return [worker for worker in pilot.app.workers if not worker.is_finished]


def _is_busy(pilot: Pilot[int]) -> bool:
    """Whether a read or order is running, or a callback waits for the next refresh."""
    return bool(_at_work(pilot) or pilot.app.screen._callbacks)


async def settle(pilot: Pilot[int]) -> None:
    """Wait until no read or order is running and the screen has been painted.

    The result of a worker may start another, as when a stored result named in the journal is read: the screen is
    settled when all messages are handled and no worker is running afterwards.
    """
    for _ in range(_LONGEST_CHAIN):
        await drain(pilot)
        if not _is_busy(pilot) or pilot.app._exception:  # it is raised at the end of the test's app
            return
        for worker in _at_work(pilot):
            with suppress(WorkerCancelled):  # replaced by another
                await worker.wait()
    raise AssertionError("the screen does not come to rest")


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Press keys one by one, and wait for the effect of each, as a person does."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def picture(snap_compare: SnapCompare, app: RaidtuiApp, look: str, keys: Sequence[str] = ()) -> bool:
    """Whether the app matches its snapshot after these keys."""

    async def before(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, *keys)

    width, _, height = look.partition("x") if look != "console" else ("80", "", "24")
    return snap_compare(app, terminal_size=(int(width), int(height)), run_before=before)


def shown(app: RaidtuiApp) -> str:
    """The text on the screen, line by line."""
    lines = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in lines)


def in_app(
    app: RaidtuiApp, walk: Callable[[Pilot[int]], Awaitable[None]], *, size: tuple[int, int] = (80, 24)
) -> None:
    """Run ``walk`` in the opened app."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await walk(pilot)

    asyncio.run(run())
