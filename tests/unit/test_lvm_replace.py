"""The plan that replaces a disk of a volume group."""

import msgspec
import pytest

from raidtui.backends.lvm.reading import LvmReading
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Replace
from raidtui.plan.replace import make_replace
from tests.unit.lvm_machines import GROUP_UUID, group, lvm_disk, lvm_machine, reading, status
from tests.unit.plan_machines import disk

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
NEW = disk(3)


def nas(found: LvmReading | None = None) -> Machine:
    return lvm_machine(found, lvm_disk(1), lvm_disk(2), NEW)


def plan(machine: Machine, old: str, *missing_from: str) -> Plan:
    return make_replace(Replace(old=old, new=NEW.identity, missing_from=missing_from), machine, seed=SEED)


def lvm(made: Plan) -> list[str]:
    """LVM's commands, without the names of devices."""
    runs = [a.argv for step in made.steps for a in step.actions if isinstance(a, Run)]
    tools = {"pvcreate", "vgextend", "lvconvert", "vgreduce", "pvremove"}
    return [
        " ".join(word for word in words if not word.startswith("/dev/"))
        for words in runs
        if words[0] in tools
    ]


def test_a_disk_that_works_is_replaced_and_leaves_the_group_before_it_is_wiped() -> None:
    made = plan(nas(), lvm_disk(2).identity)
    assert lvm(made) == [
        "pvcreate",
        "vgextend tank",
        "lvconvert --yes --replace tank/data",
        "vgreduce tank",
        "pvremove",
    ]
    ids = [step.id for step in made.steps]
    assert ids.index("remove") < ids.index("prove") < ids.index("forget")
    # The volume is in sync before as well, so only that the disk has left shows that it was removed.
    for name, when in (("remove", "after"), ("forget", "before")):
        step = next(step for step in made.steps if step.id == name)
        assert [check.kind for check in getattr(step, when)] == ["lvm-left"]


def test_a_missing_disk_is_repaired() -> None:
    found = reading(paths=("/dev/sda1", ""), kernel=status("A-"))
    made = plan(lvm_machine(found, lvm_disk(1), NEW), "", GROUP_UUID)
    assert lvm(made) == [
        "pvcreate",
        "vgextend tank",
        "lvconvert --yes --repair tank/data",
        "vgreduce --removemissing tank",
    ]


def test_what_cannot_be_done_is_refused() -> None:
    busy = reading(kernel=status(action="check"))
    with pytest.raises(Refused, match="is busy"):
        plan(nas(busy), lvm_disk(2).identity)
    with pytest.raises(Refused, match="is not active"):
        plan(nas(msgspec.structs.replace(reading(), statuses={})), lvm_disk(2).identity)
    with pytest.raises(Refused, match="already lacks"):
        plan(nas(reading(its=group(missing=1))), lvm_disk(2).identity)
