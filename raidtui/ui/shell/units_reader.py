"""Keep the units up to date: those whose changes the kernel reports, and the others, which are polled."""

from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit, syncs_ended
from raidtui.ui.shell.tui import Tui

if TYPE_CHECKING:
    from raidtui.advice.time_left import Courses


class UnitsReader(Tui):
    """Keeps `units` up to date, with one poll at a time."""

    _reading_units = _read_units_again = False
    _units_read_at = 0.0
    _moved_at = -inf
    _reported: tuple[Unit, ...] = ()
    _polled: tuple[Unit, ...] = ()
    _courses: "Courses | None" = None

    class UnitsReported(Message):
        """The kernel reported a change of units."""

        def __init__(self, units: tuple[Unit, ...]) -> None:
            super().__init__()
            self.units = units

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, UnitsReader.UnitsReported)

    class UnitsPolled(Message):
        """The others were polled, and the reported ones read again, for disks that came or went since."""

        def __init__(
            self, units: tuple[Unit, ...], before: tuple[Unit, ...], reported: tuple[Unit, ...]
        ) -> None:
            super().__init__()
            self.units, self.before, self.reported = units, before, reported

    class UnitsNotRead(Message):
        """A poll failed."""

    def show_units(self, units: tuple[Unit, ...]) -> None:
        """Pass ``units`` to the screens, with what was seen of their activities; read the machine when one has ended."""
        if any(unit.activity for unit in units):
            from raidtui.advice.time_left import Courses

            self._courses = self._courses or Courses()
            units = self._courses.look(units, monotonic())
        if self.machine is not None and units:
            from raidtui.backends.units import in_machine

            machine = self.machine
            units = tuple(in_machine(unit, machine) for unit in units)
        before, self.units = self.units, units
        if syncs_ended(before, units):
            self.read_machine()

    def take_reported(self, units: tuple[Unit, ...]) -> None:
        self._reported = units
        self.show_units((*units, *self._polled))

    def on_units_reader_units_reported(self, message: UnitsReported) -> None:
        self.take_reported(message.units)

    def read_units(self, *, fresh: bool = False) -> None:
        """Poll the others; if that is already running, poll once more afterwards if ``fresh``."""
        self._read_units_again = self._reading_units and (fresh or self._read_units_again)
        if not self._reading_units and self.machine is not None:
            self._poll(self.machine)

    def look_at_units(self) -> None:
        """Poll the others, if their backend's interval has passed."""
        if self._reading_units or self.machine is None:
            return
        from raidtui.backends.units_now import is_eager, seconds_to_next_look

        now = monotonic()
        wait = seconds_to_next_look(self._polled, eager=is_eager(self._moved_at, now))
        if now - self._units_read_at >= wait:
            self._poll(self.machine, fresh=False)

    def _poll(self, machine: Machine, *, fresh: bool = True) -> None:
        self._reading_units = True
        if fresh:
            self._moved_at = monotonic()
        self._read_units(machine, fresh)

    @work(thread=True, group="units", exit_on_error=True)
    def _read_units(self, machine: Machine, fresh: bool) -> None:
        try:
            units = self.world.polled(fresh=fresh)
            if units:
                from raidtui.backends.units import completed

                units = completed(units, machine)
            # md reports the failure of a member, but not that its disk is gone a moment later, or back.
            before = self._reported
            again = self.world.reported() if fresh else before
            self.post_message(self.UnitsPolled(units, before, again))
        except RaidtuiError as error:
            self.post_message(self.Trouble(str(error)))
            self.post_message(self.UnitsNotRead())

    def on_units_reader_units_polled(self, message: UnitsPolled) -> None:
        self._polled = message.units
        if self._reported is message.before:  # else the kernel has reported in the meantime
            self._reported = message.reported
        self.show_units((*self._reported, *self._polled))
        self._poll_ended()

    def on_units_reader_units_not_read(self) -> None:
        self._poll_ended()

    def _poll_ended(self) -> None:
        self._reading_units, self.units_known = False, True
        self._units_read_at = monotonic()
        if self._read_units_again:
            self.read_units()
