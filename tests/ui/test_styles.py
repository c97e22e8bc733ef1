"""A screen with several bases has the styles of all: Textual takes them along the first base of each class only."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from inspect import getfile
from pathlib import Path

import pytest
from textual.dom import DOMNode
from textual.screen import Screen

import raidtui.ui
from raidtui.ui.shell.app import RaidtuiApp

FOLDER = Path(raidtui.ui.__file__).parent


def _every(of: type[Screen[None]]) -> Iterator[type[Screen[None]]]:
    for one in of.__subclasses__():
        yield one
        yield from _every(one)


def screens() -> list[type[Screen[None]]]:
    """Every screen of raidtui."""
    for module in pkgutil.walk_packages(raidtui.ui.__path__, "raidtui.ui."):
        importlib.import_module(module.name)
    return [one for one in dict.fromkeys(_every(Screen)) if one.__module__.startswith("raidtui.")]


def styled() -> set[str]:
    """The names of classes that a stylesheet has rules for."""
    texts = [path.read_text() for path in FOLDER.rglob("*.tcss")]
    texts += [one.__dict__.get("CSS", "") for one in screens()]
    bare = (re.sub(r"/\*.*?\*/|\{.*?\}", " ", text, flags=re.DOTALL) for text in texts)
    return {name for text in bare for name in re.findall(r"(?<![\w.#-])[A-Z]\w+", text)}


def files(of: type[DOMNode], paths: object) -> set[Path]:
    """The stylesheets ``paths`` of a class, in full."""
    named = [paths] if isinstance(paths, str) else list(paths) if isinstance(paths, list) else []
    return {(Path(getfile(of)).parent / str(one)).resolve() for one in named}


def test_the_stylesheets_are_read() -> None:
    assert {"ListPage", "UnitsList", "OverviewScreen", "GrowScreen", "BuildScreen"} <= styled()


SCREENS = pytest.mark.parametrize("screen", screens(), ids=lambda one: one.__name__)


@SCREENS
def test_rules_for_each_base_match(screen: type[Screen[None]]) -> None:
    bases = {base.__name__ for base in screen.__mro__ if issubclass(base, DOMNode)}
    assert (bases & styled()) - screen._css_type_names == set()


@SCREENS
def test_the_stylesheet_of_each_base_is_loaded(screen: type[Screen[None]]) -> None:
    loaded = files(screen, screen.CSS_PATH) | files(RaidtuiApp, RaidtuiApp.CSS_PATH)
    wanted: set[Path] = set()
    for base in screen.__mro__:
        if issubclass(base, DOMNode):
            wanted |= files(base, base.__dict__.get("CSS_PATH"))
    assert wanted - loaded == set()
    assert [path for path in loaded if not path.exists()] == []


@SCREENS
def test_no_base_loses_its_own_rules(screen: type[Screen[None]]) -> None:
    own = [
        base.__name__
        for base in screen.__mro__
        if base.__module__.startswith("raidtui.") and base.__dict__.get("CSS")
    ]
    assert len(own) < 2, "only the rules of the last one are loaded"
