"""A whole reading of this computer: its disks and what each backend reads about its units."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Final

import msgspec

from raidtui.backends.registry import card_readers, reader, readers_asked
from raidtui.machine.alerts import read_alerts
from raidtui.machine.ask import Ask, ask, ask_card
from raidtui.machine.fence import Fence, taken_by_unknown
from raidtui.machine.reader import load_machine, read_machine
from raidtui.machine.recovery_trial import read_trial
from raidtui.model.history import FILE, History
from raidtui.model.machine import Disk, Machine
from raidtui.model.paths import state_folder
from raidtui.model.problem import Problem
from raidtui.model.smart import Smart
from raidtui.model.spec import Backend

_HEALTH_SECONDS: Final = 600.0


def read_whole(*, smart: bool = True, known_tools: Mapping[str, str] | None = None) -> Machine:
    """Read this computer as `read_machine` does, and the units of every backend.

    Args:
        smart: whether to read the SMART data of the disks.
        known_tools: programs whose version is known from an earlier reading.
    """
    machine = read_machine(smart=smart, known_tools=known_tools)
    whole = with_alerts(with_history(with_readings(machine, ask, ask_card, smart=smart)))
    return msgspec.structs.replace(whole, trial=read_trial())


def with_alerts(machine: Machine) -> Machine:
    """Add what this computer has for alerts. If that cannot be read, it becomes a problem."""
    fence = Fence()
    alerts = fence.read("alerts", "the alerts", partial(read_alerts, machine.system.mdadm_conf), None)
    return msgspec.structs.replace(machine, alerts=alerts, problems=(*machine.problems, *fence.problems))


def read_recorded() -> History:
    """What raidtui recorded on this computer; SQLite is loaded only if there is a file.

    Raises:
        BadInput, Refused, StepFailed: it cannot be read.
    """
    try:
        os.stat(state_folder() / FILE)
    except FileNotFoundError:
        return History()
    except OSError:
        pass  # why is said where it is opened
    from raidtui.machine.history import read_history

    return read_history()


def with_history(machine: Machine, read: Callable[[], History] = read_recorded) -> Machine:
    """Add what ``read`` returns: what raidtui recorded on this computer. If it cannot, that becomes a problem."""
    fence = Fence()
    history = fence.read("history", "what raidtui recorded over time", read, None)
    return msgspec.structs.replace(machine, history=history, problems=(*machine.problems, *fence.problems))


class Readings:
    """Whole readings of this computer one after the other, each of which takes a while.

    The health of the disks is read with the first one, and again only for a new disk or after some minutes: smartctl
    opens some disks for writing, which makes udev report a change, and a program that reads again on each change
    would never end.
    """

    def __init__(self) -> None:
        self._health: dict[tuple[str, str, int], Smart | None] = {}
        self._health_read_at = 0.0

    def read(self) -> Machine:
        """Read the whole computer."""
        if self._health and monotonic() - self._health_read_at < _HEALTH_SECONDS:
            machine = read_whole(smart=False)
            if all(_key(disk) in self._health for disk in machine.disks):
                disks = (msgspec.structs.replace(one, smart=self._health[_key(one)]) for one in machine.disks)
                return msgspec.structs.replace(machine, disks=tuple(disks))
        machine = read_whole()
        self._health = {_key(disk): disk.smart for disk in machine.disks}
        self._health_read_at = monotonic()
        return machine


def _key(disk: Disk) -> tuple[str, str, int]:
    """A disk in a slot: another one there, or the same one plugged in again, has another key."""
    return disk.key, disk.identity, disk.sequence


def with_readings(machine: Machine, ask: Ask, ask_card: Ask, *, smart: bool) -> Machine:
    """Add what each backend reads to ``machine``. A backend that cannot be read becomes a problem.

    Args:
        ask: runs programs.
        ask_card: runs the programs of RAID cards.
        smart: whether to read the SMART data of the drives behind cards.
    """
    fence, of_cards, of_all = Fence(), card_readers(machine.cards), readers_asked(machine)

    found = {
        name: fence.read(
            name.value,
            _called(name),
            partial(one.read, machine, ask_card if name in of_cards else ask),
            None,
        )
        for name, one in of_all.items()
    }
    readings = {name.value: msgspec.to_builtins(one) for name, one in found.items() if one is not None}
    whole = msgspec.structs.replace(machine, readings=readings)
    for name, card_reader in of_cards.items():
        add = partial(card_reader.with_drives, whole, ask, smart)
        whole = fence.read(name.value, _called(name), add, whole)
    readings = dict(whole.readings)
    for name, one in of_all.items():
        units = fence.read(name.value, _called(name), partial(one.units, whole), None)
        if units is None:
            readings.pop(name.value, None)
            continue
        unread = (*one.unlisted(whole), *filter(None, map(one.unknown, units)))
        fence.problems += [Problem(what=name.value, text=text) for text in unread]
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
    for of_card in card_readers(machine.cards).values():
        machine = of_card.judged_again(machine)
    return machine
