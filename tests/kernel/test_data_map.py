"""Where data, copies and parity lie: as the map draws it, and as md wrote them, for every layout."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from raidtui.backends.data_map import Arrangement, Cell
from raidtui.backends.md.layouts import PARITY_LAYOUTS
from raidtui.backends.md.placement import data_map
from raidtui.lab.guest import Guest, Setup

pytestmark = pytest.mark.kernel

MAKER = Path(__file__).with_name("layout_maker.py")
ROWS = 6
CASES = [
    *(("raid5", layout, 4) for layout in PARITY_LAYOUTS["raid5"]),
    *(("raid6", layout, 5) for layout in PARITY_LAYOUTS["raid6"]),
    ("raid4", "", 3),
    ("raid0", "", 3),
    *(("raid10", layout, 4) for layout in ("n2", "f2", "o2")),
    *(("raid10", layout, 5) for layout in ("n2", "f2", "o2", "n3", "f3", "o3")),
]


@pytest.fixture(scope="module")
def placed() -> list[Any]:
    """The rows of each case, as md wrote them."""
    asked = [
        {"level": level, "layout": layout, "disks": disks, "rows": ROWS} for level, layout, disks in CASES
    ]
    with Guest(Setup(disks="5x32MiB")) as guest:
        # Or udev would look at each array, and assemble what is left of the last while the next one is made.
        guest.shell("udevadm control --stop-exec-queue")
        done = guest.run([sys.executable, str(MAKER)], stdin=json.dumps(asked), timeout=300, check=True)
    return list(json.loads(done.stdout))


def drawn(cell: Cell) -> object:
    """A cell as the maker spells it; a Q is no exclusive or of the data."""
    return {"data": cell.chunk, "P": "P", "Q": "?", "empty": "?"}[cell.kind]


@pytest.mark.parametrize("number", range(len(CASES)), ids=["-".join(map(str, case)) for case in CASES])
def test_the_map_shows_what_md_writes(placed: list[Any], number: int) -> None:
    level, layout, disks = CASES[number]
    names = tuple(map(str, range(disks)))
    found = data_map(Arrangement(level=level, layout=layout, names=names), ROWS)
    rows = [[drawn(cell) for cell in row] for zone in found.zones for row in zone.rows]
    wrong = [
        (line, slot, said, written)
        for line, (mine, theirs) in enumerate(zip(rows, placed[number], strict=True))
        for slot, (said, written) in enumerate(zip(mine, theirs, strict=True))
        if said != written
    ]
    assert wrong == []
