"""Reports of layouts as plain text of at most 80 columns."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from raidtui.advice.recommend import Recommendation, recommend
from raidtui.advice.report import Question, Report, growth_disks, growth_words
from raidtui.advice.risk import Risk, blocks_words, five_year_words
from raidtui.backends.arithmetic.ideal import speeds
from raidtui.backends.arithmetic.survival import second_failure
from raidtui.backends.facts import MemberUse
from raidtui.backends.level import Level
from raidtui.backends.registry import backend
from raidtui.model.chance import in_percent, percent, share, table_percent
from raidtui.model.spec import USUAL, Backend, kind_of
from raidtui.model.text import count_of, fold, spelled
from raidtui.model.units import binary, both, decimal, duration, duration_range, spell_size

WIDTH: Final = 80
_PAIRS: Final = 24  # most pairs listed
_ENDS: Final = (29, 37, 46, 55)  # columns of the table in which the figures end


def table(question: Question, reports: Sequence[Report]) -> Iterator[str]:
    """Every layout on one line, by backend."""
    head = f"{_groups(question.sizes)}: {decimal(sum(question.sizes))} ({binary(sum(question.sizes))}) in all"
    if question.options.spare_sizes:
        head += f", and as spares {_groups(question.options.spare_sizes)}"
    yield from fold(head, WIDTH)
    advice = recommend(reports)
    for name, same in groupby(reports, key=lambda report: report.backend):
        yield ""
        head = _aligned(name, "bytes", "TB", "TiB", "overhead")
        yield f"{head} {'survives':<13}{'5-year risk':>{WIDTH - _ENDS[-1] - 14}}"
        for report in same:
            yield from _line(report, _mark(report, advice))
    if advice is not None:
        name = spelled(f"{advice.level} {advice.layout}".strip())
        text = f"* {name} is recommended: {advice.because} {advice.otherwise}"
        yield from ("", *_wrapped(text, "", "  "))
    yield ""
    yield "overhead: share of all disks that is not usable. survives: how many disks can"
    yield "fail, whichever they are, and the chance to survive one more. 5-year risk: the"
    yield "chance of losing data."
    yield "--level NAME shows the details."


def growths(reports: Sequence[Report]) -> Iterator[str]:
    """What one more such disk gives each layout later, by backend."""
    yield ""
    yield "+1 disk later (raidtui grow):"
    others = []
    for backend_name, same in groupby(reports, key=lambda report: report.backend):
        known = [one for one in same if one.no_growth or one.grows_bytes is not None]
        if known:
            yield str(backend_name)
        else:
            others.append(str(backend_name))
        for report in known:
            by = f"{growth_disks(report)}: " if report.grows_by > 1 else ""
            yield from _wrapped(f"{by}{growth_words(report)}", f"  {_name(report):<11}", " " * 13)
    if others:
        yield from _wrapped(f"{', '.join(others)}: raidtui does not let these grow yet", "", "  ")


def _mark(report: Report, advice: Recommendation | None) -> str:
    if advice is None or report.backend is not USUAL or report.level != advice.level:
        return ""
    return "*" if report.layout == advice.layout or not _level(report).called_with_layout else ""


def _level(report: Report) -> Level:
    return backend(report.backend).levels[report.level]


def _name(report: Report) -> str:
    """Its level as a spec names it, with the layout where several differ by it."""
    return f"{report.level} {report.layout}" if _level(report).called_with_layout else report.level


def _line(report: Report, mark: str) -> Iterator[str]:
    name = _name(report) + mark
    if report.refused is not None or report.survives is None or report.risk is None:
        yield from fold(f"{name:<11}{report.refused}", WIDTH, then=" " * 11)
        return
    size, chance = report.usable_bytes, five_year_words(report.risk)
    figures = _aligned(name, f"{size:,}", decimal(size), binary(size), share(report.overhead))
    line = f"{figures} {_survives(report):<13} "
    yield line + chance.rjust(WIDTH - len(line))


def _aligned(*cells: str) -> str:
    """The first cell at the left, each of the others ending at its place in `_ENDS` or, if it is too long, after it."""
    line = cells[0]
    for cell, end in zip(cells[1:], _ENDS, strict=True):
        line += " " + cell.rjust(end - len(line) - 1)
    return line


def _survives(report: Report) -> str:
    assert report.survives is not None
    sure, after = report.survives.guaranteed, report.survives.next_failure_fatal_probability
    if sure == 0:
        return "nothing"
    lucky = ">99 %" if 0.995 <= 1 - after < 1 else in_percent(1 - after)
    return f"any {sure}" if after == 1 else f"{sure}, then {lucky}"


def _groups(sizes: Sequence[int]) -> str:
    return ", ".join(f"{len(list(same))} x {decimal(size)}" for size, same in groupby(sizes))


def page(report: Report) -> Iterator[str]:
    """Everything known about one layout."""
    alone = report.backend is Backend.DISK
    words = [kind_of(report.backend, report.level), report.layout, f"on {count_of(report.members, 'disk')}"]
    if report.spares:
        words.append(f"with {len(report.spares)} spare{'s' if len(report.spares) > 1 else ''}")
    name = " ".join(word for word in words if word)
    yield "single disk" if alone else spelled(name)
    options = []
    if report.grouped:
        options.append(report.grouped)
    if report.chunk_bytes:
        options.append(f"chunk {spell_size(report.chunk_bytes)}")
    if report.metadata:
        options.append(f"metadata {report.metadata}")
    if report.consistency:
        options.append(f"consistency {report.consistency}")
    if report.filesystem != "none":
        options.append(f"filesystem {report.filesystem}")
    if options:
        yield ", ".join(options)
    yield ""
    yield from _entry("usable", _exact(report.usable_bytes))
    if report.usable_bytes != report.array_bytes:
        yield from _entry("partition" if alone else "array", _exact(report.array_bytes))
    yield from _entry("each member", _exact(report.component_bytes))
    if report.data_offset_bytes:
        yield from _entry("data offset", _exact(report.data_offset_bytes))
    yield from _entry("overhead", f"{share(report.overhead)} of all disks")
    if report.outside_bytes:
        yield from _entry(
            "", f"{both(report.outside_bytes)} of it outside the members: partition tables, reserve, slices"
        )
    yield from _entry("accuracy", report.accuracy)
    yield ""
    yield from _safety(report)
    yield from _speed(report)
    yield ""
    yield f"{'disk':<10}{'bytes':>22}{'used':>22}{'not used':>22}"
    yield from _members(report.members, "member")
    yield from _members(report.spares, "spare")
    for hazard in report.hazards:
        yield ""
        yield from _wrapped(f"{hazard.severity:<6}{hazard.id}: {hazard.seen}", "", " " * 6)
        yield from _wrapped(f"{hazard.meaning} {hazard.advice}", " " * 6, " " * 6)


def _safety(report: Report) -> Iterator[str]:
    if report.survives is not None:
        yield from _entry("survives", report.survives.words)
        if report.survives.guaranteed:
            yield from _entry("2nd failure", second_failure(report.survives))
    if report.fatal_pairs:
        count = len(report.fatal_pairs)
        pairs = ", ".join(f"{a + 1}+{b + 1}" for a, b in report.fatal_pairs[:_PAIRS])
        more = f"{pairs} and so on, {count} pairs in all" if count > _PAIRS else pairs
        yield from _entry("", f"data is lost if both disks of a pair fail: {more}")
    noun = backend(report.backend).noun
    yield from _entry("missing disk", f"the {noun} {report.missing_disk_at_boot}")
    if report.risk is not None:
        redundant = bool(report.survives and report.survives.guaranteed)
        yield from _risk(report.risk, redundant=redundant, meets=backend(report.backend).unreadable)


def _risk(risk: Risk, *, redundant: bool, meets: str) -> Iterator[str]:
    yield from _entry("risk of loss", risk.words)
    if redundant:
        yield f"{'':<14}{'disks fail':<24}{'1 year':>14}{'5 years':>14}"
        names = {"1": "independently", "3": "3x as often degraded", "10": "10x as often degraded"}
        for key, name in names.items():
            bound = key in risk.upper_bounds
            one = table_percent(risk.loss_probability_1y[key], bound=bound)
            five = table_percent(risk.loss_probability_5y[key], bound=bound)
            yield f"{'':<14}{name:<24}{one:>14}{five:>14}"
    yield from _entry(
        "", f"at least one disk fails within a year: {percent(risk.any_failure_probability_1y)}"
    )
    inputs = risk.inputs
    yield from _entry("", f"assuming a {percent(inputs.afr)} annual failure rate ({inputs.afr_source})")
    if not redundant:
        return
    hours = inputs.notice_hours, inputs.obtain_hours, inputs.rebuild_hours
    notice, obtain, rebuild = (duration(3600 * part) for part in hours)
    parts = f": {notice} to notice, {obtain} to obtain a disk, {rebuild} to rebuild"
    whole = duration(3600 * inputs.repair_hours)
    yield from _entry(
        "",
        f"and {whole} until fully redundant{parts if abs(sum(hours) - inputs.repair_hours) < 0.02 else ''}",
    )
    yield from _entry(
        "bad sectors",
        f"a rebuild with no redundancy left hits {blocks_words(risk.unreadable_blocks)}, at "
        f"{inputs.unreadable_per_bit:.2g} per bit ({inputs.unreadable_source}); {meets}",
    )
    yield from _entry(
        "",
        f"without error recovery control (smartctl -l scterc) each may drop its disk: risk of loss "
        f"{table_percent(risk.timeout_loss_probability_1y, bound=risk.timeout_is_bound)} a year",
    )


def _speed(report: Report) -> Iterator[str]:
    if report.rebuild_seconds is not None:
        low, high = report.rebuild_seconds.low, report.rebuild_seconds.high
        note = backend(report.backend).rebuild_note
        also = f"; {note}" if note else ""
        yield from _entry("rebuild", f"{duration_range(low, high)} if the disks do nothing else{also}")
    if report.reshape_seconds is not None:
        low, high = report.reshape_seconds.low, report.reshape_seconds.high
        yield from _entry(
            growth_disks(report),
            f"{growth_words(report)}, by a reshape of {duration_range(low, high)}",
        )
    elif report.no_growth or report.grows_bytes is not None:
        yield from _entry(growth_disks(report), growth_words(report))
    best = report.ideal
    if best is None:
        return
    yield from _entry(
        "ideal speed",
        f"versus one disk: {speeds(best)} "
        f"({best.ios_per_random_write:.3g} I/O{'s' * (best.ios_per_random_write != 1)} per small write)",
    )
    if best.degraded is not None:
        yield from _entry("", f"degraded: {speeds(best.degraded)}")


def _entry(name: str, text: str) -> Iterator[str]:
    yield from _wrapped(text, f"{name:<14}", " " * 14)


def _wrapped(text: str, first: str, rest: str) -> Iterator[str]:
    yield from fold(text, WIDTH, first=first, then=rest)


def _exact(size: int) -> str:
    return f"{size:>21,} bytes = {decimal(size)} = {binary(size)}"


def _members(uses: Sequence[MemberUse], role: str) -> Iterator[str]:
    number = 1
    for use, same in groupby(uses):
        count = len(list(same))
        which = str(number) if count == 1 else f"{number}-{number + count - 1}"
        name = which if role == "member" else f"spare {which}"
        yield f"{name:<10}{use.size_bytes:>22,}{use.used_bytes:>22,}{use.wasted_bytes:>22,}"
        yield from _wrapped(use.why, " " * 10, " " * 10)
        number += count
