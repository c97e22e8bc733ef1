"""Hazards of the level and layout.

The level names used here mean the same in every backend that has them: raid5, raid6, raid10.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.disk_inputs import known_inputs
from raidtui.advice.hazards.drives import error_recovery_missing, error_recovery_off, shingled
from raidtui.advice.hazards.likeness import same_batch
from raidtui.backends.look import Check, Look
from raidtui.backends.registry import backend
from raidtui.model.chance import percent
from raidtui.model.md_levels import parity_of
from raidtui.model.plan import Hazard, Severity, notice, warning
from raidtui.model.text import count_of, spelled
from raidtui.model.units import TIB, both

BIG_DISK: Final = 8_000_000_000_000
MANY_DISKS: Final = 6
WIDE: Final = {"raid5": 8, "raid6": 12}


def _of_array(look: Look) -> str:
    """The md level with the same data placement; for a volume over several arrays, the level of the arrays."""
    level = look.spec.level
    return backend(look.spec.backend).levels[level].placed_as or level


def _manual(look: Look) -> str:
    return backend(look.spec.backend).manual


def no_redundancy(look: Look) -> Iterator[Hazard]:
    """Levels without redundancy."""
    if look.redundant or not look.facts.members:
        return
    disks, afr = len(look.facts.members), known_inputs(look.members).afr if look.afr is None else look.afr
    yield warning(
        id="no-redundancy",
        seen=f"{spelled(look.spec.level)} on {count_of(look.facts.members, 'disk')}",
        meaning=(
            f"One failed disk loses everything: about {percent(1 - (1 - afr) ** disks)} a year, "
            f"assuming a {percent(afr)} annual failure rate."
        ),
        advice="Choose a level that survives a failed disk, unless the data is easy to recreate.",
        source="1 - (1 - AFR)^n; AFR: Backblaze drive statistics 2020-2025",
    )


def raid5_large(look: Look) -> Iterator[Hazard]:
    """Single parity over large disks or many disks."""
    if parity_of(_of_array(look)) != 1 or look.facts.parity != 1 or not look.facts.members:
        return
    levels = backend(look.spec.backend).levels
    double = [name for name, level in levels.items() if level.placement == "raid6"]
    other = look.spec.level.replace("5", "6")
    largest, disks = max(look.sizes), look.width
    if largest < 0.98 * BIG_DISK and disks < MANY_DISKS:
        return
    worse = (
        any(shingled(d) for d in look.disks)
        or any(error_recovery_off(look))
        or any(error_recovery_missing(look))
        or any(same_batch(look))
    )
    yield Hazard(
        id="raid5-large",
        severity=Severity.HIGH if worse else Severity.WARN,
        seen=f"{spelled(look.spec.level)} on {disks} disks of up to {both(largest)}"
        + (", some without an error-recovery limit, shingled or of one batch" if worse else ""),
        meaning="While a failed disk is rebuilt there is no redundancy: a second failure, or a bad sector, loses data.",
        advice=f'Set level = "{other if other in double else double[0]}". It costs one more disk'
        f"{' in each array' if look.facts.groups > 1 else ''}, and repairs bad sectors even during a rebuild.",
        source=f"{_manual(look)}; raidtui calc shows the probabilities",
    )


def wide(look: Look) -> Iterator[Hazard]:
    """Too many members in one stripe."""
    limit = WIDE.get(_of_array(look))
    if limit is None or look.width <= limit:
        return
    yield warning(
        id="wide",
        seen=f"{spelled(look.spec.level)} on {look.width} disks",
        meaning=(
            "The risk of another failure during a rebuild grows with every disk. In a wide stripe, small writes and rebuilds "
            "involve many disks."
        ),
        advice="Build two arrays of half the width, or use more parity. For RAID10 the width does not matter.",
        source="our own limits: 8 members for RAID5, 12 for RAID6",
    )


def two_disk_parity(look: Look) -> Iterator[Hazard]:
    """RAID4 or RAID5 on two disks: a mirror with the cost of parity."""
    if parity_of(_of_array(look)) == 1 and look.facts.parity == 1 and look.width == 2:
        yield warning(
            id="two-disk-parity",
            seen=f"{spelled(look.spec.level)} on 2 disks",
            meaning="On two disks the parity is a copy of the data: slower than RAID1, and no safer.",
            advice='Set level = "raid1", unless the array will grow soon.',
            source=_manual(look),
        )


def weak_mirrors(look: Look) -> Iterator[Hazard]:
    """RAID10 layouts in which every disk has two partners."""
    disks, lives = len(look.facts.members), look.facts.survival
    fatal = lives.second_failure_fatal_probability
    if look.spec.level != "raid10" or disks < 4 or lives.guaranteed != 1:
        return
    if not 1 / (disks - 1) + 1e-9 < fatal < 1:  # 1: no fixed partners, as in Btrfs
        return
    yield warning(
        id="raid10-neighbours",
        seen=f"layout {look.facts.layout} on {disks} disks",
        meaning=(
            f"A second random failure loses data in {percent(fatal)} of cases, twice as often as with "
            "layout n2. Every disk shares data with two others."
        ),
        advice=(
            'Set layout = "n2", with an even number of disks'
            + ("." if disks % 2 == 0 else "; make the odd one a spare.")
        ),
        source="Linux drivers/md/raid10.c, placement of copies",
    )


def two_disk_raid10(look: Look) -> Iterator[Hazard]:
    """RAID10 on two disks: a mirror, laid out differently."""
    if look.spec.level == "raid10" and len(look.facts.members) == 2 and look.facts.layout:
        yield notice(
            id="two-disk-raid10",
            seen=f"RAID10 on 2 disks, layout {look.facts.layout}",
            meaning="On two disks this holds as much as RAID1 and survives the same failure. With layout f2 it reads "
            "large files from both disks at once, and writes more slowly.",
            advice='Set level = "raid1" unless you need fast large reads. Most boot loaders can only start from raid1.',
            source="md(4), RAID10 far layout",
        )


def four_disks(look: Look) -> Iterator[Hazard]:
    """RAID6 and RAID10 on four disks have the same space."""
    levels = backend(look.spec.backend).levels
    both_fit = all(name in levels and levels[name].min_disks <= 4 for name in ("raid6", "raid10"))
    if backend(
        look.spec.backend
    ).own_filesystem:  # Btrfs raid10 has no fixed pairs, and its raid6 is not as safe
        return
    if len(look.facts.members) == 4 and look.spec.level in {"raid6", "raid10"} and both_fit:
        yield notice(
            id="raid6-or-raid10",
            seen=f"{spelled(look.spec.level)} on 4 disks",
            meaning=(
                "RAID6 and RAID10 give the same space here. RAID6 survives any two failures. RAID10 survives one, and a second "
                "random one in 67 % of cases; it writes faster and rebuilds from one disk."
            ),
            advice='Set level = "raid6" for safety, or level = "raid10" for small writes.',
            source=_manual(look),
        )


def no_spare(look: Look) -> Iterator[Hazard]:
    """No hot spare."""
    if look.redundant and look.facts.members and not look.facts.spares:
        maker = backend(look.spec.backend)
        named = ", or name one under spares" if "spares" in maker.options else ""
        yield notice(
            id="no-spare",
            seen="no spare",
            meaning=f"A failed disk leaves the {maker.noun} degraded until somebody replaces it. Most of the risk is in that wait.",
            advice=f"Keep a tested disk on the shelf{named}.",
            source=f"{_manual(look)}; raidtui calc --repair-hours shows the difference",
        )


def too_large_for_32_bits(look: Look) -> Iterator[Hazard]:
    """More than 16 TiB on a 32-bit kernel, which cannot address it."""
    if look.machine is None or backend(look.spec.backend).own_filesystem:
        return
    architecture = look.machine.system.architecture
    narrow = architecture in {"i386", "i486", "i586", "i686", "x86", "arm", "armhf", "mips", "mipsel", "ppc"}
    if (narrow or architecture.startswith(("armv5", "armv6", "armv7"))) and look.facts.array_bytes > 16 * TIB:
        yield Hazard(
            id="32-bit",
            severity=Severity.BLOCK,
            seen=f"{both(look.facts.array_bytes)} on {architecture}",
            meaning="Data is lost beyond 16 TiB: a 32-bit kernel cannot address more of one device.",
            advice="Use a 64-bit kernel, or fewer or smaller members.",
            source="N. Brown on linux-raid, 2009: page->index has 32 bits",
        )


CHECKS: Final[tuple[Check, ...]] = (
    no_redundancy,
    raid5_large,
    wide,
    two_disk_parity,
    weak_mirrors,
    two_disk_raid10,
    four_disks,
    no_spare,
    too_large_for_32_bits,
)
