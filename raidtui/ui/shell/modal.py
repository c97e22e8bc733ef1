"""The base class of all dialogs."""

from pathlib import Path
from typing import ClassVar, TypeVar, cast

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

from raidtui.ui.shell.lifecycle import InFront
from raidtui.ui.shell.tui import Tui
from raidtui.ui.shell.where import rail

T = TypeVar("T")
_STYLES = Path(__file__).parent.parent


class Over(InFront, ModalScreen[T]):
    """A dialog over a page, which answers once."""

    DEFAULT_CLASSES = "over"
    # Relative ones would be beside the file of the dialog.
    CSS_PATH = [_STYLES / "shell/dialogs.tcss", _STYLES / "widgets/buttons.tcss"]  # noqa: RUF012
    HELP: ClassVar[str]  # paragraphs for F1: what it asks or shows, and what its answer does

    def takes_unseen(self, key: str) -> bool:
        """By default none: the question may be another one than the user expected."""
        return self.TYPES

    def on_mount(self) -> None:
        # It may hide the first line of the page.
        self.mount(rail(cast("Tui", self.app).world))

    def action_leave(self) -> None:
        """Close without an answer."""
        self.dismiss()

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with this answer; do nothing if already closed, as a second Enter may still arrive.

        Textual would then close the page below, and answer twice.
        """
        if self.app.screen is not self:
            return AwaitComplete()
        gone = super().dismiss(result)
        if isinstance(self.app.screen, InFront):
            self.app.screen.come_back(from_question=not self.TYPES)
        return gone
