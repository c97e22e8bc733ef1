"""A result in one line, for lists."""

from typing import Final

from raidtui.model.result import Cell, Context, Result
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.units import spell_size
from raidtui.results.as_cdm import TITLES


class Summary(Record, frozen=True, kw_only=True):
    """What a list of results shows of each. The rates are those of the grid's first row, 0 where not measured."""

    id: str
    label: str
    created: str  # ISO 8601, UTC
    profile: str
    target: str
    array: str = ""
    level: str = ""
    filesystem: str = ""
    read_bytes_per_second: float = 0.0
    write_bytes_per_second: float = 0.0


def summarise(result: Result) -> Summary:
    """The line for ``result``."""
    array = result.context.array
    return Summary(
        id=result.id,
        label=result.label,
        created=result.created,
        profile=result.profile,
        target=result.context.target,
        array=array.name if array else "",
        level=array.level if array else "",
        filesystem=result.context.filesystem,
        read_bytes_per_second=_first(result.cells, "read"),
        write_bytes_per_second=_first(result.cells, "write"),
    )


def _first(cells: tuple[Cell, ...], direction: str) -> float:
    return next((cell.bytes_per_second for cell in cells if cell.direction == direction), 0.0)


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
    """The operating system: raidtui knows only Linux, other programs print their own whole."""
    return harmless(f"Linux {context.kernel}" if context.kernel and not context.origin else context.kernel)


def layout_of(context: Context) -> str:
    """What was measured, in a few words: ``raid5 of 4, ext4``."""
    words = []
    if context.array is not None:
        words.append(f"{context.array.level or 'array'} of {context.array.raid_disks}")
    elif len(context.disks) == 1:
        words.append("one disk")
    if context.filesystem or not context.origin:  # other programs do not tell
        words.append(context.filesystem or "no filesystem")
    return harmless(", ".join(words)) or "unknown"
