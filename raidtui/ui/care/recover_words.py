"""What a recovery trial found, in the lines of its screen. Pure; text from disks is made harmless here."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from textual.content import Content

from raidtui.model.recovery import Recovery, Tried
from raidtui.model.text import count_of, fold, harmless, spelled
from raidtui.model.units import spell_size
from raidtui.ui.care.unit_styles import BAD, GOOD, WARN
from raidtui.ui.shell import clock
from raidtui.ui.widgets.bars import percent_bar
from raidtui.ui.widgets.rows import Row

_STEP: Final = re.compile(r"\[(\d+)/(\d+)\] (.*)")
_PARTITION: Final = re.compile(r"-part\d+\b")
_BAR: Final = 40  # cells
_STYLES: Final = {
    "CLEAN": GOOD,
    "UNCHECKED": WARN,
    "REPAIRED": WARN,
    "ERRORS": WARN,
    "DAMAGED": BAD,
    "EMPTY": WARN,
    "LISTED": WARN,
    "UNKNOWN": WARN,
    "NOTHING": "$text-muted",
}
_MEANS: Final = {
    "CLEAN": "",
    "UNCHECKED": "Files are there; fsck was not run or did not end.",
    "REPAIRED": "Files are there after a repair on the overlay; what was in lost folders is in lost+found.",
    "ERRORS": "Files are there, and fsck finds errors. Another line may be the right one.",
    "DAMAGED": "Files are there, and some cannot be read or have wrong contents. Another line may be the right one.",
    "EMPTY": "It mounts, and no file is in it: a new filesystem, or not the right way.",
    "LISTED": "It does not mount; its files can be copied out, and none was read yet.",
    "UNKNOWN": "It could not be found out, which speaks neither for it nor against it.",
    "NOTHING": "Not this way: no files.",
}


class Progress:
    """How far a trial is, from the lines that it prints."""

    def __init__(self, does: str = "") -> None:
        """``does``: what is done if nothing is tried."""
        self._does = does
        self._done, self._total = 0, 0
        self.lines: list[str] = []

    def heard(self, line: str) -> None:
        if found := _STEP.fullmatch(line):
            self._done, self._total = int(found[1]), int(found[2])
            line = found[3]
        elif line.startswith("trying "):
            self._done, self._total = 0, 0  # of another list
        self.lines.append(line)

    def last(self, height: int, *, width: int) -> list[str]:
        """The newest lines, as they are wrapped at ``width``: at most ``height``."""
        return [part for line in self.lines for part in fold(line, width) or [""]][-height:]

    @property
    def bar(self) -> Content:
        if self._does:
            return Content(self._does)
        share = self._done / self._total if self._total else 0.0
        what = (
            f" {self._done} of {count_of(self._total, 'way')} tried"
            if self._total
            else " reading the members"
        )
        return Content.assemble((percent_bar(share, _BAR), "$text-accent"), what)


def mark_of(tried: Tried) -> str:
    """One word about a candidate."""
    if not tried.mounted:
        return "LISTED" if tried.found else "NOTHING" if tried.known else "UNKNOWN"
    if tried.unreadable or tried.odd:
        return "DAMAGED"
    if not tried.files:
        return "EMPTY"
    if tried.repaired:
        return "REPAIRED"
    return {True: "UNCHECKED" if tried.blind else "CLEAN", False: "ERRORS", None: "UNCHECKED"}[tried.clean]


def _short(order: str) -> str:
    """An order of members for a column, in which the one that is left out must be seen; the explanation has all of it."""
    partitions = set(_PARTITION.findall(order))
    return (_PARTITION.sub("", order) if len(partitions) == 1 else order).replace(", without ", ", not ")


def row(number: int, tried: Tried, *, mounted: bool) -> Row:
    """A candidate side by side with the others."""
    mark = mark_of(tried)
    cells = (
        mark,
        f"{tried.files:,}{'' if tried.counted_all else '+'}" if tried.found or tried.mounted else "-",
        f"{datetime.fromtimestamp(tried.newest, UTC):%Y-%m-%d %H:%M}" if tried.newest else "-",
        f"{tried.unreadable + tried.odd:,}" if tried.mounted else "-",
        f"{'MOUNTED ' if mounted else ''}{_short(harmless(tried.candidate.words))}",
    )
    return Row(
        str(number), cells, (f"{_STYLES[mark]} bold", "", "", BAD if tried.unreadable + tried.odd else "", "")
    )


def about(number: int, tried: Tried, found: Recovery) -> Iterator[str]:
    """Everything about a candidate, what it means first."""
    from raidtui.jobs.recovering.words import copy_words, verdict

    if found.mounted == number:
        yield f"MOUNTED read-only at {harmless(found.mounted_at)}: copy the files to another disk, then press c."
    means = _MEANS[mark_of(tried)]
    yield harmless(f"{verdict(tried)}." if means else f"This one: {verdict(tried)}.")
    if means:
        yield means
    if (alike := found.alike(tried)) > 1:
        yield f"CAREFUL: {alike} of these look right, and only one is. Open large files of each before you trust one."
    shape = tried.candidate.shape
    chunk = f", chunk {spell_size(shape.chunk_bytes)}" if shape.chunk_bytes else ""
    yield harmless(f"{spelled(shape.level)}{chunk}: {tried.candidate.words}")
    if tried.found and not tried.mounted:
        yield f"Copy to an empty folder: {copy_words(found.name, number)}"
    elif tried.found and found.mounted != number:
        yield "m mounts it read-only, to copy the files away. No member is written."
    if found.at:
        yield f"Tried {harmless(clock.local(found.at))}."


def still_stopped(found: Recovery) -> str:
    """What was stopped for the trial and is not started again; empty if nothing is."""
    from raidtui.jobs.recovering import words

    return words.still_stopped(found, by="Care (Esc)")


def nothing_found(found: Recovery) -> str:
    """What it means that no candidate has files; empty if one has."""
    from raidtui.jobs.recovering import words

    return "" if any(one.found for one in found.tried) else " ".join(words.nothing_found(found))
