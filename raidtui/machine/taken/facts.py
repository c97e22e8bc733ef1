"""Everything needed to find out why a disk is taken, read once for all disks."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import field

from raidtui.machine.configured import Reference
from raidtui.machine.contents.unknown_data import Unknown
from raidtui.machine.taken.exported import Export
from raidtui.machine.taken.processes import Opener
from raidtui.machine.tree import Tree
from raidtui.machine.udev import NONE, Properties
from raidtui.machine.volumes import PhysicalVolume
from raidtui.model.config_lines import Names
from raidtui.model.device import Device
from raidtui.model.device_graph import DeviceGraph, MountedAt
from raidtui.model.machine import Array, Signature
from raidtui.model.struct import Record
from raidtui.model.superblock import Superblock
from raidtui.model.uuids import bare

# Mount points of the running system. /home and /srv can be unmounted; these cannot, or not for long. The last
# three are the media of live systems.
SYSTEM_TARGETS: Final = frozenset(
    {"/", "/usr", "/etc", "/var", "/boot", "/boot/efi", "/efi"}
    | {"/run/live/medium", "/run/initramfs/live", "/cdrom"}
)
_NAMED: Final = frozenset(
    {"linux_raid_member", "LVM2_member"}
)  # their label is the name of an array or a group


class MachineFacts(Record, frozen=True, kw_only=True):
    """One reading. "By name" below means the kernel name of a disk or partition."""

    tree: Tree
    graph: DeviceGraph
    properties: Mapping[str, Properties] = field(default_factory=dict)  # by device number
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

    def udev(self, block: Device) -> Properties:
        """The udev properties of a device."""
        return self.properties.get(block.number, NONE)

    def signatures_of(self, block: Device) -> tuple[Signature, ...]:
        """The signatures on a device."""
        return self.signatures.get(block.path, ())

    def array_of(self, block: Device) -> Array | None:
        """The array whose node is ``block``."""
        return next((array for array in self.arrays if array.node == block.path), None)

    def is_system(self, block: Device) -> bool:
        """Whether the running system is on ``block`` itself."""
        mounts = self.graph.mounts_on(block)
        return bool(self.system_targets(mounts)) or self.is_system_swap(block) or self._is_system_pool(block)

    def system_targets(self, mounts: tuple[MountedAt, ...]) -> list[str]:
        """The targets among ``mounts`` that the running system needs."""
        return [one.mount.target for one in mounts if one.host and one.mount.target in SYSTEM_TARGETS]

    def is_system_swap(self, block: Device) -> bool:
        """Whether ``block`` is active swap that is also in fstab."""
        return block.is_swap and any(reference.use == "swap" for reference in self.references_to(block))

    def references_to(self, block: Device) -> tuple[Reference, ...]:
        """The configuration lines that refer to ``block``."""
        signatures = self.signatures_of(block)
        names = Names(
            paths=block.names,
            uuids=frozenset(bare(s.uuid) for s in signatures),
            labels=frozenset(s.label for s in signatures if s.type not in _NAMED),
            partition_uuids=frozenset({bare(block.partition_uuid)}),
            partition_labels=frozenset({block.partition_label}),
            array_uuids=frozenset(bare(s.uuid) for s in signatures if s.type == "linux_raid_member"),
        )
        return tuple(
            one
            for one in self.references
            if names.have(one.name)
            or (one.name.tag == "PATH" and self.tree.device_named(one.name.value) == block.name)
        )

    def _is_system_pool(self, block: Device) -> bool:
        pools = {
            one.mount.source.partition("/")[0]
            for one in self.graph.mounts
            if one.mount.type == "zfs" and self.system_targets((one,))
        }
        return any(s.type == "zfs_member" and s.label in pools for s in self.signatures_of(block))
