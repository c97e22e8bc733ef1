"""Keys that pause a resync and change its speed, for a screen that follows a job and sees its array."""

from abc import abstractmethod
from collections.abc import Callable

from textual import work

from raidtui.machine.sync_limits import limits_left_over
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Array
from raidtui.ui.care import array_words, pace
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.shell import clock
from raidtui.ui.shell.lifecycle import in_thread
from raidtui.ui.shell.world import Access

_ORDER_SECONDS = 3.0  # until a reading of the array is certainly later than an order


class SyncControl(JobPage):
    """p pauses the resync of `array`, + and - change its speed, and its limits are restored when it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.array: Array | None = None  # as last seen
        self._restoring = False
        self._ordered = pace.NORMAL, float("-inf")  # the last pace that was asked for, and when
        self._pausing = False, float("-inf")  # whether a pause or its end was asked for last, and when

    @abstractmethod
    def look(self, arrays: tuple[Array, ...]) -> None:
        """Take notice of the array among ``arrays``."""

    @abstractmethod
    def show(self) -> None:
        """Show it."""

    def restore_limits(self, array: Array) -> None:
        """Give the array md's system-wide limits back, once, when its resync has ended."""
        machine = self.tui.machine
        if array.sync is not None:
            self._restoring = False
        elif (
            limits_left_over(array, machine.system if machine else None)
            and self.world.access is Access.ROOT
            and not self._restoring
        ):
            self._restoring = True
            self._order_speed(lambda: self.world.restore_sync_speed(array.node), "")

    def action_pause(self) -> None:
        """Pause the resync, or resume it."""
        array = self.array
        if array is None or not self.may_order("Pausing a resync needs root."):
            return
        paused = self._is_paused(array)
        self._pausing = not paused, clock.monotonic()
        if paused:
            self._order_speed(lambda: self.world.continue_sync(array.node), "Resync resumed.")
        else:
            self._order_speed(lambda: self.world.pause_sync(array.node), "Resync paused. p resumes it.")

    def _is_paused(self, array: Array) -> bool:
        """Whether it is paused, or will be in a moment: md ends what it is at first."""
        asked, at = self._pausing
        return asked if clock.monotonic() - at < _ORDER_SECONDS else array_words.is_paused(array)

    def action_pace(self, step: int) -> None:
        """Make the resync faster or slower."""
        array, machine = self.array, self.tui.machine
        if array is None or not self.may_order("Changing the resync speed needs root."):
            return
        if self._is_paused(array):
            self.complain("the resync is paused; p resumes it")
            return
        now = pace.pace_of(array, machine.system if machine else None)
        ordered, at = self._ordered
        if clock.monotonic() - at < _ORDER_SECONDS:
            now = ordered  # a reading from before the order may arrive after it
        wanted = pace.next_pace(now, step)
        if wanted is None:
            self.say("This is the slowest setting." if step < 0 else "This is the fastest setting.")
            return
        self._ordered = wanted, clock.monotonic()
        chosen = pace.PACES[wanted]
        if wanted == pace.NORMAL:
            self._order_speed(
                lambda: self.world.restore_sync_speed(array.node), f"Speed limits: {chosen.words}."
            )
        else:
            self._order_speed(
                lambda: self.world.set_sync_speed(array.node, chosen.minimum, chosen.maximum),
                f"Speed limits: {chosen.words}.",
            )

    @work(group="speed")
    async def _order_speed(self, what: Callable[[], None], done: str) -> None:
        """Change the speed, then look at the array at once: md does not report new limits."""
        try:
            await in_thread(self, what)
            arrays = await in_thread(self, self.world.arrays)
        except RaidtuiError as error:
            self._pausing = False, float("-inf")
            self.complain(str(error))
        else:
            self.look(arrays)
            if done:
                self.say(done)
            self.show()
