"""Every scene that has a snapshot, so that a test can go over all screens: what the snapshot tests open, and their keys."""

import importlib
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from textual.pilot import Pilot

from raidtui.ui.shell.app import RaidtuiApp

_FOLDER: Final = Path(__file__).parent


class Scene(NamedTuple):
    """A snapshot test, and one of its variations."""

    name: str
    test: Callable[..., None]
    arguments: Mapping[str, Any]

    def open(self) -> tuple[RaidtuiApp, Callable[[Pilot[int]], Awaitable[None]]]:
        """A new app, and the way to the state of which the snapshot is taken."""
        opened: list[tuple[RaidtuiApp, Callable[[Pilot[int]], Awaitable[None]]]] = []

        def catch(
            app: RaidtuiApp, *, run_before: Callable[[Pilot[int]], Awaitable[None]], **_: object
        ) -> bool:
            opened.append((app, run_before))
            return True

        self.test(catch, **self.arguments)
        return opened[0]


def every_scene(look: str = "80x24") -> Iterator[Scene]:
    """All snapshot tests of this folder, in their variations; of several sizes, only ``look``."""
    for path in sorted(_FOLDER.glob("test_*.py")):
        if "snap_compare" not in path.read_text():
            continue
        module = importlib.import_module(f"tests.ui.{path.stem}")
        for name, test in vars(module).items():
            if name.startswith("test_") and "snap_compare" in getattr(test, "__annotations__", {}):
                yield from _variations(f"{path.stem}.{name}", test, look)


def _variations(name: str, test: Callable[..., None], look: str) -> Iterator[Scene]:
    choices = [_values(mark, look) for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    for number, picked in enumerate(itertools.product(*choices)):
        yield Scene(f"{name}[{number}]", test, {key: value for one in picked for key, value in one.items()})


def _values(mark: pytest.Mark, look: str) -> list[Mapping[str, Any]]:
    """The arguments that a mark gives in each variation."""
    names, values = mark.args
    if names == "look":
        return [{"look": look if look in values else values[0]}]
    if isinstance(names, str):
        return [{names: value} for value in values]
    return [dict(zip(names, getattr(one, "values", one), strict=True)) for one in values]
