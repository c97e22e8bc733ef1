"""What fstab has mounted at boot from a device, and is not mounted."""

from collections.abc import Iterator
from typing import NamedTuple

from raidtui.model.config_lines import TAGS, name_in
from raidtui.model.machine import Machine
from raidtui.steps.fstab import fields_of, is_mounted_at_boot


class Unmounted(NamedTuple):
    """A line of fstab whose mount point has nothing mounted."""

    line: str
    source: str
    target: str
    options: tuple[str, ...]
    here: bool  # whether a device is called as it says


def not_mounted(machine: Machine) -> Iterator[Unmounted]:
    """Every such line. None without udev and in old recordings: there it is not known where a line leads."""
    system = machine.system
    if not system.udev or len(system.fstab) != len(system.fstab_nodes):
        return
    mounted = {mount.target for mount in machine.mounts}
    for line, node in zip(system.fstab, system.fstab_nodes, strict=True):
        fields = fields_of(line)
        if not is_mounted_at_boot(fields) or fields[1] in mounted:
            continue
        source, target, options = fields[0], fields[1], fields[3]
        if name_in(source).tag in TAGS or source.startswith("/dev/"):
            yield Unmounted(line, source, target, tuple(options.split(",")), bool(node))
