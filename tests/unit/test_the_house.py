"""The shape of the code: no circle of imports, and no long file."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import raidtui

ROOT: Final = Path(raidtui.__file__).parent
FILES: Final = sorted(ROOT.rglob("*.py"))
LONG: Final = 400


def module(path: Path) -> str:
    """The name that ``path`` is imported by."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> set[str]:
    """Every module that ``path`` names in an import: in functions and for types, too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return names


def test_no_circle_of_imports() -> None:
    modules = {module(path): path for path in FILES}
    graph = {name: imported(path) & modules.keys() - {name} for name, path in modules.items()}
    assert sum(map(len, graph.values())) > len(modules)
    TopologicalSorter(graph).prepare()  # CycleError names the circle


def test_one_place_folds_lines() -> None:
    """textwrap breaks a name or an id at its hyphens unless it is told not to."""
    assert {module(path) for path in FILES if "textwrap" in imported(path)} == {"raidtui.model.text"}


def test_no_file_is_long() -> None:
    lines = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in FILES}
    assert [name for name, count in lines.items() if count > LONG] == []
