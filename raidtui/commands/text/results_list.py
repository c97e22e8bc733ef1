"""Lists of results as text, one per line."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.text import cut, harmless, spelled
from raidtui.model.units import millions
from raidtui.results.summary import Summary

_WIDTH: Final = 79
_WHAT: Final = 9  # least width of the last column
_OTHERS: Final = 49  # width of all columns but the label and the last


def summaries(results: Sequence[Summary], *, width: int = _WIDTH) -> str:
    """A list of results, one per line; more ``width`` shows more of the labels, then of what was measured."""
    longest = max((len(one.label) for one in results), default=0)
    room = max(len("LABEL"), min(longest, max(21, width - _OTHERS - _WHAT)))
    last = max(_WHAT, width - _OTHERS - room)
    lines = [f"{'ID':<13}{'WHEN (UTC)':<17}{'LABEL':<{room + 1}}{'READ':>8}{'WRITE':>8}  WHAT"]
    unknown = f"{'-':>8}"
    # Few calls, and one format for the whole line: there may be 100 000 of them.
    line = f"%-13.12s%-11.10s%-6s%-{room + 1}s%s%s  %s"
    for one in results:
        what, label, when = (
            f"{spelled(one.level)} {one.filesystem}".strip() or one.target,
            one.label,
            one.created,
        )
        read, write = one.read_bytes_per_second, one.write_bytes_per_second
        if len(label) > room:
            label = cut(label.rpartition(": ")[2] or label, room)  # without the name of its sweep
        if len(what) > last:
            what = cut(what, last)
        reads = f"{millions(read, 0):>8}" if read else unknown
        writes = f"{millions(write, 0):>8}" if write else unknown
        lines.append(line % (one.id, when, when[11:16], label, reads, writes, what))
    lines.append("READ and WRITE: MB/s of the first row, sequential in most grids")
    if not "".join(lines).isprintable():  # rare, so checked once for all lines
        lines = list(map(harmless, lines))
    return "\n".join(lines)


def published_list(results: Sequence[Summary]) -> str:
    """Published results, one per line."""
    lines = [f"{'NAME':<39}{'READ':>7}{'WRITE':>7}  WHAT"]
    lines += [
        f"{one.id:<39}{_rate(one.read_bytes_per_second):>7}{_rate(one.write_bytes_per_second):>7}  "
        f"{cut(one.label, 25)}"
        for one in results
    ]
    return "\n".join([*lines, "MB/s of the first row; 'raidtui results show NAME' shows one"])


def _rate(bytes_per_second: float) -> str:
    return millions(bytes_per_second, 0) if bytes_per_second else "-"
