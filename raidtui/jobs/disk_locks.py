"""The disks and units that jobs reserve among each other, by lock files: ``STATE/disks``, ``STATE/units``, ``STATE/swept``.

Every job locks what it uses while it runs. A sweep locks its disks in ``swept`` from its begin to its end, as every other
job does with its own, and each of its parts those it uses in ``disks``.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from raidtui.jobs.durable import make_folder
from raidtui.jobs.lock import held, is_locked
from raidtui.model.paths import state_folder
from raidtui.model.uuids import bare

if TYPE_CHECKING:
    from raidtui.model.plan import Plan

_ASKING_SECONDS: Final = 1.0
_SWEPT: Final = "swept"


@contextmanager
def lock_disk(identity: str, *, part_of: str = "") -> Iterator[None]:
    """Reserve a disk for this job among all jobs on this computer.

    Args:
        part_of: id of the sweep that the job belongs to, which has reserved it for all of its parts.

    Raises:
        Refused: another job is using it.
    """
    with ExitStack() as stack:
        if not part_of:
            stack.enter_context(lock_for_sweep(identity))
        stack.enter_context(_locked("disk", identity, called=identity))
        yield


@contextmanager
def lock_for_sweep(identity: str) -> Iterator[None]:
    """Reserve a disk for a whole sweep, between its parts too: it erases what anything else leaves there.

    Raises:
        Refused: another job is using it.
    """
    with _locked("disk", identity, called=identity, place=_SWEPT):
        yield


def is_reserved(identity: str) -> bool:
    """Whether a job that runs has reserved this disk: a sweep, or any other. Raises OSError: it is not known."""
    return (state_folder() / _SWEPT).exists() and is_locked(_lock_of(_SWEPT, identity))


@contextmanager
def reserve(plan: "Plan", *, part_of: str = "") -> Iterator[None]:
    """Reserve the disks and units of ``plan`` for this job among all jobs on this computer.

    Args:
        part_of: id of the sweep that the job belongs to.

    Raises:
        Refused: another job is using one of them.
    """
    with ExitStack() as stack:
        for disk in plan.disks:
            stack.enter_context(lock_disk(disk.identity, part_of=part_of))
        for one in plan.units:
            if one.array_uuid:
                stack.enter_context(_locked("unit", bare(one.array_uuid), called=one.spec.name))
        yield


@contextmanager
def _locked(what: str, key: str, *, called: str, place: str = "") -> Iterator[None]:
    lock = _lock_of(place or f"{what}s", key)
    make_folder(lock.parent)
    refusal = f"another job is using the {what} {called}; 'raidtui jobs' shows which"
    with held(lock, patience_seconds=_ASKING_SECONDS, refusal=refusal):
        yield


def _lock_of(place: str, key: str) -> Path:
    """The lock file in the folder ``place`` for a disk or a unit."""
    import hashlib  # it loads OpenSSL, and mostly nothing is locked

    return state_folder() / place / hashlib.sha256(key.encode()).hexdigest()[:32]
