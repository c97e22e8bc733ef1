"""Follow a job from this terminal: what it has done, and what it is doing. Ctrl-C leaves it running.

With --stop it is stopped first: after its current step, a benchmark at once. 'raidtui resume' continues it,
'raidtui rollback' undoes it.
"""

import argparse

from raidtui.commands._recorded import refuse_recorded
from raidtui.model.errors import BadInput
from raidtui.model.journal import JobKind, Outcome
from raidtui.model.text import harmless, listed


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "job",
        metavar="JOB",
        nargs="?",
        help="job id, or its unambiguous start or end (default: the running job, or the last one)",
    )
    parser.add_argument(
        "--stop", action="store_true", help="stop the job after its current step, and follow it"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Follow the job and return its exit code."""
    from raidtui.commands.terminal.follow import follow_to_the_end
    from raidtui.commands.terminal.tell import tell
    from raidtui.jobs.store import damaged_requests, job_state, list_jobs

    refuse_recorded(args.machine, "has no jobs")
    job = args.job
    if job is None:
        jobs = [one for one in list_jobs() if not one.request.part_of]  # a sweep has many, and they end soon
        if not jobs:
            raise BadInput(
                "; ".join(damaged_requests()) or "there is no job to follow; 'raidtui apply' starts one"
            )
        running = [one.request.id for one in jobs if one.outcome is Outcome.RUNNING]
        if args.stop and len(running) > 1:
            raise BadInput(f"several jobs run; name the JOB to stop: {listed(running)}")
        job = next(iter(running), jobs[0].request.id)
    if args.stop:
        from raidtui.jobs.start import cancel

        cancel(job)
    state = job_state(job)
    request = state.request
    if state.outcome is Outcome.RUNNING and not args.stop:
        tell(harmless(f"{request.title} ({request.id}). Ctrl-C leaves it running."))
    if request.kind is JobKind.BENCH and not args.json:
        from raidtui.commands.terminal.measuring import follow_measurement

        return follow_measurement(request.id, stops=False)
    if request.kind is JobKind.BURN_IN and not args.json:
        from raidtui.commands.burnin import follow_burn_in

        return follow_burn_in(request.id)
    return follow_to_the_end(request.id, as_json=args.json)
