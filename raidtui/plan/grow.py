"""Make the plan that lets a unit grow: new disks are prepared as for a replacement, then it, then what is on it, grows."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from raidtui.advice.hazards import sort_hazards
from raidtui.advice.replacements import hazards_of_new_member
from raidtui.backends.growing import Grown
from raidtui.backends.registry import backend, find_grower
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Hazard, Plan, Step, notice, proof_step, warning
from raidtui.model.procedure import Grow
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import KIB
from raidtui.plan.of_computer import plan_of_unit
from raidtui.plan.replace import member_uuid
from raidtui.plan.spare import prepared
from raidtui.steps.enlarge import PHYSICAL_VOLUME, Content, content_of, enlarge_steps
from raidtui.steps.mkfs import Stripes
from raidtui.steps.pieces import planned
from raidtui.steps.seeds import derive


def make_grow(order: Grow, unit: Unit, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps that let ``unit`` grow.

    Args:
        seed: a UUID, from which those of the new partitions are derived.

    Raises:
        BadInput: a disk is not here.
        Refused: it is not possible now, or could lose data; or a disk is in use or does not fit.
    """
    grower = find_grower(unit.backend)
    if grower is None:
        raise Refused(f"raidtui does not let a {backend(unit.backend).noun} grow yet")
    if not machine.complete:
        raise Refused("without root it cannot be seen what is on the disks; run raidtui as root")
    grown = grower.grown(order, unit, machine)
    content = (
        content_of(unit, machine) if grown.unit_bytes > unit.size_bytes and not grown.within else Content()
    )
    new = [machine.disk(one) for one in order.add]
    steps: list[Step] = []
    namings = []
    for number, disk in enumerate(new, 1):
        suffix = "" if number == 1 else f"-{number}"
        more, named = prepared(disk, (grown.need, *grown.further), machine, seed=seed, suffix=suffix)
        steps += more
        namings += named
    steps += grower.steps(order, unit, machine, namings)
    steps.append(_prove(order, unit, grown))
    on = Stripes(size_bytes=grown.unit_bytes, chunk_bytes=grown.chunk_bytes, width_bytes=grown.width_bytes)
    steps += enlarge_steps(content, grown.device, on)
    steps += grower.last(unit)
    return replace(
        plan_of_unit(unit, machine, seed=seed),
        uuids=(
            unit.uuid,
            *(
                uuid
                for disk in new
                for uuid in (derive(seed, "table", disk.identity), member_uuid(disk, seed))
            ),
            *grown.creates,
        ),
        array_bytes=grown.unit_bytes,
        disks=(*(planned(disk, disk.stable_path, "member") for disk in new), *grown.disks),
        hazards=sort_hazards(_hazards(unit, grown, new, content, machine)),
        steps=tuple(steps),
    )


def make_fill(unit: Unit, machine: Machine, *, seed: str) -> Plan:
    """Plan the step that enlarges the filesystem on ``unit``, which has grown without it.

    Its stripe width stays: how the unit came to its size is not known here.

    Raises:
        Refused: it uses all of the unit, or cannot grow while it is mounted, or is not mounted.
    """
    device = graph_of(machine).at(unit.node)
    if device is None or not device.unused_bytes:
        raise Refused(f"no filesystem on {harmless(unit.shown)} is known to leave space unused")
    content = content_of(unit, machine)
    on = Stripes(size_bytes=device.size_bytes, chunk_bytes=0, width_bytes=0)
    return replace(
        plan_of_unit(unit, machine, seed=seed),
        uuids=(unit.uuid,) if unit.uuid else (),
        steps=tuple(enlarge_steps(content, unit.path or unit.node, on)),
    )


def _prove(order: Grow, unit: Unit, grown: Grown) -> Step:
    grower = find_grower(unit.backend)
    assert grower is not None, "its steps are in the plan"
    became = f"has become {spelled(order.level)}" if order.level else "has grown"
    return proof_step(
        id="prove",
        title=f"Check that {harmless(unit.shown)} {became}, with full redundancy",
        reason="Its level, its size to the byte, and every member in sync.",
        after=grower.proof(order, unit, grown),
    )


def _hazards(
    unit: Unit, grown: Grown, new: Sequence[Disk], content: Content, machine: Machine
) -> Iterator[Hazard]:
    found: dict[str, Hazard] = {}
    for disk in new:
        for one in hazards_of_new_member(unit, grown.need.present, disk, machine):
            found[f"{one.id} {disk.identity}"] = one
    yield from found.values()
    yield from grown.hazards
    name = harmless(unit.shown)
    if grown.moves and grown.need.of_card:
        yield warning(
            id="moves-everything",
            seen=f"{name}: all of its data is moved by the card",
            meaning="This cannot be stopped or turned back, and takes hours or days on large disks. The guides say that the card "
            "continues after a reboot; raidtui has not tried that on a real card.",
            advice="Have a backup, and a power supply that does not fail meanwhile.",
            source="guides of MegaRAID, PERC and Adaptec cards, online capacity expansion",
        )
    elif grown.moves:
        yield warning(
            id="moves-everything",
            seen=f"{name}: all of its data is moved",
            meaning="This cannot be turned back, and takes hours or days on large disks. A power cut is survived; until the end no "
            "member can be replaced, and the disks are as busy as they get.",
            advice="Have a backup, and check the array first (raidtui scrub) if that was not done lately.",
            source="md(4), RESHAPING; measured with power cuts",
        )
    if content.outside:
        yield notice(
            id="space-outside",
            seen=f"{name} has {content.outside} on it",
            meaning="raidtui does not enlarge that: the new space stays unused until you do.",
            advice="Afterwards enlarge it with its own tool.",
            source="what is on the array",
        )
    if content.kind == PHYSICAL_VOLUME:
        yield notice(
            id="space-in-group",
            seen=f"{name} is a physical volume of LVM",
            meaning="Its volume group gets the new space; no volume grows by itself.",
            advice="Afterwards extend the volumes that need it, with their filesystems.",
            source="lvextend(8)",
        )
    if content.kind == "xfs" and grown.chunk_bytes and new:
        unit_kib, width_kib = grown.chunk_bytes // KIB, grown.width_bytes // KIB
        yield notice(
            id="xfs-stripes",
            seen=f"the XFS at {harmless(content.place)} was made for fewer members",
            meaning="It grows, and keeps its stripe width until it is mounted with another one. That costs speed only.",
            advice=f"At the next mount, once: mount -o sunit={2 * unit_kib},swidth={2 * width_kib}",
            source="xfs(5), sunit and swidth: in sectors of 512 bytes",
        )
