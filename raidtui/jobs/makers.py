"""The jobs that still have to do with a unit: one that is building it, or a sweep, which removes it again."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.jobs.folders import uuids_made_by
from raidtui.jobs.journal import LOCK
from raidtui.jobs.lock import is_locked
from raidtui.jobs.store import job_folders, read_request
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobKind
from raidtui.model.unit import Unit
from raidtui.model.uuids import bare

_NONE: Final = ("", Path())


class Makers:
    """Finds the job of a unit; each job is read once."""

    def __init__(self) -> None:
        self._read: set[str] = set()
        self._made: dict[
            str, tuple[str, Path]
        ] = {}  # UUID of what was built → its sweep, and the job's folder
        self._foreign: set[str] = set()  # no job here has built these

    def with_job(self, unit: Unit) -> Unit:
        """``unit`` with the job that still has to do with it."""
        if not unit.uuid:
            return unit
        job = self._job_of(bare(unit.uuid))
        return unit if job == unit.job else replace(unit, job=job)

    def _job_of(self, uuid: str) -> str:
        if uuid in self._foreign:
            return ""
        if uuid not in self._made:
            self._read_new()
        sweep, folder = self._made.get(uuid, _NONE)
        if not folder.name:
            self._foreign.add(uuid)
            return ""
        return sweep or (folder.name if is_locked(folder / LOCK) else "")

    def _read_new(self) -> None:
        with suppress(RaidtuiError):
            for folder in job_folders():
                if folder.name in self._read:
                    continue
                self._read.add(folder.name)
                with suppress(RaidtuiError):
                    request = read_request(folder)
                    if request.kind is JobKind.BUILD:
                        made = (request.part_of, folder)
                        self._made |= dict.fromkeys(map(bare, uuids_made_by(request)), made)
