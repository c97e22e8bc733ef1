"""How long a plan takes: what is known of its steps, and nothing invented where it is not."""

from msgspec.structs import replace

from raidtui.advice.time import sync_range
from raidtui.backends.units import units_of
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Role, Run, Step
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import duration_range
from raidtui.plan.build import make_plan
from raidtui.plan.durations import durations
from raidtui.plan.replace import find_order, make_replace
from tests.ui.recorded import recorded
from tests.unit.plan_machines import SEED, TANK, machine

FOUR = ("S-0001", "S-0002", "S-0003", "S-0004")


def build(level: str) -> tuple[Plan, Machine]:
    here = machine(initramfs="update-initramfs")
    spec = replace(TANK, level=level, members=FOUR)
    return make_plan(spec, here, seed=SEED), here


def test_the_steps_that_take_long_have_a_time_and_the_total_covers_them() -> None:
    takes = durations(*build("raid5"))
    assert takes.steps["initramfs"] == "about 50 s"
    assert "fstab" not in takes.steps  # a moment
    assert takes.total.startswith("about ")


def test_a_first_resync_is_timed_where_the_kernel_makes_one() -> None:
    assert " to " in durations(*build("raid5")).resync
    assert durations(*build("raid0")).resync == ""
    spec = Spec(
        name="tank",
        level="raid1",
        backend=Backend.BTRFS,
        members=FOUR,
        filesystem=FilesystemSpec(type="btrfs", mountpoint="/srv/tank"),
    )
    assert durations(make_plan(spec, machine(), seed=SEED), machine()).resync == ""


def test_a_step_that_may_take_hours_and_is_not_known_leaves_the_total_open() -> None:
    plan, here = build("raid5")
    convert = Run(argv=("btrfs", "balance", "start", "/srv"), timeout_seconds=86400)
    step = Step(id="balance", role=Role.MEMBER, title="Convert", reason="It must.", actions=(convert,))
    takes = durations(replace(plan, steps=(*plan.steps, step)), here)
    assert takes.total == ""
    assert "balance" not in takes.steps
    lasting = replace(step, actions=(), as_long_as="writing the whole virtual drive")
    assert durations(replace(plan, steps=(lasting,)), here).total == ""


def test_a_replacement_takes_as_long_as_its_sync() -> None:
    here = recorded("raid5-clean")
    array = here.arrays[0]
    order = find_order(
        units_of(here)[0].members[0].disk,
        next(disk.identity for disk in here.disks if disk.free),
        here,
        units_of(here),
    )
    plan = make_replace(order, here, seed=SEED)
    wait = next(step for step in plan.steps if step.id == "wait")
    assert wait.sync_bytes == array.component_bytes
    large = replace(wait, sync_bytes=10**12)
    takes = durations(replace(plan, steps=(large,)), here)
    rotational = any(disk.rotational for disk in here.disks)
    span = sync_range(10**12, rotational=rotational, bytes_per_second=None, limit=here.system.raid_speed_max)
    assert takes.steps["wait"] == takes.total == duration_range(*span)
    assert durations(plan, here).steps["wait"] == "a few seconds"
