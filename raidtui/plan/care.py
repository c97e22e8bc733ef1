"""Make the plan of a procedure: what raidtui does about a finding."""

from msgspec.structs import replace

from raidtui.backends.registry import backend, find_sparing, find_tender
from raidtui.backends.tending import Tender
from raidtui.backends.units import units_of
from raidtui.backends.used_elsewhere import check_not_elsewhere
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import (
    REPLACED,
    Plan,
    PlannedDisk,
    Role,
    Step,
)
from raidtui.model.procedure import (
    NO_HOURS,
    AddBitmap,
    AddSpare,
    AlertsOff,
    Balance,
    Configure,
    Fill,
    Grow,
    LetSync,
    LimitRecovery,
    MakeWritable,
    Procedure,
    PutAway,
    ReAdd,
    Recover,
    RemoveFailed,
    RemoveLine,
    RemoveMissing,
    RemoveSpare,
    RemoveVdev,
    Replace,
    RestoreMetadata,
    RestoreTable,
    ScheduleScrub,
    Scrub,
    SelfTests,
    SetAlerts,
    SpareGroup,
    Start,
    StartTried,
    Tended,
    UseSpare,
    View,
    WithoutJournal,
)
from raidtui.model.spec import Backend
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid
from raidtui.plan.alerts import make_alerts
from raidtui.plan.foreign import make_foreign
from raidtui.plan.grow import make_fill, make_grow
from raidtui.plan.of_computer import plan_of_computer, plan_of_unit
from raidtui.plan.patience import make_patience
from raidtui.plan.replace import make_replace
from raidtui.plan.scrub_schedule import make_schedule
from raidtui.plan.self_tests import make_self_tests
from raidtui.plan.spare import make_spare
from raidtui.plan.table_again import make_table_again
from raidtui.steps.files import line_step
from raidtui.steps.initramfs import without_lines
from raidtui.steps.pieces import check_identity, planned
from raidtui.steps.read_only import make_writable


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
    if isinstance(procedure, SetAlerts | AlertsOff):
        return make_alerts(procedure, machine, seed=seed)
    if isinstance(procedure, SelfTests):
        return make_self_tests(procedure, machine, seed=seed)
    if isinstance(procedure, RemoveLine):
        return _without_line(procedure, machine, seed=seed)
    if isinstance(procedure, View | PutAway):
        return make_foreign(procedure, machine, seed=seed)
    if isinstance(procedure, Recover):
        raise Refused("a trial on overlays has no plan: 'raidtui recover' does it, and writes to no disk")
    if isinstance(procedure, RestoreMetadata):
        return _restored(procedure, machine, seed=seed)
    if isinstance(procedure, RestoreTable):
        return make_table_again(procedure, machine, seed=seed)
    unit = _unit(procedure.unit, machine)
    check_not_elsewhere(unit, machine)
    if isinstance(procedure, ScheduleScrub):
        return make_schedule(procedure, unit, machine, seed=seed)
    if isinstance(procedure, LimitRecovery):
        return make_patience(procedure, unit, machine, seed=seed)
    if isinstance(procedure, Grow):
        return make_grow(procedure, unit, machine, seed=seed)
    if isinstance(procedure, Fill):
        return make_fill(unit, machine, seed=seed)
    if isinstance(procedure, AddSpare) and (sparing := find_sparing(unit.backend)) is not None:
        if procedure.shared:
            raise Refused(
                "only a RAID card has global hot spares; arrays of mdadm share their spares in a spare group (--do spare-group)"
            )
        return make_spare(procedure.disk, sparing(unit, machine), machine, seed=seed)
    tender = find_tender(unit.backend)
    if tender is None:
        raise Refused(f"raidtui does not do this with a {backend(unit.backend).noun} yet")
    if not machine.complete:
        raise Refused("without root it cannot be seen what is on the disks; run raidtui as root")
    return replace(
        plan_of_unit(unit, machine, seed=seed),
        uuids=(unit.uuid,) if unit.uuid else (),
        disks=_disks(procedure, unit, machine),
        hazards=tender.hazards(procedure, unit, machine),
        steps=_steps(procedure, unit, machine, tender),
    )


def _steps(procedure: Tended, unit: Unit, machine: Machine, tender: Tender) -> tuple[Step, ...]:
    if not isinstance(procedure, MakeWritable):
        return tender.steps(procedure, unit, machine)
    below = tuple(make_writable(unit, machine))
    found = (*below, *(tender.steps(procedure, unit, machine) if unit.read_only else ()))
    if not found:
        raise Refused(f"nothing of {harmless(unit.shown)} is set read-only")
    return found


