#!/usr/bin/env python3
"""A simulator of storcli, run in a guest: its drives are lab disks, a virtual drive is a device-mapper device.

It refuses what the tool refuses, and its output has the format of the recordings in ``tests/unit/data/cards``. A
redundant virtual drive has the right size, but no redundancy. Operations continue between calls: ``seconds`` of its
state is the duration of an initialization or rebuild.
"""

import json
import re
import subprocess
import sys
from typing import NoReturn

from tests.kernel.card_state import (
    SECTOR,
    Json,
    Refusal,
    begin,
    card,
    load,
    pause,
    put_in_place,
    resume,
    running,
)

DATA = {
    "r0": lambda n: n,
    "r1": lambda n: n // 2,
    "r5": lambda n: n - 1,
    "r6": lambda n: n - 2,
    "r10": lambda n: n // 2,
}
LEAST = {"r0": 1, "r1": 2, "r5": 3, "r6": 4, "r10": 4, "r50": 6, "r60": 6}
SPANS = {"r50": "r5", "r60": "r6", "r10": "r1"}
STATES = {  # of a virtual drive, by the number of drives of a span that are not online; beyond the list: offline
    "r0": ["Optl"],
    "r1": ["Optl", "Dgrd"],
    "r5": ["Optl", "Dgrd"],
    "r6": ["Optl", "Pdgd", "Dgrd"],
}
BY_ITSELF = {"r5": 5, "r6": 7}  # minimum drives for an automatic background initialization
ENDS = 8 * 1024 * 1024  # bytes at each end that a fast initialization zeros


def say(
    data: object = None, *, status: str = "Success", description: str = "None", faults: object = None
) -> None:
    """Print an answer, one key per line, as the tool does."""
    result: Json = {"CLI Version": "007.1616.0000.0000 Dec 24, 2020", "Controller": 0, "Status": status}
    result["Description"] = description
    if faults is not None:
        result["Detailed Status"] = faults
    whole: Json = {"Command Status": result}
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


def advance(state: Json) -> None:
    """Update the state with what the card has done since the last call."""
    drives = state["drives"]
    for one in state["volumes"].values():
        if one["operation"] and running(state, one["operation"]) >= 1:
            if one["operation"]["what"] == "MIGRATE":
                migrated(state, one)
            one |= {"operation": None, "consistent": True}
        for place, slot in enumerate(one["slots"]):
            drive = drives[slot]
            if drive["state"] in {"Failed", "Msng"}:
                spare = next(
                    (s for s, d in drives.items() if is_spare_of(d, one) and one["level"] != "r0"), None
                )
                if spare is not None:
                    put_in_place(one, place, spare, drives, segments(state, one))
                    drives[spare] |= {"state": "Rbld", "operation": begin("Rebuild"), "dg": one["dg"]}
                    drive |= {"dg": "-", "state": "UBad" if drive["state"] == "Failed" else drive["state"]}
            elif drive["state"] == "Rbld" and running(state, drive["operation"]) >= 1:
                drive |= {"state": "Onln", "operation": None}
        copied(state, one)
        span = len(one["slots"]) // one["spans"]
        groups = [one["slots"][first : first + span] for first in range(0, len(one["slots"]), span)]
        worst = max(sum(drives[slot]["state"] != "Onln" for slot in group) for group in groups)
        known = STATES[SPANS.get(one["level"], one["level"])]
        one["state"] = known[worst] if worst < len(known) else "OfLn"
        one["seen"] = sorted({*one.get("seen", []), one["state"]})


def is_spare_of(drive: Json, one: Json) -> bool:
    return bool(drive["state"] == "GHS" or (drive["state"] == "DHS" and drive["dg"] == one["dg"]))


