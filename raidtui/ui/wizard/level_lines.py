"""A layout as a row and as text: usable space, what it survives, risk, and ideal speed."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.model.text import spelled
from raidtui.model.units import MIB, both, decimal, duration_range, spell_size
from raidtui.ui.widgets.bars import parts_bar
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.level_names import (
    chunk_words,
    full_name,
    is_built,
    key_of,
    level_name,
    level_of,
    only_calculated,
)

if TYPE_CHECKING:
    from raidtui.advice.recommend import Recommendation
    from raidtui.advice.report import Report
    from raidtui.backends.arithmetic.survival import Survival
    from raidtui.backends.level import Level
    from raidtui.model.spec import Backend

Parts = list[tuple[str, str] | str]

_LEAST_BAR, _MOST_BAR = 12, 40  # cells
WIDE = 110  # columns of a terminal with room for longer texts

_BAR = {"#": "$text-success", "=": "$text-warning", ".": "$text-muted"}
_LEGEND: Parts = [
    ("#", _BAR["#"]),
    " data  ",
    ("=", _BAR["="]),
    " protection  ",
    (".", _BAR["."]),
    " not used",
]


def columns(wish: str, *, every: bool, width: int) -> tuple[Column, ...]:
    """The columns for a terminal of this width, with an arrow at the sorted one."""

    def title(text: str, of: str, arrow: str) -> str:
        return f"{text} {arrow}" if wish == of else text

    wide = width >= WIDE
    return (
        *((Column("Backend", 9),) if every else ()),
        Column("Level", 9),
        Column(title("Usable", "space", "▼"), 19 if wide else 8, right=True),
        Column("", bar_cells(width, every=every)),
        *((Column("Overhead", 8, right=True),) if wide else ()),
        Column("Survives", 8),
        *((Column("If a 2nd fails", 14),) if wide else ()),
        Column("5-yr risk ▲" if wish == "safety" else "5-year risk", 11),
        Column(title("Read", "speed", "▼"), 6),
        Column("Write", 5),
        Column("", 1),
    )


def bar_cells(width: int, *, every: bool) -> int:
    """The width of the bar: what the other columns leave, within limits."""
    others = (10 if every else 0) + 10 + 9 + 9 + 12 + 7 + 6 + 1 + (35 if width >= WIDE else 0)
    return max(_LEAST_BAR, min(_MOST_BAR, width - 4 - others))


def row(report: "Report", disks_bytes: int, *, every: bool, width: int, recommended: bool = False) -> Row:
    """The row of a layout, or why it cannot be built. ``disks_bytes``: the size of all disks, including spares."""
    from raidtui.advice.risk import five_year_words
    from raidtui.backends.arithmetic.ideal import factor
    from raidtui.model.chance import share

    head = (str(report.backend), level_name(report)) if every else (level_name(report),)
    lives, best = report.survives, report.ideal
    if report.refused is not None or lives is None or best is None:
        return Row(key_of(report), (*head, refusal(report)), ("$text-muted",))
    built, wide = is_built(report), width >= WIDE
    bar = space_bar(report, disks_bytes, bar_cells(width, every=every))
    styled = [
        *((name, "bold" if built else "$text-muted") for name in head),
        (both(report.usable_bytes) if wide else decimal(report.usable_bytes), ""),
        (bar, ""),
        *(((share(report.overhead), ""),) if wide else ()),
        (survives(lives), "" if lives.guaranteed else "$text-error"),
        *(((second_words(lives), ""),) if wide else ()),
        (five_year_words(report.risk) if report.risk else "unknown", ""),
        (factor(best.seq_read), ""),
        (factor(best.seq_write), ""),
        ("*" if recommended else "", "bold $text-success"),
    ]
    cells, styles = zip(*styled, strict=True)
    return Row(key_of(report), cells, styles, marks=(len(head) + 1, _BAR))


def refusal(report: "Report") -> str:
    """Why it cannot be built, in short form for a row."""
    why, least = report.refused or "", level_of(report).min_disks
    return f"needs {least} disks" if f"at least {least} disks" in why else why


def space_bar(report: "Report", disks_bytes: int, width: int) -> str:
    """A bar of all disks: data, protection (copies, parity and spares), and what is not used."""
    lost = disks_bytes - sum(use.size_bytes for use in (*report.members, *report.spares))
    lost += sum(use.wasted_bytes for use in report.members)
    lost += report.array_bytes - report.usable_bytes
    data = report.usable_bytes
    return parts_bar((data, max(0, disks_bytes - data - lost), max(0, lost)), "#=.", width)


def survives(lives: "Survival") -> str:
    """How many disks can fail, whichever they are."""
    return f"any {lives.guaranteed}" if lives.guaranteed else "nothing"


def sizes(of_each: Sequence[int]) -> str:
    """Disks by size: ``4 x 4.00 TB``; with more than two sizes, number and total."""
    groups = [(size, len(list(same))) for size, same in groupby(of_each)]
    if len(groups) > 2:
        return f"{len(of_each)} disks, {decimal(sum(of_each))}"
    return ", ".join(f"{count} x {decimal(size)}" for size, count in groups)


def legend(of_each: Sequence[int], report: "Report | None", chunk: int, *, home: "Backend") -> Content:
    """The disks by size, the chunk in the words of the highlighted layout's backend, and the legend of the bars.

    A level of ``home``, the usual backend, shows the chunk of the other levels if it has none.
    """
    words = f"{chunk_words(report) if report else 'chunk'} ←→ {spell_size(chunk)}"
    if report is not None and report.backend is not home and not report.chunk_bytes:
        words = ""
    return Content.assemble(", ".join(filter(None, (sizes(of_each), words))), "   ", *_LEGEND)


def second_words(lives: "Survival") -> str:
    """The effect of a second failed disk, in short form for a column."""
    from raidtui.model.chance import one_in

    if not lives.guaranteed:
        return "-"
    share = lives.second_failure_fatal_probability
    if share in {0, 1}:
        return "all data lost" if share else "data survives"
    # A chance, not a share of the data.
    return f"{one_in(share)}: lost" if share >= 0.01 else "<1 %: all lost"


def second_line(lives: "Survival") -> str:
    """A sentence: what happens if a second disk fails before the first is rebuilt."""
    from raidtui.backends.arithmetic.survival import second_failure

    if not lives.guaranteed:
        return "The first failed disk loses all data."
    return f"If a second disk fails first: {second_failure(lives)}."


def glance(
    report: "Report",
    layout: str,
    recommendation: "Recommendation | None",
    unused: Parts,
    *,
    short: bool = True,
) -> Parts:
    """Purpose, pros and cons, rebuild and second failure, a short line each; then the recommendation.

    Args:
        unused: the lines of `wasted`.
        short: include the line on the purpose; otherwise a headline is shown above.
    """
    if not is_built(report):
        parts = headline(report, layout) if short else []
    else:
        level = level_of(report)
        parts = [(f"{full_name(report, layout)}: ", "bold"), f"{level.suits}\n"] if short else []
        if report.refused is None:
            parts += [(f"{sign} {text}\n", style) for sign, style, text in _signs(level)]
    if report.refused is not None or report.survives is None:
        parts.append((f"Not with these disks: {report.refused}\n", "$text-warning"))
        return [*parts, *advice_lines(recommendation)]
    if report.survives.guaranteed:
        parts.append(f"{rebuild_words(report)}\n")
    parts.append(f"{second_line(report.survives)}\n")
    return [*parts, *unused, *advice_lines(recommendation)]


def _signs(level: "Level") -> list[tuple[str, str, str]]:
    return [
        *(("+", "$text-success", text) for text in level.pros),
        *(("-", "$text-warning", text) for text in level.cons),
    ]


def advice_lines(recommendation: "Recommendation | None") -> Parts:
    """The recommended level, why, and when to choose another."""
    if recommendation is None:
        return []
    name = spelled(f"{recommendation.level} {recommendation.layout}".strip())
    return [
        ("* ", "bold $text-success"),
        f"{name} is recommended: {recommendation.because} {recommendation.otherwise}\n",
    ]


def headline(report: "Report", layout: str) -> Parts:
    """Name and explanation, with the layout if it is not the default; and a note if raidtui cannot build it."""
    from raidtui.backends.registry import backend

    name, explains = full_name(report, layout), level_of(report).explains
    if is_built(report):
        return [(f"{name}: ", "bold"), explains + "\n"]
    return [
        (f"{name}: ", "bold"),
        backend(report.backend).blurb + explains,
        (only_calculated(report), "$text-warning"),
        f" The size is {report.accuracy}.\n" if report.refused is None else "\n",
    ]


def facts(report: "Report") -> Parts:
    """Usable space, risk, speed and boot, a line or two each; empty if it cannot be built."""
    best, lives = report.ideal, report.survives
    if report.refused is not None or lives is None or best is None:
        return []
    from raidtui.backends.arithmetic.ideal import speeds
    from raidtui.model.chance import share

    parts: Parts = [
        f"Usable {report.usable_bytes:,} bytes, overhead {share(report.overhead)} of all disks.\n"
    ]
    parts.append(
        f"Survives {lives.words}. Risk of data loss: {report.risk.words if report.risk else 'unknown'}.\n"
    )
    parts.append(f"Versus one disk: {speeds(best)}.\n")
    if report.missing_disk_at_boot:
        parts.append(f"With a disk missing at boot it {report.missing_disk_at_boot}.\n")
    return parts


def rebuild_words(report: "Report") -> str:
    """The duration of a rebuild, as a range."""
    span = report.rebuild_seconds
    if span is None:
        return "Nothing can be rebuilt."
    return f"Rebuild {duration_range(span.low, span.high)}."


def wasted(report: "Report", names: Sequence[str], outside: Sequence[int], *, reserve: bool) -> Parts:
    """What is not used of each member, if its size shows it; and members with more unused space, and why.

    Args:
        names: the members.
        outside: bytes of each disk outside its partition.
        reserve: whether space is left free at the end of each.
    """
    lost: dict[str, dict[str, list[str]]] = {}
    for name, use in zip(names, report.members, strict=False):
        if use.wasted_bytes > max(300 * MIB, use.size_bytes // 100):
            reason = use.why.rpartition("; ")[2].partition(") ")[2] or use.why
            lost.setdefault(reason, {}).setdefault(decimal(use.wasted_bytes), []).append(name)
    parts = _not_used(report, outside, reserve=reserve)
    for reason, sizes in lost.items():
        unused = ", ".join(f"{size} of {' '.join(who)}" for size, who in sizes.items())
        parts.append((f"Not used: {unused}, {reason}.\n", "$text-warning"))
    return parts


def _not_used(report: "Report", outside: Sequence[int], *, reserve: bool) -> Parts:
    """A line that explains why a member gives less than its disk has; empty if both read the same."""
    each = zip(report.members, outside, strict=False)
    use, rest = min(each, key=lambda one: one[0].wasted_bytes, default=(None, 0))
    if use is None or decimal(use.used_bytes) == decimal(use.size_bytes + rest):
        return []
    lost = use.wasted_bytes + rest
    takes = [
        *(["reserve" if reserve else "partition table"] if rest else []),
        *(["metadata"] if use.wasted_bytes else []),
    ]
    return [f"Not used: {decimal(lost)} a disk ({', '.join(takes)}).\n"]


def numbers(report: "Report", layout: str) -> str:
    """The on-disk format: layout, chunk, stripe, metadata, offset, consistency policy."""
    if report.refused is not None:
        return ""
    words = [report.grouped] if report.grouped else []
    if layout:
        words.append(f"layout {spelled(layout)}")
    if report.chunk_bytes:
        words.append(f"{chunk_words(report)} {spell_size(report.chunk_bytes)}")
    if report.stripe_width_bytes:
        words.append(f"full stripe {spell_size(report.stripe_width_bytes)}")
    if report.metadata:
        words.append(f"metadata {report.metadata}")
    if report.data_offset_bytes:
        words.append(f"data offset {spell_size(report.data_offset_bytes)}")
    if report.consistency not in {"", "none"}:
        words.append(report.consistency)
    text = ", ".join(words)
    return f"{text[:1].upper()}{text[1:]}.\n" if text else ""


def whole(
    report: "Report", names: Sequence[str], outside: Sequence[int], pairs: str, *, reserve: bool
) -> Parts:
    """The part of the details page that is shown nowhere else: each disk, the pairs, and the inputs of the risk.

    Args:
        names: members, then spares.
        outside: bytes of each of these disks outside its partition.
        reserve: whether space is left free at the end of each.
    """
    from raidtui.advice.risk import blocks_words
    from raidtui.backends.arithmetic.ideal import speeds
    from raidtui.backends.registry import backend
    from raidtui.model.chance import percent, table_percent

    parts: Parts = []
    weak = report.ideal.degraded if report.ideal else None
    if weak:
        parts.append(f"Degraded: {speeds(weak)}.\n")
    if report.members:
        parts += ["\n", ("Of each disk\n", "bold")]
    about = "the partition table and the reserve at the end (Options)" if reserve else "the partition table"
    uses = zip(names, zip((*report.members, *report.spares), outside, strict=False), strict=False)
    for (use, rest), same in groupby(uses, key=lambda pair: pair[1]):
        why = f"; not used: {use.why}" if use.why else ""
        parts += [" ".join(name for name, _ in same), f": {both(use.used_bytes)} used{why}"]
        parts.append(f"; {both(rest)} for {about}\n" if rest else "\n")
    if report.survives:
        parts += ["\n", ("Which disks\n", "bold"), f"{pairs}\n"]
    risk = report.risk
    if risk is None:
        return parts
    parts += ["\n", ("Risk of data loss", "bold"), f"{'1 year':>27}{'5 years':>14}\n"]
    for key, words in {
        "1": "independently",
        "3": "3x as often degraded",
        "10": "10x as often degraded",
    }.items():
        bound = key in risk.upper_bounds
        one, five = (
            table_percent(years[key], bound=bound)
            for years in (risk.loss_probability_1y, risk.loss_probability_5y)
        )
        parts.append(f"disks fail {words:<22}{one:>11}{five:>14}\n")
    inputs = risk.inputs
    parts.append(
        f"Assuming a {percent(inputs.afr)} annual failure rate ({inputs.afr_source}), {inputs.notice_hours:g} h to "
        f"notice, {inputs.obtain_hours:g} h to obtain a disk, {inputs.rebuild_hours:g} h to rebuild; w changes these. "
        f"At least one disk fails within a year: {percent(risk.any_failure_probability_1y)}. Below 0.001 % other "
        "causes dominate: fire, theft, human error.\n"
    )
    if report.rebuild_seconds:
        parts.append(
            f"A rebuild with no redundancy left hits {blocks_words(risk.unreadable_blocks)} at the rate of the data sheets. "
            "Without error recovery control the risk of data loss in a year is "
            f"{table_percent(risk.timeout_loss_probability_1y, bound=risk.timeout_is_bound)}.\n"
        )
    note = backend(report.backend).rebuild_note
    if report.rebuild_seconds and note:
        parts.append(f"{note[:1].upper()}{note[1:]}.\n")
    later = report.reshape_seconds
    if later:
        parts.append(f"Reshape to add one disk later: {duration_range(later.low, later.high)}.\n")
    return parts


def page(*groups: Parts) -> Content:
    """Join groups of lines into one text."""
    return Content.assemble(*(part for group in groups for part in group))
