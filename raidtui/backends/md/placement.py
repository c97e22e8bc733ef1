"""Placement of chunks, copies and parity on the members of an md array.

The rules are the kernel's: raid5.c ``raid5_compute_sector`` for the parity layouts, raid10.c ``__raid10_find_phys``
for near, far and offset copies, raid0.c ``create_strip_zones`` for members of unequal size.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from raidtui.backends.arithmetic.copies import copies_of
from raidtui.backends.data_map import EMPTY, Arrangement, Cell, DataMap, Zone
from raidtui.backends.level import Level
from raidtui.backends.md.layouts import default_layout
from raidtui.model.units import decimal


class Stretch(NamedTuple):
    """A zone of raid0: the slots that hold data from ``start`` to ``end``, in bytes of each member's data."""

    start: int
    end: int
    slots: tuple[int, ...]


class _Places(NamedTuple):
    p: int
    q: int  # -1 for one parity
    data: tuple[int, ...]


def _asymmetric(p: int, disks: int, parity: int = 1) -> tuple[int, ...]:
    """Data on the slots without parity, in slot order."""
    taken = {(p + step) % disks for step in range(parity)}
    return tuple(slot for slot in range(disks) if slot not in taken)


def _symmetric(p: int, disks: int, parity: int = 1) -> tuple[int, ...]:
    """Data starts on the slot after parity and wraps around."""
    return tuple((p + parity + step) % disks for step in range(disks - parity))


def _single(layout: str, row: int, disks: int) -> _Places:
    """Parity and data of one row with one parity (raid4, raid5)."""
    left, right = disks - 1 - row % disks, row % disks
    if layout in {"left-symmetric", "right-symmetric"}:
        p = left if layout.startswith("left") else right
        return _Places(p, -1, _symmetric(p, disks))
    p = {"left-asymmetric": left, "right-asymmetric": right, "parity-first": 0}.get(layout, disks - 1)
    return _Places(p, -1, _asymmetric(p, disks))


def _double(layout: str, row: int, disks: int) -> _Places:
    """Both parities and data of one row of raid6."""
    if layout.endswith("-6"):  # raid5 on all but the last member, which holds every Q
        return _single(layout.removesuffix("-6"), row, disks - 1)._replace(q=disks - 1)
    left, right = disks - 1 - row % disks, row % disks
    if layout == "ddf-N-continue":
        return _Places(
            left, (left - 1) % disks, tuple((left + 1 + step) % disks for step in range(disks - 2))
        )
    if layout in {"left-symmetric", "right-symmetric"}:
        p = left if layout.startswith("left") else right
        return _Places(p, (p + 1) % disks, _symmetric(p, disks, 2))
    p = {
        "left-asymmetric": left,
        "right-asymmetric": right,
        "ddf-zero-restart": right,
        "ddf-N-restart": disks - 1 - (row + 1) % disks,
        "parity-first": 0,
    }.get(layout, disks - 2)
    return _Places(p, (p + 1) % disks, _asymmetric(p, disks, 2))


def _parity_row(level: str, layout: str, row: int, disks: int) -> tuple[Cell, ...]:
    places = _double(layout, row, disks) if level == "raid6" else _single(layout or "parity-last", row, disks)
    cells = [EMPTY] * disks
    for index, slot in enumerate(places.data):
        cells[slot] = Cell("data", row * len(places.data) + index)
    cells[places.p] = Cell("P")
    if places.q >= 0:
        cells[places.q] = Cell("Q")
    return tuple(cells)


def place_of(level: str, layout: str, disks: int, chunk: int) -> tuple[int, int]:
    """The slot and the row of a chunk of data: of its first copy, where it has several."""
    if level == "raid1":
        return 0, chunk
    if level == "raid10":
        near, far, offset = copies_of(layout)
        row, slot = divmod(chunk * near, disks)
        return slot, row * far if offset else row
    if level == "raid0":
        return chunk % disks, chunk // disks
    row, index = divmod(chunk, disks - (2 if level == "raid6" else 1))
    places = _double(layout, row, disks) if level == "raid6" else _single(layout or "parity-last", row, disks)
    return places.data[index], row


def q_slot(layout: str, row: int, disks: int) -> int:
    """The slot of Q in a row of raid6."""
    return _double(layout, row, disks).q


