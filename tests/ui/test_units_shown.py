"""The screens show the units of a reading, whether the kernel reports their changes or they are polled."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.model.unit import Unit
from tests.ui.pictures import in_app, open_app, settle

STATES = sorted((Path(__file__).parents[1] / "machines" / "states").glob("*.json"))


def described(units: tuple[Unit, ...]) -> dict[tuple[str, str], Unit]:
    """Without what is estimated on the way."""
    return {(unit.backend, unit.shown): replace(unit, activity=None) for unit in units}


@pytest.mark.parametrize("state", STATES, ids=lambda path: path.stem)
def test_a_screen_knows_of_each_unit_what_the_reading_says(state: Path) -> None:
    machine = recorded_machine(str(state))
    app = open_app(machine, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert described(app.units) == described(units_of(machine))

    in_app(app, walk)
