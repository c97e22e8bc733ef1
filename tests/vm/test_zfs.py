"""ZFS on a real kernel: its study, orders to a scrub, a resilver, and what empty pools hold."""

import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from raidtui.backends.facts import Options
from raidtui.backends.registry import backend
from raidtui.lab.guest import Guest
from raidtui.model.spec import Backend
from raidtui.model.units import MIB
from raidtui.steps.partitions import ZFS_MEMBER
from tests.kernel.driving import advised, nodes, python, raidtui
from tests.kernel.test_studies import run_study

ROOT = Path(__file__).resolve().parents[2]
POOL = ["LAB-0001", "LAB-0002", "LAB-0005"]  # on SCSI and NVMe
STILL = "/sys/module/zfs/parameters/zfs_scan_suspend_progress"
MIRROR = f"""
set -- {{nodes}}
for node in "$@"; do
    printf 'label: gpt\\n,500MiB\\n' | sfdisk --quiet "$node"
done
udevadm settle
for node in "$@"; do
    lsblk -nro PATH,TYPE "$node" | sed -n 's/ part$//p'
done >/run/parts
sed -n 2p /run/parts >/run/second
sed -n 3p /run/parts >/run/third
zpool create -m /srv/tank tank mirror $(head -n 2 /run/parts)
dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
zpool sync tank
echo 1 >{STILL}
"""
ORDERS = """
import sys
from raidtui.backends.control import Control
from raidtui.backends.units_now import every_unit_now
from raidtui.jobs.orders import give

def tank():
    return next(unit for unit in every_unit_now().units if unit.is_called("tank"))

for order in sys.argv[1:]:
    print(give(tank(), Control(order)), tank().state, sep=" | ")
"""
TORN = """
for node in "$@"; do
    printf 'label: gpt\\n,300MiB\\n' | sfdisk --quiet --wipe always "$node"
done
udevadm settle
set -- $(for node in "$@"; do echo "/dev/disk/by-partuuid/$(lsblk -nro PARTUUID "$node" | grep .)"; done)
zpool create -o ashift=12 -m /srv/tank tank raidz1 "$@"
echo "$1" >/run/first
echo "$2" >/run/second
dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
sha256sum /srv/tank/data >/run/sum
"""
LEAST = {"stripe": 1, "mirror": 2, "raidz1": 2, "raidz2": 3, "raidz3": 4}
Case = dict[str, Any]


@pytest.mark.first(0)
def test_advice_for_a_degraded_pool_is_right_when_followed(vm: Guest) -> None:
    """A device that was taken offline, one that fails, and one whose label is gone."""
    every = nodes(vm, [f"LAB-000{number}" for number in (1, 2, 5)])
    vm.shell(f"set -- {' '.join(every)}\n{TORN}")
    vm.shell("zpool offline tank $(cat /run/second)")
    assert follow(vm) == ["raidtui care tank"]
    vm.shell("zpool offline -f tank $(cat /run/second)")
    assert follow(vm)[-1].startswith("raidtui care tank --erase ")
    vm.shell(
        "zpool export tank; wipefs -aq $(cat /run/first); zpool labelclear -f $(cat /run/first); zpool import tank"
    )
    assert follow(vm)[-1].startswith("raidtui care tank --erase ")
    vm.shell("sha256sum --check --quiet /run/sum; zpool destroy tank")


@pytest.mark.first(0)
def test_a_pool_is_imported_its_spare_takes_over_is_freed_and_counted_errors_are_scrubbed(vm: Guest) -> None:
    every = nodes(vm, [f"LAB-000{number}" for number in (1, 2, 5)])
    vm.shell(f"set -- {' '.join(every)}\n{TORN}")
    vm.shell("zpool export tank")
    assert follow(vm) == ["raidtui care tank"]

    vm.run(["raidtui", "care", "tank", "--do", "add-spare", "--erase", "LAB-0003"], check=True)
    assert "AVAIL" in vm.shell("zpool status tank | sed -n '/spares/,$p'").stdout
    vm.run(["raidtui", "care", "tank", "--do", "remove-spare", "--with", "LAB-0003"], check=True)
    assert "spares" not in vm.shell("zpool status tank").stdout
    vm.run(["raidtui", "care", "tank", "--do", "add-spare", "--erase", "LAB-0003"], check=True)
    vm.shell(
        # By the path that the import gave it.
        "zpool offline -f tank $(zpool status -P tank | awk '$1 ~ /^\\/dev\\// { print $1; exit }')"
    )
    assert follow(vm) == ["raidtui care tank"]
    (found,) = raidtui(vm, "status", "--json").report["units"]
    assert [one["disk"] for one in found["members"]] == ["LAB-0003", "LAB-0002", "LAB-0005"]

    vm.shell(
        "dd if=/dev/urandom of=$(cat /run/second) bs=1M seek=20 count=200 conv=notrunc,fsync status=none; zpool scrub -w tank"
    )
    (found,) = raidtui(vm, "status", "--json").report["units"]
    assert found["health"] == "errors"
    assert follow(vm) == ["raidtui care tank"]
    vm.shell("sha256sum --check --quiet /run/sum; zpool destroy tank")


