"""What a reboot in the middle of a job left unmounted: a unit that starts late is mounted by nobody. Pure."""

from collections.abc import Iterator

from raidtui.backends.units import units_of
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.steps.fstab import fields_of, is_mounted_at_boot


def left_unmounted(plan: Plan, confirmed: Machine, live: Machine) -> Iterator[str]:
    """Where units with members on the disks of ``plan`` were mounted when it was confirmed, and fstab mounts them at boot."""
    disks = {one.identity for one in plan.disks}
    own = [one for one in units_of(confirmed) if disks & {member.disk for member in one.members}]
    missing = {place for unit in own for place in unit.mountpoints} - {one.target for one in live.mounts}
    for fields in map(fields_of, live.system.fstab):
        if is_mounted_at_boot(fields) and fields[1] in missing:
            yield fields[1]
