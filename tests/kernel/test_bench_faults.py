"""What a benchmark says, and what it leaves, when it is stopped or something goes wrong under it, in each phase."""

import json
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from raidtui.lab.command import Command
from raidtui.lab.guest import Guest, Setup
from tests.kernel.driving import JOBS, bench, clean

PLACE = "/srv/frail"
NODE = "/dev/mapper/frail"
ROW = "/run/row.toml"
SLOW = "/run/slow"  # a control group whose processes get 8 MiB/s from the disk: phases last long enough to be hit

# The first thing that fio does with each of these is the phase; what would come before is not needed by the row.
PHASES = {
    "filling": '[row."SEQ1M Q1T1 read"]',
    "warm-up": '[row."SEQ1M Q1T1 write"]\nfresh = true',
    "waiting": '[row."SEQ1M Q1T1 write"]\nfresh = true\nuntil = "end"',
    "measuring": '[row."SEQ1M Q1T1 write"]\nfresh = true\nuntil = "end"',
    "syncing": '[row."SEQ1M Q1T1 write"]\ncached = true\nfresh = true\nuntil = "end"',
}
FILLS_CACHE = '[row."SEQ1M Q1T1 read"]\ncached = true'
READ = '[row."SEQ1M Q1T1 read"]\nuntil = "end"'
WRITE = '[row."SEQ1M Q1T1 write"]\nuntil = "end"'
LINEAR = "linear /dev/ubda 0"
DEAD = "error"
ONLY_READS = "flakey /dev/ubda 0 0 60 1 error_writes"

# What Python keeps of its modules is not counted as a file in the wrong place.
ENVIRONMENT = {"PYTHONPYCACHEPREFIX": "/run/bytecode"}
FULL_SPEED = f"""
for device in $(cut -d' ' -f1 {SLOW}/io.max); do echo "$device rbps=max wbps=max" >{SLOW}/io.max; done
"""


@pytest.fixture(scope="module")
def kept() -> Iterator[Guest]:
    """One guest for all of these tests."""
    with Guest(Setup(disks="2x160MiB")) as guest:
        guest.shell("modprobe dm-flakey; mkdir /run/groups; mount -t cgroup2 none /run/groups")
        guest.shell(f"cd /run/groups; echo +io >cgroup.subtree_control; mkdir slow; ln -s $PWD/slow {SLOW}")
        yield guest


@pytest.fixture
def frail(kept: Guest) -> Iterator[Guest]:
    """An ext4 at /srv/frail, on a mapping of LAB-0001 that can be made to fail."""
    kept.shell(
        f"""
        {table("create", LINEAR)}
        mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 {NODE}
        mkdir -p {PLACE} && mount -o errors=remount-ro {NODE} {PLACE}
        echo "$(dmsetup info -c --noheadings --separator : -o major,minor frail) rbps=8388608 wbps=8388608" \
            >{SLOW}/io.max
        echo "$(lsblk -dno MAJ:MIN /dev/ubdb) rbps=8388608 wbps=8388608" >{SLOW}/io.max
        """
    )
    yield kept
    kept.shell(
        f"""
        {FULL_SPEED}
        pkill -KILL -x fio
        umount {PLACE}
        mdadm --quiet --stop /dev/md127
        dmsetup remove --force --retry frail
        wipefs --all --quiet /dev/ubda /dev/ubdb
        rm -rf {JOBS} /srv/*
        """,
        check=False,
    )


def table(verb: str, target: str) -> str:
    """The words that give the mapping another table."""
    return f"""dmsetup {verb} frail --table "0 $(blockdev --getsz /dev/ubda) {target}";"""


def turns_into(guest: Guest, target: str) -> None:
    """Have the disk become something else under whoever uses it, as when it fails."""
    guest.shell(f"dmsetup suspend --nolockfs --noflush frail; {table('load', target)} dmsetup resume frail")


