"""Following a job in plain lines: the pace, what is left out, and what is asked when it is left or fails."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.commands._look import look_at
from raidtui.commands.plain import running
from raidtui.commands.plain.asking import Asking
from raidtui.commands.plain.session import Session
from raidtui.commands.terminal import follow
from raidtui.commands.terminal.pace import Pace
from raidtui.commands.text.sweep_far import FarOfSweep
from raidtui.model.errors import Refused
from raidtui.model.journal import Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.unit import Activity, Unit
from raidtui.sweep.matrix import turns_of
from raidtui.sweep.prepare import with_disks
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.wizard.draft import new_draft

MACHINES: Final = Path(__file__).resolve().parents[1] / "machines"
REQUEST: Final = JobRequest(
    id="20261121-040312-tank", kind=JobKind.BUILD, title="Build tank", created="2026-11-21T04:03:12Z"
)


def synced(share: float) -> Unit:
    """An array in a resync."""
    unit = units_of(recorded_machine(str(MACHINES / "raid5-clean.json")))[0]
    return replace(unit, activity=Activity(what="resync", fraction=share))


def test_a_sync_is_a_line_each_so_many_percent_even_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tell = follow._sync_teller(Pace(percent=25))
    for share in (0.0, 0.1, 0.26, 0.3, 0.8):
        tell(synced(share))
    said = capsys.readouterr().err
    assert "\r" not in said
    assert [line.split("resync ")[1].split(" %")[0] for line in said.splitlines()] == ["0", "26.0", "80.0"]


def test_a_sweep_says_how_many_measurements_are_made_and_how_long_the_rest_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sweep = with_disks("stripe", ["LAB-0001", "LAB-0002"])
    first, second = (turn.id for turn in turns_of(sweep)[:2])
    far = FarOfSweep(sweep, Pace(percent=10))
    assert not far.tell()
    far.entries += [
        Entry(seq=0, at="2026-11-21T04:00:00Z", event=Event.STEP, step=first, text="one"),
        Entry(seq=1, at="2026-11-21T04:10:00Z", event=Event.STEP_DONE, step=first),
    ]
    assert not far.tell()
    assert not far.tell()
    far.entries.append(
        Entry(seq=2, at="2026-11-21T04:10:00Z", event=Event.STEP_FAILED, step=second, text="no")
    )
    assert not far.tell()
    assert capsys.readouterr().err.splitlines() == [
        "0 %: 0 of 10 arrays done",
        "10.0 %: 1 of 10 arrays done, about 1 h 30 min left",
        "20.0 %: 2 of 10 arrays done, 1 of them failed, about 1 h 20 min left",
    ]


@pytest.mark.parametrize(("conditions", "told"), [(False, ""), (True, "    seen: it is not there\n")])
def test_only_a_dry_run_tells_what_does_not_hold_before_a_step(
    conditions: bool, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tell = follow.teller(None, conditions=conditions)
    tell(Entry(seq=0, at="", event=Event.CHECK, text="no: it is not there"))
    assert capsys.readouterr().err == told


def test_commands_that_succeed_and_conditions_before_a_step_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell = follow.teller(None, commands=False)
    tell(Entry(seq=0, at="", event=Event.STEP, step="one", text="Create the array"))
    tell(Entry(seq=1, at="", event=Event.COMMAND, argv=("mdadm", "--create"), returncode=0))
    tell(Entry(seq=2, at="", event=Event.CHECK, text="no: it is not there"))
    tell(Entry(seq=3, at="", event=Event.COMMAND, argv=("mkfs.ext4",), returncode=1, seconds=1.0))
    accepted = Entry(
        seq=4, at="", event=Event.COMMAND, argv=("mdadm",), returncode=1, accepted=True, seconds=1.0
    )
    tell(accepted)
    said = capsys.readouterr().err
    assert said == "Create the array\n    $ mkfs.ext4  (1.0 s, exit code 1)\n"
    follow.teller(None)(accepted)
    assert capsys.readouterr().err == "    $ mdadm  (1.0 s, exit code 1, not an error here)\n"


class Following:
    """A session in which a job ends as given, each time that it is followed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, outcome: Outcome, *codes: int) -> None:
        self.orders: list[str] = []
        self.since: list[int] = []
        left: Iterator[int] = iter(codes)

        def follow(job: str, *, as_json: bool, pace: Pace, since: int) -> int:
            self.since.append(since)
            return next(left)

        state = JobState(request=REQUEST, outcome=outcome, folder="")
        self.world = RecordedWorld(recorded_machine(str(MACHINES / "blank-4.json")), jobs=[state])
        for order in ("cancel", "resume", "rollback"):
            monkeypatch.setattr(self.world, order, lambda job, order=order: self.orders.append(order))
        monkeypatch.setattr(running, "follow_to_the_end", follow)
        monkeypatch.setattr(running, "next_entry", lambda job: 7)

    def answered(self, *answers: str) -> tuple[bool, int]:
        """Whether it was followed to a good end, and the exit code."""
        session = Session(
            asking=Asking(io.BytesIO("".join(f"{one}\n" for one in answers).encode())),
            world=self.world,
            pace=Pace(seconds=60),
            look=look_at(self.world.machine(), recorded=True),
            draft=new_draft(),
        )
        return running.follow(session, REQUEST), session.code


def test_ctrl_c_asks_and_following_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following(monkeypatch, Outcome.RUNNING, 130, 0)
    assert following.answered("1") == (True, 0)
    assert following.since == [0, 7]
    assert following.orders == []


def test_ctrl_c_can_stop_the_job_or_leave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following(monkeypatch, Outcome.RUNNING, 130, 130)
    assert following.answered("2", "3") == (False, 130)
    assert following.orders == ["cancel"]


def test_a_job_that_ended_meanwhile_is_not_stopped_but_followed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    following = Following(monkeypatch, Outcome.RUNNING, 130, 0)

    def cancel(job: str) -> None:
        raise Refused("the job is not running")

    monkeypatch.setattr(following.world, "cancel", cancel)
    assert following.answered("2") == (True, 0)
    assert "The job is not running." in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "order"), [("1", "resume"), ("2", "rollback")])
def test_a_job_that_failed_can_be_resumed_or_rolled_back(
    answer: str, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    following = Following(monkeypatch, Outcome.FAILED, 4, 0)
    assert following.answered(answer) == (True, 0)
    assert following.orders == [order]


def test_left_alone_it_keeps_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following(monkeypatch, Outcome.FAILED, 4)
    assert following.answered("") == (False, 4)
    assert following.orders == []


@pytest.mark.parametrize("outcome", [Outcome.RUNNING, Outcome.FAILED])
def test_b_leaves_a_job_for_the_overview_as_the_last_way_does(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = follow.INTERRUPTED if outcome is Outcome.RUNNING else 4
    following = Following(monkeypatch, outcome, code)
    assert following.answered("b") == (False, code)
    assert following.orders == []


def test_a_long_note_is_broken_between_words_on_a_terminal_and_a_command_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    tell = follow.teller(None)
    note = "the job's folder is in memory: a power cut would lose the journal and the capsule"
    tell(Entry(seq=0, at="", event=Event.NOTE, text=note))
    tell(Entry(seq=1, at="", event=Event.COMMAND, argv=("mdadm", *["--create"] * 12), returncode=0))
    note_lines, command = capsys.readouterr().err.split("    $ ")
    assert note_lines == f"    {note.removesuffix(' capsule')}\n    capsule\n"
    assert command.count("\n") == 1
