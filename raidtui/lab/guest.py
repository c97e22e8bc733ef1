"""A guest: a user-mode Linux kernel with virtual disks, on the host's own file tree.

Three ways to use one: `run_command` (one command, its output and exit code), `open_terminal` (something on the
caller's terminal), and the `Guest` context manager (many commands in one boot, power cuts; for tests).
"""

import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final, Self

from raidtui.lab import vectors
from raidtui.lab.disks import VirtualDisk, device_name, make_disks, parse_disks, udev_rules
from raidtui.lab.needs import SYSTEM_PATH, check_needs, check_room
from raidtui.model.errors import BadInput, RaidtuiError, StepFailed, ToolMissing
from raidtui.model.units import GIB, MIB

DEFAULT_DISKS: Final = "6x1GiB"
DEFAULT_MEMORY: Final = GIB
_STATE_FILE: Final = "state.img"
_KEPT_VARIABLES: Final = ("TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "HOME", "TZ")


@dataclass(frozen=True)
class Setup:
    """What a guest is made of."""

    disks: str | None = None  # as of --disks; None takes what disk_dir holds, else the default
    disk_dir: Path | None = None  # keeps the disks and the guest's own changes for another boot
    share: Path | None = None  # the one folder of the host that can be written from inside
    memory_bytes: int = DEFAULT_MEMORY


class _Boot:
    """One boot: its private folder, its keeper process and what they leave."""

    def __init__(self, setup: Setup, *, mode: str, command: str, fds: Mapping[str, int]) -> None:
        kernel = check_needs(setup.memory_bytes)
        self.folder = Path(tempfile.mkdtemp(prefix="raidtui-lab-"))
        try:
            disks, state = self._disks(setup)
            self._control(setup, disks, state, mode, command)
            self.keeper = self._start(kernel, setup, disks, state, fds)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def _disks(self, setup: Setup) -> tuple[tuple[VirtualDisk, ...], Path | None]:
        sizes = parse_disks(setup.disks) if setup.disks else None
        if setup.disk_dir is None:
            place = self.folder / "disks"
            place.mkdir()
            check_room(place, 512 * MIB)
            return make_disks(place, sizes or parse_disks(DEFAULT_DISKS)), None
        setup.disk_dir.mkdir(parents=True, exist_ok=True)
        check_room(setup.disk_dir, 512 * MIB)
        if sizes is None and not any(setup.disk_dir.glob("LAB-*.img")):
            sizes = parse_disks(DEFAULT_DISKS)
        disks = make_disks(setup.disk_dir, sizes)
        state = setup.disk_dir / _STATE_FILE
        if not state.exists():
            fresh = state.with_suffix(".new")
            with fresh.open("wb") as file:
                file.truncate(GIB)
            made = subprocess.run(
                ["mke2fs", "-q", "-F", "-t", "ext4", str(fresh)],
                env={**os.environ, "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode:
                raise ToolMissing(f"the guest's state disk could not be made: {made.stderr.strip()}")
            fresh.rename(state)
        return disks, state

    def _control(
        self, setup: Setup, disks: tuple[VirtualDisk, ...], state: Path | None, mode: str, command: str
    ) -> None:
        control = self.folder / "control"
        control.mkdir()
        wide = vectors.too_wide()
        internal = device_name(len(disks)) if state else ""
        share = str(setup.share.resolve()) if setup.share else ""
        config = {"GUEST_ENV": "yes" if wide else "", "STATE": internal, "SHARE": share, "MODE": mode}
        _write(
            control / "config", "".join(f"{name}={shlex.quote(value)}\n" for name, value in config.items())
        )
        _write(control / "vectors", _exports(vectors.GUEST_ENVIRONMENT))
        _write(control / "rules", udev_rules(disks, internal=internal))
        _write(control / "raidtui", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m raidtui "$@"\n')
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        environment |= {name: value for name, value in os.environ.items() if name.startswith("RAIDTUI_")}
        environment |= {
            "PATH": "/usr/local/bin:" + os.environ.get("PATH", "") + ":" + SYSTEM_PATH,
            "RAIDTUI_LAB": "1",
            "RT_CWD": os.getcwd(),
            "SYSTEMD_IGNORE_CHROOT": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        _write(control / "env", _exports(environment))
        _write(control / "command", command + "\n")

    def _start(
        self,
        kernel: str,
        setup: Setup,
        disks: tuple[VirtualDisk, ...],
        state: Path | None,
        fds: Mapping[str, int],
    ) -> subprocess.Popen[bytes]:
        files = [disk.path for disk in disks] + ([state] if state else [])
        argv = [
            kernel,
            f"mem={setup.memory_bytes // MIB}M",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "ro",
            f"init={Path(__file__).with_name('init.sh')}",
            f"RT_CONTROL={self.folder / 'control'}",
            f"uml_dir={self.folder}/",
            "umid=guest",
            "con=null",
            "ssl=null",
            "con0=null,fd:1",
            "raid=noautodetect",
            *(f"{console}={channel}" for console, channel in _channels(fds)),
            *(f"ubd{index}={path}" for index, path in enumerate(files)),
        ]
        order = {
            "argv": argv,
            "fds": list(fds.values()),
            "wide": vectors.too_wide(),
            "parent": os.getpid(),
            # The kernel keeps the guest's memory in a file; /dev/shm is where it looks by itself.
            "env": {"PATH": SYSTEM_PATH, "HOME": str(self.folder)},
        }
        _write(self.folder / "keeper.json", json.dumps(order))
        return subprocess.Popen(
            [sys.executable, "-m", "raidtui.lab.keeper", str(self.folder)],
            stdin=subprocess.DEVNULL,
            pass_fds=list(fds.values()),
            start_new_session=True,
        )

    def kill(self) -> None:
        """A power cut."""
        self.keeper.terminate()
        self.keeper.wait()

    def exit_code(self) -> int:
        """The command's exit code, once the guest is down.

        Raises:
            StepFailed: the guest ended before the command did.
        """
        try:
            return int((self.folder / "control" / "code").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            raise StepFailed(self.obituary()) from None

    def obituary(self) -> str:
        """Why the guest ended before its time, with its last words."""
        broken = self.folder / "control" / "broken"
        reason = broken.read_text(encoding="utf-8").strip() if broken.exists() else "its kernel stopped"
        try:
            log = (self.folder / "kernel.log").read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            log = []
        last = [line for line in log if line.strip() and not line.startswith((" [<", " 0"))][-12:]
        return f"the guest ended before the command did: {reason}. Its last words:\n  " + "\n  ".join(last)

    def remove(self) -> None:
        """Remove the private folder; with no disk folder the disks go with it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _channels(fds: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    if "terminal" in fds:
        yield "con1", f"fd:{fds['terminal']},fd:{fds['terminal']}"
    if "stdout" in fds:
        yield "con2", f"null,fd:{fds['stdout']}"
        yield "con3", f"null,fd:{fds['stderr']}"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _exports(variables: Mapping[str, str]) -> str:
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())


@contextmanager
def _ended_by_signals(boot: _Boot) -> Iterator[None]:
    """End the guest, and then this process as the signal asks, when a signal comes."""

    def end(number: int, frame: FrameType | None) -> None:
        boot.kill()
        raise SystemExit(128 + number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_command(setup: Setup, argv: Sequence[str]) -> int:
    """Boot, run one command, and give its output to our own stdout and stderr as it comes; its exit code.

    Raises:
        RaidtuiError: the lab cannot start here, or the guest died.
    """
    pipes = {name: os.pipe() for name in ("stdout", "stderr")}
    boot = _Boot(
        setup, mode="command", command=shlex.join(argv), fds={name: ends[1] for name, ends in pipes.items()}
    )
    try:
        with _ended_by_signals(boot), selectors.DefaultSelector() as ready:
            for name, (reading, writing) in pipes.items():
                os.close(writing)
                ready.register(reading, selectors.EVENT_READ, getattr(sys, name).buffer)
            while ready.get_map():
                for key, _ in ready.select():
                    piece = os.read(key.fd, 65536)
                    if piece:
                        key.data.write(piece)
                        key.data.flush()
                    else:
                        ready.unregister(key.fd)
                        os.close(key.fd)
            boot.keeper.wait()
        return boot.exit_code()
    finally:
        boot.kill()
        boot.remove()


def open_terminal(setup: Setup, argv: Sequence[str]) -> int:
    """Boot and run ``argv`` on the caller's terminal; its exit code."""
    terminal = os.open("/dev/tty", os.O_RDWR)
    before = termios.tcgetattr(terminal)
    print("Starting a guest kernel with virtual disks …", file=sys.stderr, flush=True)
    size = os.get_terminal_size(terminal)
    command = f"stty rows {size.lines} cols {size.columns}\n{shlex.join(argv)}"
    boot = _Boot(setup, mode="terminal", command=command, fds={"terminal": terminal})
    control = boot.folder / "control"

    def resized(number: int, frame: FrameType | None) -> None:
        now = os.get_terminal_size(terminal)
        # A new name each time: the guest caches what it has read of a file.
        _write(control / "fresh", f"rows {now.lines} cols {now.columns}\n")
        (control / "fresh").rename(control / f"winsize.{time.monotonic_ns()}")

    winch = signal.signal(signal.SIGWINCH, resized)
    try:
        with _ended_by_signals(boot):
            boot.keeper.wait()
        return boot.exit_code()
    finally:
        signal.signal(signal.SIGWINCH, winch)
        boot.kill()
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        os.close(terminal)
        boot.remove()


class Guest:
    """A guest that stays up for many commands.

    >>> with Guest(Setup(disks="4x128MiB")) as guest:
    ...     guest.run(["raidtui", "inspect", "--json"]).stdout
    """

    def __init__(self, setup: Setup | None = None, *, boot_seconds: float = 60) -> None:
        self.setup = setup or Setup()
        self._boot_seconds = boot_seconds
        self._count = 0
        self._boot: _Boot | None = None

    def __enter__(self) -> Self:
        self.power_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.power_cut()

    def power_on(self) -> None:
        """Boot; returns when commands can be run."""
        command = shlex.join([sys.executable, "-m", "raidtui.lab.agent", "/run/raidtui-lab"])
        self._boot = _Boot(self.setup, mode="agent", command=command, fds={})
        self._wait_for("ready", self._boot_seconds)

    @property
    def control(self) -> Path:
        """The folder of the host that the guest sees as /run/raidtui-lab."""
        if self._boot is None:
            raise BadInput("the guest is off")
        return self._boot.folder / "control"

    def _wait_for(self, name: str, seconds: float) -> Path:
        assert self._boot is not None
        path = self.control / name
        end = time.monotonic() + seconds
        while not path.exists():
            if self._boot.keeper.poll() is not None:
                raise StepFailed(self._boot.obituary())
            if time.monotonic() > end:
                raise StepFailed(f"the guest did not answer within {seconds:.0f} s; {self._boot.obituary()}")
            time.sleep(0.02)
        return path

    def start(self, argv: Sequence[str], *, input: str = "", timeout: float = 120) -> Path:  # noqa: A002
        """Hand in a command; its answer will be the returned file."""
        self._count += 1
        request = self.control / f"{self._count:06}.request"
        fresh = request.with_suffix(".asked")
        _write(fresh, json.dumps({"argv": list(argv), "input": input, "timeout": timeout}))
        fresh.rename(request)
        return request.with_suffix(".answer")

    def run(
        self,
        argv: Sequence[str],
        *,
        input: str = "",  # noqa: A002
        timeout: float = 120,
        check: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """Run one command as root in the guest.

        Raises:
            StepFailed: with ``check``, when its exit code is not 0; or when the guest died.
        """
        path = self._wait_for(self.start(argv, input=input, timeout=timeout).name, timeout + 30)
        said = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        done = subprocess.CompletedProcess(list(argv), said["code"], said["stdout"], said["stderr"])
        if check and done.returncode:
            raise StepFailed(
                f"{shlex.join(argv)} ended with {done.returncode}: {done.stderr.strip() or done.stdout}"
            )
        return done

    def shell(
        self, script: str, *, timeout: float = 120, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell script in the guest."""
        return self.run(["sh", "-ec", script], timeout=timeout, check=check)

    def power_off(self) -> None:
        """An orderly end."""
        if self._boot is not None:
            (self.control / "stop").touch()
            try:
                self._boot.keeper.wait(timeout=60)
            except subprocess.TimeoutExpired as late:
                raise StepFailed("the guest did not power off within 60 s") from late
            finally:
                self.power_cut()

    def power_cut(self) -> None:
        """The plug is pulled: what was not on the disks is gone."""
        if self._boot is not None:
            self._boot.kill()
            self._boot.remove()
            self._boot = None


__all__ = [
    "DEFAULT_DISKS",
    "DEFAULT_MEMORY",
    "Guest",
    "RaidtuiError",
    "Setup",
    "open_terminal",
    "run_command",
]
