"""Bonnie++ itself: what it is told, and what is made of its line."""

import re

import pytest

from raidtui.bench.bonnie import argv_of, line_of, read_lines
from raidtui.bench.fio_process import Finished
from raidtui.model.errors import StepFailed

# What Bonnie++ 2.00a says with these arguments, its figures replaced by rounder ones.
LINE = (
    "1.98,2.00a,raidtui,1,1,4G,,8192,5,,,512000,73,260000,44,,,620000,22,1250.0,17,16,,,,,21000,99,480000,96,"
    "33000,52,21500,44,+++++,+++,32000,51,,5568us,153us,,1315us,1818us,3664us,241us,2763us,463us,86us,2239us"
)


def finished(output: str, code: int = 0, stderr: str = "") -> Finished:
    return Finished(argv=("bonnie++",), returncode=code, output=output, log="", stderr=stderr, seconds=1.0)


def test_it_works_in_the_folder_that_it_is_given_on_the_size_that_was_asked_for() -> None:
    argv = argv_of("/usr/sbin/bonnie++", "/proc/self/fd/7/.", 4 * 2**30, files=16384)
    assert argv[argv.index("-d") + 1] == "/proc/self/fd/7/."
    assert argv[argv.index("-s") + 1] == "4096:8k"
    assert argv[argv.index("-n") + 1] == "16:0:0:1"


def test_its_figures_become_cells_and_two_runs_a_median() -> None:
    cells, version = read_lines([line_of(finished(LINE + "\n")), LINE.replace("512000", "500000")])
    found = {(cell.name, cell.direction): cell for cell in cells}
    assert version == "2.00a"
    assert found["block", "write"].bytes_per_second == 506000 * 1024
    assert len(found["block", "write"].runs) == 2
    assert found["delete in order", "write"].iops == 33000
    assert ("stat at random", "read") not in found, "it was over too soon to be known"


def test_an_end_without_figures_is_a_sentence() -> None:
    with pytest.raises(StepFailed, match="Bonnie\\+\\+ failed: Can't open file"):
        line_of(finished("", 1, "Can't open file ./Bonnie.1\n"))


def test_what_was_too_quick_to_be_measured_wants_a_larger_size() -> None:
    head, _, tail = LINE.partition("4G,")
    figures, _, delays = tail.partition(",,5568us")
    quick = re.sub(r"\d{3,}(?:\.\d)?", "+++++", figures)
    with pytest.raises(StepFailed, match=r"took long enough to be known; give a larger --size"):
        read_lines([f"{head}4G,{quick},,5568us{delays}"])


def test_results_of_two_machines_are_no_result_of_one_measurement() -> None:
    other = LINE.split(",")
    other[2] = "other"
    with pytest.raises(StepFailed, match="printed 2 results, not 1"):
        read_lines([LINE, ",".join(other)])
