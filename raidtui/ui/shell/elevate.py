"""Opening the wizard again as root: with which program, with which answers, and back here if that is refused."""

import array
import contextlib
import fcntl
import os
import shlex
import shutil
import signal
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence

from raidtui.model.errors import BadInput
from raidtui.model.struct import from_json, to_json
from raidtui.ui.shell.answers import Answers
from raidtui.ui.shell.places import PLACES
from raidtui.ui.wizard.draft import Draft

_ASKS = {
    "sudo": "sudo asks for your password",
    "pkexec": "pkexec asks for a password",
    "su": "su asks for root's password",
}
_LEFT_OUT = (
    "confirm",
    "build",
)  # the plan is to be seen again first; a job of this user is not one of root's
_LONGEST = 1 << 16


def answers_to_keep(draft: Draft, places: Sequence[str]) -> Answers:
    """What goes along of ``draft`` and the screens that led here.

    Hazards that were acknowledged are not among it: root sees more of the disks, so they may be others.
    """
    kept = [name for name in places if name not in _LEFT_OUT]
    return Answers(draft=draft.without_accepted(), places=tuple(kept or ["overview"]))


def way_to_root() -> str:
    """The path of the program that makes a user root here: sudo, else pkexec, else su; empty if there is none."""
    return next((path for name in _ASKS if (path := shutil.which(name))), "")


def what_it_asks(program: str) -> str:
    """Whose password ``program`` asks for, in words."""
    return _ASKS[os.path.basename(program)]


def root_command(program: str, answers: str, *, console: bool) -> list[str]:
    """The command that has ``program`` open the wizard on the answers that are read from the path ``answers``."""
    # -P: as root nothing is imported from the folder that the user happens to be in.
    wizard = [sys.executable, "-P", "-m", "raidtui", "wizard"]
    wizard += [*(["--console"] if console else []), "--answers", answers]
    if os.path.basename(program) == "su":
        return [program, "root", "-c", shlex.join(wizard)]
    return [program, *(["--"] if program.endswith("sudo") else []), *wizard]


def open_as_root(program: str, answers: Answers, *, console: bool) -> int | None:
    """Run the wizard as root on this terminal until it is closed.

    The answers go through a pipe with a name in a folder of this user's own: nothing is left behind, and whether
    somebody has read them shows whether the wizard has opened.

    Returns:
        its exit code, or nothing if it was not opened: a wrong password, or a user who may not.
    """
    with _pipe() as (path, pipe), _left_to_the_child():
        os.write(pipe, to_json(answers, pretty=False).encode() + b"\n")
        code = _run(root_command(program, path, console=console))
        return None if _unread(pipe) else code


def _run(argv: list[str]) -> int:
    """Run a command in the foreground; when it stops, stop too: su does not signal the shell above us."""
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
def _left_to_the_child() -> Iterator[None]:
    """Ctrl-C at the password prompt is for the prompt; Ctrl-Z stops this process as any other."""
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
    """The answers that the wizard of the user has put into ``path``.

    Raises:
        BadInput: there are none.
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
