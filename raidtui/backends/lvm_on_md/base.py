"""The array under a volume group that is to be built: as md would build it alone, and as LVM sees it."""

from msgspec.structs import replace

from raidtui.backends.contract import Resolved
from raidtui.backends.lvm.create import Holder
from raidtui.backends.lvm_on_md.bands import data_start
from raidtui.backends.resolve import place
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend, FilesystemSpec
from raidtui.model.struct import Record
from raidtui.steps.seeds import derive


class Base(Record, frozen=True, kw_only=True):
    """One array that becomes a physical volume."""

    resolved: Resolved  # of md
    uuid: str
    path: str
    holder: Holder
    data_start_bytes: int  # where the group's first extent begins, at the start of a full stripe


def base_of(resolved: Resolved, machine: Machine, *, seed: str) -> Base:
    """The array of ``resolved``: its spec is md's but for the filesystem."""
    spec = replace(resolved.spec, backend=Backend.MDADM, filesystem=FilesystemSpec())
    array = place(spec, machine)
    path, facts = f"/dev/md/{spec.name}", array.facts
    return Base(
        resolved=array,
        uuid=derive(seed, "array"),
        path=path,
        holder=Holder(device=path, uuid=derive(seed, "pv")),
        data_start_bytes=data_start(
            spec.level, len(spec.members), chunk=facts.chunk_bytes, width=facts.stripe_width_bytes
        ),
    )
