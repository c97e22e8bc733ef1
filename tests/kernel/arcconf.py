"""A simulator of arcconf, run in a guest: its drives are lab disks, a virtual drive is a device-mapper device.

It refuses what the tool refuses, asks for confirmation without ``noprompt``, always exits with 0, and its output has
the format of the recordings in ``tests/unit/data/cards``. Like the card, it reserves some space. A redundant virtual
drive has the right size, but no redundancy. Clearing it or rebuilding a drive takes ``seconds`` of its state; the
kernel gets the disk only after the clearing. Building takes ``builds`` seconds; without it, the test sets the progress.
With ``"identity": false`` it reports no unique identifiers, and the kernel knows a virtual drive by its name at creation.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from tests.kernel.card_state import SECTOR, Json, Refusal, begin, card, load, put_in_place, running
from tests.kernel.storcli import DATA, LEAST

MB = 1024 * 1024
KEPT = MB  # bytes of a virtual drive that the card reserves
RULE = "-" * 70
LEVELS = {"0": "r0", "1": "r1", "5": "r5", "6": "r6", "10": "r10", "50": "r50", "60": "r60"}
GROUPS = {"10": "r1", "50": "r5", "60": "r6"}
METHODS = {"0": {"QUICK", "SKIP"}, "redundant": {"BUILD", "CLEAR", "QUICK", "SKIP"}}
CHANGES = {"CREATE", "DELETE", "SETSTATE", "SETCACHE", "MODIFY"}
SURVIVES = {"0": 0, "1": 1, "5": 1, "6": 2, "10": 1, "50": 1, "60": 2}


def part(title: str) -> None:
    print(f"{RULE}\n{title}\n{RULE}")


def pair(name: str, value: object, indent: int = 3) -> None:
    print(f"{' ' * indent}{name:<{44 - indent}} : {value}")


def slot_of(channel: str, device: str) -> str:
    return f"{channel}:{device}"


def drive_at(state: Json, slot: str) -> Json:
    if slot not in state["drives"]:
        raise Refusal(1, "Invalid device specified.")
    found: Json = state["drives"][slot]
    return found


def controller(state: Json) -> None:
    part("Controller information")
    down = sum(status(state, one) != "Optimal" and one["built"] == 100 for one in state["volumes"].values())
    pair("Controller Status", "Optimal")
    pair("Controller Model", "Simulated ASR7805")
    pair("Controller Serial Number", "SIM2")
    pair("Installed memory", "1024 MB")
    pair("Logical devices/Failed/Degraded", f"{len(state['volumes'])}/0/{down}")
    pair("Background consistency check", "Enabled")
    print(f"   {RULE}\n   Controller Version Information\n   {RULE}")
    pair("Firmware", "7.5-0 (32114)")
    print(f"   {RULE}\n   Controller Cache Backup Unit Information\n   {RULE}")
    pair("Overall Backup Unit Status", state["battery"])


def drives(state: Json, only: str = "") -> None:
    part("Physical Device information")
    for number, (slot, one) in enumerate(state["drives"].items()):
        if only not in {"", slot}:
            continue
        channel, _, device = slot.partition(":")
        print(f"      Device #{number}\n         Device is a Hard drive")
        pair("State", one["state"], 9)
        pair("Block Size", "512 Bytes", 9)
        pair("Transfer Speed", "SATA 6.0 Gb/s", 9)
        pair("Reported Channel,Device(T:L)", f"{channel},{device}({device}:0)", 9)
        pair("Reported Location", f"Enclosure 0, Slot {device}(Connector 0)", 9)
        pair("Model", "LAB DRIVE", 9)
        pair("Serial number", one["serial"], 9)
        pair("Used Size", f"{one['size'] // MB if one['state'] == 'Online' else 0} MB", 9)
        pair("Unused Size", f"{0 if one['state'] == 'Online' else one['size'] // MB} MB", 9)
        pair("Total Size", f"{one['size'] // MB} MB", 9)
        if one.get("stale"):
            pair("Drive has stale RIS data", "True", 9)
        pair("Write Cache", one.get("cache", "Disabled (write-through)"), 9)
        pair("S.M.A.R.T.", "No", 9)
        pair("SSD", "No", 9)
        if one["dg"] != "-" and "Spare" in one["state"]:
            pair("Dedicated Spare for", f"logical device {one['dg']}", 9)


def status(state: Json, one: Json) -> str:
    lost = sum(state["drives"][slot]["state"] != "Online" for slot in one["slots"])
    if (percent := rebuilt(state, one)) is not None and lost == 1:
        return f"Degraded, Rebuilding ( Rebuild : {percent} % )"
    if one.get("change") and not lost:
        return "Optimal"
    if lost:
        return "Degraded" if lost <= SURVIVES[one["level"]] else "Failed"
    if one.get("clearing"):
        return f"Impacted ( Clear : {one['built']} % )"
    return "Optimal" if one["built"] == 100 else f"Impacted ( Build/Verify : {one['built']} % )"


def volumes(state: Json) -> None:
    part("Logical device information")
    if not state["volumes"]:
        print("   No logical devices configured")
    for which, one in state["volumes"].items():
        print(f"Logical Device number {which}")
        pair("Logical Device name", one["name"])
        pair("RAID level", "6 Reed-Solomon" if one["level"] == "6" else one["level"])
        if state.get("identity", True):
            pair("Unique Identifier", one["uid"])
        pair("Status of Logical Device", status(state, one))
        pair("Size", f"{one['size'] // MB} MB")
        pair("Stripe-unit size", f"{one['strip']} KB")
        back = one["wcache"] == "WBB"
        pair("Read-cache status", "On" if one["rcache"] == "RON" else "Off")
        pair("Write-cache setting", "On when protected by battery/ZMM" if back else "Off")
        pair("Write-cache status", "On" if back and state["battery"] == "Ready" else "Off")
        print(f"   {RULE}\n   Logical Device segment information\n   {RULE}")
        for place, slot in enumerate(one["slots"]):
            drive = state["drives"][slot]
            where = f"({drive['size'] // MB}MB, SATA, HDD, Enclosure:0, Slot:{slot.partition(':')[2]})"
            there = drive["state"] in {"Online", "Rebuilding"}
            word = "Present" if drive["state"] == "Online" else "Rebuilding"
            group, number = divmod(place, len(one["slots"]) // one["groups"])
            name = f"Group {group}, Segment {number}" if one["groups"] > 1 else f"Segment {place}"
            pair(name, f"{word} {where}         {drive['serial']}" if there else "Missing")
        print("\n")


def tasks(state: Json) -> None:
    now = []
    for number, one in state["volumes"].items():
        if one["built"] < 100:
            now.append((number, "Clear" if one.get("clearing") else "Build/Verify", one["built"]))
        if (percent := rebuilt(state, one)) is not None:
            now.append((number, "Rebuild", percent))
        if change := one.get("change"):
            now.append((number, "Reconfiguration", int(100 * running(state, change))))
    for number, operation, percent in now:
        print("Logical Device Task:")
        pair("Logical Device", number)
        pair("Task ID", 100 + int(number))
        pair("Current operation", operation)
        pair("Status", "In Progress")
        pair("Percentage complete", percent)
    if not now:
        pair("Current operation", "None")


def options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Split ``words`` into the options before the size, and the words after it."""
    size = next((number for number, word in enumerate(words) if word.upper() == "MAX"), None)
    if size is None or size % 2:
        raise Refusal(1, "Invalid size specified.")
    before = [word.lower() for word in words[:size:2]]
    if set(before) - {"stripesize", "name", "rcache", "wcache", "method"}:
        raise Refusal(1, "Invalid option specified.")
    return dict(zip(before, words[1:size:2], strict=True)), list(words[size + 1 :])


