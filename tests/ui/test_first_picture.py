"""What the first picture does without: whoever opens raidtui waits for every module that is loaded before it."""

import subprocess
import sys

from tests.ui.recorded import MACHINES

OPEN = """
import gc
import sys
from raidtui.machine.reader import load_machine
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.recorded_world import RecordedWorld

async def look(pilot):
    while pilot.app.machine is None:
        await pilot.pause(0.01)
    await pilot.pause(0.3)
    pilot.app.exit()

app = RaidtuiApp(RecordedWorld(load_machine({file!r})), False, places=[Place({place!r})])
before = set(sys.modules)
gc.disable()  # as until the first picture
app.run(headless=True, auto_pilot=look, size=(80, 24))
assert gc.isenabled(), "the garbage collector was not turned on again"
print(*sorted(name for name in set(sys.modules) - before if name.startswith("raidtui.")))
"""
HEAVY = (
    "raidtui.backends",
    "raidtui.plan",
    "raidtui.jobs",
    "raidtui.bench",
    "raidtui.results",
    "raidtui.advice",
)
# What sees the arrays that are there, which is shown with them.
SEES = {
    "raidtui.backends",
    "raidtui.backends.contract",
    "raidtui.backends.md",
    "raidtui.backends.md.reader",
    "raidtui.backends.md.states",
    "raidtui.backends.md.units",
    "raidtui.backends.units",
    "raidtui.backends.registry",
    "raidtui.backends.used_elsewhere",
}


def loaded(place: str, machine: str) -> list[str]:
    """The modules of raidtui that the first picture of ``place`` loads."""
    program = OPEN.format(file=str(MACHINES / f"{machine}.json"), place=place)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.split()


def test_the_first_picture_of_the_disks_loads_nothing_that_plans_builds_or_measures() -> None:
    found = loaded("disks", "disks-24")
    assert "raidtui.ui.wizard.disks" in found
    assert [name for name in found if name.startswith(HEAVY) and name not in SEES] == []


def test_the_first_picture_of_a_recording_loads_nothing_that_reads_this_computer() -> None:
    found = loaded("disks", "disks-24")
    assert "raidtui.backends.md.units" in found
    reads = {"arrays", "blocks", "configured", "disks", "kernel_log", "mdstat", "mounts", "processes"}
    reads |= {"scrub", "stopped_now", "superblock", "tools", "udev"}
    others = {
        "raidtui.model.finding",
        "raidtui.model.plan",
        "raidtui.model.procedure",
        "raidtui.model.result",
    }
    assert others.union(f"raidtui.machine.{name}" for name in reads).intersection(found) == set()


def test_the_screens_are_loaded_without_ssl_and_a_later_import_finds_it() -> None:
    program = """
import sys
from raidtui.ui.shell.first_picture import hasten
hasten()
from raidtui.ui.shell.app import RaidtuiApp
assert "asyncio" in sys.modules and "_ssl" not in sys.modules, "ssl is loaded"
import ssl
ssl.create_default_context()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
