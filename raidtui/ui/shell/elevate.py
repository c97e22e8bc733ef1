"""Reopen the wizard as root: the program to use, the answers to keep, and the return if that fails."""

import array
import contextlib
import fcntl
import os
import shlex
import shutil
import signal
import tempfile
import termios
from collections.abc import Iterator, Sequence

from raidtui.machine.installation import own_command
from raidtui.model.errors import BadInput
from raidtui.model.struct import from_json, to_json
from raidtui.ui.shell.places import PLACES
from raidtui.ui.shell.tui import Answers
from raidtui.ui.wizard.draft import Draft

_ASKS = {
    "sudo": "sudo asks for your password",
    "pkexec": "pkexec asks for a password",
    "su": "su asks for root's password",
}
_LEFT_OUT = (
    "procedure",
    "recover",
    "confirm",
    "build",
)  # root reviews the plan again first, and does not have this user's jobs
_LONGEST = 1 << 16


def answers_to_keep(draft: Draft, places: Sequence[str]) -> Answers:
    """The answers to pass on: ``draft``, and the screens that led here.

    Acknowledged hazards are left out: root sees more of the disks, so they may differ.
    """
    kept = [name for name in places if name not in _LEFT_OUT]
    return Answers(draft=draft.without_accepted(), places=tuple(kept or ["overview"]))


def way_to_root() -> str:
    """The path of the first of sudo, pkexec and su that is installed; empty if none is."""
    return next((path for name in _ASKS if (path := shutil.which(name))), "")


def what_it_asks(program: str) -> str:
    """A phrase: whose password ``program`` asks for."""
    return _ASKS[os.path.basename(program)]


def root_command(program: str, answers: str, *, console: bool, colors: str = "") -> list[str]:
    """The command with which ``program`` opens the wizard on the answers in the file ``answers``."""
    # -P: as root, do not import from the current directory.
    wizard = [*own_command(), "wizard"]
    look = [*(["--console"] if console else []), *(["--colors", colors] if colors else [])]
    wizard += [*look, "--answers", answers]
    if os.path.basename(program) == "su":
        return [program, "root", "-c", shlex.join(wizard)]
    return [program, *(["--"] if program.endswith("sudo") else []), *wizard]


def open_as_root(program: str, answers: Answers, *, console: bool, colors: str = "") -> int | None:
    """Run the wizard as root on this terminal until it is closed.

    The answers go through a named pipe in a temporary folder of this user: nothing is left behind, and if they were
    read, the wizard has opened.

    Returns:
        its exit code, or None if it did not open: a wrong password, or a user without the right.
    """
    with _pipe() as (path, pipe), _signals_for_child():
        os.write(pipe, to_json(answers, pretty=False).encode() + b"\n")
        code = _run(root_command(program, path, console=console, colors=colors))
        return None if _unread(pipe) else code


def _run(argv: list[str]) -> int:
    """Run a command in the foreground; if it is stopped, stop too, as su does not signal our shell."""
    child = os.posix_spawn(argv[0], argv, os.environ, setsigdef=(signal.SIGINT, signal.SIGQUIT))
    while True:
        status = os.waitpid(child, os.WUNTRACED)[1]
        if not os.WIFSTOPPED(status):
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(child, signal.SIGCONT)


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory(prefix="raidtui-") as folder:
        path = os.path.join(folder, "answers")
        os.mkfifo(path, 0o600)
        pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            yield path, pipe
        finally:
            os.close(pipe)


@contextlib.contextmanager
def _signals_for_child() -> Iterator[None]:
    """Leave Ctrl-C to the password prompt; Ctrl-Z stops this process as usual."""
    ours = dict.fromkeys((signal.SIGINT, signal.SIGQUIT), signal.SIG_IGN)
    ours |= dict.fromkeys((signal.SIGTSTP, signal.SIGCONT), signal.SIG_DFL)
    before = {number: signal.signal(number, handler) for number, handler in ours.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unread(pipe: int) -> bool:
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0] > 0


def read_answers(path: str) -> Answers:
    """Read the answers that the user's wizard wrote to ``path``.

    Raises:
        BadInput: they cannot be read, or name an unknown screen.
    """
    try:
        source = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            text = os.read(source, _LONGEST)
        finally:
            os.close(source)
    except OSError as error:
        raise BadInput(f"the answers in {path} cannot be read: {error.strerror}") from error
    answers = from_json(text, Answers, origin=path)
    if not set(answers.places) <= set(PLACES) - set(_LEFT_OUT) or not answers.places:
        raise BadInput(f"the answers in {path} name a screen that raidtui does not have")
    return answers
