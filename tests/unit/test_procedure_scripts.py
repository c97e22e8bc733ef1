"""The script of a procedure: every plan that a finding offers can be written as one that a shell understands."""

import subprocess
from pathlib import Path

import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.model.errors import RaidtuiError
from raidtui.model.procedure import Recover
from raidtui.plan.care import make_care, title_of
from raidtui.plan.script import as_script
from tests.unit.plan_machines import SEED

STATES = sorted((Path(__file__).parents[1] / "machines" / "states").glob("*.json"))


def scripts_of(state: Path) -> list[tuple[str, str, tuple[str, ...]]]:
    """The title, the script and the erased disks of everything that the findings of a recorded state offer."""
    machine = recorded_machine(str(state))
    made = []
    for finding in diagnose(units_of(machine), machine):
        for remedy in finding.remedies:
            if remedy.procedure is None or isinstance(remedy.procedure, Recover):
                continue
            try:
                plan = make_care(remedy.procedure, machine, seed=SEED)
            except RaidtuiError:
                continue
            title = title_of(remedy.procedure, plan)
            made.append((title, as_script(plan, title), tuple(one.named for one in plan.erased)))
    return made


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("state", STATES, ids=lambda path: path.stem)
def test_a_shell_understands_the_script_of_every_procedure_that_a_finding_offers(state: Path) -> None:
    for title, text, erased in scripts_of(state):
        head, _, rest = text.partition("set -eu")
        assert f"# {title}.\n" in head
        assert ("--erase " in head) == bool(erased)
        assert " ".join(["\nall_named", *erased]) in rest
        asked = [line for line in rest.splitlines() if line.startswith("same_disk ")]
        assert len([line for line in asked if line.endswith(" free")]) <= len(erased)
        checked = subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_most_findings_of_the_recorded_states_offer_one() -> None:
    assert sum(len(scripts_of(state)) for state in STATES[::10]) > 10
