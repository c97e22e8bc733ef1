"""The footer of keys, built anew only when other keys are to be shown."""

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer

from raidtui.ui.shell.lifecycle import is_there

_Shown = list[tuple[str, str, bool]]


class Keys(Footer):
    """Textual's footer is built anew whenever the focus moves or a screen comes; mostly it then looks as before."""

    _shown: _Shown | None = None

    def compose(self) -> ComposeResult:
        for key in super().compose():
            # Else each is styled a second time when it learns that.
            key.set_class(self.compact, "-compact", update=False)
            yield key

    def bindings_changed(self, screen: Screen[object]) -> None:
        """A key came or went, or does something now or no longer: so says the screen, often for nothing."""
        if self._is_there and self._wanted() != self._shown:
            super().bindings_changed(screen)

    async def recompose(self) -> None:
        """Show the keys of this moment."""
        if self._is_there and (wanted := self._wanted()) != self._shown:
            self._shown = wanted
            await super().recompose()

    @property
    def _is_there(self) -> bool:
        # What an action asks of the screen is asked of the one in front.
        return is_there(self) and self.app.screen is self.screen and is_there(self.screen)

    def _wanted(self) -> _Shown:
        active = self.screen.active_bindings.values()
        return [(one.binding.key, one.binding.description, one.enabled) for one in active if one.binding.show]
