"""All uses of Textual's private members, each with its reason."""

import traceback
from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from rich.console import Group
from rich.control import Control
from rich.text import Text
from textual import content
from textual.app import App
from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.widget import Widget
from textual.widgets import OptionList
from textual.worker import WorkerFailed

from raidtui.machine.installation import was_replaced
from raidtui.model.text import tied

Result = TypeVar("Result")
_MOST_SOURCES = 256  # one for each widget class shown, and one for each file


@cache
def _parsed(variables: frozenset[tuple[str, str]]) -> LRUCache[tuple[object, ...], list[RuleSet]]:
    """The cache of rules parsed with these colors; the rules of a style sheet do not change afterwards."""
    return LRUCache(_MOST_SOURCES)


class ParsedOnce(Stylesheet):
    """Parses each style sheet once for the colors of a theme.

    Textual parses all style sheets again whenever a screen adds one, and twice at startup; it has no public way to
    keep the rules.
    """

    def __init__(self, *, variables: Mapping[str, str]) -> None:
        super().__init__(variables=dict(variables))
        self._parse_cache = _parsed(frozenset(variables.items()))

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # so that the cache for the previous colors is not cleared
            super().set_variables(variables)
            self._parse_cache = _parsed(frozenset(variables.items()))

    def reparse(self) -> None:
        self.parse()  # changes nothing if a style sheet has an error


_forget_content = Widget.clear_cached_dimensions


def _forget_size(self: Widget) -> None:
    _forget_content(self)
    self._box_model_cache.clear()


def measure_after_each_change() -> None:
    """Let widgets be measured after each change of their content.

    Textual counts only the first of several changes, and caches sizes by that count. If the screen is laid out between
    two of them, the widget keeps the size for the first, and the last lines of the second are not seen.
    """
    Widget.clear_cached_dimensions = _forget_size  # type: ignore[method-assign]  # there is no hook for it


_divide = vars(content)["divide_line"]


def _divide_outside_ties(text: str, width: int, fold: bool = True) -> list[int]:
    offsets: list[int] = _divide(tied(text, "_"), width, fold)
    return offsets


def keep_units_with_numbers() -> None:
    """Let no text be wrapped between a number and its unit, nor in a range or a date with its time.

    Textual wraps at each space, also at one that must not break, and has no hook for it.
    """
    vars(content)["divide_line"] = _divide_outside_ties


def line_of_option(options: OptionList, index: int) -> int:
    """The first line of an option; a wrapped one has several. Counting them anew would cost more than drawing."""
    return options._index_to_line.get(index, 0)


class PlainCrash(App[Result]):
    """Crashes with a plain traceback.

    Textual's traceback prints the values of local variables, which may be a passphrase or the label of a private
    disk, in glyphs that a console does not have; there is no public hook to replace it.
    """

    in_console = False  # no alternate screen: clear the screen before the traceback
    crashed = False

    def _fatal_error(self) -> None:
        self.crashed = True
        error = self._exception
        if isinstance(error, WorkerFailed):  # only the worker's own traceback has the cause
            error = error.error if isinstance(error.error, Exception) else error
        text = "".join(traceback.format_exception(error)) if error else ""
        if not self._exit_renderables:  # a second error is usually a consequence of the first
            cause = (
                "it was updated or removed while it ran; start it again"
                if was_replaced()
                else "this is a bug in raidtui"
            )
            message = Text(f"{text}\nraidtui crashed: {cause}. Jobs keep running; 'raidtui jobs' lists them.")
            cleared = Group(Control.clear(), Control.home(), message)
            self._exit_renderables.append(cleared if self.in_console else message)
        self._close_messages_no_wait()
