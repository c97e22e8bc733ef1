"""A finding is found by every name that its unit has."""

import pytest

from raidtui.commands.care import _find
from raidtui.model.errors import BadInput
from raidtui.model.finding import Finding, Kind
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit

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
    with pytest.raises(BadInput, match="no finding is called 'films'"):
        _find("films", [OTHER, FINDING], [CARD])
