"""A finding in lines, the same on Care and on the page of its unit. Pure; text from disks is made harmless here."""

from collections.abc import Sequence

from textual.content import Content

from raidtui.advice.findings.pages import PAGES, facts_of, news_of, paragraphs
from raidtui.model.finding import Finding, Remedy, Urgency
from raidtui.model.procedure import is_choice
from raidtui.model.text import fold, harmless
from raidtui.model.unit import Unit
from raidtui.ui.care.unit_styles import BAD, PLAIN, WARN
from raidtui.ui.shell import clock

_STYLES = {"disk": "bold", "redundancy left": WARN, "do not": BAD}


def finding_lines(findings: Sequence[Finding], unit: Unit, *, width: int) -> list[Content]:
    """What is known about each of ``unit`` beside its state, and everything to do with its commands."""
    if not findings:
        return [Content.assemble(("Nothing to do.", "$text-muted"))]
    lines: list[Content] = []
    for finding in findings:
        news = _wrapped(news_of(finding, unit), width, style_of(finding))
        lines += [*([Content("")] if lines else []), *news, *fact_lines(finding, width=width)]
        if finding.remedies:
            lines += [Content(""), Content.assemble(("To do", "bold $text-primary"))]
        for number, remedy in enumerate(finding.remedies, 1):
            first = f"  {number} " if len(finding.remedies) > 1 else "  "
            lines += _wrapped(remedy.text, width, "bold", first=first, then=" " * len(first))
            lines += remedy_lines(finding, remedy, width=width)
    return lines


def chosen_lines(finding: Finding, remedy: Remedy | None, *, width: int) -> list[Content]:
    """What happened, what is known, and what one thing to do needs; its sentence is in the list."""
    lines = [*_wrapped(finding.what, width, ""), *fact_lines(finding, width=width)]
    if remedy is not None and remedy.is_trial:
        lines += _wrapped(
            "Enter opens the trial. Nothing is done before you begin it there.", width, "$text-muted"
        )
    elif remedy is not None and remedy.procedure is not None:
        first = "says first what it costs, then shows" if is_choice(remedy.procedure) else "shows"
        enter = f"Enter {first} the plan of it. Nothing is written before you confirm."
        lines += _wrapped(enter, width, "$text-muted")
    if remedy is not None and (more := remedy_lines(finding, remedy, width=width)):
        lines += [
            Content.assemble(("In a shell" if remedy.procedure else "By hand, in this order", "$text-muted")),
            *more,
        ]
    return lines


def page_lines(finding: Finding, *, width: int) -> list[Content]:
    lines: list[Content] = []
    for title, text in paragraphs(finding):
        lines += [Content.assemble((title, "bold $text-primary")), *_wrapped(text, width, ""), Content("")]
    return lines


def style_of(finding: Finding) -> str:
    return {Urgency.DANGER: BAD, Urgency.WARNING: WARN, Urgency.NOTE: PLAIN}[PAGES[finding.kind].urgency]


def fact_lines(finding: Finding, *, width: int) -> list[Content]:
    """The disks, what redundancy is left, and what not to do."""
    return [
        line
        for label, text in facts_of(finding, moment=clock.local)
        for line in _wrapped(f"{label[:1].upper()}{label[1:]}: {text}", width, _STYLES[label], then="  ")
    ]


def remedy_lines(finding: Finding, remedy: Remedy, *, width: int) -> list[Content]:
    """The hazards of one thing to do, and its commands; a long command takes several lines."""
    lines = [
        line for one in remedy.warnings for line in _wrapped(one, width, WARN, first="    ! ", then="      ")
    ]
    for command in commands_of(finding, remedy):
        lines += _wrapped(command, width, "$text-accent", first="      ", then="        ")
    if remedy.asked:
        lines += _wrapped(remedy.asked, width, WARN, first="        ", then="        ")
    return lines


def commands_of(finding: Finding, *remedies: Remedy) -> list[str]:
    """The command of raidtui that does each of ``remedies``, or those that a person runs."""
    return [command for one in remedies for command in (finding.order(one), *one.commands) if command]


def _wrapped(text: str, width: int, style: str, *, first: str = "", then: str = "") -> list[Content]:
    lines = fold(harmless(text), width, first=first, then=then)
    return [Content.assemble((line, style)) for line in lines]