def title_of(procedure: Procedure, plan: Plan) -> str:
    """What a job that does it is called."""
    name = plan.spec.name
    match procedure:
        case View():
            mounts = any(step.id.startswith("mount") for step in plan.steps)
            return f"{'Mount' if mounts else 'Open'} {name} read-only"
        case PutAway():
            return f"Put {name} away"
        case Replace(old=old, new=new):
            return f"Replace {old or f'the missing disk of {name}'} with {new}"
        case ReAdd(disk=disk):
            return f"Re-add {disk} to {name}"
        case Start(degraded=degraded, forced=forced):
            return f"Start {name}{' by force' if forced else ' degraded' if degraded else ''}"
        case Recover():
            return f"Look for the files of {name}"
        case StartTried(begins=begins):
            return f"Start {name}{'' if begins else ' by force'}, as it was tried"
        case RestoreMetadata():
            return f"Restore the metadata of {name}"
        case RestoreTable(disk=disk):
            return f"Write the partition table of {disk} again"
        case RemoveFailed():
            return f"Remove the failed members of {name}"
        case AddSpare(disk=disk, shared=shared):
            return (
                f"Add the {'global ' if shared else ''}hot spare {disk} {'beside' if shared else 'to'} {name}"
            )
        case RemoveSpare(disk=disk):
            return f"Remove the hot spare {disk} from {name}"
        case SpareGroup(group=group):
            return (
                f"Put {name} in the spare group {group}" if group else f"Take {name} out of its spare group"
            )
        case Scrub(repair=repair):
            return f"{'Repair' if repair else 'Check'} {name}"
        case ScheduleScrub(how=how, hours=hours):
            only = f", in the hours {hours}" if hours not in {"", NO_HOURS} else ""
            return {
                "monthly": f"Scrub {name} every month{only}",
                "off": f"Scrub {name} no longer by itself",
                "one": f"Let one schedule scrub {name}",
            }[how]
        case Grow(add=add, level=level):
            if level:
                by = f" with {count_of(add, 'further disk')}" if add else ""
                return f"Let {name} become {spelled(level)}{by}"
            return (
                f"Let {name} grow by {count_of(add, 'disk')}" if add else f"Let {name} use all of its members"
            )
        case Fill():
            return f"Let the filesystem use all of {name}"
        case MakeWritable():
            return f"Make {name} writable"
        case LetSync():
            return f"Let {name} sync"
        case LimitRecovery():
            return f"Limit the error recovery of the disks of {name}"
        case Configure():
            return f"Configure this computer for {name}"
        case Balance():
            return f"Balance {name}"
        case RemoveVdev(disk=disk):
            return f"Remove the vdev {disk} from {name}"
        case RemoveMissing():
            return f"Remove what is missing from {name}"
        case WithoutJournal():
            return f"Let {name} run without its write journal"
        case AddBitmap():
            return f"Add a write-intent bitmap to {name}"
        case UseSpare(disk=disk):
            if any(step.id == "grow" for step in plan.steps):
                return f"Make the hot spare {disk} a member of {name}"
            return f"Replace the missing disk of {name} with its hot spare {disk}"
        case SetAlerts():
            return "Set alerts"
        case AlertsOff():
            return "Remove alerts"
        case SelfTests(on=on):
            return "Start self-tests of disks regularly" if on else "Start no self-tests of disks"
        case RemoveLine(file=file):
            return f"Remove a line from {file}"


def _unit(uuid: str, machine: Machine) -> Unit:
    """The unit with this UUID; that of a firmware RAID, which has none, by its name."""
    every = units_of(machine)
    found = [unit for unit in every if same_uuid(unit.uuid, uuid)]
    found = found or [unit for unit in every if not unit.uuid and unit.is_called(uuid)]
    if len(found) != 1:
        raise BadInput(f"{len(found)} units here have the UUID or name {harmless(uuid)}")
    return found[0]


def _disks(procedure: Tended, unit: Unit, machine: Machine) -> tuple[PlannedDisk, ...]:
    """The disk of a spare: a drive that a card takes, or one that leaves and must still be the same at the first write."""
    if isinstance(procedure, AddSpare):
        return (planned(machine.disk(procedure.disk), "", "spare"),)
    if not isinstance(procedure, RemoveSpare | RemoveVdev):
        return ()
    disk = machine.disk(procedure.disk)
    check_identity(disk, machine)
    own = {member.path for member in unit.members}
    shares = tuple(part.number for part in disk.partitions if part.path not in own)
    return (planned(disk, disk.stable_path if disk.has_device else "", REPLACED, shares),)


def _restored(order: RestoreMetadata, machine: Machine, *, seed: str) -> Plan:
    """Plan the restore of metadata; nothing shows the group while its metadata cannot be read."""
    if not machine.complete:
        raise Refused("without root it cannot be seen what is on the disks; run raidtui as root")
    tender = find_tender(Backend.LVM)
    assert tender is not None, "it has versions of metadata"
    hazard, steps = tender.restore(order, machine)
    plan = plan_of_computer(order.name, steps, machine, seed=seed)
    spec = replace(plan.spec, backend=Backend.LVM)
    return replace(plan, spec=spec, array_uuid=order.unit, uuids=(order.unit,), hazards=(hazard,))


def _without_line(order: RemoveLine, machine: Machine, *, seed: str) -> Plan:
    """Plan the step that removes a line, with its continuation lines, from a file in /etc, and from each initramfs."""
    system = machine.system
    step = line_step(
        "line",
        title=f"Remove the line '{harmless(order.lines[0])}' from {order.file}",
        reason="Otherwise every boot looks for what is gone.",
        old=[(order.file, line) for line in order.lines],
        undo_note="the line is there again",
    )
    copied = order.file in system.copied_to_initramfs
    more = without_lines(order.lines, system, role=Role.FIX, first=step.undo) if copied else ()
    return plan_of_computer(order.file.rpartition("/")[2], (step, *more), machine, seed=seed)
