"""The command line: one table of commands, each in its own module that is imported only when it is called."""

import argparse
import gc
import importlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Final, NoReturn, cast

from raidtui.commands.terminal.output import OutputFailed, discard_output, harmless_output
from raidtui.model.errors import BadInput, RaidtuiError, Refused

# name → (module under raidtui.commands, what it does)
COMMANDS: Final = {
    "wizard": ("wizard", "the wizard, and the overview of arrays, jobs and results"),
    "lab": ("lab", "the same in a guest kernel with virtual disks: no root, no risk"),
    "tour": ("tour", "build, benchmark and compare unattended, on virtual disks"),
    "inspect": ("inspect", "list disks (free or in use, by what, how to free them) and arrays"),
    "calc": ("calc", "calculate one layout, or every layout, of given disks"),
    "plan": ("plan", "show hazards and the exact commands of a spec; changes nothing"),
    "rehearse": ("rehearse", "run a spec's plan in the lab, on sparse copies of the same disks"),
    "apply": ("apply", "build a spec; refuses unless you name every disk it will erase"),
    "status": ("status", "show arrays, their resync, and running jobs"),
    "jobs": ("jobs", "list every job of this computer and how it ended"),
    "attach": ("attach", "follow a job from this terminal"),
    "resume": ("resume", "resume a job that was interrupted"),
    "rollback": ("rollback", "undo the steps of a job, as far as that is still possible"),
    "locate": ("locate", "make a disk's light blink, and say if the wrong disk is pulled"),
    "care": ("care", "list what is wrong and what to do; or do it, as a plan"),
    "alerts": ("alerts", "send alerts by mail, program or URL, and prove that they arrive"),
    "health": ("health", "show the health of every disk, and what becomes worse"),
    "scrub": ("scrub", "show scrubs, what they found and what starts the next; start one"),
    "burnin": ("burnin", "try new disks: compare their speed, find bad sectors"),
    "replace": ("replace", "replace a disk in every array that has it; prove redundancy"),
    "grow": ("grow", "show what an array can become; add disks, or use larger ones"),
    "recover": ("recover", "look for the files of a lost unit, on overlays; writes to no disk"),
    "teardown": ("teardown", "remove an array: unmount, stop and erase it, and its boot entries"),
    "bench": ("bench", "benchmark a directory or a device on the CrystalDiskMark grid"),
    "sweep": ("sweep", "build, benchmark and remove many arrays on the same disks"),
    "results": ("results", "list, show, compare, export and import measured results"),
    "doctor": ("doctor", "list tools, their versions, and what to install"),
    "complete": ("complete", argparse.SUPPRESS),  # called by the shells' completion
    "job": ("job", argparse.SUPPRESS),  # the process that runs a job; started by the other commands
}


_EXTENSIONS: Final = "typing_extensions"
_MOST_DIGITS: Final = 12  # of a number on the command line


def _whole_number(text: str) -> int:
    if re.fullmatch(r"[+-]?[0-9]+", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    if len(text) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} is too large a number")
    return int(text)


class _Once(argparse.Action):
    """Stores the value of an option, which may be given only once: of two, one would be ignored."""

    _given = False

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if self._given and self.option_strings:
            raise argparse.ArgumentError(self, "it is given twice")
        self._given = True
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one sentence instead of the whole usage."""

    _in_pieces = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("type", int, _whole_number)
        for name in (None, "store"):
            self.register("action", name, _Once)

    def _get_formatter(self) -> argparse.HelpFormatter:
        """Help of at most 80 columns, however wide the terminal."""
        width = min(80, shutil.get_terminal_size().columns) - 2
        made: Callable[..., argparse.HelpFormatter] = self.formatter_class
        return made(prog=self.prog, width=width)

    def error(self, message: str) -> NoReturn:
        """Raise `BadInput`."""
        words = message.removeprefix("argument ")
        option = words.partition(":")[0]
        if words == f"{option}: expected one argument" and option.startswith("--"):
            raise BadInput(f"{option} needs a value; write one that begins with '-' as {option}=-…")
        see = f"see '{self.prog} --help'"
        unrecognized = words.removeprefix("unrecognized arguments: ")
        unknown = unrecognized.partition(" ")[0].partition("=")[0]
        if unrecognized == words or not unknown.startswith("--"):
            raise BadInput(f"{words}; {see}")
        from raidtui.model.nearest import hint

        known = [option for parser in self._all() for option in parser._option_string_actions]
        raise BadInput(f"{words}{hint(unknown, known, see)}")

    def _all(self) -> Iterator[argparse.ArgumentParser]:
        """This parser and those of its commands, which leave to it what they do not know."""
        yield self
        for action in self._get_positional_actions():
            if isinstance(action, argparse._SubParsersAction):
                yield from action.choices.values()

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from raidtui.model.nearest import hint

            known = [*map(str, action.choices)]
            near = hint(str(value), known, f"valid values: {', '.join(known)}").removesuffix("?")
            raise argparse.ArgumentError(action, f"{value!r} is not valid{near}")

    def parse_known_args(  # type: ignore[override]  # typeshed has an overload for each namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Accept a list of words with options in between; argparse itself wants the list in one piece."""
        lists = any(action.nargs in ("+", "*") for action in self._get_positional_actions())
        if self._in_pieces or not lists or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._in_pieces = True  # the next call comes back to this method
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._in_pieces = False


