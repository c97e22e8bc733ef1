"""Keep the names of what was found wrong, so that a shell can complete them without a look at the computer."""

from collections.abc import Iterable
from contextlib import suppress

from raidtui.jobs.durable import make_folder, write_file
from raidtui.model.errors import RaidtuiError
from raidtui.model.finding import Finding
from raidtui.model.paths import FINDINGS, runtime_folder
from raidtui.model.text import harmless


def keep_findings(findings: Iterable[Finding]) -> None:
    """Write each name and what is wrong to the runtime folder, a line each; where that cannot be, nothing is kept."""
    if (folder := runtime_folder()) is None:
        return
    lines = (f"{harmless(one.name)}\t{harmless(one.what)}\n" for one in findings)
    with suppress(OSError, RaidtuiError):
        make_folder(folder)
        write_file(folder / FINDINGS, "".join(lines).encode())
