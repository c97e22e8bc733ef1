"""Build and remove virtual drives: the part common to all families."""

from collections.abc import Callable, Sequence
from typing import Protocol

from raidtui.backends.cards.chosen import adapter_of, check_drives, drives_of
from raidtui.backends.cards.conditions import (
    LINK,
    Kinds,
    VolumeIs,
    find_volume,
    slots_and_serials,
    subject,
)
from raidtui.backends.cards.controls import card_controls
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.names import link_of, marked
from raidtui.backends.cards.options import caches_words
from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume
from raidtui.backends.cards.teardown import remove_volume
from raidtui.backends.cards.units import disk_of, is_offline
from raidtui.backends.contract import Builder, Built, Resolved
from raidtui.machine.disks import disks_here
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import ClaimKind, Disk, Machine
from raidtui.model.plan import Check, Plan, Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.system import System
from raidtui.model.text import count_of, spelled
from raidtui.model.units import both
from raidtui.steps.condition import Condition
from raidtui.steps.seeds import derive
from raidtui.steps.wipe import describe_loss


class Create(Protocol):
    """Create the virtual drive of a completed spec; its write-back cache requires a good battery."""

    def __call__(
        self,
        adapter: Adapter,
        *,
        spec: Spec,
        name: str,
        members: Sequence[Drive],
        spares: Sequence[Drive],
        strip: int,
    ) -> tuple[Run, ...]: ...


def _finds_again(volume: Volume, adapter: Adapter, machine: Machine) -> bool:
    identity = volume.naa or volume.serial
    return bool(identity) or is_offline(volume) or disk_of(volume, adapter, machine.disks) is not None


