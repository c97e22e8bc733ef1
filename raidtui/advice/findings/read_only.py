"""What was set read-only and left so: a unit, the disks below it, and the members of a recovery trial. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from raidtui.backends.care import called_at
from raidtui.backends.registry import find_tender
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import MakeWritable
from raidtui.model.superblock import of_array, reshapes
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.steps.read_only import others_on, read_only_under

_CLEAN = ("raidtui recover --clean",)
_END = "end the recovery trial first"
END_TRIAL = Remedy(text=f"{_END}, which holds its members: {_CLEAN[0]}")


class ReadOnly(NamedTuple):
    """What is known of a unit that cannot be written to."""

    words: str
    remedy: Remedy


def read_only_units(units: Sequence[Unit], machine: Machine) -> Mapping[str, ReadOnly]:
    """The units that are set read-only, or a disk of which is, by UUID; not what a trial keeps so, or has no UUID.

    One that has failed, is not started, or has a reshape that would continue is left as it is: there, read-only does no harm.
    """
    graph, trial, found = graph_of(machine), machine.trial, {}
    kept = set(trial.read_only) if trial is not None else set()
    for unit in units:
        if not unit.uuid or unit.health in {Health.FAILED, Health.INACTIVE} or _is_reshaped(unit, machine):
            continue
        devices = tuple(one for one in read_only_under(unit, graph) if one.path not in kept)
        if not devices and not unit.read_only:
            continue
        disks = called_at((one.path for one in devices), machine)
        names = listed(disks)
        words = f"{names} {'are' if len(disks) > 1 else 'is'} set read-only" if devices else ""
        if trial is not None:
            text, procedure = f"{_END}: {_CLEAN[0]}", None
        elif others := others_on(devices, graph):
            text = f"{listed(list(map(harmless, others)))} may need {names} read-only: remove that first"
            procedure = None
        elif find_tender(unit.backend) is None:
            text, procedure = f"find out why {names} is read-only", None
        else:
            text = "make it writable again, if nobody meant it to be read-only"
            procedure = MakeWritable(unit=unit.uuid)
        found[unit.uuid] = ReadOnly(
            words=words or "it is set read-only", remedy=Remedy(text=text, procedure=procedure)
        )
    return found


def is_held_by_trial(unit: Unit, machine: Machine) -> bool:
    """Whether a recovery trial holds a member of the unit read-only."""
    held = machine.trial.read_only if machine.trial is not None else ()
    return any(one.path and one.path in held for one in unit.members)


def _is_reshaped(unit: Unit, machine: Machine) -> bool:
    running = unit.activity is not None and unit.activity.what == "reshape"
    return running or bool(reshapes(of_array(unit.uuid, machine.superblocks)))


def trial_findings(machine: Machine) -> Iterator[Finding]:
    """A recovery trial that runs, was killed, or waits for a person."""
    trial = machine.trial
    if trial is None:
        return
    if not trial.read:
        yield Finding(
            name="recovery",
            kind=Kind.TRIAL_LEFT,
            what="the record of a recovery trial cannot be read, so it is not known which disks it has set read-only",
            remedies=(
                Remedy(
                    text="a reboot makes every disk writable again; overlays that it made are gone then too"
                ),
            ),
        )
        return
    name = harmless(trial.name)
    disks = listed(called_at(trial.read_only, machine))
    held = f"; it has set {disks} read-only" if disks else ""
    if trial.kept:
        what = f"the files of {name} are mounted at {harmless(trial.mounted_at)} by a recovery trial{held}"
        text = "copy what you need to another disk, then end the trial"
    else:
        what = f"a recovery trial of {name} has not ended{held}"
        text = "if it is not running, it was interrupted: end it, so that its members can be used again"
    yield Finding(
        name="recovery",
        kind=Kind.TRIAL_LEFT,
        what=what,
        never=f"start {name}, or make its members writable by hand",
        remedies=(Remedy(text=text, commands=_CLEAN),),
    )