def follow(vm: Guest) -> list[str]:
    """Follow the advice for the pool to the letter; the pool is well again then."""
    _, lines = advised(vm)
    for line in lines:
        vm.shell(line, timeout=900)
    vm.shell("zpool wait -t resilver,replace tank; zpool sync tank")
    report = raidtui(vm, "status", "--json").report
    left = [one["kind"] for one in report["findings"]]
    assert (report["units"][0]["health"], left) == ("ok", ["never-scrubbed"])  # the guest has no cron
    return lines


@pytest.mark.first(0)
def test_a_disk_of_a_pool_is_replaced_while_it_works_and_after_it_is_gone(vm: Guest) -> None:
    """With proof: every device online, a scrub without errors, the data as before, nothing left on the old disk."""
    every = nodes(vm, [f"LAB-000{number}" for number in (1, 2, 5)])
    vm.shell(f"set -- {' '.join(every)}\n{TORN}")
    done = vm.run(["raidtui", "replace", "LAB-0002", "LAB-0003", "--erase", "LAB-0003"], timeout=600)
    assert done.returncode == 0, done.stderr
    assert "LAB-0002 is in no array any more and may leave the computer" in done.stdout
    (found,) = raidtui(vm, "status", "--json").report["units"]
    assert [one["disk"] for one in found["members"]] == ["LAB-0001", "LAB-0003", "LAB-0005"]
    assert found["health"] == "ok"
    assert vm.shell("zdb -l $(cat /run/second)", check=False).returncode != 0
    assert vm.shell("zpool import", check=False).stdout == ""

    vm.shell(
        "zpool export tank; wipefs -aq $(cat /run/first); zpool labelclear -f $(cat /run/first); zpool import tank"
    )
    done = vm.run(["raidtui", "replace", "tank", "LAB-0004", "--erase", "LAB-0004"], timeout=600)
    assert done.returncode == 0, done.stderr
    (found,) = raidtui(vm, "status", "--json").report["units"]
    assert [one["disk"] for one in found["members"]] == ["LAB-0004", "LAB-0003", "LAB-0005"]
    vm.shell("sha256sum --check --quiet /run/sum; zpool destroy tank")


BESIDE: Final = """
printf 'label: gpt\\nsize=200MiB,type={type}\\nsize=100MiB,type={type}\\n' | sfdisk --quiet --wipe always $3
udevadm settle
zpool create -f -m /srv/tank tank mirror $1 $2 log "$3"1 cache "$3"2 spare $4
head -c 20000000 /dev/urandom >/srv/tank/file; sync
"""


@pytest.mark.first(0)
def test_a_log_and_a_cache_and_then_a_spare_move_to_another_disk(vm: Guest) -> None:
    every = nodes(vm, [f"LAB-000{number}" for number in (1, 2, 3, 4)])
    vm.shell(f"set -- {' '.join(every)}\n{BESIDE.format(type=ZFS_MEMBER)}")
    for old, new in (("LAB-0003", "LAB-0005"), ("LAB-0004", "LAB-0003")):
        done = vm.run(["raidtui", "replace", old, new, "--erase", new], timeout=600)
        assert done.returncode == 0, done.stderr
        assert f"{old} is in no array any more and may leave the computer" in done.stdout
    (found,) = raidtui(vm, "status", "--json").report["units"]
    assert [one["disk"] for one in found["members"]] == [
        "LAB-0001", "LAB-0002", "LAB-0005", "LAB-0005", "LAB-0003",
    ]  # fmt: skip
    assert found["health"] == "ok"
    vm.shell("zpool status tank | grep 'errors: No known data errors'; zpool destroy tank")


def test_a_scrub_takes_orders_and_a_resilver_is_watched(vm: Guest) -> None:
    """Both stand still while the module is told to make no progress, so that none is over before it is looked at."""
    vm.shell(MIRROR.format(nodes=" ".join(nodes(vm, POOL))))
    ordered = python(vm, ORDERS, "scrub", "pause", "resume", "stop")
    assert re.sub(r"[\d.]+ %", "0 %", ordered.stdout).splitlines() == [
        "Scrub started. | scrub 0 %, usable now",
        "Scrub paused. p resumes it, also after a reboot. | scrub paused, usable now",
        "Scrub resumed. | scrub 0 %, usable now",
        "Scrub stopped. | online",
    ], ordered.stderr

    vm.shell("zpool replace tank $(cat /run/second) $(cat /run/third)")
    shown = vm.run(["raidtui", "status"]).stdout
    assert re.search(r"  a disk is being replaced: resilver [\d.]+ %, usable now\n", shown)
    assert {line.split()[2] for line in shown.splitlines() if "/dev/" in line} == set(POOL)
    vm.shell(f"echo 0 >{STILL}; zpool wait -t replace,resilver tank")
    shown = vm.run(["raidtui", "status"]).stdout
    assert re.search(r"  online\n  resilver(ed| finished) .*0 errors", shown)  # text of 2.2, JSON of 2.3
    assert {line.split()[2] for line in shown.splitlines() if "/dev/" in line} == {POOL[0], POOL[2]}
    vm.shell("zpool destroy tank")


@pytest.mark.first(0)
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
