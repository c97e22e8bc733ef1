"""Put the members of a candidate together without writing to any of them, and take that down again.

From below: of each member a read-only linear device with nothing but its data (no superblock, so nothing assembles it),
over it an overlay (dm-snapshot), over these an array without metadata, made slot by slot and
read-only, and over that one more overlay, where the journal of a filesystem may be replayed. A volume without an array
is one such device over the ranges of its members, or over arrays that are put together first; a filesystem of several
devices is mounted from overlays of whole members. The kernel opens the origin of an overlay for reading only. No command
here can create or assemble an array: nothing writes superblocks.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.jobs.blockdev import write_at
from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering.kernel import sectors_of, write_kernel_file
from raidtui.jobs.recovering.names import DM, MD
from raidtui.jobs.recovering.not_taken import NotTaken
from raidtui.jobs.recovering.thin_pool import open_volume
from raidtui.jobs.recovering.tool import do
from raidtui.machine.devices import device_number, opened
from raidtui.machine.tree import HERE
from raidtui.model.errors import StepFailed
from raidtui.model.md_by_hand import Given, settings
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.recovery import Below, Candidate, Shape, Slot, Source
from raidtui.model.units import MIB, SECTOR

TOP: Final = f"/dev/mapper/{DM}top"
_SMALL: Final = 16 * MIB  # of the overlay of a member: md, read-only, writes nothing to it
_BLOCK: Final = 8  # sectors that an overlay copies at once
_PATIENCE: Final = 20.0  # until the kernel has stopped an array
_MOMENT: Final = 1.0  # until it has removed its node
_TOP, _METADATA = "top", "metadata"  # files
_CLEAR: Final = "clear"  # md's word for a node without an array


class Stack:
    """The devices of one trial. Those of members are kept from candidate to candidate."""

    def __init__(
        self,
        commands: Commands,
        folder: Path,
        sources: Mapping[str, str],
        room_bytes: int,
        register: Sequence[str] = (),
    ) -> None:
        """``sources``: the device of each member; ``folder``: for the files of the overlays, each of them sparse.

        ``register``: the command by which the kernel gets to know a member (`raidtui.backends.recovering.Recoverer`).
        """
        self._commands = commands
        self._folder = folder
        self._sources = dict(sources)
        self._room = room_bytes
        self._register = register
        self._overlays: dict[tuple[Slot, int, int], str] = {}  # slot, length, shape -> its node
        self._kept: set[str] = set()  # nodes that the kernel does not remove with their arrays
        self.device = TOP  # what holds the files of the candidate
        self.others: tuple[str, ...] = ()  # the further devices of its filesystem
        self.pool_repaired = False  # whether the metadata of its thin pool had to be repaired, in a file

    def put_together(self, candidate: Candidate) -> None:
        """Make `device` of ``candidate``.

        Raises:
            NotTaken: the kernel does not take its shape.
            StepFailed: an overlay cannot be made, so nothing is known of any candidate. What was made is there until
                `take_apart`.
        """
        self.device, self.others, self.pool_repaired = TOP, (), False
        if candidate.filesystem:
            self._open_members(candidate)
            return
        if candidate.below:
            self.open_arrays(candidate.below)
            origin = self._joined("joined", candidate.shape)
        elif candidate.rest is None:
            origin = self._array(candidate.shape, 0)
        else:
            first = self._array(candidate.shape, 0)
            second = self._array(candidate.rest, 1)
            border = candidate.border_bytes // SECTOR
            rest = sectors_of(second) - border
            if not 0 < border < sectors_of(first) or rest <= 0:
                raise NotTaken("the place that the reshape had reached is outside of the array")
            table = f"0 {border} linear {first} 0\n{border} {rest} linear {second} {border}\n"
            origin = self._read_only("joined", table)
        if candidate.pool is not None:
            inside = candidate.pool.metadata
            metadata = self._joined("metadata", inside) if candidate.below else self._array(inside, 1)
            origin, self.pool_repaired = open_volume(
                self._commands, candidate.pool, metadata, origin, lambda size: self._file(_METADATA, size)
            )
        if candidate.length_bytes:
            begin, length = candidate.begin_bytes // SECTOR, candidate.length_bytes // SECTOR
            origin = self._read_only("part", f"0 {length} linear {origin} {begin}\n")
        loop = self._file(_TOP, self._room)
        table = f"0 {sectors_of(origin)} snapshot {origin} {loop} N {_BLOCK}"
        self._do(["dmsetup", "create", f"{DM}top", "--table", table])

    def open_arrays(self, below: Sequence[Below]) -> tuple[Source, ...]:
        """Put arrays together, and return them as sources until `take_apart`.

        Raises:
            NotTaken: md does not take a shape.
            StepFailed: an overlay cannot be made.
        """
        found = []
        for number, one in enumerate(below):
            node = self._array(one.shape, number)
            self._sources[one.name] = node
            found.append(Source(name=one.name, path=node, size_bytes=sectors_of(node) * SECTOR))
        return tuple(found)

    def take_apart(self) -> None:
        """Remove the array and its overlay; those of the members stay, unless a filesystem wrote to them.

        Raises:
            StepFailed: something keeps them in use.
        """
        take_arrays_apart(self._commands)
        for name in (_TOP, _METADATA):
            (self._folder / name).unlink(missing_ok=True)
        if self.device != TOP:
            remove_overlays(self._commands, self._register)
            self._overlays.clear()

    def filled(self) -> float:
        """How full the fullest overlay is, 0 to 1; 1 also if one has overflowed and is invalid."""
        done = self._commands.run(["dmsetup", "status", "--target", "snapshot"])
        shares = [0.0]
        for line in done.stdout.splitlines():
            name, _, rest = line.partition(": ")
            words = rest.split()  # raidtui-try-top: 0 970752 snapshot 80/409600 0
            if name.startswith(DM) and len(words) > 3:
                used, _, total = words[3].partition("/")
                known = used.isdigit() and total.isdigit()
                shares.append(int(used) / max(1, int(total)) if known else 1.0)  # Invalid, Overflow
        return max(shares)

    def _open_members(self, candidate: Candidate) -> None:
        """Overlays of whole members, with the changes of ``candidate``, in place of what the kernel knows of them."""
        for source in self._sources.values():
            self._commands.run([*self._register, "--forget", source])  # fails if it is not known
        here = [slot for slot in candidate.shape.slots if slot.source]
        room = max(_SMALL, self._room // len(here) // MIB * MIB)
        nodes = {slot.source: self._overlay(slot, slot.size_bytes, 0, room) for slot in here}
        for patch in candidate.patches:
            node = nodes[patch.source]
            _check_overlay(node)
            with opened(node, os.O_WRONLY) as fd:
                write_at(fd, patch.offset_bytes, patch.content)
                os.fsync(fd)
        self.device, *others = nodes.values()
        self.others = tuple(others)

    def _joined(self, name: str, shape: Shape) -> str:
        """A volume over arrays that were put together before, read-only; return its node."""
        return self._read_only(name, self._table(shape.slots[0], shape.component_bytes // SECTOR))

    def _read_only(self, name: str, table: str) -> str:
        self._do(["dmsetup", "create", "--readonly", f"{DM}{name}"], text=table)
        return f"/dev/mapper/{DM}{name}"

    def _array(self, shape: Shape, number: int) -> str:
        """An array without metadata, read-only, or the overlay of a volume without an array; return its node."""
        if shape.is_plain:
            return self._overlay(shape.slots[0], shape.component_bytes, number)
        name = f"{MD}{number}"
        nodes = {
            slot: self._overlay(one, one.size_bytes or shape.component_bytes, number)
            for slot, one in enumerate(shape.slots)
            if one.source
        }
        given = [self._given(node, slot, shape.slots[slot].size_bytes) for slot, node in nodes.items()]
        level = MD_LEVELS[shape.level]
        (new, called), *made, (start, state) = settings(
            name,
            shape.level,
            len(shape.slots),
            given,
            chunk_bytes=shape.chunk_bytes if level.chunked else 0,
            layout=shape.layout if level.chunked else 0,
            component_bytes=shape.component_bytes if level.redundant else 0,
        )
        self._make_node(new, called)
        for file, value in made:
            write_kernel_file(file, value)
        try:
            write_kernel_file(start, state)
        except StepFailed as error:
            raise NotTaken(f"md does not start it: {error}") from error
        if not sectors_of(f"/dev/{name}"):
            raise NotTaken("md does not start it in this shape")
        return f"/dev/{name}"

    def _make_node(self, file: str, called: str) -> None:
        """Make the node of an array. Linux 7.2 keeps that of an array that was stopped, and it is taken again then.

        Raises:
            StepFailed: the kernel does not make it.
        """
        deadline = time.monotonic() + (0 if called in self._kept else _MOMENT)
        while True:
            try:
                write_kernel_file(file, called)
            except StepFailed:
                if time.monotonic() < deadline:  # other kernels remove it soon
                    time.sleep(0.05)
                    continue
                if _state_of(called) != _CLEAR:
                    raise
                self._kept.add(called)
            return

    def _given(self, node: str, slot: int, size: int) -> Given:
        """``size``: of each member, where they may differ; else 0."""
        return Given(held=_check_overlay(node), number=device_number(node), slot=slot, size_bytes=size)

    def _overlay(self, slot: Slot, length: int, shape: int, room_bytes: int = _SMALL) -> str:
        """The overlay over the data of one member, made when it is first needed."""
        key = (slot, length, shape)
        if key not in self._overlays:
            number, sectors = len(self._overlays), length // SECTOR
            origin, name = self._read_only(f"m{number}", self._table(slot, sectors)), f"{DM}o{number}"
            loop = self._file(f"o{number}", room_bytes)
            table = f"0 {sectors} snapshot {origin} {loop} N {_BLOCK}"
            self._do(["dmsetup", "create", name, "--table", table])
            self._overlays[key] = f"/dev/mapper/{name}"
        return self._overlays[key]

    def _table(self, slot: Slot, sectors: int) -> str:
        """What is read of a member, a line for each range; what is missing gives errors."""
        if not slot.parts:
            return f"0 {sectors} linear {self._sources[slot.source]} {slot.offset_bytes // SECTOR}\n"
        lines, begin = [], 0
        for part in slot.parts:
            length = part.length_bytes // SECTOR
            places = [
                f"{self._sources[one.source]} {one.offset_bytes // SECTOR}" for one in part.on if one.source
            ]
            kind = (
                f"linear {places[0]}"
                if len(places) == 1
                else f"striped {len(places)} {part.chunk_bytes // SECTOR} {' '.join(places)}"
            )
            lines.append(f"{begin} {length} {kind if len(places) == len(part.on) else 'error'}\n")
            begin += length
        return "".join(lines)

    def _file(self, name: str, size_bytes: int) -> str:
        """A loop device on a new sparse file."""
        path = self._folder / name
        path.unlink(missing_ok=True)
        with path.open("xb") as file:
            os.ftruncate(file.fileno(), size_bytes)
        return self._do(["losetup", "--find", "--show", str(path)]).strip()

    def _do(self, argv: Sequence[str], text: str = "") -> str:
        return do(self._commands, argv, text)


def load_modules(commands: Commands) -> None:
    """Load what a trial needs of the kernel; what is built in, or is missing, shows when it is used."""
    for module in ("loop", "dm_mod", "dm_snapshot", "md_mod", "btrfs", "dm_thin_pool"):
        commands.run(["modprobe", "--quiet", module])


def take_arrays_apart(commands: Commands) -> None:
    """Remove every array of a trial, and its overlay. Raises StepFailed: something keeps them in use."""
    for name in ("top", "part", "thin", "pool", "metadata", "joined"):
        _remove_with_loop(commands, f"{DM}{name}")
    for array in arrays_here():
        deadline = time.monotonic() + _PATIENCE
        while array in arrays_here():
            try:
                write_kernel_file(f"/sys/block/{array}/md/array_state", _CLEAR)
            except StepFailed:
                # Whatever reads the disks of this computer just now, udev or raidtui itself, has it open.
                if time.monotonic() > deadline and array in arrays_here():
                    raise
            if time.monotonic() > deadline and array in arrays_here():
                raise StepFailed(f"the kernel does not stop /dev/{array}, an array of this trial")
            time.sleep(0.05)


def remove_overlays(commands: Commands, register: Sequence[str]) -> None:
    """Remove the overlays of members, and what is read of these; with ``register`` the kernel forgets them first.

    Raises:
        StepFailed: something keeps them in use.
    """
    names = sorted(dm_here())
    for name in (one for one in names if one.startswith(f"{DM}o")):
        if register:
            commands.run([*register, "--forget", f"/dev/mapper/{name}"])  # fails if it is not known
        _remove_with_loop(commands, name)
    for name in (one for one in names if one.startswith(f"{DM}m")):
        remove(commands, name)


def _remove_with_loop(commands: Commands, name: str) -> None:
    loop = _loop_under(name)
    remove(commands, name)
    if loop:
        do(commands, ["losetup", "--detach", loop])


def remove(commands: Commands, name: str) -> None:
    """Remove a device-mapper device of a trial, if it is there.

    Raises:
        StepFailed: something keeps it in use.
    """
    if name in dm_here():
        do(commands, ["dmsetup", "remove", "--retry", name])


def dm_here() -> dict[str, str]:
    """The device-mapper devices of a trial, by name: their kernel names."""
    found = {}
    for file in Path("/sys/block").glob("dm-*/dm/name"):
        with suppress(OSError):
            if (name := file.read_text().strip()).startswith(DM):
                found[name] = file.parts[3]
    return found


def arrays_here() -> list[str]:
    """The arrays of a trial, by kernel name, without nodes that have no array."""
    return sorted(
        one.name for one in Path("/sys/block").glob(f"{MD}*") if _state_of(one.name) not in {"", _CLEAR}
    )


def _state_of(array: str) -> str:
    """What sysfs says of an array; empty if there is none."""
    return HERE.text(f"/sys/block/{array}/md/array_state")


def _check_overlay(node: str) -> str:
    """The kernel's name of ``node``, which must be an overlay: nothing else is ever written to, or a member of an array.

    Raises:
        StepFailed: it is something else.
    """
    held = os.path.basename(os.path.realpath(node))
    if held not in {one for name, one in dm_here().items() if name.startswith(f"{DM}o")}:
        raise StepFailed(f"{node} is not an overlay of this trial")
    return held


def _loop_under(name: str) -> str:
    """The loop device under a device of a trial; empty if there is none."""
    held = dm_here().get(name)
    below = Path(f"/sys/block/{held}/slaves").glob("loop*") if held else ()
    return next((f"/dev/{one.name}" for one in below), "")
