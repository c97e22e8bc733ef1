"""When an app has nothing more to do: read from its event loop, where Textual's pilot guesses it from processor time."""

import asyncio
from typing import Any, Final

import pytest
from textual._compositor import Compositor
from textual._context import active_app
from textual.app import App
from textual.pilot import Pilot

_SOON: Final = 1 / 50  # seconds; a timer of more than this is waited for by the test that wants it
_NEVER: Final = 3600.0  # seconds between two paintings that nobody asks for


async def until_idle(*_: float) -> None:
    """Wait until nothing but a thread, a file or a timer of more than 20 ms can give the app something to do.

    What is to be painted is painted as soon as there is nothing else to do.
    """
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < 2:  # what a thread has brought meanwhile is seen in the second round
        await asyncio.sleep(0)
        quiet = 0 if loop._ready else quiet + 1
        if quiet == 2 and (await _wait_for_timer(loop) or _paint()):
            quiet = 0


async def _wait_for_timer(loop: Any) -> bool:
    due = [timer.when() - loop.time() for timer in loop._scheduled if not timer.cancelled()]
    if not due or min(due) > _SOON:
        return False
    await asyncio.sleep(min(due))
    return True


def _paint() -> bool:
    app = active_app.get()
    if not app.is_running or not app._screen_stack:
        return False
    screen = app.screen
    as_a_whole = screen._layout_required or screen._scroll_required or screen._repaint_required
    if not as_a_whole and not screen._dirty_widgets:
        return False
    screen._on_timer_update()
    screen.check_idle()
    return True


async def _screen_is_idle(*_: object) -> bool:
    await until_idle()
    return True


def _draw_when_looked_at(patch: pytest.MonkeyPatch) -> None:
    """Draw lines of text only for a picture, and once before the app ends.

    Without a terminal what is drawn after each key is thrown away, and was a third of a test's time. Layout is
    done as ever. What cannot be drawn still fails its test: whatever is on the screen at its end is drawn.
    """
    render_update, shutdown = Compositor.render_update, App._shutdown

    def render(self: Compositor, full: bool = False, *rest: Any, **named: Any) -> Any:
        if full:
            return render_update(self, full, *rest, **named)
        self._dirty_regions.clear()
        return None

    async def draw_and_shut_down(self: App[Any]) -> None:
        if self._screen_stack and self._exception is None:
            render_update(self.screen._compositor, True, self._background_screens)
        await shutdown(self)

    patch.setattr(Compositor, "render_update", render)
    patch.setattr(App, "_shutdown", draw_and_shut_down)


def wait_exactly(patch: pytest.MonkeyPatch) -> None:
    """Have the pilot wait for the event loop.

    By itself it takes 20 ms in which the process used little processor time for idleness, which on a busy machine
    they are not, and posts a message to each widget at each wait. With a painting for each step of a key's effect
    that was three quarters of a test's time.
    """
    _draw_when_looked_at(patch)
    patch.setattr("textual.screen.UPDATE_PERIOD", _NEVER)
    patch.setattr("textual.pilot.wait_for_idle", until_idle)
    patch.setattr("textual.app.wait_for_idle", until_idle)
    patch.setattr(Pilot, "_wait_for_screen", _screen_is_idle)
