"""Completion for bash, zsh and fish. What this computer has, such as serial numbers, is asked when the key is pressed."""

import argparse
from typing import Any, Final

import shtab

from package.words import arguments, hazard_words, level_words, procedure_words, subcommands, whole_parser
from raidtui.machine.live_words import KINDS
from raidtui.model.spec import Backend

FILES: Final = {"bash": "raidtui", "zsh": "_raidtui", "fish": "raidtui.fish"}
"""The file that each shell looks for."""

# What an argument takes, by the word that stands for it in help.
_LIVE: Final = {
    "SERIAL": "serial",
    "SERIAL[,SERIAL…]": "serial",
    "WORD": "serial",
    "DISK": "serial",
    "NEW": "serial",
    "UNIT": "unit",
    "FINDING": "finding",
    "JOB": "job",
    "NAME|FILE": "profile",
    "SWEEP": "study",
}
_OR_FILES: Final = frozenset({"profile", "study"})
_PATHS: Final = {
    "SPEC": shtab.FILE,
    "FILE": shtab.FILE,
    "PATH": shtab.FILE,
    "TARGET": shtab.FILE,
    "DIR": shtab.DIRECTORY,
    "FOLDER": shtab.DIRECTORY,
}

_ASK: Final = {
    "bash": '_raidtui_live() { raidtui complete "$1" "$2" 2>/dev/null | cut -f1; }\n',
    "zsh": """\
_raidtui_live() {
  local word about
  local -a words
  while IFS=$'\\t' read -r word about; do
    words+=("${word//:/\\\\:}${about:+:$about}")
  done < <(raidtui complete "$1" "$PREFIX" 2>/dev/null)
  _describe -t "$1" "$1" words
}
""",
    "fish": """\
function _raidtui_live
  raidtui complete $argv[1] (commandline -ct | string replace -r '^--[a-z-]+=' '') 2>/dev/null
end
""",
}
_FUNCTION: Final = {
    "bash": ('_raidtui_{kind}() {{ _raidtui_live {kind} "$1"{files}; }}\n', '; compgen -f -- "$1"'),
    "zsh": ("_raidtui_{kind}() {{ _raidtui_live {kind}{files} }}\n", "; _files"),
    "fish": ("function _raidtui_{kind}\n  _raidtui_live {kind}{files}\nend\n", "; __fish_complete_path"),
}


def completion(shell: str) -> str:
    """The completion script of bash, zsh or fish."""
    parser = whole_parser()
    words = {
        "accept": hazard_words(),
        "level": level_words(),
        "backend": list(map(str, Backend)),
        "do": procedure_words(),
    }

    def mark(one: argparse.ArgumentParser) -> None:
        for action in arguments(one):
            metavar = str(action.metavar)
            if metavar in _LIVE:
                kind = f"_raidtui_{_LIVE[metavar]}"
                _completes(action, {"bash": kind, "zsh": kind, "fish": f"({kind})"})
            elif metavar in _PATHS:
                _completes(action, _PATHS[metavar])
            elif action.dest in words:
                action.choices = words[action.dest]
            elif (
                shell == "zsh" and ":" in metavar
            ):  # it would end the message, and the rest be run as a command
                action.metavar = metavar.replace(":", r"\:")
        for below in subcommands(one).values():
            below.description = None  # the shells show the line of the table of commands instead
            mark(below)

    mark(parser)
    function, files = _FUNCTION[shell]
    functions = "".join(
        function.format(kind=kind, files=files if kind in _OR_FILES else "") for kind in KINDS
    )
    return shtab.complete(parser, shell=shell, preamble=_ASK[shell] + functions)


def _completes(action: argparse.Action, by: Any) -> None:
    action.complete = by  # type: ignore[attr-defined]  # where shtab looks for it
