"""What happens in the lab of a rehearsal: units as they are on this computer, the plan, a reboot, and another look."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from raidtui.backends.registry import find_rehearser
from raidtui.backends.units import units_of
from raidtui.commands.rehearsal.units import Involved, filesystems, made_anew
from raidtui.jobs.journal import FILE, data_of, read_journal
from raidtui.jobs.progress import REASON
from raidtui.lab.boot import PACKAGE
from raidtui.lab.command import CommandTimeout
from raidtui.lab.guest import Guest
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.journal import Entry, Event, JobRequest
from raidtui.model.machine import Machine
from raidtui.model.paths import OF_ROOT
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.rehearsal import Rehearsal, RehearsedStep
from raidtui.model.struct import from_json, to_json
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import duration
from raidtui.plan.words import command_line

_LONGEST_JOB: Final = 1800.0  # seconds
_LONGEST_LOOK: Final = 180.0
_MARK: Final = ".raidtui-rehearsal"
# A first resync would read terabytes of nothing, and a rebuild would write zeros until the copies are full.
_HOLD_SYNC: Final = (
    "modprobe md_mod; echo 1 >/proc/sys/dev/raid/speed_limit_min; echo 1 >/proc/sys/dev/raid/speed_limit_max"
)
_FAST_SYNC: Final = "modprobe md_mod; echo 4000000 >/proc/sys/dev/raid/speed_limit_max"
_ENVIRONMENT: Final = {
    "RAIDTUI_STATE": OF_ROOT  # of the caller it may be a folder that the lab does not keep
}
# What the copies of former members make udev start; on the real disks nothing of it runs, or they would be in use.
_STOP_ALL: Final = "mdadm --stop --scan; vgchange -qq -an; udevadm settle"
_WELL: Final = frozenset({"ok", "syncing", "building"})


class RehearsalLab:
    """A guest that is on, with copies of the disks."""

    def __init__(
        self,
        guest: Guest,
        what: Involved,
        remade: str,
        machine: Machine,
        plan: Plan,
        report: Callable[[str], None],
    ) -> None:
        self._guest, self._what, self._plan, self._report = guest, what, plan, report
        self._remade, self._machine = remade, machine
        self._there: dict[str, str] = {}  # what the lab could not give again, by what it is here

    def rehearse(self, order: JobRequest, shown: Rehearsal, folder: Path) -> Rehearsal:
        """Do ``order``, reboot and look again; what is known when something fails is kept."""
        self._settle()
        if self._plan.kind is PlanKind.BUILD:
            self._guest.shell(_STOP_ALL, check=False)
        elif script := made_anew(self._remade, filesystems(self._what)):
            self._report("making anew what the copies do not hold")
            done = self._guest.shell(script, timeout=_LONGEST_LOOK, check=False)
            if done.returncode:
                return replace(
                    shown, sentence=f"the lab is not like this computer: {_last_line(done.stderr)}"
                )
            self._compare()
        code, said, there = self._do(order)
        if there is None:
            return replace(shown, sentence=f"in the lab there is no such plan: {said}")
        here, lab = (list(_commands(one)) for one in (self._plan, there))
        shown = replace(
            shown,
            left_out=tuple(one for one in here if one not in lab),
            instead=tuple(one for one in lab if one not in here),
            steps=_steps(self._plan, there, self._journal(folder)),
        )
        if code is None:
            return replace(shown, sentence=f"in the lab it did not end within {duration(_LONGEST_JOB)}")
        if code:
            return replace(shown, sentence=_failed_at(shown.steps) or f"it failed in the lab: {said}")
        if self._plan.kind is PlanKind.BUILD:
            shown = replace(shown, usable_bytes=_usable(self._units(), self._plan))
            if shown.usable_bytes is not None and shown.usable_bytes != self._plan.array_bytes:
                return replace(
                    shown,
                    sentence=f"the usable space is {shown.usable_bytes:,} bytes in the lab, not {self._plan.array_bytes:,} as calculated",
                )
            place = self._plan.spec.filesystem.mountpoint
            places = [place] if place and self._plan.spec.persistent else []
            if not places:
                return _ended(shown, "")
        else:
            places = self._mounted()
        return _ended(shown, self._wrong_after_reboot(places), rebooted=True)

    def _compare(self) -> None:
        """Note what units that were made anew are called in the lab.

        Raises:
            StepFailed: they are not as they are here.
        """
        here = {unit.name: self._identifiers(unit, self._machine) for unit in self._what.units}
        if not any(here.values()):
            return
        answer = self._guest.run(
            ["raidtui", "inspect", "--json", "--no-smart"], timeout=_LONGEST_LOOK, env=_ENVIRONMENT
        )
        there = from_json(answer.stdout, Machine, origin="the reading in the lab")
        for unit in units_of(there):
            same, own = here.pop(unit.name, ()), self._identifiers(unit, there)
            if len(same) != len(own):
                raise StepFailed(
                    f"the lab is not like this computer: there, {harmless(unit.shown)} is {unit.state}"
                )
            self._there |= {one: other for one, other in zip(same, own, strict=True) if one and other}
        if missing := [name for name, same in here.items() if same]:
            raise StepFailed(f"the lab is not like this computer: it lacks {harmless(listed(missing))}")

    @staticmethod
    def _identifiers(unit: Unit, machine: Machine) -> tuple[str, ...]:
        rehearser = find_rehearser(unit.backend)
        return rehearser.identifiers(unit, machine) if rehearser is not None else ()

    def _as_here(self, text: str) -> str:
        """``text`` from the lab with what units are called here."""
        return _renamed(text, {there: here for here, there in self._there.items()})

    def _do(self, order: JobRequest) -> tuple[int | None, str, Plan | None]:
        """The exit code, None if it did not end; the last line that it said; and the plan that the lab made, if any."""
        said, out = _Lines(self._report), bytearray()
        package = str(PACKAGE.parent)
        argv = [sys.executable, "-P", "-m", "raidtui.commands.rehearsal.inside"]
        command = self._guest.start(
            argv, env=_ENVIRONMENT | {"PYTHONPATH": package}, sinks=(out.extend, said.take)
        )
        command.write_all(_renamed(to_json(order), self._there).encode())
        code: int | None
        try:
            code = command.wait(_LONGEST_JOB)
        except CommandTimeout:
            code = None
        first = self._as_here(out.partition(b"\n")[0].decode(errors="replace"))
        try:
            there = from_json(first, Plan, origin="the plan in the lab")
        except BadInput:
            there = None
        return code, _last_line(said.text).removeprefix("raidtui: "), there

    def _journal(self, folder: Path) -> tuple[Entry, ...]:
        """The journal of the job in the lab, brought to ``folder``."""
        found = self._guest.run(["sh", "-c", f"cat {OF_ROOT}/jobs/*/{FILE}"], timeout=_LONGEST_LOOK)
        (folder / FILE).write_text(found.stdout, encoding="utf-8")
        return read_journal(folder)

    def _mounted(self) -> list[str]:
        """The places that the computer mounts these filesystems at, and that are mounted in the lab now."""
        places = [place for one in filesystems(self._what) for place in one.places]
        places += [place for unit in self._what.units for place in unit.mountpoints if place not in places]
        return [one for one in places if not self._guest.run(["mountpoint", "-q", one]).returncode]

    def _wrong_after_reboot(self, places: Sequence[str]) -> str:
        """What is not as it should be after a reboot; empty if all is."""
        guest = self._guest
        self._report("rebooting the lab")
        before = {one["uuid"]: one["health"] for one in self._units() or ()}
        sums = {
            place: guest.run(
                ["sh", "-c", 'head -c 1048576 /dev/urandom >"$1" && sha256sum "$1"', "sh", f"{place}/{_MARK}"]
            )
            for place in places
        }
        guest.run(["sync"], timeout=_LONGEST_JOB)  # more than a shutdown waits for, if there are many disks
        guest.power_off()
        guest.power_on()
        self._settle()
        for place, written in sums.items():
            look = ["sh", "-c", 'mountpoint -q "$2" && sha256sum "$1"', "sh", f"{place}/{_MARK}", place]
            after = guest.run(look)
            if written.returncode or (after.returncode, after.stdout) != (0, written.stdout):
                return f"after a reboot {harmless(place)} is not mounted with its files"
        if self._plan.kind is PlanKind.BUILD or not self._what.units:
            return ""
        units = self._units()
        if units is None:
            return "after a reboot the state of the units could not be read"
        found = _of_plan(units, self._plan)
        if self._plan.kind is PlanKind.TEARDOWN:
            back = harmless(listed([str(one["name"]) for one in found]))
            return f"after a reboot {back} is here again" if found else ""
        if not found:
            return f"after a reboot {harmless(self._plan.spec.name)} is not here"
        ill = next((one for one in found if one["health"] not in {*_WELL, before.get(one["uuid"])}), None)
        return f"after a reboot {harmless(ill['name'])} is {harmless(ill['state'])}" if ill else ""

    def _settle(self) -> None:
        """Hold back what would sync for hours."""
        self._guest.shell(_HOLD_SYNC if self._plan.kind is PlanKind.BUILD else _FAST_SYNC)

    def _units(self) -> list[Mapping[str, Any]] | None:
        """The units in the lab; None if they could not be read."""
        answer = self._guest.run(["raidtui", "status", "--json"], timeout=_LONGEST_LOOK, env=_ENVIRONMENT)
        if answer.returncode:
            return None
        units: list[Mapping[str, Any]] = json.loads(self._as_here(answer.stdout))["units"]
        return units


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for one, other in names.items():
        text = text.replace(one, other)
    return text


def _ended(shown: Rehearsal, wrong: str, *, rebooted: bool = False) -> Rehearsal:
    """The result, when all ran: ``wrong`` is what a reboot showed; the commands must be the same, too."""
    return replace(
        shown,
        after_reboot=not wrong if rebooted else None,
        passed=not wrong and not shown.instead,
        sentence=wrong or (f"the lab ran other commands: {shown.instead[0]}" if shown.instead else ""),
    )


def _of_plan(units: Sequence[Mapping[str, Any]], plan: Plan) -> list[Mapping[str, Any]]:
    """Those of ``units`` that ``plan`` is about."""
    marks = {mark for mark in plan.marks if mark}
    return [one for one in units if one["uuid"] in marks or set(one["marks"]) & marks]


def _usable(units: Sequence[Mapping[str, Any]] | None, plan: Plan) -> int | None:
    """The usable bytes of what was built, as the lab's kernel reports; None if it reports none."""
    found = _of_plan(units or (), plan)
    below = {uuid for one in found for uuid in one["below"]}
    top = [one for one in found if one["uuid"] not in below]
    return top[0]["size_bytes"] if len(top) == 1 else None