def _version() -> str:
    # importlib.metadata would cost more than everything else that --version does.
    from raidtui import __version__
    from raidtui.machine.installation import how_installed

    return f"{__version__} ({how_installed()})"


def _overview() -> str:
    rows = [f"  {name:<10} {text}" for name, (_, text) in COMMANDS.items() if text != argparse.SUPPRESS]
    return "\n".join(
        [
            "usage: raidtui [--machine FILE] [COMMAND …]",
            "",
            "Build, understand and benchmark Linux RAID in your terminal.",
            "Without a command the wizard opens.",
            "",
            *rows,
            "",
            "  --machine FILE  use the output of 'raidtui inspect --json'; changes nothing",
            "  --version       print the version, and how raidtui was installed",
            "",
            "'raidtui COMMAND --help' explains each. Exit codes: 0 done, 2 bad usage or",
            "spec, 3 refused for safety, 4 a step failed, 5 a needed tool is missing.",
        ]
    )


def _split_machine(words: list[str]) -> tuple[str | None, list[str]]:
    """Split off a leading ``--machine FILE``; after the command, the command's own parser takes it."""
    option, equals, file = words[0].partition("=") if words else ("", "", "")
    if option != "--machine":
        return None, words
    if not equals:
        file = "".join(words[1:2])
    if not file:
        raise BadInput("--machine needs a file written by 'raidtui inspect --json'")
    return file, words[1 if equals else 2 :]


def main(argv: Sequence[str] | None = None) -> int:
    """Run raidtui with ``argv`` (the process's own by default) and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    with harmless_output():
        try:
            code = _run(words)
            sys.stdout.flush()
            return code
        except RaidtuiError as error:
            from raidtui.commands.terminal.tell import tell

            tell(f"raidtui: {error}")
            if isinstance(error, OutputFailed):
                discard_output()
            return error.exit_code
        except BrokenPipeError:
            # 'raidtui … | head': the reader is gone.
            discard_output()
            return 0
        except KeyboardInterrupt:
            return 130
        except OSError as error:
            from raidtui.commands.terminal.tell import tell
            from raidtui.machine.own_files import is_own, unusable

            if not is_own(error):
                raise  # a bug
            tell(f"raidtui: {Refused(unusable(error))}")
            return Refused.exit_code


def _run(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        print(f"raidtui {_version()}")
        return 0
    machine, words = _split_machine(words)
    if words[:1] in (["--help"], ["-h"], ["help"]):
        print(_overview())
        return 0
    name, rest = (words[0], words[1:]) if words and not words[0].startswith("-") else ("wizard", words)
    if name not in COMMANDS:
        from raidtui.model.nearest import hint

        instead = hint(name, COMMANDS, "'raidtui --help' lists the commands")
        raise BadInput(f"there is no command {name!r}{instead}")
    if name != "complete":  # which does without
        _import_msgspec()
    module = importlib.import_module(f"raidtui.commands.{COMMANDS[name][0]}")
    parser = _Parser(prog=f"raidtui {name}", description=module.__doc__, allow_abbrev=False)
    parser.add_argument("--machine", metavar="FILE", default=machine, help=argparse.SUPPRESS)
    module.configure(parser)
    if name != "complete":
        _refuse_empty(rest)
    try:
        args = parser.parse_args(rest)
    except SystemExit:  # the help was printed
        sys.stdout.flush()
        raise
    if machine is not None and args.machine is not machine:
        raise BadInput("--machine: it is given twice")
    code: int = module.run(args)
    return code


def _refuse_empty(words: Sequence[str]) -> None:
    """Refuse a word, or the value of an option, that is empty: a variable of a script was not set.

    To take it as left out would show everything where a script means one disk.
    """
    for before, word in zip(("", *words), words, strict=False):
        if word == "--":  # the rest is a command for the lab
            return
        option, equals, value = word.partition("=")
        if not word or (option.startswith("--") and equals and not value):
            named = option or (before if before.startswith("--") and "=" not in before else "a word")
            raise BadInput(f"{named} is empty; give it a value, or leave it out")


def _import_msgspec() -> None:
    """Import msgspec without typing_extensions, which it takes where it is installed, with inspect, ast and tokenize.

    This Python has all of it in typing. It is a tenth of what a command imports.
    """
    if _EXTENSIONS in sys.modules:
        return
    sys.modules[_EXTENSIONS] = cast(ModuleType, None)  # an import of it fails
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_EXTENSIONS]


def collect_rarely() -> None:
    """Run Python's cyclic garbage collector less often.

    Start-up creates some hundred thousand objects that stay. At Python's default threshold of 700 the collector
    traverses them again and again: a tenth of the time until the first screen.
    """
    gc.set_threshold(50_000)


def run() -> None:
    """Entry point of the console script."""
    collect_rarely()
    raise SystemExit(main())
