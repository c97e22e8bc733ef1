"""What a reboot in the middle of a job left down: a unit that did not start, or that started late, which nobody mounts. Pure."""

from collections.abc import Iterator
from contextlib import suppress

from msgspec.structs import replace

from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run, Step
from raidtui.model.procedure import Start
from raidtui.model.unit import Health, Unit
from raidtui.plan.care import make_care
from raidtui.steps.fstab import fields_of, is_mounted_at_boot


def left_unmounted(plan: Plan, confirmed: Machine, live: Machine) -> Iterator[str]:
    """Where units with members on the disks of ``plan`` were mounted when it was confirmed, and fstab mounts them at boot."""
    own = _mounted(plan, confirmed)
    missing = {place for unit in own for place in unit.mountpoints} - {one.target for one in live.mounts}
    for fields in map(fields_of, live.system.fstab):
        if is_mounted_at_boot(fields) and fields[1] in missing:
            yield fields[1]


def left_inactive(plan: Plan, confirmed: Machine, live: Machine) -> Iterator[Step]:
    """For each of these units that does not run now: a step that only activates it."""
    own = {unit.uuid for unit in _mounted(plan, confirmed)}
    for unit in units_of(live):
        if unit.uuid in own and unit.health is Health.INACTIVE:
            with suppress(Refused):  # it stays as it is; its finding says why
                for step in make_care(Start(unit=unit.uuid), live, seed=plan.seed).steps:
                    runs = tuple(one for one in step.actions if isinstance(one, Run))
                    yield replace(step, activate=runs, holds=tuple(one.path for one in plan.disks))


def _mounted(plan: Plan, confirmed: Machine) -> list[Unit]:
    disks = {one.identity for one in plan.disks}
    units = [one for one in units_of(confirmed) if disks & {member.disk for member in one.members}]
    return [one for one in units if one.mountpoints]
