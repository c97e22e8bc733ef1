"""How a unit is called: by people, and in a command."""

import msgspec
import pytest

from raidtui.backends.md.units import unit_of
from raidtui.model.procedure import MakeWritable
from raidtui.model.unit_names import command_word
from tests.ui.machines import running_array
from tests.unit.test_md_care_plans import UUID, whole
from tests.unit.test_md_tend import made


@pytest.mark.parametrize(
    ("name", "node", "shown"),
    [
        ("tank", "/dev/md127", "tank"),
        ("", "/dev/md127", "/dev/md127"),
        ("0", "/dev/md0", "/dev/md0"),  # what mdadm --create /dev/md0 names "host:0"
        ("0", "/dev/md127", "/dev/md127"),  # from another computer
        ("0", "", "0"),  # stopped
        ("0-old", "/dev/md1", "0-old"),
    ],
)
def test_a_number_alone_is_no_name_for_people(name: str, node: str, shown: str) -> None:
    array = running_array(name=name, node=node, full_name=f"nas:{name}")
    assert (array.shown, unit_of(array).shown) == (shown, shown)
    assert unit_of(array).is_called(shown)
    assert not name or array.is_called(name)


@pytest.mark.parametrize(
    ("name", "alone", "word"),
    [
        ("my tank", True, "my tank"),
        ("my tank", False, "u-1"),
        ("-rf", True, "u-1"),  # a command takes it for an option
        ("7", True, "u-1"),  # and care for the number of a finding
    ],
)
def test_a_name_that_reads_as_something_else_is_not_used_in_a_command(
    name: str, word: str, *, alone: bool
) -> None:
    array = running_array(name=name, node="", path="", full_name=f"nas:{name}", uuid="u-1")
    other = msgspec.structs.replace(array, name=f"other {name}" if alone else name, full_name="", uuid="u-2")
    assert command_word(array, [array, other]) == word
    unnamed = msgspec.structs.replace(array, uuid="")
    assert command_word(unnamed, [unnamed, other]) == name, "a firmware RAID has no UUID"


def test_of_two_with_one_number_each_is_shown_with_its_host() -> None:
    array = running_array(name="0", node="/dev/md127", full_name="nas:0")
    assert msgspec.structs.replace(unit_of(array), shared_name=True).shown == "nas:0"


def test_a_plan_of_it_is_not_saved_in_dev() -> None:
    machine = whole(running_array(name="0", node="/dev/md0", full_name="nas:0", state="readonly"))
    plan = made(MakeWritable(unit=UUID), machine)
    assert (plan.called, plan.file_stem) == ("/dev/md0", "md0")
