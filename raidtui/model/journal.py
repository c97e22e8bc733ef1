"""What happened: requests for jobs, and the lines of their journals."""

from enum import StrEnum

import msgspec

from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.sweep import Sweep


class JobKind(StrEnum):
    """What a job does."""

    BUILD = "build"
    TEARDOWN = "teardown"
    BENCH = "bench"
    SWEEP = "sweep"

    @property
    def has_plan(self) -> bool:
        """Whether such a job carries out the steps of a plan."""
        return self in {JobKind.BUILD, JobKind.TEARDOWN}


class BenchRequest(Record, frozen=True, kw_only=True):
    """A benchmark, asked for. Sizes are bytes, times seconds; 0 leaves it to the profile."""

    target: str  # a directory on a mounted filesystem, or a block device
    profile: str = "cdm"  # its name, or the path of its file
    size_bytes: int = 0  # 0: the profile's, or less where that does not fit
    runs: int = 0
    seconds: int = 0
    mix: bool = False
    cached: bool = False  # through the page cache, whatever the profile says
    pause_seconds: int = 0  # between two cells, for the disks to recover
    compat: str = ""  # "cdm8" or "cdm9": as that CrystalDiskMark measures
    hottest: int = 0  # degrees Celsius of a disk at which it stops; 0: the disk's own limit
    label: str = ""
    during_sync: bool = False  # measure although the array syncs, and stamp the result
    erase: str = ""  # serial of a blank block device that may be written


class JobRequest(Record, frozen=True, kw_only=True):
    """Why a job exists. Holds what was confirmed, never commands: the job derives those again itself."""

    id: str  # 20261121-040312-tank
    kind: JobKind
    title: str
    created: str  # ISO 8601, UTC
    spec: Spec | None = None
    array: str = ""  # teardown: name or UUID of the array
    seed: str = ""
    fingerprint: str = ""  # of the plan that was confirmed
    erase: tuple[str, ...] = ()  # the disks as they were named
    accepted: tuple[str, ...] = ()  # ids of acknowledged hazards
    bench: BenchRequest | None = None
    sweep: Sweep | None = None
    part_of: str = ""  # id of the sweep that began it
    purpose: str = ""  # what it measures for that sweep


class Event(StrEnum):
    """What a journal line is about."""

    STARTED = "started"  # the job's process runs; text: who and where
    STEP = "step"  # a step starts
    COMMAND = "command"  # a command ended: argv, returncode, stdout, stderr, seconds
    EDIT = "edit"  # a file was changed; text: which and how
    CHECK = "check"  # a condition was asked; text: the answer
    STEP_DONE = "step-done"
    STEP_FAILED = "step-failed"  # text: the sentence for the user
    STEP_UNDONE = "step-undone"
    NOTE = "note"
    CELL = "cell"  # a benchmark cell was measured once; text: its name and direction
    RESULT = "result"  # text: the id of the stored result
    ENDED = "ended"  # outcome and exit code


class Outcome(StrEnum):
    """How a job ended, or that it has not."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    ROLLED_BACK = "rolled-back"
    INTERRUPTED = "interrupted"  # its process is gone and the journal has no end

    @property
    def words(self) -> str:
        """As people read it; the value is for programs."""
        return {"cancelled": "canceled", "rolled-back": "rolled back"}.get(self.value, self.value)


class Entry(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a journal; written and synced before the next step starts."""

    seq: int
    at: str  # ISO 8601, UTC
    event: Event
    step: str = ""
    text: str = ""
    argv: tuple[str, ...] = ()
    returncode: int | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float | None = None
    outcome: Outcome | None = None
    exit_code: int | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")  # more about the event, for programs


class JobState(Record, frozen=True, kw_only=True):
    """A job as its folder shows it now."""

    request: JobRequest
    outcome: Outcome
    step: str = ""  # the step it is at, or ended at
    steps_done: tuple[str, ...] = ()
    exit_code: int | None = None
    sentence: str = ""  # why it failed or was refused
    pid: int | None = None
    folder: str = ""
