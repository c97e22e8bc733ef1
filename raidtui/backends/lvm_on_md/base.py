"""The arrays under a volume group to be built: each resolved for md, and as a physical volume for LVM."""

from msgspec.structs import replace

from raidtui.backends.arithmetic.groups import dealt_out
from raidtui.backends.contract import Resolved
from raidtui.backends.lvm.create import Holder
from raidtui.backends.lvm_on_md.bands import data_start
from raidtui.backends.lvm_on_md.dealing import dealing_of
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
    data_start_bytes: int  # of the first extent, aligned to a full stripe


def bases_of(resolved: Resolved, machine: Machine, *, seed: str) -> tuple[Base, ...]:
    """The arrays of ``resolved``, in the order of its members, each with an md spec without filesystem."""
    spec = resolved.spec
    dealing = dealing_of(spec.level, len(spec.members), spec.options)
    shares = zip(
        dealing.names(spec.name),
        dealt_out(spec.members, dealing.arrays, "arrays"),
        dealt_out(spec.spares, dealing.arrays, "arrays", of="spare"),
        strict=True,
    )
    found = []
    for number, (name, members, spares) in enumerate(shares, 1):
        which = () if number == 1 else (str(number),)
        array = place(
            replace(
                spec,
                name=name,
                backend=Backend.MDADM,
                level=dealing.level,
                members=tuple(members),
                spares=tuple(spares),
                filesystem=FilesystemSpec(),
                options={},
            ),
            machine,
        )
        path, facts = f"/dev/md/{name}", array.facts
        found.append(
            Base(
                resolved=array,
                uuid=derive(seed, "array", *which),
                path=path,
                holder=Holder(device=path, uuid=derive(seed, "pv", *which)),
                data_start_bytes=data_start(
                    dealing.level, len(members), chunk=facts.chunk_bytes, width=facts.stripe_width_bytes
                ),
            )
        )
    return tuple(found)
