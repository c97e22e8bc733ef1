"""The pages that open over Level: the map and the details of a layout. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.advice.where_data_lies import pairs_words
from raidtui.model.text import spelled
from raidtui.ui.widgets.data_map import map_rows, pairs_matrix
from raidtui.ui.wizard.level_names import key_of, level_of

if TYPE_CHECKING:
    from raidtui.advice.report import Report


def page_rows(report: "Report", disks: int) -> int:
    """Rows of a full-page map: with rotating parity, one full rotation."""
    # In every backend, these two words mean rotating parity.
    return disks if report.level in {"raid5", "raid6"} and disks <= 8 else map_rows(disks)


def map_title(report: "Report", layout: str) -> str:
    level = level_of(report)
    suffix = layout if level.has_layout and not level.called_with_layout else ""
    return f"{spelled(key_of(report))} {suffix}".rstrip() + " on these disks"


def map_page(report: "Report", drawn: Content, names: Sequence[str], width: int) -> Content:
    """The map, with the pairs that must not both fail below it."""
    return Content.assemble(
        drawn, "\n\n", pairs_words(report, names), "\n", pairs_matrix(report, names, width=width)
    )