def _copied(layout: str, disks: int, rows: int) -> tuple[Zone, ...]:
    """raid10. Far copies: one zone per copy, each a different part of the members."""
    near, far, offset = copies_of(layout)
    parts = [[[EMPTY] * disks for _ in range(rows)] for _ in range(1 if offset else far)]
    # Enough chunks for every row. A chunk takes `near` places of a row, and with offset copies `far` rows.
    for chunk in range(rows * disks // near + 1):
        for copy in range(near):
            row, slot = divmod(chunk * near + copy, disks)
            for shift in range(far):
                place = (slot + shift * near) % disks
                part, line = (0, row * far + shift) if offset else (shift, row)
                if line < rows:
                    parts[part][line][place] = Cell("data", chunk, shift * near + copy)
    halves = {2: ("first half of the disks", "second half: the copies, shifted")}.get(far)
    titles = halves or tuple(f"part {part + 1} of {far} of the disks" for part in range(far))
    return tuple(
        Zone(title=titles[part] if len(parts) > 1 else "", rows=tuple(map(tuple, lines)))
        for part, lines in enumerate(parts)
    )


def raid0_zones(used: Sequence[int]) -> tuple[Stretch, ...]:
    """The zones of a raid0 whose members hold these numbers of data bytes; a zone ends where a member ends."""
    found, start = [], 0
    for end in sorted(set(used)):
        slots = tuple(slot for slot, size in enumerate(used) if size > start)
        found.append(Stretch(start, end, slots))
        start = end
    return tuple(found)


def _striped(wanted: Arrangement, rows: int) -> tuple[Zone, ...]:
    used = wanted.used or (1,) * len(wanted.names)
    stretches, zones, chunk = raid0_zones(used), [], 0
    each = rows if len(stretches) == 1 else max(1, min(3, rows // len(stretches)))
    for stretch in stretches:
        lines = []
        for _ in range(each):
            line = [EMPTY] * len(used)
            for slot in stretch.slots:
                line[slot] = Cell("data", chunk)
                chunk += 1
            lines.append(tuple(line))
        which = " ".join(wanted.names[slot] for slot in stretch.slots)
        title = f"{decimal(stretch.start)} to {decimal(stretch.end)}: {which}"
        zones.append(Zone(title=title if len(stretches) > 1 else "", rows=tuple(lines)))
    return tuple(zones)


def _strung(disks: int, rows: int) -> tuple[Zone, ...]:
    """linear: members are filled one after the other; drawn as if each had ``rows`` chunks."""
    return (
        Zone(
            title="",
            rows=tuple(
                tuple(Cell("data", slot * rows + row) for slot in range(disks)) for row in range(rows)
            ),
        ),
    )


def alike(known: Level, wanted: Arrangement, rows: int) -> DataMap:
    """The first ``rows`` rows of another backend's level that places data like a level of md."""
    layout = wanted.layout or known.default_layout
    return data_map(replace(wanted, level=known.placement, layout=layout), rows)


def data_map(wanted: Arrangement, rows: int) -> DataMap:
    """The first ``rows`` rows of an md array."""
    level, layout = wanted.level, wanted.layout or default_layout(wanted.level)
    disks = len(wanted.names)
    if level == "raid0":
        zones = _striped(wanted, rows)
        words = "Chunks go to the disks in turn; nothing is stored twice."
        if len(zones) > 1:
            words += " Where a smaller disk ends, chunks go to the larger ones."
    elif level == "linear":
        zones, words = (
            _strung(disks, min(rows, 3)),
            "One disk is filled after the other; nothing is stored twice.",
        )
    elif level == "raid1":
        row = [tuple(Cell("data", line, slot) for slot in range(disks)) for line in range(rows)]
        zones, words = (Zone(title="", rows=tuple(row)),), "Every disk holds the same data."
    elif level == "raid10":
        zones = _copied(layout, disks, rows)
        words = f"Each chunk is on {copies_of(layout).total} disks: the same number is the same data."
    else:
        zones = (Zone(title="", rows=tuple(_parity_row(level, layout, row, disks) for row in range(rows))),)
        words = (
            "P and Q are two parities of a row: any two of its chunks can be computed from the others."
            if level == "raid6"
            else "P is the parity of its row: any one chunk can be computed from the others."
        )
    return DataMap(zones=zones, words=words)
