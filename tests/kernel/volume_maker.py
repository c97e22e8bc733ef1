"""Runs in the guest: create volumes on sparse disks, and print how much data each can hold.

Reads a JSON list of cases (`kind`, `level`, `sizes`) from stdin; prints one JSON line per case, with `data_bytes`.
"""

import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

from raidtui.backends.facts import Options
from raidtui.backends.hybrid.bands import bands_of
from raidtui.backends.lvm.create import shape
from tests.kernel.array_maker import FOLDER, drop_disk, make_disk, stop

POINT = Path("/run/volume")
NUMBERS = count(191)


def run(*words: str) -> str:
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed: {done.stderr[-800:]}")
    return done.stdout


def btrfs(case: dict[str, Any], devices: list[str]) -> int:
    """Fill a Btrfs with allocated, unwritten files; return the size of its data chunks."""
    run("mkfs.btrfs", "-q", "-f", "-d", case["level"], "-m", case["metadata"], *devices)
    run("btrfs", "device", "scan", *devices)
    POINT.mkdir(exist_ok=True)
    run("mount", "-t", "btrfs", devices[0], str(POINT))
    try:
        for power in (30, 27, 24, 20, 16):
            number = 0
            while (
                subprocess.run(
                    ["fallocate", "-l", str(1 << power), str(POINT / f"{power}.{number}")],
                    capture_output=True,
                    check=False,
                ).returncode
                == 0
            ):
                number += 1
            (POINT / f"{power}.{number}").unlink(missing_ok=True)
            run("sync")
        data = next(
            line
            for line in run("btrfs", "filesystem", "df", "-b", str(POINT)).splitlines()
            if line.startswith("Data")
        )
        return int(data.split("total=")[1].split(",")[0])
    finally:
        run("umount", str(POINT))


def lvm(case: dict[str, Any], devices: list[str]) -> int:
    """Create a logical volume on all devices; return its size."""
    config = 'devices { filter=["a|^/dev/loop|","a|^/dev/md|","r|.*|"] }'
    run("pvcreate", "-q", "--config", config, "-ff", "-y", *devices)
    run("vgcreate", "-q", "--config", config, "case", *devices)
    try:
        kind = shape(case["level"], len(devices), stripe=case.get("stripe"))
        # Do not zero or wipe, and keep the resync at minimum speed (see below): only the size matters.
        words = ["-q", "-y", "-Zn", "-Wn", "--config", config, *kind, "-l", "100%FREE", "-n", "v"]
        run("lvcreate", *words, "case")
        return int(
            run(
                "lvs",
                "--config",
                config,
                "--noheadings",
                "--units",
                "b",
                "--nosuffix",
                "-o",
                "lv_size",
                "case/v",
            )
        )
    finally:
        run("vgremove", "-q", "-ff", "-y", "--config", config, "case")
        run("pvremove", "-q", "-ff", "-y", "--config", config, *devices)


def stripe(case: dict[str, Any], devices: list[str]) -> None:
    """Create a RAID0 of these devices; mkfs detects its chunk."""
    chunk = f"--chunk={case['chunk'] // 1024}"
    run("mdadm", "--create", "/dev/md190", "--run", "--level=raid0", chunk, "--raid-devices=2", *devices)


def filesystem(case: dict[str, Any], devices: list[str]) -> int:
    """Create a filesystem on a RAID0; return the space available to users other than root."""
    words = {
        "ext4": ["-q", "-F", "-b", "4096", "-E", "lazy_itable_init=1,lazy_journal_init=1"],
        "xfs": ["-q", "-f", "-b", "size=4096", "-m", "rmapbt=0"],
        "btrfs": ["-q", "-f", "-d", "single", "-m", "dup"],
    }[case["level"]]
    stripe(case, devices)
    POINT.mkdir(exist_ok=True)
    try:
        run(f"mkfs.{case['level']}", *words, "/dev/md190")
        run("mount", "-t", case["level"], "/dev/md190", str(POINT))
        found = os.statvfs(POINT)
        run("umount", str(POINT))
        return found.f_bavail * found.f_frsize
    finally:
        stop("md190")


def lvm_on_md(case: dict[str, Any], devices: list[str]) -> int:
    """Create a volume group on an array; return the size of its volume."""
    words = [
        "mdadm",
        "--create",
        "/dev/md190",
        "--run",
        f"--level={case['level']}",
        "--assume-clean",
        "--bitmap=none",
    ]
    if case["chunk"]:
        words.append(f"--chunk={case['chunk'] // 1024}")
    if case["level"] == "raid0":
        words = [word for word in words if word not in {"--assume-clean", "--bitmap=none"}]
    run(*words, f"--raid-devices={len(devices)}", *devices)
    try:
        return lvm({"level": "linear"}, ["/dev/md190"])
    finally:
        stop("md190")


def hybrid(case: dict[str, Any], devices: list[str]) -> int:
    """Create the array of each band on parts of the devices, and one volume over all; return its size."""
    bands = bands_of(case["sizes"], case["redundancy"], Options())
    parts: list[str] = []
    nodes: list[str] = []
    try:
        for band in bands:
            own = [part_of(devices[place], band.start, band.height) for place in band.disks]
            parts += own
            nodes.append(f"/dev/md{next(NUMBERS)}")  # a number that was just freed may be in use for a moment
            words = [
                f"--level={band.geometry.level}",
                "--assume-clean",
                "--bitmap=internal",
                f"--raid-devices={len(own)}",
            ]
            run("mdadm", "--create", nodes[-1], "--run", *words, *own)
        return lvm({"level": "linear"}, nodes)
    finally:
        for node in nodes:
            stop(node.removeprefix("/dev/"))
        for part in parts:
            run("losetup", "--detach", part)


def part_of(device: str, start: int, length: int) -> str:
    """A device of its own for a part of another one."""
    words = ("--offset", str(start), "--sizelimit", str(length))
    return run("losetup", "--find", "--show", *words, device).strip()


MAKERS = {"hybrid": hybrid, "btrfs": btrfs, "filesystem": filesystem, "lvm": lvm, "lvm-on-md": lvm_on_md}

FOLDER.mkdir(exist_ok=True)
modules = ("loop", "btrfs", "xfs", "ext4", "dm-raid", "raid0", "raid1", "raid10", "raid456")
subprocess.run(["modprobe", "-a", *modules], capture_output=True, check=False)
subprocess.run(["sysctl", "-q", "dev.raid.speed_limit_max=1", "dev.raid.speed_limit_min=1"], check=False)
for wanted in json.load(sys.stdin):
    disks = [make_disk(index, size) for index, size in enumerate(wanted["sizes"])]
    try:
        print(json.dumps({"data_bytes": MAKERS[wanted["kind"]](wanted, disks)}), flush=True)
    finally:
        for device in disks:
            drop_disk(device)
