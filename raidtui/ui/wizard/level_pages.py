"""The pages that open over Level: the map of one layout, and every detail of it. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.ui.widgets.data_map import map_rows, pairs_matrix, pairs_words
from raidtui.ui.wizard import level_lines
from raidtui.ui.wizard.level_names import key_of, level_of

if TYPE_CHECKING:
    from raidtui.advice.recommend import Recommendation
    from raidtui.advice.report import Report


def page_rows(report: "Report", disks: int) -> int:
    """Rows of a map that has a page of its own: where parity rotates, until it has been on every disk."""
    # In every backend that has them these two words mean rotating parity.
    return disks if report.level in {"raid5", "raid6"} and disks <= 8 else map_rows(disks)


def map_title(report: "Report", layout: str) -> str:
    """What the page of a map is called."""
    level = level_of(report)
    said = layout if level.has_layout and not level.called_with_layout else ""
    return f"{key_of(report)} {said}".rstrip() + " on these disks"


def map_page(report: "Report", drawn: Content, names: Sequence[str], width: int) -> Content:
    """The map with the pairs that must not fail below it."""
    return Content.assemble(
        drawn, "\n\n", pairs_words(report, names), "\n", pairs_matrix(report, names, width=width)
    )


def detail_page(
    report: "Report",
    layout: str,
    advice: "Recommendation | None",
    *,
    names: Sequence[str],
    members: int,
    disk_bytes: int,
    outside: Sequence[int],
    reserve: bool,
) -> Content:
    """Everything about one layout.

    Args:
        names: the members, of which there are ``members``, then the spares.
        disk_bytes: of all of them.
        outside: bytes of each that lie outside its partition.
        reserve: whether room is left free at the end of each.
    """
    own = names[:members]
    return Content.assemble(
        *level_lines.headline(report, layout),
        *level_lines.glance(report, layout, advice, level_lines.wasted(report, own), short=False),
        *level_lines.facts(report, disk_bytes),
        level_lines.numbers(report, layout),
        *level_lines.whole(report, names, outside, pairs_words(report, own), reserve=reserve),
    )
