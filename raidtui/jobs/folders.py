"""Create mount points for a build, and remove them on teardown if they are empty."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.jobs.durable import sync_folder
from raidtui.jobs.journal import data_of, read_journal
from raidtui.jobs.store import job_folders, read_request
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.journal import Event, JobKind, JobRequest
from raidtui.model.uuids import same_uuid
from raidtui.steps.seeds import derive

MADE: Final = "made"  # key in the data of a note: the folders that the step is about to create
_MODE: Final = 0o755


def make_folders(path: str, note: Callable[[list[str]], None]) -> None:
    """Create the folder ``path`` and its missing parents.

    Args:
        note: called with the missing folders, topmost first, before any is created, so that they are on record even
            after a power cut.

    Raises:
        StepFailed: a folder cannot be created.
    """
    missing = missing_folders(path)
    note(missing)
    try:
        for one in missing:
            os.mkdir(one)
            os.chmod(one, _MODE)  # regardless of the umask
            sync_folder(Path(one).parent)
    except OSError as error:
        raise StepFailed(f"the folder {error.filename} cannot be created: {error.strerror}") from error


def missing_folders(path: str) -> list[str]:
    """The missing ones of the folder ``path`` and its parents, topmost first."""
    folder = Path(path)
    return [str(one) for one in reversed((folder, *folder.parents)) if not one.exists()]


def folders_made_for(built: str) -> tuple[str, ...]:
    """The folders created by the build of an array, or of a single disk's filesystem, to mount it on.

    Args:
        built: UUID of the array or filesystem, which is derived from the seed of its job.
    """
    for folder in job_folders():
        with suppress(RaidtuiError):
            request = read_request(folder)
            if request.kind is not JobKind.BUILD or not has_built(request, built):
                continue
            return folders_made_by(folder)
    return ()


def folders_made_by(job: Path) -> tuple[str, ...]:
    """The folders created by the job in the folder ``job``."""
    notes = [data_of(e).get(MADE) for e in read_journal(job) if e.event is Event.NOTE]
    return tuple(dict.fromkeys(str(one) for some in notes if isinstance(some, list) for one in some))


def has_built(request: JobRequest, uuid: str) -> bool:
    """Whether ``uuid`` is that of the array, the filesystem or a partition (the mark of some units) of that build."""
    return any(same_uuid(one, uuid) for one in uuids_made_by(request))


def uuids_made_by(request: JobRequest) -> tuple[str, ...]:
    """The UUIDs that a build derives from its seed."""
    disks = (*(request.spec.disks if request.spec else ()), *request.erase)
    seeds = [("array",), ("group",), ("filesystem",), *(("partition", disk) for disk in disks)]
    return tuple(derive(request.seed, *what) for what in seeds)


def remove_folders(path: str, made: Sequence[str]) -> str:
    """Remove ``path`` and its parents as long as they are empty and in ``made``; return what was done, in words."""
    removed: list[str] = []
    for folder in (path, *map(str, Path(path).parents)):
        if folder not in made:
            break
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            left = f"the folder {folder} stays: {error.strerror}"
            return f"removed {', '.join(removed)}; {left}" if removed else left
        sync_folder(Path(folder).parent)
        removed.append(folder)
    if removed:
        return f"removed {', '.join(removed)}"
    return (
        f"there is no folder {path}"
        if path in made
        else f"the folder {path} stays: no job of raidtui created it"
    )
