"""Disks dealt out to groups of equal number that must all survive: the vdevs of a pool, the arrays under a volume."""

from collections.abc import Sequence
from typing import TypeVar

from raidtui.model.errors import CannotBuild
from raidtui.model.text import count_of

Member = TypeVar("Member")


def dealt_out(
    members: Sequence[Member], groups: int, what: str, *, of: str = "disk"
) -> list[Sequence[Member]]:
    """``members`` by group, in their order.

    Args:
        what: the groups are: ``vdevs``.
        of: what a member is.

    Raises:
        CannotBuild: they cannot be dealt out evenly.
    """
    width, rest = divmod(len(members), groups)
    if rest:
        raise CannotBuild(f"{count_of(members, of)} cannot be dealt out evenly to {groups} {what}")
    return [members[start * width : (start + 1) * width] for start in range(groups)]
