"""Steps that make an md array.

Everything whose default differs between versions of mdadm is spelled out: metadata, chunk, layout, bitmap, name
and homehost. ``--run`` answers mdadm's own question, which knows few formats; ours has been asked before.
Never ``--force``, which would also forgo the fast first build of RAID5, nor ``--assume-clean``.
"""

from collections.abc import Sequence

from raidtui.advice.geometry import Geometry
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, CheckKind, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.units import KIB, both
from raidtui.plan.seeds import as_md
from raidtui.plan.targets import Target


def create_command(
    spec: Spec, targets: Sequence[Target], array_path: str, array_uuid: str, machine: Machine
) -> tuple[str, ...]:
    """The one ``mdadm --create``, members in their order and then the spares."""
    members = [target.node for target in targets if target.role == "member"]
    spares = [target.node for target in targets if target.role == "spare"]
    words = ["mdadm", "--create", array_path, "--run"]
    words += [f"--name={spec.name}", f"--homehost={machine.system.hostname}", f"--uuid={as_md(array_uuid)}"]
    words += [f"--metadata={spec.metadata}", f"--level={spec.level}", f"--raid-devices={len(members)}"]
    if spares:
        words.append(f"--spare-devices={len(spares)}")
    if spec.layout:
        words.append(f"--layout={spec.layout}")
    if spec.chunk:
        words.append(f"--chunk={spec.chunk // KIB}K")
    if spec.consistency == "ppl":
        words.append("--consistency-policy=ppl")
    elif spec.level not in {"raid0", "linear"}:
        words.append("--bitmap=internal" if spec.consistency == "bitmap" else "--bitmap=none")
    return (*words, *members, *spares)


def create_step(
    spec: Spec,
    targets: Sequence[Target],
    array_path: str,
    array_uuid: str,
    geometry: Geometry,
    machine: Machine,
) -> Step:
    """Create the array; the old contents are gone from here on."""
    count = sum(target.role == "member" for target in targets)
    spares = len(targets) - count
    extra = f" and {spares} spare{'s' if spares > 1 else ''}" if spares else ""
    zero = tuple(Run(argv=("mdadm", "--zero-superblock", target.node), ok=(0, 1, 2)) for target in targets)
    stop = Run(argv=("mdadm", "--stop", array_path), ok=(0, 1, 2))
    return Step(
        id="create",
        title=f"Create the {spec.level.upper()} array {spec.name} from {count} members{extra}",
        reason=f"This is the array: {both(geometry.array_bytes)}. The kernel begins to fill it at once.",
        actions=(
            Run(argv=create_command(spec, targets, array_path, array_uuid, machine), timeout_seconds=300),
        ),
        destroys=tuple(
            f"{target.called}: whatever was left on it, as the array is filled" for target in targets
        ),
        before=tuple(Check(kind=CheckKind.BLANK, subject=target.node) for target in targets),
        after=(Check(kind=CheckKind.ARRAY_RUNS, subject=array_uuid, expect=f"{spec.level} {count}"),),
        undoable=Undo.IMPOSSIBLE,
        undo=(stop, *zero),
        undo_note="the array is taken apart; what was on the disks before stays lost",
        repair=(stop, *zero),
        holds=tuple(target.path for target in targets),
    )


def settle_array_step(array_path: str) -> Step:
    """Wait until the array has its name."""
    return Step(
        id="settle-array",
        title=f"Wait until {array_path} is there",
        reason="udev makes the name a moment after the array.",
        actions=(Run(argv=("udevadm", "settle", "--timeout=30"), ok=(0, 1)),),
        after=(Check(kind=CheckKind.PRESENT, subject=array_path),),
        undoable=Undo.NOTHING,
    )


def clear_step(array_path: str) -> Step:
    """Remove what an earlier array of the same shape left inside."""
    return Step(
        id="clear",
        title="Remove old signatures inside the new array",
        reason="An array of the same shape as an earlier one shows that one's filesystem again.",
        actions=(Run(argv=("wipefs", "--all", array_path)),),
        before=(Check(kind=CheckKind.PRESENT, subject=array_path),),
        after=(Check(kind=CheckKind.BLANK, subject=array_path),),
        undoable=Undo.NOTHING,
    )
