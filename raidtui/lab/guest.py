"""A guest: a real kernel in a process of the caller, with virtual disks, and commands that run in it."""

import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from raidtui.lab import agent, boot, host
from raidtui.lab import disks as virtual
from raidtui.lab.command import Command, Sink
from raidtui.lab.engine import Parts
from raidtui.lab.engines import find_engine
from raidtui.lab.keeping import Keeping
from raidtui.lab.wire import Wire
from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed

_LOG_LINES: Final = 12


class GuestDied(StepFailed):
    """The guest's kernel ended unexpectedly."""

    def __init__(self, sentence: str, kernel_log: str) -> None:
        super().__init__(sentence)
        self.kernel_log = kernel_log
        """The last lines of its kernel log."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The configuration of a guest."""

    disks: str | None = None
    """A list for `parse_disks`; None means the disks in ``disk_dir``, or else the default ones."""
    disk_dir: Path | None = None
    """Keeps the disks, /etc and /var/lib/raidtui of the guest for another boot; with None all of it is lost."""
    share: Path | None = None
    """A folder of the host that the guest may write to, under the same path."""
    memory_bytes: int | None = None
    """None means the default, or as much less as is available and enough."""
    engine: str = "uml"
    """A name of raidtui.lab.engines."""
    copies: tuple[virtual.CopiedDisk, ...] = ()
    """Instead of ``disks``: copies of real ones, whose files are in ``disk_dir`` already."""
    etc: Mapping[str, str] = field(default_factory=dict)
    """Files of the guest's /etc by their path in it, written when ``disk_dir`` is first booted."""


