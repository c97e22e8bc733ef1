"""What a screen that is still opening, and one that was left, do with the answer of a thread."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from raidtui.ui.shell.lifecycle import calculated, in_thread


class Opening(Screen[None]):
    """Takes longer to open than the thread needs."""

    async def on_mount(self) -> None:
        await asyncio.sleep(0.2)


class Asking(Opening):
    def __init__(self, ask: Callable[[Widget, Callable[[], str]], Any]) -> None:
        super().__init__()
        self._ask = ask
        self.heard = ""

    async def on_mount(self) -> None:
        self.run_worker(self._begin())

    async def _begin(self) -> None:
        self.heard = await self._ask(self, lambda: "the answer")


@pytest.mark.parametrize("ask", [in_thread, calculated])
def test_an_answer_that_comes_while_a_screen_opens_is_heard(
    ask: Callable[[Widget, Callable[[], str]], Any],
) -> None:
    async def walk() -> str:
        app: App[None] = App()
        async with app.run_test() as pilot:
            screen = Asking(ask)
            await app.push_screen(screen)
            await app.workers.wait_for_complete()
            await pilot.pause()
            return screen.heard

    assert asyncio.run(walk()) == "the answer"
