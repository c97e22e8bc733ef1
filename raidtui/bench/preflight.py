"""What must hold before a benchmark is begun, asked of the command and of the screen alike."""

from raidtui.backends.reading import read_whole
from raidtui.bench.fio import MINIMUM
from raidtui.bench.target import Target, check_target
from raidtui.machine.tools import require
from raidtui.model.journal import BenchRequest


def preflight(request: BenchRequest) -> Target:
    """The target and the settings of ``request``, as the job will find them.

    The job asks the same: asked before it as well, a refusal is the answer at once, and no job is begun.

    Raises:
        ToolMissing: fio is absent or too old.
        BadInput, Refused: the target cannot be measured.
    """
    require("fio", MINIMUM)
    return check_target(request.target, read_whole(smart=False), request)
