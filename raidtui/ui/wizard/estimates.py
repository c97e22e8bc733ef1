"""Estimates for the wizard: fill in defaults, look up disks, and calculate what each level gives."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from raidtui.backends.registry import backend as of_word
from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import Backend, Spec

if TYPE_CHECKING:
    from raidtui.advice.report import Question, Report
    from raidtui.advice.risk import RiskInputs
    from raidtui.backends.facts import Facts


def filled(spec: Spec) -> Spec:
    """``spec`` with the defaults for the layout on the disks; name and filesystem are not checked."""
    return of_word(spec.backend).defaults(spec)


def disks_of(spec: Spec, machine: Machine) -> dict[str, Disk]:
    """Members and spares, by their names in the spec. Raises BadInput: a disk is not there."""
    # Machine.disk searches all disks: index them once, and use it only for ambiguous names.
    by_name: dict[str, list[Disk]] = {}
    for disk in machine.disks:
        for name in {disk.serial, _bare(disk.serial), *disk.by_id, _bare(disk.wwn)}:
            by_name.setdefault(name, []).append(disk)
    found = {}
    for word in spec.disks:
        named = by_name.get(word, [])
        alone = len(named) == 1 and by_name.get(_bare(word), named) == named
        found[word] = named[0] if alone else machine.disk(word)
    return found


def _bare(name: str) -> str:
    """A WWN in comparable form: in lower case, without prefix."""
    return name.lower().removeprefix("wwn-").removeprefix("0x")


def _sector(disks: Iterable[Disk]) -> int:
    return max((disk.logical_sector_bytes for disk in disks), default=512)


def question_of(spec: Spec, machine: Machine, inputs: "RiskInputs | None" = None) -> "Question":
    """The question to the advice about the disks of ``spec``; without layout, as all are compared.

    ``inputs`` of the risk are the user's; by default the known rates of these disks.

    Raises:
        BadInput: a disk is not there, or is too small for its partition.
    """
    from raidtui.advice.disk_inputs import known_inputs
    from raidtui.advice.hazards.drives import shingled
    from raidtui.advice.report import Question
    from raidtui.backends.facts import Options
    from raidtui.steps.pieces import extent_on

    whole = filled(spec)
    every, count = list(disks_of(spec, machine).values()), len(spec.members)
    sizes, disks = [extent_on(disk, whole).length for disk in every], every[:count]
    return Question(
        sizes=tuple(sizes[:count]),
        options=Options(
            spare_sizes=tuple(sizes[count:]),
            chunk=spec.chunk,
            metadata=spec.metadata or "",
            consistency=spec.consistency,
            logical_sector=_sector(every),
            tools=tuple(machine.tools.items()),
        ),
        rotational=any(disk.rotational for disk in disks),
        speed_limit=machine.system.raid_speed_max,
        shingled=any(shingled(disk) for disk in disks),
        outside_bytes=sum(disk.size_bytes for disk in every) - sum(sizes),
        inputs=inputs or known_inputs(disks),
    )


@lru_cache(maxsize=256)
def reports_of(
    question: "Question",
    backend: Backend,
    level: str = "",
    layout: str = "",
    own: tuple[tuple[str, str], ...] = (),
) -> "tuple[Report, ...]":
    """All layouts of a backend worth comparing, plus ``layout`` of ``level`` if not among them.

    ``own`` are the options for ``level`` only, such as the number of vdevs; they are applied to it if possible.

    Cached, so that stepping through chunks, spares and sort orders costs nothing.
    """
    from raidtui.advice.report import all_reports, one_report

    found = tuple(all_reports(question, (backend,)))
    if layout and all(one.layout != layout for one in found if one.level == level):
        wanted = question.options.consistency
        fitting = wanted if wanted in of_word(backend).levels[level].consistencies else None
        options = msgspec.structs.replace(question.options, layout=layout, consistency=fitting)
        found = (*found, one_report(backend, level, msgspec.structs.replace(question, options=options)))
    if own:
        options = msgspec.structs.replace(question.options, own=own)
        answered = one_report(backend, level, msgspec.structs.replace(question, options=options))
        if answered.refused is None:
            found = tuple(answered if one.level == level else one for one in found)
    return found


def beside(question: "Question", suited: "Iterable[Backend]") -> "tuple[Backend, ...]":
    """The backends made for disks like these, which are unequal: shown beside the usual one where they give more."""
    if len(set(question.sizes)) < 2:
        return ()
    return tuple(name for name in suited if of_word(name).for_unequal)


def worth_showing(
    reports: "Iterable[Report]", home: "Iterable[Report]", chosen: str = ""
) -> "tuple[Report, ...]":
    """Those of ``reports`` that give more than the usual backend's levels in ``home``, or have the level ``chosen``."""
    from raidtui.advice.ranking import gives_more

    others = tuple(home)
    return tuple(one for one in reports if one.level == chosen or gives_more(one, others))


def chosen_facts(spec: Spec, machine: Machine) -> "Facts":
    """What the chosen level gives, with all answers so far.

    Raises:
        BadInput: an answer is invalid; `CannotBuild`, which is one too, if the layout is impossible.
    """
    from raidtui.backends.resolve import place

    return place(spec, machine).facts


def outside_of(question: "Question | None", spec: Spec, disks: Mapping[str, Disk]) -> list[int]:
    """Bytes of each disk, members first, outside its partition; empty while nothing is calculated."""
    if question is None:
        return []
    sizes = (*question.sizes, *question.options.spare_sizes)
    return [disks[word].size_bytes - size for word, size in zip(spec.disks, sizes, strict=True)]
