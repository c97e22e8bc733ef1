"""The names of a layout: its row key, its name in the words of its backend; and whether raidtui can build it."""

from typing import TYPE_CHECKING

from raidtui.backends.registry import backend as of_word
from raidtui.backends.registry import find_builder
from raidtui.model.spec import Backend, kind_of
from raidtui.model.text import spelled

if TYPE_CHECKING:
    from raidtui.advice.recommend import Recommendation
    from raidtui.advice.report import Report
    from raidtui.backends.level import Level


def key_of(report: "Report") -> str:
    """The row key of a layout."""
    return key(report.backend, report.level, report.layout)


def key(backend: Backend, level: str, layout: str) -> str:
    """The key of a row: ``raid5``, ``raid10 n2``, ``lvm striped``."""
    found = of_word(backend).levels.get(level)
    return kind_of(backend, f"{level} {layout}" if found is not None and found.called_with_layout else level)


def advised_key(home: Backend, advice: "Recommendation | None") -> str:
    """The row key of the recommended layout of ``home``; empty if none is."""
    return key(home, advice.level, advice.layout) if advice is not None else ""


def level_name(report: "Report") -> str:
    """The usual spelling of the level, with the layout if that is part of its name: ``RAID5``, ``RAID10 n2``."""
    level = level_of(report)
    name = spelled(level.name)
    return f"{name} {report.layout}" if level.called_with_layout else name


def level_of(report: "Report") -> "Level":
    """The backend's description of the level."""
    return of_word(report.backend).levels[report.level]


def is_built(report: "Report") -> bool:
    """Whether raidtui can build it; if not, it is only calculated for comparison."""
    return find_builder(report.backend) is not None


def refused_words(report: "Report") -> str:
    """Why a refused layout cannot be chosen."""
    return f"{level_name(report)} is not possible on these disks: {report.refused}"


def why_not_chosen(report: "Report") -> str:
    """Why no array is made of this layout; empty if one can be."""
    if not is_built(report):
        return only_calculated(report)
    return refused_words(report) if report.refused is not None else ""


def only_calculated(report: "Report") -> str:
    """A sentence: raidtui cannot build this level."""
    return f"For comparison only: raidtui cannot build with {report.backend} yet."


def chunk_words(report: "Report") -> str:
    """The backend's word for the chunk: ``chunk``, ``stripe size``."""
    option = of_word(report.backend).options.get("chunk")
    return option.label.lower() if option is not None else "chunk"


def full_name(report: "Report", layout: str) -> str:
    """Name and backend, with the layout if it is not the default."""
    level = level_of(report)
    usual = level.called_with_layout or not level.has_layout or layout in {"", level.default_layout}
    return kind_of(report.backend, level_name(report)) + ("" if usual else f" {layout}")
