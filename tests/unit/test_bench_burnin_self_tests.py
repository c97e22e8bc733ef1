"""The self-tests of a burn-in on drives of each kind: passed, failed, cut short, never ending, or not there."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.bench.burnin.children import Command, Pause, Ran
from raidtui.bench.burnin.self_tests import Kind, has_self_tests, self_test
from raidtui.bench.burnin.surface import Faults
from raidtui.model.history import SelfTest
from tests.unit.plan_machines import disk

GOOD = "Completed without error"
Document = dict[str, Any]


def sata(entries: list[tuple[str, str, int]], left: int | None, hours: int) -> Document:
    """What a SATA drive says with these entries in its log (kind, outcome, hours), and so much left of a test."""
    status = {"value": 0, "string": "completed without error", "passed": True}
    if left is not None:
        status = {
            "value": 240 + left // 10,
            "string": f"in progress, {left}% remaining",
            "remaining_percent": left,
        }
    return {
        "power_on_time": {"hours": hours},
        "ata_smart_data": {
            "self_test": {"status": status, "polling_minutes": {"short": 2, "extended": 1700}}
        },
        "ata_smart_self_test_log": {
            "standard": {
                "revision": 1,
                "count": len(entries),
                "table": [
                    {
                        "type": {"value": 1, "string": kind},
                        "status": {"value": 0, "string": outcome, "passed": outcome == GOOD},
                        "lifetime_hours": at % 65536,
                    }
                    for kind, outcome, at in entries
                ],
            }
        },
    }


def nvme(entries: list[tuple[str, str, int]], left: int | None, hours: int) -> Document:
    log: Document = {
        "current_self_test_operation": {"value": 0 if left is None else 1, "string": "…"},
        "table": [
            {
                "self_test_code": {"value": 1, "string": kind},
                "self_test_result": {"value": 0, "string": outcome},
                "power_on_hours": at,
            }
            for kind, outcome, at in entries
        ],
    }
    if left is not None:
        log["current_self_test_completion_percent"] = 100 - left
    return {"power_on_time": {"hours": hours}, "nvme_self_test_log": log}


def sas(entries: list[tuple[str, str, int]], left: int | None, hours: int) -> Document:
    running = [("Background long", "Self test in progress ...", hours)] if left is not None else []
    found: Document = {
        f"scsi_self_test_{number}": {
            "code": {"value": 1, "string": kind},
            "result": {"value": 0, "string": outcome},
            "power_on_time": {"hours": at},
        }
        for number, (kind, outcome, at) in enumerate([*running, *entries])
    }
    return {"power_on_time": {"hours": hours}} | found


class Drive:
    """A drive on which a test takes two looks, and ends as it is told."""

    def __init__(
        self,
        outcomes: list[str],
        *,
        says: Callable[..., Document] = sata,
        names: tuple[str, str] = ("Short offline", "Extended offline"),
        before: tuple[tuple[str, str, int], ...] = (),
        runs: bool = False,
        hours: int = 100,
    ) -> None:
        self.outcomes, self.says, self.names, self.hours = outcomes, says, names, hours
        self.log = list(before)
        self.looks = 2 if runs else 0
        self.kind = names[1]
        self.started = 0
        self.paused = 0.0

    def answer(self, argv: tuple[str, ...]) -> Ran:
        for word in argv:
            if word.startswith("--test="):
                assert not self.looks, "smartctl would refuse: a test runs"
                self.started += 1
                self.kind, self.looks = self.names[word.endswith("long")], 2
                return Ran(0, "{}", Faults())
        left = 10 * self.looks if self.looks else None
        shown = json.dumps(self.says(self.log, left, self.hours))
        if self.looks:
            self.looks -= 1
            if not self.looks:
                self.hours += 1
                self.log.insert(0, (self.kind, self.outcomes.pop(0), self.hours))
        return Ran(0, shown, Faults())


def result(kind: Kind, drive: Drive, answer: Callable[[tuple[str, ...]], Ran] | None = None) -> SelfTest:
    found: list[SelfTest] = []
    work = self_test(disk(1), kind, "/usr/sbin/smartctl", found.append)
    ran: Ran | None = None
    while True:
        try:
            wanted = work.send(ran)
        except StopIteration:
            (only,) = found
            return only
        ran = None
        if isinstance(wanted, Command):
            assert wanted.argv[0] == "smartctl"
            assert wanted.argv[-1] == "/dev/sda"
            ran = (answer or drive.answer)(wanted.argv)
        else:
            assert isinstance(wanted, Pause)
            drive.paused += wanted.seconds


@pytest.mark.parametrize("kind", ["short", "long"])
@pytest.mark.parametrize(
    ("says", "names", "passes", "fails"),
    [
        (sata, ("Short offline", "Extended offline"), GOOD, "Completed: read failure"),
        (nvme, ("Short", "Extended"), GOOD, "Completed: failed segments"),
        (sas, ("Background short", "Background long"), "Completed", "Failed in segment -->"),
    ],
)
def test_a_test_passes_or_fails(
    kind: Kind, says: Callable[..., Document], names: tuple[str, str], passes: str, fails: str
) -> None:
    older = ((names[kind == "long"], fails, 50),)
    good = Drive([passes], says=says, names=names, before=older)
    assert result(kind, good) == SelfTest(kind=kind, passed=True, words=passes)
    bad = Drive([fails], says=says, names=names, before=older)
    assert result(kind, bad) == SelfTest(kind=kind, passed=False, words=fails)
    assert bad.started == 1


def test_a_test_that_was_cut_short_is_started_once_more() -> None:
    drive = Drive(["Aborted by host", GOOD])
    assert result("long", drive).passed is True
    assert drive.started == 2
    drive = Drive(["Aborted by host", "Interrupted (host reset)"])
    assert result("long", drive) == SelfTest(kind="long", words="Interrupted (host reset)")


def test_how_far_it_is_is_said_when_it_changes() -> None:
    said: list[int] = []
    drive = Drive([GOOD])
    work = self_test(disk(1), "long", "/usr/sbin/smartctl", lambda _: None, said.append)
    ran: Ran | None = None
    while True:
        try:
            wanted = work.send(ran)
        except StopIteration:
            break
        ran = drive.answer(wanted.argv) if isinstance(wanted, Command) else None
    assert said == [20, 10]


def test_after_a_reboot_a_test_that_runs_is_waited_for() -> None:
    drive = Drive([GOOD], runs=True)
    assert result("long", drive).passed is True
    assert drive.started == 0


def test_a_test_of_another_kind_is_not_ours() -> None:
    drive = Drive([GOOD, GOOD], runs=True)
    assert result("short", drive).passed is True
    assert drive.started == 1


def test_an_old_entry_proves_nothing() -> None:
    drive = Drive([GOOD], before=(("Short offline", GOOD, 90),))
    assert drive.answer(()).output

    def forgets(argv: tuple[str, ...]) -> Ran:
        return Ran(0, json.dumps(sata([("Short offline", GOOD, 90)], None, 100)), Faults())

    assert result("short", drive, forgets).passed is None


def test_hours_that_have_wrapped() -> None:
    drive = Drive([GOOD], hours=65535 + 65536, before=(("Short offline", GOOD, 60_000),))
    assert result("short", drive).passed is True


@pytest.mark.parametrize(
    "answer",
    [
        Ran(None, "", Faults(), 900.0),
        Ran(1, "", Faults()),
        Ran(0, "rubbish", Faults()),
        Ran(0, "{}", Faults()),
        Ran(0, json.dumps({"smartctl": {"exit_status": 2}} | sata([], None, 1)), Faults()),
    ],
    ids=["hangs", "nothing", "rubbish", "no self-tests", "cannot be opened"],
)
def test_a_disk_that_does_not_tell_is_unknown(answer: Ran) -> None:
    found = result("short", Drive([]), lambda _: answer)
    assert (found.passed, found.words) == (None, "the disk has no self-tests, or does not report them")


def test_a_test_that_cannot_be_started_or_does_not_end() -> None:
    idle, busy = json.dumps(sata([], None, 1)), json.dumps(sata([], 90, 1))

    def refuses(argv: tuple[str, ...]) -> Ran:
        return Ran(2, "", Faults()) if "--test=long" in argv else Ran(0, idle, Faults())

    assert result("long", Drive([]), refuses).words == "it could not be started"
    drive = Drive([])
    assert result("long", drive, lambda _: Ran(0, busy, Faults())).words == "how it ended is not known"
    assert drive.paused == 7 * 24 * 3600, "a week"


def test_virtual_disks_have_none() -> None:
    assert has_self_tests(disk(1))
    assert not has_self_tests(disk(1, vendor="QEMU", model="QEMU HARDDISK"))
    assert not has_self_tests(disk(1, name="ubda"))
