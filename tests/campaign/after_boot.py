"""Runs in the guest: resume or roll back the job of a crash, and print as JSON what is there then.

Each line of standard input is an order: to ``begin`` a case, to ``try`` it when the disks have been plugged (the words of
`after_boot`), to ``end`` it, or to say what is ``seen``. Each crash gets a process of its own, with all of raidtui imported,
which forks the job's.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import sys
import traceback
from typing import Any

import raidtui
from raidtui import cli
from raidtui.model.errors import BadInput
from raidtui.model.journal import Entry, JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.struct import from_json
from tests.campaign import in_guest
from tests.campaign.in_guest import call, content, shell

# What the end of a replacement asks for where md holds on to it.
_START_AGAIN = "umount /srv/tank; mdadm --stop --scan; mdadm --assemble --scan; udevadm settle; mount -a"


_POINT = "/srv/tank"
_FILES = ("/etc/fstab", "/etc/mdadm/mdadm.conf")


def say(*words: str) -> dict[str, Any]:
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as errors,
    ):
        code = cli.main(words)
    text = out.getvalue()
    return {
        "code": code,
        "report": json.loads(text) if text.startswith("{") else {},
        "said": errors.getvalue(),
    }


def disks_to_try() -> list[str]:
    """The disks of trials on overlays that care advises where no unit is known."""
    findings = say("care", "--json")["report"].get("findings", [])
    orders = [one.get("procedure") or {} for each in findings for one in each["remedies"]]
    return [",".join(one["disks"]) for one in orders if one.get("type") == "recover" and not one.get("unit")]


def misplaced() -> list[str]:
    """The arrays that md reads at the wrong place, since a power cut interrupted the end of a reshape."""
    findings = say("care", "--json")["report"].get("findings", [])
    return [one["name"] for one in findings if one["kind"] == "misplaced"]


def follow_advice(told: dict[str, Any]) -> bool:
    """Do what raidtui advises, as a person would; return whether the array was started by force."""
    if any("stop and start the array" in one["sentence"] for one in told["tried"][-1:]):
        shell(_START_AGAIN)
    told["advised"] = say("care", "tank")
    if "placed" in told and "mismatched sectors" in told["tried"][-1]["sentence"]:
        # It was mounted at boot while md read it at the wrong place.
        told["repaired"] = say("care", "tank", "--do", "repair", "--accept", "repair-overwrites")
    for disks in disks_to_try():
        found = say("recover", "--disks", disks, "--json")
        if found["code"] == 0:  # LVM's metadata, which the power cut tore on every disk
            words = ("recover", "--disks", disks, "--for-real", "1")
            told["restored"] = say(*words, "--accept", "restore-metadata")
    for name in misplaced():
        shell("umount /srv/tank")
        say("recover", name, "--stop")
        told["placed"] = say("recover", name, "--for-real", "1", "--accept", "begin-written")
        shell("udevadm settle; mount -a")
    if "--do start-degraded" in told["advised"]["said"]:
        told["started"] = say("care", "tank", "--do", "start-degraded")
    told["forced"] = say("recover", "tank", "--for-real", "1", "--accept", "forced-start")
    return bool(told["forced"]["code"] == 0)


def run_job(mode: str, folder: str) -> int:
    pid = os.fork()
    if pid == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.setsid()
        code = 70
        try:
            code = cli.main(["job", mode, folder])
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def after_boot(mode: str, members: list[str], *, keeps_point: bool) -> dict[str, Any]:
    """What is there after ``mode``, run or rollback.

    Args:
        keeps_point: whether the folder /srv/tank was there before the run, on a root that the lab does not keep.
    """
    if keeps_point:
        os.makedirs(_POINT, exist_ok=True)
    in_guest.boot()
    told: dict[str, Any] = {"jobs": say("jobs", "--json"), "tried": []}
    told["files"] = {name: content(name) for name in _FILES}
    jobs = told["jobs"]["report"].get("jobs", [])
    if not jobs and "inactive" in content("/proc/mdstat"):  # dirty and degraded before the job
        follow_advice(told)
        shell("mount -a")
    if len(jobs) == 1:
        (job,) = jobs
        told["journal"] = sum(map(bool, content(f"{job['folder']}/journal.jsonl").split("\n")))
        way = mode if job["outcome"] != "done" else "done"
        for _ in range(4):
            if way == "done":
                break
            code = run_job(way, job["folder"])
            listed = say("jobs", "--json")["report"]["jobs"]
            (after,) = (one for one in listed if one["folder"] == job["folder"])
            told["tried"].append(
                {"way": way, "code": code, "outcome": after["outcome"], "sentence": after["sentence"]}
            )
            if code == 0:
                break
            if way == "run":  # as a person would: what raidtui advises, then again
                forced = follow_advice(told)
                if forced:  # without the member that was still being rebuilt
                    told["whole"] = say(
                        *(
                            "care",
                            "tank",
                            "--do",
                            "replace",
                            "--erase",
                            members[-1],
                            "--accept",
                            "foreign-array",
                        )
                    )
            way = "run"  # what cannot be rolled back is finished
    in_guest.wait_for_syncs()
    told["inspect"] = say("inspect", "--json", "--no-smart")
    told["etc"] = {name: content(name) for name in _FILES}
    told["mounts"] = content("/proc/self/mountinfo").count(f" {_POINT} ")
    if not told["mounts"]:
        call("mount", _POINT)
    told["data"] = in_guest.checksum(f"{_POINT}/data")
    disks = told["inspect"]["report"].get("disks", [])
    told["signatures"] = in_guest.signatures(
        {disk["serial"]: disk["path"] for disk in disks if disk["serial"] in members}
    )
    told["check"] = in_guest.check(_POINT)
    os.sync()
    return told


def main() -> None:
    for found in pkgutil.walk_packages(raidtui.__path__, "raidtui."):
        if not found.name.startswith(("raidtui.ui", "raidtui.lab", "raidtui.__main__")):
            importlib.import_module(found.name)
    for kind in (JobRequest, Machine, Plan, Entry):  # a decoder takes longer to make than a document to read
        with contextlib.suppress(BadInput):
            from_json("{}", kind, origin="nothing")
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        match order.pop("order"):
            case "begin":
                in_guest.begin(**order)
                print("begun", flush=True)
            case "end":
                in_guest.end()
                print("ended", flush=True)
            case "seen":
                print(json.dumps(in_guest.seen()), flush=True)
            case _:
                _try(order)


def _try(order: dict[str, Any]) -> None:
    """One crash, in a process of its own."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            print(json.dumps(after_boot(**order)), flush=True)
            code = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("it ended without an answer")


main()
