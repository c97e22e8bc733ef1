"""Vary a question: more disks, a larger disk, a spare on the shelf, a hot spare."""

from enum import StrEnum
from typing import Final

from msgspec.structs import replace

from raidtui.advice.report import Question
from raidtui.advice.risk import RiskInputs
from raidtui.model.errors import CannotBuild
from raidtui.model.units import decimal

LONGEST_HOURS: Final = 10 * 8760.0


class Change(StrEnum):
    """One change to a question."""

    NOTHING = "nothing"
    MORE = "+1 disk"
    BIGGER = "larger disk"
    SHELF = "cold spare"
    HOT = "hot spare"


def changed(question: Question, change: Change) -> Question:
    """Apply ``change``. An added disk is as large as the largest; a larger disk has twice the size of the smallest."""
    sizes = question.sizes
    if change is Change.MORE:
        return replace(question, sizes=(*sizes, max(sizes)))
    if change is Change.BIGGER:
        place = sizes.index(min(sizes))
        return replace(question, sizes=(*sizes[:place], 2 * sizes[place], *sizes[place + 1 :]))
    if change is Change.SHELF:
        return replace(question, inputs=replace(question.inputs, obtain_hours=0.0))
    if change is Change.HOT:
        options = question.options
        more = replace(options, spare_sizes=(*options.spare_sizes, max(sizes)))
        return replace(question, options=more)
    return question


def change_words(question: Question, change: Change) -> str:
    """Describe ``change`` in one sentence."""
    largest, smallest = decimal(max(question.sizes)), decimal(min(question.sizes))
    return {
        Change.NOTHING: "The disks as they are; change the figures above.",
        Change.MORE: f"One more member of {largest}, like the largest.",
        Change.BIGGER: f"The smallest disk, of {smallest}, is replaced by one of twice its size.",
        Change.SHELF: "A cold spare is on the shelf: a failed disk is replaced as soon as it is noticed.",
        Change.HOT: f"One more disk of {largest} is a hot spare: the rebuild starts at once, automatically.",
    }[change]


def hours(text: str, what: str) -> float:
    """Parse a number of hours. Raises CannotBuild: not a number, negative, or more than ten years."""
    try:
        value = float(text.strip().removesuffix("h"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST_HOURS:
        raise CannotBuild(f"{text.strip()!r} is not {what}; write hours, for example 24")
    return value


def with_inputs(inputs: RiskInputs, *, afr: float, notice_hours: float, obtain_hours: float) -> RiskInputs:
    """Replace the known or assumed inputs by these; a changed failure rate has the user as its source."""
    return replace(
        inputs,
        afr=afr,
        afr_source=inputs.afr_source if afr == inputs.afr else "entered by you",
        notice_hours=notice_hours,
        obtain_hours=obtain_hours,
    )
