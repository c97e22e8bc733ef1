"""Build a volume over bands: md's steps create the array of each band, LVM's the group and its volume on them."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Built, Resolved
from raidtui.backends.hybrid.arrays import arrays_of
from raidtui.backends.hybrid.levels import LEVELS
from raidtui.backends.hybrid.teardown import find_group, removal_of
from raidtui.backends.lvm.builder import BUILDER as LVM
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm_on_md.base import base_of, builder_of, built_on
from raidtui.backends.lvm_on_md.units import BANDS
from raidtui.backends.md.builder import BUILDER as MD
from raidtui.model.machine import Machine
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that no array or group has one of the names, and that mdadm will scan the members at boot."""
    for array in arrays_of(resolved, machine):
        MD.check_free(array, machine)
    LVM.check_free(resolved, machine)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """The steps of md for the array of each band, then those of LVM."""
    spec, mark = resolved.spec, derive(seed, "group")
    arrays, system = arrays_of(resolved, machine), machine.system
    bases = [base_of(array, str(number), seed=seed) for number, array in enumerate(arrays, 1)]
    devices = [one.holder for one in bases]
    size_bytes = resolved.facts.array_bytes
    group = (
        group_step(spec.name, devices, mark=mark, tags=(BANDS,)),
        volume_step(spec.name, "linear", devices, mark=mark, size_bytes=size_bytes, what="array"),
        settle_volume(f"/dev/{spec.name}/{VOLUME}", udev=system.udev),
    )
    built = built_on(bases, group, resolved, system, mark=mark, until="the first array is created")
    # The volume reports a mixture of the full stripes of its arrays.
    return replace(built, pieces=tuple(piece for array in arrays for piece in array.pieces), explicit=True)


def _removal(word: str, machine: Machine) -> Removal | None:
    found = find_group(word, machine)
    return None if found is None else removal_of(found, machine)


BUILDER: Final = builder_of(
    _build,
    check_free=_check_free,
    removal=_removal,
    boot_note=lambda spec, system: MD.boot_note(replace(spec, level=LEVELS[spec.level].placed_as), system),
)
