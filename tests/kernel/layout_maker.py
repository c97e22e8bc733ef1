"""Runs in the guest: create arrays, write distinct chunks, and find where each is on the members.

stdin: JSON list of cases {level, layout, disks, rows}; stdout: for each case the rows of its members, with the number
of the data chunk, "P" for the XOR of the row's data, "?" for anything else. The rows of an array with far copies are
listed zone by zone.
"""

import hashlib
import json
import os
import subprocess
import sys

CHUNK = 64 * 1024
NODE = "/dev/md100"
ENVIRONMENT = {**os.environ, "MDADM_NO_UDEV": "1"}  # mdadm does not wait for udev to create the node
DISKS = [f"/dev/ubd{letter}" for letter in "abcde"]


def marker(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest() * (CHUNK // 32)


def xor(chunks: list[bytes]) -> bytes:
    total = 0
    for chunk in chunks:
        total ^= int.from_bytes(chunk, "little")
    return total.to_bytes(CHUNK, "little")


def run(*argv: str) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{' '.join(argv)}: {done.stderr}")


def place(case: dict[str, object]) -> list[list[object]]:
    level, layout = str(case["level"]), str(case["layout"])
    disks, rows = int(str(case["disks"])), int(str(case["rows"]))
    members = DISKS[:disks]
    # Full-stripe writes do not use the old parity, so --assume-clean is safe.
    words = ["--run", f"--level={level}", f"--raid-devices={disks}", "--metadata=1.2", "--homehost=lab"]
    words += [f"--chunk={CHUNK // 1024}"]
    if level != "raid0":
        words += ["--assume-clean", "--bitmap=none"]
    if layout:
        words.append(f"--layout={layout}")
    run("mdadm", "--create", NODE, *words, *members)
    with open(f"/sys/block/{os.path.basename(os.path.realpath(NODE))}/md/component_size") as file:
        component = int(file.read()) * 1024
    starts = []
    for slot in range(disks):
        with open(f"/sys/block/{os.path.basename(os.path.realpath(NODE))}/md/rd{slot}/offset") as file:
            starts.append(int(file.read()) * 512)
    count = rows * disks
    with open(NODE, "wb", buffering=0) as file:
        file.write(b"".join(marker(number) for number in range(count)))
        os.fsync(file.fileno())
    run("mdadm", "--stop", NODE)
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
    known = {marker(number): number for number in range(count)}
    far = int(layout[1:]) if layout.startswith("f") and level == "raid10" else 1
    stride = component // CHUNK // far * CHUNK
    found: list[list[object]] = []
    for part in range(far):
        for row in range(rows):
            contents = []
            for slot, member in enumerate(members):
                with open(member, "rb", buffering=0) as file:
                    contents.append(
                        os.pread(file.fileno(), CHUNK, starts[slot] + part * stride + row * CHUNK)
                    )
            parity = xor([content for content in contents if content in known])
            found.append([known.get(c, "P" if c == parity else "?") for c in contents])
    return found


print(json.dumps([place(case) for case in json.load(sys.stdin)]))
