"""Plans whose commands are recorded as text, to show how a code change changes them.

``python -m tests.unit.recorded_plans`` records them again: review the diff before you commit it.
"""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Final

import msgspec

from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.machine.reader import load_machine
from raidtui.model.machine import Machine
from raidtui.model.plan import Action, Plan, Run
from raidtui.model.procedure import AddSpare, Grow, Procedure, Replace
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import GIB, KIB, MIB
from raidtui.plan.build import make_plan
from raidtui.plan.care import make_care
from raidtui.plan.teardown import make_teardown
from raidtui.plan.words import command_line
from tests.unit.btrfs_machines import btrfs_machine
from tests.unit.lvm_machines import lvm_machine
from tests.unit.lvm_on_md_machines import group_machine
from tests.unit.plan_machines import SEED, TANK, array, disk, machine, member_disk
from tests.unit.zfs_machines import zfs_machine

FOLDER: Final = Path(__file__).parent / "data" / "plans"
MACHINES: Final = Path(__file__).parents[1] / "machines"
FOUR: Final = ("S-0001", "S-0002", "S-0003", "S-0004")
NONE: Final = FilesystemSpec()


def plans() -> Iterator[tuple[str, Plan]]:
    """Each plan with a unique name."""
    for name, spec in specs():
        yield name, make_plan(spec, machine(), seed=SEED)
    for system in ("update-initramfs", "dracut"):
        yield f"boot-{system}", make_plan(TANK, machine(initramfs=system, systemd=True), seed=SEED)
    yield "no-udev", make_plan(TANK, machine(udev=False), seed=SEED)
    large = [disk(n, logical_sector_bytes=4096, physical_sector_bytes=4096) for n in (1, 2, 3)]
    yield "4kn", make_plan(TANK, machine(*large), seed=SEED)
    huge = [disk(n, size_bytes=14 * 1024 * GIB) for n in range(1, 7)]
    yield "14-tib", make_plan(_spec("raid6", FOUR, chunk=256 * KIB), machine(*huge), seed=SEED)
    yield "lvm-teardown", make_teardown("tank", lvm_machine(), seed=SEED)
    yield "zfs-teardown", make_teardown("tank", zfs_machine(), seed=SEED)
    yield "btrfs-teardown", make_teardown("tank", btrfs_machine(), seed=SEED)
    yield "lvm-on-md-teardown", make_teardown("tank", group_machine(), seed=SEED)
    boot = machine(initramfs="update-initramfs", systemd=True)
    on_md = msgspec.structs.replace(TANK, backend=Backend.LVM_ON_MD)
    yield "lvm-on-md-boot", make_plan(on_md, boot, seed=SEED)
    unequal = [disk(n, size_bytes=20_000_000_000) for n in (3, 4, 5)]
    for level in ("hybrid1", "hybrid2"):
        mixed = _spec(level, (*FOUR, "S-0005"), backend=Backend.HYBRID)
        yield f"{level}-two-bands", make_plan(mixed, machine(*unequal), seed=SEED)
    members = [member_disk(number) for number in (1, 2, 3)]
    yield "teardown", make_teardown("tank", machine(*members, arrays=(array(),)), seed=SEED)
    for name in ("raid5-clean", "raid1-spare-rebuilding", "raid5-degraded"):
        recorded: Machine = load_machine(str(MACHINES / f"{name}.json"))
        yield f"teardown-{name}", make_teardown(recorded.arrays[0].name, recorded, seed=SEED)
    yield from _of_cards()


def _of_cards() -> Iterator[tuple[str, Plan]]:
    """What is done to virtual drives of both families of cards."""
    orders: tuple[tuple[str, str, Callable[[str], Procedure]], ...] = (
        ("card-copyback", "card-predicted-failure", lambda _: Replace(old="WD-WM00000003", new="WD-WM00000009")),
        ("card-rebuild", "card-drive-failed", lambda unit: AddSpare(unit=unit, disk="WD-WM00000009")),
        ("card-grow", "card-well", lambda unit: Grow(unit=unit, add=("WD-WM00000009",))),
        ("card-to-raid6", "card-well", lambda unit: Grow(unit=unit, add=("WD-WM00000009",), level="raid6")),
        ("adaptec-rebuild", "adaptec-drive-failed", lambda unit: AddSpare(unit=unit, disk="3QQ0ZDH1")),
        ("adaptec-grow", "adaptec-well", lambda unit: Grow(unit=unit, add=("3QQ0ZDH1",))),
    )  # fmt: skip
    for name, state, order in orders:
        there = recorded_machine(str(MACHINES / "states" / f"{state}.json"))
        (unit,) = units_of(there)
        yield name, make_care(order(unit.uuid), there, seed=SEED)


