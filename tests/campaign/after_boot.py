"""Runs in the guest, booted after a crash: resume or roll back its job, and print as JSON what is there then.

    after_boot.py run|rollback MEMBER,… True|False

The last word: whether the folder /srv/tank was there before the run, on a root filesystem that the lab does not keep.

In one process, which forks the job's: starting Python is the greater part of a short command.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from typing import Any

from raidtui import cli

# What mdadm-last-resort@.timer does half a minute after a boot, and then fstab.
_LAST_RESORT = (
    "udevadm settle; for md in /sys/block/md*; do "
    "! grep -qs inactive $md/md/array_state || mdadm --run /dev/${md##*/}; done; udevadm settle; mount -a"
)


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


def shell(script: str) -> str:
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False).stdout


def main(mode: str, members: list[str], *, keeps_point: bool) -> dict[str, Any]:
    if keeps_point:
        os.makedirs("/srv/tank", exist_ok=True)
    shell(_LAST_RESORT)
    told: dict[str, Any] = {"jobs": say("jobs", "--json"), "tried": []}
    told["files"] = {
        name: shell(f"cat {name} 2>/dev/null") for name in ("/etc/fstab", "/etc/mdadm/mdadm.conf")
    }
    jobs = told["jobs"]["report"].get("jobs", [])
    if len(jobs) == 1:
        (job,) = jobs
        told["journal"] = shell(f"grep -c . {job['folder']}/journal.jsonl")
        way = mode if job["outcome"] != "done" else "done"
        for _ in range(3):
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
                told["advised"] = say("care", "tank")
                for disks in disks_to_try():
                    found = say("recover", "--disks", disks, "--json")
                    if found["code"] == 0:  # LVM's metadata, which the power cut tore on every disk
                        words = ("recover", "--disks", disks, "--for-real", "1")
                        told["restored"] = say(*words, "--accept", "restore-metadata")
                if "--do start-degraded" in told["advised"]["said"]:
                    told["started"] = say("care", "tank", "--do", "start-degraded")
                forced = say("recover", "tank", "--for-real", "1", "--accept", "forced-start")
                if forced["code"] == 0:  # without the member that was still being rebuilt
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
    shell("for md in /sys/block/md*; do [ -e $md ] && mdadm --wait /dev/${md##*/}; done; udevadm settle")
    told["inspect"] = say("inspect", "--json", "--no-smart")
    told["etc"] = {name: shell(f"cat {name} 2>/dev/null") for name in ("/etc/fstab", "/etc/mdadm/mdadm.conf")}
    told["mounts"] = shell("grep -c ' /srv/tank ' /proc/self/mountinfo").strip()
    told["data"] = shell("mountpoint -q /srv/tank || mount /srv/tank; sha256sum </srv/tank/data")
    told["signatures"] = {}
    for disk in told["inspect"]["report"].get("disks", []):
        if disk["serial"] in members:
            node = disk["path"]
            told["signatures"][disk["serial"]] = shell(
                f"for n in {node} {node}[0-9]*; do [ -b $n ] && wipefs -n $n; done"
            )
    told["check"] = shell(
        "node=$(findmnt -no SOURCE /srv/tank) && umount /srv/tank && "
        "[ $(blkid -p -o value -s TYPE $node) != ext4 ] || e2fsck -fn $node >/run/fsck 2>&1 || cat /run/fsck"
    )
    shell("sync")
    return told


print(json.dumps(main(sys.argv[1], sys.argv[2].split(","), keeps_point=sys.argv[3] == "True")))
