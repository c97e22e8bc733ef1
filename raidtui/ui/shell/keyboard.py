"""The keyboard: one key at a time, each for the screen and field it was pressed for.

Textual sends text directly to the focused widget, but a bound key bubbles up to the app and acts from there. Keys
that arrive together can overtake each other: four times Backspace and "tank" became "dank". So each key is passed
on only after the previous one has had its full effect, including a change of screen or focus. Keys typed ahead wait
until the next screen takes keys; they never confirm what was not seen yet (`InFront.takes_unseen`).
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from textual import events
from textual.app import App, ScreenStackError
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from raidtui.ui.shell.lifecycle import InFront, is_there
from raidtui.ui.shell.modal import Over

KEY_NAMES: Final = {
    "enter": "Enter",
    "escape": "Esc",
    "space": "Space",
    "tab": "Tab",
    "delete": "Del",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "plus": "+",
    "minus": "-",
}
LEAVE: Final = frozenset({"q", "f10", "ctrl+q"})
_AT_ONCE: Final = frozenset({"escape", "f1", "f10", "ctrl+q"})  # these wait for no reading of the disks
_ROUNDS: Final = 3  # the key itself, the message of its widget, the change of focus
_SOON: Final = 0.02  # seconds between checks whether a new screen has all its widgets
_HELD: Final = 0.05  # seconds between checks whether it is ready
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
        self._ignored = float("-inf")  # time of the last key that would have confirmed something unseen
        self._rounds = 0
        self._sent: Handled | None = None
        self._held: Timer | None = None  # runs while the keys wait for a screen that is not ready
        self._search: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether all keys so far have had their effect."""
        return not self._busy

    async def take(self, key: Typed) -> None:
        """Queue a pressed key or pasted text."""
        if _name(key) in _AT_ONCE and self._held is not None:
            self._waiting.clear()  # they were for the screen that is left now
            self._held.stop()
            self._busy = False
        self._waiting.append(key)
        if not self._busy:
            self._busy = True
            await self._hand_over()

    async def _hand_over(self) -> None:
        self._held = None
        while self._waiting:
            try:
                screen = self._app.screen
            except ScreenStackError:  # the app ends
                return
            if not is_there(screen):
                self._app.set_timer(_SOON, self._hand_over)
                return
            if self._must_wait(self._waiting[0], screen):
                self._held = self._app.set_timer(_HELD, self._hand_over)
                return
            if screen is not self._screen:
                self._screen = screen
                self._follow(screen, rounds=1)  # let it open first: then it has a focus
                return
            key = self._waiting.popleft()
            if self._confirms_unseen(key, screen):
                continue
            target = self._app.focused or screen
            await self._act(key)
            self._follow(target, rounds=_ROUNDS)
            return
        self._busy = False

    def _must_wait(self, key: Typed, screen: Screen[object]) -> bool:
        """Whether ``screen`` reads or calculates what ``key`` acts on."""
        if not isinstance(screen, InFront) or screen.ready or self._leaves(key, screen):
            return False
        return screen.WAITS is None or _name(key) in screen.WAITS

    def _leaves(self, key: Typed, screen: Screen[object]) -> bool:
        """Whether ``key`` works on a screen that is not ready; q only where it cannot be part of a text."""
        types = isinstance(screen, InFront) and screen.TYPES
        return _name(key) in (_AT_ONCE if types else _AT_ONCE | LEAVE)

    def _confirms_unseen(self, key: Typed, screen: Screen[object]) -> bool:
        """Whether ``key`` was pressed before ``screen`` was seen and would confirm something there.

        Such a key is dropped, and so are those typed in one go with it: they were meant for what it would have led to.
        """
        if not isinstance(screen, InFront) or (not self._types(key) and _gets_out(key, screen)):
            return False
        unseen = key.time < screen.since and not screen.takes_unseen(_name(key))
        if unseen or key.time - self._ignored < _BURST:
            self._ignored = key.time
            return True
        return False

    def _types(self, key: Typed) -> bool:
        """Whether ``key`` puts a character into the focused field."""
        field = self._app.focused
        return (
            isinstance(key, events.Key)
            and field is not None
            and field.check_consume_key(key.key, key.character)
        )

    def is_too_late(self, key: Typed) -> bool:
        """Whether another screen came to the front while ``key`` bubbled up."""
        return _name(key) not in LEAVE and self._app.screen is not self._screen

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
    """Whether ``key`` leaves ``screen`` in any case: Esc closes a dialog and changes nothing."""
    return _name(key) in LEAVE or (_name(key) == "escape" and isinstance(screen, Over))


def _name(key: Typed) -> str:
    return key.key if isinstance(key, events.Key) else ""
