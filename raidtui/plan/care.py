"""Make the plan of a procedure: what raidtui does about a finding."""

from raidtui.backends.registry import OF_CARDS, backend, find_tender
from raidtui.backends.tending import Tended
from raidtui.backends.units import units_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.procedure import (
    AddFormer,
    AddSpare,
    Balance,
    Configure,
    LetSync,
    Procedure,
    ReAdd,
    RemoveFailed,
    RemoveLine,
    RemoveMissing,
    RemoveSpare,
    Replace,
    Scrub,
    SpareGroup,
    Start,
    UseSpare,
    word_of,
)
from raidtui.model.spec import Spec
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid
from raidtui.plan.replace import make_replace
from raidtui.steps.pieces import planned


def make_care(procedure: Procedure, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps of ``procedure``.

    Args:
        seed: a UUID, from which those of what it creates are derived.

    Raises:
        BadInput: a disk or the unit is not here.
        Refused: it is not possible now, or could lose data.
    """
    if isinstance(procedure, Replace):
        return make_replace(procedure, machine, seed=seed)
    if isinstance(procedure, RemoveLine):
        raise Refused(f"raidtui cannot do this yet: {word_of(procedure)}")
    unit = _unit(procedure, machine)
    if isinstance(procedure, AddSpare) and unit.backend not in OF_CARDS:
        raise Refused(f"raidtui cannot do this yet: {word_of(procedure)}")
    tender = find_tender(unit.backend)
    if tender is None:
        raise Refused(f"raidtui does not do this with a {backend(unit.backend).noun} yet")
    if not machine.complete:
        raise Refused("without root it cannot be seen what is on the disks; run raidtui as root")
    return Plan(
        kind=PlanKind.CARE,
        spec=Spec(name=harmless(unit.name or unit.node), backend=unit.backend, level=unit.level),
        seed=seed,
        host=machine.system.hostname,
        array_uuid=unit.uuid,
        array_path=unit.path or unit.node,
        uuids=(unit.uuid,),
        array_bytes=unit.size_bytes,
        disks=(planned(machine.disk(procedure.disk), "", "spare"),)
        if isinstance(procedure, AddSpare)
        else (),
        hazards=tender.hazards(procedure, unit, machine),
        steps=tender.steps(procedure, unit, machine),
    )


def title_of(procedure: Procedure, plan: Plan) -> str:
    """What a job that does it is called."""
    name = plan.spec.name
    match procedure:
        case Replace(old=old, new=new):
            return f"Replace {old or f'the missing disk of {name}'} with {new}"
        case ReAdd(disk=disk):
            return f"Re-add {disk} to {name}"
        case Start(degraded=degraded, forced=forced):
            return f"Start {name}{' by force' if forced else ' degraded' if degraded else ''}"
        case RemoveFailed():
            return f"Remove the failed members of {name}"
        case AddFormer(disk=disk):
            return f"Erase {disk} and add it to {name}"
        case AddSpare(disk=disk):
            return f"Add the hot spare {disk} to {name}"
        case RemoveSpare(disk=disk):
            return f"Remove the hot spare {disk} from {name}"
        case SpareGroup(group=group):
            return (
                f"Put {name} in the spare group {group}" if group else f"Take {name} out of its spare group"
            )
        case Scrub(repair=repair):
            return f"{'Repair' if repair else 'Check'} {name}"
        case LetSync():
            return f"Let {name} sync"
        case Configure():
            return f"Configure this computer for {name}"
        case Balance():
            return f"Balance {name}"
        case RemoveMissing():
            return f"Remove what is missing from {name}"
        case UseSpare(disk=disk):
            return f"Replace the missing disk of {name} with its hot spare {disk}"
        case RemoveLine(file=file):
            return f"Remove a line from {file}"


def _unit(procedure: Tended, machine: Machine) -> Unit:
    found = [unit for unit in units_of(machine) if same_uuid(unit.uuid, procedure.unit)]
    if len(found) != 1:
        raise BadInput(f"{len(found)} units here have the UUID {procedure.unit}")
    return found[0]