def segments(state: Json, one: Json) -> list[tuple[str, int]]:
    """The device-mapper name of a virtual drive, with the bytes of each drive that holds its data."""
    smallest = min(state["drives"][slot]["size"] for slot in one["slots"])
    name = f"card-{one['naa']}"
    return [(name, smallest)] * (one["size"] // smallest)


def copied(state: Json, one: Json) -> None:
    """Finish a copyback; it is given up if the virtual drive degrades: a rebuild comes first."""
    drives = state["drives"]
    for target, drive in drives.items():
        if drive["state"] != "Cpybck" or drive["operation"]["source"] not in one["slots"]:
            continue
        source = drive["operation"]["source"]
        if any(drives[slot]["state"] != "Onln" for slot in one["slots"]):
            drive |= {"state": "UGood", "operation": None}
        elif running(state, drive["operation"]) >= 1:
            put_in_place(one, one["slots"].index(source), target, drives, segments(state, one))
            drive |= {"state": "Onln", "operation": None, "dg": one["dg"]}
            drives[source] |= {"state": "UGood", "dg": "-"}


def copy_back(state: Json, slot: str, target: str) -> None:
    drives = state["drives"]
    one = next((one for one in state["volumes"].values() if slot in one["slots"]), None)
    if one is None or one["state"] != "Optl" or target not in drives:
        raise Refusal(255, "Start Drive Copyback Failed.")
    to = drives[target]
    if drives[slot]["state"] != "Onln" or to["state"] not in {"UGood", "GHS"} or to["dg"] != "-":
        raise Refusal(50, "device state doesn't support requested command")
    if to["size"] < min(drives[one]["size"] for one in one["slots"]):
        raise Refusal(13, "disk doesn't have enough capacity to complete requested command")
    to |= {"state": "Cpybck", "operation": begin("Copyback") | {"source": slot}}


TARGETS = {
    "r0": {"r0", "r1", "r5", "r6"},
    "r1": {"r0", "r5", "r6"},
    "r5": {"r0", "r5", "r6"},
    "r6": {"r0", "r5", "r6"},
}


def migrate(state: Json, number: str, given: dict[str, str]) -> None:
    """Begin a reconstruction: the drives join the drive group at once, the new level and space come at its end."""
    one, drives = state["volumes"].get(number), state["drives"]
    if one is None:
        raise Refusal(255, "Invalid VD number")
    level, new = f"r{given.get('type', '').removeprefix('raid')}", given.get("drives", "").split(",")
    alone = sum(other["dg"] == one["dg"] for other in state["volumes"].values()) == 1
    if level not in TARGETS.get(one["level"], ()) or given.get("option") != "add" or not alone:
        raise Refusal(255, "Start Reconstruction Operation Failed")
    if (
        one["state"] != "Optl"
        or one["operation"]
        or any(drives[slot]["state"] != "Onln" for slot in one["slots"])
    ):
        raise Refusal(255, "Operation not allowed.")
    if any(
        slot not in drives or drives[slot]["state"] != "UGood" or drives[slot]["dg"] != "-" for slot in new
    ):
        raise Refusal(50, "device state doesn't support requested command")
    smallest = min(drives[slot]["size"] for slot in one["slots"])
    count = len(one["slots"]) + len(new)
    if any(drives[slot]["size"] < smallest for slot in new) or count < LEAST[level]:
        raise Refusal(13, "disk doesn't have enough capacity to complete requested command")
    if DATA[level](count) * smallest < one["size"] or (level == "r1" and count != 2):
        raise Refusal(255, "Start Reconstruction Operation Failed")
    for slot in new:
        drives[slot] |= {"state": "Onln", "dg": one["dg"]}
    one["operation"] = begin("MIGRATE") | {"level": level, "new": new}


def migrated(state: Json, one: Json) -> None:
    """Finish a reconstruction."""
    drives, now = state["drives"], one["operation"]
    smallest = min(drives[slot]["size"] for slot in one["slots"])
    one["slots"] += now["new"]
    one["level"] = now["level"]
    one["size"] = DATA[now["level"]](len(one["slots"])) * smallest
    name = f"card-{one['naa']}"
    subprocess.run(["dmsetup", "suspend", name], check=True)
    load(name, [(drives[slot]["node"], smallest) for slot in one["slots"][: one["size"] // smallest]])


def percent(state: Json, operation: Json | None) -> Json:
    """The progress of an operation in the tool's format: no time left below two percent."""
    if operation is None:
        return {"Progress%": "-", "Status": "Not in progress", "Estimated Time Left": "-"}
    if "paused" in operation:
        return {"Progress%": int(100 * operation["paused"]), "Status": "Paused", "Estimated Time Left": "-"}
    done = int(100 * running(state, operation))
    left = "-" if done < 2 else f"{int(state.get('seconds', 1) * (100 - done) / 100)} Seconds"
    return {"Progress%": done, "Status": "In progress", "Estimated Time Left": left}


def operations(state: Json, word: str) -> Json:
    """The answer to ``show init`` and the like, for every virtual drive."""
    what = {"init": "INIT", "bgi": "BGI", "cc": "CC", "migrate": "MIGRATE"}[word]
    rows = []
    for number, one in state["volumes"].items():
        own = one["operation"] if one["operation"] and one["operation"]["what"] == what else None
        rows.append({"VD": int(number), "Operation": what, **percent(state, own)})
    return {"VD Operation Status": rows}


def volume_row(number: str, one: Json) -> Json:
    return {
        "DG/VD": f"{one['dg']}/{number}", "TYPE": one["level"].replace("r", "RAID"), "State": one["state"], "Access": "RW",
        "Consist": "Yes" if one["consistent"] else "No", "Cache": one["cache"], "Size": human(one["size"]), "Name": one["name"],
    }  # fmt: skip


def volumes(state: Json) -> Json:
    found: Json = {}
    for number, one in state["volumes"].items():
        called = {"INIT": "Initialization", "BGI": "Background Initialization", "MIGRATE": "Reconstruction"}
        now = one["operation"]
        active = f"{called[now['what']]} ({int(100 * running(state, now))}%)" if now else "None"
        low = state["battery"] != "Optimal" and "WB" in one["cache"]
        one = one | {"cache": one["cache"].replace("WB", "WT") if low else one["cache"]}
        found[f"/c0/v{number}"] = [volume_row(number, one)]
        found[f"PDs for VD {number}"] = [row(slot, state["drives"][slot]) for slot in one["slots"]]
        found[f"VD{number} Properties"] = {
            "Strip Size": f"{one['strip']} KB", "Number of Blocks": one["size"] // SECTOR,
            "Write Cache(initial setting)": one["policy"], "Disk Cache Policy": one["drives"], "Active Operations": active,
            "OS Drive Name": "/dev/sdz", "SCSI NAA Id": one["naa"],
        }  # fmt: skip
    return found


def add(state: Json, words: list[str]) -> None:
    level = words[0]
    given = dict(word.partition("=")[::2] for word in words[1:])
    spans = len(given["drives"].split(",")) // int(given["PDperArray"]) if "PDperArray" in given else 1
    slots, spares = given["drives"].split(","), [one for one in given.get("Spares", "").split(",") if one]
    if not re.fullmatch(r"[0-9A-Za-z_-]{1,15}", given.get("name", "")):
        raise Refusal(255, "Invalid VD name")
    group = SPANS.get(level, level)
    if (
        level not in LEAST
        or len(slots) < LEAST[level]
        or len(slots) % spans
        or (level in SPANS and spans < 2)
    ):
        raise Refusal(255, "invalid number of drives")
    for slot in (*slots, *spares):
        drive = state["drives"].get(slot)
        if drive is None:
            raise Refusal(255, "Drive not found")
        if drive["state"] != "UGood" or drive["dg"] != "-":
            raise Refusal(50, "device state doesn't support requested command")
    smallest = min(state["drives"][slot]["size"] for slot in slots)
    data = spans * DATA[group](len(slots) // spans)
    number = str(state["next"])
    state["next"] -= 1
    naa = f"600062b2{number:0>24}"
    table = "".join(
        f"{place * (smallest // SECTOR)} {smallest // SECTOR} linear {state['drives'][slot]['node']} 0\n"
        for place, slot in enumerate(slots[:data])
    )
    subprocess.run(["dmsetup", "create", f"card-{naa}"], input=table, text=True, check=True)
    state["volumes"][number] = {
        "dg": int(number), "level": level, "state": "Optl", "size": data * smallest, "name": given["name"],
        "cache": f"{'NR' if 'nora' in words else 'R'}{'WT' if 'wt' in words else 'WB'}D", "spans": spans,
        "policy": "WriteThrough" if "wt" in words else "WriteBack", "consistent": level == "r0",
        "drives": "Enabled" if given["pdcache"] == "on" else "Disabled",
        "operation": begin("BGI") if len(slots) >= BY_ITSELF.get(level, 99) else None,
        "strip": int(given["strip"]) if "strip" in given else 256, "naa": naa, "slots": slots,
    }  # fmt: skip
    for slot in slots:
        state["drives"][slot] |= {"state": "Onln", "dg": int(number)}
    for slot in spares:
        state["drives"][slot] |= {"state": "DHS", "dg": int(number)}


def initialize(state: Json, number: str, *, full: bool) -> None:
    one = state["volumes"].get(number)
    if one is None:
        raise Refusal(255, "Invalid VD number")
    if one["operation"] and one["operation"]["what"] == "INIT":
        raise Refusal(255, "Initialization already in progress")
    node = f"/dev/mapper/card-{one['naa']}"
    if subprocess.run(["wipefs", "--noheadings", node], capture_output=True, text=True).stdout.strip():
        raise Refusal(255, "VD has OS/FS, use 'force' option")
    with open(node, "r+b") as device:
        for place in (0, one["size"] - ENDS):
            device.seek(place)
            device.write(bytes(ENDS))
    one["operation"] = begin("INIT" if full else "BGI")


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
        if drive["dg"] == one["dg"] and drive["state"] != "Failed":
            drive |= {"state": "UGood", "dg": "-"}
    del state["volumes"][number]


def slot_at(where: str) -> str:
    """The slot that a path names: 252:3 for /c0/e252/s3."""
    found = re.fullmatch(r"/c0/e(\d+)/s(\d+)", where)
    return f"{found[1]}:{found[2]}" if found else ""


def operation_of(drive: Json, word: str) -> Json | None:
    """Its rebuild or copyback, whichever ``word`` is."""
    now: Json | None = drive.get("operation")
    return now if now and now["what"] == word.title() else None


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
                "Capabilities": {"RAID Level Supported": "RAID0, RAID1, RAID5, RAID6, RAID10, RAID50, RAID60"},
                "Scheduled Tasks": {"Consistency Check Reoccurrence": "168 hrs", "Patrol Read Reoccurrence": "168 hrs"},
                "Virtual Drives": len(state["volumes"]),
                "VD LIST": [volume_row(number, one) for number, one in state["volumes"].items()],
                "Physical Drives": len(state["drives"]),
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
        case ["/c0/eall/sall", "show", ("rebuild" | "copyback") as word]:
            rows = [
                {"Drive-ID": f"/c0/e{slot.replace(':', '/s')}", **percent(state, operation_of(drive, word))}
                for slot, drive in state["drives"].items()
            ]
            say(rows, description=f"Show Drive {word.title()} Status Succeeded.")
        case [where, "start", "copyback", target] if slot_at(where) in state["drives"]:
            copy_back(state, slot_at(where), target.removeprefix("target="))
            say(description="Start Drive Copyback Succeeded.")
        case [where, ("pause" | "resume") as verb, ("rebuild" | "copyback") as word] if (
            slot_at(where) in state["drives"]
        ):
            now = operation_of(state["drives"][slot_at(where)], word)
            if now is None or ("paused" in now) is (verb == "pause"):
                raise Refusal(255, f"{verb.title()} Drive {word.title()} Failed.")
            (pause if verb == "pause" else resume)(state, now)
            say(description=f"{verb.title()} Drive {word.title()} Succeeded.")
        case [where, "add", "hotsparedrive"] if slot_at(where) in state["drives"]:
            drive = state["drives"][slot_at(where)]
            if drive["state"] != "UGood" or drive["dg"] != "-":
                raise Refusal(50, "device state doesn't support requested command")
            drive["state"] = "GHS"
            say(description="Add Hot Spare Succeeded.")
        case [where, "show", ("init" | "bgi" | "cc" | "migrate") as word] if where.startswith("/c0/v"):
            say(operations(state, word))
        case [where, "start", "migrate", *rest] if where.startswith("/c0/v"):
            migrate(state, where.removeprefix("/c0/v"), dict(word.partition("=")[::2] for word in rest))
            say(description="Start Reconstruction Operation Success")
        case [where, "start", "init", *rest]:
            initialize(state, where.removeprefix("/c0/v"), full=rest == ["full"])
            say(description="Start INIT Operation Success")
        case [where, ("start" | "stop") as verb, "locate"] if slot_at(where) in state["drives"]:
            state["drives"][slot_at(where)]["blinks"] = verb == "start"
            say(description=f"{verb.title()} Drive Locate Succeeded.")
        case [where, "start", "rebuild"] if slot_at(where) in state["drives"]:
            drive = state["drives"][slot_at(where)]
            if drive["state"] != "Offln" or drive["dg"] == "-":
                raise Refusal(255, "Start Drive Rebuild Failed.")
            drive |= {"state": "Rbld", "operation": begin("Rebuild")}
            say(description="Start Drive Rebuild Succeeded.")
        case [where, "add", "hotsparedrive", group] if slot_at(where) in state["drives"]:
            drive, number = state["drives"][slot_at(where)], int(group.removeprefix("dgs="))
            if drive["state"] != "UGood" or drive["dg"] != "-":
                raise Refusal(50, "device state doesn't support requested command")
            if all(one["dg"] != number for one in state["volumes"].values()):
                raise Refusal(255, "Invalid DG number")
            drive |= {"state": "DHS", "dg": number}
            say(description="Add Hot Spare Succeeded.")
        case [where, "delete", "hotsparedrive"] if slot_at(where) in state["drives"]:
            drive = state["drives"][slot_at(where)]
            if drive["state"] not in {"DHS", "GHS"}:
                raise Refusal(255, "Delete Hot Spare Failed.")
            drive |= {"state": "UGood", "dg": "-"}
            say(description="Delete Hot Spare Succeeded.")
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
    changes = (
        bool({"add", "del", "delete", "start", "pause", "resume"} & set(words)) and "locate" not in words
    )
    busy = Refusal(7, "Application already in use - try later")
    try:
        with card(advance, changes=changes, busy=busy) as state:
            answer(state, words)
    except Refusal as error:
        row_: Json = {"Status": "Failed", "ErrCd": error.code, "ErrMsg": str(error)}
        say(status="Failure", description="Failed", faults=[row_])
        raise SystemExit(0) from error  # like the tool, which exits with 0 on errors
    raise SystemExit(0)


if __name__ == "__main__":
    main()
