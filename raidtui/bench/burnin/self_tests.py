"""The self-tests of a disk as a part of its burn-in: started, waited for, and started once more if they were cut short."""

from collections.abc import Callable, Generator
from typing import Final, Literal

from raidtui.bench.burnin.children import Command, Pause, Ran, Work
from raidtui.machine.self_tests import ASKED, NOT_ASKED, SelfTestState, parse_self_tests
from raidtui.machine.smart import tells
from raidtui.model.history import SelfTest
from raidtui.model.machine import Disk
from raidtui.model.text import harmless

Kind = Literal["short", "long"]

_PAUSE_SECONDS: Final = {"short": 15.0, "long": 300.0}
_MOST_LOOKS: Final = {"short": 120, "long": 12 * 24 * 7}  # half an hour, and a week
_STARTS: Final = 2
_HOURS_WRAP: Final = 65536  # the log keeps 16 bits of the hour


def has_self_tests(disk: Disk) -> bool:
    """Whether ``disk`` may have them: virtual ones do not."""
    return tells(disk)


def self_test(
    disk: Disk,
    kind: Kind,
    program: str,
    learned: Callable[[SelfTest], None],
    waits: Callable[[int], None] = lambda _: None,
) -> Work:
    """Run the self-test of that kind on ``disk``; one that runs already, as after a reboot, is waited for.

    Args:
        program: path of smartctl.
        learned: takes the result.
        waits: takes the percentage that is left, whenever it has changed.
    """
    begun = yield from _look(disk, program)
    if begun is None:
        learned(SelfTest(kind=kind, words="the disk has no self-tests, or does not report them"))
        return
    words = "it did not start"
    left: int | None = None
    for _ in range(_STARTS):
        state: SelfTestState | None = begun
        if not begun.runs:
            ran = yield Command(("smartctl", "--json", f"--test={kind}", disk.path), program, disk.name)
            if ran is None or ran.returncode is None or ran.returncode & NOT_ASKED:
                learned(SelfTest(kind=kind, words="it could not be started"))
                return
        for _ in range(_MOST_LOOKS[kind]):
            yield Pause(_PAUSE_SECONDS[kind])
            state = yield from _look(disk, program)
            if state is not None and not state.runs:
                break
            if state is not None and state.left_percent is not None and state.left_percent != left:
                left = state.left_percent
                waits(left)
        result = _result(state, kind, begun.hours)
        if result is not None and result.passed is not None:
            learned(result)
            return
        words = result.words if result is not None else "how it ended is not known"
        if state is None or state.runs:
            break
        begun = state
    learned(SelfTest(kind=kind, words=words))


def _look(disk: Disk, program: str) -> Generator[Command | Pause, Ran | None, SelfTestState | None]:
    ran = yield Command(("smartctl", *ASKED, disk.path), program, disk.name)
    return parse_self_tests(ran.output) if ran is not None and ran.returncode is not None else None


def _result(state: SelfTestState | None, kind: Kind, since: int | None) -> SelfTest | None:
    """How the test ended that was started at ``since`` power-on hours; None if the disk does not say."""
    if state is None or state.runs or state.newest is None:
        return None
    newest = state.newest
    if newest.is_long != (kind == "long"):
        return None
    if (
        since is not None
        and newest.hours is not None
        and (newest.hours - since) % _HOURS_WRAP > _HOURS_WRAP // 2
    ):
        return None  # an older one
    passed = True if newest.passed else False if newest.failed else None
    return SelfTest(kind=kind, passed=passed, words=harmless(newest.outcome))
