"""Keys that pause the sync of a unit and change its speed, for a screen that follows a job and sees what it made."""

from abc import abstractmethod

from raidtui.model.unit import Unit
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.care.unit_control import UnitControl
from raidtui.ui.shell import clock

_ORDER_SECONDS = 3.0  # until a reading of the unit is certainly later than an order


class SyncControl(UnitControl, JobPage):
    """p pauses what the unit of a job does, + and - change its speed: each where the unit takes it."""

    def __init__(self) -> None:
        super().__init__()
        self._pausing = False, float("-inf")  # whether a pause or its end was asked for last, and when

    @property
    @abstractmethod
    def made(self) -> Unit | None:
        """What the job has made, as last seen."""

    @abstractmethod
    def show(self) -> None:
        """Show it."""

    def offered(self) -> tuple[Unit, ...]:
        made = self.made
        return () if made is None else (made,)

    def takes(self, *names: str) -> bool:
        """Whether what was made takes one of these orders."""
        made = self.made
        return made is not None and any(control.value in names for control in self.controls(made))

    def action_pause(self) -> None:
        """Pause what it does, or resume it."""
        from raidtui.backends.control import Control

        made = self.made
        if made is None or not self.may_order("Pausing a sync needs root."):
            return
        paused = self._is_paused(made)
        self._pausing = not paused, clock.monotonic()
        self.give(made, Control.RESUME if paused else Control.PAUSE, self.given)

    def _is_paused(self, unit: Unit) -> bool:
        """Whether it is paused, or will be in a moment: md ends what it is at first."""
        asked, at = self._pausing
        now = unit.activity is not None and unit.activity.paused
        return asked if clock.monotonic() - at < _ORDER_SECONDS else now

    def action_pace(self, step: int) -> None:
        """Make what it does faster or slower."""
        from raidtui.backends.control import Control

        made = self.made
        if made is None or made.activity is None or not self.may_order("Changing the speed needs root."):
            return
        if self._is_paused(made):
            self.complain(f"the {made.activity.what} is paused; p resumes it")
            return
        control = Control.FASTER if step > 0 else Control.SLOWER
        if control in self.controls(made):
            self.give(made, control, self.given)
        else:
            self.say("This is the slowest setting." if step < 0 else "This is the fastest setting.")

    def given(self, said: str) -> None:
        super().given(said)
        self.show()

    def order_failed(self) -> None:
        self._pausing = False, float("-inf")
