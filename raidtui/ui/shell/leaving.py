"""Quit raidtui: jobs keep running, except in the lab, which ends with it."""

from raidtui.backends.registry import backend
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Outcome
from raidtui.model.text import count_of, harmless
from raidtui.ui.care import job_words
from raidtui.ui.shell.lifecycle import in_thread
from raidtui.ui.shell.tui import Tui
from raidtui.ui.widgets.dialog import Question


class LastQuestion(Question):
    """Asks whether to quit although arrays, results or a job would be lost with the lab."""

    HELP = """
    The lab is a separate virtual machine. It ends with raidtui, unless raidtui was started from a shell in it:
    its disks, arrays, results and jobs are lost then. Save what you want to keep first, into a folder that the lab
    shares.
    """


async def leave_the_lab(app: Tui) -> None:
    """Quit; ask first if anything would be lost. A second q does not answer the question."""
    screen = app.screen
    if isinstance(screen, LastQuestion):
        return
    lost = await in_thread(screen, _what_is_lost, app)
    if not lost:
        app.exit()
        return

    def answered(yes: bool | None) -> None:
        if yes:
            app.exit()

    app.push_screen(
        LastQuestion(
            "Leave the lab?",
            "The lab ends with raidtui. You will lose:\n\n" + "\n".join(f"  {one}" for one in lost),
            yes="Leave and lose them",
        ),
        answered,
    )


def _what_is_lost(app: Tui) -> list[str]:
    """One line for each thing that is lost with the lab: the running job, arrays, results."""
    lost: list[str] = []
    try:
        running = [job for job in app.world.list_jobs() if job.outcome is Outcome.RUNNING]
        results = len(app.world.list_results())
    except RaidtuiError:  # unreadable
        running, results = [], 0
    lost += [f"the running job '{job_words.title(job)}'" for job in running]
    if names := sorted({harmless(unit.name) for unit in app.units}):
        nouns = {backend(unit.backend).noun for unit in app.units}
        what = nouns.pop() if len(nouns) == 1 else "unit"
        them = "it" if len(names) == 1 else "them"
        lost.append(f"{count_of(names, what)} and the data on {them}: {', '.join(names)}")
    if results:
        lost.append(f"{results} benchmark result{'s'[: results != 1]}")
    return lost
