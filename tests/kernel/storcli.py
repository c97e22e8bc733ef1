#!/usr/bin/env python3
"""A simulator of storcli, run in a guest: its drives are disks of the lab, a virtual drive is a device-mapper device.

Its state is a JSON file under a lock. It refuses what the tool refuses, and its answers have the shape of the
recordings in ``tests/unit/data/cards``; a virtual drive that is redundant has the size of one, and no redundancy.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

STATE = Path(os.environ.get("CARD_STATE", "/run/card.json"))
SECTOR = 512
DATA = {
    "r0": lambda n: n,
    "r1": lambda n: n // 2,
    "r5": lambda n: n - 1,
    "r6": lambda n: n - 2,
    "r10": lambda n: n // 2,
}
LEAST = {"r0": 1, "r1": 2, "r5": 3, "r6": 4, "r10": 4}
Json = dict[str, Any]


class Refusal(Exception):
    """A failure with the card's number and words."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@contextmanager
def card() -> Iterator[Json]:
    """The state, written back when nothing was refused."""
    with open(STATE.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = json.loads(STATE.read_text())
        yield state
        new = STATE.with_suffix(".new")
        new.write_text(json.dumps(state))
        new.replace(STATE)


def say(
    data: object = None, *, status: str = "Success", description: str = "None", faults: object = None
) -> None:
    """Print an answer, a key a line as the tool does."""
    told: Json = {"CLI Version": "007.1616.0000.0000 Dec 24, 2020", "Controller": 0, "Status": status}
    told["Description"] = description
    if faults is not None:
        told["Detailed Status"] = faults
    whole: Json = {"Command Status": told}
    if data is not None:
        whole["Response Data"] = data
    print(json.dumps({"Controllers": [whole]}, indent="\t", separators=(",", " : ")))


def human(size: int) -> str:
    for unit, factor in (("TB", 1024**4), ("GB", 1024**3), ("MB", 1024**2)):
        if size >= factor:
            return f"{size / factor:.3f} {unit}"
    return f"{size / 1024:.3f} KB"


def row(slot: str, drive: Json) -> Json:
    return {
        "EID:Slt": slot, "DID": drive["did"], "State": drive["state"], "DG": drive["dg"], "Size": human(drive["size"]),
        "Intf": "SATA", "Med": "HDD", "SED": "N", "PI": "N", "SeSz": "512B", "Model": "LAB DRIVE", "Sp": "U", "Type": "-",
    }  # fmt: skip


def drive_answer(slot: str, drive: Json) -> Json:
    enclosure, _, number = slot.partition(":")
    key = f"Drive /c0/e{enclosure}/s{number}"
    sectors = f"{human(drive['size'])} [{drive['size'] // SECTOR:#x} Sectors]"
    return {
        key: [row(slot, drive)],
        f"{key} - Detailed Information": {
            f"{key} State": {"Media Error Count": 0, "Other Error Count": 0, "Predictive Failure Count": 0},
            f"{key} Device attributes": {
                "SN": drive["serial"], "Manufacturer Id": "ATA     ", "Model Number": "LAB DRIVE",
                "Coerced size": sectors, "Logical Sector Size": "512B", "Physical Sector Size": "512B",
            },
        },
    }  # fmt: skip


def volume_row(number: str, one: Json) -> Json:
    return {
        "DG/VD": f"{one['dg']}/{number}", "TYPE": one["level"].replace("r", "RAID"), "State": one["state"], "Access": "RW",
        "Consist": "No", "Cache": one["cache"], "Size": human(one["size"]), "Name": one["name"],
    }  # fmt: skip


def volumes(state: Json) -> Json:
    found: Json = {}
    for number, one in state["volumes"].items():
        found[f"/c0/v{number}"] = [volume_row(number, one)]
        found[f"PDs for VD {number}"] = [row(slot, state["drives"][slot]) for slot in one["slots"]]
        found[f"VD{number} Properties"] = {
            "Strip Size": f"{one['strip']} KB", "Number of Blocks": one["size"] // SECTOR,
            "Write Cache(initial setting)": "WriteBack", "Disk Cache Policy": "Disabled", "Active Operations": "None",
            "OS Drive Name": "/dev/sdz", "SCSI NAA Id": one["naa"],
        }  # fmt: skip
    return found


def add(state: Json, words: list[str]) -> None:
    level = words[0]
    told = dict(word.partition("=")[::2] for word in words[1:])
    slots, spares = told["drives"].split(","), [one for one in told.get("Spares", "").split(",") if one]
    if not re.fullmatch(r"[0-9A-Za-z_-]{1,15}", told.get("name", "")):
        raise Refusal(255, "Invalid VD name")
    if level not in DATA or len(slots) < LEAST[level]:
        raise Refusal(255, "invalid number of drives")
    for slot in (*slots, *spares):
        drive = state["drives"].get(slot)
        if drive is None:
            raise Refusal(255, "Drive not found")
        if drive["state"] != "UGood" or drive["dg"] != "-":
            raise Refusal(50, "device state doesn't support requested command")
    smallest = min(state["drives"][slot]["size"] for slot in slots)
    data = DATA[level](len(slots))
    number = str(state["next"])
    state["next"] -= 1
    naa = f"600062b2{number:0>24}"
    table = "".join(
        f"{place * (smallest // SECTOR)} {smallest // SECTOR} linear {state['drives'][slot]['node']} 0\n"
        for place, slot in enumerate(slots[:data])
    )
    subprocess.run(["dmsetup", "create", f"card-{naa}"], input=table, text=True, check=True)
    state["volumes"][number] = {
        "dg": int(number), "level": level, "state": "Optl", "cache": "RWBD", "size": data * smallest, "name": told["name"],
        "strip": int(told["strip"]) if "strip" in told else 256, "naa": naa, "slots": slots,
    }  # fmt: skip
    for slot in slots:
        state["drives"][slot] |= {"state": "Onln", "dg": int(number)}
    for slot in spares:
        state["drives"][slot] |= {"state": "DHS", "dg": int(number)}


def delete(state: Json, number: str) -> None:
    one = state["volumes"].get(number)
    if one is None:
        raise Refusal(255, "Invalid VD number")
    node = f"/dev/mapper/card-{one['naa']}"
    if subprocess.run(["wipefs", "--noheadings", node], capture_output=True, text=True).stdout.strip():
        raise Refusal(255, "VD has OS/FS, use 'force' option")
    if subprocess.run(["dmsetup", "remove", "--retry", f"card-{one['naa']}"], capture_output=True).returncode:
        raise Refusal(255, "VD is in use")
    for drive in state["drives"].values():
        if drive["dg"] == one["dg"]:
            drive |= {"state": "UGood", "dg": "-"}
    del state["volumes"][number]


def answer(state: Json, words: list[str]) -> None:
    match words:
        case ["show"]:
            say({"Number of Controllers": 1})
        case ["/c0", "show", "all"]:
            say({
                "Basics": {"Model": "Simulated MegaRAID", "Serial Number": "SIM1", "PCI Address": "00:01:00:00"},
                "Version": {"Firmware Package Build": "1.2.3", "Driver Name": "megaraid_sas"},
                "Status": {"Controller Status": "Optimal", "Any Offline VD Cache Preserved": "No"},
                "HwCfg": {"BBU": "Present", "Current Size of FW Cache (MB)": 875},
                "Capabilities": {"RAID Level Supported": "RAID0, RAID1, RAID5, RAID6, RAID10"},
                "Scheduled Tasks": {"Consistency Check Reoccurrence": "168 hrs", "Patrol Read Reoccurrence": "168 hrs"},
                "PD LIST": [row(slot, drive) for slot, drive in state["drives"].items()],
                "Cachevault_Info": [{"Model": "CVPM02", "State": state["battery"]}],
            })  # fmt: skip
        case ["/c0/vall", "show", "all"] if not state["volumes"]:
            say(status="Failure", description="No VD's have been configured.")
        case ["/c0/vall", "show", "all"]:
            say(volumes(state))
        case ["/c0/eall/sall", "show", "all"]:
            every: Json = {}
            for slot, drive in state["drives"].items():
                every |= drive_answer(slot, drive)
            say(every, description="Show Drive Information Succeeded.")
        case ["/c0", "add", "vd", *rest]:
            add(state, rest)
            say(description="Add VD Succeeded.")
        case [where, "del"] if where.startswith("/c0/v"):
            delete(state, where.removeprefix("/c0/v"))
            say(description="Delete VD succeeded")
        case _:
            raise Refusal(255, "Un-supported command")


def main() -> NoReturn:
    words = [word for word in sys.argv[1:] if word not in {"J", "nolog"}]
    if "J" not in sys.argv or "force" in sys.argv:
        print(
            "CLI Version = 007.1616.0000.0000\nStatus = Failure\nDescription = syntax error, unexpected TOKEN"
        )
        raise SystemExit(255)
    try:
        with card() as state:
            answer(state, words)
    except Refusal as error:
        row_: Json = {"Status": "Failed", "ErrCd": error.code, "ErrMsg": str(error)}
        say(status="Failure", description="Failed", faults=[row_])
        raise SystemExit(0) from error  # the tool's exit status says nothing
    raise SystemExit(0)


if __name__ == "__main__":
    main()
