"""One number style for people: 1,929,379,840 bytes, 46.9 %, 12.0 TB; written by the functions of `raidtui.model` only."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import raidtui
from raidtui.advice.risk import blocks_words, risk_words
from raidtui.model.chance import in_percent, share, table_percent
from raidtui.model.units import MIB, binary, decimal, millions, rate

_ROOT: Final = Path(raidtui.__file__).parent
_UNIT: Final = re.compile(
    r" (?:[KMGT]i?B\b|IOPS\b|I/Os\b|bytes\b)"
)  # a size without a blank is one of a spec
_BYTE: Final = re.compile(r"\bbyte $")
_SCALES: Final = {"KIB", "MIB", "GIB", "TIB", "KB", "MB", "GB", "TB"}
_DIVISORS: Final = {10**6, 10**9, 10**12}

_THEIRS: Final = {"results/cdm_text.py"}  # the report of CrystalDiskMark
_ARGUMENT: Final = re.compile(r"^--")


def faults(source: str) -> Iterator[tuple[int, str]]:
    """Each number that is written by hand in the f-strings of a module: its line, and what is wrong."""
    tree = ast.parse(source)
    for text in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        first = text.values[0] if text.values else None
        if isinstance(first, ast.Constant) and _ARGUMENT.match(str(first.value)):
            continue
        for index, part in enumerate(text.values):
            if not isinstance(part, ast.FormattedValue):
                continue
            spec = _words(part.format_spec)
            after = _words(text.values[index + 1]) if index + 1 < len(text.values) else ""
            before = _words(text.values[index - 1]) if index else ""
            if wrong := _wrong(part.value, spec, before, after):
                yield part.lineno, f"{ast.unparse(part.value)}:{spec} before {after[:12]!r}: {wrong}"


def _words(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_words(value) for value in node.values)
    return ""


def _wrong(value: ast.expr, spec: str, before: str, after: str) -> str:
    written = spec[-1:] in {"d", "f", "g", "e"} or "," in spec
    if spec.endswith("%"):
        return "no blank before %; use chance.percent, share or in_percent"
    if after.startswith("%") and not after.startswith("%%"):
        return "no blank before %"
    if after.startswith(" %") and (written or not isinstance(value, ast.Attribute | ast.Name)):
        return "use chance.percent, share or in_percent"
    if (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div)
        and written
        and not after.startswith(" Gb/s")
    ):
        known = isinstance(value.right, ast.Constant) and value.right.value in _DIVISORS
        if known or (isinstance(value.right, ast.Name) and value.right.id in _SCALES):
            return "use units.decimal, both, rate or millions"
    whole = isinstance(value, ast.BinOp) and isinstance(
        value.op, ast.FloorDiv
    )  # such as 4 MiB, of a constant
    number = written or isinstance(value, ast.Attribute | ast.Name | ast.BinOp | ast.Subscript)
    bare = number and "," not in spec and not whole
    return "no thousands separator" if bare and (_UNIT.match(after) or _BYTE.search(before)) else ""


def test_numbers_are_written_by_the_model() -> None:
    found = [
        f"{path.relative_to(_ROOT)}:{line}: {wrong}"
        for path in sorted(_ROOT.rglob("*.py"))
        if path.parent != _ROOT / "model" and str(path.relative_to(_ROOT)) not in _THEIRS
        for line, wrong in faults(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'f"{100 * done:.1f} %"',
        'f"{done:.0%}"',
        'f"{worn}%"',
        'f"{size} bytes"',
        'f"at byte {offset}"',
        'f"{rate / 1e6:,.1f}"',
        'f"{read}/{write:.0f} MB/s"',
        'f"{size / GIB:.2f} GiB"',
    ],
)
def test_a_number_by_hand_is_found(source: str) -> None:
    assert list(faults(source))


@pytest.mark.parametrize(
    "source",
    [
        'f"{worn} % worn"',
        'f"{size:,} bytes at byte {offset:,}"',
        'f"{rate(moved)} now, {in_percent(done)}"',
        'f"{EXTENT // MIB} MiB"',
        'f"--size={size // KIB}K"',
    ],
)
def test_other_numbers_are_not(source: str) -> None:
    assert not list(faults(source))


def test_a_small_share_is_not_made_larger_than_it_is() -> None:
    assert [share(part) for part in (0, 0.00003, 0.0007, 0.5, 0.99999, 1)] == [
        *("0 %", "<0.1 %", "0.1 %", "50.0 %", "99.9 %", "100 %"),
    ]


def test_near_certainty_is_said_in_words() -> None:
    assert blocks_words(0.99) == "an unreadable block of 4 KiB with a chance of more than 9 in 10"
    assert risk_words(0.99) == "more than 9 in 10 over 5 years"
    assert risk_words(0.001) == "about 1 in 1,000 over 5 years"


def test_sizes_and_ratios_have_their_commas_and_blanks() -> None:
    assert (binary(1020 * MIB), decimal(1020 * MIB)) == ("1,020 MiB", "1.07 GB")
    assert (millions(1_512_345_678), millions(1_512_345_678, 0), rate(1e9)) == (
        "1,512.3",
        "1,512",
        "1,000.0 MB/s",
    )
    assert (in_percent(0.031, 1), in_percent(1.337), in_percent(12.5)) == ("3.1 %", "134 %", "1,250 %")
    assert (table_percent(1e-7, bound=True), table_percent(0.0131, bound=True)) == ("<0.001 %", "<= 1.3 %")
