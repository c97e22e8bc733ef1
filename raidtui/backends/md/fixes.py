"""Fixes that md arrays need: mail when a disk fails, and a monthly scrub."""

from typing import Final

from raidtui.backends.fix import Fix
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Run, Step, fix_step
from raidtui.model.system import with_continue
from raidtui.steps.files import line_step

CRON: Final = "/etc/cron.d/raidtui-scrub"
MAIL: Final = "MAILADDR root"


def _mail_step(hazard: Hazard, machine: Machine) -> Step:
    conf = machine.system.mdadm_conf
    return line_step(
        "fix-mail",
        title="Send mail to root when a disk fails",
        reason="A degraded array keeps working; without mail nobody notices until the next disk fails.",
        new=[(conf, MAIL)],
        undo_note=f"the line is removed from {conf}",
    )


def _scrub_step(hazard: Hazard, machine: Machine) -> Step:
    """Enable mdadm's own timer if there is one, else add a line for cron."""
    title = "Scrub every array once a month"
    reason = "A scrub finds unreadable sectors and rewrites them from the other members while those are still good."
    by = machine.system.could_scrub
    if not by.endswith(".timer"):
        line = f'57 0 1-7 * * root [ "$(date +\\%u)" = 7 ] && {by} --cron --all --idle --quiet'  # the first Sunday
        return line_step(
            "fix-scrub",
            title=title,
            reason=reason,
            new=[(CRON, line)],
            undo_note=f"the line is removed from {CRON}",
        )
    timers = with_continue(by)
    return fix_step(
        id="fix-scrub",
        title=title,
        reason=reason,
        actions=(Run(argv=("systemctl", "enable", "--now", *timers)),),
        undo=(Run(argv=("systemctl", "disable", "--now", *timers)),),
        undo_note=f"{by} is disabled",
    )


def _can_scrub(hazard: Hazard, machine: Machine) -> bool:
    """Whether a timer or a script for scrubs is installed."""
    return bool(machine.system.could_scrub)


FIXES: Final = {
    "mail": Fix(hazard="no-mail-address", step=_mail_step),
    "scrub": Fix(hazard="never-scrubbed", step=_scrub_step, can=_can_scrub),
}
"""By spec word."""
