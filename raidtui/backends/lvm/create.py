"""Create physical volumes, the volume group, and one logical volume that fills it."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.lvm.conditions import GROUP, PHYSICAL_VOLUME, VOLUME_RUNS
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.names import VOLUME, member_path
from raidtui.backends.lvm.space import EXTENT, data_stripes
from raidtui.machine.volumes import TAG
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.plan import Check, Role, Run, Step, Undo
from raidtui.model.struct import Bytes, Record, Whole
from raidtui.model.text import count_of, spelled
from raidtui.model.units import KIB, MIB, both
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.pieces import Piece
from raidtui.steps.seeds import derive
from raidtui.steps.settle import settle_step

# md's bitmap tracks regions of this size; LVM uses larger ones for a volume that needs them.
_REGION: Final = 2 * MIB
_ALIGNED: Final = (
    MIB  # otherwise LVM follows the disk's I/O hints, and the capacity would differ from the calculated one
)
ALIGNMENT: Final = ("--dataalignment", f"{_ALIGNED // MIB}m")


class Holder(Record, frozen=True, kw_only=True):
    """A device that becomes a physical volume."""

    device: str
    uuid: str  # of the physical volume
    whole: str = ""  # the disk to lock against udev meanwhile; empty for none


def on_disk(piece: Piece, seed: str) -> Holder:
    """The member on a disk, with a UUID derived from the seed and the disk's identity."""
    return Holder(
        device=member_path(piece, seed), uuid=derive(seed, "pv", piece.disk.identity), whole=piece.whole
    )


