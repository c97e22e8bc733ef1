"""The volume group itself: its physical volumes, the group, and one logical volume over all of it."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.contract import Resolved
from raidtui.backends.lvm.conditions import GROUP, PHYSICAL_VOLUME, VOLUME_RUNS
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.space import EXTENT, data_stripes
from raidtui.machine.volumes import TAG
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.text import count_of
from raidtui.model.units import KIB, MIB, both
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.pieces import Piece
from raidtui.steps.seeds import derive

# Of each of these regions md keeps whether it must be synced; LVM takes larger ones for a volume that needs it.
_REGION: Final = 2 * MIB
_ALIGNED: Final = (
    MIB  # without it LVM follows the disk's hints, and the space would not be what was calculated
)


def device_uuid(piece: Piece, seed: str) -> str:
    """The UUID of the physical volume on a disk."""
    return derive(seed, "pv", piece.disk.identity)


def devices_step(pieces: Sequence[Piece], *, seed: str) -> Step:
    """Make a physical volume of each member.

    Neither ``--yes`` nor ``--force``: with these pvcreate wipes whatever is there.
    """
    devices = [piece.device for piece in pieces]
    erase = tuple(run for device in devices for run in erase_device(device))
    return Step(
        id="physical-volumes",
        role=Role.PREPARE,
        title=f"Make {count_of(pieces, 'physical volume')}",
        reason=f"Their data begins at {_ALIGNED // MIB} MiB. pvcreate itself refuses a device with anything on it.",
        actions=tuple(
            Run(
                argv=(
                    "pvcreate",
                    "--norestorefile",
                    "--uuid",
                    device_uuid(piece, seed),
                    "--dataalignment",
                    f"{_ALIGNED // MIB}m",
                    piece.device,
                )
            )
            for piece in pieces
        ),
        before=tuple(kind.of(device) for device in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        after=tuple(PHYSICAL_VOLUME.of(piece.device, device_uuid(piece, seed)) for piece in pieces),
        undoable=Undo.IMPOSSIBLE,
        undo=erase,
        undo_note="the physical volumes are erased, but the old contents of the disks are lost",
        repair=erase,
        holds=tuple(piece.whole for piece in pieces),
    )


def group_step(name: str, pieces: Sequence[Piece], *, mark: str) -> Step:
    """Make the volume group, with the plan's mark as its tag: by that it is known again."""
    remove = (remove_group(mark),)
    return Step(
        id="group",
        role=Role.PREPARE,
        title=f"Create the volume group {name} on {count_of(pieces, 'physical volume')}",
        reason=f"In extents of {EXTENT // MIB} MiB. The tag says which plan made it: vgcreate chooses the UUID itself.",
        actions=(
            Run(
                argv=(
                    "vgcreate",
                    "--addtag",
                    f"{TAG}{mark}",
                    "--physicalextentsize",
                    f"{EXTENT // MIB}m",
                    name,
                    *(piece.device for piece in pieces),
                )
            ),
        ),
        after=(GROUP.of(mark, f"{name} {len(pieces)}"),),
        undo=remove,
        undo_note="the volume group is removed",
        repair=remove,
        holds=tuple(piece.whole for piece in pieces),
    )


def volume_step(resolved: Resolved, *, mark: str) -> Step:
    """Make the logical volume over all of the group.

    ``--yes`` answers for what LVM finds inside the new volume, where old contents of the disks may show: it is wiped.
    """
    spec, pieces, facts = resolved.spec, resolved.pieces, resolved.facts
    reason = f"{both(facts.array_bytes)} usable. LVM wipes stale signatures inside the new volume."
    if LEVELS[spec.level].redundant:
        reason += " The kernel then syncs the disks in the background; the volume can be used meanwhile."
    remove = (remove_volume(mark),)
    return Step(
        id="volume",
        role=Role.CREATE,
        title=f"Create the {spec.level} volume {spec.name}/{VOLUME} on {count_of(pieces, 'disk')}",
        reason=reason,
        actions=(
            Run(
                argv=(
                    "lvcreate",
                    "--yes",
                    "--wipesignatures=y",
                    "--zero=y",
                    *shape(spec.level, len(pieces), stripe=spec.chunk),
                    "--extents=100%FREE",
                    f"--name={VOLUME}",
                    f"--addtag={TAG}{mark}",
                    spec.name,
                    *(piece.device for piece in pieces),
                ),
                timeout_seconds=600,
            ),
        ),
        after=(VOLUME_RUNS.of(mark, f"{spec.level} {len(pieces)} {facts.array_bytes}"),),
        undo=remove,
        undo_note="the volume is removed",
        repair=remove,
        activate=(Run(argv=("vgchange", "--activate", "y", "--select", marked(mark))),),
        holds=tuple(piece.whole for piece in pieces),
    )


def shape(level: str, disks: int, *, stripe: int | None = None) -> tuple[str, ...]:
    """How lvcreate is asked for ``level`` over that many disks; ``stripe``: bytes of it on one disk."""
    known, data = LEVELS[level], data_stripes(level, disks)
    words = [f"--type={level}"]
    if known.has_chunk:
        words.append(f"--stripes={data}")
    if level in MD_LEVELS and MD_LEVELS[level].copies:
        words.append(f"--mirrors={disks // data - 1}")
    if known.has_chunk and stripe:
        words.append(f"--stripesize={stripe // KIB}k")
    if known.redundant:
        words.append(f"--regionsize={_REGION // MIB}m")
    return tuple(words)


def marked(mark: str) -> str:
    """What ``--select`` takes for the group with a mark; where there is none a command does nothing and ends well."""
    return f'vg_tags={{"{TAG}{mark}"}}'


def remove_volume(mark: str) -> Run:
    """Remove the volume of a build, however little of it there is."""
    return Run(argv=("lvremove", "--yes", "--select", f'{marked(mark)} && lv_name="{VOLUME}"'))


def remove_group(mark: str) -> Run:
    """Remove the group of a build; it asks, and is answered no, while there is a volume in it."""
    return Run(argv=("vgremove", "--select", marked(mark)))


def erase_device(device: str) -> tuple[Run, Run]:
    """Make a member blank that is in no group any more, whether it is a physical volume or not."""
    return (
        Run(argv=("pvremove", device), ok=(0, 5)),
        Run(argv=("wipefs", "--all", device)),
    )
