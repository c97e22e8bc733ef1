"""Results as text in CrystalDiskMark's style: one aligned line per cell, under our own name."""

import re
from typing import Final

from msgspec.structs import replace

from raidtui.model.result import Cell, Result
from raidtui.model.text import harmless
from raidtui.model.units import GIB, KIB, MIB
from raidtui.results.as_cdm import TITLES, as_cdm
from raidtui.results.context_words import layout_of, system_of
from raidtui.results.statistics import spread

_RULE: Final = "-" * 78
_MIX: Final = re.compile(r"(.+) (\d{1,2})/(\d{1,2})")
_DIRECTIONS: Final = {"read": "[Read]", "write": "[Write]", "mix": "[Mix]"}


def cdm_text(result: Result) -> str:
    """One result; the values are medians, and the text says so.

    A result measured in CrystalDiskMark's way shows its score instead: the best of the runs.
    """
    context = result.context
    if context.compat:
        result = replace(result, cells=tuple(map(_scored, result.cells)))
    by = context.origin or f"raidtui {result.version} / fio-{context.tools.get('fio', 'unknown')}"
    lines = [
        *(_RULE, harmless(by), _RULE),
        *("* MB/s = 1,000,000 bytes/s", "* KB = 1000 bytes, KiB = 1024 bytes"),
    ]
    for direction, title in _DIRECTIONS.items():
        cells = [cell for cell in result.cells if cell.direction == direction]
        for share in dict.fromkeys(map(_mix_of, cells)):
            of_it = (_line(_without_mix(cell)) for cell in cells if _mix_of(cell) == share)
            lines += ["", f"{title} {share}".rstrip(), *of_it]
    lines += ["", f"Profile: {harmless(result.profile)}"]
    if context.size_bytes:
        lines.append(f"   Test: {_size(context.size_bytes)} (x{context.runs or 1})")
    lines.append(f"  Value: {_value(result)}")
    if context.seconds:
        lines.append(f"   Time: Measure {context.seconds} sec")
    lines += [
        f"   Date: {harmless(result.created[:19].replace('T', ' ').replace('-', '/'))}",
        *([f"     OS: {system}"] if (system := system_of(context)) else []),
        f" Target: {harmless(context.target)} ({harmless(layout_of(context))})",
        f"Comment: {harmless(result.label)}",
        *(harmless(f"      !: {c.name} {c.direction}: {flag}") for c in result.cells for flag in c.flags),
    ]
    return "\n".join(lines) + "\n"


def _value(result: Result) -> str:
    if result.context.compat:
        return (
            f"as {TITLES.get(result.context.compat, 'CrystalDiskMark')}: the highest of {result.context.runs}"
        )
    rates = [[run.bytes_per_second for run in cell.runs] for cell in result.cells]
    spreads = [spread(runs) for runs in rates if len(runs) > 1]
    if not spreads:
        return "as published" if result.context.origin else "one run"
    return f"median of {max(map(len, rates))} (CoV at most {100 * max(spreads):.1f} %)"


def _scored(cell: Cell) -> Cell:
    score = as_cdm(cell)
    if score is None:
        return cell
    return replace(
        cell,
        bytes_per_second=score.bytes_per_second,
        iops=score.iops,
        latency_mean_seconds=score.latency_mean_seconds,
    )


def _mix_of(cell: Cell) -> str:
    """``Read 50%/Write 50%`` for a cell with that mix in its name, else empty."""
    found = _MIX.fullmatch(cell.name) if cell.direction == "mix" else None
    return f"Read {found[2]}%/Write {found[3]}%" if found else ""


def _without_mix(cell: Cell) -> Cell:
    return replace(cell, name=_MIX.sub(r"\1", cell.name)) if _mix_of(cell) else cell


def _line(cell: Cell) -> str:
    rate = f"{cell.bytes_per_second / 1e6:9.3f} MB/s [{cell.iops:9.1f} IOPS]"
    wait = f" <{cell.latency_mean_seconds * 1e6:9.2f} us>" if cell.latency_mean_seconds else ""
    plain = len(cell.name.split()) == 2 and cell.name[:3] in {"SEQ", "RND"}
    if not plain or not cell.block_bytes or cell.block_bytes % KIB:
        return f"  {harmless(cell.name):<25}: {rate}{wait}"
    mega = cell.block_bytes % MIB == 0
    block = f"{cell.block_bytes // (MIB if mega else KIB):4d}{'MiB' if mega else 'KiB'}"
    kind = "RND" if cell.random else "SEQ"
    return f"  {kind} {block} (Q={cell.queue_depth:3d}, T={cell.threads:2d}): {rate}{wait}"


def _size(size: int) -> str:
    return f"{size // GIB} GiB" if size % GIB == 0 else f"{size // MIB} MiB"
