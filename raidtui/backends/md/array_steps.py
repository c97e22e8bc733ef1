"""The steps from disks in any state to an array that runs and is blank: also what a backend begins with that builds on one."""

from raidtui.backends.contract import Resolved
from raidtui.backends.md.create import create_step
from raidtui.backends.md.names import home_host
from raidtui.model.plan import Role, Step
from raidtui.model.system import System
from raidtui.steps.devices import PRESENT
from raidtui.steps.mkfs import clear_step
from raidtui.steps.partitions import partition_step
from raidtui.steps.settle import settle_partitions, settle_step
from raidtui.steps.wipe import capsule_step, wipe_step


def disk_steps(resolved: Resolved, system: System, *, seed: str) -> list[Step]:
    """Make the disks blank, and a partition for md on each."""
    spec, pieces = resolved.spec, resolved.pieces
    steps = [capsule_step(pieces), wipe_step(pieces)]
    if spec.partition:
        steps += [
            partition_step(pieces, name=spec.name, seed=seed, reserve=spec.reserve or 0),
            settle_partitions([piece.device for piece in pieces], udev=system.udev),
        ]
    return steps


def array_steps(resolved: Resolved, system: System, *, uuid: str, path: str) -> list[Step]:
    """Create the array with ``uuid``, wait for its ``path`` and wipe what its members' old contents show on it."""
    spec = resolved.spec
    return [
        create_step(
            spec,
            resolved.pieces,
            resolved.facts,
            path=path,
            uuid=uuid,
            host=home_host(spec.name, system.hostname),
        ),
        settle_step(
            "settle-array",
            role=Role.CREATE,
            title=f"Wait for {path}",
            reason="udev creates the device name a moment after the array starts.",
            name=path,
            udev=system.udev,
            after=(PRESENT.of(path),),
        ),
        clear_step(path),
    ]