class _Lines:
    """The lines of a command as they come; those that begin a step are reported."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.text = ""
        self._report = report
        self._rest = b""

    def take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in (one.decode(errors="replace") for one in lines):
            self.text += f"{line}\n"
            if line.startswith("["):
                self._report(harmless(line))


def _commands(plan: Plan) -> Iterator[str]:
    """Every command and edit of ``plan``, in order."""
    return (command_line(action) for step in plan.steps for action in step.actions)


def _steps(plan: Plan, there: Plan, entries: Sequence[Entry]) -> tuple[RehearsedStep, ...]:
    """The steps of ``plan`` as the journal of the job in the lab shows; those that the lab does not have are left out."""
    ended = {one.step: one for one in entries if one.event in {Event.STEP_DONE, Event.STEP_FAILED}}
    known = {step.id for step in there.steps}
    return tuple(
        RehearsedStep(
            id=step.id,
            title=step.title,
            seconds=ended[step.id].seconds if step.id in ended else None,
            error=_error(ended.get(step.id)),
        )
        for step in plan.steps
        if step.id in known
    )


def _error(entry: Entry | None) -> str:
    """Why the step failed. What the job could do about it is left out: the job ends with the lab."""
    if entry is None or entry.event is not Event.STEP_FAILED:
        return ""
    return str(data_of(entry).get(REASON) or entry.text)


def _failed_at(steps: Sequence[RehearsedStep]) -> str:
    """Which step failed, and why; empty if none did."""
    return next(
        (
            f"step {number} of {len(steps)} failed in the lab: {harmless(step.error)}"
            for number, step in enumerate(steps, 1)
            if step.error
        ),
        "",
    )


def _last_line(text: str) -> str:
    return harmless(next((line for line in reversed(text.splitlines()) if line.strip()), "it said nothing"))
