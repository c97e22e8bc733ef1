"""Build and remove virtual drives: the part common to all families."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from raidtui.backends.cards.chosen import adapter_of, check_drives, drive_of
from raidtui.backends.cards.conditions import (
    LINK,
    DrivesFree,
    VolumeGone,
    VolumeIs,
    find_volume,
    slots_and_serials,
    subject,
)
from raidtui.backends.cards.names import link_of, marked
from raidtui.backends.cards.reader import FamilyReader
from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume
from raidtui.backends.cards.teardown import remove_volume
from raidtui.backends.cards.units import disk_of, is_offline
from raidtui.backends.contract import Built, Resolved, Tool
from raidtui.backends.control import Control, Order
from raidtui.machine.disks import disks_here
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import ClaimKind, Disk, Machine
from raidtui.model.plan import Check, Plan, Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.text import count_of, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import both
from raidtui.steps.condition import Condition
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive
from raidtui.steps.wipe import describe_loss


class FamilyBuilder(ABC):
    """The builder of a family of cards; a subclass has the commands."""

    claims = frozenset({ClaimKind.CARD})

    card: str  # a MegaRAID card
    reader: FamilyReader  # of the same family
    tools: tuple[Tool, ...] = ()  # which one depends on the card
    drives_free: DrivesFree
    volume_is: VolumeIs
    volume_gone: VolumeGone

    @abstractmethod
    def create(
        self,
        adapter: Adapter,
        *,
        spec: Spec,
        name: str,
        members: Sequence[Drive],
        spares: Sequence[Drive],
        strip: int,
    ) -> tuple[Run, ...]:
        """Create the virtual drive of the completed ``spec``; its write-back cache requires a good battery."""

    @abstractmethod
    def link(self, adapter: Adapter, key: str, path: str) -> Run:
        """Make ``path`` a link to the virtual drive with this name."""

    @abstractmethod
    def delete(self, adapter: Adapter, key: str, spares: Sequence[Drive]) -> tuple[Run, ...]:
        """Delete the virtual drive with this name, WWN or serial number and free its spares; do nothing without one."""

    @abstractmethod
    def check_card(self, adapter: Adapter, spec: Spec) -> None:
        """Check that the card takes the spares and options of the completed ``spec``.

        Raises:
            BadInput: it does not.
        """

    def finds_again(self, volume: Volume, adapter: Adapter, machine: Machine) -> bool:
        """Whether `link` finds the kernel's disk of a virtual drive as the card describes it: then also of a new one."""
        identity = volume.naa or volume.serial
        return bool(identity) or is_offline(volume) or disk_of(volume, adapter, machine.disks) is not None

    def finds_new(self, adapter: Adapter) -> bool:
        """Whether the kernel's disk of a new virtual drive will be found, as far as is known before it exists."""
        return True

    def made_beside(
        self, adapter: Adapter, spec: Spec, members: Sequence[Drive], spares: Sequence[Drive]
    ) -> tuple[Check, ...]:
        """Further conditions that hold once a virtual drive is created."""
        return ()

    @abstractmethod
    def caches(self, spec: Spec) -> str:
        """The cache settings of the completed ``spec``, in a sentence."""

    def created(self, spec: Spec) -> VolumeIs:
        """The condition that holds once the virtual drive is created, even if it cannot be used yet."""
        return self.volume_is

    def wait(self, adapter: Adapter, spec: Spec, name: str, made: str) -> list[Step]:
        """The steps that wait until a new virtual drive can be used; none if it can be used at once.

        Args:
            made: the expectation of `volume_is`.
        """
        return []

    def initialize(self, adapter: Adapter, spec: Spec, name: str) -> list[Step]:
        """The steps that initialize a new virtual drive before anything else is written; none if not needed."""
        return []

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions on virtual drives."""
        return (self.drives_free, self.volume_is, self.volume_gone, LINK)

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """Check that the drives are alike and behind one card that is fully read, and that the card takes the spec."""
        disks = [piece.disk for piece in resolved.pieces]
        adapter = self._adapter(disks, machine)
        if adapter.unread:
            raise Refused(adapter.unread)
        wording = self.reader.wording
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

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """Create the virtual drive and find it again; the card takes the drives as they are."""
        spec = resolved.spec
        adapter = self._adapter([piece.disk for piece in resolved.pieces], machine)
        name = marked(spec.name, seed)
        path = link_of(name)
        slots = ",".join(one.slot for one in _drives(_of_role(resolved, "member"), adapter))
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
            explicit=True,  # not every card reports its strip to the kernel
        )

    def removal(self, word: str, machine: Machine) -> Removal | None:
        """How to delete a virtual drive."""
        return remove_volume(word, machine, self)

    def controls(self, unit: Unit) -> Mapping[Control, Order]:
        """None: the card runs its own operations."""
        return {}

    def boot_note(self, spec: Spec, system: System) -> str:
        """Started by the card, mounted by fstab."""
        mounts = (
            ", and fstab mounts the filesystem by UUID with nofail" if spec.filesystem.type != "none" else ""
        )
        return f"The card starts the virtual drive by itself, even degraded{mounts}."

    def node_of(self, plan: Plan) -> str:
        """The kernel's disk of the plan's virtual drive."""
        reading = self.reader.reading_here() or CardReading()
        for adapter in reading.adapters:
            if (volume := find_volume(adapter, plan.array_uuid)) is not None:
                disk = disk_of(volume, adapter, disks_here())
                return disk.path if disk is not None else ""
        return ""

    def disks_under(self, plan: Plan) -> frozenset[str]:
        """None: the kernel does not see the drives."""
        return frozenset()

    def _adapter(self, disks: Sequence[Disk], machine: Machine) -> Adapter:
        return adapter_of(disks, self.reader.kept(machine), card=self.card)

    def _create_step(self, resolved: Resolved, adapter: Adapter, *, name: str, path: str, made: str) -> Step:
        spec, facts = resolved.spec, resolved.facts
        members, spares = _of_role(resolved, "member"), _of_role(resolved, "spare")
        of_members, of_spares = _drives(members, adapter), _drives(spares, adapter)
        drives = slots_and_serials((*of_members, *of_spares))
        undo = (
            Run(argv=("wipefs", "--quiet", "--all", path), ok=(0, 1)),
            *self.delete(adapter, name, of_spares),
        )
        return Step(
            id="virtual-drive",
            role=Role.CREATE,
            title=f"Create the {spelled(spec.level)} virtual drive {name} from {count_of(members, 'drive')}",
            reason=f"{both(facts.array_bytes)} usable. {self.caches(spec)} The card erases what is on the drives: "
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
            before=(self.drives_free.of(subject(adapter, "drives"), drives),),
            after=(
                self.created(spec).of(subject(adapter, name), made),
                *self.made_beside(adapter, spec, of_members, of_spares),
            ),
            undoable=Undo.IMPOSSIBLE,
            undo=undo,
            undo_note="the virtual drive is deleted, but the old contents of the drives are lost",
            repair=self.delete(adapter, name, of_spares),
        )


def _of_role(resolved: Resolved, role: str) -> list[Disk]:
    return [piece.disk for piece in resolved.pieces if piece.role == role]


def _drives(disks: Sequence[Disk], adapter: Adapter) -> list[Drive]:
    """The card's drives for ``disks``."""
    return [drive for disk in disks if (drive := drive_of(disk, adapter)) is not None]