class Guest:
    """A guest; it is on inside a ``with`` block, or between `power_on` and `power_off`.

    >>> with Guest(Setup(disks="4x128MiB")) as guest:
    ...     guest.run(["raidtui", "inspect", "--json"]).stdout
    """

    def __init__(self, setup: Setup | None = None) -> None:
        self.setup = setup or Setup()
        self.disks: tuple[virtual.VirtualDisk, ...] = ()
        """In the order of their letters; set when the guest is on."""
        self._engine = find_engine(self.setup.engine)
        self._parts: Parts | None = None
        self._environment = boot.environment(os.environ)
        self._commands: dict[int, Command] = {}
        self._channels = 0
        self._ready = False
        self._pulled: set[str] = set()
        self._wire: Wire | None = None
        self._keeper: Keeping | None = None
        self._lock: int | None = None
        self._log: int | None = None

    def __enter__(self) -> Self:
        self.power_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # If nothing is kept, an orderly shutdown is not needed.
        if kind is None and self.setup.disk_dir is not None:
            self.power_off()
        else:
            self.power_cut()

    def power_on(self) -> None:
        """Start the guest and wait until it takes commands.

        Raises:
            ToolMissing, BadInput, Refused: this computer cannot run it, or not with this setup.
            GuestDied, StepFailed: it did not come up.
        """
        if self._wire is not None:
            raise StepFailed("the guest is already on")
        wanted = self.setup.copies or virtual.parse_disks(self.setup.disks or virtual.DEFAULT_DISKS)
        share = host.check_share(self.setup.share) if self.setup.share else None
        folder = self.setup.disk_dir.absolute() if self.setup.disk_dir else None
        virtual.check_buses(wanted, self._engine.buses, self._engine.title)
        least = self._engine.least_memory
        memory = self.setup.memory_bytes or host.memory_that_fits(least)
        host.check_memory(memory, least)
        self._engine.prepare()
        try:
            disks = self._open_disk_dir(folder, wanted) if folder else wanted
            virtual.check_buses(disks, self._engine.buses, self._engine.title)
            self._start(disks, folder, share, memory)
            deadline = time.monotonic() + self._engine.boot_timeout
            while not self._ready:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise GuestDied(
                        f"the guest was not up after {self._engine.boot_timeout:.0f} s", self.kernel_log()
                    )
                self.pump(left)
        except BaseException:
            self.power_cut()
            raise

    def _open_disk_dir(
        self, folder: Path, wanted: tuple[virtual.VirtualDisk, ...]
    ) -> tuple[virtual.VirtualDisk, ...]:
        """Lock the folder of the disks, create the missing ones, and return all."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self.setup.copies:
                return wanted
            found = virtual.found_in(folder)
        except BlockingIOError as error:
            raise Refused(
                f"the disks in {folder} are in use by another guest; stop that one first"
            ) from error
        except OSError as error:
            raise BadInput(f"no disks can be kept in {folder}: {error.strerror}") from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise BadInput(f"no disks can be kept in {folder}: you may not write there")
        if found and not self.setup.disks:
            return found
        new = virtual.add_to(found, wanted, folder)
        host.check_room(folder, sum(disk.size for disk in new))
        virtual.create(new, folder)
        return found + new

    def _start(
        self, disks: tuple[virtual.VirtualDisk, ...], disk_dir: Path | None, share: Path | None, memory: int
    ) -> None:
        """Start the keeper, put the files of the guest into its folder, and have it boot the guest."""
        scratch = host.scratch_folder(0 if disk_dir else sum(disk.size for disk in disks))
        ours, theirs = socket.socketpair()
        self._wire = Wire(ours)
        with theirs, self._engine.inherited() as inherited:
            # The guest inherits the lock on its disks, held as long as any of its processes lives.
            fds = [theirs.fileno(), *inherited, *([] if self._lock is None else [self._lock])]
            self._keeper = Keeping(scratch, fds)
            folder = self._keeper.folder
            if disk_dir is None:
                virtual.create(disks, folder)
            log = folder / "kernel.log"
            self._log = os.open(log, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._parts = parts = Parts(
                disks,
                memory,
                folder,
                disk_dir,
                share,
                self.setup.etc,
                theirs.fileno(),
                inherited,
            )
            launch = self._engine.launch(parts)
            order = asdict(launch) | {"cwd": str(parts.disk_folder), "log": str(log), "fds": fds}
            self._keeper.boot(order)
        self.disks = disks

    def pull(self, serial: str) -> None:
        """Pull the disk with this serial number, without notice to the guest.

        Raises:
            BadInput, Refused: there is no such disk, or the engine cannot do it.
        """
        self._engine.pull(*self._disk(serial))
        self._pulled.add(serial)

    def plug(self, serial: str) -> None:
        """Plug a pulled disk back in."""
        self._engine.plug(*self._disk(serial))
        self._pulled.discard(serial)

    def _answer(self, request: str) -> str:
        """Do what the command ``lab`` in the guest asks; return why it was not done, or nothing.

        Raises:
            GuestDied: it asked for a power cut.
        """
        verb, _, serial = request.partition(" ")
        try:
            match verb:
                case "pull":
                    self.pull(serial)
                case "plug":
                    for one in [serial] if serial else sorted(self._pulled):
                        self.plug(one)
                case "power" if self.setup.disk_dir is not None:
                    self.power_cut()
                    raise GuestDied(
                        f"the power was cut, as 'lab power' asked; --disk-dir {self.setup.disk_dir} boots again",
                        "",
                    )
                case _:
                    return "the disks would be lost with the power; start the lab with --disk-dir"
        except GuestDied:
            raise
        except RaidtuiError as error:
            return str(error)
        return ""

    def _disk(self, serial: str) -> tuple[Parts, virtual.VirtualDisk]:
        self._connected()
        assert self._parts is not None
        for disk in self._parts.disks:
            if disk.serial == serial:
                return self._parts, disk
        raise BadInput(f"the guest has no disk {serial}; it has {virtual.describe(self.disks)}")

    def fileno(self) -> int:
        """The descriptor to wait on before `pump`, for a loop of the caller."""
        return self._connected().fileno()

    @property
    def sending(self) -> bool:
        """Whether there is something to send to the guest when its line is free."""
        return self._wire is not None and self._wire.sending

    def _connected(self) -> Wire:
        if self._wire is None:
            raise StepFailed("the guest is off")
        return self._wire

    def send(self, kind: int, channel: int = 0, payload: bytes = b"") -> None:
        """Queue a frame for the guest; `pump` sends it."""
        if self._wire is not None:
            self._wire.send(kind, channel, payload)

    def pump(self, timeout: float | None) -> None:
        """Send and receive what is ready, waiting at most ``timeout`` seconds.

        Raises:
            GuestDied: the guest has died.
        """
        wire, keeper = self._connected(), self._keeper
        assert keeper is not None
        poll = select.poll()
        poll.register(wire, wire.wanted)
        poll.register(keeper, 0)
        ready = dict(poll.poll(None if timeout is None else timeout * 1000))
        events = ready.get(wire.fileno(), 0)
        # Where only the keeper was killed, leftover processes of the guest may still hold the line.
        killed = not events & ~select.POLLOUT and keeper.fileno() in ready
        if not wire.exchange(events) or killed:
            raise self._death()
        for kind, channel, payload in wire.frames():
            if kind == agent.READY:
                self._ready = True
            elif kind == agent.ASKED:
                self.send(agent.ANSWER, channel, self._answer(payload.decode()).encode())
            elif (command := self._commands.get(channel)) is not None:
                command.receive(kind, payload)
                if kind == agent.EXIT:
                    del self._commands[channel]

    def _death(self) -> RaidtuiError:
        """Clean up after a guest that has died, and return the error that explains it."""
        booted = self._ready
        log = self.kernel_log()
        self.power_cut()
        if not booted and (forbidden := self._engine.explain(log)) is not None:
            return forbidden
        return GuestDied(
            f"the guest's kernel stopped {'while it ran' if booted else 'before it was up'}", log
        )

    def kernel_log(self) -> str:
        """The last lines of the guest's kernel log, without stack dumps."""
        if self._log is None:
            return ""
        size = os.fstat(self._log).st_size
        text = os.pread(self._log, 32768, max(0, size - 32768)).decode(errors="replace")
        telling = [
            line for line in text.splitlines() if line.strip() and not line.startswith((" [<", " 0", " 1"))
        ]
        return "\n".join(telling[-_LOG_LINES:])

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] | None = None,
        sinks: tuple[Sink, Sink] | None = None,
    ) -> Command:
        """Start a command as root and return at once. ``env`` adds to the environment of the guest.

        Its standard input stays open until `Command.close_input`. ``size`` (rows, columns) gives it a terminal;
        then all output is standard output. ``sinks`` receive standard output and standard error as they come,
        instead of the command's buffers.
        """
        self._connected()
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
        stdin: bytes | str = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = 120.0,
        check: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as root to its end, and return its exit code and its output as text.

        Raises:
            CommandTimeout: it took longer than ``timeout`` seconds.
            StepFailed: with ``check``, when its exit code is not 0.
        """
        command = self.start(argv, cwd=cwd, env=env)
        command.write_all(stdin.encode() if isinstance(stdin, str) else stdin)
        code = command.wait(timeout)
        out, err = (text.decode(errors="surrogateescape") for text in (command.stdout, command.stderr))
        if check and code:
            output = (err.strip() or out.strip())[-2000:]
            raise StepFailed(f"{command.shown} in the lab ended with exit code {code}: {output}")
        return subprocess.CompletedProcess(list(argv), code, out, err)

    def shell(
        self, script: str, *, timeout: float | None = 120.0, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell script as root, which by default must not fail in any of its commands."""
        return self.run(["sh", "-ec" if check else "-c", script], timeout=timeout, check=check)

    def power_off(self) -> None:
        """Shut the guest down in order: processes ended, filesystems unmounted, arrays clean."""
        if self._wire is not None and self._ready:
            self.send(agent.POWER_OFF)
            deadline = time.monotonic() + 30
            with contextlib.suppress(GuestDied):
                while (left := deadline - time.monotonic()) > 0:
                    self.pump(left)
        self.power_cut()

    def power_cut(self) -> None:
        """Stop the guest at once, like a power cut; return when all its processes are gone."""
        keeper, wire = self._keeper, self._wire
        self._keeper = self._wire = None
        self._ready = False
        self._pulled.clear()
        self._commands.clear()
        if keeper is not None:
            keeper.dismiss()
        if wire is not None:
            wire.close()
        for descriptor in (self._lock, self._log):
            if descriptor is not None:
                os.close(descriptor)
        self._lock = self._log = None
