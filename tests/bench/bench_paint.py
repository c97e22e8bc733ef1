"""Compare the wizard's list of 24 disks with the same rows in a bare Textual DataTable: goal at most 1.05 times.

Both run on a pseudo terminal of 80x24. Measures the processor time from the start of the process to the first
picture; wall time on a shared machine depends mostly on other load. The runs alternate.
"""

import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import termios
import time
from pathlib import Path

from tests.bench.side_by_side import compiled, report

RUNS = 15
MACHINE = Path(__file__).parents[1] / "machines" / "disks-24.json"
BARE = """
from textual.app import App
from textual.widgets import DataTable, Footer, Header

class Bare(App):
    BINDINGS = [("q", "quit", "Quit")]
    def compose(self):
        yield Header()
        yield DataTable(cursor_type="row")
        yield Footer()
    def on_mount(self):
        self.call_after_refresh(self.fill)
    def fill(self):
        table = self.query_one(DataTable)
        table.add_columns("", "Disk", "Model", "Serial", "Size", "Health", "State")
        for number in range(24):
            table.add_row("", f"sd{number}", "LAB DISK", f"LAB-{number:04d}", "2.15 GB", "-", "free")

Bare().run()
"""


WIZARD = f"""
from raidtui.cli import collect_rarely

collect_rarely()  # as the command does, before it imports anything
from raidtui.ui.shell.first_picture import hasten

hasten()
from pathlib import Path
from raidtui.model.machine import Machine
from raidtui.model.struct import from_json
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.recorded_world import RecordedWorld

machine = from_json(Path({str(MACHINE)!r}).read_bytes(), Machine, origin="machine")
RaidtuiApp(RecordedWorld(machine), False, places=[Place("disks")]).run()
"""


def processor_seconds(pid: int) -> float:
    """The processor time of all threads of a process so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def until_shown(program: str, text: bytes, environment: dict[str, str]) -> float:
    """Processor seconds of a Python program until it has written ``text`` to the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        terms = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        os.execve(sys.executable, [sys.executable, "-c", program], environment | terms)
    try:
        termios.tcsetwinsize(terminal, (24, 80))
        written, end = b"", time.monotonic() + 30
        while text not in written:
            ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise SystemExit(f"the program did not show {text!r} within 30 s")
            written += os.read(terminal, 65536)
        return processor_seconds(pid)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        environment = compiled(Path(folder))
        pairs = [
            (until_shown(WIZARD, b"SHELF-0003", environment), until_shown(BARE, b"LAB-0003", environment))
            for _ in range(1 + RUNS)
        ][1:]  # the first compiles
    ours, theirs = (statistics.median(values) for values in zip(*pairs, strict=True))
    print(f"  {ours:.3f} s and {theirs:.3f} s of processor time")
    report("first picture of 24 disks: the wizard / a bare DataTable", ours / theirs, 1.05)
