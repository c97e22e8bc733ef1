"""A layout as a row beside the others, and in words: what it gives, survives, risks, and how fast it can be."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.model.spec import Backend
from raidtui.model.units import MIB, both, decimal, duration, spell_size
from raidtui.ui.widgets.rows import Column, Row

if TYPE_CHECKING:
    from raidtui.advice.report import Report
    from raidtui.advice.risk import Risk
    from raidtui.advice.survival import Survival

Parts = list[tuple[str, str] | str]

BUILT = Backend.MDADM
WIDE = 110  # columns of a terminal where a few words more have room
ONLY_CALCULATED = "Calculated only, to compare: raidtui builds mdadm today."
_ABOUT = {
    Backend.LVM: "LVM's own RAID: md's code inside a volume group. ",
    Backend.LVM_ON_MD: "One LVM volume over md arrays. ",
    Backend.ZFS: "A ZFS pool: volumes, checksums and snapshots in one. ",
    Backend.BTRFS: "A Btrfs filesystem over all disks, with checksums and snapshots. ",
}
_LINES = {
    "hybrid1": "Bands of md arrays use unequal disks in full; any one may fail. ",
    "hybrid2": "Bands of md arrays use unequal disks in full; any two may fail. ",
}
_UNSAFE_BTRFS = "Its raid5 and raid6 have a write hole and are not for data that matters. "


def columns(wish: str, *, every: bool, wide: bool) -> tuple[Column, ...]:
    """The columns, the one that is sorted by marked with an arrow."""

    def title(text: str, of: str, arrow: str) -> str:
        return f"{text} {arrow}" if wish == of else text

    usable = Column(title("Usable", "space", "▼"), 18, right=True)
    loss = Column(title("Loss 5 y", "safety", "▲"), 10, right=True)
    speed = Column(title("Speed", "speed", "▼"), 7, right=True)
    lost, survives = Column("Lost", 5, right=True), Column("Survives", 8)
    fatal = Column("2nd fatal", 9, right=True)
    what = (Column("What it is", 15, share=1),) if wide else ()
    if every:
        second = (fatal,) if wide else ()
        backend, build = Column("Backend", 9), Column("Build", 5)
        return backend, Column("Level", 9), usable, lost, survives, *second, loss, speed, build, *what
    return Column("Level", 9), usable, lost, survives, fatal, loss, speed, *what


def key_of(report: "Report") -> str:
    """The key of its row: md's level and layout, the others with their backend before."""
    name = level_name(report)
    return name if report.backend is BUILT else f"{report.backend} {name}"


def level_name(report: "Report") -> str:
    """The level; of md's raid10 with its layout, which makes another array of it."""
    if report.level == "raid10" and report.backend is BUILT:
        return f"raid10 {report.layout}"
    return report.level


def row(report: "Report", disks_bytes: int, *, every: bool, wide: bool) -> Row:
    """One layout on one line, or why it cannot be. ``disks_bytes``: of all disks, of which a part is lost."""
    from raidtui.advice.levels import LEVELS
    from raidtui.advice.ranking import five_year_loss, mean_speed

    head = (str(report.backend), level_name(report)) if every else (level_name(report),)
    lives, best = report.survives, report.ideal
    if report.refused is not None or lives is None or best is None:
        return Row(key_of(report), (*head, f"not possible: {report.refused}"), ("$text-muted",))
    sure, built = lives.guaranteed, report.backend is BUILT
    lost = 1 - report.usable_bytes / disks_bytes
    second = (f"{lives.second_failure_fatal_probability:.0%}",) if wide or not every else ()
    about = LEVELS[report.level].title if built else _ABOUT[report.backend].split(":")[0].rstrip(". ")
    cells = (
        *head,
        both(report.usable_bytes),
        f"{lost:.1%}" if lost < 0.9995 else "100%",
        f"any {sure}" if sure else "none",
        *second,
        chance(five_year_loss(report)),
        f"x{mean_speed(best):.2g}" if mean_speed(best) < 10 else f"x{mean_speed(best):.0f}",
        *(("yes" if built else "no",) if every else ()),
        *((about,) if wide else ()),
    )
    risky = len(head) + 2
    styles = ["bold" if built else "$text-muted"] * len(head) + [""] * (len(cells) - len(head))
    styles[risky] = "" if sure else "$text-error"
    if wide:
        styles[-1] = "$text-muted"
    return Row(key_of(report), cells, tuple(styles))


def chance(probability: float) -> str:
    """A chance for a column; what is less than one in 100 000 is not told apart."""
    from raidtui.advice.risk import NEGLIGIBLE, percent

    return "<0.001 %" if probability < NEGLIGIBLE else percent(probability)


def spoken_chance(probability: float) -> str:
    """The same without the unit, for a list of several."""
    return chance(probability).removesuffix(" %")


def headline(report: "Report", layout: str) -> Parts:
    """What it is, with the layout where that is not the usual one; for what is not built, that it is not."""
    from raidtui.advice.levels import LEVELS

    if report.backend is BUILT:
        level = LEVELS[report.level]
        usual = report.level == "raid10" or layout in {"", level.default_layout}
        unusual = "" if usual else f" {layout}"
        return [(f"{level_name(report)}{unusual}: ", "bold"), level.explains + "\n"]
    about = _LINES.get(report.level, _ABOUT[report.backend])
    if report.backend is Backend.BTRFS and report.level in {"raid5", "raid6"}:
        about += _UNSAFE_BTRFS
    return [
        (f"{report.backend} {report.level}: ", "bold"),
        about,
        (ONLY_CALCULATED, "$text-warning"),
        f" The size is {report.accuracy}.\n" if report.refused is None else "\n",
    ]


