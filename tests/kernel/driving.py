"""Run raidtui in a guest like a script: specs in, exit codes and JSON out."""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

import raidtui as raidtui_package
from raidtui.lab.guest import Guest
from raidtui.model.finding import Finding

KILLER = Path(__file__).with_name("kill_at.py")
JOBS = "/var/lib/raidtui/jobs"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a raidtui command."""

    code: int
    report: dict[str, Any]
    stderr: str


def serials(count: int) -> list[str]:
    """The first serial numbers of the lab."""
    return [f"LAB-{number:04}" for number in range(1, count + 1)]


def has_linear(guest: Guest) -> bool:
    """Whether the guest's kernel has the level linear: it was removed in 6.8, and is an option since 6.14."""
    return guest.shell("modprobe linear || modprobe md-linear", check=False).returncode == 0


def spec_text(
    level: str,
    members: Sequence[str],
    *,
    name: str = "tank",
    spares: Sequence[str] = (),
    filesystem: str = "ext4",
    backend: str = "mdadm",
    **options: object,
) -> str:
    """A spec for small disks, with a small reserve: the default is larger than the disks."""
    lines = [
        f'name = "{name}"',
        f'backend = "{backend}"',
        f'level = "{level}"',
        f"members = {json.dumps(list(members))}",
    ]
    if options.get("partition") is not False:
        lines.append('reserve = "1MiB"')
    if spares:
        lines.append(f"spares = {json.dumps(list(spares))}")
    lines += [f"{key} = {json.dumps(value)}" for key, value in options.items()]
    # Btrfs is a filesystem itself, by default mounted at /srv/NAME.
    if filesystem != "none" and backend != "btrfs":
        lines += [
            "[filesystem]",
            f'type = "{filesystem}"',
            f'label = "{name}"',
            f'mountpoint = "/srv/{name}"',
        ]
    return "\n".join(lines) + "\n"


def raidtui(guest: Guest, *words: str, stdin: str = "", timeout: float = 300) -> Outcome:
    """Run a command, and parse its output if it is JSON."""
    done = guest.run(["raidtui", *words], stdin=stdin, timeout=timeout)
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    return Outcome(code=done.returncode, report=report, stderr=done.stderr)


