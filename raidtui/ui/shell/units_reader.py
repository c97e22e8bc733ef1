"""Looks how the units of other backends than md are, when somebody wants to know: nobody else says when they change."""

from time import monotonic

from textual import work
from textual.message import Message

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit
from raidtui.ui.shell.tui import Tui


class UnitsReader(Tui):
    """Keeps `units`; a reading is never started beside another one."""

    _reading_units = _read_units_again = False
    _units_read_at = 0.0

    class UnitsRead(Message):
        """They were read."""

        def __init__(self, units: tuple[Unit, ...]) -> None:
            super().__init__()
            self.units = units

    def read_units(self, *, fresh: bool = False) -> None:
        """Look again how the units are that are not md's; where that is being done, once more if it is to be ``fresh``."""
        self._read_units_again = self._reading_units and (fresh or self._read_units_again)
        if not self._reading_units and self.machine is not None:
            self._reading_units = True
            self._read_units(self.machine)

    def look_at_units(self) -> None:
        """Look again at those whose change nobody reports, once their backend's interval has passed."""
        if not self.units:
            return
        from raidtui.backends.reading import seconds_to_wait

        wait = seconds_to_wait(self.units)
        if wait is not None and monotonic() - self._units_read_at >= wait:
            self.read_units()

    @work(thread=True, group="units", exit_on_error=True)
    def _read_units(self, machine: Machine) -> None:
        try:
            units = self.world.units()
            if units:
                from raidtui.backends.reading import completed

                units = completed(units, machine)
            self.post_message(self.UnitsRead(units))
        except RaidtuiError as error:
            self._reading_units = False
            self.post_message(self.Trouble(str(error)))

    def on_units_reader_units_read(self, message: UnitsRead) -> None:
        """Hand them to the screens."""
        self._reading_units = False
        self._units_read_at = monotonic()
        self.units = message.units
        if self._read_units_again:
            self.read_units()
