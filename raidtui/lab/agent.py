"""Run commands in the guest for the host and carry their streams: as process 1, or as a service of systemd.

It runs as a script under ``python -I -S`` inside the guest, with the standard library only and as little of it as
possible, because every import adds to the start-up time. The host's side is raidtui.lab.wire. Both exchange frames
over a serial line in raw mode: kind, channel (one per command), length, payload.

Arguments: the device of the line, and the command that shuts the guest down; without one, the agent does that itself.
"""

import contextlib
import errno
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
import termios
import time
from collections.abc import Iterator
from typing import Any, Final, NoReturn

HEADER: Final = struct.Struct(">BII")
"""Kind, channel, length of the payload that follows."""

# Host to guest.
START: Final = 1  # JSON: argv, cwd, env, and rows and columns for a terminal
STDIN: Final = 2  # bytes for the command; an empty payload means end of file
SIGNAL: Final = 3  # one byte: the signal, for the command's process group
RESIZE: Final = 4  # two numbers of 16 bits: rows and columns
POWER_OFF: Final = 5
ANSWER: Final = 6  # text: why the host did not do what was asked; empty if it did

# Guest to host.
READY: Final = 16
STDOUT: Final = 17
STDERR: Final = 18
EXIT: Final = 19  # one byte: the exit code, or 128 plus the signal, as in shells
TAKEN: Final = 20  # 32 bits: number of bytes of STDIN that have reached the command
RECEIVED: Final = 21  # 32 bits: number of bytes read from the line
ASKED: Final = 22  # text: what a program in the guest asks of the host; the channel is its own

SIZE: Final = struct.Struct(">HH")
COUNT: Final = struct.Struct(">I")

WINDOW: Final = 2048
"""Bytes that the host may send before the guest confirms them.

The terminal layer buffers 4096 bytes and then throttles the line. User-mode Linux 6.1 does not always recover from
that: in measurements, input stopped for good.
"""

DOOR: Final = "\0raidtui-lab"
"""The name of the socket for programs in the guest that ask something of the host: one request, one answer."""

_CHUNK: Final = 32768
_PIPE: Final = 65536
_OUR_FILESYSTEMS: Final = ("proc", "sysfs", "devtmpfs", "devpts", "tmpfs", "overlay", "hostfs")


class Command:
    """One command that runs for the host: its process and our ends of its streams."""

    def __init__(self, channel: int, wish: dict[str, Any]) -> None:
        self.channel = channel
        self.terminal = "rows" in wish
        self.waiting = bytearray()  # standard input that did not fit into the pipe yet
        self.ending = False  # the host has sent end of file
        self.input: int | None
        self.outputs: dict[int, int] = {}
        if self.terminal:
            ours, theirs = os.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", wish["rows"], wish["columns"], 0, 0))
            child_ends = (theirs, theirs, theirs)
            self.input = ours
            self.outputs[ours] = STDOUT
        else:
            their_input, self.input = os.pipe()
            our_output, their_output = os.pipe()
            our_errors, their_errors = os.pipe()
            child_ends = (their_input, their_output, their_errors)
            self.outputs = {our_output: STDOUT, our_errors: STDERR}
        for end in {self.input, *self.outputs}:
            os.set_blocking(end, False)
        self.pid = os.fork()
        if self.pid == 0:
            _become(wish, child_ends, self.terminal)
        for end in set(child_ends):
            os.close(end)

    def resize(self, rows: int, columns: int) -> None:
        if self.terminal and self.input is not None:
            fcntl.ioctl(self.input, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def feed(self) -> int:
        """Write waiting standard input to the command; return the number of bytes written or dropped."""
        taken = 0
        try:
            while self.waiting and self.input is not None:
                count = os.write(self.input, self.waiting[:_CHUNK])
                del self.waiting[:count]
                taken += count
        except BlockingIOError:
            return taken
        except OSError:  # the command no longer reads; the host need not know
            taken += len(self.waiting)
            self.waiting.clear()
            self.ending = True
        if self.ending and not self.waiting:
            self.close_input()
        return taken

    def close_input(self) -> None:
        if self.input is not None and not self.terminal:
            os.close(self.input)
        self.input = None

    def close(self) -> None:
        """Close all our ends after the process has ended."""
        for end in {self.input, *self.outputs} - {None}:
            with contextlib.suppress(OSError):
                os.close(end)  # type: ignore[arg-type]
        self.outputs.clear()
        self.input = None


def _become(wish: dict[str, Any], ends: tuple[int, int, int], terminal: bool) -> NoReturn:
    """In the child: set up its environment and exec the command; never returns."""
    code = 126
    try:
        os.setsid()
        if terminal:
            fcntl.ioctl(ends[0], termios.TIOCSCTTY, 0)
        for number, end in enumerate(ends):
            os.dup2(end, number)
        os.closerange(3, 256)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o022)
        if not os.path.isdir(wish["cwd"]):
            wish["cwd"] = "/"  # the guest has its own /run and /dev
        os.chdir(wish["cwd"])
        os.execvpe(wish["argv"][0], wish["argv"], wish["env"])
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            code = 127
        where = wish["argv"][0] if code == 127 else os.fsdecode(error.filename or "")
        os.write(2, f"raidtui lab: {where}: {error.strerror}\n".encode())
    finally:
        os._exit(code)


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    return HEADER.pack(kind, channel, len(payload)) + payload


