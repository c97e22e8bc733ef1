"""Every use of Textual's private parts, each with its reason."""

import traceback
from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from rich.console import Group
from rich.control import Control
from rich.text import Text
from textual.app import App
from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.worker import WorkerFailed

Result = TypeVar("Result")
_MOST_SOURCES = 256  # one a widget class that is shown, and one a file


@cache
def _parsed(variables: frozenset[tuple[str, str]]) -> LRUCache[tuple[object, ...], list[RuleSet]]:
    """What has been parsed with these colors; the rules of a sheet never change after that."""
    return LRUCache(_MOST_SOURCES)


class ParsedOnce(Stylesheet):
    """Parses each style sheet once for the colors of a theme.

    Textual parses all that it has again whenever a screen brings a sheet of its own, and twice while it starts; it
    has no public way to keep the rules.
    """

    def __init__(self, *, variables: Mapping[str, str]) -> None:
        super().__init__(variables=dict(variables))
        self._parse_cache = _parsed(frozenset(variables.items()))

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # what is kept for the colors of before is not to be emptied
            super().set_variables(variables)
            self._parse_cache = _parsed(frozenset(variables.items()))

    def reparse(self) -> None:
        self.parse()  # which changes nothing if a sheet has a fault


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
                "Jobs keep running; 'raidtui jobs' lists them."
            )
            wiped = Group(Control.clear(), Control.home(), said)
            self._exit_renderables.append(wiped if self.in_console else said)
        self._close_messages_no_wait()
