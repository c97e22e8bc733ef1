"""When an app has nothing more to do: read from its event loop, where Textual's pilot guesses it from processor time."""

import asyncio
from typing import Any, Final

import pytest
from textual.pilot import Pilot

_SOON: Final = 1 / 50  # seconds; a screen is painted 1/60 s after something changed


async def until_idle(*_: float) -> None:
    """Wait until nothing but a thread, a file or a timer of more than 20 ms can give the event loop something to do."""
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < 2:  # what a thread has brought meanwhile is seen in the second round
        await asyncio.sleep(0)
        quiet = 0 if loop._ready else quiet + 1
        if quiet == 2 and (due := [timer.when() for timer in loop._scheduled if not timer.cancelled()]):
            wait = min(due) - loop.time()
            if wait < _SOON:
                await asyncio.sleep(wait)
                quiet = 0


async def _screen_is_idle(*_: object) -> bool:
    await until_idle()
    return True


def wait_exactly(patch: pytest.MonkeyPatch) -> None:
    """Have the pilot wait for the event loop.

    By itself it takes 20 ms in which the process used little processor time for idleness, which on a busy machine
    they are not, and posts a message to each widget at each wait: most of a test's time.
    """
    patch.setattr("textual.pilot.wait_for_idle", until_idle)
    patch.setattr("textual.app.wait_for_idle", until_idle)
    patch.setattr(Pilot, "_wait_for_screen", _screen_is_idle)
