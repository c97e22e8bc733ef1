"""A small /sys, /proc, /dev and /etc in a folder, as the kernel and udev would create them for some disks."""

import struct
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from raidtui.machine.ask import ToolAnswer
from raidtui.machine.contents.unknown_data import Unknown
from raidtui.machine.reader import read_tree
from raidtui.machine.tree import Tree
from raidtui.machine.udev import Properties
from raidtui.model.machine import Disk, Machine
from raidtui.model.struct import to_json

GIB = 1024**3


class MadeTree:
    """Contains what a test creates and nothing else."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree = Tree(root)
        self.found: dict[str, list[dict[str, str]]] = {}  # the signatures that wipefs finds, by path
        self.properties: dict[str, Properties] = {}
        self.programs: dict[str, str] = {}  # first word or two of a command → its output
        self.claimed: dict[str, str] = {}  # the error of an O_EXCL open, by path
        self.unreadable: dict[str, str] = {}  # the error of a read, by path
        self.unexplained: dict[str, Unknown] = {}  # what its samples show, by path
        self.btrfs_devices: dict[str, int] = {}  # number of devices in the superblock, by path
        self.slow: set[str] = set()  # paths on which wipefs times out
        self._minor = 0
        self.mounts("")

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def link(self, path: str, target: str) -> None:
        """Create a symbolic link."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def disk(
        self, name: str, *, size: int = 4 * GIB, udev: Mapping[str, str] | None = None, **files: str
    ) -> str:
        """Create a disk and return its number; ``files`` are more files in sysfs, with ``__`` for ``/``."""
        number = f"8:{self._minor}"
        self._minor += 1
        folder = f"/sys/block/{name.replace('/', '!')}"
        (self.root / folder.lstrip("/")).mkdir(parents=True)
        self.link(f"/sys/class/block/{name.replace('/', '!')}", f"../../block/{name.replace('/', '!')}")
        for file, text in {"dev": number, "size": str(size // 512), "ro": "0"}.items():
            self.write(f"{folder}/{file}", f"{text}\n")
        for file, text in files.items():
            self.write(f"{folder}/{file.replace('__', '/')}", f"{text}\n")
        self.properties[number] = {"ID_SERIAL_SHORT": f"S-{name}"} if udev is None else dict(udev)
        return number

    def partition(
        self, disk: str, index: int, *, size: int = GIB, udev: Mapping[str, str] | None = None
    ) -> str:
        """Create a partition of ``disk`` and return its number."""
        separator = "p" if disk[-1].isdigit() else ""
        name = f"{disk}{separator}{index}"
        number = f"8:{self._minor}"
        self._minor += 1
        folder = f"/sys/block/{disk}/{name}"
        for file, text in {
            "dev": number,
            "size": str(size // 512),
            "start": "2048",
            "partition": str(index),
        }.items():
            self.write(f"{folder}/{file}", f"{text}\n")
        self.link(f"/sys/class/block/{name}", f"../../block/{disk}/{name}")
        self.properties[number] = dict(udev or {})
        return number

    def stack(self, upper: str, *lowers: str) -> None:
        """Stack ``upper`` on ``lowers``, in their holders and slaves."""
        for lower in lowers:
            folder = next((self.root / "sys/block").glob(f"**/{lower}/dev")).parent
            (folder / "holders").mkdir(exist_ok=True)
            (folder / "holders" / upper).touch()
            slaves = self.root / f"sys/block/{upper}/slaves"
            slaves.mkdir(parents=True, exist_ok=True)
            (slaves / lower).touch()

    def array(self, name: str, members: Sequence[tuple[str, str, str]], **files: str) -> str:
        """Create an md array and return its number; a member is (name, slot, state); ``files`` replace those in ``md``."""
        number = self.disk(name, size=0 if files.get("array_state") == "inactive" else 8 * GIB, udev={})
        about = {
            "array_state": "clean",
            "level": "raid5",
            "metadata_version": "1.2",
            "raid_disks": str(len(members)),
            "component_size": "2096128",
            "chunk_size": "524288",
            "layout": "2",
            "degraded": "0",
            "sync_action": "idle",
            "consistency_policy": "bitmap",
            "bitmap__location": "+8",
            "bitmap__chunksize": "67108864",
            "mismatch_cnt": "0",
            "sync_speed_min": "1000 (system)",
            "sync_speed_max": "200000 (local)",
            "uuid": "d422944c-77a0-0bde-5f2e-f982c976754b",
        } | files
        for file, text in about.items():
            self.write(f"/sys/block/{name}/md/{file.replace('__', '/')}", f"{text}\n")
        for member, slot, state in members:
            folder = f"/sys/block/{name}/md/dev-{member}"
            for file, text in {
                "slot": slot,
                "state": state,
                "errors": "0",
                "offset": "4096",
                "size": "2096128",
            }.items():
                self.write(f"{folder}/{file}", f"{text}\n")
            self.link(f"{folder}/block", f"../../../../class/block/{member}")
        self.stack(name, *(member for member, _, _ in members))
        return number

    def mounts(self, *lines: str, pid: str = "self", namespace: str = "mnt:[1]") -> None:
        """Write the mountinfo of a process; a line is "NUMBER SOURCE TARGET TYPE"."""
        rows = []
        for line in filter(None, lines):
            number, source, target, kind = line.split()
            rows.append(
                f"30 1 {number} / {target} rw,relatime shared:1 - {kind} {source} rw,errors=remount-ro\n"
            )
        self.write(f"/proc/{pid}/mountinfo", "".join(rows))
        if not (self.root / f"proc/{pid}/ns/mnt").is_symlink():
            self.link(f"/proc/{pid}/ns/mnt", namespace)

    def process(self, pid: int, name: str, *opens: str, writes: bool = False, parent: int = 1) -> None:
        """Create a process with the files ``opens`` open."""
        self.write(f"/proc/{pid}/comm", f"{name}\n")
        self.write(f"/proc/{pid}/stat", f"{pid} ({name}) S {parent} 1 1\n")
        for index, path in enumerate(opens, 3):
            self.link(f"/proc/{pid}/fd/{index}", path)
            self.write(f"/proc/{pid}/fdinfo/{index}", f"pos:\t0\nflags:\t010000{2 if writes else 0}\n")

    def signature(
        self, path: str, type_: str, *, offset: int = 4096, uuid: str = "", label: str = ""
    ) -> None:
        """Add a signature for wipefs to find on ``path``."""
        entry = {"device": path.rpartition("/")[2], "offset": hex(offset), "type": type_}
        self.found.setdefault(path, []).append(entry | {"uuid": uuid, "label": label})

    def ask(self, argv: Sequence[str]) -> ToolAnswer:
        """Answer for wipefs and ``programs``."""
        if argv[0] == "wipefs":
            if self.slow & set(argv):
                return ToolAnswer(returncode=None, stderr="wipefs did not end within 20 s")
            entries = [entry for path in argv for entry in self.found.get(path, [])]
            return ToolAnswer(returncode=0, stdout=to_json({"signatures": entries}) if entries else "")
        for words in (" ".join(argv[:2]), argv[0]):
            if words in self.programs:
                return ToolAnswer(returncode=0, stdout=self.programs[words])
        return ToolAnswer(returncode=None, stderr=f"{argv[0]} is not installed")

    def read(self, *, root: bool = True, exclusive_error: Callable[[str], str] | None = None) -> Machine:
        """Read the machine from this tree."""
        return read_tree(
            self.tree,
            ask=self.ask,
            properties=self.properties,
            root=root,
            smart=False,
            versions=lambda: {"mdadm": "4.2"},
            exclusive_error=exclusive_error or (lambda path: self.claimed.get(path, "")),
            read_error=lambda path, _: self.unreadable.get(path, ""),
            btrfs_devices=self.btrfs_devices.get,
            unknown_data=lambda path, _: self.unexplained.get(path),
        )

    def read_disk(self, name: str) -> Disk:
        """Read one disk of it."""
        return next(disk for disk in self.read().disks if disk.name == name)


def superblock_bytes(
    *,
    events: int = 1,
    created: int = 0,
    cleared: int | None = 0,
    name: str = "lab:tank",
    slot: int = 0,
    features: int = 0,
    device: int = 0,
    active: tuple[int, ...] = (0, 1, 2),
    reshape: tuple[int, int, int, int] = (5, 0, 0, 0),
) -> bytes:
    """The first 16 KiB of a member: a 1.2 superblock at byte 4096 and, unless ``cleared`` is None, a bitmap after it.

    Args:
        reshape: its new level, number of further members, new layout and new chunk; the present ones are 5, 0 and 0.
    """
    raw = bytearray(16384)
    struct.pack_into("<III", raw, 4096, 0xA92B4EFC, 1, features | (cleared is not None))
    raw[4112:4128] = uuid.UUID("d422944c-77a0-0bde-5f2e-f982c976754b").bytes
    raw[4128 : 4128 + len(name)] = name.encode()
    struct.pack_into("<Qi", raw, 4160, created, 5)
    struct.pack_into("<Iii", raw, 4096 + 92, 3, 8, reshape[0])
    struct.pack_into("<iii", raw, 4096 + 112, *reshape[1:])
    struct.pack_into("<Q", raw, 4096 + 200, events)
    struct.pack_into("<I", raw, 4096 + 160, slot)  # dev_number; the roles below give each member its own slot
    struct.pack_into("<I", raw, 4096 + 220, 3)
    for number in range(3):
        struct.pack_into("<H", raw, 4096 + 256 + 2 * number, number if number in active else 0xFFFE)
    struct.pack_into("<Q", raw, 4096 + 208, (1 << 64) - 1)  # nothing is left to resync
    struct.pack_into("<Q", raw, 4096 + 168, device)
    if cleared is not None:
        raw[8192:8196] = b"bitm"
        struct.pack_into("<QQ", raw, 8192 + 24, events, cleared)
    return bytes(raw)


def put_superblock_at_end(made: MadeTree, path: str, size: int, **about: object) -> None:
    """Write such a superblock, without a bitmap, as metadata 1.0 has it on a device of this size."""
    made.write(path, "")
    with (made.root / path.lstrip("/")).open("r+b") as file:
        file.seek((size // 512 - 16 & ~7) * 512)
        file.write(superblock_bytes(cleared=None, **about)[4096:8192])  # type: ignore[arg-type]


def put_superblock(made: MadeTree, path: str, **about: object) -> None:
    """Write such a superblock to the member ``path``."""
    made.write(path, "")
    (made.root / path.lstrip("/")).write_bytes(superblock_bytes(**about))  # type: ignore[arg-type]
