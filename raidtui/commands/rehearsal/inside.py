"""Runs in the lab of a rehearsal: make the plan of an order, print it, and do it as ``raidtui`` does on any computer.

Standard input is the order, a JSON document. The first line of standard output is the plan.
"""

import sys

from raidtui.commands.terminal.follow import follow_to_the_end
from raidtui.jobs.runner import derive_plan
from raidtui.jobs.start import planned_request, start_planned
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobRequest
from raidtui.model.plan import Severity
from raidtui.model.struct import from_json, to_json
from raidtui.model.text import harmless


def main() -> int:
    """Do it; return the exit code of the job."""
    from raidtui.backends.reading import read_whole

    try:
        order = from_json(sys.stdin.read(), JobRequest, origin="the order")
        machine = read_whole(smart=False)
        plan = derive_plan(order, machine)
        print(to_json(plan, pretty=False), flush=True)
        request = planned_request(
            plan,
            machine,
            array=order.array,
            also=order.also,
            procedure=order.procedure,
            erase=[one.named for one in plan.erased],
            accepted=[one.id for one in plan.hazards if one.severity is Severity.HIGH],
        )
        return follow_to_the_end(start_planned(request, plan, machine).id, as_json=False)
    except RaidtuiError as error:
        print(f"raidtui: {harmless(str(error))}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    raise SystemExit(main())
