"""A layout as a row beside the others, and in words: what it gives, survives, risks, and how fast it is at best."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.model.units import MIB, both, decimal, duration_range, spell_size
from raidtui.ui.widgets.bars import parts_bar
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.level_names import (
    chunk_words,
    is_built,
    key_of,
    level_name,
    level_of,
    only_calculated,
    spoken_name,
)

if TYPE_CHECKING:
    from raidtui.advice.recommend import Recommendation
    from raidtui.advice.report import Report
    from raidtui.backends.arithmetic.ideal import Factors, Ideal
    from raidtui.backends.arithmetic.survival import Survival
    from raidtui.backends.level import Level
    from raidtui.model.spec import Backend

Parts = list[tuple[str, str] | str]

_LEAST_BAR, _MOST_BAR = 12, 40  # cells
WIDE = 110  # columns of a terminal where a few words more have room

_BAR = {"#": "$text-success", "=": "$text-warning", ".": "$text-muted"}
_LEGEND: Parts = [
    ("#", _BAR["#"]),
    " data  ",
    ("=", _BAR["="]),
    " protection  ",
    (".", _BAR["."]),
    " overhead",
]


def columns(wish: str, *, every: bool, width: int) -> tuple[Column, ...]:
    """The columns for a terminal of this width, the one that is sorted by marked with an arrow."""

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
    """Cells of the bar: what the other columns leave, within reason."""
    others = (10 if every else 0) + 10 + 9 + 9 + 12 + 7 + 6 + 1 + (35 if width >= WIDE else 0)
    return max(_LEAST_BAR, min(_MOST_BAR, width - 4 - others))


def row(report: "Report", disks_bytes: int, *, every: bool, width: int, recommended: bool = False) -> Row:
    """One layout on one line, or why it cannot be built. ``disks_bytes``: of all disks, spares included."""
    from raidtui.advice.risk import five_year_words

    head = (str(report.backend), level_name(report)) if every else (level_name(report),)
    lives, best = report.survives, report.ideal
    if report.refused is not None or lives is None or best is None:
        return Row(key_of(report), (*head, refusal(report)), ("$text-muted",))
    built, wide = is_built(report), width >= WIDE
    overhead = 1 - report.usable_bytes / disks_bytes
    bar = space_bar(report, disks_bytes, bar_cells(width, every=every))
    styled = [
        *((name, "bold" if built else "$text-muted") for name in head),
        (both(report.usable_bytes) if wide else decimal(report.usable_bytes), ""),
        (bar, ""),
        *(((f"{overhead:.1%}" if overhead < 0.9995 else "100%", ""),) if wide else ()),
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
    """Why it cannot be built, in the few words of a row."""
    said, least = report.refused or "", level_of(report).min_disks
    return f"needs {least} disks" if f"at least {least} disks" in said else said


def space_bar(report: "Report", disks_bytes: int, width: int) -> str:
    """What of all disks is data, what protects it (copies, parity and spares), and what is lost to neither."""
    lost = disks_bytes - sum(use.size_bytes for use in (*report.members, *report.spares))
    lost += sum(use.wasted_bytes for use in report.members)
    lost += report.array_bytes - report.usable_bytes
    data = report.usable_bytes
    return parts_bar((data, max(0, disks_bytes - data - lost), max(0, lost)), "#=.", width)


def survives(lives: "Survival") -> str:
    """How many disks can fail, whichever they are."""
    return f"any {lives.guaranteed}" if lives.guaranteed else "nothing"


def sizes(of_each: Sequence[int]) -> str:
    """Disks by size: ``4 x 4.00 TB``; of many sizes their number and sum."""
    groups = [(size, len(list(same))) for size, same in groupby(of_each)]
    if len(groups) > 2:
        return f"{len(of_each)} disks, {decimal(sum(of_each))}"
    return ", ".join(f"{count} x {decimal(size)}" for size, count in groups)


def legend(of_each: Sequence[int], report: "Report | None", chunk: int, *, home: "Backend") -> Content:
    """The disks by size, the chunk as the backend of the highlighted layout calls it, and what the bars mean.

    Levels of ``home``, which are shown unasked, keep the chunk of the others where they have none themselves.
    """
    said = f"{chunk_words(report) if report else 'chunk'} ←→ {spell_size(chunk)}"
    if report is not None and report.backend is not home and not report.chunk_bytes:
        said = ""
    return Content.assemble(", ".join(filter(None, (sizes(of_each), said))), "   ", *_LEGEND)


def _blocks(expected: float) -> str:
    """How many unreadable blocks of 4 KiB there are to expect; of less than one, how likely it is."""
    from raidtui.model.chance import one_in

    if expected >= 1:
        return f"{expected:.2g} unreadable blocks of 4 KiB"
    return f"an unreadable block of 4 KiB with a chance of {one_in(expected)}"


def second_words(lives: "Survival") -> str:
    """What a second failed disk does, in the few words of a column."""
    from raidtui.model.chance import one_in

    if not lives.guaranteed:
        return "-"
    share = lives.second_failure_fatal_probability
    if share in {0, 1}:
        return "all data lost" if share else "data survives"
    return (
        f"{one_in(share)}: lost" if share >= 0.01 else "<1%: all lost"
    )  # a chance, never a share of the data


def second_line(lives: "Survival") -> str:
    """What happens when a second disk fails before the first is rebuilt, as a sentence."""
    from raidtui.backends.arithmetic.survival import second_failure

    if not lives.guaranteed:
        return "The first failed disk loses all data."
    return f"If a second disk fails first: {second_failure(lives)}."


def factor(times: float) -> str:
    """A multiple of one disk: ``3x``, ``1.3x``."""
    return f"{times:.2g}x" if times < 99.5 else f"{times:.0f}x"


def chance(probability: float) -> str:
    """A chance in percent for a table; below one in 100 000 no digits are shown."""
    from raidtui.model.chance import NEGLIGIBLE, percent

    return "<0.001 %" if probability < NEGLIGIBLE else percent(probability)


def glance(
    report: "Report",
    layout: str,
    recommendation: "Recommendation | None",
    unused: Parts,
    *,
    short: bool = True,
) -> Parts:
    """What it is for, pros and cons, rebuild and second failure: a short line each; then what is recommended.

    Args:
        unused: what `wasted` says.
        short: with the line that says what it is for; else that stands above.
    """
    if not is_built(report):
        parts = headline(report, layout) if short else []
    else:
        level = level_of(report)
        parts = [(f"{spoken_name(report, layout)}: ", "bold"), f"{level.suits}\n"] if short else []
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
    """Which level to take of those that are shown unasked, why, and when another one."""
    if recommendation is None:
        return []
    name = f"{recommendation.level} {recommendation.layout}".strip().replace("raid", "RAID")
    return [
        ("* ", "bold $text-success"),
        f"{name} is recommended: {recommendation.because} Instead: {recommendation.otherwise}\n",
    ]


def headline(report: "Report", layout: str) -> Parts:
    """What it is, with the layout where that is not the usual one; for what is not built, that it is not."""
    from raidtui.backends.registry import backend

    name, explains = spoken_name(report, layout), level_of(report).explains
    if is_built(report):
        return [(f"{name}: ", "bold"), explains + "\n"]
    return [
        (f"{name}: ", "bold"),
        backend(report.backend).blurb + explains,
        (only_calculated(report), "$text-warning"),
        f" The size is {report.accuracy}.\n" if report.refused is None else "\n",
    ]


def _speeds(ideal: "Ideal | Factors") -> str:
    """What an array does at best, as multiples of one disk."""
    return (
        f"streams read {factor(ideal.seq_read)}, write {factor(ideal.seq_write)}; "
        f"small I/Os read {factor(ideal.rand_read)}, write {factor(ideal.rand_write)}"
    )


def facts(report: "Report", disks_bytes: int) -> Parts:
    """Usable, risk, speed and boot: a line or two each; nothing of what cannot be built."""
    best, lives = report.ideal, report.survives
    if report.refused is not None or lives is None or best is None:
        return []
    lost = 1 - report.usable_bytes / disks_bytes
    parts: Parts = [f"Usable {report.usable_bytes:,} bytes, overhead {lost:.1%} of all disks.\n"]
    parts.append(
        f"Survives {lives.words}. Risk of data loss: {report.risk.words if report.risk else 'unknown'}.\n"
    )
    parts.append(f"Versus one disk: {_speeds(best)}.\n")
    if report.missing_disk_at_boot:
        parts.append(f"With a disk missing at boot it {report.missing_disk_at_boot}.\n")
    return parts


def rebuild_words(report: "Report") -> str:
    """How long a rebuild takes, as a range."""
    span = report.rebuild_seconds
    if span is None:
        return "Nothing can be rebuilt."
    return f"Rebuild {duration_range(span.low, span.high)}."


def wasted(report: "Report", names: Sequence[str]) -> Parts:
    """Members of which a good part cannot be used, and why; a few MiB of metadata are not worth a line."""
    lost: dict[str, dict[str, list[str]]] = {}
    for name, use in zip(names, report.members, strict=False):
        if use.wasted_bytes > max(300 * MIB, use.size_bytes // 100):
            reason = use.why.rpartition("; ")[2].partition(") ")[2] or use.why
            lost.setdefault(reason, {}).setdefault(decimal(use.wasted_bytes), []).append(name)
    parts: Parts = []
    for reason, sizes in lost.items():
        said = ", ".join(f"{size} of {' '.join(who)}" for size, who in sizes.items())
        parts.append((f"Not used: {said}, {reason}.\n", "$text-warning"))
    return parts


def numbers(report: "Report", layout: str) -> str:
    """How it lies on the disks: layout, chunk, stripe, metadata, offset, consistency."""
    if report.refused is not None:
        return ""
    said = [report.grouped] if report.grouped else []
    if layout:
        said.append(f"layout {layout}")
    if report.chunk_bytes:
        said.append(f"{chunk_words(report)} {spell_size(report.chunk_bytes)}")
    if report.stripe_width_bytes:
        said.append(f"full stripe {spell_size(report.stripe_width_bytes)}")
    if report.metadata:
        said.append(f"metadata {report.metadata}")
    if report.data_offset_bytes:
        said.append(f"data offset {spell_size(report.data_offset_bytes)}")
    if report.consistency not in {"", "none"}:
        said.append(report.consistency)
    text = ", ".join(said)
    return f"{text[:1].upper()}{text[1:]}.\n" if text else ""


def whole(
    report: "Report", names: Sequence[str], outside: Sequence[int], pairs: str, *, reserve: bool
) -> Parts:
    """What only the page of one layout shows: every disk, the pairs, and what the risk is calculated from.

    Args:
        names: the members, then the spares.
        outside: bytes of each of these disks that lie outside its partition.
        reserve: whether room is left free at the end of each.
    """
    from raidtui.model.chance import percent

    parts: Parts = []
    weak = report.ideal.degraded if report.ideal else None
    if weak:
        parts.append(f"Degraded: {_speeds(weak)}.\n")
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
    parts += ["\n", ("Risk of data loss", "bold"), f"{'1 year':>22}{'5 years':>14}\n"]
    for key, words in {
        "1": "independently",
        "3": "3x as often degraded",
        "10": "10x as often degraded",
    }.items():
        one, five = risk.loss_probability_1y[key], risk.loss_probability_5y[key]
        parts.append(f"disks fail {words:<22}{chance(one):>6}{chance(five):>14}\n")
    inputs = risk.inputs
    parts.append(
        f"Assuming a {percent(inputs.afr)} annual failure rate ({inputs.afr_source}), {inputs.notice_hours:g} h to "
        f"notice, {inputs.obtain_hours:g} h to a replacement, {inputs.rebuild_hours:g} h to rebuild; w changes these. "
        f"At least one disk fails within a year: {percent(risk.any_failure_probability_1y)}. Below 0.001 % other "
        "causes dominate: fire, theft, human error.\n"
    )
    if report.rebuild_seconds:
        parts.append(
            f"A rebuild with no redundancy left hits {_blocks(risk.unreadable_blocks)} at the datasheet rate. "
            "Without error recovery control the risk of data loss in a year is "
            f"{percent(risk.timeout_loss_probability_1y)}.\n"
        )
    later = report.reshape_seconds
    if later:
        parts.append(f"Growing by one disk later: a reshape of {duration_range(later.low, later.high)}.\n")
    return parts


def page(*groups: Parts) -> Content:
    """Several groups of lines as one text."""
    return Content.assemble(*(part for group in groups for part in group))
