"""What a guest takes from the caller, with any engine: environment, interpreter, package."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

# What Debian's package writes on a machine without arrays.
MDADM_CONF: Final = "HOMEHOST <system>\nMAILADDR root\n"

PACKAGE: Final = Path(__file__).parent.parent
"""The raidtui package that runs here and will run inside."""

_SBIN: Final = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_BIN: Final = ("/usr/local/bin", "/usr/bin", "/bin")
_CARRIED: Final = frozenset(
    [
        "HOME",
        "TERM",
        "COLORTERM",
        "LANG",
        "LANGUAGE",
        "TZ",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "EDITOR",
        "PAGER",
    ]
)


def environment(outside: Mapping[str, str]) -> dict[str, str]:
    """The environment inside, from the caller's: language, terminal, folders; no secrets."""
    inside = {
        name: value
        for name, value in outside.items()
        if name in _CARRIED or name.startswith(("LC_", "RAIDTUI_"))
    }
    path = [folder for folder in outside.get("PATH", "").split(":") if folder]
    path += [folder for folder in (*_BIN, *_SBIN) if folder not in path]
    return inside | {
        "PATH": ":".join(["/run/lab/bin", *path]),
        "HOME": outside.get("HOME", "/root"),
        "USER": "root",
        "LOGNAME": "root",
        "SHELL": "/bin/sh",
        "SYSTEMD_IGNORE_CHROOT": "1",
        "RAIDTUI_LAB": "1",
    }


def wrapper(module: str) -> str:
    """A script that runs ``module`` inside, with the same interpreter and package as outside."""
    lines = ["#!/bin/sh"]
    if PACKAGE.parent.name not in ("site-packages", "dist-packages"):
        lines.append(f'export PYTHONPATH={shlex.quote(str(PACKAGE.parent))}"${{PYTHONPATH:+:$PYTHONPATH}}"')
    lines.append(f'exec {shlex.quote(sys.executable)} -P -m {module} "$@"')
    return "\n".join(lines) + "\n"
