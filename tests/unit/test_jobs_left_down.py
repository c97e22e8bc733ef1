"""What a reboot in the middle of a job left down is started and mounted at its end."""

from msgspec.structs import replace

from raidtui.jobs.left_down import left_inactive, left_unmounted
from raidtui.model.procedure import Replace
from raidtui.plan.replace import make_replace
from tests.unit.plan_machines import SEED
from tests.unit.test_recorded_states import state

BEFORE = state("md-well")
PLAN = make_replace(Replace(old="LAB-0001", new="LAB-0004"), BEFORE, seed=SEED)


def left(**changes: object) -> list[str]:
    return list(left_unmounted(PLAN, BEFORE, replace(BEFORE, **changes)))


def test_only_what_the_unit_had_mounted_and_fstab_mounts_at_boot() -> None:
    assert left() == []
    assert left(mounts=()) == ["/srv/tank"]
    elsewhere = [line.replace("/srv/tank", "/srv/other") for line in BEFORE.system.fstab]
    assert left(mounts=(), system=replace(BEFORE.system, fstab=tuple(elsewhere))) == []
    by_hand = [line.replace("nofail", "noauto") for line in BEFORE.system.fstab]
    assert left(mounts=(), system=replace(BEFORE.system, fstab=tuple(by_hand))) == []


def test_what_was_not_mounted_when_the_plan_was_confirmed_stays_so() -> None:
    bare = replace(BEFORE, mounts=(), arrays=tuple(replace(one, mountpoints=()) for one in BEFORE.arrays))
    assert list(left_unmounted(PLAN, bare, bare)) == []


def test_a_unit_that_ran_and_did_not_start_at_boot_is_activated() -> None:
    stopped = tuple(replace(one, node="", state="inactive", mountpoints=()) for one in BEFORE.arrays)
    down = replace(BEFORE, arrays=stopped, mounts=())
    assert list(left_inactive(PLAN, BEFORE, BEFORE)) == []
    (step,) = left_inactive(PLAN, BEFORE, down)
    assert [run.argv[0] for run in step.activate] == ["mdadm"]
    assert set(step.holds) == {one.path for one in PLAN.disks}
