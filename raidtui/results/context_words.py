"""The context of a result in a few words: how it was measured, on which system and layout. Pure."""

from typing import Final

from raidtui.model.result import Context
from raidtui.model.text import harmless
from raidtui.model.units import spell_size
from raidtui.results.as_cdm import TITLES

CACHE: Final = {True: "O_DIRECT", False: "through the page cache", None: "O_DIRECT or not: unknown"}


def how_of(context: Context) -> str:
    """How it was measured, in a few words: ``1GiB, 6 runs of 5 s, io_uring, O_DIRECT``."""
    runs = f"{context.runs} {'run' if context.runs == 1 else 'runs'}" if context.runs else ""
    words = (
        spell_size(context.size_bytes) if context.size_bytes else "",
        f"{runs} of {context.seconds} s" if runs and context.seconds else runs,
        context.engine,
        CACHE[context.direct],
        f"as {TITLES[context.compat]}" if context.compat in TITLES else "",
    )
    return harmless(", ".join(word for word in words if word))


def system_of(context: Context) -> str:
    """The operating system: raidtui stores only the kernel of Linux, other programs print the full name."""
    return harmless(f"Linux {context.kernel}" if context.kernel and not context.origin else context.kernel)


def filesystem_of(context: Context) -> str:
    """The filesystem; empty if the backend is its own filesystem and named already: ``btrfs raid1``."""
    if context.unit is not None and context.filesystem == context.unit.backend.value:
        return ""
    return context.filesystem or "no filesystem"


def layout_of(context: Context) -> str:
    """What was measured, in a few words: ``raid5 of 4, ext4``."""
    words = []
    if context.unit is not None:
        words.append(f"{context.unit.kind} of {context.unit.raid_disks}")
    elif len(context.disks) == 1:
        words.append("one disk")
    if context.filesystem or not context.origin:  # other programs do not report it
        words.append(filesystem_of(context))
    words = [word for word in words if word]
    return harmless(", ".join(words)) or "unknown"


def settings_of(context: Context) -> str:
    """The chunk, and the settings of a card or pool: ``chunk 64KiB, write policy write-back, battery optimal``."""
    unit = context.unit
    if unit is None:
        return ""
    settings = {"chunk": spell_size(unit.chunk_bytes) if unit.chunk_bytes else "", **unit.properties}
    return harmless(", ".join(f"{name} {value}" for name, value in settings.items() if value))