def create(state: Json, words: Sequence[str]) -> None:
    given, (level, *places) = options(words)
    method = given.get("method", "BUILD").upper()
    if method not in METHODS["0" if level == "0" else "redundant"]:
        raise Refusal(1, "Invalid option specified.")
    slots = [slot_of(*two) for two in zip(places[::2], places[1::2], strict=True)]
    if level not in LEVELS or len(slots) < LEAST[LEVELS[level]]:
        raise Refusal(1, "Invalid number of devices for this RAID level.")
    if not re.fullmatch(r"[ -~]{1,15}", given.get("name", "LogicalDrv")) or given.get("wcache") == "WB":
        raise Refusal(1, "Invalid option specified.")
    if any(drive_at(state, slot)["state"] != "Ready" for slot in slots):
        raise Refusal(1, "One or more devices are not available.")
    smallest = min(state["drives"][slot]["size"] for slot in slots)
    groups = (
        len(slots) // 2 if level == "10" else 2 if level in GROUPS else 1
    )  # the card chooses it for RAID50 and RAID60
    if len(slots) % groups:
        raise Refusal(1, "Invalid number of devices for this RAID level.")
    data = groups * DATA[GROUPS.get(level, LEVELS[level])](len(slots) // groups)
    number = next(str(n) for n in range(64) if str(n) not in state["volumes"])
    uid = f"{0xDE172470 + state['next']:08X}"
    state["next"] += 1
    print(f"\nCreating logical device: {given.get('name', '')}")
    name = given.get("name", f"LogicalDrv {number}")
    state["volumes"][number] = {
        "name": name, "level": level, "uid": uid, "slots": slots,
        "disk": f"card-{uid if state.get('identity', True) else name}",
        "size": data * smallest - KEPT, "strip": int(given.get("stripesize", 256)),
        "built": 0 if method in {"BUILD", "CLEAR"} else 100, "data": data, "method": method, "groups": groups,
        "since": time.time(),
        "rcache": given.get("rcache", "RON"), "wcache": given.get("wcache", "WBB"),
    }  # fmt: skip
    if method == "CLEAR":
        state["volumes"][number]["clearing"] = time.time()
    else:
        give_to_kernel(state, state["volumes"][number])
    for slot in slots:
        state["drives"][slot]["state"] = "Online"


def give_to_kernel(state: Json, one: Json) -> None:
    smallest = min(state["drives"][slot]["size"] for slot in one["slots"])
    table = "".join(
        f"{place * smallest // SECTOR} {length // SECTOR} linear {state['drives'][slot]['node']} 0\n"
        for place, (slot, (_, length)) in enumerate(zip(one["slots"], segments(state, one), strict=False))
    )
    subprocess.run(["dmsetup", "create", one["disk"]], input=table, text=True, check=True)


def advance(state: Json) -> None:
    """Update the progress of clearing, building and rebuilding."""
    for number, one in state["volumes"].items():
        rebuild(state, number, one)
        if one.get("change") and running(state, one["change"]) >= 1:
            changed(state, one)
        if one["method"] == "BUILD" and "builds" in state:
            one["built"] = min(100, int(100 * (time.time() - one["since"]) / state["builds"]))
        if one.get("clearing"):
            one["built"] = min(100, int(100 * (time.time() - one["clearing"]) / state.get("seconds", 1)))
            if one["built"] == 100:
                one["clearing"] = None
                give_to_kernel(state, one)


def rebuild(state: Json, number: str, one: Json) -> None:
    """Replace a failed drive with a hot spare, and finish its rebuild when its time is over."""
    drives = state["drives"]
    for place, slot in enumerate(one["slots"]):
        spares = (
            s
            for s, d in drives.items()
            if d["state"] == "Global Hot-Spare" or (d["state"] == "Dedicated Hot-Spare" and d["dg"] == number)
        )
        if drives[slot]["state"] == "Failed" and (spare := next(spares, None)) is not None:
            if not one.get("clearing"):
                put_in_place(one, place, spare, drives, segments(state, one))
            drives[spare] |= {"state": "Rebuilding", "dg": "-", "operation": begin("Rebuild")}
        elif drives[slot]["state"] == "Rebuilding" and running(state, drives[slot]["operation"]) >= 1:
            drives[slot] |= {"state": "Online", "operation": None}


def segments(state: Json, one: Json) -> list[tuple[str, int]]:
    """The device-mapper name of a virtual drive, with the bytes of each drive that holds its data."""
    smallest = min(state["drives"][slot]["size"] for slot in one["slots"])
    lengths = [smallest] * (one["data"] - 1) + [smallest - KEPT]
    return [(one["disk"], length) for length in lengths]


def rebuilt(state: Json, one: Json) -> int | None:
    """The percentage done of the drive being rebuilt; None if there is none."""
    now = [state["drives"][slot].get("operation") for slot in one["slots"]]
    return next((int(100 * running(state, what)) for what in now if what), None)


TARGETS = {
    "0": {"0", "5", "10"},
    "1": {"0", "5", "10"},
    "5": {"0", "5", "6", "10"},
    "6": {"5", "6"},
    "10": {"0", "5"},
}


def modify(state: Json, number: str, words: Sequence[str]) -> None:
    """Begin a reconfiguration: the drives named are all that the logical device has afterwards."""
    one, drives = state["volumes"].get(number), state["drives"]
    if one is None:
        raise Refusal(1, "Invalid logical device number.")
    if len(words) < 4 or words[0].upper() != "MAX" or len(words) % 2:
        raise Refusal(1, "Invalid size specified.")
    level, places = words[1], words[2:]
    slots = [slot_of(*two) for two in zip(places[::2], places[1::2], strict=True)]
    if level not in TARGETS.get(one["level"], ()) or level not in LEVELS or len(slots) < LEAST[LEVELS[level]]:
        raise Refusal(1, "The specified RAID level is not supported for this operation.")
    if status(state, one) != "Optimal" or one.get("change"):
        raise Refusal(1, "The logical device is not in a state that allows this operation.")
    new = [slot for slot in slots if slot not in one["slots"]]
    if any(drive_at(state, slot)["state"] != "Ready" for slot in new):
        raise Refusal(1, "One or more devices are not available.")
    smallest = min(drives[slot]["size"] for slot in one["slots"])
    data = DATA[LEVELS[level]](len(slots))
    if any(drives[slot]["size"] < smallest for slot in new) or data * smallest - KEPT < one["size"]:
        raise Refusal(1, "Not enough space on the devices.")
    for slot in new:
        drives[slot]["state"] = "Online"
    one["change"] = begin("Reconfiguration") | {"level": level, "slots": slots, "data": data}
    print(f"\nReconfiguring logical device: {one['name']}")


def changed(state: Json, one: Json) -> None:
    """Finish a reconfiguration; a drive that was not named leaves, and what was only on it is lost."""
    now = one.pop("change")
    drives = state["drives"]
    smallest = min(drives[slot]["size"] for slot in one["slots"])
    for slot in set(one["slots"]) - set(now["slots"]):
        drives[slot]["state"] = "Ready"
    one |= {"slots": now["slots"], "level": now["level"], "data": now["data"]}
    one["size"] = now["data"] * smallest - KEPT
    subprocess.run(["dmsetup", "suspend", one["disk"]], check=True)
    spans = zip(one["slots"], segments(state, one), strict=False)
    load(one["disk"], [(drives[slot]["node"], size) for slot, (_, size) in spans])


def set_cache(state: Json, slot: str, mode: str) -> None:
    words = {"wt": "Disabled (write-through)", "wb": "Enabled (write-back)"}
    drive = drive_at(state, slot)
    if mode not in words or drive.get("cache", words["wt"]) == words[mode]:
        raise Refusal(1, "The new cache mode is the same as the old one.")
    drive["cache"] = words[mode]


def delete(state: Json, number: str) -> None:
    if number not in state["volumes"]:
        raise Refusal(1, "Invalid logical device number.")
    one = state["volumes"][number]
    remove = ["dmsetup", "remove", "--retry", one["disk"]]
    if not one.get("clearing") and subprocess.run(remove, capture_output=True).returncode:
        raise Refusal(1, "The logical device is in use.")
    for slot in one["slots"]:
        if state["drives"][slot]["state"] == "Online":
            state["drives"][slot]["state"] = "Ready"
    for drive in state["drives"].values():
        if drive["dg"] == number:
            drive |= {"state": "Global Hot-Spare", "dg": "-"}
    del state["volumes"][number]
    print(f"\nDeleting: logical device {number} ({one['name']})")


def set_state(state: Json, slot: str, words: Sequence[str]) -> None:
    drive = drive_at(state, slot)
    match list(words):
        case ["HSP", "LOGICALDRIVE", number] if drive["state"] == "Ready" and number in state["volumes"]:
            drive |= {"state": "Dedicated Hot-Spare", "dg": number}
        case ["HSP"] if drive["state"] == "Ready":
            drive |= {"state": "Global Hot-Spare", "dg": "-"}
        case ["RDY"] if "Spare" in drive["state"]:
            drive |= {"state": "Ready", "dg": "-"}
        case _:
            raise Refusal(1, "Invalid state for this device.")


def answer(state: Json, words: Sequence[str]) -> None:
    match list(words):
        case ["GETVERSION"]:
            print("Controller #1\n==============")
            pair("Firmware", "7.5-0 (32114)", 0)
        case ["GETCONFIG", "1", "AL"]:
            controller(state)
            volumes(state)
            drives(state)
        case ["GETCONFIG", "1", "AD"]:
            controller(state)
        case ["GETCONFIG", "1", "LD"]:
            volumes(state)
        case ["GETCONFIG", "1", "PD"]:
            drives(state)
        case ["GETCONFIG", "1", "PD", channel, device]:
            drive_at(state, slot_of(channel, device))
            drives(state, slot_of(channel, device))
        case ["GETSTATUS", "1"]:
            tasks(state)
        case ["CREATE", "1", "LOGICALDRIVE", *rest, "noprompt"]:
            create(state, rest)
        case ["DELETE", "1", "LOGICALDRIVE", number, "noprompt"]:
            delete(state, number)
        case ["MODIFY", "1", "FROM", number, "TO", *rest, "noprompt"]:
            modify(state, number, rest)
        case ["SETSTATE", "1", "DEVICE", channel, device, *rest, "noprompt"]:
            set_state(state, slot_of(channel, device), rest)
        case ["IDENTIFY", "1", "DEVICE", channel, device, *how, "noprompt"] if how[:1] in (
            ["TIME"],
            ["STOP"],
        ):
            drive_at(state, slot_of(channel, device))["blinks"] = how[0] == "TIME"
        case ["SETCACHE", "1", "DEVICE", channel, device, mode, "noprompt"]:
            set_cache(state, slot_of(channel, device), mode)
        case [word, *_] if word in CHANGES:
            raise Refusal(1, "Are you sure you want to continue?\nPress y, then ENTER to continue: ")
        case _:
            raise Refusal(1, "Invalid command.")


def lines(words: Sequence[str]) -> Iterator[str]:
    """Execute a command; yields the last line of its output."""
    print("Controllers found: 1")
    try:
        with card(
            advance, changes=bool(CHANGES & set(words)), busy=Refusal(1, "The controller is busy.")
        ) as state:
            answer(state, words)
    except Refusal as error:
        yield f"\n{error}\n\nCommand aborted.\n"
        return
    yield "\n\nCommand completed successfully.\n"


if __name__ == "__main__":
    for line in lines(sys.argv[1:]):
        print(line)  # the exit status is always 0
