"""Rows and details of the Burn-in screen. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from textual.content import Content

from raidtui.advice.burnin import verdict
from raidtui.bench.burnin.course import BurnInProgress, DiskProgress
from raidtui.model.chance import in_percent
from raidtui.model.history import BurnIn
from raidtui.model.machine import Disk
from raidtui.model.text import harmless
from raidtui.model.units import about, decimal, millions, rate
from raidtui.ui.bench.curves import curve, squeezed
from raidtui.ui.care.job_words import OF_BURN_IN
from raidtui.ui.shell import clock
from raidtui.ui.widgets.rows import Column, Row

SPEEDS: Final = 12  # cells of the line of speeds
_RAMP: Final = "_.-=+*#"  # from zero to the highest speed
_TABLE: Final = (
    "An empty partition table is on it. t shows the plan that erases it and leaves the disk blank."
)
_CURVE: Final = (60, 3)  # cells and lines
_DOES: Final = (
    "Short self-test: each disk tests itself, for about two minutes.",
    "Read all: every sector, from the first to the last. The speed of each part is recorded.",
    "Read again: what was slow, several times. It is called slow only if it stays slow.",
    "Find bad sectors: where reading failed, which sectors cannot be read.",
    "Long self-test: each disk reads its whole surface itself.",
)
_MEANWHILE: Final = "Nothing is written. Until it ends, the disks cannot be used for anything else."
_TALLEST: Final = 9  # lines of a curve on a large terminal

COLUMNS: Final = (
    Column("", 4, right=True),
    Column("Disk", 5),
    Column("Serial", 9, share=1, keep_end=True),
    Column("Size", 7, right=True),
    Column("Start → end", SPEEDS),
    Column("Result", 20, share=4),
)


def row(
    disk: Disk,
    *,
    mark: str,
    obstacle: str,
    result: BurnIn | None,
    running: DiskProgress | None,
    step: str,
    top: int,
) -> Row:
    """A line for a disk: its speed by position beside that of the others, and what is known or done now.

    Args:
        mark: whether it is chosen.
        obstacle: why it cannot be burned in; empty if it can.
        running: how far the burn-in is that runs on it.
        step: of that burn-in.
        top: the highest speed of all disks, in bytes a second.
    """
    rates = running.rates if running is not None and any(running.rates) else result.rates if result else ()
    style = ""
    if running is not None:
        words = running_words(running, step)
        style = "bold $text-error" if running.gave_up else "$text-primary"
    elif result is not None:
        words = verdict(result)
        style = (
            "$text-success"
            if result.is_well
            else "bold $text-error"
            if result.has_errors
            else "$text-warning"
        )
    else:
        words = obstacle.removeprefix("is ") or "not burned in"
    cells = (
        mark,
        disk.short,
        harmless(disk.identity) or "no serial",
        decimal(disk.size_bytes),
        speed_line(rates, top),
        harmless(words),
    )
    plain = "$text-muted" if obstacle and running is None else ""
    return Row(disk.key, cells, (*(plain,) * 5, style or plain))


def running_words(one: DiskProgress, step: str) -> str:
    """What happens to a disk now: "reading all 45 %, 182 MB/s"."""
    if one.gave_up:
        return f"gave up: {one.gave_up}"
    doing = OF_BURN_IN.get(step, "starting")
    far = f" {in_percent(min(0.99, one.share) if one.share < 1 else 1)}" if one.share is not None else ""
    speed = f", {rate(one.bytes_per_second)}" if one.bytes_per_second and one.share != 1 else ""
    return f"{doing}{far}{speed}"


def speed_line(rates: Sequence[int], top: int) -> str:
    """Speeds by position in one line, from zero to ``top``; empty without any. What is not read yet is a space."""
    if not top or not any(rates):
        return ""
    known = squeezed([float(bool(one)) for one in rates], SPEEDS)
    drawn = (
        _RAMP[min(len(_RAMP) - 1, int(one / share / top * len(_RAMP)))] if share else " "
        for one, share in zip(squeezed(rates, SPEEDS), known, strict=True)
    )
    return "".join(drawn).rstrip()


def heading(progress: BurnInProgress | None, chosen: int, stopped: str = "") -> str:
    """The title: how far the burn-in is that runs, how many disks are chosen, or how the last one ``stopped``."""
    if progress is None:
        if stopped and not chosen:
            return f"Burn-in {stopped.upper()}: r resumes it where it stopped"
        return f"Burn-in: {chosen} chosen" if chosen else "Burn-in: try disks before they are trusted"
    left = f", {about(progress.left_seconds)} left of this step" if progress.left_seconds else ""
    return f"Burn-in: {OF_BURN_IN.get(progress.step, 'starting')}{left}"


def details(
    disk: Disk,
    result: BurnIn | None,
    obstacle: str,
    running: DiskProgress | None,
    *,
    width: int,
    table: bool = False,
) -> Content:
    """What is known of the highlighted disk, with its curve at most ``width`` cells wide.

    Args:
        table: an empty partition table is on it, and nothing else.
    """
    name = (
        f"{harmless(disk.identity) or 'no serial'} ({disk.short}, {harmless(disk.model) or 'unknown model'})"
    )
    return Content("\n").join(
        [
            Content.assemble((name, "bold")),
            *map(Content, _about(result, obstacle, running, width)),
            *([Content(_TABLE)] if table and running is None else []),
        ]
    )


def side_by_side(
    known: Sequence[tuple[Disk, Sequence[int]]], chosen: str, *, width: int, room: int
) -> Content:
    """The speed by position of every disk on one scale, in at most ``room`` lines; the one with the key ``chosen`` is marked.

    Without any, what a burn-in does.
    """
    if not known:
        head = Content.assemble(("What a burn-in does to all chosen disks at once", "bold $text-primary"))
        steps = [Content(f"{number} {one}") for number, one in enumerate(_DOES, 1)]
        return Content("\n").join([head, *steps, Content(_MEANWHILE)])
    height = min(_TALLEST, room // len(known) - 2)
    if height < _CURVE[1]:
        return Content("")
    top = max(max(rates) for _, rates in known)
    scale = f"Speed from the first sector to the last; the top is {millions(top, 0)} MB/s"
    lines = [Content.assemble((scale, "bold $text-primary"))]
    for number, (disk, rates) in enumerate(known):
        lines += [Content("")] if number else []
        least = min(one for one in rates if one)
        title = f"{disk.short} {harmless(disk.identity)}: {millions(max(rates), 0)} MB/s at most, {millions(least, 0)} at least"
        lines.append(Content.assemble((title, "bold" if disk.key == chosen else "$text-muted")))
        drawn = curve(rates, width=width, height=height, top=top)
        lines += [Content.assemble((line, "$primary")) for line in drawn]
    return Content("\n").join(lines)


def _about(result: BurnIn | None, obstacle: str, running: DiskProgress | None, width: int) -> Iterator[str]:
    if running is not None:
        yield "Its speed so far is beside that of the others. The verdict comes when all of them are done."
        yield from _drawn(running.rates, width)
    elif result is not None:
        yield harmless(f"{clock.local(result.at)}: {verdict(result)}")
        yield from _drawn(result.rates, width)
    elif obstacle:
        yield harmless(f"It cannot be burned in: it {obstacle}")
    else:
        yield "Nobody has read all of it here yet. Space chooses it, Enter begins. Nothing is written."


def _drawn(rates: Sequence[int], width: int) -> Iterator[str]:
    """A curve of the speed by position, with its highest and lowest figure."""
    known = [one for one in rates if one]
    if not known or width < 1:
        return
    yield f"{millions(max(known), 0)} MB/s at most, {millions(min(known), 0)} at least; from start to end:"
    yield from curve(rates, width=min(_CURVE[0], width), height=_CURVE[1])
