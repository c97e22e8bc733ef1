"""The lab itself: a guest that is clean, apart from the host, and gone without a trace."""

import ctypes
import fcntl
import hashlib
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from raidtui.lab.command import CommandTimeout
from raidtui.lab.guest import Guest, GuestDied, Setup
from raidtui.lab.uml import find_kernel
from raidtui.lab.xstate import preload_library
from raidtui.model.errors import Refused, StepFailed

LAB = [sys.executable, "-m", "raidtui", "lab"]


def lab(
    *words: str, stdin: bytes | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """``raidtui lab WORDS`` as a script calls it."""
    return subprocess.run([*LAB, *words], input=stdin, capture_output=True, timeout=120, check=False, cwd=cwd)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where labs put their folders during the test, so that they are told from anybody else's."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def processes(scratch: Path) -> dict[int, str]:
    """The processes of the labs that have their folders in ``scratch``: pid and program."""
    found = {}
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        program = next((Path(word).name for word in words if word.endswith(("linux.uml", "keeper.py"))), None)
        if program and str(scratch) in " ".join(words):
            found[process.pid] = program
    return found


def wait_until_nothing_is_left(scratch: Path) -> None:
    """Give what was killed ten seconds to be gone."""
    deadline = time.monotonic() + 10
    while (processes(scratch) or list(scratch.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes(scratch) == {}
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "stdin", [None, b"", b"\x00\xff\r\n\x03\x04" * 20_000], ids=["closed", "empty", "binary"]
)
def test_a_command_has_its_own_streams_and_exit_code(tmp_path: Path, stdin: bytes | None) -> None:
    script = r"cat; printf 'a\nb\r\n\000\377'; echo oops >&2; touch here; exit 7"
    done = lab("--disks", "1x32MiB", "--", "sh", "-c", script, cwd=tmp_path, stdin=stdin)
    assert done.stdout == (stdin or b"") + b"a\nb\r\n\x00\xff"
    assert done.stderr == b"oops\n"
    assert done.returncode == 7
    assert not list(tmp_path.iterdir()), "what is written inside stays inside"


def test_output_comes_while_the_command_runs_and_a_reader_that_leaves_ends_it(scratch: Path) -> None:
    with subprocess.Popen([*LAB, "--", "yes"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(4) == b"y\ny\n"
        process.stdout.close()
        process.wait(timeout=20)
    wait_until_nothing_is_left(scratch)


def test_much_output_comes_whole_and_in_order(guest: Guest) -> None:
    done = guest.run(["seq", "1", "200000"])
    assert done.stdout == "".join(f"{number}\n" for number in range(1, 200_001))


def test_much_input_arrives_whole(guest: Guest) -> None:
    text = os.urandom(3_000_000)
    done = guest.run(["sha256sum"], stdin=text)
    assert done.stdout.split()[0] == hashlib.sha256(text).hexdigest()


def test_several_commands_run_at_once(guest: Guest) -> None:
    sleeper = guest.start(["sleep", "1000"])
    reader = guest.start(["cat"])
    assert guest.run(["echo", "meanwhile"]).stdout == "meanwhile\n"
    reader.write(b"one\n")
    reader.close_input()
    assert reader.wait(10) == 0
    assert reader.stdout == b"one\n"
    sleeper.kill(signal.SIGTERM)
    assert sleeper.wait(10) == 128 + signal.SIGTERM


def test_a_command_that_takes_too_long_is_killed(guest: Guest) -> None:
    with pytest.raises(CommandTimeout, match=r"'sleep 1234' in the lab took longer than 0\.5 s"):
        guest.run(["sleep", "1234"], timeout=0.5)
    assert guest.run(["pgrep", "--full", "sleep 1234"]).returncode == 1


def test_a_command_that_is_not_there_ends_as_in_a_shell(guest: Guest) -> None:
    done = guest.run(["no-such-command"])
    assert done.returncode == 127
    assert "no-such-command" in done.stderr


def test_a_failing_shell_script_is_an_error_with_what_it_said(guest: Guest) -> None:
    with pytest.raises(StepFailed, match="exit code 1: cannot"):
        guest.shell("echo cannot >&2; false; echo never")


def test_the_guest_is_root_at_home_and_knows_raidtui(guest: Guest, tmp_path: Path) -> None:
    assert guest.shell("id -u; hostname; echo $RAIDTUI_LAB; echo ~").stdout.split() == [
        "0",
        "lab",
        "1",
        os.environ["HOME"],
    ]
    (tmp_path / "note").write_text("from the host")
    assert guest.run(["cat", "note"], cwd=tmp_path).stdout == "from the host"
    assert guest.shell("raidtui --version").stdout.startswith("raidtui ")
    assert guest.shell("cat /etc/fstab").stdout == ""


def test_a_shell_there_has_the_links_of_dev(guest: Guest) -> None:
    """Without /dev/fd, bash has no process substitution, and no completion that uses it."""
    done = guest.run(["bash", "-c", "cat <(echo one) /dev/stdin | tee /dev/stderr"], stdin=b"two\n")
    assert (done.stdout, done.stderr) == ("one\ntwo\n", "one\ntwo\n")


def test_every_disk_and_partition_has_an_identity(guest: Guest) -> None:
    guest.shell("echo ,, | sfdisk --quiet --label gpt /dev/ubdb; udevadm settle")
    listed = guest.shell(
        "lsblk --noheadings --list --output NAME,SERIAL,MODEL,WWN /dev/ubda /dev/ubdb"
    ).stdout
    first, second = guest.disks[:2]
    assert [line.split() for line in listed.splitlines()] == [
        ["ubda", "LAB-0001", "RAIDTUI_LAB", first.wwn],
        ["ubdb", "LAB-0002", "RAIDTUI_LAB", second.wwn],
        ["ubdb1", second.wwn],
    ]
    links = guest.shell("cd /dev/disk/by-id; for link in *; do echo $link $(readlink -f $link); done").stdout
    assert {
        f"ubd-RAIDTUI_LAB_LAB-0001 {'/dev/ubda'}",
        f"wwn-{first.wwn} /dev/ubda",
        "ubd-RAIDTUI_LAB_LAB-0002-part1 /dev/ubdb1",
        f"wwn-{second.wwn}-part1 /dev/ubdb1",
    } <= set(links.splitlines())


def test_a_mirror_syncs_and_has_a_name(guest: Guest) -> None:
    guest.shell(
        "mdadm --create /dev/md/pair --run --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb"
    )
    guest.shell("mdadm --wait /dev/md/pair || true")
    assert "[2/2] [UU]" in guest.shell("cat /proc/mdstat").stdout
    assert "Name : lab:pair  (local to host lab)" in guest.shell("mdadm --detail /dev/md/pair").stdout


def test_the_shared_guest_comes_blank_to_every_test(guest: Guest) -> None:
    for disk in ("ubda", "ubdb"):
        assert "EOF" in guest.run(["cmp", f"/dev/{disk}", "/dev/zero"]).stderr, "not a byte but zeros"
    assert guest.shell("ls /dev/disk/by-id").stdout.split() == sorted(
        [f"ubd-RAIDTUI_LAB_{disk.serial}" for disk in guest.disks]
        + [f"wwn-{disk.wwn}" for disk in guest.disks]
    )


@pytest.mark.parametrize("way", ["power_cut", "power_off"])
def test_arrays_mounts_and_settings_come_back(own_guest: Callable[[str], Guest], way: str) -> None:
    guest = own_guest("2x64MiB")
    guest.shell(
        """
        mdadm --create /dev/md/pair --run --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb
        mdadm --wait /dev/md/pair || true
        mdadm --detail --brief /dev/md/pair >>/etc/mdadm/mdadm.conf
        mkfs.ext4 -q /dev/md/pair
        mkdir /srv/kept /var/lib/raidtui/jobs
        echo "UUID=$(blkid -o value -s UUID /dev/md/pair) /srv/kept ext4 defaults,nofail 0 2" >/etc/fstab.new
        mv /etc/fstab.new /etc/fstab
        mount /srv/kept
        echo data >/srv/kept/note
        sync --file-system /srv/kept
        """
    )
    getattr(guest, way)()
    guest.power_on()
    assert "[UU]" in guest.shell("cat /proc/mdstat").stdout
    assert guest.shell("readlink -f $(findmnt -no SOURCE /srv/kept); cat /srv/kept/note").stdout.split() == [
        guest.shell("readlink -f /dev/md/pair").stdout.strip(),
        "data",
    ]
    assert guest.shell("ls /var/lib/raidtui").stdout == "jobs\n"
    if way == "power_off":
        assert "not clean" not in guest.shell("dmesg").stdout


def test_an_array_that_lost_a_member_while_off_comes_back_degraded(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("3x32MiB")
    guest.shell(
        "mdadm --create /dev/md/trio --run --level=5 --raid-devices=3 --bitmap=none /dev/ubda /dev/ubdb /dev/ubdc"
    )
    guest.shell("mdadm --wait /dev/md/trio || true")
    guest.power_off()
    assert guest.setup.disk_dir is not None
    lost = guest.setup.disk_dir / "LAB-0002.img"
    lost.write_bytes(b"")
    os.truncate(lost, 32 << 20)
    guest.power_on()
    assert "[3/2] [U_U]" in guest.shell("cat /proc/mdstat").stdout
    assert guest.run(["test", "-b", "/dev/md/trio"]).returncode == 0


def test_two_guests_cannot_have_the_same_disks(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("1x32MiB")
    with pytest.raises(Refused, match="in use by another guest"), Guest(guest.setup):
        pass


def test_sixteen_disks_of_many_terabytes_and_a_shared_folder(tmp_path: Path) -> None:
    setup = Setup(disks="15x14TB,1x16MiB", share=tmp_path)
    with Guest(setup) as guest:
        done = guest.shell(f"cat /sys/block/ubd?/size; echo written inside >{tmp_path}/note")
    assert done.stdout.split() == [str(14 * 10**12 // 512)] * 15 + [str(16 * 2**20 // 512)]
    assert (tmp_path / "note").read_text() == "written inside\n"


class Terminal:
    """``raidtui lab`` on a terminal of 80 by 24, as a person would see it."""

    def __init__(self, *words: str) -> None:
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [*LAB, *words])
        self.resize(24, 80)
        self.seen = b""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, text: bytes) -> None:
        deadline = time.monotonic() + 30
        while text not in self.seen:
            assert select.select([self.end], [], [], deadline - time.monotonic())[0], self.seen
            self.seen += os.read(self.end, 4096)

    def ended(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_a_terminal_has_its_size_its_keys_and_its_colours() -> None:
    script = (
        "test -t 0 -a -t 1 -a -t 2 && stty size; printf 'ready \\033[31mred\\n'; read answer; echo got $answer; "
        "trap 'stty size; seen=1' WINCH; echo go; until [ \"$seen\" ]; do sleep 0.1; done; echo waiting; sleep 1000"
    )
    terminal = Terminal("--disks", "1x32MiB", "--", "bash", "-c", script)
    terminal.until(b"24 80")
    terminal.until(b"ready \x1b[31mred\r\n")
    os.write(terminal.end, b"this\r")
    terminal.until(b"got this\r\ngo")
    terminal.resize(40, 120)
    terminal.until(b"40 120\r\nwaiting")
    os.write(terminal.end, b"\x03")
    assert terminal.ended() == 128 + signal.SIGINT, "Ctrl-C goes to the command, and its exit code comes back"


@pytest.mark.first(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_lab_that_is_killed_leaves_nothing_behind(number: signal.Signals, scratch: Path) -> None:
    words = ["--disks", "1x32MiB", "--", "sh", "-c", "echo up; setsid sleep 1000 & sleep 1000"]
    with subprocess.Popen([*LAB, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert set(processes(scratch).values()) == {"keeper.py", "linux.uml"}
        process.send_signal(number)
        assert process.wait(timeout=20) in (-number, 128 + number)
    wait_until_nothing_is_left(scratch)


@pytest.mark.parametrize("victim", ["linux.uml", "keeper.py"])
def test_a_guest_that_is_killed_is_told_and_leaves_nothing_behind(victim: str, scratch: Path) -> None:
    with Guest(Setup(disks="1x32MiB")) as guest:
        sleeper = guest.start(["sleep", "1000"])
        guest.run(["true"])
        found = {pid for pid, program in processes(scratch).items() if program == victim}
        # The kernel's other processes are the guest's programs: its children.
        (first,) = (pid for pid in found if psutil.Process(pid).ppid() not in found)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(GuestDied, match="the guest's kernel stopped while it ran"):
            sleeper.wait(20)
    wait_until_nothing_is_left(scratch)


def test_a_kernel_panic_is_told_with_the_kernels_last_words() -> None:
    done = lab("--disks", "1x32MiB", "--", "sh", "-c", "echo c >/proc/sysrq-trigger; sleep 60")
    assert done.returncode == 4
    assert b"raidtui: the guest's kernel stopped while it ran\n" in done.stderr
    assert b"Kernel panic - not syncing: sysrq triggered crash" in done.stderr


def test_where_ptrace_is_forbidden_the_lab_does_without_it_or_says_so(tmp_path: Path) -> None:
    # As a container without the right to trace does it: every ptrace fails with EPERM.
    forbid = tmp_path / "forbid.py"
    forbid.write_text(
        """
import ctypes, os, struct, sys
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, 101), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
    )
    done = subprocess.run(
        [sys.executable, str(forbid), *LAB, "--disks", "1x32MiB", "--", "true"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    explained = subprocess.run([find_kernel(), "--help"], capture_output=True, text=True, check=False)
    if "seccomp=" in explained.stdout + explained.stderr:
        assert done.returncode == 0, done.stderr  # it needs no ptrace
        return
    assert done.returncode == 5
    assert "has to trace its own processes with ptrace, and this system forbids it" in done.stderr


def test_vector_registers_survive_in_a_guest_of_any_processor(guest: Guest) -> None:
    # The C library's string functions live in the widest registers there are, and a page fault in the middle
    # of them is where a kernel that cannot save those shows it.
    script = (
        "import mmap, hashlib; data = mmap.mmap(-1, 32 << 20); data[-1] = 1; "
        "assert data.find(b'x') == -1; assert data.rfind(b'\\x01') == len(data) - 1; "
        "print(hashlib.sha256(data).hexdigest())"
    )
    expected = hashlib.sha256(bytes((32 << 20) - 1) + b"\x01").hexdigest()
    assert guest.run([sys.executable, "-c", script]).stdout.strip() == expected


def test_the_preloaded_ptrace_sets_registers_that_were_read_in_part(tmp_path: Path) -> None:
    file = tmp_path / "xstate.so"
    file.write_bytes(preload_library())
    library = ctypes.CDLL(str(file), use_errno=True)
    library.ptrace.restype = ctypes.c_long
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    attach, detach, get, put, kind = 16, 17, 0x4204, 0x4205, 0x202
    with subprocess.Popen(["sleep", "1000"]) as process:
        try:
            assert library.ptrace(attach, process.pid, None, None) == 0
            os.waitpid(process.pid, os.WUNTRACED)
            registers = ctypes.create_string_buffer(0x4000)
            vector = (ctypes.c_size_t * 2)(ctypes.addressof(registers), len(registers))
            assert library.ptrace(get, process.pid, kind, vector) == 0
            # How many there are depends on the processor; user-mode Linux has room for 2696 bytes.
            part = min(2696, vector[1] - 64)
            vector[1] = part
            assert library.ptrace(get, process.pid, kind, vector) == 0
            assert vector[1] == part
            assert library.ptrace(put, process.pid, kind, vector) == 0
            assert library.ptrace(detach, process.pid, None, None) == 0
            assert library.ptrace(detach, process.pid, None, None) == -1
            assert ctypes.get_errno() == 3, "no such process to trace any more"
        finally:
            process.kill()


def test_a_command_ends_although_what_it_started_goes_on_writing(guest: Guest) -> None:
    done = guest.run(["sh", "-c", "yes & echo $!"], timeout=20)
    assert done.returncode == 0
    writer = next(line for line in done.stdout.splitlines() if line != "y")
    # Its pipe is gone, and that ends it.
    guest.shell(f"while kill -0 {writer}; do sleep 0.1; done 2>/dev/null", timeout=10)


@pytest.mark.first(0)
def test_a_disk_is_pulled_and_plugged_and_comes_back_slow_or_bad(guest: Guest) -> None:
    guest.shell("""
    printf 'label: gpt\n,,R\n' | sfdisk -q /dev/ubdb; udevadm settle
    mdadm -q --create /dev/md/tank --run --level=1 --raid-devices=2 --bitmap=internal --metadata=1.2 /dev/ubda /dev/ubdb1
    mdadm -q --wait /dev/md/tank || :; mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
    """)
    guest.shell("lab pull LAB-0002")
    assert (
        guest.shell("ls /dev/ubdb* 2>/dev/null; cat /sys/block/md127/md/degraded", check=False).stdout
        == "1\n"
    )
    guest.shell("lab plug")
    guest.shell("lab bad LAB-0002")
    read = "dd if=/dev/loop0 of=/dev/null iflag=direct"
    assert "Input/output error" in guest.shell(f"{read} bs=1M", check=False).stderr
    assert "re-add the former member LAB-0002 (loop0)" in guest.run(["raidtui", "status"]).stdout
    guest.shell("lab slow LAB-0002")
    said = guest.shell(f"{read} bs=4k count=20 2>&1").stdout
    assert float(said.rsplit(", ", 2)[1].split()[0]) > 1  # 20 times 50 ms, which it was asked for
    guest.shell("lab pull LAB-0002; lab plug LAB-0002")
    assert (
        guest.shell(
            "ls /sys/block/loop0/loop /dev/mapper/raidtui-* 2>/dev/null; ls /dev/ubdb1", check=False
        ).stdout
        == "/dev/ubdb1\n"
    )


def test_what_is_corrupted_behind_an_arrays_back_is_found_by_a_check_alone(guest: Guest) -> None:
    guest.shell("""
    mdadm -q --create /dev/md/tank --run --level=5 --raid-devices=3 --bitmap=internal --metadata=1.2 /dev/ubda /dev/ubdb /dev/ubdc
    mdadm -q --wait /dev/md/tank || :; lab corrupt LAB-0002; mdadm -q --action=check /dev/md/tank; mdadm -q --wait /dev/md/tank || :
    """)
    assert guest.shell("cat /sys/block/md127/md/mismatch_cnt").stdout == "128\n"


def test_a_disk_that_is_mounted_is_not_pulled_and_bad_words_are_refused(guest: Guest) -> None:
    guest.shell("mkfs.ext4 -q /dev/ubda; mkdir -p /srv/one; mount /dev/ubda /srv/one")
    refused = guest.run(["lab", "pull", "LAB-0001"])
    assert (refused.returncode, "LAB-0001 is in use by a mount" in refused.stderr) == (4, True)
    for words in (["pull"], ["pull", "LAB-0099"], ["push", "LAB-0001"]):
        assert guest.run(["lab", *words]).returncode == 2
    lost = guest.run(["lab", "power"])
    assert (lost.returncode, "--disk-dir" in lost.stderr) == (4, True)
    lines = guest.run(["lab", "--help"], check=True).stdout.splitlines()
    assert len(lines) > 6
    assert max(map(len, lines)) < 80


def test_the_power_is_cut_from_inside_and_the_disks_stay(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("2x32MiB")
    guest.shell("printf written >/run/word; dd if=/run/word of=/dev/ubdb oflag=sync status=none")
    with pytest.raises(GuestDied, match="'lab power' asked"):
        guest.run(["lab", "power"])
    guest.power_on()
    assert guest.shell("head -c 7 /dev/ubdb").stdout == "written"
