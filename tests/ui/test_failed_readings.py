"""A reading that fails: the one that was asked for meanwhile is still made."""

import threading
import time

import pytest
from textual.pilot import Pilot

from raidtui.model.errors import StepFailed
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.pictures import in_app, open_app, settle
from tests.ui.worlds import PretendWorld


@pytest.mark.parametrize("what", ["machine", "polled"])
def test_the_reading_that_was_asked_for_meanwhile_is_made(what: str) -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "overview")
    really = getattr(world, what)
    calls: list[str] = []
    go = threading.Event()

    def read(**_: object) -> object:
        calls.append(what)
        if len(calls) == 1:
            go.wait(10)
            raise StepFailed("the disk did not answer")
        return really()

    def ask(app: RaidtuiApp) -> None:
        if what == "machine":
            app.read_machine()
        else:
            app.read_units(fresh=True)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        setattr(world, what, read)
        ask(app)
        ask(app)
        go.set()
        end = time.monotonic() + 10
        while len(calls) < 2 and time.monotonic() < end:
            await settle(pilot)
        await settle(pilot)
        assert calls == [what] * 2

    in_app(app, walk)
