"""The whole command line as one argparse parser, from the table of commands; and the words that its arguments take."""

import argparse
import ast
import importlib
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, get_args, get_origin, get_type_hints

import msgspec

import raidtui
from raidtui.backends.registry import FOLDERS, backend
from raidtui.cli import COMMANDS
from raidtui.model.procedure import AlertsOff, Procedure, SelfTests, SetAlerts, word_of

_PACKAGE: Final = Path(raidtui.__file__).parent


def whole_parser() -> argparse.ArgumentParser:
    """Every command for people, as a subcommand."""
    parser = argparse.ArgumentParser(
        prog="raidtui",
        description="Build, understand and benchmark Linux RAID in your terminal.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--machine",
        metavar="FILE",
        help="use the output of 'raidtui inspect --json'; executes nothing",
    )
    parser.add_argument(
        "--version", action="store_true", help="print the version, and how raidtui was installed"
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        if text != argparse.SUPPRESS:
            about = importlib.import_module(f"raidtui.commands.{module}")
            command = commands.add_parser(name, help=text, description=about.__doc__, allow_abbrev=False)
            about.configure(command)
    return parser


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of its subcommands, by name."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Its options and arguments that are for people, without those of its subcommands."""
    for action in parser._actions:
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction):
            yield action


def level_words() -> list[str]:
    """The levels of every backend, each once."""
    return list(dict.fromkeys(word for name in FOLDERS for word in backend(name).levels))


def procedure_words() -> list[str]:
    """What ``care --do`` takes; alerts and self-tests have commands of their own."""
    found: dict[str, None] = {}
    for kind in get_args(Procedure):
        if kind in {SetAlerts, AlertsOff, SelfTests}:
            continue
        values = [_values(hint) for hint in get_type_hints(kind).values()]
        names = msgspec.structs.fields(kind)
        for row in itertools.product(*values):
            found[word_of(kind(**dict(zip((one.name for one in names), row, strict=True))))] = None
    return list(found)


def _values(hint: object) -> tuple[object, ...]:
    """What a field of this type can be, as far as it makes a difference."""
    if hint is bool:
        return (False, True)
    return get_args(hint) if get_origin(hint) is Literal else ("",)


def hazard_words() -> list[str]:
    """The ids of the hazards that can be HIGH, which ``--accept`` takes."""
    found: set[str] = set()
    for path in _PACKAGE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(source)) if "Severity.HIGH" in source or " high(" in source else ():
            if isinstance(call, ast.Call) and re.search(r"Severity\.HIGH|^high\(", ast.unparse(call)):
                named = [word.value for word in call.keywords if word.arg == "id"]
                first = [*named, *call.args[:1]]
                if first and isinstance(first[0], ast.Constant) and _is_hazard(call):
                    found.add(str(first[0].value))
    return sorted(found)


def _is_hazard(call: ast.Call) -> bool:
    """Whether it or its own arguments, not those of a call in it, have the severity."""
    own = [*call.args, *(word.value for word in call.keywords)]
    return ast.unparse(call.func) == "high" or any(
        isinstance(part, ast.Attribute) and ast.unparse(part) == "Severity.HIGH"
        for value in own
        if not isinstance(value, ast.Call)
        for part in ast.walk(value)
    )
