"""The view settings of Level: kept while the app runs, so that leaving and returning changes nothing."""

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from raidtui.backends.registry import backend as of_word
from raidtui.model.md_levels import DEFAULT_CHUNK
from raidtui.model.spec import Backend, Spec
from raidtui.model.units import KIB, parse_size
from raidtui.ui.wizard.level_names import is_built, key, key_of, level_of

if TYPE_CHECKING:
    from raidtui.advice.report import Report
    from raidtui.advice.risk import RiskInputs
    from raidtui.backends.level import Level


SORTED: Final = {
    "level": "",
    "space": "by usable space",
    "safety": "by 5-year risk",
    "speed": "by mean speed",
}
"""The sort orders of the levels, in words."""

_CHUNKS: Final = tuple(size * KIB for size in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096))


class LevelView(msgspec.Struct):
    """What is shown, the sort order, and the inputs of the risk."""

    every: bool = False  # also show the other backends
    rare: bool = False  # also show rare levels and layouts
    key: str = ""  # of the last highlighted row
    wish: str = "level"
    inputs: "RiskInputs | None" = None  # set if the user changed them


def chunks_of(backend: Backend) -> tuple[int, ...]:
    """The chunks to step through: the backend's choices, or the usual ones."""
    option = of_word(backend).options.get("chunk")
    return tuple(map(parse_size, option.choices)) if option is not None and option.choices else _CHUNKS


def usual_chunk(found: "Iterable[Report]", backend: Backend) -> int:
    """The chunk of other levels of ``backend``, for a level that has none or is impossible on these disks."""
    return next(
        (one.chunk_bytes for one in found if one.backend is backend and one.chunk_bytes), DEFAULT_CHUNK
    )


def chosen_key(spec: Spec) -> str:
    """The row key of the level in ``spec``; empty if none is chosen yet."""
    level = level_in(spec)
    return key(spec.backend, level.name, spec.layout or level.default_layout) if level is not None else ""


def level_in(spec: Spec) -> "Level | None":
    """The level in ``spec``; None if none is chosen yet."""
    return of_word(spec.backend).levels.get(spec.level)


def odd_layout(spec: Spec) -> str:
    """The layout in ``spec`` if it is part of the level's name: its row is shown even if rare. Else empty."""
    level = level_in(spec)
    return spec.layout or "" if level is not None and level.called_with_layout else ""


def chosen(spec: Spec) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """The level in ``spec``, its `odd_layout`, and the options for this level only."""
    known = of_word(spec.backend).options
    own = tuple((key, value) for key, value in spec.options.items() if key in known and known[key].of_level)
    return spec.level, odd_layout(spec), own


def is_chosen(report: "Report", spec: Spec) -> bool:
    """Whether ``spec`` has this level, in any layout."""
    return (report.backend, report.level) == (spec.backend, spec.level)


def layout_on(report: "Report", spec: Spec) -> str:
    """Its layout; or the chosen one, for a level whose layouts all give the same."""
    return (spec.layout if is_chosen(report, spec) else None) or report.layout


def following_layout(level: "Level", spec: Spec) -> str:
    """The layout after the one in ``spec``, among those possible with its number of members."""
    layouts = level.layouts_on(len(spec.members))
    now = spec.layout or level.default_layout
    return layouts[(layouts.index(now) + 1) % len(layouts)] if now in layouts else layouts[0]


def has_another_layout(report: "Report", spec: Spec) -> bool:
    """Whether the level of ``report`` is possible on these disks in another layout as well."""
    level = level_of(report)
    return report.refused is None and level.has_layout and len(level.layouts_on(len(spec.members))) > 1


def idle_keys(report: "Report | None", spec: Spec, suited: int) -> frozenset[str]:
    """The actions that can do nothing with the highlighted layout; ``suited``: how many backends take the disks."""
    can_be = report is not None and report.refused is None
    can = {
        "layout": report is not None and is_built(report) and has_another_layout(report, spec),
        "spares": len(spec.members) > 1 or bool(spec.spares),
        "backends": suited > 1,
        "map": can_be,
        "next": report is not None and can_be and is_built(report),
    }
    return frozenset(action for action, works in can.items() if not works)


def shown_levels(
    found: "Iterable[Report]", view: LevelView, kept: Container[str]
) -> "tuple[dict[str, Report], int]":
    """The reports to show by row key, in the chosen order with impossible ones last; and the number of hidden ones.

    ``kept``: keys that are never hidden.
    """
    from raidtui.advice.ranking import Wish, ranked

    def is_common(report: "Report") -> bool:
        level = level_of(report)
        usual = not level.called_with_layout or report.layout == level.default_layout
        return (usual and not level.rare) or key_of(report) in kept

    ordered = sorted(ranked(found, Wish(view.wish)), key=lambda report: report.refused is not None)
    shown = {key_of(one): one for one in ordered if view.rare or is_common(one)}
    return shown, len(ordered) - len(shown)
