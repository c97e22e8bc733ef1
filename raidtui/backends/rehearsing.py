"""What a backend must say so that a plan for its units can be rehearsed on copies of their disks."""

from collections.abc import Mapping
from typing import Protocol

from raidtui.model.machine import Machine
from raidtui.model.unit import Unit


class Rehearser(Protocol):
    """Makes copies of members on which syncs are short."""

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """Why the copies would not be this unit; empty if they are."""
        ...

    def places(self, unit: Unit, machine: Machine) -> Mapping[str, tuple[int, int]]:
        """Where on each member, by its path, that lies which `lessened` changes: offset and length in bytes."""
        ...

    def lessened(self, content: bytes, member_bytes: int) -> bytes:
        """``content`` of such a place, changed so that the member holds ``member_bytes`` of data.

        What has no redundancy never syncs, and stays as it is.

        Raises:
            BadInput: it is not what was expected there.
        """
        ...
