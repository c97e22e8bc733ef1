"""Keys to pause a sync and change its speed, for screens that follow a job and the unit it created."""

from abc import abstractmethod

from raidtui.backends.control import Control
from raidtui.model.unit import Unit
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.care.unit_control import UnitControl
from raidtui.ui.shell import clock

_ORDER_SECONDS = 3.0  # after which a reading of the unit is surely newer than an order


class SyncControl(UnitControl, JobPage):
    """p pauses the sync of the job's unit, + and - change its speed, if the unit takes these orders."""

    def __init__(self) -> None:
        super().__init__()
        self._pausing = False, float("-inf")  # the last order: True for pause, False for resume; and its time

    @property
    @abstractmethod
    def made(self) -> Unit | None:
        """The unit that the job created, as last read."""

    @abstractmethod
    def show(self) -> None:
        """Update the display."""

    def offered(self) -> tuple[Unit, ...]:
        made = self.made
        return () if made is None else (made,)

    def takes(self, *names: str) -> bool:
        """Whether the unit takes one of these orders."""
        made = self.made
        return made is not None and any(control.value in names for control in self.controls(made))

    def action_pause(self) -> None:
        made = self.made
        if made is None or not self.may_order("Pausing a sync needs root."):
            return
        paused = self._is_paused(made)
        self._pausing = not paused, clock.monotonic()
        self.give(made, Control.RESUME if paused else Control.PAUSE, self.order_done)

    def _is_paused(self, unit: Unit) -> bool:
        """Whether it is paused, or about to be: md finishes its current I/O first."""
        ordered, at = self._pausing
        now = unit.activity is not None and unit.activity.paused
        return ordered if clock.monotonic() - at < _ORDER_SECONDS else now

    def action_pace(self, step: int) -> None:
        made = self.made
        if made is None or made.activity is None or not self.may_order("Changing the speed needs root."):
            return
        if self._is_paused(made):
            self.complain(f"the {made.activity.what} is paused; p resumes it")
            return
        control = Control.FASTER if step > 0 else Control.SLOWER
        if control in self.controls(made):
            self.give(made, control, self.order_done)
        else:
            self.say("This is the slowest setting." if step < 0 else "This is the fastest setting.")

    def order_done(self, message: str) -> None:
        super().order_done(message)
        self.show()

    def order_failed(self) -> None:
        self._pausing = False, float("-inf")
