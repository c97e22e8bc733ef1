"""Hazards of this computer, regardless of the layout."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.model.plan import Hazard, notice, warning
from raidtui.model.text import harmless


def in_container(look: Look) -> Iterator[Hazard]:
    """A container, which shares the kernel, and so the arrays, with its host."""
    if look.machine is None or not look.machine.system.container:
        return
    yield warning(
        id="container",
        seen=f"inside a container ({harmless(look.machine.system.container)})",
        meaning=(
            "The array would belong to the host: its udev names it and its modules run it. What this container writes for the "
            "next boot is never read there."
        ),
        advice="Run raidtui on the host.",
        source="systemd-detect-virt(1); md belongs to no namespace",
    )


def plain_memory(look: Look) -> Iterator[Hazard]:
    """Memory without ECC."""
    system = look.machine.system if look.machine else None
    if system is None or system.memory_corrects is not False or system.hypervisor:
        return
    yield notice(
        id="no-ecc",
        seen="no memory controller reports corrected errors",
        meaning="A flipped bit in memory is written to every disk alike, and no RAID level detects it.",
        advice=(
            "Use ECC memory and a board that supports it; the ECC inside DDR5 chips does not count. Otherwise test the memory "
            "overnight with memtest86+ first."
        ),
        source="OpenZFS documentation, Hardware: ECC memory; Linux Documentation/admin-guide/RAS, EDAC",
    )


CHECKS: Final[tuple[Check, ...]] = (
    in_container,
    plain_memory,
)
