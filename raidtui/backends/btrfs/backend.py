"""Btrfs over several disks, behind the contract: it can be calculated."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from raidtui.backends.btrfs.facts import btrfs_facts
from raidtui.backends.btrfs.hazards import CHECKS, GRADES
from raidtui.backends.btrfs.levels import COMPARED, LEVELS
from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.options import NO_OPTIONS
from raidtui.model.spec import Backend, Spec

if TYPE_CHECKING:
    from raidtui.backends.contract import BackendContract


class Btrfs:
    """Btrfs over several disks."""

    name = Backend.BTRFS
    noun = "filesystem"
    blurb = "A Btrfs filesystem over all disks, with checksums and snapshots. "
    unreadable = "Btrfs reports which files are damaged"
    levels = LEVELS
    own_filesystem = "btrfs"
    options = NO_OPTIONS
    hazards = CHECKS
    grades = GRADES
    builder = None

    def defaults(self, spec: Spec) -> Spec:
        """What is left open, its facts decide."""
        return spec

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """What it gives."""
        return btrfs_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The usual levels."""
        return usual(COMPARED, wanted)


BACKEND: "BackendContract" = Btrfs()
