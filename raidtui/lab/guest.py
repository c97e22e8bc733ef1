"""A guest: a real kernel in a process of the caller's, with virtual disks, and commands that run in it."""

import contextlib
import fcntl
import json
import os
import selectors
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from raidtui.lab import agent, boot, host
from raidtui.lab import disks as virtual
from raidtui.lab.xstate import preload_library
from raidtui.model.errors import BadInput, Refused, StepFailed

BOOT_TIMEOUT: Final = 120.0
"""Seconds after which a guest that has not come up is given up; it takes 4 on a computer with nothing to do."""

_WINDOW: Final = 65536  # bytes of standard input that may be on their way into the guest
_LOG_TAIL: Final = 30
_KEEPER: Final = Path(__file__).with_name("keeper.py")


class GuestDied(StepFailed):
    """The guest's kernel is gone, though nobody asked it to go."""

    def __init__(self, sentence: str, kernel_log: str) -> None:
        super().__init__(sentence)
        self.kernel_log = kernel_log
        """The last lines that its kernel printed."""


class CommandTimeout(StepFailed):
    """A command in the guest took longer than it was given; it has been killed."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command in the guest ended."""

    argv: tuple[str, ...]
    returncode: int
    """As a shell has it: 128 and more is a signal."""
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """Its standard output as text."""
        return self.stdout.decode(errors="replace")

    @property
    def error_text(self) -> str:
        """Its standard error as text."""
        return self.stderr.decode(errors="replace")

    def check(self) -> Self:
        """This result, if the exit code is 0.

        Raises:
            StepFailed: it is not; the sentence has the command and what it wrote.
        """
        if self.returncode:
            said = (self.error_text.strip() or self.text.strip())[-2000:]
            raise StepFailed(
                f"in the lab, '{' '.join(self.argv)}' ended with exit code {self.returncode}: {said}"
            )
        return self


Sink = Callable[[bytes], object]