def devices_step(devices: Sequence[Holder]) -> Step:
    """Make each member a physical volume.

    Without ``--yes`` and ``--force``: with them pvcreate would wipe whatever it finds.
    """
    erase = tuple(run for one in devices for run in erase_device(one.device))
    return Step(
        id="physical-volumes",
        role=Role.PREPARE,
        title=f"Create {count_of(devices, 'physical volume')}",
        reason=f"Their data begins at {_ALIGNED // MIB} MiB. pvcreate itself refuses a device with anything on it.",
        actions=tuple(make_device(one, ALIGNMENT) for one in devices),
        before=tuple(kind.of(one.device) for one in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        after=tuple(PHYSICAL_VOLUME.of(one.device, one.uuid) for one in devices),
        undoable=Undo.IMPOSSIBLE,
        undo=erase,
        undo_note="the physical volumes are erased, but the old contents of the disks are lost",
        repair=erase,
        holds=wholes(devices),
    )


def make_device(one: Holder, alignment: Sequence[str] = ()) -> Run:
    """Create one physical volume; without ``alignment`` LVM follows the device's I/O hints."""
    return Run(argv=("pvcreate", "--norestorefile", "--uuid", one.uuid, *alignment, one.device))


def wholes(devices: Sequence[Holder]) -> tuple[str, ...]:
    """The disks to lock against udev while ``devices`` are changed."""
    return tuple(one.whole for one in devices if one.whole)


def group_step(
    name: str,
    devices: Sequence[Holder],
    *,
    mark: str,
    tags: Sequence[str] = (),
    alignment: Sequence[str] = (),
) -> Step:
    """Create the volume group, tagged with the plan's mark so that it can be found again, and with ``tags``.

    A power cut may leave physical volumes that are marked as used by a group whose metadata was not written. No vgcreate
    takes these, nor does pvcreate, also with force, so they are made anew.
    """
    remove = (remove_group(mark),)
    anew = (
        *(run for one in devices for run in erase_device(one.device)),
        *(make_device(one, alignment) for one in devices),
    )
    return Step(
        id="group",
        role=Role.PREPARE,
        title=f"Create the volume group {name} on {count_of(devices, 'physical volume')}",
        reason=f"Extents of {EXTENT // MIB} MiB. The tag identifies the group: vgcreate chooses the UUID itself.",
        actions=(
            Run(
                argv=(
                    "vgcreate",
                    "--addtag",
                    f"{TAG}{mark}",
                    *(word for tag in tags for word in ("--addtag", tag)),
                    "--physicalextentsize",
                    f"{EXTENT // MIB}m",
                    name,
                    *(one.device for one in devices),
                )
            ),
        ),
        before=tuple(PRESENT.of(one.device) for one in devices),
        after=(GROUP.of(mark, f"{name} {len(devices)}"),),
        undo=remove,
        undo_note="the volume group is removed",
        repair=(*remove, *anew),
        holds=wholes(devices),
    )


def volume_step(
    name: str,
    level: str,
    devices: Sequence[Holder],
    *,
    mark: str,
    size_bytes: Bytes,
    group: Step,
    stripe: Whole | None = None,
    what: str = "disk",
) -> Step:
    """Create a logical volume of ``level`` that fills the group ``name``.

    ``--yes`` confirms wiping signatures that LVM finds in the new volume, where old contents of the disks may show. A power
    cut may tear the metadata on the only device, which LVM then does not change, so the group is made anew too.

    Args:
        group: the step that creates the group.
        stripe: bytes per stripe on one device; None without striping.
        what: the noun for its devices.
    """
    reason = f"{both(size_bytes)} usable. LVM wipes stale signatures inside the new volume."
    if LEVELS[level].redundant:
        reason += " The kernel then syncs the disks in the background; the volume can be used meanwhile."
    remove = (remove_volume(mark),)
    return Step(
        id="volume",
        role=Role.CREATE,
        title=f"Create the {spelled(level)} volume {name}/{VOLUME} on {count_of(devices, what)}",
        reason=reason,
        actions=(
            Run(
                argv=(
                    "lvcreate",
                    "--yes",
                    "--wipesignatures=y",
                    "--zero=y",
                    *shape(level, len(devices), stripe=stripe),
                    "--extents=100%FREE",
                    f"--name={VOLUME}",
                    f"--addtag={TAG}{mark}",
                    name,
                    *(one.device for one in devices),
                ),
                timeout_seconds=600,
            ),
        ),
        before=tuple(PRESENT.of(one.device) for one in devices),
        after=(VOLUME_RUNS.of(mark, f"{level} {len(devices)} {size_bytes}"),),
        undo=remove,
        undo_note="the volume is removed",
        repair=(*remove, *group.repair, *group.actions),
        activate=(Run(argv=("vgchange", "--activate", "y", "--select", marked(mark))),),
        holds=wholes(devices),
    )


def settle_volume(path: str, *, udev: bool, after: tuple[Check, ...] = ()) -> Step:
    """Wait for the volume's device name; ``after``: more conditions on it."""
    return settle_step(
        "settle-volume",
        role=Role.CREATE,
        title=f"Wait for {path}",
        reason="udev creates the device name a moment after the volume starts.",
        name=path,
        udev=udev,
        after=(PRESENT.of(path), *after),
    )


def shape(level: str, disks: int, *, stripe: int | None = None) -> tuple[str, ...]:
    """lvcreate's options for ``level`` over ``disks`` disks; ``stripe``: bytes per stripe on one disk."""
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
    """A ``--select`` expression for the group with a mark. If it is gone, the command does nothing and succeeds."""
    return f'vg_tags={{"{TAG}{mark}"}}'


def remove_volume(mark: str) -> Run:
    """Remove the volume of a build, even if it is incomplete."""
    return Run(argv=("lvremove", "--yes", "--select", f'{marked(mark)} && lv_name="{VOLUME}"'))


def remove_group(mark: str) -> Run:
    """Remove the group of a build. If it still has a volume, vgremove asks; without a terminal the answer is no."""
    return Run(argv=("vgremove", "--select", marked(mark)))


def erase_device(device: str) -> tuple[Run, Run]:
    """Make a former member of a group blank, whether or not it is a physical volume."""
    return (
        Run(argv=("pvremove", device), ok=(0, 5)),
        Run(argv=("wipefs", "--all", device)),
    )
