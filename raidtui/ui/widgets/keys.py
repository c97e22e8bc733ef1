"""The footer: a line of the keys that work now, repainted only when they change."""

from typing import ClassVar, Final

from textual.content import Content
from textual.events import Leave, MouseDown, MouseMove
from textual.reactive import reactive
from textual.screen import Screen
from textual.visual import Visual
from textual.widget import Widget

from raidtui.model.struct import Record
from raidtui.ui.shell.lifecycle import InFront, is_there

_LAST: Final = ("f1", "escape", "q", "f10")  # help and the way out: at the end of every footer, in this order
_ALWAYS: Final = frozenset({"enter", *_LAST})  # with the way on


class _Key(Record, frozen=True):
    """A key of the footer."""

    key: str
    display: str
    description: str
    enabled: bool

    @property
    def width(self) -> int:
        return Content(f"{self.display} {self.description}").cell_length


class Keys(Widget):
    """Like Textual's `Footer`, but a single widget: one widget per key made opening a page a third slower.

    A click on a key presses it.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key", "keys--description", "keys--hover"}
    DEFAULT_CSS = """
    Keys {
        dock: bottom;
        height: 1;
        text-wrap: nowrap;
        color: $footer-foreground;
        background: $footer-background;
        .keys--key { color: $footer-key-foreground; background: $footer-key-background; text-style: bold; }
        .keys--description { color: $footer-description-foreground; background: $footer-description-background; }
        .keys--hover { color: $footer-key-foreground; background: $block-hover-background; }
    }
    """

    _shown: reactive[tuple[_Key, ...]] = reactive(())
    _hovered: reactive[_Key | None] = reactive(None)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def render(self) -> Visual:
        key, description, hover = map(
            self.get_visual_style, ("keys--key", "keys--description", "keys--hover")
        )
        parts: list[Content] = []
        for one in self._fitting():
            part = Content.assemble((one.display, key), (f" {one.description}", description))
            if one == self._hovered:
                part = part.stylize(hover)
            parts.append(part if one.enabled else part.stylize("dim"))
        return Content(" ").join(parts)

    def on_mouse_move(self, event: MouseMove) -> None:
        self._hovered = self._key_at(event.x)

    def on_leave(self, _: Leave) -> None:
        self._hovered = None

    def on_mouse_down(self, event: MouseDown) -> None:
        if (key := self._key_at(event.x)) is None:
            return
        if key.enabled:
            self.app.simulate_key(key.key)
        else:
            self.app.bell()

    def _fitting(self) -> list[_Key]:
        """The keys that fit: if they are too many, the last ones of the page are left to F1, which stays."""
        shown = list(self._shown)
        while sum(one.width + 1 for one in shown) - 1 > self.size.width:
            last = next((one for one in reversed(shown) if one.key not in _ALWAYS), None)
            if last is None:
                break
            shown.remove(last)
        return shown

    def _key_at(self, column: int) -> _Key | None:
        start = 0
        for key in self._fitting():
            if start <= column < start + key.width:
                return key
            start += key.width + 1
        return None

    def _bindings_changed(self, _: Screen[object]) -> None:
        """Update the keys; the screen sends this signal often without a change."""
        # Actions are checked against the screen in front.
        if not is_there(self) or self.app.screen is not self.screen:
            return
        if is_there(self.screen):
            self._shown = self._wanted()
        elif not self.screen.is_mounted:
            # Its first picture comes before its widgets are there, under load by seconds: what always works is shown.
            self._shown = tuple(one for one in self._wanted() if one.key in _LAST)

    def _wanted(self) -> tuple[_Key, ...]:
        actions: dict[str, _Key] = {}
        screen = self.screen
        for one in screen.active_bindings.values():
            idle = (
                screen.is_mounted
                and isinstance(screen, InFront)
                and screen.is_idle(one.binding.action.partition("(")[0])
            )
            if one.binding.show and not idle:  # show only the first of several keys for an action
                key = _Key(
                    one.binding.key,
                    self.app.get_key_display(one.binding),
                    one.binding.description,
                    one.enabled,
                )
                actions.setdefault(one.binding.action, key)
        return tuple(
            sorted(actions.values(), key=lambda key: _LAST.index(key.key) if key.key in _LAST else -1)
        )
