"""What sfdisk reads: it ends the name of a device at its first colon, and the link of a USB disk has one."""

import re

from raidtui.model.plan import Run
from tests.unit.recorded_plans import plans


def test_no_line_names_a_device() -> None:
    lines = [
        line
        for _, plan in plans()
        for step in plan.steps
        for run in step.actions
        if isinstance(run, Run) and run.argv[0] == "sfdisk"
        for line in run.input.splitlines()
    ]
    assert [line for line in lines if "start=" in line]
    assert not [line for line in lines if re.match(r"(?!label|\d+ : )[^=]*:", line)]