def begin(
    guest: Guest,
    phase: str,
    *words: str,
    target: str = PLACE,
    row: str = "",
    interval: str = "30s",
    size: str = "32MiB",
) -> Command:
    """Start a benchmark on the slow disk, and return when it is in ``phase``."""
    runs = 2 if phase == "warm-up" else 1  # a single run has no warm-up
    text = f'name = "row"\ntitle = "One row"\nruns = {runs}\n{row or PHASES[phase]}\n'
    guest.run(["tee", ROW], stdin=text, check=True)
    words = ("raidtui", "bench", target, "--profile", ROW, "--size", size, *words)
    if phase == "waiting":
        words += ("--interval", interval)
    slowly = ["sh", "-c", f'echo $$ >{SLOW}/cgroup.procs; exec "$@"', "sh"]
    running = guest.start([*slowly, *words], env=ENVIRONMENT)
    guest.shell(f"""until grep -qs '"phase":"{phase}"' {JOBS}/*/live; do sleep 0.2; done""", timeout=120)
    return running


@dataclass(frozen=True)
class End:
    """How a benchmark ended."""

    code: int
    sentence: str
    results: int
    seconds: float


def end(guest: Guest, running: Command) -> End:
    """Wait for the end of a benchmark."""
    started = time.monotonic()
    code = running.wait(60)
    seconds = time.monotonic() - started
    stored = guest.shell(f"""grep -h '"event":"result"' {JOBS}/*/journal.jsonl || true""").stdout.count("\n")
    said = running.stderr.decode().splitlines()[-1]
    return End(code=code, sentence=said, results=stored, seconds=seconds)


def at_full_speed(guest: Guest) -> None:
    """Let the disk take what is still on its way to it."""
    guest.shell(FULL_SPEED)


def room_used(guest: Guest) -> str:
    """What is used of the filesystems that a file could end up in when its place is gone."""
    return guest.shell("df --output=target,used,iused / /dev /dev/shm").stdout


@pytest.mark.first(1)
@pytest.mark.parametrize(("phase", "row"), [*PHASES.items(), ("syncing", FILLS_CACHE)])
def test_in_each_phase_a_stop_takes_a_moment_and_leaves_nothing(frail: Guest, phase: str, row: str) -> None:
    running = begin(frail, phase, row=row)
    running.kill(signal.SIGINT)
    found = end(frail, running)
    assert (found.code, found.results) == (130, 0)
    assert found.sentence == "raidtui: canceled. Nothing was saved; the test file is gone."
    assert found.seconds < 3
    ended = json.loads(frail.shell(f"tail -qn1 {JOBS}/*/journal.jsonl").stdout)
    assert (ended["outcome"], ended["exit_code"]) == ("cancelled", 130)
    at_full_speed(frail)
    clean(frail, PLACE)


@pytest.mark.first(0)
def test_a_stopped_benchmark_of_a_disk_leaves_it_blank(frail: Guest) -> None:
    frail.shell("blkdiscard --zeroout /dev/ubdb")  # an array of another test may have been there
    running = begin(frail, "measuring", "--erase", "LAB-0002", target="/dev/ubdb")
    frail.shell(f"kill -TERM $(cat {JOBS}/*/lock)")
    at_full_speed(frail)
    assert end(frail, running).code == 130
    assert frail.shell("cmp /dev/ubdb /dev/zero 2>&1 || true").stdout.startswith("cmp: EOF on ")


def test_a_killed_benchmark_leaves_nothing_and_the_next_one_has_its_way(frail: Guest) -> None:
    running = begin(frail, "measuring")
    frail.shell(f"kill -KILL $(cat {JOBS}/*/lock)")
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    assert "died unexpectedly" in found.sentence
    at_full_speed(frail)
    clean(frail, PLACE)
    assert bench(frail, PLACE, "--profile", ROW, "--size", "16MiB").returncode == 0


