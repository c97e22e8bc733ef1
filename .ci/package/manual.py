"""The manual page, from the table of commands and the help of their options."""

import argparse
import re
from collections.abc import Iterator
from datetime import datetime

from package.words import arguments, subcommands, whole_parser

_EXIT_CODES = (
    ("0", "done"),
    ("2", "bad usage, or a spec that cannot be"),
    ("3", "refused for safety"),
    ("4", "a step failed; the journal of the job says which"),
    ("5", "a needed tool is missing"),
)
_FILES = (
    ("/var/lib/raidtui", "the state of root: jobs, their journals and recovery capsules, and results"),
    ("~/.local/state/raidtui", "the state of other users"),
    ("/etc/raidtui/alerts.toml", "where alerts go"),
    ("/usr/share/doc/raidtui/REFERENCE.md", "what a spec, a profile and a sweep may contain"),
)
_USAGE = "usage: "
_ALSO = ("fio 1", "md 4", "btrfs 8", "lvm 8", "mdadm 8", "smartctl 8", "zfs 8")


def manual(day: datetime) -> str:
    """The page, in the language of mdoc(7)."""
    parser = whole_parser()
    lines = [
        f".Dd {day:%B} {day.day}, {day.year}",
        ".Dt RAIDTUI 8",
        ".Os",
        ".Sh NAME",
        ".Nm raidtui",
        ".Nd build, understand and benchmark Linux RAID in your terminal",
        ".Sh SYNOPSIS",
        ".Nm",
        ".Op Fl Fl machine Ar FILE",
        ".Op Ar COMMAND ...",
        ".Nm",
        ".Fl Fl version",
        ".Sh DESCRIPTION",
        "Without a command the wizard opens: choose disks, see what each level gives, read the plan, confirm by",
        "serial number, build, benchmark, compare.",
        "Each command prints its own options with",
        ".Fl Fl help .",
        *_options(parser),
        ".Sh COMMANDS",
    ]
    for name, command in subcommands(parser).items():
        lines += _command(name, command)
    lines += [".Sh FILES", ".Bl -tag -width Ds", *_tagged(".Pa", _FILES), ".El"]
    lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds", *_tagged("", _EXIT_CODES), ".El"]
    lines += [".Sh SEE ALSO", *(f".Xr {one} ," for one in _ALSO[:-1]), f".Xr {_ALSO[-1]}"]
    return "\n".join(lines) + "\n"


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f".Ss {name}"
    usage = parser.format_usage().replace("\n" + " " * len(_USAGE), "\n").removeprefix(_USAGE)
    yield from (".Bd -literal", *map(_text, usage.splitlines()), ".Ed")
    for paragraph in (parser.description or "").strip().split("\n\n"):
        if paragraph:
            yield from (".Pp", *_sentences(" ".join(paragraph.split())))
    yield from _options(parser)
    for word, command in subcommands(parser).items():
        yield from _command(f"{name} {word}", command)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    told = [one for one in arguments(parser) if not isinstance(one, argparse._HelpAction)]
    if not told:
        return
    yield ".Bl -tag -width Ds"
    for action in told:
        takes = action.metavar or (
            "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
        )
        word = "" if action.nargs == 0 else f"Ar {_argument(str(takes))}"
        flags = " , ".join(f"Fl {_argument(one[1:])}" for one in action.option_strings)
        yield f".It {flags} {word}".rstrip()
        yield from _sentences((action.help or "") % vars(action))
    yield ".El"


def _tagged(macro: str, rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for word, text in rows:
        yield from (f".It {macro.removeprefix('.')} {_argument(word)}".replace("  ", " "), _text(text))


def _sentences(text: str) -> Iterator[str]:
    """Each sentence on its own line, as mdoc(7) wants it."""
    yield from (_text(one) for one in re.split(r"(?<=[.?!]) (?=[A-Z'])", text) if one)


def _argument(word: str) -> str:
    """A word of a macro's line: it may not look like a macro, or like the end of a sentence."""
    escaped = word.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return " ".join(f"\\&{part}" if re.match(r"[A-Z][a-z]\b|\W", part) else part for part in escaped.split())


def _text(line: str) -> str:
    """A line of text: it may not look like a request."""
    escaped = line.replace("\\", "\\e")
    escaped = re.sub(r"(?<!\w)-+(?=\w)", lambda dashes: "\\-" * len(dashes[0]), escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
