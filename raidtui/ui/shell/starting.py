"""Start a job from Confirm: the app waits for it, even if the user goes to another screen."""

import asyncio
from collections.abc import Callable

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobRequest
from raidtui.model.text import harmless
from raidtui.ui.care import job_words
from raidtui.ui.shell.lifecycle import is_there
from raidtui.ui.shell.modal import Over
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.tui import Tui
from raidtui.ui.wizard.draft import new_draft, taken_names


def start_job(
    app: Tui,
    start: Callable[[], JobRequest],
    refused: Callable[[], None],
    *,
    keeps_answers: bool = False,
) -> None:
    """Start a job and go to it. A seed is for one job: the draft gets a new one once the job has started.

    Args:
        start: starts it; called in a thread.
        refused: called if it was not started, after the error was shown.
        keeps_answers: keep the draft, because the job is not for its array.
    """
    app.run_worker(_start(app, start, refused, keeps_answers), group="start")


async def _start(
    app: Tui, start: Callable[[], JobRequest], refused: Callable[[], None], keeps_answers: bool
) -> None:
    asking = app.screen
    try:
        request = await asyncio.to_thread(app.orders.carry_out, start)
    except RaidtuiError as error:
        if is_there(asking) and isinstance(asking, Page):
            asking.complain(str(error))
            refused()
        else:
            app.post_message(app.Trouble(str(error)))
        return
    if keeps_answers:
        app.draft = app.draft.with_new_seed()
    else:
        app.draft = new_draft(taken_names(app.machine, app.units) | {app.draft.spec.name})
    while isinstance(app.screen, Over):
        app.pop_screen()
    if app.screen is asking:
        app.go_from_overview(job_words.place(request), job=request.id)
    elif isinstance(app.screen, Page):
        app.screen.say(f"{harmless(request.title)}: started; Jobs shows it")