def specs() -> Iterator[tuple[str, Spec]]:
    """The specs to plan builds for, each with the name of its plan."""
    for level, kind in product(
        ("raid0", "linear", "raid1", "raid4", "raid5", "raid6", "raid10"), ("none", "ext4", "xfs", "btrfs")
    ):
        yield f"{level}-{kind}", _spec(level, FOUR, filesystem=FilesystemSpec(type=kind))
    for kind in ("ext4", "xfs", "btrfs"):
        alone = Spec(
            name="lone",
            backend=Backend.DISK,
            level="single",
            members=FOUR[:1],
            filesystem=FilesystemSpec(type=kind),
        )
        yield f"single-{kind}", alone
    yield "single-slice", msgspec.structs.replace(alone, slice=2 * GIB, persistent=False)
    yield "spare", _spec("raid5", FOUR[:3], spares=FOUR[3:])
    yield "whole-disks", _spec("raid1", FOUR[:2], partition=False)
    yield "whole-disks-1.0", _spec("raid1", FOUR[:2], partition=False, metadata="1.0", filesystem=NONE)
    yield "not-persistent", _spec("raid5", FOUR, persistent=False)
    yield "slice", _spec("raid0", FOUR[:2], slice=GIB, chunk=64 * KIB)
    yield "reserve", _spec("raid6", FOUR, reserve=512 * MIB)
    yield "ppl", _spec("raid5", FOUR, consistency="ppl")
    yield "resync", _spec("raid5", FOUR, consistency="resync", layout="left-asymmetric")
    yield "far", _spec("raid10", FOUR, layout="f2", chunk=1024 * KIB)
    yield "odd-raid10", _spec("raid10", FOUR[:3], layout="o2")
    for level in ("linear", "striped", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"):
        wide = (*FOUR, "S-0005") if level == "raid6" else FOUR
        yield (
            f"lvm-{level}-xfs",
            _spec(level, wide, backend=Backend.LVM, filesystem=FilesystemSpec(type="xfs")),
        )
    for level in ("raid0", "raid1", "raid5", "raid10"):
        yield f"lvm-on-md-{level}", _spec(level, FOUR, backend=Backend.LVM_ON_MD)
    yield "hybrid1-xfs", _spec("hybrid1", FOUR, backend=Backend.HYBRID, filesystem=FilesystemSpec(type="xfs"))
    yield "lvm-on-md-raid50", _spec("raid50", (*FOUR, "S-0005", "S-0006"), backend=Backend.LVM_ON_MD)
    two = {"arrays": "2"}
    yield "lvm-on-md-two-mirrors", _spec("raid1", FOUR, backend=Backend.LVM_ON_MD, options=two)
    yield "lvm-raid10-ext4", _spec("raid10", FOUR, backend=Backend.LVM, chunk=256 * KIB)
    yield "lvm-none", _spec("raid5", FOUR, backend=Backend.LVM, filesystem=NONE)
    yield "lvm-whole-disks", _spec("raid1", FOUR[:2], backend=Backend.LVM, partition=False, persistent=False)
    for level in ("single", "raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6"):
        yield f"btrfs-{level}", _spec(level, FOUR, backend=Backend.BTRFS, filesystem=NONE)
    more = {"partition": False, "persistent": False, "metadata": "raid1c3"}
    for level in ("stripe", "mirror", "raidz1", "raidz2", "raidz3"):
        yield f"zfs-{level}", _spec(level, FOUR, backend=Backend.ZFS, filesystem=NONE)
    chosen = {"ashift": "13", "recordsize": "1MiB", "compression": "zstd", "atime": "on", "vdevs": "1"}
    yield (
        "zfs-options",
        _spec("mirror", FOUR, backend=Backend.ZFS, filesystem=NONE, options=chosen, persistent=False),
    )
    yield "zfs-spare", _spec("raidz1", FOUR[:3], spares=FOUR[3:], backend=Backend.ZFS, filesystem=NONE)
    yield "btrfs-whole-disks", _spec("raid1", FOUR[:3], backend=Backend.BTRFS, filesystem=NONE, **more)


def _spec(level: str, members: tuple[str, ...], **changes: object) -> Spec:
    return msgspec.structs.replace(TANK, level=level, members=members, **changes)


def as_text(plan: Plan) -> str:
    """What ``plan`` runs, checks and undoes, without its descriptions."""
    lines = []
    for step in plan.steps:
        lines.append(
            f"{step.id}: {step.undoable}" + (f", holds {' '.join(step.holds)}" if step.holds else "")
        )
        lines += [f"  before {check.kind} {check.subject} {check.expect}".rstrip() for check in step.before]
        lines += [f"  do     {_action(action)}" for action in step.actions]
        lines += [f"  after  {check.kind} {check.subject} {check.expect}".rstrip() for check in step.after]
        lines += [f"  undo   {_action(action)}" for action in step.undo]
        lines += [f"  repair {_action(action)}" for action in step.repair]
    return "\n".join(lines) + "\n"


def _action(action: Action) -> str:
    """A command as typed in a shell; any other action as JSON."""
    return command_line(action) if isinstance(action, Run) else msgspec.json.encode(action).decode()


def main() -> None:
    """Record every plan again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, plan in plans():
        (FOLDER / f"{name}.txt").write_text(as_text(plan))


if __name__ == "__main__":
    main()
