"""Virtual drives: what their specs may not say, what must be so of the drives, and the steps that make one."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.cards.records import Adapter, CardReading, DriveState
from raidtui.backends.cards.units import disk_of
from raidtui.backends.contract import Built, Control, Resolved, Tool
from raidtui.backends.megaraid.commands import FOLDER, create, delete, link
from raidtui.backends.megaraid.conditions import CONDITIONS, DRIVES_FREE, LINK, VOLUME, subject
from raidtui.backends.megaraid.conditions import find_volume as find_on
from raidtui.backends.megaraid.levels import LEVELS
from raidtui.backends.megaraid.reader import MegaraidReader, reading_in
from raidtui.backends.megaraid.teardown import remove_volume
from raidtui.backends.options import not_an_option
from raidtui.machine.ask import ask_patiently
from raidtui.machine.cards import read_cards as read_here
from raidtui.machine.disks import disks_here
from raidtui.machine.tree import HERE
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import DataProbe, Plan, Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.text import count_of
from raidtui.model.units import both
from raidtui.steps.fstab import fstab_step, mount_step, mountpoint_step
from raidtui.steps.mkfs import clear_step, mkfs_step
from raidtui.steps.pieces import called
from raidtui.steps.seeds import derive
from raidtui.steps.settle import settle_filesystem
from raidtui.steps.wipe import describe_loss

_MARK: Final = 6  # digits of the seed behind the name: the card keeps 15 characters in all
LONGEST_NAME: Final = 15 - 1 - _MARK
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*", re.ASCII)


class MegaraidBuilder(MegaraidReader):
    """storcli, storcli2 and perccli."""

    tools: tuple[Tool, ...] = ()  # which one depends on the card
    conditions = CONDITIONS
    controls: frozenset[Control] = frozenset()

    def check(self, spec: Spec) -> None:
        """The card has its own levels and short names."""
        check_name(spec.name)
        if spec.level not in LEVELS:
            raise BadInput(f"a MegaRAID card has no level {spec.level!r}; it has {', '.join(LEVELS)}")
        given = {"layout": spec.layout, "metadata": spec.metadata, "consistency": spec.consistency}
        for key, value in given.items():
            if value:
                raise BadInput(not_an_option(key, "virtual drive"))
        if spec.partition or spec.slice is not None:
            raise BadInput("a card takes whole drives; leave out the keys 'partition' and 'slice'")

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """See that all drives are free behind one card, alike, and that nothing is foreign."""
        adapter = adapter_of([piece.disk for piece in resolved.pieces], machine)
        check_drives([piece.disk for piece in resolved.pieces], adapter)
        if adapter.levels and resolved.spec.level not in adapter.levels:
            raise BadInput(
                f"{adapter.model or 'this card'} does not make {resolved.spec.level}; it makes {', '.join(adapter.levels)}"
            )
        name = resolved.spec.name
        if any(one.name.rpartition("-")[0] == name or one.name == name for one in adapter.volumes):
            raise BadInput(f"the name {name} is used by a virtual drive of this card; choose another")

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """The steps of a virtual drive."""
        spec = resolved.spec
        adapter = adapter_of([piece.disk for piece in resolved.pieces], machine)
        name = marked(spec.name, seed)
        path = f"{FOLDER}/{name}"
        files = derive(seed, "filesystem") if spec.filesystem.type != "none" else ""
        return Built(
            steps=_steps(resolved, machine, adapter, name=name, path=path, files=files),
            uuid=name,
            path=path,
            uuids=tuple(filter(None, [files])),
            probe=DataProbe(device=path, filesystem_uuid=files) if files else None,
        )

    def teardown(self, word: str, machine: Machine, *, seed: str) -> Plan | None:
        """The plan that deletes a virtual drive."""
        return remove_volume(word, machine, seed=seed)

    def boot_note(self, spec: Spec, system: System) -> str:
        """The card, and fstab."""
        mounts = (
            ", and fstab mounts the filesystem by UUID with nofail" if spec.filesystem.type != "none" else ""
        )
        return f"The card starts the virtual drive by itself, degraded too{mounts}."

    def node_of(self, plan: Plan) -> str:
        """The disk that the kernel has of the plan's virtual drive."""
        from raidtui.backends.megaraid.cards import read_cards

        reading = read_cards(read_here(HERE), ask_patiently) or CardReading()
        volumes = (find_on(adapter, plan.array_uuid) for adapter in reading.adapters)
        volume = next((one for one in volumes if one is not None), None)
        disk = disk_of(volume, disks_here()) if volume is not None else None
        return disk.path if disk is not None else ""

    def disks_under(self, plan: Plan) -> frozenset[str]:
        """None: the kernel does not have the drives."""
        return frozenset()


