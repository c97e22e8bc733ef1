"""Capacity of Btrfs and LVM as computed and as the real ones say, over cases that a seeded generator invents."""

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from raidtui.advice.filesystems import filesystem_space
from raidtui.backends.btrfs.space import METADATA, PROFILES, btrfs_space, metadata_of
from raidtui.backends.facts import Options
from raidtui.backends.hybrid.facts import hybrid_facts
from raidtui.backends.lvm.create import shape
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.space import lvm_space
from raidtui.backends.lvm_on_md.space import on_md
from raidtui.backends.md.geometry import md_geometry
from raidtui.lab.guest import Guest
from raidtui.machine.tools import tool_versions
from raidtui.model.units import GIB, KIB, MIB
from raidtui.steps.pieces import member_extent
from tests.kernel.driving import inspect

pytestmark = pytest.mark.kernel

ROOT = Path(__file__).resolve().parents[2]
LVM_LEAST = {
    "linear": 2,
    "striped": 2,
    "raid0": 2,
    "raid1": 2,
    "raid4": 3,
    "raid5": 3,
    "raid6": 5,
    "raid10": 4,
}
Case = dict[str, Any]


def some_btrfs(draw: random.Random) -> Case:
    profile = draw.choice(sorted(PROFILES))
    metadata = draw.choice((metadata_of(profile), draw.choice(METADATA)))
    least = max(2, PROFILES[profile].least, PROFILES[metadata].least)
    disks = least + draw.randrange(3)
    alike = draw.random() < 0.3
    top = draw.choice(
        (600, 1024, 2048, 4096, 40 * 1024)
    )  # on small disks the chunks of mkfs are much of the space
    sizes = [draw.randrange(300, top) * MIB + draw.choice((0, 12 * KIB)) for _ in range(disks)]
    return {
        "kind": "btrfs",
        "level": profile,
        "metadata": metadata,
        "sizes": sizes[:1] * disks if alike else sizes,
    }


