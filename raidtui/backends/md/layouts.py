"""The layouts of md's levels, and how many disks each takes."""

from typing import Final

from raidtui.backends.arithmetic.copies import RAID10_LAYOUT, copies_of
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.nearest import hint
from raidtui.model.text import spelled

# md's words: all that the kernel accepts for each level (algorithm_valid_raid5, _raid6).
_RAID5: Final = (
    "left-symmetric",
    "left-asymmetric",
    "right-symmetric",
    "right-asymmetric",
    "parity-first",
    "parity-last",
)
_RAID6: Final = (
    *_RAID5,
    "ddf-zero-restart",
    "ddf-N-restart",
    "ddf-N-continue",
    "left-symmetric-6",
    "left-asymmetric-6",
    "right-symmetric-6",
    "right-asymmetric-6",
    "parity-first-6",
)
PARITY_LAYOUTS: Final = {"raid5": _RAID5, "raid6": _RAID6}


def default_layout(level: str) -> str:
    """mdadm's default layout; empty for levels without layouts."""
    if level == "raid10":
        return RAID10_LAYOUT
    return "left-symmetric" if level in PARITY_LAYOUTS else ""


def check_layout(level: str, layout: str | None, disks: int) -> str:
    """Return the layout that will be used, in mdadm's spelling.

    Raises:
        CannotBuild: an unknown level, an unknown layout, or a layout of another level.
    """
    if level not in MD_LEVELS:
        raise CannotBuild(
            f"{level!r} is not a level of mdadm: {', '.join(MD_LEVELS)}{hint(level, MD_LEVELS)}"
        )
    if not layout:
        return default_layout(level)
    if level == "raid10":
        copies = copies_of(layout)
        if copies.total < 2:
            raise CannotBuild(f"layout {layout} keeps one copy; RAID10 keeps two or more, such as n2")
        if copies.total > disks > 1:
            raise CannotBuild(
                f"layout {layout} keeps {copies.total} copies, more than the {disks} disks there are"
            )
        return layout
    if level not in PARITY_LAYOUTS:
        raise CannotBuild(f"{spelled(level)} has no layout; leave {layout!r} out")
    if layout not in PARITY_LAYOUTS[level]:
        known = PARITY_LAYOUTS[level]
        raise CannotBuild(
            f"{layout!r} is not a layout of {spelled(level)}{hint(layout, known, f'{known[0]} is one')}"
        )
    return layout


def check_count(level: str, disks: int, spares: int, layout: str) -> None:
    """Refuse the numbers of disks that mdadm refuses (Create.c).

    Raises:
        CannotBuild: too few or too many disks, or spares for a level without redundancy.
    """
    known = MD_LEVELS[level]
    least = known.least
    if disks == 0:
        raise CannotBuild(f"no disks given; {spelled(level)} takes at least {least}")
    if disks < least:
        raise CannotBuild(f"{spelled(level)} takes at least {least} disks, not {disks}")
    if known.parity and disks > 256:
        raise CannotBuild(f"{spelled(level)} takes at most 256 disks, not {disks}")
    if spares and not known.redundant:
        raise CannotBuild(f"{spelled(level)} cannot have spares: it has no redundancy to rebuild from")
    if level == "raid10" and copies_of(layout).total > disks:
        raise CannotBuild(
            f"layout {layout} keeps {copies_of(layout).total} copies and there are only {disks} disks"
        )
