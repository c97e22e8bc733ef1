"""The script of a plan, as text; `tests/kernel/test_script.py` runs it."""

import re
import shlex
import subprocess
from pathlib import Path

import msgspec
import pytest

from raidtui.model.machine import ClaimKind, Signature, Weight
from raidtui.model.plan import DropLine, EnsureLine, Hazard, Plan, Run, Severity
from raidtui.plan.script import as_script
from tests.unit.plan_machines import array, disk, machine, member_disk, plan, taken, teardown, whole


def script(made: Plan | None = None) -> str:
    return as_script(made or plan(spares=("S-0004",)))


def after_questions(text: str) -> str:
    return text[text.index("\nsay '1/") :]


def test_every_command_of_the_plan_is_in_it_in_the_same_order() -> None:
    made = plan(spares=("S-0004",))
    text = after_questions(script(made))
    place = 0
    for step in made.steps:
        for action in step.actions:
            match action:
                case Run(argv=argv):
                    wanted = shlex.join(argv)
                case EnsureLine(path=path, line=line):
                    wanted = f"put_line {path} {shlex.quote(line)}"
                case _:
                    wanted = "save S-0001"
            place = text.index(wanted, place)


def test_nothing_is_written_before_all_questions_are_asked() -> None:
    text = script()
    before = text[text.index("erase=''") : text.index("\nsay '1/")]
    assert before.count("\nsame_disk ") == 4
    assert "all_named S-0001 S-0002 S-0003 S-0004" in before
    assert '[ "$(uname -n)" = nas ]' in before
    assert not re.search(r"^(wipefs|dd|sfdisk|mdadm|mk\w+|mount|save|put_line) ", before, re.MULTILINE)


LOUD = Hazard(
    id="loud",
    severity=Severity.HIGH,
    seen="S-0001",
    meaning="It is\nloud.",
    advice="Cover it.",
    source="ears",
)
QUIET = msgspec.structs.replace(LOUD, id="quiet", severity=Severity.INFO, meaning="It is quiet.")
WALL = msgspec.structs.replace(LOUD, id="wall", severity=Severity.BLOCK)


def test_the_hazards_stand_in_the_head_and_those_that_are_high_must_be_accepted() -> None:
    text = script(msgspec.structs.replace(plan(), hazards=(LOUD, QUIET)))
    head = text[: text.index("set -eu")]
    assert "--erase S-0001,S-0002,S-0003 --accept loud\n" in head
    assert "# HIGH loud: S-0001\n#   It is?loud. Cover it.\n" in head
    assert "quiet" not in text
    assert "\nall_accepted loud\n" in text
    assert "--accept" not in script()[: script().index("set -eu")]
    assert "\nall_accepted " not in script()


@pytest.mark.processes
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("", 2, "usage: "),
        ("--erase", 2, "usage: "),
        ("--erase=", 2, "usage: "),
        ("--accept loud", 2, "usage: "),
        ("--erase S-0001 more", 2, "usage: "),
        (
            "--erase S-0001",
            3,
            "this must be acknowledged first; the head of sh explains it: --accept loud,hot",
        ),
        ("--erase S-0001 --accept loud", 3, "--accept hot"),
        ("--accept=hot --erase=S-0001 --accept x,loud", 3, "this is not the computer"),
        ("--erase S-0001,S-0002 --erase S-0003 --accept hot,loud", 3, "this is not the computer"),
    ],
)
def test_the_script_takes_the_words_of_apply(words: str, code: int, said: str) -> None:
    hot = msgspec.structs.replace(LOUD, id="hot")
    text = script(msgspec.structs.replace(plan(), hazards=(LOUD, hot), host="no-such-host"))
    text = text.replace("id -u", "echo 0").replace('command -v "$tool" >/dev/null', ":")
    done = subprocess.run(
        ["sh", "-s", "--", *words.split()],
        input=text,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert said in done.stderr


@pytest.mark.processes
def test_a_plan_that_cannot_be_done_safely_is_a_script_that_refuses() -> None:
    text = script(msgspec.structs.replace(plan(), hazards=(WALL,))).replace("id -u", "echo 0")
    argv = ["sh", "-s", "--", "--erase", "S-0001,S-0002,S-0003"]
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, "this cannot be done safely: wall: It is?loud." in done.stderr) == (3, True)


