"""Jobs made by code: the plan of a RAID5 of four disks, and its journal up to a given step."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from raidtui.model.journal import Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.machine import Array, Machine, Member, Sync
from raidtui.model.plan import Plan, Run
from raidtui.plan.build import make_plan
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.world import World
from tests.ui import machines
from tests.ui.pictures import SEED, answers

BEGIN: Final = datetime(2026, 11, 21, 4, 3, 12, tzinfo=UTC)
JOB: Final = "20261121-040312-data"
SERIALS: Final = tuple(machines.disk(number).serial for number in range(1, 5))
COMPONENT: Final = 4_000_333_000_704


def raid5_plan(*, spare: bool = False) -> Plan:
    """The plan of the wizard on the home NAS."""
    members = SERIALS[:3] if spare else SERIALS
    draft = answers(*members, level="raid5", spares=SERIALS[3:] if spare else ())
    return make_plan(draft.spec, machines.four_disks(), seed=SEED)


def request(kind: JobKind = JobKind.BUILD, **changes: object) -> JobRequest:
    """A request for a job."""
    made = JobRequest(
        id=JOB, kind=kind, title="Build RAID5 data", created=BEGIN.isoformat(), spec=raid5_plan().spec
    )
    return msgspec.structs.replace(made, **changes)


def job(outcome: Outcome, **changes: object) -> JobState:
    """A job with this outcome; all steps before its ``step`` are done."""
    made = JobState(request=request(), outcome=outcome, folder=f"/var/lib/raidtui/jobs/{JOB}")
    if step := changes.get("step"):
        steps = [one.id for one in raid5_plan().steps]
        made = msgspec.structs.replace(made, steps_done=tuple(steps[: steps.index(str(step))]))
    return msgspec.structs.replace(made, **changes)


def journal(
    plan: Plan, *, done: int, failed: str = "", undone: Sequence[str] = (), ended: Outcome | None = None
) -> tuple[Entry, ...]:
    """A journal in which the first ``done`` steps are done, and the next has begun, or failed with this error."""
    entries: list[Entry] = []

    def say(event: Event, **rest: object) -> None:
        at = (BEGIN + timedelta(milliseconds=700 * len(entries))).isoformat()
        entries.append(msgspec.structs.replace(Entry(seq=len(entries), at=at, event=event), **rest))

    say(Event.STARTED, text="raidtui 0.1.0, process 4242 on nas: run")
    for number, step in enumerate(plan.steps[: done + 1]):
        if number == done and ended is Outcome.DONE:
            break
        say(Event.STEP, step=step.id, text=step.title)
        for action in step.actions:
            if isinstance(action, Run) and (number < done or failed):
                bad = number == done
                say(
                    Event.COMMAND,
                    step=step.id,
                    argv=action.argv,
                    returncode=1 if bad else 0,
                    stdout="" if bad else _output(action.argv[0]),
                    stderr="mdadm: device or resource busy\n" if bad else "",
                    seconds=0.4,
                )
        if number < done:
            say(Event.STEP_DONE, step=step.id)
        elif failed:
            say(Event.STEP_FAILED, step=step.id, text=failed)
    for name in undone:
        say(Event.STEP, step=name, data=msgspec.Raw(b'{"undo":true}'))
        say(Event.STEP_UNDONE, step=name)
    if ended:
        say(Event.ENDED, text=failed, outcome=ended, exit_code=0 if ended is Outcome.DONE else 4)
    return tuple(entries)


def _output(program: str) -> str:
    return {
        "mdadm": "mdadm: Defaulting to version 1.2 metadata\nmdadm: array /dev/md/data started.\n",
        "mkfs.ext4": "Creating filesystem with 2929968384 4k blocks and 366247936 inodes\n",
    }.get(program, "")


def syncing(share: float, *, action: str = "resync", speed: int = 182_300_000, waiting: str = "") -> Sync:
    """A sync at this share of its total."""
    return Sync(
        action=action,
        done_bytes=int(COMPONENT * share),
        total_bytes=COMPONENT,
        bytes_per_second=0 if waiting else speed,
        waiting=waiting,
    )


def built_array(plan: Plan, **changes: object) -> Array:
    """The array of ``plan``, clean and in sync."""
    made = machines.running_array(
        name=plan.spec.name,
        uuid=plan.array_uuid,
        path=plan.array_path,
        level=plan.spec.level,
        raid_disks=len(plan.spec.members),
        size_bytes=plan.array_bytes,
        component_bytes=COMPONENT,
        sync_speed_min=1000 * 1024,
        sync_speed_max=200_000 * 1024,
        members=tuple(member(number, number - 1) for number in range(1, len(plan.spec.members) + 1)),
        mountpoints=(plan.spec.filesystem.mountpoint,),
    )
    return msgspec.structs.replace(made, **changes)


def member(number: int, slot: int | None, *states: str) -> Member:
    """The member on disk ``number``; by default in sync."""
    return Member(
        path=f"/dev/sd{machines.letters(number)}1",
        disk=machines.disk(number).serial,
        slot=slot,
        state=states or ("in_sync",),
    )


def first_build(plan: Plan, share: float) -> Array:
    """A RAID5 as mdadm creates it: the last member is being rebuilt."""
    count = len(plan.spec.members)
    members = [member(n, n - 1) for n in range(1, count)] + [member(count, count - 1, "spare")]
    return built_array(
        plan,
        degraded=1,
        initial_build=True,
        sync_action="recover",
        sync=syncing(share, action="recover"),
        members=tuple(members),
    )


def nas(*arrays: Array) -> Machine:
    """The home NAS with these arrays, and md's default speed limits."""
    made = machines.four_disks()
    system = msgspec.structs.replace(
        machines.with_lines(arrays), raid_speed_min=1000 * 1024, raid_speed_max=200_000 * 1024
    )
    return msgspec.structs.replace(made, system=system, arrays=arrays)


def open_at(world: World, place: str, *, console: bool = False, **about: str) -> RaidtuiApp:
    """The app at this place, opened from the overview."""
    way = [Place("overview")] if place == "overview" else [Place("overview"), Place(place, about)]
    return RaidtuiApp(world, console, places=way, draft=answers())