def frames_in(received: bytearray) -> Iterator[tuple[int, int, bytes]]:
    """Take every complete frame out of what was received: kind, channel and payload."""
    while len(received) >= HEADER.size:
        kind, channel, length = HEADER.unpack_from(received)
        end = HEADER.size + length
        if len(received) < end:
            return
        payload = bytes(received[HEADER.size : end])
        del received[:end]
        yield kind, channel, payload


class Agent:
    """The loop between the serial line and the commands."""

    def __init__(self, line: int, switch: list[str]) -> None:
        self.line = line
        self.switch = switch
        self.received = bytearray()
        self.commands: dict[int, Command] = {}
        self.poll = select.poll()
        self.poll.register(line, select.POLLIN)
        self.polled: dict[int, Command] = {}
        self.asking: dict[int, socket.socket] = {}
        self.asked = 0

    def send(self, kind: int, channel: int = 0, payload: bytes = b"") -> None:
        view = memoryview(frame(kind, channel, payload))
        while view:
            view = view[os.write(self.line, view) :]

    def watch(self, command: Command) -> None:
        """Poll the streams of a command for what is needed now."""
        wanted = dict.fromkeys(command.outputs, select.POLLIN)
        if command.input is not None and command.waiting:
            wanted[command.input] = wanted.get(command.input, 0) | select.POLLOUT
        for end in [end for end, owner in self.polled.items() if owner is command and end not in wanted]:
            self.poll.unregister(end)
            del self.polled[end]
        for end, events in wanted.items():
            self.poll.register(end, events)
            self.polled[end] = command

    def drain(self, command: Command, end: int) -> bool:
        """Forward a piece of a command's output; return false if there was none."""
        try:
            data = os.read(end, _CHUNK)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EIO:  # no process has the terminal open any more
                raise
            data = b""
        if data:
            self.send(command.outputs[end], command.channel, data)
            return True
        del command.outputs[end]
        self.watch(command)
        if end != command.input:
            os.close(end)
        return False

    def feed(self, command: Command) -> None:
        before = command.input
        taken = command.feed()
        if taken:
            self.send(TAKEN, command.channel, COUNT.pack(taken))
        if before is not None and command.input is None and before in self.polled and not command.terminal:
            self.poll.unregister(before)
            del self.polled[before]
        self.watch(command)

    def obey(self, kind: int, channel: int, payload: bytes) -> None:
        if kind == START:
            command = Command(channel, json.loads(payload))
            self.commands[channel] = command
            self.watch(command)
        elif kind == POWER_OFF:
            power_off(self.switch)
        elif kind == ANSWER:
            with self.asking.pop(channel) as asker, contextlib.suppress(OSError):  # it may have gone
                asker.sendall(payload)
        elif (addressed := self.commands.get(channel)) is not None:
            if kind == STDIN:
                addressed.waiting += payload
                addressed.ending |= not payload
                self.feed(addressed)
            elif kind == SIGNAL:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(addressed.pid, payload[0])
            elif kind == RESIZE:
                addressed.resize(*SIZE.unpack(payload))

    def ask(self, asker: socket.socket) -> None:
        """Pass on to the host what a program asks of it."""
        asker.settimeout(1.0)
        with contextlib.suppress(OSError):
            request = asker.recv(512)
            self.asked += 1
            self.asking[self.asked] = asker
            self.send(ASKED, self.asked, request)

    def reap(self) -> None:
        """Reap ended processes: commands, and orphans, which process 1 inherits."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for command in [one for one in self.commands.values() if one.pid == pid]:
                # Its last output fits into a pipe; children that it left behind may write forever.
                for end in list(command.outputs):
                    for _ in range(_PIPE // _CHUNK + 1):
                        if not self.drain(command, end):
                            break
                for end in [end for end, owner in self.polled.items() if owner is command]:
                    self.poll.unregister(end)
                    del self.polled[end]
                command.close()
                del self.commands[command.channel]
                code = os.waitstatus_to_exitcode(status)
                self.send(EXIT, command.channel, bytes([code if code >= 0 else 128 - code]))

    def receive(self) -> None:
        data = os.read(self.line, _CHUNK)
        self.send(RECEIVED, 0, COUNT.pack(len(data)))
        self.received += data
        for kind, channel, payload in frames_in(self.received):
            self.obey(kind, channel, payload)

    def run(self) -> None:
        alarm, alarmed = os.pipe()
        os.set_blocking(alarm, False)
        os.set_blocking(alarmed, False)
        signal.set_wakeup_fd(alarmed, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.poll.register(alarm, select.POLLIN)
        door = socket.socket(socket.AF_UNIX)
        door.bind(DOOR)
        door.listen()
        self.poll.register(door, select.POLLIN)
        self.send(READY)
        while True:
            for end, events in self.poll.poll():
                if end == self.line:
                    self.receive()
                elif end == door.fileno():
                    self.ask(door.accept()[0])
                elif end == alarm:
                    os.read(alarm, 512)
                    self.reap()
                elif (command := self.polled.get(end)) is not None:
                    if events & select.POLLOUT or (end == command.input and end not in command.outputs):
                        self.feed(command)
                    if end in command.outputs and events & ~select.POLLOUT:
                        self.drain(command, end)


def power_off(switch: list[str]) -> None:
    """Shut the guest down in order: with the command ``switch``, or else end processes, swap and filesystems here.

    Powering off makes md write its superblocks, so that no array needs a resync at the next boot.
    """
    if switch:
        if os.fork() == 0:
            os.execvp(switch[0], switch)
        return
    for number, grace in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 1.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, number)
        deadline = time.monotonic() + grace
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < deadline:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.01)
    here = ",".join(f"no{kind}" for kind in _OUR_FILESYSTEMS)
    os.system("swapoff --all 2>/dev/null")
    os.system(f"umount --all --read-only --types {here} 2>/dev/null")
    os.sync()
    with open("/proc/sysrq-trigger", "w") as trigger:
        trigger.write("o")


def open_line(name: str) -> int:
    """Open the line to the host in raw mode: bytes pass unchanged."""
    line = os.open(name, os.O_RDWR | os.O_NOCTTY)
    if not os.isatty(line):
        return line
    attributes = termios.tcgetattr(line)
    attributes[0] = attributes[1] = attributes[3] = 0
    attributes[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
    attributes[6][termios.VMIN] = 1
    attributes[6][termios.VTIME] = 0
    termios.tcsetattr(line, termios.TCSANOW, attributes)
    return line


if __name__ == "__main__":
    Agent(open_line(sys.argv[1]), sys.argv[2:]).run()
