"""Capacity as computed and as the kernel makes it, to the sector, over arrays that a seeded generator invents.

RAIDTUI_SEED chooses the arrays (printed, so that a failure can be repeated), RAIDTUI_CASES how many.
"""

import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from raidtui.backends.md.geometry import Geometry, md_geometry
from raidtui.backends.md.layouts import PARITY_LAYOUTS
from raidtui.lab.guest import Guest
from raidtui.model.errors import CannotBuild
from raidtui.model.units import GIB, KIB, MIB, TIB
from tests.kernel.driving import has_linear

pytestmark = pytest.mark.kernel

MAKER = Path(__file__).with_name("array_maker.py")
LEVELS = ("raid0", "linear", "raid1", "raid4", "raid5", "raid6", "raid10")
ROUND_SIZES = (64 * MIB, 256 * MIB, GIB, 8 * GIB, 64 * GIB, 128 * GIB, 200 * GIB, 4000787030016, 14 * TIB)
Case = dict[str, Any]


def some_size(draw: random.Random) -> int:
    """From 64 MiB to 14 TiB, as often small as large, near the sizes at which mdadm's rules change."""
    if draw.random() < 0.4:
        size = draw.choice(ROUND_SIZES) + draw.choice((-1, 0, 0, 1)) * draw.randrange(4096) * 512
    else:
        size = int(64 * MIB * 2 ** draw.uniform(0, 17.8))
    return min(max(size // 512 * 512, 64 * MIB), 14 * TIB)


def some_case(draw: random.Random) -> Case:
    """One array, mostly one that can be built."""
    level = draw.choice(LEVELS)
    least = 4 if level == "raid6" else 2
    disks = draw.choice((least, least, least + 1, least + 2, least + 3))
    base = some_size(draw)
    even = draw.random() < 0.4
    sizes = [
        base if even else min(14 * TIB, int(base * draw.uniform(1, 1.6)) // 512 * 512) for _ in range(disks)
    ]
    layout, chunk, consistency = "", 0, "none"
    if level in PARITY_LAYOUTS and draw.random() < 0.3:
        layout = draw.choice(PARITY_LAYOUTS[level])
    if level == "raid10":
        layout = draw.choice("nfo") + str(draw.choice((2, 2, 3) if disks > 2 else (2,)))
    if level not in {"raid1", "linear"} and draw.random() < 0.7:
        chunk = 4 * KIB << draw.randrange(12)
        if level == "raid0" and draw.random() < 0.3:
            chunk = 4 * KIB * draw.randrange(1, 300)
    metadata = draw.choice(("1.2", "1.2", "1.2", "1.1", "1.0", "0.90"))
    if level not in {"raid0", "linear"}:
        consistency = draw.choice(("bitmap", "bitmap", "resync"))
        if level == "raid5" and draw.random() < 0.4:
            consistency = "ppl"
    spares = []
    if level not in {"raid0", "linear"} and draw.random() < 0.25:
        spares = [min(14 * TIB, int(base * draw.uniform(0.8, 1.3)) // 512 * 512)]
    return {
        "level": level,
        "sizes": sizes,
        "spares": spares,
        "layout": layout,
        "chunk": chunk,
        "metadata": metadata,
        "consistency": consistency,
    }


def computed(case: Case, mdadm: tuple[int, int]) -> Geometry | str:
    """What we say: the geometry, or why not."""
    try:
        return md_geometry(
            case["level"],
            case["sizes"],
            spare_sizes=case["spares"],
            chunk=case["chunk"] or None,
            layout=case["layout"] or None,
            metadata=case["metadata"],
            consistency=case["consistency"],
            mdadm=mdadm,
        )
    except CannotBuild as refusal:
        return str(refusal)


def difference(ours: Geometry | str, kernels: Case) -> str:
    """Where our answer and the kernel's part; empty when they agree."""
    if isinstance(ours, str):
        return f"we refuse ({ours}), the kernel made it" if "array_bytes" in kernels else ""
    if "array_bytes" not in kernels:
        return f"we say {ours.array_bytes} bytes, mdadm refused: {kernels['stderr']}"
    expected = {"array_bytes": ours.array_bytes, "offsets": [ours.data_offset_bytes // 512]}
    if ours.level not in {"raid0", "linear"}:
        expected["component_bytes"] = ours.component_bytes
    if ours.stripe_width_bytes and ours.stripe_width_bytes == ours.stripe_width_bytes & 0xFFFFFFFF:
        expected["stripe_width_bytes"] = ours.stripe_width_bytes
    wrong = [
        f"{key}: {value}, kernel {kernels[key]}" for key, value in expected.items() if kernels[key] != value
    ]
    return "; ".join(wrong)


@pytest.mark.timeout(3600)
def test_every_number_is_the_kernels(guest: Guest) -> None:
    seed = int(os.environ.get("RAIDTUI_SEED", "20261121"))
    count = int(os.environ.get("RAIDTUI_CASES", "25"))
    print(f"RAIDTUI_SEED={seed} RAIDTUI_CASES={count}")
    draw = random.Random(seed)
    cases = [some_case(draw) for _ in range(count)]
    version = re.search(r"v(\d+)\.(\d+)", guest.run(["mdadm", "--version"]).stderr)
    assert version is not None
    mdadm = (int(version[1]), int(version[2]))

    linear = has_linear(guest)
    ran = guest.run(
        [sys.executable, str(MAKER)], stdin=json.dumps(cases), timeout=30 + 20 * count, check=True
    )

    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(answers) == count
    results = [(computed(case, mdadm), answer) for case, answer in zip(cases, answers, strict=True)]
    wrong = [
        f"{answer['command']}\n  {cases[number]}\n  {words}"
        for number, (ours, answer) in enumerate(results)
        if (words := difference(ours, answer))
        and (linear or cases[number]["level"] != "linear" or "array_bytes" in answer)
    ]
    assert not wrong, f"RAIDTUI_SEED={seed}\n" + "\n".join(wrong)
    built = sum("array_bytes" in answer for answer in answers)
    print(f"{built} arrays equal, {count - built} refusals foreseen")
    assert built >= count * 0.7, "the generator is meant to invent arrays that can be built"
