"""ZFS on a real kernel: a pool built, exported, imported again, and removed; and what empty pools hold."""

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from raidtui.backends.facts import Options
from raidtui.backends.registry import backend
from raidtui.lab.guest import Guest
from raidtui.model.spec import Backend
from raidtui.model.units import MIB
from tests.kernel.driving import (
    apply,
    inspect,
    raidtui,
    read_something,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)
from tests.kernel.test_studies import run_study

ROOT = Path(__file__).resolve().parents[2]
POOL = ["LAB-0001", "LAB-0002", "LAB-0005"]  # on SCSI and NVMe
LEAST = {"stripe": 1, "mirror": 2, "raidz1": 2, "raidz2": 3, "raidz3": 4}
Case = dict[str, Any]


def test_a_pool_is_built_exported_imported_again_and_removed(vm: Guest) -> None:
    built = apply(vm, spec_text("raidz1", POOL, backend="zfs", filesystem="none"), POOL)
    assert built.code == 0, built.said

    found = unit(vm)
    assert found is not None
    assert (found["backend"], found["level"], found["health"]) == ("zfs", "raidz1", "ok")
    assert {member["disk"] for member in found["members"]} == set(POOL)
    real = vm.shell("zfs list -Hp -o used,available tank", check=True).stdout.split()
    assert sum(map(int, real)) == found["size_bytes"]
    written = write_something(vm)

    vm.shell("zpool export tank", check=True)
    (away,) = raidtui(vm, "status", "--json").report["units"]
    assert away["health"] == "inactive"
    assert "exported by" in away["state"]
    assert teardown(vm, "tank", POOL).code == 3
    vm.shell("zpool import tank", check=True)

    assert read_something(vm) == written

    removed = teardown(vm, "tank", POOL)
    assert removed.code == 0, removed.said
    assert signatures(vm, POOL) == []
    assert all(disk["free"] for disk in inspect(vm)["disks"] if disk["serial"] in POOL)
    assert vm.shell("ls /srv").stdout == ""


def test_the_study_of_zfs_is_one_command(vm: Guest) -> None:
    run_study(vm, "zfs", POOL, "  published: ZFS raidz of 3", "--size", "64MiB")


def some_pool(draw: random.Random) -> Case:
    """A layout that ZFS takes, on disks of one size."""
    level = draw.choice(sorted(LEAST))
    options = {"ashift": str(draw.choice((9, 12, 12, 13)))}
    width, count = LEAST[level] + draw.randrange(4), draw.choice((1, 1, 2, 3))
    if level != "stripe":
        options["vdevs"] = str(count)
    size = (draw.choice((64, 100, 1024, 5000, 500_000, 8_000_000)) + draw.randrange(50)) * MIB
    disks = width * (count if level != "stripe" else 1)
    return {"level": level, "options": options, "sizes": [size] * disks}


def computed(case: Case) -> int:
    own = tuple(sorted(case["options"].items()))
    return backend(Backend.ZFS).facts(case["level"], case["sizes"], Options(own=own)).array_bytes


@pytest.mark.timeout(1800)
def test_an_empty_pool_holds_what_was_calculated_to_the_byte(vm: Guest) -> None:
    """Few of them each time; RAIDTUI_CASES and RAIDTUI_SEED ask for more and others."""
    seed = int(os.environ.get("RAIDTUI_SEED", "20261122"))
    print(f"RAIDTUI_SEED={seed}")
    draw = random.Random(seed)
    cases = [some_pool(draw) for _ in range(int(os.environ.get("RAIDTUI_CASES", "4")))]

    ran = vm.run(
        [sys.executable, "-m", "tests.vm.pool_maker"],
        stdin=json.dumps(cases),
        cwd=ROOT,
        timeout=60 * len(cases),
        check=True,
    )

    real = [json.loads(line)["data_bytes"] for line in ran.stdout.splitlines()]
    assert [computed(case) for case in cases] == real
