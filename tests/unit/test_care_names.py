"""A finding is found by every name that its unit has."""

import pytest
from msgspec.structs import replace

from raidtui.backends.reading import the_machine
from raidtui.backends.units import units_of
from raidtui.cli import main
from raidtui.commands.care import _find
from raidtui.model.errors import BadInput
from raidtui.model.finding import Finding, Kind
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from raidtui.plan.possible import possible
from tests.unit.recorded_plans import MACHINES

CARD = Unit(
    backend=Backend.MEGARAID,
    name="tank-8b6b6c",
    given="tank",
    uuid="0123",
    marks=(),
    level="raid5",
    size_bytes=1,
    path="/dev/sda",
    node="/dev/sda",
    health=Health.DEGRADED,
    state="degraded",
)
OTHER = Finding(name="pool", kind=Kind.FAILED, what="pool", unit="4567")
FINDING = Finding(name="tank-8b6b6c", kind=Kind.DEGRADED, what="degraded", unit="0123")


@pytest.mark.parametrize("word", ["tank", "tank-8b6b6c", "0123", "sda", "/dev/sda", "2"])
def test_a_virtual_drive_is_found_by_the_name_that_a_person_gave_it(word: str) -> None:
    assert _find(word, [OTHER, FINDING], [CARD]) == [FINDING]


def test_the_name_of_a_finding_comes_before_that_of_a_unit() -> None:
    named = Finding(name="tank", kind=Kind.MOUNT_EXPECTED, what="mount")
    assert _find("tank", [FINDING, named], [CARD]) == [named]


def test_a_name_of_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="no finding and no unit is called 'films'; known here: pool"):
        _find("films", [OTHER, FINDING], [CARD])


def test_a_number_of_the_list_that_is_a_name_too_is_refused() -> None:
    """mdadm --create /dev/md1 names an array "1"."""
    one = Finding(name="/dev/md1", kind=Kind.DEGRADED, what="degraded", unit="0123")
    first = replace(CARD, name="1", given="")
    with pytest.raises(BadInput, match="1 is the number of one finding and the name of another"):
        _find("1", [OTHER, one], [first])
    assert _find("1", [one, OTHER], [first]) == [one]
    assert _find("1", [OTHER, FINDING], [CARD]) == [OTHER]


def test_a_unit_that_is_well_is_not_unknown() -> None:
    with pytest.raises(
        BadInput, match="nothing is wrong with tank that can be seen here, and nothing can be"
    ):
        _find("tank", [OTHER], [CARD])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("states/btrfs-well", "check or repair"),
        ("states/md-well", "add-spare, spare-group, check or repair"),
        ("states/adaptec-well", "add-spare or add-global-spare"),
        ("imsm", ""),
    ],
)
def test_what_can_be_done_to_a_unit_that_is_well_is_only_what_has_a_plan(
    name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(MACHINES / f"{name}.json")
    assert main(["--machine", file, "care", units_of(the_machine(file))[0].shown]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert (f"--do can be {words} now" if words else "nothing can be done to it now") in said


@pytest.mark.slow
def test_what_can_be_asked_for_is_planned_or_refused_in_every_recorded_state() -> None:
    for file in [*MACHINES.glob("*.json"), *MACHINES.glob("states/*.json")]:
        there = the_machine(str(file))
        for unit in units_of(there):
            possible(unit, there)  # raises what is no refusal


def test_a_maker_of_whose_disks_none_is_here_is_said_to_have_none() -> None:
    with pytest.raises(BadInput, match="no disks of a Netgear ReadyNAS NAS are seen here"):
        _find("readynas", [OTHER, FINDING], [CARD])
