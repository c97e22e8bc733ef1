"""An expression that is compiled late is the one that `re.compile` makes, and every one in the project is right."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import raidtui
from raidtui.model.pattern import late

ROOT = Path(raidtui.__file__).parent


def modules() -> Iterator[str]:
    for file in ROOT.rglob("*.py"):
        if "= late(" in file.read_text():
            yield ".".join(file.relative_to(ROOT.parent).with_suffix("").parts)


def test_it_is_compiled_on_first_use_only() -> None:
    wrong = late("(")
    pattern = late("A(b+)", re.IGNORECASE)
    assert wrong is not pattern
    found = pattern.search("xaBB")
    assert found is not None
    assert found[1] == "BB"
    assert pattern.sub("-", "xabb") == "x-"
    assert pattern.pattern == "A(b+)"


def test_every_late_expression_of_the_project_compiles() -> None:
    found = [
        value
        for name in modules()
        for value in vars(import_module(name)).values()
        if type(value) is type(late(""))
    ]
    assert len(found) > 100
    for one in found:
        assert re.compile(one.pattern)
