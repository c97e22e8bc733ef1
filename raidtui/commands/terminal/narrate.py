"""Tell what a tour does, and run the commands as a user would."""

import shlex
import subprocess
import sys

from raidtui.model.errors import StepFailed


def tell(text: str) -> None:
    """Print what comes next."""
    print(f"\n== {text}", flush=True)


def argv_of(words: list[str]) -> list[str]:
    """Print a command as typed, and return what starts it: ``raidtui`` is this one."""
    print(f"$ {shlex.join(words)}", flush=True)
    return [sys.executable, "-m", *words] if words[0] == "raidtui" else words


def run(*words: str) -> None:
    """Run a command, on the terminal of the tour. Raises StepFailed: it failed, and the tour ends."""
    code = subprocess.run(argv_of([*words]), stdin=subprocess.DEVNULL, check=False).returncode
    if code:
        raise StepFailed(f"the tour stopped; that command ended with exit code {code}")


def do(purpose: str, words: list[str]) -> None:
    """Tell the purpose, and run a command of raidtui."""
    tell(purpose)
    run("raidtui", *words)
