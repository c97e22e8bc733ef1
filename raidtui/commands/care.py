"""List what is wrong on this computer, or do what is advised about one finding, as a plan with a journal and a proof.

Without FINDING each is listed, the most urgent first: the disks concerned, what redundancy is left, what not to do, and
what to do. With FINDING, a name or a number of the list, raidtui does the first of it that it can do, or what --do
names. With the name of a unit, also of one that is well, --do can be add-spare, remove-spare, spare-group, check, repair,
configure, schedule-scrub, unschedule-scrub or one-schedule. A RAID card also takes add-global-spare.
"""

import argparse
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from raidtui.advice.findings.foreign import ForeignSet, foreign_sets, maker_called, name_in_set
from raidtui.commands._look import look
from raidtui.commands._procedure import add_order, do_order
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import read_seed, words
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine
from raidtui.model.procedure import Procedure, Recover, asked_for, word_of
from raidtui.model.struct import Record, to_json
from raidtui.model.text import as_number, harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.unit_names import command_word

# what is said of one finding → its option
_OF_ONE: Final = {
    "do": "--do",
    "explain": "--explain",
    "argument": "--with",
    "erase": "--erase",
    "accept": "--accept",
    "dry_run": "--dry-run",
    "rehearse": "--rehearse",
    "script": "--script",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("finding", metavar="FINDING", nargs="?", help="its name, or its number in the list")
    parser.add_argument(
        "--do", metavar="WHAT", default="", help="which of the things to do, as the list names it"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show what the finding means and why this is done; changes nothing",
    )
    parser.add_argument(
        "--with",
        dest="argument",
        metavar="WORD",
        default="",
        help="what WHAT needs: the serial number of the spare, or the name of the group",
    )
    add_order(parser, without="required where a disk is erased")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


class FindingsDocument(Record, frozen=True, kw_only=True):
    """The document of ``--json`` without FINDING."""

    findings: tuple[Finding, ...]


def run(args: argparse.Namespace) -> int:
    """List, or check, start the job, and follow it."""
    from raidtui.advice.diagnosis import calm
    from raidtui.commands.recover import recover
    from raidtui.commands.text.findings import explained_lines, listed_lines, unknown_lines
    from raidtui.jobs.root import check_root
    from raidtui.plan.care import make_care, title_of
    from raidtui.plan.possible import possible

    if not args.finding and (of_one := [option for word, option in _OF_ONE.items() if getattr(args, word)]):
        raise BadInput(f"{of_one[0]} needs the FINDING or the UNIT; 'raidtui care' lists what is wrong")
    machine, units, findings = look(args.machine)
    if not args.finding:
        print(
            to_json(FindingsDocument(findings=findings))
            if args.json
            else "\n".join(
                [*(listed_lines(findings) or [calm(units, machine)]), *unknown_lines(machine.problems)]
            )
        )
        return 0
    procedure = None if args.explain else _asked(args, machine)
    if procedure is None:
        named = _find(
            args.finding,
            findings,
            units,
            foreign_sets(machine, units),
            possible=lambda unit: possible(unit, machine),
        )
        if args.explain:
            print("\n".join(line for one in named for line in explained_lines(one)))
            return 0
        procedure = _chosen(
            named, args.do, {name_in_set(unit) for unit in units if unit.is_called(args.finding)}
        )
        if isinstance(procedure, Recover):
            return recover(procedure, named[0].name_of(procedure), machine=args.machine, as_json=args.json)
    refuse_recorded(args.machine, rehearsed=args.rehearse)
    check_root()
    plan = make_care(procedure, machine, seed=read_seed(None))
    return do_order(args, title_of(procedure, plan), plan, procedure, machine)


def _asked(args: argparse.Namespace, machine: Machine) -> Procedure | None:
    """What is to be done to a unit though no finding advises it; None if --do names nothing of the kind."""
    from raidtui.backends.units import units_of

    named = [unit for unit in units_of(machine) if unit.is_called(args.finding)]
    if not args.do or len(named) != 1:
        return None
    given = args.argument
    if args.do in {"add-spare", "add-global-spare", "remove-spare"}:
        named_disk = given or ",".join(words(args.erase))
        if not named_disk:
            option = "--with" if args.do == "remove-spare" else "--erase"
            raise BadInput(f"--do {args.do} needs the serial number of the disk: {option} SERIAL")
        given = machine.disk(named_disk).identity
    return asked_for(args.do, named[0].uuid, given)


def _find(
    word: str,
    findings: Sequence[Finding],
    units: Sequence[Unit],
    sets: Sequence[ForeignSet] = (),
    *,
    possible: Callable[[Unit], Sequence[str]] = lambda _: (),
) -> list[Finding]:
    """The findings that ``word`` means, all of one unit: their name, what the unit is called, or the number of one.

    Args:
        possible: what can be done to a unit that is well.
    """
    meant = [unit for unit in units if unit.is_called(word)]
    uuids = {unit.uuid for unit in meant} - {""}
    named = [one for one in findings if word in {one.name, one.unit}]
    named = named or [one for one in findings if one.unit in uuids]
    apart = {one.name for one in sets if any(unit.uuid in uuids for unit in one.units)}
    named = named or [one for one in findings if one.kind is Kind.FOREIGN and one.name in apart]
    place = as_number(word) or 0
    if (
        all(word != one.name for one in named)
        and 0 < place <= len(findings)
        and findings[place - 1] not in named
    ):
        if named:
            raise BadInput(
                f"{word} is the number of one finding and the name of another; write what the command below it has"
            )
        named = [findings[place - 1]]
    if named and len({one.unit or one.what for one in named}) == 1:
        return named
    if not named and meant:
        can_be = listed([one for unit in meant for one in possible(unit)], "or")
        raise BadInput(
            f"nothing is wrong with {harmless(word)} that can be seen here"
            + (f"; --do can be {can_be} now" if can_be else ", and nothing can be done to it now")
        )
    if not named and (maker := maker_called(word)):
        raise BadInput(f"no disks of a {maker} NAS are seen here; 'raidtui inspect' lists the disks")
    names = dict.fromkeys((*(one.name for one in findings), *(command_word(one, units) for one in units)))
    here = (
        f"known here: {harmless(listed([*names]))}"
        if names
        else "nothing is wrong here, and there are no units"
    )
    number = f"{len(named)} findings are" if named else "no finding and no unit is"
    raise BadInput(f"{number} called {harmless(word)!r}; {here}")


def _chosen(findings: Sequence[Finding], word: str, meant: AbstractSet[str] = frozenset()) -> Procedure:
    """The procedure that ``word`` names, or the first one.

    Args:
        meant: the units that were named, if it was not a finding.

    Raises:
        BadInput: the findings have no such procedure, or one for each of several units.
        Refused: raidtui does nothing about the first of them by itself.
    """
    finding, remedies = findings[0], [one for finding in findings for one in finding.remedies]
    offered = {
        word_of(one.procedure): one.procedure
        for one in remedies
        if one.procedure and (not one.of or one.is_trial or one.of in meant)
    }
    if word not in offered and (
        names := [one.of for one in remedies if one.of and one.procedure and word_of(one.procedure) == word]
    ):
        raise BadInput(f"--do {word} is offered for {listed(names)}; name one of them instead of the finding")
    if word:
        if word not in offered:
            can = f"it can be {listed(list(offered), 'or')}" if offered else "this is for you to do"
            raise BadInput(f"--do {word!r} is not offered; {can}")
        return offered[word]
    if finding.first is not None and finding.first.procedure is not None:
        return finding.first.procedure
    texts = "; ".join(one.text for one in finding.remedies) or finding.what
    choices = f" (--do {listed(list(offered))})" if offered else ""
    raise Refused(f"this is for you to decide or to do: {harmless(texts)}{choices}")
