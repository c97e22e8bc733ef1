"""Make the plan that adds a hot spare: the disk is checked and prepared as one that replaces another."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.advice.hazards import sort_hazards
from raidtui.advice.replacements import hazards_of_new_member
from raidtui.backends.care import no_pattern
from raidtui.backends.replacing import Naming, Need
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, Step
from raidtui.plan.of_computer import plan_of_unit
from raidtui.plan.replace import check_new, named_members, placed, prepare
from raidtui.steps.pieces import check_identity, planned
from raidtui.steps.seeds import derive


def make_spare(disk: str, need: Need, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps that make ``disk`` the hot spare ``need``; the other arguments and errors: see `make_replace`."""
    new, unit = machine.disk(disk), need.unit
    steps, (naming,) = prepared(new, (need,), machine, seed=seed)
    return replace(
        plan_of_unit(unit, machine, seed=seed),
        uuids=(unit.uuid, derive(seed, "table", new.identity)),
        disks=(planned(new, new.stable_path, "spare"),),
        hazards=sort_hazards(hazards_of_new_member(unit, need.present, new, machine)),
        steps=(*steps, *need.steps(naming)),
    )


def prepared(
    new: Disk, needs: Sequence[Need], machine: Machine, *, seed: str, suffix: str = ""
) -> tuple[list[Step], list[Naming]]:
    """The steps that make ``new`` a blank disk with a place for each member of ``needs``, and how the others name it.

    Args:
        suffix: of each step's id.

    Raises:
        Refused: the disk is in use or does not fit, or its place is not known.
    """
    check_identity(new, machine)
    for need in needs:
        if not need.places:
            raise Refused(no_pattern(need.name, (one.path for one in need.unit.members), machine))
    check_new(new, needs)
    places = placed(needs)
    steps = prepare(new, needs, places, seed=seed, udev=machine.system.udev, like="the other members")
    return [replace(step, id=f"{step.id}{suffix}") for step in steps], named_members(
        new, places, seed=seed, suffix=suffix
    )
