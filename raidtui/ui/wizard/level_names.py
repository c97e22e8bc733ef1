"""What a layout is called: its key among the rows, its name and words in its backend's own, and whether it is built."""

from typing import TYPE_CHECKING

from raidtui.model.spec import Backend, kind_of

if TYPE_CHECKING:
    from raidtui.advice.report import Report
    from raidtui.backends.level import Level


def key_of(report: "Report") -> str:
    """The key of its row."""
    return key(report.backend, report.level, report.layout)


def key(backend: Backend, level: str, layout: str) -> str:
    """The key of a row: ``raid5``, ``raid10 n2``, ``lvm striped``."""
    from raidtui.backends.registry import backend as known

    found = known(backend).levels.get(level)
    return kind_of(backend, f"{level} {layout}" if found is not None and found.called_with_layout else level)


def level_name(report: "Report") -> str:
    """The level as people write it, with the layout where that makes another array of it: ``RAID5``, ``RAID10 n2``."""
    level = level_of(report)
    name = level.shown or level.name
    return f"{name} {report.layout}" if level.called_with_layout else name


def level_of(report: "Report") -> "Level":
    """The words of its backend about its level."""
    from raidtui.backends.registry import backend

    return backend(report.backend).levels[report.level]


def is_built(report: "Report") -> bool:
    """Whether raidtui builds it; else it is calculated for comparison."""
    from raidtui.backends.registry import backend

    return backend(report.backend).builder is not None and level_of(report).builds


def only_calculated(report: "Report") -> str:
    """What is said of a level that raidtui does not build."""
    from raidtui.backends.registry import backend

    name = report.backend
    if backend(name).builder is not None:
        return f"For comparison only: raidtui cannot build {report.level} of {name} yet."
    return f"For comparison only: raidtui cannot build with {name} yet."


def chunk_words(report: "Report") -> str:
    """What its backend calls the chunk: ``chunk``, ``stripe size``."""
    from raidtui.backends.registry import backend

    option = backend(report.backend).options.get("chunk")
    return option.label.lower() if option is not None else "chunk"


def spoken_name(report: "Report", layout: str) -> str:
    """Its name and whose it is, with the layout where that is not the usual one."""
    level = level_of(report)
    usual = level.called_with_layout or not level.has_layout or layout in {"", level.default_layout}
    return kind_of(report.backend, level_name(report)) + ("" if usual else f" {layout}")
