"""Detect an idle app from its event loop; Textual's pilot guesses from processor time."""

import asyncio
from typing import Any, Final

import pytest
from textual._compositor import Compositor
from textual._context import active_app
from textual.app import App
from textual.pilot import Pilot

_SOON: Final = 1 / 50  # seconds; longer timers are waited for only by the tests that need them
_NEVER: Final = 3600.0  # seconds between automatic repaints


async def until_idle(*_: float) -> None:
    """Wait until only a thread, a file or a timer of more than 20 ms can give the app work.

    Pending repaints are done as soon as there is no other work.
    """
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < 2:  # the second round sees what a thread has delivered meanwhile
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
    """Draw lines of text only for a snapshot, and once before the app ends.

    Without a terminal, what is drawn after each key is discarded, and took a third of a test's time. Layout is not
    changed. Errors in drawing still fail the test, as the last screen is drawn at its end.
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
    """Make the pilot wait for the event loop.

    By default it assumes idleness after 20 ms with little processor time, which is wrong on a busy machine, and posts
    a message to every widget at each wait. With a repaint for each step of a key's effect, that took three quarters
    of a test's time.
    """
    _draw_when_looked_at(patch)
    patch.setattr("textual.screen.UPDATE_PERIOD", _NEVER)
    patch.setattr("textual.pilot.wait_for_idle", until_idle)
    patch.setattr("textual.app.wait_for_idle", until_idle)
    patch.setattr(Pilot, "_wait_for_screen", _screen_is_idle)
