"""What a recovery trial stops first, since it needs the members of what it looks at, and what that writes. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.unit_names import command_word

_STOPPED_BY_ITSELF = {DeviceKind.ARRAY, DeviceKind.VOLUME}
"""'raidtui recover --stop' stops or deactivates these."""


class InUse(NamedTuple):
    """What uses the members that a trial needs."""

    arrays: tuple[str, ...] = ()  # the names of those that run
    volumes: bool = False  # whether logical volumes are active
    others: tuple[str, ...] = ()  # the names of other devices on them, which a person must close
    mountpoints: tuple[str, ...] = ()

    @property
    def stops(self) -> bool:
        """Whether the trial must stop something."""
        return bool(self.arrays) or self.volumes

    @property
    def stopping(self) -> str:
        """What is stopped and what that writes, as a sentence without its full stop; empty if nothing is."""
        if not self.arrays:
            return "Active volumes are deactivated for it" if self.volumes else ""
        several = len(self.arrays) > 1
        names = listed([harmless(name) for name in self.arrays])
        head = "Active volumes are deactivated, and a" if self.volumes else "A"
        return (
            f"{head}rray{'s' * several} {names} {'are' if several else 'is'} stopped for it, which updates "
            f"the superblock on each of {'their' if several else 'its'} members"
        )

    @property
    def words(self) -> str:
        """What a person does first, what is stopped, and what is written, as sentences without the last full stop."""
        ways = (("unmount", self.mountpoints), ("close", self.others))
        first = " and ".join(f"{verb} {listed([*map(harmless, some)])}" for verb, some in ways if some)
        return ". ".join(
            filter(
                None,
                (first and f"First {first}", self.stopping and f"{self.stopping} (--stop)", self.writes),
            )
        )

    @property
    def writes(self) -> str:
        """What is written, beside what an array writes as it stops; a sentence without its full stop."""
        return "Nothing else is written" if self.arrays else "The trial writes to no disk"


def in_use(trial: Recover, units: Sequence[Unit], machine: Machine) -> InUse:
    """What uses the members that ``trial`` needs: those of its unit, and the disks that it names."""
    graph = graph_of(machine)
    members = [device for path in _paths(trial, units) if (device := graph.at(path)) is not None]
    above = list(dict.fromkeys(one for device in members for one in graph.all_on(device)))
    running = {one.node: one.shown for one in machine.arrays if one.started}
    return InUse(
        arrays=tuple(running[one.path] for one in above if one.path in running),
        volumes=any(one.kind is DeviceKind.VOLUME for one in above),
        others=tuple(_name(one) for one in above if one.kind not in _STOPPED_BY_ITSELF and not one.disk),
        mountpoints=tuple(
            dict.fromkeys(one.mount.target for one in graph.mounts_on(*members, *above) if one.here)
        ),
    )


def with_what_it_writes(finding: Finding, units: Sequence[Unit], machine: Machine) -> Finding:
    """The finding with trials that say what they write, and whose commands stop what runs with the members."""
    if not any(one.is_trial for one in finding.remedies):
        return finding
    return replace(finding, remedies=tuple(_told(one, finding, units, machine) for one in finding.remedies))


def _told(remedy: Remedy, finding: Finding, units: Sequence[Unit], machine: Machine) -> Remedy:
    trial = remedy.procedure
    if not isinstance(trial, Recover):
        return remedy
    if trial.unit not in {"", finding.unit} and (
        unit := next((u for u in units if u.uuid == trial.unit), None)
    ):
        remedy = replace(remedy, of=command_word(unit, units))
    used = in_use(trial, units, machine)
    return replace(remedy, text=f"{remedy.text}. {used.words}", procedure=replace(trial, stop=used.stops))


def _paths(trial: Recover, units: Sequence[Unit]) -> Iterator[str]:
    """The paths of the members that a trial needs."""
    by_uuid = {one.uuid: one for one in units if one.uuid}
    disks = {word.rpartition("-part")[0] or word for word in trial.disks} | {*trial.disks}
    for unit in units:
        if unit.path in trial.disks:  # an array that is a member itself
            yield unit.node
        if trial.unit and unit.uuid == trial.unit:
            below = [by_uuid[one] for one in unit.below if one in by_uuid]
            yield from (member.path for one in (unit, *below) for member in one.members if member.path)
        else:
            yield from (member.path for member in unit.members if member.path and member.disk in disks)


def _name(device: Device) -> str:
    return device.dm_name or device.path
