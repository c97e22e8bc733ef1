"""LVM flushes nothing, so each step that changes its metadata does: a journal must not say done of what a power cut undoes."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import raidtui

ROOT: Final = Path(raidtui.__file__).parent
CHANGES: Final = {
    "vgextend",
    "vgreduce",
    "pvresize",
    "lvextend",
    "lvconvert",
    "pvmove",
    "vgck",
    "vgcfgrestore",
}
"""Commands that write a new version of a group's metadata. What creates a group does so on disks that its job holds and flushes."""


def steps(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """The actions of each step that ``path`` makes, with the line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "actions":
                    yield keyword.value.lineno, keyword.value


def test_every_step_that_changes_metadata_of_lvm_flushes_it() -> None:
    found = 0
    for path in sorted(ROOT.rglob("*.py")):
        for line, actions in steps(path):
            words = {one.value for one in ast.walk(actions) if isinstance(one, ast.Constant)}
            if not words & CHANGES:
                continue
            found += 1
            called = {
                one.func.id if isinstance(one.func, ast.Name) else getattr(one.func, "attr", "")
                for one in ast.walk(actions)
                if isinstance(one, ast.Call)
            }
            assert called & {"flushed", "_flushed"}, (
                f"{path.relative_to(ROOT)}:{line} does not flush what LVM wrote"
            )
    assert found > 8
