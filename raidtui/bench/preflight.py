"""The checks before a benchmark starts, for the command and the screen alike."""

from raidtui.backends.reading import read_whole
from raidtui.bench.fio import MINIMUM
from raidtui.bench.target import Target, check_target, examine
from raidtui.machine.tools import require
from raidtui.model.journal import BenchRequest


def preflight(request: BenchRequest) -> Target:
    """The target and the settings of ``request``, as the job will find them.

    The job checks the same again; checking first gives a refusal at once, without starting a job.

    Raises:
        ToolMissing: fio is absent or too old.
        BadInput, Refused: the target cannot be measured.
    """
    require("fio", MINIMUM)
    examine(request.target, request)  # first, since reading the computer takes a while
    return check_target(request.target, read_whole(smart=False), request)
