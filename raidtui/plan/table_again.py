"""Make the plan that writes the partition table of a disk again, around the members in its partitions."""

from msgspec.structs import replace

from raidtui.advice.findings.lost_tables import is_of, why_not
from raidtui.backends.units import units_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import UNSEEN, Machine
from raidtui.model.plan import UNSHOWN, Hazard, Plan, notice
from raidtui.model.procedure import RestoreTable
from raidtui.model.table_before import TableBefore
from raidtui.plan.of_computer import plan_of_computer, plan_of_unit
from raidtui.steps.pieces import called, check_identity, planned
from raidtui.steps.table_again import steps_again


def make_table_again(order: RestoreTable, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps.

    Args:
        seed: a UUID, from which those that are not known of the table are derived.

    Raises:
        BadInput: the disk is not here, or lost no partition table.
        Refused: it is not certain how the table was, or something else is on the disk or uses it.
    """
    if not machine.complete:
        raise Refused("without root it cannot be seen what is on the disks; run raidtui as root")
    disk = machine.disk(order.disk)
    check_identity(disk, machine)
    claim = next((one for one in disk.taken_by if one.what in UNSEEN and one.device == disk.path), None)
    if claim is None:
        raise BadInput(f"{called(disk)} lost no partition table that can be seen here")
    units = [one for one in units_of(machine) if is_of(claim, one, machine)]
    if why := why_not(disk, claim, machine):
        raise Refused(f"the partition table of {called(disk)} is not written again: {why}")
    assert claim.table is not None, "else it is not known"
    steps = tuple(steps_again(disk, claim.table, seed=seed, udev=machine.system.udev))
    plan = (
        plan_of_unit(units[0], machine, seed=seed)
        if len(units) == 1
        else plan_of_computer(called(disk), (), machine, seed=seed)
    )
    return replace(
        plan,
        uuids=(plan.array_uuid,) if plan.array_uuid else (),
        disks=(planned(disk, disk.stable_path, UNSHOWN),),
        hazards=tuple(_hazards(claim.table, disk.identity)),
        steps=steps,
    )


def _hazards(table: TableBefore, disk: str) -> list[Hazard]:
    if table.copied:
        return []
    return [
        notice(
            id="new-partuuid",
            seen="the name and the PARTUUID of the partition are not known any more",
            meaning="It gets new ones: a line of fstab or crypttab with the old PARTUUID does not find it.",
            advice="Name there what is in the partition by its own UUID, which stays.",
            source="sfdisk(8)",
            disks=(disk,),
        )
    ]