def facts(report: "Report") -> Parts:
    """Usable, what is survived, the risk, rebuild, speed and boot: a line or two each."""
    if report.refused is not None or report.survives is None or report.ideal is None:
        return [(f"Not with these disks: {report.refused}", "$text-warning")]
    lives, best = report.survives, report.ideal
    parts: Parts = [f"Usable {report.usable_bytes:,} bytes. Survives {_survives(lives)}.\n"]
    if report.risk:
        parts.append(f"{risk_line(report.risk)}\n")
    streams, small = (
        f"x{best.seq_read:.3g}/x{best.seq_write:.3g}",
        f"x{best.rand_read:.3g}/x{best.rand_write:.3g}",
    )
    parts.append(f"{rebuild_words(report)} Streams {streams}, small {small} (read/write).\n")
    if report.missing_disk_at_boot:
        parts.append(f"With a disk missing at boot it {report.missing_disk_at_boot}.\n")
    return parts


def _survives(lives: "Survival") -> str:
    """What is survived, and how likely a second failure is fatal where one is survived for sure."""
    share = lives.second_failure_fatal_probability
    if lives.guaranteed != 1:
        return lives.words
    return "any 1 disk; a second is fatal" + (f" with {share:.0%}" if share < 1 else "")


def risk_line(risk: "Risk") -> str:
    """Loss in 1 and 5 years at each correlation, without geological ages."""
    from raidtui.advice.risk import NEGLIGIBLE

    if risk.loss_probability_1y["10"] < NEGLIGIBLE:
        return f"Risk of loss: {risk.words}."
    if risk.loss_probability_1y["1"] == risk.loss_probability_1y["10"]:  # the first failure is the last
        one, all_five = risk.loss_probability_1y["1"], risk.loss_probability_5y["1"]
        return f"Loss 1 y {chance(one)}, 5 y {chance(all_five)}."
    year = "/".join(map(spoken_chance, risk.loss_probability_1y.values()))
    five = "/".join(map(spoken_chance, risk.loss_probability_5y.values()))
    return f"Loss 1 y {year} %, 5 y {five} % (corr. 1/3/10)."


def rebuild_words(report: "Report") -> str:
    """How long a rebuild takes, as a range."""
    span = report.rebuild_seconds
    if span is None:
        return "Nothing can be rebuilt."
    return f"Rebuild {' to '.join(dict.fromkeys((duration(span.low), duration(span.high))))}."


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
    """How md lays it out: layout, chunk, stripe, metadata, offset, consistency."""
    if report.refused is not None:
        return ""
    said = [f"layout {layout}"] if layout else []
    if report.chunk_bytes:
        said.append(f"chunk {spell_size(report.chunk_bytes)}")
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
    """What only the page of one layout tells: every disk, the pairs, and what the risk is reckoned from.

    Args:
        names: the members, then the spares.
        outside: bytes of each of these disks that lie outside its partition.
        reserve: whether room is left free at the end of each.
    """
    from raidtui.advice.risk import percent

    parts: Parts = []
    weak = report.ideal.degraded if report.ideal else None
    if weak:
        parts.append(
            f"Degraded: streams x{weak.seq_read:.3g}/x{weak.seq_write:.3g}, "
            f"small x{weak.rand_read:.3g}/x{weak.rand_write:.3g}.\n"
        )
    if report.members:
        parts += ["\n", ("Of each disk\n", "bold")]
    about = "the partition table and the reserve at the end (Options)" if reserve else "the partition table"
    uses = zip(names, zip((*report.members, *report.spares), outside, strict=False), strict=False)
    for (use, rest), same in groupby(uses, key=lambda pair: pair[1]):
        parts += [" ".join(name for name, _ in same), f": {both(use.used_bytes)} used; not used: {use.why}"]
        parts.append(f"; {both(rest)} for {about}\n" if rest else "\n")
    if report.survives:
        parts += ["\n", ("Which disks\n", "bold"), f"{pairs}\n"]
    risk = report.risk
    if risk is None:
        return parts
    parts += ["\n", ("Loss of data", "bold"), f"{'1 year':>25}{'5 years':>14}\n"]
    for key, words in {"1": "independent", "3": "3 x once degraded", "10": "10 x once degraded"}.items():
        one, five = risk.loss_probability_1y[key], risk.loss_probability_5y[key]
        parts.append(f"disks fail {words:<20}{chance(one):>6}{chance(five):>14}\n")
    inputs = risk.inputs
    parts.append(
        f"Reckoned with {percent(inputs.afr)} of disks failing in a year ({inputs.afr_source}), "
        f"{inputs.notice_hours:g} h to notice, {inputs.obtain_hours:g} h to a replacement, "
        f"{inputs.rebuild_hours:g} h to rebuild; w changes these. Some disk fails within a year with "
        f"{percent(risk.any_failure_probability_1y)}. Below 0.001 % other causes dominate: fire, theft, people.\n"
    )
    if report.rebuild_seconds:
        parts.append(
            f"A rebuild without redundancy left meets {risk.unreadable_blocks:.2g} unreadable blocks of 4 KiB by the "
            f"bound of data sheets; if disks lack an error-recovery limit, loss in a year is "
            f"{percent(risk.timeout_loss_probability_1y)}.\n"
        )
    later = report.reshape_seconds
    if later:
        parts.append(
            f"One more disk later: {duration(later.low)} to {duration(later.high)} of reshape until its room is there.\n"
        )
    return parts


def page(*groups: Parts) -> Content:
    """Several groups of lines as one text."""
    return Content.assemble(*(part for group in groups for part in group))
