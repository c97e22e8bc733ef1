"""What a volume group on arrays needs beside its arrays: activation, or a physical volume that is not here. Pure."""

from raidtui.backends.care import Replacement
from raidtui.backends.lvm.care import activate, beside, doubtful, of_others
from raidtui.backends.lvm.care import care_for as care_of_group
from raidtui.backends.lvm.hidden import left_out
from raidtui.backends.lvm.reading import group_in
from raidtui.backends.lvm.volumes import lost_in, lost_words
from raidtui.machine.md.health import is_failed
from raidtui.machine.md.stopped import stopped_in
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit


def care_for(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs that is not done about an array under it; nothing if it is of another system."""
    if unit.health is Health.INACTIVE and (theirs := of_others(unit, machine)):
        return (theirs,)
    if unit.health not in {Health.INACTIVE, Health.DEGRADED, Health.ERRORS, Health.FAILED} and not unit.noted:
        return ()
    if (found := group_in(unit, machine)) is None:
        return ()
    reading, group = found
    known, volumes = reading.known, reading.known.of(group)
    if not volumes or any(map(known.half_made, volumes)):
        return ()
    if why := doubtful(group, known.groups, machine):
        return (Remedy(text=why),)
    if away := left_out(group, reading, machine):
        return (away,)
    if group.missing and (first := _array_first(machine)):
        name = harmless(unit.name)
        return (
            Remedy(text=f"{first}: what {name} lacks may be on it"),
            Remedy(
                text=f"if it does not start, look for the files of {name} on overlays, over all its arrays",
                procedure=Recover(unit=unit.uuid),
            ),
        )
    if not group.missing:
        alone = unit.health is Health.INACTIVE or unit.noted
        return care_of_group(unit, machine) if alone else tuple(beside(unit, machine))
    lost = lost_in(group, known)
    if unit.health is Health.INACTIVE:
        return (activate(unit, group, lost, known),)
    if lost:
        return (Remedy(text=lost_words(group, lost)),)
    return (Remedy(text="connect the missing disk: until then LVM refuses to change the group"),)


def _array_first(machine: Machine) -> str:
    """What is done to an array that is here and does not run, or has failed: LVM cannot read it; empty if there is none."""
    for one in (*machine.arrays, *stopped_in(machine)):
        if not one.started:
            return f"start array {harmless(one.shown)} first"
        if is_failed(one):
            return f"bring array {harmless(one.shown)} back first, which has failed"
    return ""
