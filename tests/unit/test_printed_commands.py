"""A command that changes a disk stands in a plan, where it is guarded and in the journal, and not in a text to be typed.

To free a disk people get ``raidtui teardown``, ``umount``, ``swapoff``, or what only stops a device. The name of a
tool's option in quotes, or a page of a manual, is not to be typed.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PRODUCT: Final = Path(__file__).resolve().parents[2] / "raidtui"
_WHAT: Final = r"(?! +--[a-z-]+')(?= +(?:-|/|X|tank))"
CHANGES: Final = re.compile(
    r"\b(?:"
    r"mdadm [^'\"&;]*--(?P<md>create|build|add|re-add|remove|fail|replace|zero-superblock|grow|assemble|run|incremental)\b"
    r"|(?P<wipe>wipefs --all) (?!--no-act)"
    rf"|(?P<table>sfdisk|sgdisk|parted|blkdiscard|shred|sg_format|mkswap|mkfs\.\w+|mke2fs){_WHAT}"
    rf"|(?P<lvm>(?:pv|vg|lv)(?:create|remove|reduce|extend|convert|move|rename)){_WHAT}"
    rf"|(?P<zpool>zpool (?:create|destroy|replace|attach|detach|online|offline|add|labelclear|remove)){_WHAT}"
    rf"|(?P<btrfs>btrfs (?:device (?:add|delete|remove)|replace start|balance start)){_WHAT}"
    r"|(?P<dd>dd (?:if|of)=)"
    rf"|(?P<crypt>cryptsetup (?:luksFormat|erase)){_WHAT}"
    rf"|(?P<ro>blockdev --setr[wo]){_WHAT}"
    r")"
)

SCRIPT: Final = frozenset(
    {"plan/script_parts.py", "backends/btrfs/mount_again.py", "backends/md/procedures/spare_forgotten.py"}
)
"""Scripts: what they do is in a plan."""


def texts(path: Path) -> Iterator[str]:
    """Every string of a module but its docstrings, with X for what is put into it."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings | inside
        ):
            yield node.value


def found_in(text: str) -> Iterator[str]:
    """The commands in a text that change a disk, each by its name."""
    for match in CHANGES.finditer(text):
        (command,) = (
            f"mdadm --{word}" if kind == "md" else word for kind, word in match.groupdict().items() if word
        )
        yield command


def found() -> dict[str, set[str]]:
    """The commands in the texts of the product, by file."""
    every: dict[str, set[str]] = {}
    for path in sorted(PRODUCT.rglob("*.py")):
        file = str(path.relative_to(PRODUCT))
        for text in () if file in SCRIPT else texts(path):
            for command in found_in(text):
                every.setdefault(file, set()).add(command)
    return every


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("run mdadm /dev/md127 --add X", ["mdadm --add"]),
        ("X && mdadm --zero-superblock X", ["mdadm --zero-superblock"]),
        ("wipefs --all X", ["wipefs --all"]),
        ("wipefs --all --no-act X", []),
        ("mdadm --stop X && umount X && lvchange --activate n X", []),
        ("vgreduce X X && pvremove X", ["vgreduce", "pvremove"]),
        ("zpool replace X X; zpool status", ["zpool replace"]),
        ("raidtui replace X X", []),
        ("set with 'lvcreate --stripesize'. LVM's default", []),
        ("lvcreate --stripesize X", ["lvcreate"]),
        ("move its data with pvmove(8), then vgreduce(8)", []),
    ],
)
def test_what_changes_a_disk(text: str, commands: list[str]) -> None:
    assert list(found_in(text)) == commands


def test_no_text_tells_to_change_a_disk_by_hand() -> None:
    assert found() == {}


NAMED: Final = re.compile(
    r"\b(?:umount|mount|swapoff|zpool (?:export|clear)|raidtui (?:teardown|care)) \{(?P<what>[^}]*)"
)
SAFE: Final = re.compile(r"shlex\.quote|count_of|name_in_command|\.path|\.id\b|folder\.name")
"""What a shell takes as one word: it is quoted, or a name of the kernel or of raidtui."""
OWN: Final = frozenset(
    {"jobs/start.py", "jobs/guard.py", "jobs/failures.py", "jobs/runner.py", "backends/zfs/conditions.py"}
)
"""They name what a spec calls so, which has no blanks."""


def test_a_name_in_a_command_is_one_word_for_a_shell() -> None:
    found = [
        f"{path.relative_to(PRODUCT)}: {named[0]}"
        for path in sorted(PRODUCT.rglob("*.py"))
        if str(path.relative_to(PRODUCT)) not in OWN
        for named in NAMED.finditer(path.read_text())
        if not SAFE.search(named["what"])
    ]
    assert found == []