@pytest.mark.processes
def test_the_parents_of_the_mount_point_can_be_entered_and_what_is_saved_cannot(tmp_path: Path) -> None:
    text = script()
    assert "\numask 022\n" in text
    (made,) = re.findall(r"^mkdir -p (/srv\S*)$", text, re.MULTILINE)
    state = next(line for line in text.splitlines() if line.startswith("mkdir -p -m 700"))
    lines = f"umask 022\nmkdir -p {tmp_path}{made}/deep\nRAIDTUI_STATE={tmp_path}/state\n{state}\n"
    subprocess.run(["sh", "-c", lines], check=True)
    assert (tmp_path / made.strip("/")).stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_each_step_is_announced_and_commented_with_its_reason() -> None:
    made = plan()
    text = script(made)
    for number, step in enumerate(made.steps, 1):
        assert f"# {number}. {step.title}\n#    {step.reason}\n" in text
        assert f"\nstep={step.id}\n" in text


def test_commands_run_under_locks_exactly_where_the_plan_says() -> None:
    made = plan()
    text = after_questions(script(made))
    assert text.count("sh -euc") == sum(bool(step.holds) for step in made.steps)
    for part in re.findall(r"<<'COMMANDS'\n(.*?)\nCOMMANDS", text, re.DOTALL):
        assert "udevadm" not in part


def test_the_disks_are_known_by_serial_size_and_contents() -> None:
    table = Signature(device="/dev/sda", offset=512, type="gpt", uuid="ab\\c")
    text = script(plan(where=machine(disk(1, signatures=(table,)))))
    assert f"same_disk {whole(1)} S-0001 10000000000 \"$(printf %b 'disk gpt ab\\\\c')\" free" in text


def test_a_disk_without_a_serial_number_is_known_by_its_wwn() -> None:
    nameless = disk(1, serial="")
    made = plan(where=machine(nameless), members=("0x5000c50000000001", "S-0002", "S-0003"))
    text = script(made)
    assert f"same_disk {whole(1)} 0x5000c50000000001 " in text
    assert "all_named 0x5000c50000000001 S-0002 S-0003" in text


def test_text_from_a_disk_stays_a_comment() -> None:
    evil = disk(1, model="x\n$(reboot)\x1b[2J")
    label = taken(2, Weight.DATA, ClaimKind.FILESYSTEM, "ext4 '\nreboot\n'")
    text = script(plan(where=machine(evil, label)))
    assert all(line.isprintable() for line in text.splitlines())
    lines = [line for line in text.splitlines() if "reboot" in line]
    assert lines
    assert all(line.startswith("#") for line in lines)


def test_words_with_quotes_and_dollars_stay_words() -> None:
    made = plan()
    odd = "it's $HOME `id` \\"
    step = msgspec.structs.replace(made.steps[0], actions=(Run(argv=("echo", odd)),), title=odd)
    text = script(msgspec.structs.replace(made, steps=(step,)))
    (line,) = [one for one in text.splitlines() if one.startswith("echo ")]
    assert shlex.split(line.removesuffix(" </dev/null")) == ["echo", odd]


def test_a_tab_in_a_line_of_fstab_is_spelled_by_its_number() -> None:
    line = "UUID=aaaa-bbbb\t/srv/tank ext4 defaults 0 2"
    where = machine(*(member_disk(n) for n in (1, 2, 3)), arrays=(array(),), fstab=(line,))
    made = teardown(where)
    assert DropLine(path="/etc/fstab", line=line) in [a for s in made.steps for a in s.actions]
    text = script(made)
    assert "\t" not in text
    (spelled,) = re.findall(r"^drop_line /etc/fstab \"\$\(printf %b '(.*)'\)\"$", text, re.MULTILINE)
    assert bytes(int(code, 8) for code in spelled.split("\\0")[1:]).decode() == line


def test_a_teardown_does_not_ask_whether_its_own_array_uses_the_disks() -> None:
    where = machine(*(member_disk(n) for n in (1, 2, 3)), arrays=(array(),))
    text = script(teardown(where))
    assert text.count(" member\n") == 3
    assert "Removes the RAID5 array tank" in text


@pytest.mark.parametrize("partition", [True, False])
def test_everything_that_is_zeroed_is_saved_before(partition: bool) -> None:
    made = plan(partition=partition)
    text = script(made)
    saved = re.search(rf"^save S-0001 {whole(1)} (.*)$", text, re.MULTILINE)
    assert saved is not None
    zeroed = re.findall(rf"of={whole(1)} bs=(\d+) count=1 seek=(\d+)", text)
    assert saved[1].split() == [f"{offset}:{length}" for length, offset in zeroed]
