"""Everything needed to find out why a disk is taken, read once for all disks."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from raidtui.machine.blocks import Block, Blocks
from raidtui.machine.configured import Reference
from raidtui.machine.exported import Export
from raidtui.machine.mounts import MountedAt, Swap
from raidtui.machine.processes import Opener
from raidtui.machine.tree import Tree
from raidtui.machine.udev import NONE, Properties
from raidtui.machine.unknown_data import Unknown
from raidtui.machine.volumes import MountedBtrfs, PhysicalVolume
from raidtui.model.machine import Array, Signature
from raidtui.model.superblock import Superblock
from raidtui.model.uuids import bare

# Mount points of the running system. /home and /srv can be unmounted; these cannot, or not for long. The last
# three are the media of live systems.
SYSTEM_TARGETS: Final = frozenset(
    {"/", "/usr", "/etc", "/var", "/boot", "/boot/efi", "/efi"}
    | {"/run/live/medium", "/run/initramfs/live", "/cdrom"}
)


@dataclass(frozen=True)
class Facts:
    """One reading. "By name" below means the kernel name of a disk or partition."""

    tree: Tree
    blocks: Blocks
    properties: Mapping[str, Properties] = field(default_factory=dict)  # by device number
    mounts: tuple[MountedAt, ...] = ()
    swaps: tuple[Swap, ...] = ()
    btrfs: tuple[MountedBtrfs, ...] = ()
    openers: Mapping[str, tuple[Opener, ...]] = field(default_factory=dict)  # by device number
    exports: Mapping[str, tuple[Export, ...]] = field(default_factory=dict)  # by name
    volumes: Mapping[str, PhysicalVolume] = field(default_factory=dict)  # by name
    references: tuple[Reference, ...] = ()
    arrays: tuple[Array, ...] = ()
    superblocks: tuple[Superblock, ...] = ()  # md's
    signatures: Mapping[str, tuple[Signature, ...]] = field(default_factory=dict)  # by path
    unread: Mapping[str, str] = field(default_factory=dict)  # by path: why its contents are unknown
    exclusive_error: Callable[[str], str] = lambda _: ""
    read_error: Callable[[str, int], str] = lambda _, __: ""  # takes a path and its size
    unknown_data: Callable[[str, int], Unknown | None] = lambda _, __: None  # likewise
    btrfs_devices: Callable[[str], int | None] = lambda _: (
        None
    )  # number of devices of the Btrfs on a path; None: not known
    stored_partitions: Callable[[str], int | None] = lambda _: (
        None
    )  # partitions in the table on a path; None: not known

    def udev(self, block: Block) -> Properties:
        """The udev properties of a device."""
        return self.properties.get(block.number, NONE)

    def signatures_of(self, block: Block) -> tuple[Signature, ...]:
        """The signatures on a device."""
        return self.signatures.get(block.path, ())

    def array_of(self, block: Block) -> Array | None:
        """The array whose node is ``block``."""
        return next((array for array in self.arrays if array.node == block.path), None)

    def mounts_of(self, block: Block) -> tuple[MountedAt, ...]:
        """The mounts of a device, each place once, our own namespace first.

        Those in other namespaces that end with one of our own are left out.
        """
        found = {
            (one.namespace, one.mount.target): one
            for one in reversed(self.mounts)
            if (one.here or one.apart) and self.is_of(one, {block.number}, {block.path})
        }
        return tuple(reversed(found.values()))

    def is_of(self, one: MountedAt, numbers: Collection[str], paths: Collection[str]) -> bool:
        """Whether a mount is of one of the devices with these numbers and paths; Btrfs' has no device's number."""
        mount = one.mount
        return mount.device_number in numbers or (
            mount.device_number.startswith("0:") and mount.device in paths
        )

    def btrfs_of(self, block: Block) -> MountedBtrfs | None:
        """The mounted Btrfs filesystem that has a device, if any."""
        return next((one for one in self.btrfs if block.name in one.devices), None)

    def btrfs_mounts(self, filesystem: MountedBtrfs) -> tuple[MountedAt, ...]:
        """Where a Btrfs filesystem is mounted, whichever of its devices the mounts name."""
        devices = [block for name in filesystem.devices if (block := self.blocks.named(name)) is not None]
        found = {one.mount.target: one for block in devices for one in self.mounts_of(block)}
        return tuple(found.values())

    def swaps_on(self, block: Block) -> tuple[Swap, ...]:
        """The swap spaces directly on a device, not swap files."""
        return tuple(s for s in self.swaps if s.partition and self.tree.device_named(s.path) == block.name)

    def is_system(self, block: Block) -> bool:
        """Whether the running system is on ``block`` itself."""
        filesystem = self.btrfs_of(block)
        mounts = self.btrfs_mounts(filesystem) if filesystem else self.mounts_of(block)
        return bool(self.system_targets(mounts)) or self.is_system_swap(block) or self._is_system_pool(block)

    def system_targets(self, mounts: tuple[MountedAt, ...]) -> list[str]:
        """The targets among ``mounts`` that the running system needs."""
        return [one.mount.target for one in mounts if one.host and one.mount.target in SYSTEM_TARGETS]

    def is_system_swap(self, block: Block) -> bool:
        """Whether ``block`` is active swap that is also in fstab."""
        return bool(self.swaps_on(block)) and any(
            reference.use == "swap" for reference in self.references_to(block)
        )

    def references_to(self, block: Block) -> tuple[Reference, ...]:
        """The configuration lines that refer to ``block``."""
        udev, signatures = self.udev(block), self.signatures_of(block)
        by_tag = {
            "UUID": {s.uuid.lower() for s in signatures},
            "LABEL": {s.label for s in signatures if s.type not in {"linux_raid_member", "LVM2_member"}},
            "PARTUUID": {udev.get("ID_PART_ENTRY_UUID", "").lower()},
            "PARTLABEL": {udev.get("ID_PART_ENTRY_NAME", "")},
            "MD_UUID": {bare(s.uuid) for s in signatures if s.type == "linux_raid_member"},
        }
        return tuple(
            one
            for one in self.references
            if self._is_path_of(one, block)
            or (one.value if one.tag in {"LABEL", "PARTLABEL"} else one.value.lower())
            in by_tag.get(one.tag, set()) - {""}
        )

    def _is_path_of(self, reference: Reference, block: Block) -> bool:
        if reference.tag not in {"PATH", "ID"}:
            return False
        path = reference.value if reference.tag == "PATH" else f"/dev/disk/by-id/{reference.value}"
        return self.tree.device_named(path) == block.name

    def _is_system_pool(self, block: Block) -> bool:
        pools = {
            one.mount.source.partition("/")[0]
            for one in self.mounts
            if one.mount.type == "zfs" and self.system_targets((one,))
        }
        return any(s.type == "zfs_member" and s.label in pools for s in self.signatures_of(block))
