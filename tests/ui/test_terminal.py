"""The wizard as a process on a terminal: what it refuses, how it ends, and what it leaves behind."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.backends.specfile import write_spec
from raidtui.ui.shell.console import SAFE
from tests.ui.pictures import answers
from tests.ui.terminals import Terminal

pytestmark = pytest.mark.slow  # real terminals

ROOT = Path(__file__).parents[2]
MACHINE = str(ROOT / "tests" / "machines" / "blank-4.json")
DRAFT = answers("LAB-0001", "LAB-0002", "LAB-0003", level="raid5")
LEAVE_SCREEN, SHOW_CURSOR, MOUSE_OFF = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"


@pytest.fixture
def wizard(tmp_path: Path) -> list[str]:
    """Words that open the wizard on the plan of a spec, on a recorded machine."""
    spec = tmp_path / "data.toml"
    spec.write_text(write_spec(DRAFT.spec))
    return ["-m", "raidtui", "--machine", MACHINE, "wizard", str(spec)]


def test_it_opens_on_the_plan_of_a_spec_and_q_ends_it(wizard: list[str]) -> None:
    with Terminal(wizard) as terminal:
        terminal.until("[Review]")
        terminal.until("ERASES 3 disks")
        terminal.press("q")
        assert terminal.exit_code() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(
    wizard: list[str], number: signal.Signals
) -> None:
    with Terminal(wizard) as terminal:
        terminal.until("[Review]")
        terminal.send(number)
        assert terminal.exit_code() == 128 + number
        for sequence in (LEAVE_SCREEN, SHOW_CURSOR, MOUSE_OFF):
            assert sequence in terminal.written[-2000:]


@pytest.mark.parametrize("pause", [0.0, 0.15])
def test_serial_numbers_typed_fast_or_slowly_end_up_in_their_own_fields(
    wizard: list[str], pause: float
) -> None:
    with Terminal(wizard) as terminal:
        terminal.until("ERASES 3 disks")
        terminal.press("\r")
        terminal.until("0 of 3 disks named")
        terminal.wait(0.3)
        if pause:
            for key in "000100020003":
                terminal.press(key)
                terminal.wait(pause)
        else:
            terminal.press("000100020003")
        terminal.until("3 of 3 disks named")


def test_serial_numbers_typed_before_the_disks_are_shown_end_up_in_their_fields(wizard: list[str]) -> None:
    with Terminal(wizard) as terminal:
        terminal.until("ERASES 3 disks")
        terminal.press("\r000100020003")
        terminal.until("3 of 3 disks named")


def test_the_whole_wizard_typed_in_one_burst_before_the_first_picture() -> None:
    with Terminal(["-m", "raidtui", "--machine", MACHINE]) as terminal:
        terminal.until("Overview")
        terminal.press("na\r\r\r\r0001000200030004\r\r")
        terminal.until("4 of 4 disks named")
        terminal.until("> Erase and build <")
        terminal.wait(0.5)
        assert "[Confirm]" in terminal.screen, (
            "the button waits for a key that was pressed when it could be seen"
        )


def test_text_and_bound_keys_of_one_write_keep_their_order(wizard: list[str]) -> None:
    with Terminal(wizard) as terminal:
        terminal.until("ERASES 3 disks")
        terminal.press("s")
        terminal.until("Enter saves")
        terminal.press("\x7f" * 4 + "tank" + "\x1b[D" * 2 + "X")
        terminal.until("taXnk")


BUSY = """
import sys, threading
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.start import open_wizard
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.lifecycle import in_thread

def calculate():
    number = 1
    while True:
        number = number * 3 % 1000003


def begin(app):
    app.screen.say("It calculates")
    app.set_timer(0.3, calculate if sys.argv[2] == "loop" else lambda: app.screen.work_out(calculate, print))

RaidtuiApp.on_ready = lambda app: app.set_timer(0.3, lambda: begin(app))
sys.exit(open_wizard(sys.argv[1]))
"""


@pytest.mark.parametrize("where", ["loop", "thread"])
@pytest.mark.parametrize("how", ["hung up", "signal"])
def test_it_ends_whatever_it_calculates_when_its_terminal_is_gone(where: str, how: str) -> None:
    with Terminal(["-c", BUSY, MACHINE, where]) as terminal:
        terminal.until("It calculates")
        terminal.wait(0.6)
        if how == "hung up":
            terminal.hang_up()
        else:
            terminal.send(signal.SIGTERM)
        code = terminal.exit_code(10)
        assert code == 128 + (signal.SIGHUP if how == "hung up" else signal.SIGTERM)
        if how == "signal":
            assert SHOW_CURSOR in terminal.written[-2000:]
            assert LEAVE_SCREEN in terminal.written[-2000:]


def test_q_waits_for_no_calculation() -> None:
    with Terminal(["-c", BUSY, MACHINE, "thread"]) as terminal:
        terminal.until("It calculates")
        terminal.wait(0.6)
        terminal.press("q")
        assert terminal.exit_code(10) == 0


def test_a_fault_ends_with_a_code_and_a_plain_traceback_without_values() -> None:
    program = """
