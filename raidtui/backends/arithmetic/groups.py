"""Divide disks into equal groups that must all survive: the vdevs of a pool, the arrays under a volume."""

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
        what: the noun for the groups, for the error: ``vdevs``.
        of: the noun for a member.

    Raises:
        CannotBuild: they cannot be divided evenly.
    """
    width, rest = divmod(len(members), groups)
    if rest:
        raise CannotBuild(f"{count_of(members, of)} cannot be divided evenly among {groups} {what}")
    return [members[start * width : (start + 1) * width] for start in range(groups)]
