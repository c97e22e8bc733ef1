"""What a backend must say so that a plan for its units can be rehearsed on copies of their disks."""

from collections.abc import Mapping
from typing import Protocol

from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow
from raidtui.model.unit import Unit


class Rehearser(Protocol):
    """Makes copies of members on which syncs are short: small superblocks, or the unit made anew."""

    engine: str = "uml"
    """The lab's engine whose kernel has this backend."""
    full_size: bool = False
    """Whether a unit is made anew, empty, on members of their full size."""

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """Why the lab would not have this unit; empty if it would."""
        ...

    def no_growth(self, unit: Unit, order: Grow) -> str:
        """Why the growth ``order`` of ``unit`` would not be the same in the lab; empty if it would be."""
        return ""

    def grows_whole(self, unit: Unit) -> bool:
        """Whether ``unit`` has its full size in the lab when it grows: nothing of it syncs."""
        return False

    def identifiers(self, unit: Unit, machine: Machine) -> tuple[str, ...]:
        """What plans call ``unit`` and its members by, and the lab cannot give again; of units alike in the same order."""
        return ()

    def places(self, unit: Unit, machine: Machine) -> Mapping[str, tuple[int, int]]:
        """Where on each member, by its path, that lies which `lessened` changes: offset and length in bytes."""
        return {}

    def lessened(self, content: bytes, member_bytes: int) -> bytes:
        """``content`` of such a place, changed so that the member holds ``member_bytes`` of data.

        What has no redundancy never syncs, and stays as it is.

        Raises:
            BadInput: it is not what was expected there.
        """
        return content

    def remake(self, unit: Unit, machine: Machine, contents: Mapping[str, bytes], member_bytes: int) -> str:
        """A script for the lab that makes what the copies do not hold, with the same UUIDs; empty if they hold all.

        What it cannot give the same are `identifiers`.

        Args:
            contents: what was at `places`, before it was changed.

        Raises:
            BadInput: ``contents`` are not what was expected.
        """
        return ""
