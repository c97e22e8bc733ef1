"""Build volume groups on arrays: md's steps create the arrays, LVM's the group and its volume on them."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Built, Resolved
from raidtui.backends.lvm.builder import BUILDER as LVM
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm_on_md.base import bases_of, builder_of, built_on
from raidtui.backends.lvm_on_md.conditions import HINTS
from raidtui.backends.lvm_on_md.levels import dealing_of
from raidtui.backends.lvm_on_md.teardown import removal
from raidtui.backends.md.builder import BUILDER as MD
from raidtui.model.machine import Machine
from raidtui.model.plan import Check
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that no array or group has one of the names, and that mdadm will scan the members at boot."""
    spec = resolved.spec
    for name in dealing_of(spec.level, len(spec.members), spec.options).all_names(spec.name):
        MD.check_free(replace(resolved, spec=replace(spec, name=name)), machine)
    LVM.check_free(resolved, machine)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """The steps of md for each array, then those of LVM."""
    spec, mark = resolved.spec, derive(seed, "group")
    path, system = f"/dev/{spec.name}/{VOLUME}", machine.system
    bases = bases_of(resolved, machine, seed=seed)
    devices = [one.holder for one in bases]
    dealing = dealing_of(spec.level, len(spec.members), spec.options)
    group = group_step(spec.name, devices, mark=mark)
    steps = (
        group,
        volume_step(
            spec.name,
            dealing.volume,
            devices,
            mark=mark,
            size_bytes=resolved.facts.array_bytes,
            group=group,
            stripe=resolved.facts.piece_bytes,
            what="array",
        ),
        settle_volume(path, udev=system.udev, after=_hints(path, resolved)),
    )
    return built_on(bases, steps, resolved, system, mark=mark, until="the array is created")


def _hints(path: str, resolved: Resolved) -> tuple[Check, ...]:
    facts = resolved.facts
    if not facts.chunk_bytes:
        return ()
    least, best = facts.chunk_bytes, facts.stripe_width_bytes
    if facts.piece_bytes:  # dm-stripe.c, stripe_io_hints
        least, best = facts.piece_bytes, facts.piece_bytes * facts.groups
    return (HINTS.of(path, f"{least} {best}"),)


BUILDER: Final = builder_of(_build, check_free=_check_free, removal=removal, boot_note=MD.boot_note)
