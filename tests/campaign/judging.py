"""Boot the disks of one crash, resume or roll back, and say what is wrong then."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from raidtui.model.errors import RaidtuiError
from tests.campaign.crashes import Disks, Recording, same_bytes
from tests.campaign.kept import KeptGuest
from tests.campaign.scenarios import BYSTANDER, SCENARIOS, STATE_DISK, Scenario

_AS_BEFORE: Final = "the disks are as they were before"


@dataclass(frozen=True)
class Case:
    """One crash: a scenario, a place in its recording, and the seed of what was lost and of what is done then."""

    scenario: str
    place: int
    seed: int

    def __str__(self) -> str:
        return f"{self.scenario}:{self.place}:{self.seed}"

    @property
    def way(self) -> str:
        """What is done after the boot: ``run`` resumes."""
        return "rollback" if (self.place + self.seed) % 2 else "run"


@dataclass(frozen=True)
class Verdict:
    """What came of a case, in a word, and what is wrong with it."""

    case: Case
    end: str
    wrong: tuple[str, ...]
    told: dict[str, Any]


def judge(case: Case, recording: Recording, disks: Disks, initial: Path, kept: KeptGuest) -> Verdict:
    """Try one case.

    Args:
        disks: at the place of the case.
        initial: the folder with the disks at the beginning of the run.
    """
    folder = kept.disks()
    disks.crash(case.seed, folder)
    names = list(recording.sizes)
    # Each with a name of its own: the guest may still know the files of the last one.
    state = folder / f"state-{case.place}-{case.seed}"
    unpack_state(folder / names[STATE_DISK], state)
    scenario = SCENARIOS[case.scenario]
    order = {"mode": case.way, "members": scenario.members, "keeps_point": bool(scenario.built)}
    try:
        told = kept.run(state, order)
    except RaidtuiError as error:
        return Verdict(case, "traceback", (str(error),), {})
    finally:
        kept.clear()
        shutil.rmtree(state)
    end, wrong = _wrongs(scenario, recording, told, disks.accepted)
    if not same_bytes(folder / names[BYSTANDER], initial / names[BYSTANDER]):
        wrong.append("the bystander has changed")
    if end == "not begun" or (end == "rolled-back" and _AS_BEFORE in told["tried"][-1]["sentence"]):
        numbers = range(len(names)) if scenario.kind == "build" else ()
        wrong += [
            f"{names[number]} is not as it was before"
            for number in numbers
            if number < BYSTANDER and not same_bytes(folder / names[number], initial / names[number])
        ]
    return Verdict(case, end, tuple(wrong), told)


def unpack_state(image: Path, target: Path) -> None:
    """Extract /etc and the state folder from their filesystem, after its journal was replayed as by a mount."""
    checked = subprocess.run(["e2fsck", "-p", str(image)], capture_output=True, text=True, check=False)
    assert checked.returncode in {0, 1}, checked.stdout
    target.mkdir()
    subprocess.run(
        ["debugfs", "-f", "-", str(image)],
        input=f"rdump /etc {target}\nrdump /raidtui {target}\n",
        capture_output=True,
        text=True,
        check=True,
    )


def _wrongs(
    scenario: Scenario, recording: Recording, told: dict[str, Any], accepted: int
) -> tuple[str, list[str]]:
    """What came of the job, and what is wrong."""
    wrong = [*_files(recording, told["files"])]
    jobs = told["jobs"]["report"].get("jobs", [])
    if told["jobs"]["code"] or told["jobs"]["report"].get("problems"):
        wrong.append(f"raidtui jobs: {told['jobs']}")
    if not jobs:
        if accepted:
            wrong.append("the job was accepted and is lost")
        return "not begun", [*wrong, *_before(scenario, recording, told)]
    lines = told["journal"]
    if lines < accepted - 1:
        wrong.append(f"{accepted - 1} entries of the journal were accepted, and {lines} are there")
    tried = told["tried"]
    end = tried[-1]["outcome"] if tried else jobs[0]["outcome"]
    if end == "done":
        wrong += _built(scenario, recording, told) if scenario.kind != "remove" else _removed(told)
    elif end == "rolled-back":
        wrong += _before(scenario, recording, told)
    else:
        wrong += [f"stuck: {tried}", *_lost(recording, told)]
    return end, wrong


def _files(recording: Recording, now: dict[str, str]) -> list[str]:
    """What is wrong with the files of /etc as they were at boot: each is made of whole lines of before and after."""
    wrong = []
    for name, (before, after) in recording.files.items():
        first, last, lines = before.splitlines(), after.splitlines(), now[name].splitlines()
        strange = [line for line in lines if line not in first and line not in last]
        lost = [line for line in first if line in last and line not in lines]
        if strange or lost:
            wrong.append(f"{name}: half a file: {strange} {lost}")
    return wrong


def _unit(told: dict[str, Any]) -> dict[str, Any] | None:
    found = [one for one in told["inspect"]["report"].get("units", []) if one["name"] == "tank"]
    return found[-1] if found else None


def _built(scenario: Scenario, recording: Recording, told: dict[str, Any]) -> list[str]:
    wrong = _whole(scenario, recording, told, scenario.after)
    if (found := _unit(told)) is not None and found["level"] != scenario.level:
        wrong.append(f"its level is {found['level']}")
    wrong += [
        f"{name} is not as after the run"
        for name, both in recording.files.items()
        if told["etc"][name] != both[1]
    ]
    return wrong


def _before(scenario: Scenario, recording: Recording, told: dict[str, Any]) -> list[str]:
    wrong = [
        f"{name} is not as before" for name, both in recording.files.items() if told["etc"][name] != both[0]
    ]
    if scenario.kind == "build":
        if (found := _unit(told)) is not None:
            wrong.append(f"a unit is left: {found}")
        return wrong
    return wrong + _whole(scenario, recording, told, scenario.built)


def _whole(
    scenario: Scenario, recording: Recording, told: dict[str, Any], disks: tuple[str, ...]
) -> list[str]:
    found = _unit(told)
    if found is None:
        return ["there is no unit"]
    wrong = []
    if told["mounts"] != 1:
        wrong.append(f"it is mounted {told['mounts']} times")
    if told["check"]:
        wrong.append(f"e2fsck: {told['check']}")
    wrong += _lost(recording, told)
    lacks = scenario.lacks if disks == scenario.built else ""
    here = [one for one in found["members"] if not lacks or one["state"] != "missing"]
    members = sorted(one["disk"] for one in here)
    on_arrays = "lvm-on-md" in scenario.spec or "hybrid" in scenario.spec
    if not on_arrays and members != sorted({*disks} - {lacks}):
        wrong.append(f"its members are {members}")
    # A scrub counts a copy of the superblock that the power cut left older.
    good = (*_GOOD, "1 corruption error") if "btrfs" in scenario.spec else _GOOD
    # A scrub that fills what a resilver was cut off from counts that as errors of the new device; care clears them.
    if bad := [one for one in here if one.get("state", "").partition(", errors:")[0] not in good]:
        wrong.append(f"members: {bad}")
    return wrong


def _lost(recording: Recording, told: dict[str, Any]) -> list[str]:
    if told["data"] == recording.facts.get("data", told["data"]):
        return []
    return [f"LOST: the data is {told['data']!r}"]


_GOOD: Final = ("in sync", "in use", "online", "spare")


def _removed(told: dict[str, Any]) -> list[str]:
    wrong = [f"{disk} has {text}" for disk, text in told["signatures"].items() if text.strip()]
    if (found := _unit(told)) is not None:
        wrong.append(f"a unit is left: {found}")
    wrong += [f"{name} names it" for name, text in told["etc"].items() if "tank" in text]
    return wrong
