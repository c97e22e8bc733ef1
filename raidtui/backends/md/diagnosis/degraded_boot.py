"""What happens at boot to an array that lacks a member: said before it is built, by doctor, and as a finding. Pure."""

from collections.abc import Iterator

from raidtui.backends.md.names import md_spelling
from raidtui.machine.md.health import is_container
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.system import System


def at_boot(system: System) -> str:
    """What starts an array without all its members at boot, as a sentence."""
    if system.degraded_started_by is None:
        return "Whether this computer starts an array with a member missing at boot is not known."
    if not system.degraded_started_by:
        return "With a member missing at boot, nothing on this computer starts the array."
    return f"With a member missing at boot, {system.degraded_started_by} starts the array after 30 seconds."


def not_started(machine: Machine) -> Iterator[Finding]:
    """A finding for the arrays of this computer that do not start at boot if a member is missing."""
    if machine.system.degraded_started_by != "":
        return
    for array in machine.arrays:
        if _is_ours(array, machine.system):
            yield Finding(
                name=array.path or array.node,
                kind=Kind.DEGRADED_BOOT,
                what=f"array {array.name} does not start at boot if a member is missing: nothing on this computer starts it then",
                remedies=(
                    Remedy(
                        text="install again what comes with mdadm, or unmask it: mdadm-last-resort@.timer, its service and udev's "
                        "64-md-raid-assembly.rules"
                    ),
                ),
            )


def _is_ours(array: Array, system: System) -> bool:
    level = MD_LEVELS.get(array.level)
    return (
        array.started
        and level is not None
        and level.redundant
        and not is_container(array)
        and not array.metadata.startswith("external:")
        and any(md_spelling(array.uuid).lower() in line.lower() for line in system.mdadm_conf_arrays)
    )
