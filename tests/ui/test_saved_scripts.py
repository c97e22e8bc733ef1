"""Any plan is saved as the script that its command prints: of a replacement, of growth, and of a removal."""

import subprocess
from pathlib import Path

import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.model.procedure import Grow, Procedure
from raidtui.plan.care import title_of
from raidtui.plan.replace import find_order
from raidtui.plan.script import as_script
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.wizard.procedure import words_of
from raidtui.ui.wizard.wanted import Purpose, plan_of
from tests.ui.pictures import answers, in_app, press, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

CLEAN, DEGRADED = recorded("raid5-clean"), recorded("raid5-degraded")
(UNIT,), (LACKING,) = units_of(CLEAN), units_of(DEGRADED)
FREE = next(disk for disk in CLEAN.disks if disk.free)
GROWN = Grow(unit=UNIT.uuid, level="raid6", add=(FREE.identity,))
REPLACED = find_order(
    LACKING.name, next(disk.serial for disk in DEGRADED.disks if disk.free), DEGRADED, (LACKING,)
)


@pytest.mark.processes
@pytest.mark.parametrize(
    ("procedure", "name"),
    [(GROWN, "tank-grow.sh"), (REPLACED, "tank-replace.sh"), (None, "tank-teardown.sh")],
    ids=["grow", "replace", "teardown"],
)
def test_a_plan_that_does_not_build_is_saved_as_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, procedure: Procedure | None, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    machine = DEGRADED if procedure is REPLACED else CLEAN
    place = Place("procedure", words_of(procedure)) if procedure else Place("teardown", {"array": UNIT.uuid})
    app = RaidtuiApp(PretendWorld(machine), False, places=[place], draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "f1")
        assert "p saves the plan as a shell script" in " ".join(shown(app).split())
        await press(pilot, "escape", "p", "enter")
        assert "Saved as" in shown(app)
        await press(pilot, "p", "enter")
        assert "was not touched" in shown(app)
        await press(pilot, "escape", "s")
        assert "Save the spec" not in shown(app)

    in_app(app, walk)
    (file,) = tmp_path.iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == (name, 0o755)
    plan = plan_of(Purpose(procedure=procedure, teardown="" if procedure else UNIT.uuid), machine, answers())
    assert file.read_text() == as_script(plan, title_of(procedure, plan) if procedure else "")
    assert subprocess.run(["sh", "-n", file], check=False).returncode == 0
