"""The keyboard: one key at a time, each for the screen and field it was pressed for.

Textual sends text directly to the focused widget, but a bound key bubbles up to the app and acts from there. Keys
that arrive together can overtake each other: four times Backspace and "tank" became "dank". So each key is passed
on only after the previous one has had its full effect, including a change of focus.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from raidtui.ui.shell.lifecycle import InFront, is_there
from raidtui.ui.shell.modal import Over

LEAVE: Final = frozenset({"q", "f10", "ctrl+q"})
_ROUNDS: Final = 3  # the key itself, the message of its widget, the change of focus
_SOON: Final = 0.02  # seconds between checks whether a new screen has all its widgets
_LOST: Final = 0.25  # seconds between checks whether the widget that took a key still exists
_STUCK: Final = 3.0  # seconds after which a key counts as handled in any case
_BURST: Final = 0.25  # seconds, at most, between keys typed in one go

Typed = events.Key | events.Paste


class Handled(Message, namespace="keyboard"):
    """Follows a key along its path: when it arrives, the key has had its effect."""


class Keyboard:
    """Queues keys and passes them on in order."""

    def __init__(self, app: App[int], act: Callable[[Typed], Awaitable[None]]) -> None:
        """``act`` has Textual handle a key."""
        self._app, self._act = app, act
        self._waiting: deque[Typed] = deque()
        self._busy = False
        self._screen: Screen[object] | None = None  # the screen that got the last key
        self._ignored = float("-inf")  # time of the last key that was for another screen
        self._rounds = 0
        self._sent: Handled | None = None
        self._search: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether all keys so far have had their effect."""
        return not self._busy

    async def take(self, key: Typed) -> None:
        """Queue a pressed key or pasted text."""
        self._waiting.append(key)
        if not self._busy:
            self._busy = True
            await self._hand_over()

    async def _hand_over(self) -> None:
        while self._waiting:
            screen = self._app.screen
            if not is_there(screen):
                self._app.set_timer(_SOON, self._hand_over)
                return
            if screen is not self._screen:
                self._screen = screen
                self._follow(screen, rounds=1)  # let it open first: then it has a focus
                return
            key = self._waiting.popleft()
            if self._is_for_another(key, screen):
                continue
            target = self._app.focused or screen
            await self._act(key)
            self._follow(target, rounds=_ROUNDS)
            return
        self._busy = False

    def _is_for_another(self, key: Typed, screen: Screen[object]) -> bool:
        """Whether ``key`` was pressed before ``screen`` was shown, or in one go with such keys.

        Typing ahead, or a line that delivers all keys at once, must not confirm what the user has not seen yet, and
        must not put the rest of the text into a field.
        """
        field = self._app.focused
        types = (
            isinstance(key, events.Key)
            and field is not None
            and field.check_consume_key(key.key, key.character)
        )
        if not types and _gets_out(key, screen):
            return False
        if key.time < _since(screen) or key.time - self._ignored < _BURST:
            self._ignored = key.time
            return True
        return False

    def is_too_late(self, key: Typed) -> bool:
        """Whether another screen came to the front while ``key`` bubbled up."""
        return not _gets_out(key, self._app.screen) and key.time < _since(self._app.screen)

    # Find out when a key has had its effect.

    def _follow(self, target: DOMNode, *, rounds: int) -> None:
        self._rounds, self._sent = rounds, Handled()
        if not target.post_message(self._sent):
            self._app.post_message(self._sent)
        self._look_again(target, asyncio.get_running_loop().time() + _STUCK)

    def _look_again(self, target: DOMNode, end: float) -> None:
        if self._search is not None:
            self._search.cancel()
        sent, loop = self._sent, asyncio.get_running_loop()

        def look() -> None:
            self._app.call_later(self._look_for, sent, target, end)

        self._search = loop.call_later(_LOST, look)

    async def _look_for(self, sent: Handled, target: DOMNode, end: float) -> None:
        """Continue if the widget was removed before it could pass the message on, or after `_STUCK` seconds."""
        if sent is not self._sent:
            return
        gone = isinstance(target, Widget) and not (target.is_running and target.is_attached)
        if gone or asyncio.get_running_loop().time() > end:
            await self.arrived(sent)
        else:
            self._look_again(target, end)

    async def arrived(self, sent: Handled) -> None:
        """Continue after one round of a key; after the last round, with the next key."""
        if sent is not self._sent:
            return
        self._sent = None
        if self._rounds > 1:
            self._follow(self._app.focused or self._app.screen, rounds=self._rounds - 1)
            return
        if self._search is not None:
            self._search.cancel()
        await self._hand_over()


def _gets_out(key: Typed, screen: Screen[object]) -> bool:
    """Whether ``key`` leaves ``screen`` even if typed ahead: Esc closes a dialog and changes nothing.

    On a page Esc goes to another one, so it must have been pressed for this page.
    """
    name = key.key if isinstance(key, events.Key) else ""
    if name == "escape":
        return isinstance(screen, Over) or key.time >= _since(screen)
    return name in LEAVE


def _since(screen: Screen[object]) -> float:
    return screen.since if isinstance(screen, InFront) else float("-inf")
