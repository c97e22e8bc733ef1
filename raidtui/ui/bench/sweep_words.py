"""Texts of the Sweep screen: the preview of a study, the progress of each array, and its figures."""

from collections.abc import Mapping, Sequence

from textual.content import Content

from raidtui.model.plan import Hazard
from raidtui.model.sweep import Sweep
from raidtui.model.text import harmless, harmless_lines, spelled
from raidtui.model.units import decimal, millions, rate
from raidtui.results.summary import Summary
from raidtui.sweep.matrix import Combination, Turn
from raidtui.sweep.measurement import measurements_of
from raidtui.sweep.prepare import Preview
from raidtui.sweep.quick import NOTE
from raidtui.sweep.state import Progress


def offered(seen: Preview, high: Sequence[Hazard]) -> Content:
    """The preview of a sweep; ``high`` are the hazards that are not accepted yet."""
    total, sweep = seen.total, seen.sweep
    often = "One pass" if sweep.passes == 1 else f"{sweep.passes} passes"
    profiles = ", ".join(one.name for one in measurements_of(sweep))
    text = (
        f"{often} with {profiles} on {seen.part}: {total.times}, about "
        f"{decimal(round(total.written_bytes))} written."
    )
    if high:
        text += f" Enter first asks about {len(high)} HIGH hazard{'s'[: len(high) != 1]}."
    return Content.assemble(("Nothing has happened yet. ", "bold"), text)


def about(seen: Preview) -> Content:
    """The description of the study, its disks, and those that it does not need."""
    sweep = seen.sweep
    text = f"{NOTE}\n\n{sweep.about}" if sweep.quick else sweep.about
    disks = f"Disks: {', '.join(sweep.disks)}"
    if seen.unused:
        disks += f"\nNot needed, left alone: {', '.join(seen.unused)}"
    return Content(f"{text}\n\n{harmless_lines(disks)}")


def figures(
    sweep: Sweep,
    combination: Combination,
    number: int,
    progress: Progress,
    results: Mapping[str, Summary],
    *,
    running: bool,
) -> str:
    """The state of an array in pass ``number``: a word, or its figures.

    Args:
        results: the results of the sweep read so far, by id.
        running: whether the sweep is running.
    """
    turn = Turn(number=number, combination=combination)
    if turn.id in progress.failed:
        return "FAILED"
    first = measurements_of(sweep)[0].name
    found = results.get(progress.results.get(turn.cell(first), ""))
    if found is not None:
        read = millions(found.read_bytes_per_second, 0)
        return f"{read}/{millions(found.write_bytes_per_second, 0)} MB/s"
    if turn.id == progress.turn and turn.id not in progress.ended:
        return "now" if running else "interrupted"
    return "done" if turn.id in progress.ended else "-"


def mean_read(
    sweep: Sweep, combination: Combination, progress: Progress, results: Mapping[str, Summary]
) -> float:
    """Bytes a second read from an array, the mean of its passes so far; 0 if it is not measured yet."""
    first = measurements_of(sweep)[0].name
    turns = (Turn(number=number, combination=combination) for number in range(1, sweep.passes + 1))
    found = [results.get(progress.results.get(turn.cell(first), "")) for turn in turns]
    rates = [one.read_bytes_per_second for one in found if one is not None]
    return sum(rates) / len(rates) if rates else 0.0


def explained(
    sweep: Sweep, combination: Combination, progress: Progress, results: Mapping[str, Summary]
) -> Content:
    """All passes of an array: why it failed, or the figures of each profile."""
    lines = [Content.styled(spelled(combination.title), "bold")]
    for number in range(1, sweep.passes + 1):
        turn = Turn(number=number, combination=combination)
        if turn.id in progress.failed:
            why = harmless(progress.failed[turn.id])
            lines.append(Content.assemble((f"pass {number} FAILED: ", "$text-error"), why))
        for name in (one.name for one in measurements_of(sweep)):
            found = results.get(progress.results.get(turn.cell(name), ""))
            if found is not None:
                lines.append(
                    Content(
                        f"pass {number}, {name}: read {rate(found.read_bytes_per_second)}, "
                        f"write {rate(found.write_bytes_per_second)} ({found.id})"
                    )
                )
    if len(lines) == 1:
        part = (
            "whole disks"
            if combination.whole or not sweep.slice
            else f"the first {decimal(sweep.slice)} of each disk"
        )
        disks = ", ".join(sweep.disks[: combination.members])
        lines.append(Content(f"not measured yet; on at most {part}: {harmless(disks)}"))
    return Content("\n").join(lines)
