"""A layout in sentences: what it is for, what it survives, its risk and ideal speed. Does not load Textual."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from raidtui.advice.where_data_lies import pairs_words
from raidtui.backends.registry import backend
from raidtui.model.chance import one_in, percent, share, table_percent
from raidtui.model.text import spelled
from raidtui.model.units import MIB, both, decimal, duration, duration_range, spell_size
from raidtui.ui.widgets.parts import Parts
from raidtui.ui.wizard.level_names import chunk_words, full_name, is_built, level_of, only_calculated

if TYPE_CHECKING:
    from raidtui.advice.recommend import Recommendation
    from raidtui.advice.report import Report
    from raidtui.backends.arithmetic.survival import Survival
    from raidtui.backends.level import Level


def refusal(report: "Report") -> str:
    """Why it cannot be built, in short form for a row."""
    why, least = report.refused or "", level_of(report).min_disks
    return f"needs {least} disks" if f"at least {least} disks" in why else why


def survives(lives: "Survival") -> str:
    """How many disks can fail, whichever they are."""
    return f"any {lives.guaranteed}" if lives.guaranteed else "nothing"


def sizes(of_each: Sequence[int]) -> str:
    """Disks by size: ``4 x 4.00 TB``; with more than two sizes, number and total."""
    groups = [(size, len(list(same))) for size, same in groupby(of_each)]
    if len(groups) > 2:
        return f"{len(of_each)} disks, {decimal(sum(of_each))}"
    return ", ".join(f"{count} x {decimal(size)}" for size, count in groups)


def second_words(lives: "Survival") -> str:
    """The effect of a second failed disk, in short form for a column."""
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
    from raidtui.advice.report import growth_words
    from raidtui.advice.risk import blocks_words
    from raidtui.backends.arithmetic.ideal import speeds

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
    hours = inputs.notice_hours, inputs.obtain_hours, inputs.rebuild_hours
    notice, obtain, rebuild = (duration(3600 * part) for part in hours)
    parts.append(
        f"Assuming a {percent(inputs.afr)} annual failure rate ({inputs.afr_source}), {notice} to notice, {obtain} to "
        f"obtain a disk, {rebuild} to rebuild; w changes these. "
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
    if later or report.no_growth or report.grows_bytes is not None:
        which = f"{report.grows_by} more such disks" if report.grows_by > 1 else "One more such disk"
        takes = f", by a reshape of {duration_range(later.low, later.high)}" if later else ""
        parts.append(f"{which} later: {growth_words(report)}{takes}.\n")
    return parts


def detail(
    report: "Report",
    layout: str,
    advice: "Recommendation | None",
    *,
    names: Sequence[str],
    members: int,
    outside: Sequence[int],
    reserve: bool,
) -> Parts:
    """All details of a layout.

    Args:
        names: the members, ``members`` of them, then the spares.
        outside: bytes of each disk outside its partition.
        reserve: whether space is left free at the end of each.
    """
    own = names[:members]
    return [
        *headline(report, layout),
        *glance(report, layout, advice, wasted(report, own, outside, reserve=reserve), short=False),
        *facts(report),
        numbers(report, layout),
        *whole(report, names, outside, pairs_words(report, own), reserve=reserve),
    ]
