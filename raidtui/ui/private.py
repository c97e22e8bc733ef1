"""Every use of Textual's private parts, each with its reason."""

import traceback
from typing import TypeVar

from textual.app import App

Result = TypeVar("Result")


class PlainCrash(App[Result]):
    """Ends after a fault with a plain traceback.

    Textual's own prints the values of local variables, which may be a passphrase or the label of a private disk,
    in glyphs that a console does not have; there is no public hook to choose another.
    """

    def _fatal_error(self) -> None:
        error = self._exception
        text = "".join(traceback.format_exception(error)) if error else ""
        self._exit_renderables.append(
            f"{text}\nraidtui stopped because of this fault in itself. "
            "Jobs go on without it; 'raidtui jobs' lists them."
        )
        self._close_messages_no_wait()
