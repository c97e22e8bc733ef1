"""No circle of imports, not even inside a room, and nobody but a backend knows a backend's folder."""

import sys
from typing import Final

import grimp

from raidtui.backends.registry import FOLDERS

COMPOSED: Final = {
    "lvm": {"md"},  # the same code of the kernel: where data lies
    "lvm_on_md": {"md", "lvm"},
    "hybrid": {"md", "lvm", "lvm_on_md"},
    "cards": {"md"},  # where data lies
    "megaraid": {"cards"},
    "adaptec": {"cards"},
}
"""Backends that are made of others."""
OF_ONE_DISK: Final = {"raidtui.sweep.session", "raidtui.ui.wizard.disk_owner"}
"""They ask whether a disk has a filesystem alone, which is no unit: so no backend sees it among its units."""


def circles(package: str) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others (Tarjan's algorithm)."""
    graph = grimp.build_graph(package)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if imported not in index:
                visit(imported)
                low[module] = min(low[module], low[imported])
            elif imported in stack:
                low[module] = min(low[module], index[imported])
        if low[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for module in sorted(graph.modules):
        if module not in index:
            visit(module)
    return found


def test_there_is_no_circle_of_imports() -> None:
    assert circles("raidtui") == []


def test_nobody_outside_knows_which_backends_there_are() -> None:
    graph = grimp.build_graph("raidtui")
    folders = {*FOLDERS.values(), "cards"}

    def folder_of(module: str) -> str:
        parts = module.split(".")
        return parts[2] if parts[1:2] == ["backends"] and len(parts) > 2 and parts[2] in folders else ""

    found = {
        (module, folder_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if folder_of(imported) not in {"", folder_of(module), *COMPOSED.get(folder_of(module), ())}
    }
    assert found == {(module, "single") for module in OF_ONE_DISK}
