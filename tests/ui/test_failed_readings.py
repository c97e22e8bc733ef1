"""A reading that fails: the one that was asked for meanwhile is still made. The end of a sync asks for one."""

import threading
import time

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.model.errors import StepFailed
from raidtui.model.machine import Machine
from raidtui.model.unit import Activity
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.pictures import in_app, open_app, settle
from tests.ui.recorded import recorded
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


class Counting(PretendWorld):
    """Counts how often the machine is read."""

    count = 0

    def machine(self) -> Machine:
        self.count += 1
        return super().machine()


def test_the_machine_is_read_again_when_a_sync_has_ended() -> None:
    world = Counting(recorded("raid5-clean"))
    app = open_app(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        (clean,) = app.units
        before = world.count
        for fraction in (0.1, 0.2):
            app.show_units((replace(clean, activity=Activity(what="check", fraction=fraction)),))
            await settle(pilot)
        assert world.count == before, "it goes on"
        app.show_units((clean,))
        await settle(pilot)
        assert world.count == before + 1
        app.show_units((clean,))
        await settle(pilot)
        assert world.count == before + 1, "once"

    in_app(app, walk)
