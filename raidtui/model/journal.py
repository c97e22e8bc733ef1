"""Job requests, and the entries of their journals."""

from datetime import datetime
from enum import StrEnum

import msgspec

from raidtui.model.history import Sectors, SelfTest
from raidtui.model.procedure import Procedure
from raidtui.model.spec import Spec
from raidtui.model.struct import Bytes, Record, Whole
from raidtui.model.sweep import Sweep


class JobKind(StrEnum):
    """What a job does."""

    BUILD = "build"
    TEARDOWN = "teardown"
    BENCH = "bench"
    SWEEP = "sweep"
    REPLACE = "replace"
    CARE = "care"  # another procedure on a unit
    BURN_IN = "burn-in"

    @property
    def has_plan(self) -> bool:
        """Whether jobs of this kind execute the steps of a plan."""
        return self in {JobKind.BUILD, JobKind.TEARDOWN} or self.is_care

    @property
    def is_care(self) -> bool:
        """Whether jobs of this kind do something about a finding."""
        return self in {JobKind.REPLACE, JobKind.CARE}


class BenchRequest(Record, frozen=True, kw_only=True):
    """The options of a benchmark. Sizes are bytes, times seconds; 0 means the profile's value."""

    target: str  # a directory on a mounted filesystem, or a block device
    profile: str = "cdm"  # name of a profile, or path of its file
    size_bytes: Bytes = 0  # 0: the profile's, or less if that does not fit
    runs: Whole = 0
    seconds: Whole = 0
    mix: bool = False
    cached: bool = False  # through the page cache, overriding the profile
    pause_seconds: Whole = 0  # between two cells, for the disks to settle
    compat: str = ""  # "cdm8" or "cdm9": measure as that version of CrystalDiskMark does
    hottest: Whole = 0  # disk temperature in degrees Celsius at which to stop; 0: the disk's own limit
    label: str = ""
    during_sync: bool = False  # measure while the array syncs, and flag the result
    erase: str = ""  # serial of a blank block device that may be written


class BurnInRequest(Record, frozen=True, kw_only=True):
    """The options of a burn-in."""

    disks: tuple[str, ...]  # their identities
    sizes: tuple[Bytes, ...] = ()  # of each, for the display of progress
    patience_seconds: Whole  # a disk that completes nothing for so long is given up
    self_tests: bool = True  # also run the disks' own short and long self-tests
    writes: bool = False  # also write all of each disk and compare; the job's `erase` names them


class JobRequest(Record, frozen=True, kw_only=True):
    """What a job is to do. Holds what was confirmed, never commands: the job derives those again."""

    id: str  # 20261121-040312-tank
    kind: JobKind
    title: str
    created: str  # ISO 8601, UTC
    spec: Spec | None = None
    array: str = ""  # teardown: name or UUID of the array
    also: tuple[str, ...] = ()  # teardown: further ones that go in the same plan
    seed: str = ""
    fingerprint: str = ""  # of the confirmed plan
    erase: tuple[str, ...] = ()  # the disks to erase, as the user named them
    accepted: tuple[str, ...] = ()  # ids of the acknowledged hazards
    bench: BenchRequest | None = None
    burn_in: BurnInRequest | None = None
    sweep: Sweep | None = None
    procedure: Procedure | None = None  # of a replacement, or of care
    part_of: str = ""  # id of the sweep that started it
    purpose: str = ""  # what it measures for that sweep


class Event(StrEnum):
    """What a journal line is about."""

    STARTED = "started"  # the job's process started; text: who and where
    STEP = "step"  # a step started
    COMMAND = "command"  # a command ended: argv, returncode, stdout, stderr, seconds
    EDIT = "edit"  # a file was changed; text: which and how
    CHECK = "check"  # a condition was checked; text: the finding
    STEP_DONE = "step-done"
    STEP_FAILED = "step-failed"  # text: the sentence for the user
    STEP_UNDONE = "step-undone"
    NOTE = "note"
    CELL = "cell"  # a benchmark cell was measured once, or zones of a disk were read; text: which
    RESULT = "result"  # text: the id of the stored result
    ENDED = "ended"  # outcome and exit code


class Outcome(StrEnum):
    """How a job ended, or that it is still running."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    ROLLED_BACK = "rolled-back"
    INTERRUPTED = "interrupted"  # its process is gone and the journal has no `ENDED`

    @property
    def words(self) -> str:
        """The word to show; the value itself is for programs."""
        return {"cancelled": "canceled", "rolled-back": "rolled back"}.get(self.value, self.value)


class Entry(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a journal, synced to disk before the next step starts."""

    seq: Whole
    at: str  # ISO 8601, UTC
    event: Event
    step: str = ""
    text: str = ""
    argv: tuple[str, ...] = ()
    returncode: Whole | None = None
    accepted: bool = False  # the command may end with this exit code, which is not 0
    stdout: str = ""
    stderr: str = ""
    seconds: float | None = None
    outcome: Outcome | None = None
    exit_code: Whole | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")  # details of the event, for programs

    @property
    def code_words(self) -> str:
        """How a command ended, after its seconds: ", exit code 1, not an error here"; empty if with 0."""
        if not self.returncode:
            return ""
        return f", exit code {self.returncode}{', not an error here' if self.accepted else ''}"

    @property
    def seen(self) -> str:
        """What a check found that does not hold: before and during a step, that is still to be done."""
        return f"seen: {self.text.removeprefix('no: ')}" if self.text.startswith("no: ") else self.text


class BurnInNote(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The data of an entry of a burn-in: what has just been learned about the disk with this identity."""

    disk: str
    step: str
    rates: dict[str, int] = msgspec.field(default_factory=dict)  # by zone; 0: it could not be done to its end
    faults: tuple[tuple[int, int], ...] = ()  # offset and length of what could not be read or written
    differs: tuple[int, ...] = ()  # the first byte of each block that is not what was written
    bad: tuple[Sectors, ...] = ()
    unsteady: tuple[Sectors, ...] = ()
    gave_up: str = ""
    self_test: SelfTest | None = None
    test_left: int | None = None  # percent of the self-test that runs

    @property
    def is_grave(self) -> bool:
        """Whether it speaks against the disk."""
        failed = self.self_test is not None and self.self_test.passed is False
        return bool(self.faults or self.differs or self.bad or self.unsteady or self.gave_up or failed)


class JobState(Record, frozen=True, kw_only=True):
    """The state of a job, as read from its folder."""

    request: JobRequest
    outcome: Outcome
    step: str = ""  # the current step, or the last
    steps_done: tuple[str, ...] = ()
    exit_code: Whole | None = None
    sentence: str = ""  # why it failed or was refused
    pid: Whole | None = None
    folder: str = ""


def seconds_between(begin: str, end: str) -> float:
    """Seconds between two times of a journal; 0 if they are none, or in the wrong order after the clock was set."""
    try:
        return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds())
    except (ValueError, TypeError):  # TypeError: only one has a time zone
        return 0.0
