"""Follow a benchmark in a line-mode terminal: how far it is on stderr, its grid on stdout."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.commands.terminal.follow import INTERRUPTED, leaves_it_running
from raidtui.commands.terminal.output import terminal
from raidtui.model.chance import in_percent
from raidtui.model.errors import Refused
from raidtui.model.journal import Entry, Event, JobState, Outcome
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.model.units import duration, rate

_WIDTH: Final = 79


def follow_measurement(job: str, *, as_json: bool = False, stops: bool = True) -> int:
    """Follow a benchmark to its end, print its result and return its exit code.

    ``stops``: Ctrl-C stops the benchmark; else it leaves it running.
    """
    from raidtui.bench.session import CANCELLED
    from raidtui.jobs.start import cancel
    from raidtui.jobs.store import job_state

    state = job_state(job)
    progress = _Progress(Path(state.folder))
    try:
        result = progress.until_the_end()
    except KeyboardInterrupt:
        if not stops:
            progress.say("")
            leaves_it_running(state.request)
            return INTERRUPTED
        progress.stopping()
        with suppress(Refused):  # it has just ended
            cancel(job)
        progress.until_the_end()
        state = job_state(job)
        if state.outcome is not Outcome.DONE:
            print(f"raidtui: {harmless(state.sentence) or 'stopped'}", file=sys.stderr)
        return CANCELLED
    return _report(job_state(job), result, as_json=as_json)


def _report(state: JobState, result: str, *, as_json: bool) -> int:
    from raidtui.commands.text.grid import grid
    from raidtui.results.store import Store

    if state.outcome is Outcome.INTERRUPTED:
        print(
            "raidtui: the benchmark's process died unexpectedly; no result is stored, and no file is left in the "
            f"target (journal: {state.folder})",
            file=sys.stderr,
        )
        return 4
    if state.exit_code:
        print(f"raidtui: {harmless(state.sentence)}", file=sys.stderr)
        return state.exit_code
    measured = Store().get(result)
    print(to_json(measured) if as_json else grid(measured))
    return 0


class _Progress:
    """Progress on stderr: one changing line on a terminal, elsewhere a line for each run of a cell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._on_terminal = sys.stderr.isatty()
        self._seen = 0
        self._shown = ""
        self._stops = False

    def until_the_end(self) -> str:
        """Follow the job to its end, from where the last call stopped; return the id of the stored result."""
        from raidtui.jobs.journal import follow

        result = ""
        for entry in follow(self._folder, stop=self._tick):
            if entry.seq < self._seen:
                continue
            self._seen = entry.seq + 1
            self._tell(entry)
            if entry.event is Event.RESULT:
                result = entry.text
        self.say("")
        return result

    def stopping(self) -> None:
        """Show that the job is stopping, and no more speeds."""
        self.say("stopping …")
        self._stops = True

    def say(self, text: str) -> None:
        """Replace the changing line."""
        if not self._on_terminal:
            if text:
                print(text, file=sys.stderr, flush=True)
        elif text != self._shown:
            line = f"\r{harmless(text)[:_WIDTH]:<{_WIDTH}}" + ("" if text else "\r")
            print(line, end="", file=terminal(sys.stderr), flush=True)
            self._shown = text

    def _tell(self, entry: Entry) -> None:
        if self._on_terminal:
            return
        if entry.event is Event.CELL:
            print(harmless(f"{entry.step}: {entry.text}"), file=sys.stderr, flush=True)
        elif entry.event in {Event.NOTE, Event.STEP}:
            print(harmless(entry.text), file=sys.stderr, flush=True)

    def _tick(self) -> bool:
        """Update the line; `follow` calls it four times a second, and False lets it continue."""
        if self._on_terminal and not self._stops:
            from raidtui.bench.live import LONG_SILENCE, read_live

            if (live := read_live(self._folder)) is not None:
                what = f"{live.cell} {live.direction}" if live.cell else "test file"
                run = f"run {live.run}/{live.runs} " if live.run else ""
                if live.silent_seconds >= LONG_SILENCE:
                    self.say(
                        f"{in_percent(live.percent / 100):>5} {run}{what}: no I/O for {duration(live.silent_seconds)}"
                    )
                    return False
                speed = [rate(live.bytes_per_second)] if live.bytes_per_second is not None else []
                speed += [f"{live.iops:,.0f} IOPS"] if live.iops is not None else []
                now = f": {', '.join(speed)}" if speed else ""
                self.say(
                    f"{in_percent(live.percent / 100):>5} {run}{what}, {live.phase}{now}, {duration(live.remaining_seconds)} left"
                )
        return False
