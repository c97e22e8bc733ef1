"""Steps from disks in any state to a running, blank array. Also used by backends that build on arrays.

Create an array with every option explicit, wait for it, stop it, erase its superblocks.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.contract import Resolved
from raidtui.backends.facts import Facts
from raidtui.backends.md.conditions import ARRAY_RUNS
from raidtui.backends.md.diagnosis.kernel_lacks import STORES_SECTORS, stores_sectors
from raidtui.backends.md.levels import LEVELS
from raidtui.backends.md.names import ANY_HOST, home_host, md_spelling
from raidtui.model.md_levels import loses_all_with_one, parity_of
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.text import count_of
from raidtui.model.units import KIB, MIB, both
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.pieces import Piece
from raidtui.steps.settle import settle_step
from raidtui.steps.wipe import zero

# A partly assembled array has no link, no stable number and no UUID in sysfs: mdadm reads the UUID from its members.
_STOP: Final = (
    "for md in /sys/block/md*; do "
    "node=/dev/${md##*/}; "
    '[ -e "$md" ] && mdadm --detail --export "$node" | grep -qx "MD_UUID=$1" || continue; '
    'mdadm --stop "$node" || exit; '
    "done"
)
_RELEASE: Final = (
    "for md in /sys/block/md*/md; do "
    '[ "$(cat "$md/array_state" 2>/dev/null)" = inactive ] || continue; '
    "node=${md%/md}; node=/dev/${node##*/}; "
    'mdadm --detail --export "$node" | grep -qx "MD_UUID=$1" || continue; '
    'mdadm --stop "$node" || exit; '
    "done"
)


def array_steps(resolved: Resolved, system: System, *, uuid: str, path: str) -> list[Step]:
    """Create the array with ``uuid``, and wait for its ``path``."""
    spec = resolved.spec
    return [
        _create_step(
            spec,
            resolved.pieces,
            resolved.facts,
            path=path,
            uuid=uuid,
            host=home_host(spec.name, system.hostname),
            kernel=system.kernel,
        ),
        settle_step(
            "settle-array",
            role=Role.CREATE,
            title=f"Wait for {path}",
            reason="udev creates the device name a moment after the array starts.",
            name=path,
            udev=system.udev,
            after=(PRESENT.of(path),),
        ),
    ]


def _create_step(
    spec: Spec, pieces: Sequence[Piece], facts: Facts, *, path: str, uuid: str, host: str, kernel: str
) -> Step:
    devices = [piece.device for piece in pieces]
    count = len(spec.members)
    reason = (
        f"{both(facts.array_bytes)} usable. Bitmap, metadata, chunk and layout are explicit because their "
        "defaults differ between versions of mdadm."
    )
    if parity_of(spec.level) == 1:
        reason += " md then rebuilds the last member from the others; the array can be used meanwhile."
    elif not loses_all_with_one(spec.level):
        reason += " md then resyncs the members in the background; the array can be used meanwhile."
    if host == ANY_HOST:
        reason += f" The host name does not fit into the superblock beside the array name, so {ANY_HOST} is written."
    if stores_sectors(kernel, spec.metadata or ""):
        reason += f" Linux before {STORES_SECTORS} cannot start it."
    erase = (stop_array(uuid), *(run for device in devices for run in erase_member(device)))
    return Step(
        id="create",
        role=Role.CREATE,
        title=f"Create the {LEVELS[spec.level].shown} array {spec.name} from {count} members"
        + (f" and {count_of(spec.spares, 'spare')}" if spec.spares else ""),
        reason=reason,
        actions=(
            *_clear_data_start(devices, facts),
            Run(argv=_create(spec, devices, path=path, uuid=uuid, host=host), timeout_seconds=600),
        ),
        before=tuple(kind.of(device) for device in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        after=(ARRAY_RUNS.of(uuid, f"{spec.level} {count}"),),
        undoable=Undo.IMPOSSIBLE,
        undo=erase,
        undo_note="the array is stopped and its superblocks are erased, but the old contents of the disks are lost",
        repair=erase,
        activate=(Run(argv=("mdadm", "--assemble", path, f"--uuid={uuid}")),),
        # md refuses one that a power cut found dirty before its last member was rebuilt.
        activate_empty=(Run(argv=("mdadm", "--assemble", "--force", path, f"--uuid={uuid}"), ok=(0, 1)),)
        if parity_of(spec.level)
        else (),
        holds=tuple(piece.whole for piece in pieces),
    )


def release_members(uuid: str) -> Run:
    """Stop an inactive array that udev assembled after a killed job lost its locks.

    Such an array never ran, but keeps its members busy. A running one is left alone.
    """
    return Run(argv=("sh", "-c", _RELEASE, "release-members", md_spelling(uuid)))


def stop_array(uuid: str) -> Run:
    """Stop the array with ``uuid``, whatever its current name, even if only partly assembled."""
    return Run(argv=("sh", "-c", _STOP, "stop-array", md_spelling(uuid)))


def erase_member(device: str) -> tuple[Run, Run]:
    """Make a member that is no longer in use blank.

    mdadm's exit code does not show, in any version, whether it found a superblock. wipefs erases the rest, and the
    checks verify it.
    """
    return (
        Run(argv=("mdadm", "--zero-superblock", device), ok=(0, 1, 2)),
        Run(argv=("wipefs", "--all", device)),
    )


def erase_former(device: str) -> tuple[Run, ...]:
    """Erase the superblock of what was a member: its disk may refuse, or be gone, by now; the condition after it decides."""
    return tuple(Run(argv=run.argv, ok=(0, 1, 2)) for run in erase_member(device))


def _clear_data_start(devices: Sequence[str], facts: Facts) -> tuple[Run, ...]:
    """Zero where the array's data will start: udev would find old signatures there as soon as the array starts."""
    if not facts.data_offset_bytes:
        return ()  # the data starts at the start of the member, which is zeroed already
    return tuple(zero(device, facts.data_offset_bytes, MIB) for device in devices)


def _create(spec: Spec, devices: Sequence[str], *, path: str, uuid: str, host: str) -> tuple[str, ...]:
    words = [
        "mdadm",
        "--create",
        path,
        "--run",
        f"--name={spec.name}",
        f"--homehost={host}",
        f"--metadata={spec.metadata}",
        f"--uuid={md_spelling(uuid)}",
        f"--level={spec.level}",
        f"--raid-devices={len(spec.members)}",
    ]
    if spec.spares:
        words.append(f"--spare-devices={len(spec.spares)}")
    if spec.layout:
        words.append(f"--layout={spec.layout}")
    if spec.chunk:
        words.append(f"--chunk={spec.chunk // KIB}K")
    match spec.consistency:
        case "bitmap":
            words.append("--bitmap=internal")
        case "resync":
            words.append("--bitmap=none")
        case "ppl":
            words.append("--consistency-policy=ppl")
    return (*words, *devices)
