"""Findings as lines of text, the same for every command."""

from collections.abc import Iterable

from raidtui.advice.findings.pages import data_of, facts_of, paragraphs
from raidtui.advice.scrub_words import moment
from raidtui.model.finding import Finding
from raidtui.model.problem import Problem
from raidtui.model.text import fold, harmless


def listed_lines(findings: Iterable[Finding]) -> list[str]:
    """Each finding with its number, its name, its disks and what to do."""
    lines = []
    for number, one in enumerate(findings, 1):
        lines += wrapped(f"{number:>2}  ", [one.what])
        lines += finding_lines(one, indent=4, disks=True)
    return [harmless(line) for line in lines]


def finding_lines(finding: Finding, *, indent: int = 2, disks: bool = False) -> list[str]:
    """What is known and what must not be done, with ``disks`` which ones; and what to do with its commands."""
    begin = " " * indent
    facts = (one for one in facts_of(finding, moment=moment) if disks or one[0] != "disk")
    lines = [line for label, text in facts for line in wrapped(f"{begin}{label}: ", [text])]
    for remedy in finding.remedies:
        lines += wrapped(f"{begin}to do: ", [remedy.text])
        lines += wrapped(f"{begin}   !  ", remedy.warnings)
        lines += [f"{begin}    {command}" for command in (finding.order(remedy), *remedy.commands) if command]
        lines += wrapped(f"{begin}      ", filter(None, [remedy.asked]))
    return lines


def unknown_lines(problems: Iterable[Problem]) -> list[str]:
    """What could not be read, so that nothing is found there."""
    return [harmless(line) for one in problems for line in wrapped("unknown: ", [one.text])]


def explained_lines(finding: Finding) -> list[str]:
    """The page of a finding, the same as F1 shows on its screen."""
    lines = [data_of(finding), *wrapped("", [finding.what])]
    for title, text in paragraphs(finding):
        lines += ["", title, *wrapped("  ", [text])]
    return [harmless(line) for line in lines]


def wrapped(begin: str, texts: Iterable[str], *, further: str = "") -> list[str]:
    """Each text with ``begin`` before it, in lines of at most 80 characters.

    Args:
        further: before the second and further lines; as wide as ``begin`` unless given.
    """
    further = further or " " * len(begin)
    return [line for text in texts for line in fold(f"{begin}{text}", 80, then=further, whole=True)]