class Making(Record, frozen=True, kw_only=True):
    """How a family makes and deletes virtual drives: its commands and conditions."""

    family: Family
    card: str  # a MegaRAID card
    kinds: Kinds
    conditions: tuple[Condition, ...]  # further ones

    create: Create

    link: Callable[[Adapter, str, str], Run]
    """Make a path, the last argument, a link to the virtual drive with this name."""

    delete: Callable[[Adapter, str, Sequence[Drive]], tuple[Run, ...]]
    """Delete the virtual drive with this name, WWN or serial number and free its spares; do nothing without one."""

    check_card: Callable[[Adapter, Spec], None] = lambda adapter, spec: None
    """Check that the card takes the spares and options of a completed spec.

    Raises:
        BadInput: it does not.
    """

    finds_again: Callable[[Volume, Adapter, Machine], bool] = _finds_again
    """Whether ``link`` finds the kernel's disk of a virtual drive as the card describes it: then also of a new one."""

    finds_new: Callable[[Adapter], bool] = lambda adapter: True
    """Whether the kernel's disk of a new virtual drive will be found, as far as is known before it exists."""

    made_beside: Callable[[Adapter, Spec, Sequence[Drive], Sequence[Drive]], tuple[Check, ...]] = (
        lambda adapter, spec, members, spares: ()
    )
    """Further conditions that hold once a virtual drive is created of these members and spares."""

    created: Callable[[Spec], VolumeIs] | None = None
    """The condition that holds once the virtual drive is created, if it may be another one than when it can be used."""

    wait: Callable[[Adapter, Spec, str, str], Sequence[Step]] = lambda adapter, spec, name, made: ()
    """The steps that wait until a new virtual drive of this name can be used; none if it can be used at once.

    The last argument: the expectation of ``kinds.volume``.
    """

    initialize: Callable[[Adapter, Spec, str], Sequence[Step]] = lambda adapter, spec, name: ()
    """The steps that initialize a new virtual drive of this name before anything else is written; none if not needed."""

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """Check that the drives are alike and behind one card that is fully read, and that the card takes the spec."""
        disks = [piece.disk for piece in resolved.pieces]
        adapter = self._adapter(disks, machine)
        if adapter.unread:
            raise Refused(adapter.unread)
        wording = self.family.wording
        if adapter.preserved_cache:
            raise Refused(
                f"{adapter.model or 'the card'} keeps unwritten data of a virtual drive that is offline or gone, "
                "and creates no other until it is written. Connect the drives of that one again; "
                f"'{wording.look_at_preserved(adapter)}' shows which it is"
            )
        check_drives(disks, adapter, see_foreign=wording.look_at_foreign(adapter))
        self.check_card(adapter, resolved.spec)
        known = all(self.finds_again(one, adapter, machine) for one in adapter.volumes)
        if not known or not self.finds_new(adapter):
            raise Refused(
                f"'{adapter.tool}' does not say which disks its virtual drives are, so a new one could not be found. "
                "Use a newer version of it or of the firmware"
            )
        level, name = resolved.spec.level, resolved.spec.name
        if adapter.levels and level not in adapter.levels:
            raise BadInput(
                f"{adapter.model or 'this card'} does not make {spelled(level)}; it makes {spelled(', '.join(adapter.levels))}"
            )
        if any(one.name.rpartition("-")[0] == name or one.name == name for one in adapter.volumes):
            raise BadInput(f"the name {name} is used by a virtual drive of this card; choose another")

    def build(self, resolved: Resolved, machine: Machine, seed: str) -> Built:
        """Create the virtual drive and find it again; the card takes the drives as they are."""
        spec = resolved.spec
        adapter = self._adapter([piece.disk for piece in resolved.pieces], machine)
        name = marked(spec.name, seed)
        path = link_of(name)
        slots = ",".join(one.slot for one in drives_of(_of_role(resolved, "member"), adapter))
        made = f"{spec.level} {resolved.facts.array_bytes} {slots}"
        settle = Run(argv=("udevadm", "settle", "--timeout=60"), ok=(0, 1))
        return Built(
            core=(
                self._create_step(resolved, adapter, name=name, path=path, made=made),
                *self.wait(adapter, spec, name, made),
                Step(
                    id="link",
                    role=Role.CREATE,
                    title=f"Link {path} to the virtual drive",
                    reason="The card chooses the number and the WWN. The plan finds the virtual drive by its name.",
                    actions=(*((settle,) if machine.system.udev else ()), self.link(adapter, name, path)),
                    after=(LINK.of(path),),
                    undo=(Run(argv=("rm", "-f", path)),),
                    undo_note="the link is removed",
                ),
            ),
            what="virtual drive",
            uuid=name,
            folder_mark=derive(seed, "filesystem"),
            path=path,
            initialize=self.initialize(adapter, spec, name),
        )

    def node_of(self, plan: Plan) -> str:
        reading = self.family.reading_here() or CardReading()
        for adapter in reading.adapters:
            if (volume := find_volume(adapter, plan.array_uuid)) is not None:
                disk = disk_of(volume, adapter, disks_here())
                return disk.path if disk is not None else ""
        return ""

    def _adapter(self, disks: Sequence[Disk], machine: Machine) -> Adapter:
        return adapter_of(disks, self.family.kept(machine), card=self.card)

    def _create_step(self, resolved: Resolved, adapter: Adapter, *, name: str, path: str, made: str) -> Step:
        spec, facts = resolved.spec, resolved.facts
        members, spares = _of_role(resolved, "member"), _of_role(resolved, "spare")
        of_members, of_spares = drives_of(members, adapter), drives_of(spares, adapter)
        drives = slots_and_serials((*of_members, *of_spares))
        created = self.created(spec) if self.created is not None else self.kinds.volume
        undo = (
            Run(argv=("wipefs", "--quiet", "--all", path), ok=(0, 1)),
            *self.delete(adapter, name, of_spares),
        )
        return Step(
            id="virtual-drive",
            role=Role.CREATE,
            title=f"Create the {spelled(spec.level)} virtual drive {name} from {count_of(members, 'drive')}",
            reason=f"{both(facts.array_bytes)} usable. {caches_words(spec.options)} The card erases what is on the drives: "
            "that cannot be undone.",
            actions=self.create(
                adapter,
                spec=spec,
                name=name,
                members=of_members,
                spares=of_spares,
                strip=facts.chunk_bytes,
            ),
            destroys=tuple(describe_loss(disk) for disk in (*members, *spares)),
            before=(self.kinds.free.of(subject(adapter, "drives"), drives),),
            after=(
                created.of(subject(adapter, name), made),
                *self.made_beside(adapter, spec, of_members, of_spares),
            ),
            undoable=Undo.IMPOSSIBLE,
            undo=undo,
            undo_note="the virtual drive is deleted, but the old contents of the drives are lost",
            repair=self.delete(adapter, name, of_spares),
        )


def card_builder(making: Making) -> Builder:
    """The builder of a family. Its cards run their own operations, which may be paused."""
    return Builder(
        controls=card_controls(making.family.wording),
        claims=frozenset({ClaimKind.CARD}),
        conditions=(LINK, *making.kinds.every, *making.conditions),
        check_free=making.check_free,
        build=making.build,
        removal=lambda word, machine: remove_volume(word, machine, making),
        boot_note=_boot_note,
        node_of=making.node_of,
        disks_under=lambda plan: frozenset(),  # the kernel does not see the drives
    )


def _boot_note(spec: Spec, system: System) -> str:
    mounts = ", and fstab mounts the filesystem by UUID with nofail" if spec.filesystem.type != "none" else ""
    return f"The card starts the virtual drive by itself, even degraded{mounts}."


def _of_role(resolved: Resolved, role: str) -> list[Disk]:
    return [piece.disk for piece in resolved.pieces if piece.role == role]
