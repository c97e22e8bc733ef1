"""Make the light of a disk blink, and notice which disk is pulled. Only reads, so no disk changes."""

import contextlib
import mmap
import os
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Self

from raidtui.machine.ask import Ask, ask, ask_card
from raidtui.model.units import MIB

_BLINK_SECONDS: Final = 1.0  # of reading, and of rest: unlike the flicker of ordinary use
_BLOCK: Final = MIB  # a multiple of every sector size, which O_DIRECT wants
_END_SECONDS: Final = 2.0  # for a read that is under way; a bad disk takes longer, and is not waited for


class Light:
    """The lights of a disk, from entry to exit: the activity light by reads, and the locate light where ledctl has one.

    ledctl turns off the lights of all other disks without ``--listed-only`` (ledctl(8)).
    """

    def __init__(self, path: str, run: Ask = ask) -> None:
        self._path = path
        self._run = run
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._blink, name=f"blink {path}", daemon=True)
        self.locate = False
        """Whether ledctl turned a locate light on."""
        self.problem = ""
        """Why the disk cannot be read; empty if it can. The activity light of such a disk may stay dark."""

    def __enter__(self) -> Self:
        self._thread.start()
        self.locate = self._led("locate")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self.locate:
            self._led("locate_off")
        self._thread.join(_END_SECONDS)

    def _led(self, pattern: str) -> bool:
        return self._run(["ledctl", "--listed-only", f"{pattern}={self._path}"]).returncode == 0

    def _blink(self) -> None:
        try:
            disk = os.open(self._path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
            with contextlib.closing(_Reads(disk)) as reads:
                while not self._stop.wait(_BLINK_SECONDS):
                    reads.go_on(self._stop)
        except OSError as error:
            self.problem = error.strerror or str(error)


class _Reads:
    """Reads at random places of an open disk, past the page cache."""

    def __init__(self, disk: int) -> None:
        self._disk = disk
        self._blocks = max(1, os.lseek(disk, 0, os.SEEK_END) // _BLOCK)
        self._buffer = mmap.mmap(-1, _BLOCK)  # aligned to a page

    def close(self) -> None:
        self._buffer.close()
        os.close(self._disk)

    def go_on(self, stop: threading.Event) -> None:
        """Read for a second. A block that cannot be read makes the light blink too; if none can, raise OSError."""
        over = threading.Event()
        timer = threading.Timer(_BLINK_SECONDS, over.set)
        timer.daemon = True
        timer.start()
        failed: OSError | None = None
        good = 0
        while not (over.is_set() or stop.is_set()):
            try:
                good += os.preadv(self._disk, [self._buffer], random.randrange(self._blocks) * _BLOCK)
            except OSError as error:
                failed = error
        timer.cancel()
        if failed is not None and not good:
            raise failed


class CardLight:
    """The locate light of a drive behind a RAID card, from entry to exit; its tool may take long, so in a thread."""

    def __init__(
        self,
        *,
        on: Sequence[str],
        off: Sequence[str],
        why_not: Callable[[str], str],
        again_seconds: float = 0,
        run: Ask = ask_card,
    ) -> None:
        """Set the commands.

        Args:
            why_not: why a command was not done, from its output; the exit status of these tools means nothing.
            again_seconds: after which the light goes out; 0: it stays on.
        """
        self._on, self._off, self._why_not, self._run = on, off, why_not, run
        self._again = again_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._blink, name=f"blink {' '.join(on)}", daemon=True)
        self.locate = True
        """That it has a locate light; if it does not blink, `problem` says why."""
        self.problem = ""
        """Why the card does not make it blink; empty if it does."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(_END_SECONDS)
        self._run(self._off)

    def _blink(self) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            answer = self._run(self._on)
            if answer.returncode is None or not answer.stdout.strip():
                self.problem = answer.stderr.strip() or "no answer"
            else:
                self.problem = self._why_not(answer.stdout)
            if self.problem or not self._again:
                return
            self._stop.wait(max(1.0, began + self._again - time.monotonic()))


class Moved(NamedTuple):
    """Disks that went or came between two looks, by identity."""

    gone: tuple[str, ...]
    back: tuple[str, ...]  # of those that were here at the start
    new: tuple[str, ...]


class Moves:
    """Tells which disks were pulled and plugged since it was made."""

    def __init__(self, connected: Mapping[str, str]) -> None:
        self._first = frozenset(connected)
        self._last = frozenset(connected)

    def look(self, connected: Mapping[str, str]) -> Moved:
        """Compare the disks that are ``connected`` with those of the last look."""
        now = frozenset(connected)
        came = now - self._last
        moved = Moved(
            tuple(sorted(self._last - now)),
            tuple(sorted(came & self._first)),
            tuple(sorted(came - self._first)),
        )
        self._last = now
        return moved
