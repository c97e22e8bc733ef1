"""Explain in a sentence why fio failed."""

import errno
import os
import signal

from raidtui.bench.fio_output import read_output
from raidtui.bench.fio_process import Finished
from raidtui.model.errors import RaidtuiError, Refused, StepFailed
from raidtui.model.text import harmless
from raidtui.results.foreign.fio_document import Job


class EngineUnavailable(Exception):
    """This fio or this kernel lacks the I/O engine; another may work."""


# io_uring may be forbidden by sysctl or seccomp, absent from the kernel, or short of locked memory.
_NO_ENGINE = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOMEM, errno.EOPNOTSUPP})


def job_of(done: Finished, *, target: str, engine: str) -> Job:
    """The job that ``done`` has measured.

    Raises:
        EngineUnavailable: the engine could not be used; nothing was measured.
        Refused: the target does not support this I/O.
        StepFailed: it failed in another way.
    """
    job: Job | None = None
    try:
        job = read_output(done.output)
    except StepFailed:
        if done.returncode == 0:
            raise
    if job is not None and done.returncode == 0 and not job.error:
        return job
    stderr = done.stderr.lower()
    ios = job.read.total_ios + job.write.total_ios + job.mixed.total_ios if job is not None else 0
    if not ios and (
        "failed to load engine" in stderr or "not loadable" in stderr or (job and job.error in _NO_ENGINE)
    ):
        raise EngineUnavailable(_last_line(done.stderr) or os.strerror(job.error if job else 0))
    raise _explain(done, job.error if job is not None else 0, target=target, engine=engine)


def _explain(done: Finished, error: int, *, target: str, engine: str) -> RaidtuiError:
    if error == errno.EINVAL and "direct" in done.stderr:
        return Refused(f"{target} does not support O_DIRECT: only the page cache could be measured")
    if error == errno.EINVAL:
        return Refused(f"{target} rejects this I/O: its sectors may be larger than a row's blocks")
    if known := explain_errno(error, target):
        return known
    if done.returncode < 0:
        return StepFailed(f"fio was killed by {signal.Signals(-done.returncode).name}")
    reason = os.strerror(error) if error else _last_line(done.stderr) or f"exit code {done.returncode}"
    return StepFailed(f"fio failed on {target} with the engine {engine}: {reason}")


def explain_errno(error: int, target: str) -> StepFailed | None:
    """What an errno means for the target, in a sentence; ``None`` if it is not about the target."""
    match error:
        case errno.ENOSPC:
            return StepFailed(f"{target} is full; free some space or use a smaller --size")
        # A device that disappears may return any of these.
        case errno.EIO | errno.EAGAIN | errno.ENODEV | errno.ENXIO | errno.EOPNOTSUPP:
            return StepFailed(
                f"{target} has an I/O error; 'raidtui inspect' and the kernel log ('dmesg') show which disk"
            )
        case errno.EDQUOT:
            return StepFailed(f"your disk quota on {target} is used up; use a smaller --size")
        case errno.EROFS:
            return StepFailed(
                f"{target} became read-only during the benchmark; the kernel log ('dmesg') shows why"
            )
    return None


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return harmless(lines[-1]) if lines else ""
