"""Run a command of a trial."""

from collections.abc import Sequence

from raidtui.jobs.commands import Commands
from raidtui.model.errors import StepFailed


def do(commands: Commands, argv: Sequence[str], text: str = "") -> str:
    """Run a command; return what it printed. Raises StepFailed: it failed, with its last words."""
    done = commands.run(argv, text=text)
    if done.returncode:
        # dmsetup says why in the line before its last one.
        said = " ".join(done.stderr.split("\n")[-3:]).strip() or done.last_words
        raise StepFailed(f"{' '.join(argv[:3])}: {said}")
    return done.stdout