class Command:
    """A command that runs in a guest. It makes progress while somebody waits for it or for another one."""

    def __init__(
        self, guest: "Guest", channel: int, argv: Sequence[str], sinks: tuple[Sink, Sink] | None
    ) -> None:
        self._guest = guest
        self._channel = channel
        self._on_the_way = 0
        self.argv = tuple(argv)
        self.stdout = bytearray()
        """What it has written so far, unless that goes to a sink."""
        self.stderr = bytearray()
        self.returncode: int | None = None
        self._sinks = sinks or (self.stdout.extend, self.stderr.extend)

    @property
    def room(self) -> int:
        """Bytes of standard input that may be written now."""
        return _WINDOW - self._on_the_way

    def write(self, data: bytes) -> None:
        """Send standard input, not more than `room`."""
        if data:
            self._on_the_way += len(data)
            self._guest.send(agent.STDIN, self._channel, data)

    def close_input(self) -> None:
        """Standard input ends here."""
        self._guest.send(agent.STDIN, self._channel)

    def kill(self, number: int) -> None:
        """Send signal ``number`` to the command and its children."""
        self._guest.send(agent.SIGNAL, self._channel, bytes([number]))

    def resize(self, rows: int, columns: int) -> None:
        """Tell it the new size of its terminal."""
        self._guest.send(agent.RESIZE, self._channel, agent.SIZE.pack(rows, columns))

    def receive(self, kind: int, payload: bytes) -> None:
        """Take what the guest sent for this command."""
        if kind == agent.STDOUT:
            self._sinks[0](payload)
        elif kind == agent.STDERR:
            self._sinks[1](payload)
        elif kind == agent.TAKEN:
            self._on_the_way -= agent.COUNT.unpack(payload)[0]
        elif kind == agent.EXIT:
            self.returncode = payload[0]

    def wait(self, timeout: float | None = None) -> Completed:
        """Wait until it has ended; ``timeout`` in seconds.

        Raises:
            CommandTimeout: it took longer, and was killed.
            GuestDied: the guest went away under it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                self.kill(9)
                said = bytes(self.stdout[-500:] + self.stderr[-500:]).decode(errors="replace")
                raise CommandTimeout(
                    f"in the lab, '{' '.join(self.argv)}' took longer than {timeout} s; it said: {said}"
                )
            self._guest.pump(left)
        return Completed(self.argv, self.returncode, bytes(self.stdout), bytes(self.stderr))


class Guest:
    """A guest with the given disks; a context manager that boots it and at the end switches it off.

    ``disks`` is a list as `parse_disks` reads it. With ``disk_dir`` the disk files, /etc and
    /var/lib/raidtui of the guest lie there and are found again by the next guest; without, everything
    vanishes. ``share`` is a folder that the guest may write to, under the same name. ``memory`` in bytes.
    """

    def __init__(
        self,
        disks: str | None = None,
        *,
        disk_dir: Path | None = None,
        share: Path | None = None,
        memory: int = host.DEFAULT_MEMORY,
    ) -> None:
        self.disk_dir = disk_dir.absolute() if disk_dir else None
        self.share = share.resolve() if share else None
        self.memory = memory
        self.wanted = disks
        self.disks: tuple[virtual.VirtualDisk, ...] = ()
        self._environment = boot.environment(os.environ)
        self._commands: dict[int, Command] = {}
        self._channels = 0
        self._ready = False
        self._outgoing = bytearray()
        self._incoming = bytearray()
        self._line: socket.socket | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self._lock: int | None = None
        self._log: int | None = None

    def __enter__(self) -> Self:
        self.boot()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.disk_dir is not None and self._line is not None:
            self.power_off()
        else:
            self.power_cut()

    @property
    def running(self) -> bool:
        """Whether the guest is up."""
        return self._ready and self._line is not None

    def boot(self) -> None:
        """Start the guest and wait until it takes commands.

        Raises:
            ToolMissing, BadInput, Refused: this computer cannot run it, or not like that.
            GuestDied, StepFailed: it did not come up.
        """
        kernel = host.find_kernel()
        host.check_memory(self.memory)
        if self.share is not None:
            _check_share(self.share)
        asked = virtual.parse_disks(self.wanted or virtual.DEFAULT_DISKS)
        try:
            self._start(kernel, self._settle_disks(asked))
            deadline = time.monotonic() + BOOT_TIMEOUT
            while not self._ready:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise StepFailed(
                        f"the guest did not come up within {BOOT_TIMEOUT:.0f} s; {self.kernel_log()}"
                    )
                self.pump(left)
        except BaseException:
            self.power_cut()
            raise

    def _settle_disks(self, asked: tuple[virtual.VirtualDisk, ...]) -> tuple[virtual.VirtualDisk, ...]:
        """The disks that the guest gets; new ones still have no file."""
        if self.disk_dir is None:
            return asked
        try:
            self.disk_dir.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.disk_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(
                f"the disks in {self.disk_dir} are in use by another guest; stop that one first"
            ) from error
        except OSError as error:
            raise BadInput(f"the disks cannot be kept in {self.disk_dir}: {error.strerror}") from error
        if not os.access(self.disk_dir, os.W_OK | os.X_OK):
            raise BadInput(f"the disks cannot be kept in {self.disk_dir}: it is not writable")
        found = virtual.found_in(self.disk_dir)
        if not found:
            host.check_room(self.disk_dir, sum(disk.size for disk in asked))
            virtual.create(asked, self.disk_dir)
            return asked
        if self.wanted and [disk.size for disk in asked] != [disk.size for disk in found]:
            raise BadInput(
                f"{self.disk_dir} already holds {virtual.describe(found)}; leave --disks out or name another folder"
            )
        return found

    def _start(self, kernel: str, disks: tuple[virtual.VirtualDisk, ...]) -> None:
        promised = 0 if self.disk_dir else sum(disk.size for disk in disks)
        ours, theirs = socket.socketpair()
        fds = [theirs.fileno(), *([] if self._lock is None else [self._lock])]
        self._line = ours
        with theirs:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_KEEPER), str(host.scratch_folder(promised))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=fds,
                start_new_session=True,
            )
            assert self._keeper.stdin is not None
            assert self._keeper.stdout is not None
            folder = Path(os.fsdecode(self._keeper.stdout.readline()).strip())
            if not folder.is_absolute():
                raise StepFailed("the guest's process could not be started")
            if self.disk_dir is None:
                virtual.create(disks, folder)
            state = boot.prepare_state(self.disk_dir) if self.disk_dir else None
            init = folder / "init"
            init.write_text(boot.init_script(disks, self.share, state), encoding="utf-8")
            init.chmod(0o755)
            log = folder / "kernel.log"
            self._log = os.open(log, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            preload = folder / "xstate.so"
            preload.write_bytes(preload_library())
            order = {
                "argv": boot.kernel_arguments(kernel, folder, self.memory, disks, theirs.fileno()),
                "env": {
                    "PATH": os.defpath,
                    "HOME": str(folder),
                    "TMPDIR": str(host.memory_folder(self.memory, folder)),
                    "LD_PRELOAD": str(preload),
                },
                "cwd": str(self.disk_dir or folder),
                "log": str(log),
                "fds": fds,
            }
            self._keeper.stdin.write(json.dumps(order).encode() + b"\n")
            self._keeper.stdin.flush()
        ours.setblocking(False)
        self.disks = disks

    def fileno(self) -> int:
        """The descriptor to wait on before calling `pump`, for a loop of the caller's own."""
        if self._line is None:
            raise StepFailed("the guest is not running")
        return self._line.fileno()

    @property
    def sending(self) -> bool:
        """Whether something waits to be sent to the guest."""
        return bool(self._outgoing)

    def send(self, kind: int, channel: int = 0, payload: bytes = b"") -> None:
        """Queue a frame for the guest; `pump` sends it."""
        self._outgoing += agent.HEADER.pack(kind, channel, len(payload)) + payload

    def pump(self, timeout: float | None) -> None:
        """Move what can be moved between host and guest, waiting at most ``timeout`` seconds for something.

        Raises:
            GuestDied: the guest has gone away.
        """
        if self._line is None:
            raise StepFailed("the guest is not running")
        with selectors.DefaultSelector() as selector:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
            selector.register(self._line, events)
            ready = selector.select(timeout)
        for _, happened in ready:
            try:
                if happened & selectors.EVENT_WRITE:
                    del self._outgoing[: self._line.send(self._outgoing)]
                if happened & selectors.EVENT_READ:
                    data = self._line.recv(1 << 20)
                    if not data:
                        self._bury()
                    self._incoming += data
            except (ConnectionResetError, BrokenPipeError):
                self._bury()
        self._dispatch()

    def _dispatch(self) -> None:
        start = 0
        while len(self._incoming) - start >= agent.HEADER.size:
            kind, channel, length = agent.HEADER.unpack_from(self._incoming, start)
            end = start + agent.HEADER.size + length
            if len(self._incoming) < end:
                break
            payload = bytes(self._incoming[start + agent.HEADER.size : end])
            start = end
            if kind == agent.READY:
                self._ready = True
            elif (command := self._commands.get(channel)) is not None:
                command.receive(kind, payload)
                if kind == agent.EXIT:
                    del self._commands[channel]
        del self._incoming[:start]

    def _bury(self) -> None:
        """Tell why the guest is gone."""
        booted = self._ready
        log = self.kernel_log()
        self.power_cut()
        if "ptrace" in log and not booted:
            raise GuestDied(
                "the lab needs ptrace of its own processes and this system forbids it; in a container, "
                "allow it with --cap-add=SYS_PTRACE",
                log,
            )
        when = "while it ran" if booted else "before it was up"
        raise GuestDied(f"the guest's kernel stopped {when}", log)

    def kernel_log(self) -> str:
        """The last lines that the guest's kernel printed."""
        if self._log is None:
            return ""
        size = os.fstat(self._log).st_size
        text = os.pread(self._log, 16384, max(0, size - 16384)).decode(errors="replace")
        return "\n".join(text.splitlines()[-_LOG_TAIL:])

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] | None = None,
        sinks: tuple[Sink, Sink] | None = None,
    ) -> Command:
        """Start a command and return at once. ``env`` adds to the environment that the guest has.

        ``size`` (rows, columns) gives it a terminal, whose output is all standard output. ``sinks`` take
        standard output and standard error as they come, in place of the command's own buffers.
        """
        self._channels += 1
        wish: dict[str, object] = {
            "argv": list(argv),
            "cwd": str(cwd or Path.cwd()),
            "env": self._environment | dict(env or {}),
        }
        if size is not None:
            wish |= {"rows": size[0], "columns": size[1]}
        command = Command(self, self._channels, argv, sinks)
        self._commands[self._channels] = command
        self.send(agent.START, self._channels, json.dumps(wish).encode())
        return command

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = 60.0,
    ) -> Completed:
        """Run a command to its end and return its exit code and output."""
        command = self.start(argv, cwd=cwd, env=env)
        deadline = None if timeout is None else time.monotonic() + timeout
        rest = memoryview(stdin)
        while rest and command.returncode is None:
            piece = rest[: command.room]
            command.write(bytes(piece))
            rest = rest[len(piece) :]
            self.pump(1.0)
        command.close_input()
        return command.wait(None if deadline is None else deadline - time.monotonic())

    def power_off(self) -> None:
        """Switch the guest off in good order: processes ended, filesystems unmounted, arrays clean."""
        if self._line is not None:
            self.send(agent.POWER_OFF)
            deadline = time.monotonic() + 20
            with contextlib.suppress(GuestDied):
                while (left := deadline - time.monotonic()) > 0:
                    self.pump(left)
        self.power_cut()

    def power_cut(self) -> None:
        """Stop the guest this instant, as if its plug were pulled; returns when nothing of it is left."""
        keeper, line = self._keeper, self._line
        self._keeper = self._line = None
        self._ready = False
        self._commands.clear()
        if keeper is not None:
            assert keeper.stdin is not None
            assert keeper.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                keeper.stdin.close()
            keeper.wait()
            keeper.stdout.close()
        if line is not None:
            line.close()
        for descriptor in (self._lock, self._log):
            if descriptor is not None:
                os.close(descriptor)
        self._lock = self._log = None


def _check_share(share: Path) -> None:
    if not share.is_dir():
        raise BadInput(f"--share {share} is not a folder")
    if "," in str(share):
        raise BadInput(
            f"--share {share} has a comma in its name, which a mount option cannot hold; rename it"
        )
    if not os.access(share, os.W_OK | os.X_OK):
        raise BadInput(f"--share {share} is not writable for you")


def run_in_lab(
    argv: Sequence[str],
    *,
    disks: str | None = None,
    disk_dir: Path | None = None,
    share: Path | None = None,
    memory: int = host.DEFAULT_MEMORY,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float | None = 300.0,
) -> Completed:
    """Boot a guest, run one command in it, switch it off."""
    with Guest(disks, disk_dir=disk_dir, share=share, memory=memory) as guest:
        return guest.run(argv, stdin=stdin, env=env, timeout=timeout)


def erase_disks(folder: Path) -> None:
    """Remove what a guest keeps in ``folder``; the folder itself stays."""
    for disk in virtual.found_in(folder):
        (folder / disk.file_name).unlink()
    shutil.rmtree(folder / "state", ignore_errors=True)