def some_lvm(draw: random.Random) -> Case:
    level = draw.choice(sorted(LVM_LEAST))
    disks = LVM_LEAST[level] + 2 * draw.randrange(2)
    size = draw.choice((64 * MIB, 1 * GIB, 100 * GIB, 4000787030016))
    alike = draw.random() < 0.5
    sizes = [(size + 512 * draw.randrange(400000)) // 4096 * 4096 for _ in range(disks)]
    return {
        "kind": "lvm",
        "level": level,
        "stripe": 4 * KIB << draw.randrange(11) if LEVELS[level].has_chunk else None,
        "sizes": sizes[:1] * disks if alike else sizes,
    }


def some_lvm_on_md(draw: random.Random) -> Case:
    level = draw.choice(("raid0", "raid1", "raid5", "raid6", "raid10"))
    chunk = 0 if level == "raid1" else 4 * KIB << draw.randrange(4, 11)
    disks = draw.randrange(4, 7)
    return {
        "kind": "lvm-on-md",
        "level": level,
        "chunk": chunk,
        "sizes": [draw.randrange(1, 400) * GIB] * disks,
    }


def some_hybrid(draw: random.Random) -> Case:
    redundancy = draw.choice((1, 2))
    kinds = [draw.randrange(10, 9000) * GIB // 10 + 4096 * draw.randrange(400) for _ in range(3)]
    disks = redundancy + 1 + draw.randrange(4)
    sizes = [draw.choice(kinds) for _ in range(disks)]
    return {"kind": "hybrid", "level": f"hybrid{redundancy}", "redundancy": redundancy, "sizes": sizes}


def some_filesystem(draw: random.Random) -> Case:
    size = int(300 * MIB * 2 ** draw.uniform(0, 9)) // MIB * MIB
    return {
        "kind": "filesystem",
        "level": draw.choice(("xfs", "xfs", "btrfs", "ext4")),
        "chunk": 4 * KIB << draw.randrange(2, 9),
        "sizes": [size, size],
    }


def computed(case: Case) -> int:
    if case["kind"] == "filesystem":
        array = md_geometry("raid0", case["sizes"], chunk=case["chunk"])
        return filesystem_space(
            case["level"],
            array.array_bytes,
            chunk=array.chunk_bytes,
            stripe=array.stripe_width_bytes,
            mke2fs=tool_versions()["mkfs.ext4"],
        ).available_bytes
    if case["kind"] == "btrfs":
        space = btrfs_space(case["level"], case["sizes"], metadata=case["metadata"], checksums=False)
        return space.data_bytes
    if case["kind"] == "lvm":
        return lvm_space(case["level"], case["sizes"], stripe=case["stripe"]).data_bytes
    if case["kind"] == "hybrid":
        return hybrid_facts(case["level"], case["sizes"], Options()).array_bytes
    return on_md(md_geometry(case["level"], case["sizes"], chunk=case["chunk"] or None))


@pytest.mark.first(2)
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("invent", "count", "tolerance"),
    # ext4's own estimate of what it keeps back is off by a few blocks
    [
        (some_lvm, 3, 0),
        (some_lvm_on_md, 3, 0),
        (some_btrfs, 4, 0),
        (some_hybrid, 3, 0),
        (some_filesystem, 8, 256 * KIB),
        (some_hybrid, 40, 0),
    ],
)
def test_the_space_is_what_the_real_one_says(guest: Guest, invent: Any, count: int, tolerance: int) -> None:
    seed = int(os.environ.get("RAIDTUI_SEED", "20261121"))
    print(f"RAIDTUI_SEED={seed}")
    draw = random.Random(seed)
    cases = [invent(draw) for _ in range(int(os.environ.get("RAIDTUI_CASES", count)))]

    ran = guest.run(
        [sys.executable, "-m", "tests.kernel.volume_maker"],
        stdin=json.dumps(cases),
        cwd=ROOT,
        timeout=30 * len(cases),
        check=True,
    )

    real = [json.loads(line)["data_bytes"] for line in ran.stdout.splitlines()]
    wrong = [
        f"{case}: computed {computed(case)}, really {found}"
        for case, found in zip(cases, real, strict=True)
        if abs(computed(case) - found) > tolerance
    ]
    print(f"{sum(computed(c) == f for c, f in zip(cases, real, strict=True))} of {len(cases)} to the byte")
    assert not wrong, f"RAIDTUI_SEED={seed}\n" + "\n".join(wrong)


PARTITION = "type=E6D6D379-F507-44C2-A23C-238F2A3DF928"  # Linux LVM


@pytest.mark.first(0)
@pytest.mark.parametrize("level", LVM_LEAST)
def test_the_space_on_partitions_with_a_reserve_is_what_lvs_says(guest: Guest, level: str) -> None:
    disks = [disk for disk in inspect(guest)["disks"] if disk["free"]][: LVM_LEAST[level]]
    parts = [
        member_extent(disk["size_bytes"], 512, partition=True, reserve=reserve * MIB)
        for disk, reserve in zip(disks, range(3, 50, 7), strict=False)
    ]
    for disk, part in zip(disks, parts, strict=True):
        line = f"start={part.offset // 512}, size={part.length // 512}, {PARTITION}"
        guest.shell(f"printf 'label: gpt\\n{line}\\n' | sfdisk -q {disk['path']}; udevadm settle")
    devices = " ".join(f"{disk['path']}1" for disk in disks)
    kind = " ".join(shape(level, len(disks), stripe=128 * KIB))

    guest.shell(
        f"pvcreate -q {devices}; vgcreate -q -s 4m parts {devices}; "
        f"lvcreate -q -y {kind} -l 100%FREE -n data parts {devices}"
    )
    said = guest.shell("lvs --noheadings --units b --nosuffix -o lv_size parts/data").stdout

    assert lvm_space(level, [part.length for part in parts]).data_bytes == int(said)
