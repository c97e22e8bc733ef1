"""Actions and conditions in one harmless line each."""

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.conditions import every_condition
from raidtui.backends.md.conditions import ARRAY_RUNS
from raidtui.model.plan import Action, Check, DropLine, EnsureLine, RestoreCapsule, Run, SaveCapsule
from raidtui.model.text import count_of, harmless
from raidtui.plan.words import check_words, command_line
from raidtui.steps.devices import PARTITION
from raidtui.steps.files import LINE_IN
from raidtui.steps.initramfs import INITRAMFS_HAS, INITRAMFS_LACKS


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (Run(argv=("wipefs", "--all", "/dev/sda")), "wipefs --all /dev/sda"),
        (Run(argv=("mkfs.ext4", "-L", "my tank")), "mkfs.ext4 -L 'my tank'"),
        (
            Run(argv=("sfdisk", "/dev/sda"), input="label: gpt\nstart=1\n"),
            "printf '%s\\n' 'label: gpt' start=1 | sfdisk /dev/sda",
        ),
        (
            Run(argv=("mdadm", "/dev/disk/by-id/md", "--add", "/dev/sdb"), by_node="/dev/disk/by-id/md"),
            'mdadm "$(readlink -f /dev/disk/by-id/md)" --add /dev/sdb',
        ),
        (Run(argv=("sh", "-c", "cd /\npwd # it's here\n")), r"sh -c $'cd /\npwd # it\'s here\n'"),
        (EnsureLine(path="/etc/fstab", line="a b"), "add to /etc/fstab: a b"),
        (DropLine(path="/etc/fstab", line="a b"), "remove from /etc/fstab: a b"),
        (SaveCapsule(disks=("A", "B")), "save what will be overwritten on A, B"),
        (RestoreCapsule(disks=("A",)), "restore what was saved of A"),
    ],
)
def test_an_action_is_one_line(action: Action, line: str) -> None:
    assert command_line(action) == line


@given(st.lists(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)), min_size=1))
def test_a_shell_reads_the_line_as_the_same_words(words: list[str]) -> None:
    line = command_line(Run(argv=("echo", *words, "end")))
    assert shlex.split(line) == ["echo", *words, "end"]


@pytest.mark.processes
@pytest.mark.parametrize("word", ["for a; do\n\techo '\\n$a' # it's\ndone\n", "\n", "a\\\nb", "\\n\n'"])
def test_bash_reads_a_script_with_line_breaks_as_it_is(word: str) -> None:
    line = command_line(Run(argv=("printf", "%s", word)))
    said = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True).stdout
    assert said == word


@given(st.text())
def test_no_text_rewrites_the_terminal(text: str) -> None:
    for line in (
        command_line(Run(argv=("echo", text))),
        command_line(EnsureLine(path="/etc/fstab", line=text)),
        check_words(LINE_IN.of("/etc/fstab", text)),
    ):
        assert harmless(line) == line
        assert len(line.splitlines()) == 1


@pytest.mark.parametrize("kind", every_condition())
def test_every_condition_has_words_about_its_subject(kind: str) -> None:
    said = check_words(Check(kind=kind, subject="/dev/md/tank", expect="raid5 4"))
    assert "/dev/md/tank" in said or kind in {INITRAMFS_HAS.kind, INITRAMFS_LACKS.kind}
    assert "{" not in said


def test_what_a_card_is_asked_names_card_and_tool() -> None:
    free = Check(kind="card-drives-free", subject="storcli64 0 drives", expect="252:0=S-0001")
    assert check_words(free) == (
        "card 0 of storcli64 has these drives free, by slot and serial number: 252:0=S-0001"
    )
    gone = Check(kind="virtual-drive-gone", subject="storcli64 0 tank-123456")
    assert check_words(gone) == "card 0 of storcli64 has no virtual drive tank-123456"


def test_sizes_and_levels_are_shown() -> None:
    extent = PARTITION.of("/dev/sda1", "1048576 4096")
    assert check_words(extent) == "/dev/sda1 is 4,096 bytes long and starts at byte 1,048,576"
    runs = ARRAY_RUNS.of("uuid", "raid5 4")
    assert check_words(runs) == "the array uuid runs as raid5 with 4 members"


def test_counting() -> None:
    assert [count_of("x" * n, "spare") for n in (0, 1, 2)] == ["0 spares", "1 spare", "2 spares"]
