"""The wizard's answers so far: a frozen record, replaced with every answer."""

import re
from collections.abc import Iterable
from typing import Self

import msgspec

from raidtui.backends.registry import backend as of_word
from raidtui.backends.registry import reader
from raidtui.model.machine import Machine
from raidtui.model.spec import USUAL, Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.unit import Unit
from raidtui.steps.seeds import new_seed


class Draft(Record, frozen=True, kw_only=True):
    """An unfinished spec. Its level is empty until one is chosen.

    Screens read the app's draft when they open, and replace it with every answer, so that going back loses nothing.
    """

    spec: Spec
    seed: str  # of the plan: the UUIDs on the disks derive from it
    accepted: tuple[str, ...] = ()  # ids of accepted hazards
    filesystem: str = "ext4"  # the last choice, for backends without their own filesystem

    @property
    def untouched(self) -> bool:
        """Whether no disks and no level are chosen yet."""
        return not self.spec.disks and not self.spec.level

    @property
    def as_made(self) -> bool:
        """Whether nothing was changed since `new_draft`, not even the name."""
        name = self.spec.name
        return re.fullmatch(r"data\d*", name) is not None and self.spec == _empty(name)

    def with_spec(self, **changes: object) -> Self:
        """A copy with changes to the spec; a change clears accepted hazards."""
        spec = msgspec.structs.replace(self.spec, **changes)
        if spec == self.spec:
            return self
        return msgspec.structs.replace(self, spec=spec, accepted=())

    def with_level(self, backend: Backend, level: str, layout: str | None) -> Self:
        """A copy with another level, without the options that were only for the previous one."""
        options = self.spec.options
        if (backend, level) != (self.spec.backend, self.spec.level):
            known = of_word(self.spec.backend).options
            options = {key: one for key, one in options.items() if key in known and not known[key].of_level}
        return self.with_spec(backend=backend, level=level, layout=layout, options=options)

    def fitting(self) -> Self:
        """A copy without answers that its level or backend does not take."""
        from raidtui.backends.options import only_whole

        spec, known = self.spec, of_word(self.spec.backend)
        level, metadata = known.levels[spec.level], known.options.get("metadata")
        draft = self._with_filesystem_of(known.own_filesystem)
        if only_whole(known.options):
            draft = draft.with_spec(partition=None, reserve=None, slice=None)
        return draft.with_spec(
            chunk=spec.chunk if level.has_chunk else None,
            metadata=spec.metadata if metadata is not None and spec.metadata in metadata.choices else None,
            consistency=spec.consistency if spec.consistency in level.consistencies else None,
            options={
                key: value
                for key, value in spec.options.items()
                if key in known.options and known.options[key].is_of(spec.level)
            },
        )

    def with_filesystem(self, **changes: object) -> Self:
        draft = self.with_spec(filesystem=msgspec.structs.replace(self.spec.filesystem, **changes))
        return msgspec.structs.replace(draft, filesystem=str(changes.get("type", draft.filesystem)))

    def _with_filesystem_of(self, own: str) -> Self:
        """A copy with the backend's own filesystem, or else the last choice."""
        files, name = self.spec.filesystem, self.spec.name
        kind = own or self.filesystem
        if files.type == kind:
            return self
        bare = kind == "none"
        return self.with_spec(
            filesystem=FilesystemSpec(
                type=kind,
                label="" if bare else files.label or name,
                mountpoint="" if bare else files.mountpoint or f"/srv/{name}",
            )
        )

    def with_fixes(self, fixes: tuple[str, ...]) -> Self:
        """A copy with other fixes, which keeps accepted hazards."""
        alerts = self.spec.alerts if "alerts" in fixes else ()
        return msgspec.structs.replace(
            self, spec=msgspec.structs.replace(self.spec, fixes=fixes, alerts=alerts)
        )

    def with_new_seed(self) -> Self:
        """A copy for another job."""
        return msgspec.structs.replace(self, seed=new_seed())

    def without_accepted(self) -> Self:
        """A copy without accepted hazards."""
        return msgspec.structs.replace(self, accepted=())

    def accept(self, hazard: str, *, yes: bool) -> Self:
        """A copy with a hazard accepted, or no longer accepted."""
        others = tuple(known for known in self.accepted if known != hazard)
        return msgspec.structs.replace(self, accepted=(*others, hazard) if yes else others)


def taken_names(machine: Machine | None, units: Iterable[Unit] = ()) -> frozenset[str]:
    """Names that a new draft cannot have: those of existing units, and those configured for the usual backend.

    A draft has the usual backend until another is chosen; the first picture does not wait for other readers.
    """
    reserved = reader(USUAL).reserved(machine) if machine else frozenset()
    return reserved.union(unit.name for unit in units)


def new_draft(taken: frozenset[str] = frozenset()) -> Draft:
    """A draft with a free name and a new seed."""
    # Not "data": "ERASES array data" reads as data.
    names = ["tank", *(f"tank{number}" for number in range(2, len(taken) + 3))]
    name = next(name for name in names if name not in taken)
    return Draft(spec=_empty(name), seed=new_seed())


def _empty(name: str) -> Spec:
    return Spec(
        name=name, level="", filesystem=FilesystemSpec(type="ext4", label=name, mountpoint=f"/srv/{name}")
    )
