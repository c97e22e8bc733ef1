"""Every use of Textual's private parts, each with its reason."""

import traceback
from typing import TypeVar

from rich.console import Group
from rich.control import Control
from rich.text import Text
from textual.app import App
from textual.worker import WorkerFailed

Result = TypeVar("Result")


class PlainCrash(App[Result]):
    """Ends after a fault with a plain traceback.

    Textual's own prints the values of local variables, which may be a passphrase or the label of a private disk,
    in glyphs that a console does not have; there is no public hook to choose another.
    """

    in_console = False  # no alternate screen: the last picture is wiped off before the traceback
    crashed = False

    def _fatal_error(self) -> None:
        self.crashed = True
        error = self._exception
        if isinstance(error, WorkerFailed):  # the worker's own traceback says where, this one's does not
            error = error.error if isinstance(error.error, Exception) else error
        text = "".join(traceback.format_exception(error)) if error else ""
        if not self._exit_renderables:  # a second fault is mostly a consequence of the first
            said = Text(
                f"{text}\nraidtui crashed: this is a bug in raidtui. "
                "Jobs run on without it; 'raidtui jobs' lists them."
            )
            wiped = Group(Control.clear(), Control.home(), said)
            self._exit_renderables.append(wiped if self.in_console else said)
        self._close_messages_no_wait()
