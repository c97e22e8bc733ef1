"""Hazards of bands: md's for each array, LVM's over them, and space that no array can use yet."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.look import Check, Look
from raidtui.backends.lvm_on_md.hazards import boot_loader, late_start
from raidtui.backends.md import hazards as md
from raidtui.model.plan import Hazard, notice
from raidtui.steps.pieces import called

_OF_MD: Final[tuple[Check, ...]] = (
    md.checksums_without_repair,
    md.idle_trim,
    md.write_hole,
    md.no_bitmap,
    md.no_mail_address,
    md.not_monitored,
    md.never_scrubbed,
    md.new_superblock,
    md.explicit_bitmap,
    md.start_up,
    md.sector_sizes,
)


def levels_in(look: Look) -> tuple[str, ...]:
    """md's level of each band."""
    return tuple(band.split()[0] for band in look.facts.layout.split(" + "))


def level_missing(look: Look) -> Iterator[Hazard]:
    """The running kernel has no module for the level of a band."""
    for level in dict.fromkeys(levels_in(look)):
        yield from md.level_missing(replace(look, spec=replace(look.spec, level=level)))


def pending(look: Look) -> Iterator[Hazard]:
    """Space above the last band, which no array can use until one more disk is as large."""
    found = [(place, use) for place, use in enumerate(look.facts.members) if " pending: " in use.why]
    if not found:
        return
    words = [use.why.partition("; ")[2] for _, use in found]
    names = [called(look.members[place]) if look.members else f"disk {place + 1}" for place, _ in found]
    yield notice(
        id="pending-space",
        seen="; ".join(f"{name}: {text}" for name, text in zip(names, words, strict=True)),
        meaning="No new space there yet: too few disks reach so far for an array that survives a failed one.",
        advice="Add a disk of that size now, or replace a smaller one by it later: raidtui replace, then raidtui grow.",
        source="raidtui calc --level " + look.spec.level,
        disks=tuple(look.members[place].identity for place, _ in found) if look.members else (),
    )


CHECKS: Final[tuple[Check, ...]] = (
    *_OF_MD,
    level_missing,
    pending,
    late_start,
    boot_loader,
)
"""Every check of this backend."""