import sys
from raidtui.machine.reader import load_machine
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.recorded_world import RecordedWorld
class Faulty(RecordedWorld):
    def machine(self):
        passphrase = "".join(["correct", " horse"])
        raise RuntimeError("a fault of ours")
app = RaidtuiApp(Faulty(load_machine(sys.argv[1])), False, places=[Place("disks")])
app.run()
sys.exit(app.return_code)
"""
    with Terminal(["-c", program, MACHINE]) as terminal:
        assert terminal.exit_code() == 1
        assert b"RuntimeError: a fault of ours" in terminal.written
        assert b"in machine" in terminal.written  # where it was
        assert b"correct horse" not in terminal.written
        assert LEAVE_SCREEN in terminal.written


def test_on_a_console_the_traceback_is_left_to_read_and_the_picture_is_not() -> None:
    program = """
import sys
from raidtui.ui.shell import world
from raidtui.ui.shell.start import open_wizard
def machine(self):
    raise RuntimeError("a fault of ours")
world.World.machine = machine
sys.exit(open_wizard(None, console=True))
"""
    with Terminal(["-c", program]) as terminal:
        assert terminal.exit_code() == 1
        assert "RuntimeError: a fault of ours" in terminal.screen
        assert "Overview" not in terminal.screen


def test_a_terminal_of_20_by_5_gets_a_message_and_no_crash(wizard: list[str]) -> None:
    with Terminal(wizard, size=(20, 5)) as terminal:
        terminal.until("80x24")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_a_linux_console_gets_only_its_glyphs_and_an_empty_screen_at_the_end(wizard: list[str]) -> None:
    with Terminal(wizard, environment={"TERM": "linux"}) as terminal:
        terminal.until("[Review]")
        terminal.press("c")
        terminal.until("wipefs --all")
        shown = terminal.screen
        terminal.press("q")
        terminal.press("q")
        assert terminal.exit_code() == 0
        assert {c for c in shown if not c.isascii() and c not in SAFE} == set()
        assert terminal.screen.strip() == ""
        assert b"38;2;" not in terminal.written  # no colours beyond the sixteen
        assert b"\x1b[?1003h" not in terminal.written  # and no mouse


def test_no_color_paints_none(wizard: list[str]) -> None:
    with Terminal(wizard, environment={"NO_COLOR": "1", "TERM": "linux"}) as terminal:
        terminal.until("[Review]")
        terminal.press("q")
        assert terminal.exit_code() == 0
        for number in (*range(30, 38), *range(40, 48)):
            assert f"\x1b[{number}m".encode() not in terminal.written


def test_a_terminal_that_cannot_move_its_cursor_is_refused(wizard: list[str]) -> None:
    with Terminal(wizard, environment={"TERM": "dumb"}) as terminal:
        assert terminal.exit_code() == 2
        assert b"TERM" in terminal.written
        assert b"\x1b[" not in terminal.written


@pytest.mark.parametrize("closed", [False, True])
def test_without_a_terminal_it_says_what_to_use_instead(wizard: list[str], closed: bool) -> None:
    words = [sys.executable, *wizard]
    if closed:
        words = ["sh", "-c", 'exec "$@" <&-', "sh", *words]
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "needs a terminal" in done.stderr
    assert "raidtui --help" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("content", [None, "not json", '{"system": 1}'])
def test_a_machine_file_that_cannot_be_read_is_refused(tmp_path: Path, content: str | None) -> None:
    recorded = tmp_path / "machine.json"
    if content is not None:
        recorded.write_text(content)
    with Terminal(["-m", "raidtui", "--machine", str(recorded)]) as terminal:
        assert terminal.exit_code() == 2
        assert b"machine.json" in terminal.written
        assert b"\x1b[?1049h" not in terminal.written


def test_a_spec_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with Terminal(["-m", "raidtui", "wizard", str(tmp_path / "none.toml")]) as terminal:
        assert terminal.exit_code() == 2
        assert b"none.toml" in terminal.written


def test_a_sentence_on_a_terminal_is_broken_between_words() -> None:
    with Terminal(["-m", "raidtui", "lab"], environment={"RAIDTUI_LAB": "1"}) as terminal:
        assert terminal.exit_code() == 2
        words = [
            "raidtui:",
            "this",
            "is",
            "the",
            "lab",
            "already;",
            "run",
            "the",
            "command",
            "itself,",
            "or",
            "'raidtui'",
            "for",
            "the",
            "wizard",
        ]
        assert terminal.screen.split() == words
        assert len(terminal.screen.strip().splitlines()) == 2


def test_files_that_are_updated_under_it_open_no_screen_and_crash_nothing(
    wizard: list[str], tmp_path: Path
) -> None:
    installed = tmp_path / "site" / "raidtui"
    shutil.copytree(ROOT / "raidtui", installed)
    with Terminal(["-P", *wizard], environment={"PYTHONPATH": str(installed.parent)}) as terminal:
        terminal.until("ERASES 3 disks")
        for file in installed.rglob("*.py"):  # as pip and dpkg do it: new files in the place of the old
            file.unlink()
            file.write_text("raise RuntimeError('of another version')\n")
        terminal.press("\r")
        terminal.until("updated or removed while it ran")
        assert "[Review]" in terminal.screen
        terminal.press("q")
        assert terminal.exit_code() == 0
