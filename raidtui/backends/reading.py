"""A whole reading of this computer: its disks and what each backend reads about its units."""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from raidtui.backends.registry import card_readers, reader, readers
from raidtui.machine.ask import Ask, ask, ask_card
from raidtui.machine.fence import Fence, taken_by_unknown
from raidtui.machine.reader import load_machine, read_machine
from raidtui.model.machine import Machine
from raidtui.model.problem import Problem
from raidtui.model.spec import Backend


def read_whole(*, smart: bool = True, known_tools: Mapping[str, str] | None = None) -> Machine:
    """Read this computer as `read_machine` does, and the units of every backend.

    Args:
        smart: whether to read the SMART data of the disks.
        known_tools: programs whose version is known from an earlier reading.
    """
    machine = read_machine(smart=smart, known_tools=known_tools)
    return with_readings(machine, ask, ask_card, smart=smart)


def with_readings(machine: Machine, ask: Ask, ask_card: Ask, *, smart: bool) -> Machine:
    """Add what each backend reads to ``machine``. A backend that cannot be read becomes a problem.

    Args:
        ask: runs programs.
        ask_card: runs the programs of RAID cards.
        smart: whether to read the SMART data of the drives behind cards.
    """
    fence, of_cards = Fence(), card_readers()

    found = {
        name: fence.read(
            name.value,
            _called(name),
            partial(one.read, machine, ask_card if name in of_cards else ask),
            None,
        )
        for name, one in readers().items()
    }
    readings = {name.value: msgspec.to_builtins(one) for name, one in found.items() if one is not None}
    whole = msgspec.structs.replace(machine, readings=readings)
    if whole.cards:
        for name, card_reader in of_cards.items():
            add = partial(card_reader.with_drives, whole, ask, smart=smart)
            whole = fence.read(name.value, _called(name), add, whole)
    readings = dict(whole.readings)
    for name, one in readers().items():
        units = fence.read(name.value, _called(name), partial(one.units, whole), None)
        if units is None:
            readings.pop(name.value, None)
            continue
        fence.problems += [Problem(what=name.value, text=text) for text in map(one.unknown, units) if text]
    return _with_problems(msgspec.structs.replace(whole, readings=readings), fence.problems)


def _called(name: Backend) -> str:
    return f"what {name} built"


def _with_problems(machine: Machine, problems: Sequence[Problem]) -> Machine:
    """``machine`` with these problems; the disks that may belong to such a backend are not free."""
    if not problems:
        return machine
    of = {problem: reader(Backend(problem.what)).claims for problem in problems}
    disks = tuple(
        taken_by_unknown(
            disk,
            [problem for problem in problems if any(claim.what in of[problem] for claim in disk.taken_by)],
        )
        for disk in machine.disks
    )
    return msgspec.structs.replace(machine, disks=disks, problems=(*machine.problems, *problems))


def the_machine(file: str | None, *, smart: bool = True) -> Machine:
    """The machine recorded in ``file`` or, without one, this computer."""
    return read_whole(smart=smart) if file is None else recorded_machine(file)


def recorded_machine(file: str) -> Machine:
    """The machine recorded in ``file``, perhaps by an older version.

    Raises:
        BadInput: the file cannot be read, or does not hold a machine.
    """
    machine = load_machine(file)
    for of_card in card_readers().values() if machine.cards else ():
        machine = of_card.judged_again(machine)
    return machine