def python(guest: Guest, script: str, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a Python script in the guest, with the raidtui under test."""
    root = Path(raidtui_package.__file__).parent.parent
    return guest.run([sys.executable, "-c", script, *words], stdin=stdin, env={"PYTHONPATH": str(root)})


def killed(guest: Guest, event: str, step: str, *words: str) -> bool:
    """Run a raidtui command that kills itself at an entry of the journal; return whether it did."""
    root = Path(raidtui_package.__file__).parent.parent
    argv = [sys.executable, str(KILLER), event, step, "--", *words]
    return guest.run(argv, env={"PYTHONPATH": str(root)}, timeout=300).returncode == 128 + 9


def advised(guest: Guest) -> tuple[Finding, list[str]]:
    """The one finding, and the commands that status prints with it."""
    (found,) = raidtui(guest, "status", "--json").report["findings"]
    finding = msgspec.convert(found, Finding)
    lines = [[finding.order(remedy), *remedy.commands] for remedy in finding.remedies]
    return finding, [line for some in lines for line in some if line]


def prepare(guest: Guest, command: str, *words: str) -> dict[str, Any]:
    """Start a job whose process is killed before its first journal entry; return its state."""
    root = Path(raidtui_package.__file__).parent.parent
    argv = [sys.executable, str(KILLER), "prepare", "", "--", command, *words]
    done = guest.run(argv, env={"PYTHONPATH": str(root)})
    assert done.returncode == 4, done.stderr
    job = only_job(guest)
    assert job["outcome"] == "interrupted"
    return job


def prepare_build(guest: Guest, spec: str, erase: Sequence[str]) -> dict[str, Any]:
    """`prepare` for a build."""
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec)
    return prepare(guest, "apply", "/root/spec.toml", "--erase", ",".join(erase))


def steps_of(guest: Guest, job: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a job's plan."""
    plan = json.loads(guest.run(["cat", f"{job['folder']}/plan.json"], check=True).stdout)
    return list(plan["steps"])


def kill_everywhere(guest: Guest, job: dict[str, Any], *, waiting: bool = True) -> None:
    """Kill the job's process as each step begins, after its first command, and when it is done; then finish.

    Args:
        waiting: also where it waits; not where that may be over before it is started again.
    """
    go_on = ("job", "run", job["folder"])  # what 'resume' starts, without following it
    for step in steps_of(guest, job):
        if step["role"] == "wait" and not waiting:
            continue
        assert killed(guest, "step", step["id"], *go_on), (step["id"], only_job(guest)["sentence"])
        if step["destroys"]:
            assert killed(guest, "command", step["id"], *go_on), (step["id"], only_job(guest)["sentence"])
        assert killed(guest, "step-done", step["id"], *go_on), (step["id"], only_job(guest)["sentence"])
        assert only_job(guest)["outcome"] == "interrupted"
    finished = raidtui(guest, "resume", job["request"]["id"], "--json")
    assert finished.code == 0, finished.stderr
    assert finished.report["outcome"] == "done"


def cut_power_at(guest: Guest, command: list[str], words: str) -> None:
    """Run a command until it says ``words``, pull the plug, and boot again."""
    running = guest.start(command)
    deadline = time.monotonic() + 90
    while words.encode() not in running.stderr:
        assert time.monotonic() < deadline, running.stderr
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    guest.power_cut()
    guest.power_on()


def apply(guest: Guest, spec: str, erase: Sequence[str], *more: str) -> Outcome:
    """``raidtui apply`` of a spec's text."""
    return raidtui(guest, "apply", "-", "--erase", ",".join(erase), "--json", *more, stdin=spec)


def teardown(guest: Guest, name: str, erase: Sequence[str]) -> Outcome:
    """``raidtui teardown``."""
    return raidtui(guest, "teardown", name, "--erase", ",".join(erase), "--json")


def inspect(guest: Guest) -> dict[str, Any]:
    """The machine as the guest sees it, without SMART, which virtual disks do not have."""
    return raidtui(guest, "inspect", "--json", "--no-smart").report


def array(guest: Guest, name: str = "tank") -> dict[str, Any] | None:
    """The array called ``name``, if it is there."""
    found = [one for one in inspect(guest)["arrays"] if one["name"] == name]
    return found[0] if found else None


def unit(guest: Guest, name: str = "tank") -> dict[str, Any] | None:
    """The array or volume group called ``name``, if it is there; the group if both are."""
    found = [one for one in inspect(guest)["units"] if one["name"] == name]
    return found[-1] if found else None


def nodes(guest: Guest, wanted: Sequence[str]) -> list[str]:
    """The device nodes of disks, by their serial numbers."""
    listed = guest.run(["lsblk", "-dnro", "NAME,SERIAL"], check=True).stdout
    names = {line.split()[1]: line.split()[0] for line in listed.splitlines() if len(line.split()) == 2}
    return [f"/dev/{names[serial]}" for serial in wanted]


def checksums(guest: Guest, wanted: Sequence[str]) -> list[str]:
    """SHA-256 of every byte of the disks, past all caches."""
    script = "; ".join(
        f"dd if={node} bs=1M iflag=direct status=none | sha256sum" for node in nodes(guest, wanted)
    )
    return guest.shell(script).stdout.split()[::2]


def signatures(guest: Guest, wanted: Sequence[str]) -> list[dict[str, Any]]:
    """All signatures that wipefs finds on the disks and their partitions."""
    found: list[dict[str, Any]] = []
    for node in nodes(guest, wanted):
        listed = guest.shell(f"for n in {node} {node}[0-9]*; do [ -b $n ] && wipefs -J $n; done; true").stdout
        decoder = json.JSONDecoder()
        rest = listed.strip()
        while rest:
            document, end = decoder.raw_decode(rest)
            found += document["signatures"]
            rest = rest[end:].strip()
    return found


def write_something(guest: Guest, folder: str = "/srv/tank") -> str:
    """Write random bytes to the filesystem and sync; return their checksum."""
    file = shlex.quote(f"{folder}/data")
    return guest.shell(
        f"head -c 20000000 /dev/urandom >{file}; sync; sha256sum <{file}; echo 3 >/proc/sys/vm/drop_caches"
    ).stdout.split()[0]


def read_something(guest: Guest, folder: str = "/srv/tank") -> str:
    """The checksum of the bytes written by `write_something`."""
    return guest.shell(f"sha256sum <{shlex.quote(folder)}/data").stdout.split()[0]


def journal(guest: Guest, job: str) -> list[dict[str, Any]]:
    """The journal of a job, entry by entry."""
    text = guest.run(["cat", f"{JOBS}/{job}/journal.jsonl"], check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def only_job(guest: Guest) -> dict[str, Any]:
    """The state of the only job."""
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    assert isinstance(job, dict)
    return job


def bench(guest: Guest, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """``raidtui bench``."""
    return guest.run(["raidtui", "bench", *words], timeout=timeout)


def clean(guest: Guest, target: str) -> None:
    """Check that a benchmark left no file, process or used space in ``target``."""
    assert guest.shell(f"ls -A {target}").stdout.split() == ["lost+found"]
    guest.shell("while pgrep -x fio; do sleep 0.1; done", timeout=5)
    # The last process with the test file open may end slightly later.
    used = f"$(sync; df --output=used -B1 {target} | tail -1)"
    guest.shell(f"until [ {used} -lt 1048576 ]; do sleep 0.1; done", timeout=5)


def mirror(guest: Guest, *, at: str = "/srv/one") -> str:
    """A RAID1 in sync with an ext4 on it, mounted."""
    guest.shell(
        f"""
        echo 200000 >/proc/sys/dev/raid/speed_limit_min
        mdadm --quiet --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none --name=one \
            --homehost=lab --metadata=1.2 /dev/ubda /dev/ubdb
        mdadm --wait /dev/md127 || true
        mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/md127
        mkdir -p {at} && mount /dev/md127 {at}
        """
    )
    return at


ETC = "find /etc -printf '%p %y %m %U %G %l\\n' | sort; find /etc -type f -print0 | sort -z | xargs -0 sha256sum"


def etc(guest: Guest) -> set[str]:
    """Everything in /etc with its type, mode, owner and content."""
    return set(guest.shell(ETC, timeout=300).stdout.splitlines())


def promised(guest: Guest, change: str) -> dict[str, Any]:
    """What the table of growths says of a change of tank."""
    rows = raidtui(guest, "grow", "tank", "--json").report["rows"]
    return dict(next(row["shape"] for row in rows if row["shape"]["change"] == change))


def growing(*add: str, to: str = "") -> list[str]:
    """The words of the command by which tank grows by disks, and gets another level."""
    disks = ",".join(add)
    return ["grow", "tank", *(["--level", to] if to else []), "--add", disks, "--erase", disks]


def grow(guest: Guest, *add: str, to: str = "") -> subprocess.CompletedProcess[str]:
    """Let tank grow by disks."""
    return guest.run(["raidtui", *growing(*add, to=to)], timeout=300)


def keep_writing(guest: Guest) -> None:
    """Write to tank, one file after the other, until the power is cut."""
    guest.start(
        [
            "sh",
            "-c",
            "while :; do dd if=/dev/urandom of=/srv/tank/busy bs=64k count=20 conv=fsync status=none; done",
        ]
    )


def finish_growth(guest: Guest) -> None:
    """Resume the only growth that there was, unless it is done."""
    jobs = raidtui(guest, "jobs", "--json").report["jobs"]
    (growth,) = [one for one in jobs if one["request"]["kind"] == "care"]
    if growth["outcome"] != "done":
        done = raidtui(guest, "resume", growth["request"]["id"])
        assert done.code == 0, done.stderr
