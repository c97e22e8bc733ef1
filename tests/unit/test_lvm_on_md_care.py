"""What a volume group on arrays needs beside its arrays: activation, or a physical volume that is not here."""

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.units import units_of
from raidtui.model.finding import Finding
from raidtui.model.machine import Machine
from raidtui.model.plan import Run
from raidtui.model.procedure import Start
from raidtui.plan.care import make_care
from tests.unit.lvm_machines import GROUP_UUID
from tests.unit.lvm_on_md_machines import below, group_machine, on_arrays, second

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"


def of_group(machine: Machine) -> tuple[Finding, ...]:
    found = diagnose(units_of(machine), machine)
    return tuple(one for one in found if one.unit == GROUP_UUID and one.kind.value != "not-configured")


def inactive(found: LvmReading) -> LvmReading:
    (volume,) = found.known.volumes
    down = msgspec.structs.replace(volume, attr="-wi-------", device_number="")
    return msgspec.structs.replace(found, known=msgspec.structs.replace(found.known, volumes=(down,)))


def test_one_whose_array_runs_and_that_is_not_active_is_activated() -> None:
    machine = group_machine(inactive(on_arrays("/dev/md127")), mounted=False)
    (finding,) = of_group(machine)
    assert finding.first is not None
    assert finding.first.procedure == Start(unit=GROUP_UUID)
    (step,) = make_care(Start(unit=GROUP_UUID), machine, seed=SEED).steps
    assert [run.argv for run in step.actions if isinstance(run, Run)] == [("vgchange", "-ay", "tank")]


@pytest.mark.parametrize("degraded", [0, 1])
def test_a_physical_volume_that_is_gone_is_not_made_good_by_its_array(degraded: int) -> None:
    """Not even where an array under the group lacks a member too."""
    machine = group_machine(on_arrays("/dev/md127", ""), below(degraded=degraded), mounted=False)
    (finding,) = of_group(machine)
    assert "1 disk missing" in finding.what
    assert finding.remedies[0].text.startswith("connect the missing disk: tank/data has no copy without it")
    assert finding.remedies[0].procedure is None
    assert not any(one.text.startswith("nothing here:") for one in finding.remedies)


def test_an_array_that_is_here_and_does_not_run_comes_first() -> None:
    machine = group_machine(
        inactive(on_arrays("/dev/md127", "")), below(), second(state="inactive", signatures=()), mounted=False
    )
    (finding,) = of_group(machine)
    assert finding.remedies[0].text == "start array more first: what tank lacks may be on it"
    assert finding.remedies[0].procedure is None


def test_one_that_is_well_needs_nothing() -> None:
    assert of_group(group_machine()) == ()