def test_a_benchmark_goes_on_to_its_end_when_its_screen_is_killed(frail: Guest) -> None:
    running = begin(frail, "waiting", "--label", "alone", interval="2s")
    running.kill(signal.SIGKILL)
    assert running.wait(10) == 128 + signal.SIGKILL
    at_full_speed(frail)
    frail.shell(f"""until grep -q '"event":"ended"' {JOBS}/*/journal.jsonl; do sleep 0.2; done""", timeout=30)
    assert frail.run(["raidtui", "results", "show", "alone"]).returncode == 0
    clean(frail, PLACE)


@pytest.mark.first(0)
def test_an_fio_that_is_killed_is_a_sentence_and_leaves_nothing(frail: Guest) -> None:
    running = begin(frail, "measuring")
    frail.shell("pkill -KILL -x fio")
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    assert found.sentence == "raidtui: fio was killed by SIGKILL"
    at_full_speed(frail)
    clean(frail, PLACE)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("phase", "becomes"), [("filling", ONLY_READS), ("measuring", DEAD), ("syncing", ONLY_READS)]
)
def test_a_disk_that_fails_under_a_filesystem_is_a_sentence(frail: Guest, phase: str, becomes: str) -> None:
    running = begin(frail, phase)
    turns_into(frail, becomes)
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    # A write that needs a new block is refused by the filesystem, if that has noticed before.
    says = "has an I/O error; 'raidtui inspect'", "became read-only during the benchmark"
    assert found.sentence.startswith(tuple(f"raidtui: {PLACE} {one}" for one in says))


def test_a_device_that_is_removed_while_it_is_read_is_a_sentence(frail: Guest) -> None:
    frail.shell(f"umount {PLACE}")
    running = begin(frail, "measuring", target=NODE, row=READ)
    frail.shell("dmsetup remove --force frail 2>/dev/null || true")
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    assert "has an I/O error" in found.sentence


def test_a_member_that_fails_while_its_array_is_measured_is_a_stamp(frail: Guest) -> None:
    frail.shell(
        f"""
        umount {PLACE}
        mdadm --quiet --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none --assume-clean \
            --metadata=1.2 {NODE} /dev/ubdb
        mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/md127
        mount /dev/md127 {PLACE}
        """
    )
    running = begin(frail, "measuring", "--json")
    turns_into(frail, DEAD)
    found = end(frail, running)
    assert (found.code, found.results) == (0, 1), found.sentence
    (cell,) = json.loads(running.stdout)["cells"]
    assert "R /dev/md127 is degraded" in cell["flags"]
    clean(frail, PLACE)
    frail.shell(f"umount {PLACE}; mdadm --quiet --stop /dev/md127; wipefs --all --quiet /dev/ubdb")


@pytest.mark.first(0)
def test_a_blank_array_that_fails_while_it_is_written_is_told_not_to_be_blank(frail: Guest) -> None:
    frail.shell(
        f"""
        umount {PLACE}
        wipefs --all --quiet {NODE}
        mdadm --quiet --create /dev/md127 --run --level=0 --force --raid-devices=1 --name=bare --homehost=lab \
            --metadata=1.2 {NODE}
        """
    )
    running = begin(frail, "measuring", "--erase", "bare", target="/dev/md127")
    turns_into(frail, DEAD)
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    assert "/dev/md127 could not be made blank again: Input/output error; its first 32MiB" in found.sentence
    frail.shell("mdadm --quiet --stop /dev/md127")


# The benchmark may take some of it between the question and the answer.
TAKES_ALL = f"until fallocate -l $(df --output=avail -B1 {PLACE} | tail -1) {PLACE}/others; do rm {PLACE}/others; done"


@pytest.mark.first(0)
def test_a_target_that_others_fill_while_the_test_file_is_written_is_a_sentence(frail: Guest) -> None:
    running = begin(frail, "filling")
    frail.shell(TAKES_ALL)
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    assert found.sentence == (f"raidtui: {PLACE} is full; free some space or use a smaller --size")
    frail.shell(f"test -f {PLACE}/others && rm {PLACE}/others")
    at_full_speed(frail)
    clean(frail, PLACE)


