"""The texts of the Overview without a unit, and of a recording. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from raidtui.model.machine import Machine
from raidtui.model.text import fold, harmless
from raidtui.model.units import millions
from raidtui.ui.shell import clock
from raidtui.ui.widgets.rows import fit

if TYPE_CHECKING:
    from raidtui.results.summary import Summary

_WELCOME: Final = (
    ("", "No arrays and no jobs yet. Build, understand and benchmark Linux RAID here:"),
    ("", ""),
    (
        "n",
        "choose disks, compare what each level gives, read the exact plan, confirm it by serial number, and build",
    ),
    ("b", "benchmark it on the CrystalDiskMark grid"),
    ("w", "sweep: benchmark many arrays on the same disks, one after another"),
    ("c", "compare with earlier results"),
    ("", ""),
    ("", "Nothing is written before you have seen the plan and named every disk to be erased. {jobs}"),
    ("", "F1 explains each screen."),
    ("", ""),
)
_WIDEST: Final = 76  # cells of a line: longer ones are hard to read
_PLAN_ONLY: Final = (
    ("", "The recording has no arrays. Plan one on its disks:"),
    ("", ""),
    ("n", "choose disks, compare what each level gives, and read the exact plan"),
    ("", ""),
    ("", "The recording has {disks}, {free} of them free."),
    ("", "F1 explains each screen."),
    ("", ""),
)
_JOBS: Final = "Jobs keep running when this screen is closed or the connection is lost."
_JOBS_IN_LAB: Final = "Jobs keep running when you leave this screen; they end with the lab."


def recorded(machine: Machine) -> Content:
    """That this is a recording, of which computer, and when."""
    name = harmless(machine.system.hostname) or "a computer"
    when = f" on {harmless(clock.local(machine.read_at))}" if machine.read_at else ""
    return Content.assemble(
        ("A recording: nothing can be changed. ", "bold $text-warning"),
        f"It shows {name}{when}.",
    )


def plan_only(machine: Machine, *, width: int) -> str:
    """What can be done with a recording without units."""
    free = sum(disk.free for disk in machine.disks)
    return _keys_and_text(_PLAN_ONLY, width, disks=_disks(machine), free=free)


def _disks(machine: Machine) -> str:
    return f"{len(machine.disks)} disk{'s'[: len(machine.disks) != 1]}"


def welcome(machine: Machine, *, in_lab: bool, width: int) -> str:
    """What a newcomer can do."""
    free = sum(disk.free for disk in machine.disks)
    disks = _disks(machine)
    here = (
        f"This is the lab: a real kernel with {disks}, all virtual. Your own disks are not in it. It ends when you "
        "quit. Ctrl-Z opens a shell."
        if in_lab
        else f"This computer has {disks}, {free} of them free."
    )
    return _keys_and_text((*_WELCOME, ("", here)), width, jobs=_JOBS_IN_LAB if in_lab else _JOBS)


def _keys_and_text(parts: Sequence[tuple[str, str]], width: int, **words: object) -> str:
    """Sentences, those about a key with the key before them."""
    lines: list[str] = []
    for key, text in parts:
        first = f"  {key}  " if key else ""
        said = text.format(**words)
        lines += fold(said, min(width, _WIDEST), first=first, then=" " * len(first)) or [""]
    return "\n".join(lines)


def result_lines(results: Sequence["Summary"], width: int, room: int) -> Content:
    """The latest results, at most ``room``, with their rates."""
    abouts = [
        f"  {clock.local(result.created)}  {harmless(result.label or result.id)}" for result in results[:room]
    ]
    longest = min(width - 20, max(map(cell_len, abouts), default=0))
    lines = [
        Content.assemble(
            (fit("Results", longest), "bold $text-primary"),
            (f" {'MB/s read':>9} {'write':>9}", "$text-muted"),
        )
    ]
    for result, about in zip(results, abouts, strict=False):
        rates = f"{millions(result.read_bytes_per_second):>9} {millions(result.write_bytes_per_second):>9}"
        lines.append(Content(f"{fit(about, longest)} {rates}"))
    return Content("\n").join([*lines, *_more(len(results) - room, "press c")])


def _more(count: int, where: str) -> list[Content]:
    return [Content.assemble((f"  and {count} more: {where}", "$text-muted"))] if count > 0 else []
