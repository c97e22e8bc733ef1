"""What the wizard's answers amount to: defaults filled in, member sizes, and what the levels give on them."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import Backend, Spec

if TYPE_CHECKING:
    from raidtui.advice.report import Question, Report
    from raidtui.advice.risk import RiskInputs
    from raidtui.backends.facts import Facts


def filled(spec: Spec) -> Spec:
    """``spec`` with the defaults for what lies on the disks; names and filesystem are not looked at."""
    from raidtui.backends.registry import backend

    return backend(spec.backend).defaults(spec)


def disks_of(spec: Spec, machine: Machine) -> dict[str, Disk]:
    """Members and spares by the word that the spec has for each.

    Raises:
        BadInput: a disk that is not there.
    """
    # Looking one up means looking at every disk: of a thousand it is done once for all that no other can be meant by.
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
    """A WWN as it is compared: in small letters, without what says that it is one."""
    return name.lower().removeprefix("wwn-").removeprefix("0x")


def _sector(disks: Iterable[Disk]) -> int:
    return max((disk.logical_sector_bytes for disk in disks), default=512)


def question_of(spec: Spec, machine: Machine, inputs: "RiskInputs | None" = None) -> "Question":
    """What to ask the advice about the disks of ``spec``; the layout is left open, for all are compared.

    ``inputs`` of the risk are those that somebody gave; else the rates that are known of these disks.

    Raises:
        BadInput: a disk that is not there, or too small for its partition.
    """
    from raidtui.advice.disk_inputs import known_inputs
    from raidtui.advice.hazards.drives import shingled
    from raidtui.advice.report import Question
    from raidtui.backends.facts import Options
    from raidtui.steps.pieces import extent_on

    whole = filled(spec)
    every, count = list(disks_of(spec, machine).values()), len(spec.members)
    sizes, disks = [extent_on(disk, whole).size_bytes for disk in every], every[:count]
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
    """Every layout of one backend worth comparing, and ``layout`` of ``level`` beside them where it is none of these.

    ``own`` is what was answered about ``level`` alone, such as how many vdevs share the disks; as long as that is
    possible, the level is shown so.

    Kept, so that going through chunks, spares and wishes and back again costs nothing.
    """
    from raidtui.advice.report import all_reports, one_report
    from raidtui.backends.registry import backend as known

    found = tuple(all_reports(question, (backend,)))
    if layout and all(one.layout != layout for one in found if one.level == level):
        wanted = question.options.consistency
        fitting = wanted if wanted in known(backend).levels[level].consistencies else None
        options = msgspec.structs.replace(question.options, layout=layout, consistency=fitting)
        found = (*found, one_report(backend, level, msgspec.structs.replace(question, options=options)))
    if own:
        options = msgspec.structs.replace(question.options, own=own)
        answered = one_report(backend, level, msgspec.structs.replace(question, options=options))
        if answered.refused is None:
            found = tuple(answered if one.level == level else one for one in found)
    return found


def chosen_facts(spec: Spec, machine: Machine) -> "Facts":
    """What the chosen level gives with every answer so far.

    Raises:
        BadInput: an answer that cannot be, or `CannotBuild`: a layout that cannot be.
    """
    from raidtui.backends.resolve import place

    return place(spec, machine).facts