@pytest.mark.first(0)
def test_what_copies_on_write_can_be_too_full_to_overwrite_a_file_that_is_there(frail: Guest) -> None:
    frail.shell(f"umount {PLACE}; mkfs.btrfs -q -f --mixed {NODE}; mount {NODE} {PLACE}")
    running = begin(frail, "waiting", row=WRITE, interval="3s", size="16MiB")
    frail.shell(f"head -c 200M /dev/zero >{PLACE}/others; sync", check=False)
    at_full_speed(frail)
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0), found.sentence
    assert found.sentence.startswith(f"raidtui: {PLACE} is full; free some space")
    assert frail.shell(f"ls -A {PLACE}").stdout == "others\n"


@pytest.mark.first(0)
def test_what_others_do_to_the_filesystem_meanwhile_does_not_hurt(frail: Guest) -> None:
    before = room_used(frail)
    running = begin(frail, "waiting", row=WRITE, interval="2s", size="16MiB")
    frail.shell(f"{TAKES_ALL}; sync")
    assert "busy" in frail.shell(f"mount -o remount,ro {PLACE}", check=False).stderr
    frail.shell(f"umount --lazy {PLACE}")
    at_full_speed(frail)
    found = end(frail, running)
    assert (found.code, found.results) == (0, 1), found.sentence
    assert room_used(frail) == before, "nothing was made where the filesystem had been"
    frail.shell(f"mount {NODE} {PLACE}; rm {PLACE}/others")
    clean(frail, PLACE)


@pytest.mark.first(0)
def test_a_filesystem_that_turns_read_only_because_of_an_error_is_a_sentence(frail: Guest) -> None:
    running = begin(frail, "measuring")
    frail.shell(f"echo broken >/sys/fs/ext4/$(basename $(realpath {NODE}))/trigger_fs_error")
    found = end(frail, running)
    assert (found.code, found.results) == (4, 0)
    # ext4 of Linux 6.1 answers EROFS to writes then, that of 6.12 EIO.
    assert found.sentence.startswith(f"raidtui: {PLACE} ")
    assert "became read-only" in found.sentence or "has an I/O error" in found.sentence
    assert "the kernel log" in found.sentence
    at_full_speed(frail)
    frail.shell(f"umount {PLACE}; e2fsck -p {NODE} || test $? -lt 4; mount {NODE} {PLACE}")
    clean(frail, PLACE)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("prepare", "target", "code", "sentence"),
    [
        ("true", f"{PLACE}/nowhere", 2, f"{PLACE}/nowhere cannot be measured: No such file or directory"),
        ("true", "/dev/md77 --erase LAB-0001", 2, "/dev/md77 cannot be measured: No such file or directory"),
        (f"umount {PLACE}; dmsetup remove frail", NODE, 2, f"{NODE} cannot be measured: No such file"),
        (f"ln -s /srv/gone {PLACE}/link", f"{PLACE}/link", 2, f"{PLACE}/link cannot be measured: No such"),
        (f"umount {PLACE}", PLACE, 3, f"{PLACE} is on an overlay"),
    ],
)
def test_a_target_that_is_not_there_is_not_made(
    frail: Guest, prepare: str, target: str, code: int, sentence: str
) -> None:
    frail.shell(prepare)
    before = room_used(frail)
    done = frail.run(["raidtui", "bench", *target.split(), "--size", "16MiB"], env=ENVIRONMENT)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)
    assert sentence in done.stderr
    assert room_used(frail) == before, "no file was made anywhere"


@pytest.mark.first(0)
def test_one_disk_is_measured_by_one_benchmark_at_a_time(frail: Guest) -> None:
    frail.shell(f"mkdir {PLACE}/other")
    running = begin(frail, "waiting")
    for target in (PLACE, f"{PLACE}/other"):
        refused = bench(frail, target, "--profile", ROW, "--size", "16MiB")
        assert refused.returncode == 3
        assert refused.stderr.splitlines()[-1].startswith("raidtui: another job is using the disk LAB-0001")
    running.kill(signal.SIGINT)
    assert end(frail, running).code == 130
    frail.shell(f"rmdir {PLACE}/other")
    clean(frail, PLACE)
