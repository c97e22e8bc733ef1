"""Runs in the lab of a rehearsal: make the plan of an order, print it, and do it as ``raidtui`` does on any computer.

Standard input is the order, a JSON document. The first line of standard output is the plan.
"""

import sys

from raidtui.commands._follow import follow_to_the_end
from raidtui.jobs.confirm import name_of
from raidtui.jobs.runner import derive_plan
from raidtui.jobs.start import build_request, care_request, start_planned, teardown_request
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobKind, JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Severity
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
        return follow_to_the_end(
            start_planned(_request(order, plan, machine), plan, machine).id, as_json=False
        )
    except RaidtuiError as error:
        print(f"raidtui: {harmless(str(error))}", file=sys.stderr)
        return error.exit_code


def _request(order: JobRequest, plan: Plan, machine: Machine) -> JobRequest:
    erase = tuple(name_of(one) for one in plan.erased)
    accepted = tuple(dict.fromkeys(one.id for one in plan.hazards if one.severity is Severity.HIGH))
    if order.kind is JobKind.TEARDOWN:
        return teardown_request(plan, machine, array=order.array, also=order.also, erase=erase)
    if order.procedure is not None:
        return care_request(plan, machine, procedure=order.procedure, erase=erase, accepted=accepted)
    return build_request(plan, machine, erase=erase, accepted=accepted)


if __name__ == "__main__":
    raise SystemExit(main())