def check_name(name: str) -> None:
    """See that a card takes ``name`` with a mark behind it.

    Raises:
        BadInput: it does not.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name[:40]!r} cannot be the name of a virtual drive: use letters, digits, dashes and underscores, "
            "beginning with a letter or digit"
        )
    if len(name) > LONGEST_NAME:
        raise BadInput(
            f"{name[:40]!r} is {len(name)} characters long; the name of a virtual drive has at most {LONGEST_NAME}"
        )


def marked(name: str, seed: str) -> str:
    """The name that the card keeps: by it a plan knows its virtual drive, whose number and WWN the card chooses."""
    return f"{name}-{derive(seed, 'array').replace('-', '')[:_MARK]}"


def adapter_of(disks: Sequence[Disk], machine: Machine) -> Adapter:
    """The one card that all of ``disks`` are behind.

    Raises:
        BadInput: one is not behind such a card, or they are behind two.
        ToolMissing: no tool describes the card.
    """
    reading = reading_in(machine)
    adapters = reading.adapters if reading else ()
    found: list[Adapter] = []
    for disk in disks:
        where = [
            one
            for one in adapters
            if not disk.has_device and any(drive.serial == disk.serial for drive in one.drives)
        ]
        if not where and reading is not None and reading.problems:
            raise ToolMissing(reading.problems[0])
        if not where:
            raise BadInput(
                f"{called(disk)} ({disk.shown}) is not a drive behind a MegaRAID card; choose another backend for it"
            )
        found.append(where[0])
    if len({(one.tool, one.number) for one in found}) != 1:
        raise BadInput("these drives are behind two cards; a virtual drive has all of its drives behind one")
    return found[0]


def check_drives(disks: Sequence[Disk], adapter: Adapter) -> None:
    """See that a virtual drive can be made of ``disks``.

    Raises:
        Refused: a drive of the card holds a foreign configuration, or one of these is not free.
        BadInput: they differ in a way that the card does not mix.
    """
    foreign = [one.slot for one in adapter.drives if one.state is DriveState.FOREIGN]
    if foreign:
        raise Refused(
            f"the drives in {', '.join(foreign)} hold a foreign configuration, an array that another card made; "
            f"look at it with '{adapter.tool} /c{adapter.number}/fall show all' before you build"
        )
    for what, values in (
        ("flash and rotating drives", {disk.rotational for disk in disks}),
        ("drives with sectors of 512 and of 4096 bytes", {disk.logical_sector_bytes for disk in disks}),
        ("SATA, SAS and NVMe drives", {disk.transport for disk in disks}),
    ):
        if len(values) > 1:
            raise BadInput(f"these are {what}, which a virtual drive does not mix; choose drives of one kind")


def _steps(
    resolved: Resolved, machine: Machine, adapter: Adapter, *, name: str, path: str, files: str
) -> list[Step]:
    spec = resolved.spec
    filesystem, system = spec.filesystem, machine.system
    what = "virtual drive"
    steps = [mountpoint_step(filesystem, built=name)] if files else []
    steps += [
        _create_step(resolved, adapter, name=name, path=path),
        Step(
            id="link",
            role=Role.CREATE,
            title=f"Have {path} lead to the virtual drive",
            reason="The card chooses number and WWN itself; it is found by the name that this plan gave it.",
            actions=(
                *((Run(argv=("udevadm", "settle", "--timeout=60"), ok=(0, 1)),) if system.udev else ()),
                link(adapter, name, path),
            ),
            after=(LINK.of(path),),
            undo=(Run(argv=("rm", "-f", path)),),
            undo_note="the link is removed",
        ),
        clear_step(path, what=what),
    ]
    if files:
        # A card does not always report its strip to the kernel, so mkfs is given it.
        stripes = replace(resolved.stripes, told=True)
        steps += [
            mkfs_step(filesystem, stripes, path=path, uuid=files, what=what),
            settle_filesystem(path, kind=filesystem.type, uuid=files, udev=system.udev),
        ]
        if spec.persistent:
            steps.append(fstab_step(filesystem, uuid=files, system=system, what=what))
        steps.append(mount_step(filesystem, files, persistent=spec.persistent))
    return steps


def _create_step(resolved: Resolved, adapter: Adapter, *, name: str, path: str) -> Step:
    spec, facts = resolved.spec, resolved.facts
    members = [piece.disk for piece in resolved.pieces if piece.role == "member"]
    spares = [piece.disk for piece in resolved.pieces if piece.role == "spare"]
    drives = " ".join(f"{disk.slot}={disk.serial.replace(' ', '_')}" for disk in (*members, *spares))
    slots = ",".join(disk.slot for disk in members)
    undo = (Run(argv=("wipefs", "--quiet", "--all", path), ok=(0, 1)), delete(adapter, name))
    return Step(
        id="virtual-drive",
        role=Role.CREATE,
        title=f"Create the {spec.level} virtual drive {name} from {count_of(members, 'drive')}",
        reason=f"{both(facts.array_bytes)} usable. Write-back as long as the battery is good, read-ahead, cache of the "
        "drives off. The card erases what is on the drives: that cannot be undone.",
        actions=(
            create(
                adapter,
                level=spec.level,
                name=name,
                slots=[disk.slot for disk in members],
                spares=[disk.slot for disk in spares],
                strip=facts.chunk_bytes,
            ),
        ),
        destroys=tuple(describe_loss(disk) for disk in (*members, *spares)),
        before=(DRIVES_FREE.of(subject(adapter, "drives"), drives),),
        after=(VOLUME.of(subject(adapter, name), f"{spec.level} {facts.array_bytes} {slots}"),),
        undoable=Undo.IMPOSSIBLE,
        undo=undo,
        undo_note="the virtual drive is deleted, but the old contents of the drives are lost",
        repair=(delete(adapter, name),),
    )
