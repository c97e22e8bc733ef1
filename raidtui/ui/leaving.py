"""Leaving raidtui: jobs go on without it, except in the lab, which ends with it."""

from typing import TYPE_CHECKING

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Outcome
from raidtui.ui import job_words
from raidtui.ui.later import in_thread
from raidtui.ui.widgets.dialog import Question

if TYPE_CHECKING:
    from raidtui.ui.app import RaidtuiApp


class LastQuestion(Question):
    """Whether to leave although a job would end with the lab."""


def jobs_then(*, in_lab: bool) -> str:
    """What becomes of jobs when raidtui is left."""
    return "jobs end with the lab" if in_lab else "jobs go on"


async def leave_the_lab(app: "RaidtuiApp") -> None:
    """Leave, after a question if a job runs; asked again while that question is shown, leave."""
    screen = app.screen
    if isinstance(screen, LastQuestion):
        app.exit()
        return
    try:
        jobs = await in_thread(screen, app.world.list_jobs)
    except RaidtuiError:  # nothing is known to run
        jobs = ()
    running = [job for job in jobs if job.outcome is Outcome.RUNNING]
    if not running:
        app.exit()
        return

    def answered(yes: bool | None) -> None:
        if yes:
            app.exit()

    app.push_screen(
        LastQuestion(
            "A job runs in the lab",
            f"'{job_words.title(running[0])}' is not done. The lab ends with raidtui, unless that was started from a "
            "shell in it: the job and what it built would be gone then.",
            yes="Leave",
            no="Stay",
        ),
        answered,
    )
