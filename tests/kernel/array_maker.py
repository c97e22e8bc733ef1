"""Runs in the guest: create arrays on sparse disks, and print their sizes according to the kernel.

Reads a JSON list of cases from stdin; prints one JSON line per case. Sizes are bytes, `offset` sectors of 512 bytes.
"""

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path("/dev/shm/capacity")  # a tmpfs: sparse files of any size
LOOP_SET_FD, LOOP_CLR_FD, LOOP_CTL_GET_FREE = 0x4C00, 0x4C01, 0x4C82


def make_disk(index: int, size: int) -> str:
    """Create a sparse file, and a loop device on it."""
    path = FOLDER / f"disk{index}"
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(size)
    with open("/dev/loop-control", "rb") as control:
        number = fcntl.ioctl(control, LOOP_CTL_GET_FREE)
    device = f"/dev/loop{number}"
    for _ in range(100):
        if os.path.exists(device):
            break
        time.sleep(0.02)
    with open(device, "rb+", buffering=0) as loop, path.open("rb+") as file:
        fcntl.ioctl(loop, LOOP_SET_FD, file.fileno())
    return device


def drop_disk(device: str) -> None:
    """Detach the file; a device that udev still has open is removed when it is closed."""
    with open(device, "rb") as loop, contextlib.suppress(OSError):
        fcntl.ioctl(loop, LOOP_CLR_FD)


def command(case: dict[str, Any], node: str, devices: list[str]) -> list[str]:
    words = ["mdadm", "--create", node, "--run", f"--level={case['level']}", f"--metadata={case['metadata']}"]
    words.append(f"--raid-devices={len(case['sizes'])}")
    if case["spares"]:
        words.append(f"--spare-devices={len(case['spares'])}")
    if case["layout"]:
        words.append(f"--layout={case['layout']}")
    if case["chunk"]:
        words.append(f"--chunk={case['chunk'] // 1024}")
    if case["consistency"] == "ppl":
        words.append("--consistency-policy=ppl")
    elif case["consistency"] != "none":
        words.append("--bitmap=" + {"bitmap": "internal", "resync": "none"}[case["consistency"]])
    if case["consistency"] != "none":
        words.append("--assume-clean")
    return [*words, *devices]


def read(*names: str) -> int:
    return int(Path("/sys/block", *names).read_text())


def stop(name: str) -> None:
    """Stop the array, even if udev still has it open, and wait until it is gone."""
    for _ in range(200):
        subprocess.run(["mdadm", "--stop", f"/dev/{name}"], capture_output=True, check=False)
        members: list[Path] = []
        with contextlib.suppress(OSError):  # the device may disappear at any time
            members = list(Path("/sys/block", name, "slaves").iterdir())
        if not members:
            return
        time.sleep(0.05)
    raise SystemExit(f"{name} cannot be stopped")


def try_case(case: dict[str, Any], name: str) -> dict[str, Any]:
    devices = [make_disk(index, size) for index, size in enumerate([*case["sizes"], *case["spares"]])]
    words = command(case, f"/dev/{name}", devices)
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
        )
        answer: dict[str, Any] = {"command": " ".join(words), "stderr": done.stderr[-600:]}
        if done.returncode == 0 and Path("/sys/block", name, "md").exists():
            offsets = {
                int((member / "offset").read_text())
                for member in Path("/sys/block", name, "md").glob("dev-*")
            }
            answer["array_bytes"] = read(name, "size") * 512
            answer["component_bytes"] = read(name, "md/component_size") * 1024
            answer["offsets"] = sorted(offsets)
            answer["stripe_width_bytes"] = read(name, "queue/optimal_io_size")
        return answer
    finally:
        stop(name)
        for device in devices:
            drop_disk(device)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    subprocess.run(
        ["modprobe", "-a", "loop", "raid0", "raid1", "raid10", "raid456", "linear"],
        capture_output=True,
        check=False,
    )
    for number, wanted in enumerate(json.load(sys.stdin)):
        # A new node for each: udev may still have the last one open.
        print(json.dumps(try_case(wanted, f"md{200 + number}")), flush=True)


if __name__ == "__main__":
    main()
