"""Answers to the wizard in plain lines: one that is wrong is said at once, and none that was right is lost."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from raidtui.backends.reading import recorded_machine
from raidtui.commands._look import look_at
from raidtui.commands.plain import caring, confirm, measuring, options, running, wizard
from raidtui.commands.plain.asking import Asking, Back, Quit, then
from raidtui.commands.plain.session import Session
from raidtui.commands.terminal.pace import Pace
from raidtui.jobs.recovering import process
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.journal import JobKind, JobRequest
from raidtui.model.procedure import Recover
from raidtui.plan import build
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.world import Access
from raidtui.ui.wizard.draft import new_draft
from tests.unit.test_plain_wizard import MACHINES, RAID5, Answered, Ordered, answered, ordered

__all__ = ["answered", "ordered"]
CTRL_C: Final = object()
REQUEST: Final = JobRequest(id="1-tank", kind=JobKind.BUILD, title="Build tank", created="")


class Keys(io.BytesIO):
    """A terminal at which these lines are typed; `CTRL_C` interrupts."""

    def __init__(self, *lines: object) -> None:
        super().__init__()
        self._lines = list(lines)

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> bytes:
        if not self._lines:
            return b""
        line = self._lines.pop(0)
        if line is CTRL_C:
            raise KeyboardInterrupt
        return f"{line}\n".encode()


def session_of(*answers: object, machine: str = "blank-4") -> Session:
    """A session on a recorded machine with a person at its terminal."""
    world = RecordedWorld(recorded_machine(str(MACHINES / f"{machine}.json")))
    return Session(
        asking=Asking(Keys(*answers)),
        world=world,
        pace=Pace(seconds=60),
        look=look_at(world.machine(), recorded=True),
        draft=new_draft(),
    )


def test_one_ctrl_c_loses_no_answer_and_two_in_a_row_quit(capsys: pytest.CaptureFixture[str]) -> None:
    asking = Asking(Keys(CTRL_C, "tank", CTRL_C, CTRL_C))
    assert asking.ask("Name") == "tank"
    assert capsys.readouterr().out == (
        "Name: \nNothing was answered. b goes back, q quits; Ctrl-C once more quits, too.\nName: "
    )
    with pytest.raises(KeyboardInterrupt):
        asking.ask("Name")


def test_lines_are_as_long_as_a_narrow_terminal_and_never_longer_than_80(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for columns, longest in (("40", 40), ("200", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        Asking(Keys()).say("word " * 50)
        assert longest - 5 <= max(map(len, capsys.readouterr().out.splitlines())) <= longest


def test_a_program_that_is_interrupted_ends_at_once() -> None:
    source = Keys(CTRL_C)
    source.isatty = lambda: False  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        Asking(source).ask("Name")


def test_back_asks_the_question_before_again() -> None:
    asking, seen = Asking(Keys("one", "b", "two", "three")), []

    def second(first: str) -> None:
        seen.append((first, asking.ask("Second")))

    then(lambda: asking.ask("First"), second)
    assert seen == [("two", "three")]
    with pytest.raises(Back):
        then(lambda: Asking(Keys("b")).ask("First"), second)


@pytest.mark.parametrize(
    ("answers", "machine", "again"),
    [
        (
            ("replace", "1", "2", "1", "b", "b", "b", "q"),
            "raid5-clean",
            "Which disk is replaced [1]: b 1. tank",
        ),
        (("grow", "1", "1", "b", "b", "q"), "raid5-clean", "Grow to [1]: b 1. tank"),
        (("remove", "1", "b", "q"), "raid5-clean", "Type confirm to continue: b Everything on it is lost."),
        (("care", "1", "1", "b", "q"), "raid5-stopped", "Type confirm to continue: b 1. "),
        (
            ("sweep", "1-2", "stripe", "b", "b", "q"),
            "blank-4",
            "Study [1]: b Choose the disks by their numbers",
        ),
    ],
)
def test_b_goes_back_one_question_everywhere(
    answers: Sequence[str], machine: str, again: str, answered: Answered
) -> None:
    assert again in answered(*answers, machine=machine)


@pytest.mark.parametrize("after", ["job", "offer", "benchmark"])
def test_back_from_what_follows_a_build_is_the_overview_and_not_the_plan_of_the_next(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def back(*_: object) -> None:
        raise Back

    session = session_of("b")
    monkeypatch.setattr(confirm, "ask", lambda *_: REQUEST)
    monkeypatch.setattr(running, "follow", lambda *_: True)
    monkeypatch.setattr(running, "built", lambda *_: "/srv/tank")
    monkeypatch.setattr(measuring, "ask", back)
    if after == "offer":
        monkeypatch.setattr(running, "built", back)
    if after == "job":
        monkeypatch.setattr(running, "follow", back)
    wizard._new_array(session, begin=4)


@pytest.mark.parametrize(
    ("option", "wrong", "said", "right"),
    [
        ("1", "a b", "'a b' cannot be the name of an array: ", "pool"),
        ("3", "pool", "The mount point 'pool' is not an absolute path", "/srv/pool"),
        ("4", "x" * 17, "has 17 bytes; ext4 takes 16.", "pool"),
    ],
)
def test_a_wrong_text_is_said_at_once_and_asked_again(
    option: str, wrong: str, said: str, right: str, answered: Answered
) -> None:
    out = answered(*RAID5[:4], option, wrong, right, "q")
    rest = out.partition(f": {wrong} ")[2]
    assert said in rest.partition(f"]: {right}")[0], out


def test_a_text_can_be_emptied_by_a_word_and_enter_keeps_it(answered: Answered) -> None:
    out = answered(*RAID5[:4], "4", "disk", "4", "", "4", "empty", "3", "empty", "plan", "q")
    assert "Enter alone keeps it. The word empty empties it." in out
    labels = [part.partition(" 5. ")[0] for part in out.split("4. Label: ")[1:]]
    assert labels == ["tank", "disk", "disk", "empty", "empty"]
    assert "Create the ext4 filesystem, label tank" in out
    assert "Mount the filesystem at /srv/tank" in out


def test_a_missing_program_of_a_filesystem_is_said_and_another_can_be_chosen(
    answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = build.make_plan

    def lacking(*words: object, **more: object) -> object:
        if words[0].filesystem.type == "xfs":  # type: ignore[attr-defined]
            raise ToolMissing("mkfs.xfs is missing; install xfsprogs")
        return plan(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(options, "make_plan", lacking)
    out = answered(*RAID5[:4], "2", "xfs", "plan", "2", "ext4", "plan", "q")
    assert "plan]: plan Mkfs.xfs is missing; install xfsprogs. Option to change" in out
    assert "Type confirm to continue: q" in out


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ((*RAID5[:3], "d"), "Type a number from 1 to 5 after d."),
        ((*RAID5, "d"), "Type a number from 1 to 13 after d."),
        ((*RAID5[:3], "S Space"), "sorted by usable space"),
        ((*RAID5[:3], "D RAID5"), "Type the number of a level."),
        ((*RAID5, "C"), "mdadm --create"),
        ((*RAID5, "commands"), "mdadm --create"),
        ((*RAID5, "?"), "such as a rehearsal. Type confirm to continue: ?"),
        (("1", "ALL", "none"), "Chosen: 4 members"),
        (("sweep", "1-2", "stripe", "QUICK"), "Quick: each array"),
    ],
)
def test_a_letter_is_taken_in_either_case_and_one_that_does_nothing_says_why(
    answers: Sequence[str], said: str, answered: Answered
) -> None:
    assert said in answered(*answers, "q")


def test_what_cannot_be_measured_is_said_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    session = session_of("/nonexistent", str(MACHINES / "blank-4.json"), "q")
    monkeypatch.setattr(RecordedWorld, "access", Access.ROOT)
    with pytest.raises(Quit):
        measuring._target(session)
    out = capsys.readouterr().out
    assert "What to measure: the path of a directory or a device.\n" in out
    assert "/nonexistent cannot be measured: No such file or directory.\n" in out
    assert "is neither a directory nor a block device." in " ".join(out.split())


def test_a_benchmark_says_what_each_option_is_now_and_b_goes_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = session_of(
        "1", "3", "2", "3", "", "4", "", "2", "16MiB", "2", "", "b", "q", machine="raid5-clean"
    )
    with pytest.raises(Quit):
        measuring.ask(session)
    out = " ".join(capsys.readouterr().out.split())
    assert "Runs of each cell [6]: Benchmark /srv/tank: " in out
    assert "Runs of each cell [2]: " in out
    assert "Seconds of each run [5]: " in out
    assert "Size [16MiB]: Benchmark /srv/tank: 16MiB, 2 runs of 5 s, no mix" in out
    assert "Option to change, or measure [measure]: What to measure: a number, or the path" in out


def test_ctrl_c_stops_a_look_for_files_and_the_wizard_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Trial:
        """Interrupted once; then it has ended without a result."""

        stopped = False

        def __init__(self, words: Sequence[str]) -> None:
            pass

        def follow(self, report: object) -> None:
            if not Trial.stopped:
                raise KeyboardInterrupt
            raise StepFailed("the trial was stopped; the members are as they were")

        def stop(self) -> None:
            Trial.stopped = True

    monkeypatch.setattr(process, "RecoveryProcess", Trial)
    session = session_of()
    caring._look_for_files(session, Recover(), "tank")
    assert Trial.stopped
    assert "This cannot be done now: the trial was stopped" in capsys.readouterr().out


def test_the_confirmation_says_whether_the_plan_was_rehearsed(
    answered: Answered, ordered: Ordered, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = "Rehearsed 2026-11-26, 13 of 13 steps"
    monkeypatch.setattr(ordered, "rehearsed", lambda _: seen)
    serials = [ordered.machine().disks[place].serial for place in (0, 3)]
    out = answered("1", "1 4", "none", "raid1", "plan", "confirm", "unequal-sizes", *serials, "q")
    assert f"{seen}. Type erase to ERASE 2 disks now: q" in out


def test_who_is_not_root_hears_at_the_beginning_that_nothing_can_be_built(
    answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "You are not root: everything can be read, and s saves the spec of a plan."
    assert said not in answered("q")
    monkeypatch.setattr(RecordedWorld, "access", Access.USER)
    assert f"{said} To build, run it with sudo. no arrays, and no job is running" in answered("q")
