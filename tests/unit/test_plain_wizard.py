"""The wizard in plain lines: what it asks and says, and that nothing but lines comes out."""

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn, cast

import pytest
from msgspec.structs import replace

from raidtui import cli
from raidtui.backends.reading import recorded_machine
from raidtui.commands.plain import comparing, wizard
from raidtui.commands.plain.asking import one_of
from raidtui.commands.terminal.pace import Pace, parse_pace
from raidtui.jobs.rehearsed import RehearsalProcess
from raidtui.model.errors import BadInput, Refused
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Procedure
from raidtui.model.rehearsal import Rehearsal
from raidtui.model.struct import to_json
from raidtui.results.compare import compare
from raidtui.sweep.prepare import Preview
from raidtui.ui.shell import explained
from raidtui.ui.shell.explained import in_words
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.world import Access
from tests.ui.own_process import PretendedProcess
from tests.ui.test_rehearsing import FAILED, PASSED
from tests.unit.poison import OBEYED, poisoned
from tests.unit.test_results_compare import FAST, SLOW, result

MACHINES: Final = Path(__file__).resolve().parents[1] / "machines"
RAID5: Final = ("1", "1 2 3 4", "none", "RAID5", "plan")


class Answered:
    """Answers on standard input, and all that was said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *answers: str, machine: str | Path = "blank-4", code: int = 0) -> str:
        text = "".join(f"{answer}\n" for answer in answers)
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        file = MACHINES / f"{machine}.json" if isinstance(machine, str) else machine
        assert cli.main(["--machine", str(file), "wizard", "--plain"]) == code
        said = self._capsys.readouterr()
        out = said.out + said.err
        assert all(letter == "\n" or letter >= " " for letter in out)
        return " ".join(out.split())


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answered:
    return Answered(monkeypatch, capsys)


def test_a_recording_is_asked_through_to_the_plan_and_stops_there(answered: Answered) -> None:
    out = answered(*RAID5, "confirm", code=3)
    assert "Chosen: 4 members, 8.59 GB raw, 6.12 GB usable as RAID5." in out
    assert (
        "RAID5 (recommended): 6.12 GB (5.70 GiB) usable, overhead 28.8 % of all disks. Survives any 1." in out
    )
    assert "Row 1: ubda D1, ubdb D2, ubdc D3, ubdd parity P." in out
    assert "Type confirm to continue: confirm A recording: nothing can be erased or started here." in out
    assert "ERASES 4 disks, all apparently blank, on lab (recording). Nothing has been written yet." in out
    assert "Nothing is lost above this line. 3. DESTRUCTIVE: Erase what is on 4 disks" in out


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.processes
def test_neither_textual_nor_rich_is_loaded_on_the_whole_way_in_any_encoding(encoding: str) -> None:
    code = (
        "import sys; from raidtui import cli\n"
        "code = cli.main(sys.argv[1:])\n"
        "print('LOADED', sorted({'textual', 'rich'} & set(sys.modules)), code)"
    )
    words = ["--machine", str(MACHINES / "blank-4.json"), "wizard", "--plain"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        input="\n".join([*RAID5[:4], "4", "größe", "plan", "c", "confirm", ""]),
        env={**os.environ, "PYTHONIOENCODING": encoding, "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("LOADED [] 3\n")


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        ((), 0, "What to do [1]: "),
        (("q",), 0, "What to do [1]: q"),
        (("1",), 2, "the input ended before this was answered: Members; nothing was started"),
        (("1", "1 2"), 2, "answered: Hot spares, or none"),
        (("1", "1 2", "none", "q"), 0, "Level [2]: q"),
    ],
)
def test_the_end_of_the_input_is_the_end_and_exit_code_2_within_something(
    answers: Sequence[str], code: int, said: str, answered: Answered
) -> None:
    assert said.strip() in answered(*answers, code=code)


@pytest.mark.parametrize(
    ("answers", "page"),
    [
        ((), explained.OVERVIEW),
        (RAID5[:1], explained.DISKS),
        (RAID5[:3], explained.LEVEL),
        (RAID5[:4], explained.OPTIONS),
        (RAID5, explained.REVIEW),
    ],
)
def test_a_question_mark_says_what_f1_says_without_the_keys(
    answers: Sequence[str], page: str, answered: Answered
) -> None:
    out = answered(*answers, "?", "q")
    assert all(paragraph in out for paragraph in in_words(page))
    assert "{" not in out


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (("9",), "'9' is not a number from 1 to 5."),
        (("1", "7"), "'7' is not a disk; type a number from 1 to 4, or a serial number."),
        (("1", "1"), "An array needs at least two members: choose another."),
        (("1", "1 1"), "LAB-0001 is named twice."),
        (("1", "1 2", "2"), "LAB-0002 is a member and cannot be a spare too."),
        (("1", "1 2", "none", "raid6"), "RAID6 is not possible on these disks: "),
        (("1", "1 2", "none", "s age"), "Type space, safety, speed or level after s, to sort by it."),
        ((*RAID5[:4], "1", "a b/c", "plan"), "a b/c"),
        ((*RAID5[:4], "5", "6", "much"), "'much' is not a size"),
        ((*RAID5, ""), "An empty answer is none of: confirm, c, d and a number, r, f, s, p."),
        ((*RAID5, "yes"), "'yes' is none of: confirm, c, d and a number, r, f, s, p."),
    ],
)
def test_a_bad_answer_is_one_sentence_and_the_question_again(
    answers: Sequence[str], said: str, answered: Answered
) -> None:
    out = answered(*answers, "q")
    assert said in out
    assert out.endswith(": q")


def test_a_program_whose_answers_never_fit_is_stopped(answered: Answered) -> None:
    assert "20 answers in a row do not fit their questions; the last: 'y' is" in answered(*"y" * 99, code=2)


def test_b_goes_back_and_keeps_what_was_chosen(answered: Answered) -> None:
    out = answered("1", "2 1", "3", "b", "", "", "q")
    assert "Members [LAB-0002 LAB-0001]: Hot spares, or none [LAB-0003]: Chosen: 2 members + 1 spare" in out


def test_names_and_serial_numbers_choose_disks_as_well_as_numbers(answered: Answered) -> None:
    out = answered("1", "LAB-0003,0001", "4", "b", "b", "q", machine="blank-4")
    assert "Chosen: 2 members + 1 spare" in out
    assert "Members [LAB-0003 LAB-0001]" in out


def test_the_end_of_a_serial_number_is_not_a_number_of_the_list(answered: Answered, tmp_path: Path) -> None:
    machine = recorded_machine(str(MACHINES / "blank-4.json"))
    last, *others = reversed(machine.disks)
    file = tmp_path / "turned.json"
    file.write_text(to_json(replace(machine, disks=(last, *others))))
    assert "Members [LAB-0001 LAB-0002]" in answered("1", "0001 0002", "b", "q", machine=file)


def test_a_disk_in_use_says_by_what_and_how_to_free_it(answered: Answered) -> None:
    out = answered("1", "1 2", "q", machine="raid5-clean")
    assert "/dev/ubda cannot be chosen: member of the RAID array" in out
    assert "To free it: umount /srv/tank && mdadm --stop /dev/md127." in out


def test_what_speech_cannot_see_is_a_word(answered: Answered) -> None:
    out = answered(*RAID5, "q")
    assert (
        "For it: any one disk can fail For it: costs the space of one disk only Against it: small writes"
        in out
    )
    assert "----" not in out


def test_options_change_one_by_one(answered: Answered) -> None:
    out = answered(
        *RAID5[:4], "1", "pool", "2", "xfs", "5", "7", "64KiB", "10", "parity-last", "plan", "c", "q"
    )
    assert "Mount at: /srv/pool" in out
    assert "--layout=parity-last" in out
    assert "--chunk=64K" in out
    assert "mkfs.xfs" in out


def test_a_finding_leads_to_its_plan(answered: Answered) -> None:
    out = answered("care", "2", "1", "1", "confirm", code=3, machine="raid5-stopped")
    assert "care for a finding (1 finding)" in out
    assert "1. tank IS NOT STARTED; NOTHING IS LOST BY WAITING: array tank" in out
    assert "Erases no disk, on " in out
    assert "A recording: nothing can be erased or started here." in out


def test_a_removal_says_everything_that_is_lost_and_leads_to_its_plan(answered: Answered) -> None:
    out = answered("remove", "?", "1", "confirm", code=3, machine="raid5-clean")
    assert "1. array tank with ext4 'tank', mounted at /srv/tank: RAID5, in sync" in out
    assert "Everything stored on it will be lost, though it is not overwritten." in out
    assert "ERASES 4 disks and array tank with ext4 'tank', mounted at /srv/tank, on lab" in out
    assert "Remove array tank on lab: everything on it is lost, 8 steps" in out
    assert "3. DESTRUCTIVE: Wipe the contents of tank" in out
    assert "A recording: nothing can be erased or started here." in out


@pytest.mark.parametrize(("way", "name"), [(("remove", "tank"), "teardown"), (("grow", "1", "1"), "grow")])
def test_a_plan_that_does_not_build_is_saved_as_a_script_too(
    answered: Answered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    out = answered(*way, "?", "p", "", "q", machine="raid5-clean")
    assert "p or script: save the plan as a shell script." in out
    (file,) = tmp_path.iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == (f"tank-{name}.sh", 0o755)


def test_a_replacement_asks_for_the_array_the_old_disk_and_the_new_one(answered: Answered) -> None:
    out = answered("replace", "?", "1", "2", "1", "confirm", code=3, machine="raid5-clean")
    assert all(paragraph in out for paragraph in in_words(explained.UNIT))
    assert "1. LAB-0001 (ubda): It is copied and stays a member until then" in out
    assert "1. LAB-0005 ubde, 537 MB, RAIDTUI LAB: Nothing speaks against it." in out
    assert "Replace LAB-0002 with LAB-0005, " in out
    assert "A recording: nothing can be erased or started here." in out


def test_an_array_that_does_not_run_has_nothing_to_replace(answered: Answered) -> None:
    assert "replace a disk" in answered("q", machine="raid5-clean")
    assert "replace a disk" not in answered("q", machine="raid5-one-outside")
    assert "replace a disk" not in answered("q", machine="states/md-raid6-three-failed")
    assert "replace a disk" not in answered("q", machine="blank-4")


def test_a_disk_is_not_replaced_where_none_is_free(answered: Answered) -> None:
    out = answered("replace", "1", "1", "q", code=3, machine="raid6-resync")
    assert "No disk is free here: connect one, or free one." in out


def test_what_an_array_can_become_is_said_with_what_is_never_done(answered: Answered) -> None:
    out = answered("grow", "?", "1", "1", "confirm", code=3, machine="raid5-clean")
    assert all(paragraph in out for paragraph in in_words(explained.GROW))
    assert "Not done: Another chunk: it lost data in 4 of 4 power cuts" in out
    assert "Not done: +1 disk: its data moves 2.10 MB (2.00 MiB) towards the start of each member" in out
    assert "1. to RAID6: RAID6 of 5, 1.60 GB (1.49 GiB) usable, survives any 2. With LAB-0005." in out
    assert "Let tank become RAID6 with 1 further disk, 7 steps." in out
    assert "A recording: nothing can be erased or started here." in out


def test_where_an_array_cannot_grow_the_reason_is_said(answered: Answered) -> None:
    out = answered("grow", "1", "q", machine="raid5-degraded")
    assert "There is nothing that it can become now." in out
    assert "Not done: +1 disk: " in out


def test_a_removal_neither_offers_what_is_for_builds_nor_the_disks_of_the_system(answered: Answered) -> None:
    out = answered("remove", "1", "f", "s", "q", machine="raid5-clean")
    assert "'f' is none of: confirm, c, d and a number, p." in out
    assert "'s' is none of: confirm, c, d and a number, p." in out
    assert "remove an array" not in answered("q", machine="megaraid")
    assert "remove an array" not in answered("q", machine="blank-4")


def test_a_sweep_says_what_it_would_do_in_full_or_quick(answered: Answered) -> None:
    out = answered("sweep", "1-2", "stripe", "?", "quick", "quick", "slow", "confirm", code=3)
    assert "The sweep will erase them. 1. ubda, " in out
    assert all(paragraph in out for paragraph in in_words(explained.SWEEP))
    full, quick, again = out.split("Nothing has happened yet.")[1:]
    assert "Erases these disks and uses the whole of each disk" in full
    assert "Quick: each array, chunk and filesystem once" in quick
    assert "Quick:" not in again
    assert "'slow' is none of: confirm, quick." in again
    assert "A recording: nothing can be erased or started here." in again


@pytest.mark.parametrize(
    ("disks", "study", "code", "said"),
    [
        ("1-9", "1", 0, "'1-9' is not a disk; type a number from 1 to 4, or a serial number."),
        ("1", "levels-filesystems", 0, "Erases these disks"),
        ("1", "chunks", 2, "This cannot be done now: none of the arrays of the sweep chunks can be built"),
    ],
)
def test_a_sweep_says_whether_it_works_with_these_disks(
    disks: str, study: str, code: int, said: str, answered: Answered
) -> None:
    assert said in answered("sweep", disks, study, "q", code=code)


def test_text_from_a_disk_moves_no_cursor(answered: Answered, tmp_path: Path) -> None:
    machine = poisoned(recorded_machine(str(MACHINES / "taken.json")), OBEYED, but=frozenset({"backend"}))
    file = tmp_path / "poisoned.json"
    file.write_text(to_json(machine))
    answered("1", "d 1", "1-2", "all", "", "raid1", "plan", "c", "q", machine=file)
    answered("sweep", "d 1", "1-2", "all", "stripe", "q", machine=file)
    machine = poisoned(
        recorded_machine(str(MACHINES / "raid5-clean.json")), OBEYED, but=frozenset({"backend"})
    )
    file.write_text(to_json(machine))
    answered("remove", "1", "c", "q", machine=file)


class Ordered(RecordedWorld):
    """A recorded machine whose user is root; it keeps what was ordered."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.orders: list[tuple[str, ...]] = []
        self.result: Rehearsal | str = PASSED

    @property
    def access(self) -> Access:
        return Access.ROOT

    def start(
        self,
        plan: Plan,
        machine: Machine,
        *,
        array: str = "",
        procedure: Procedure | None = None,
        erase: Sequence[str],
        accepted: Sequence[str],
    ) -> JobRequest:
        if procedure is not None:
            self.orders.append((type(procedure).__name__, *erase))
        else:
            self.orders.append((array, *erase) if array else (*erase, "accepted", *accepted))
        return _not_here()

    def start_sweep(
        self, seen: Preview, machine: Machine, *, seed: str, erase: Sequence[str], accepted: Sequence[str]
    ) -> JobRequest:
        self.orders.append((seen.sweep.name, "quick" if seen.sweep.quick else "whole", *erase))
        return _not_here()

    def rehearse(self, order: JobRequest) -> RehearsalProcess:
        self.orders.append(("rehearse", order.kind))
        process = PretendedProcess(self.result, ("4 disks copied; starting the lab",))
        process.may_end.set()
        return cast("RehearsalProcess", process)


def _not_here() -> NoReturn:
    raise Refused("nothing is built here")


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ordered:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    world = Ordered(recorded_machine(str(MACHINES / "mixed-sizes.json")))
    monkeypatch.setattr(wizard, "_world", lambda _: world)
    return world


def test_a_build_is_ordered_only_with_every_hazard_word_serial_number_and_the_last_word(
    answered: Answered, ordered: Ordered
) -> None:
    to_the_plan = ["1", "1 4", "none", "raid1", "plan", "confirm"]
    serials = [ordered.machine().disks[place].serial for place in (0, 3)]
    whole = [*to_the_plan, "unequal-sizes", *serials, "erase"]
    for missing in range(len(to_the_plan), len(whole)):
        out = answered(*whole[:missing], "yes", code=2)
        assert ordered.orders == [], out
    out = answered(*whole, "q", code=3)
    assert ordered.orders == [(*serials, "accepted", "unequal-sizes")]
    assert f"Type the last 4 characters of serial {serials[0]}: " in out
    assert "Nothing was started: nothing is built here." in out


def test_a_removal_is_ordered_only_with_every_serial_number_and_the_last_word(
    answered: Answered, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    world = Ordered(recorded_machine(str(MACHINES / "raid5-clean.json")))
    monkeypatch.setattr(wizard, "_world", lambda _: world)
    serials = [f"000{number}" for number in range(1, 5)]
    whole = ["remove", "tank", "confirm", *serials, "erase"]
    for missing in range(1, len(whole)):
        out = answered(*whole[:missing], "yes", code=2)
        assert world.orders == [], out
    answered(*whole, "q", code=3)
    assert world.orders == [(world.machine().arrays[0].uuid, *(f"LAB-{serial}" for serial in serials))]


def test_a_sweep_is_ordered_only_with_every_serial_number_and_the_last_word(
    answered: Answered, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    world = Ordered(recorded_machine(str(MACHINES / "blank-4.json")))
    monkeypatch.setattr(wizard, "_world", lambda _: world)
    whole = ["sweep", "2 1", "stripe", "quick", "confirm", "0002", "0001", "erase"]
    for missing in range(2, len(whole)):
        out = answered(*whole[:missing], "yes", code=2)
        assert world.orders == [], out
    answered(*whole, "q", code=3)
    assert world.orders == [("stripe", "quick", "LAB-0002", "LAB-0001")]


def _root_of(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> Ordered:
    monkeypatch.setenv("RAIDTUI_STATE", str(folder))
    world = Ordered(recorded_machine(str(MACHINES / f"{name}.json")))
    monkeypatch.setattr(wizard, "_world", lambda _: world)
    return world


@pytest.mark.parametrize(
    ("way", "procedure"), [(("replace", "1", "2", "1"), "Replace"), (("grow", "1", "1"), "Grow")]
)
def test_a_procedure_is_ordered_only_with_the_serial_number_and_the_last_word(
    way: Sequence[str],
    procedure: str,
    answered: Answered,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    world = _root_of("raid5-clean", monkeypatch, tmp_path)
    whole = [*way, "confirm", "0005", "erase"]
    for missing in range(len(way), len(whole)):
        out = answered(*whole[:missing], "yes", code=2)
        assert world.orders == [], out
    answered(*whole, "q", code=3)
    assert world.orders == [(procedure, "LAB-0005")]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (PASSED, "PASSED 5 of 5 steps Usable space 12.0 TB (10.9 TiB), as calculated"),
        (
            FAILED,
            "DID NOT PASS: the build failed in the lab: raidtui: mkfs.xfs is missing Failed: Create the",
        ),
        ("the lab needs user-mode-linux", "Not rehearsed: the lab needs user-mode-linux"),
    ],
)
@pytest.mark.parametrize(
    ("way", "kind"), [(RAID5, "build"), (("remove", "tank"), "teardown"), (("grow", "1", "1"), "care")]
)
def test_a_plan_is_rehearsed_line_by_line_and_can_then_be_confirmed(
    result: Rehearsal | str,
    said: str,
    way: Sequence[str],
    kind: str,
    answered: Answered,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    world = _root_of("blank-4" if kind == "build" else "raid5-clean", monkeypatch, tmp_path)
    world.result = result
    out = answered(*way, "?", "r", "q")
    assert all(paragraph in out for paragraph in in_words(explained.REHEARSAL))
    assert "Nothing on the real disks is written. Reading them... 4 disks copied; starting the lab" in out
    assert said in out.partition("4 disks copied")[2]
    assert world.orders == [("rehearse", kind)]
    assert out.endswith("Type confirm to continue: q")


def test_disks_that_changed_since_the_plan_was_read_lead_back_to_it(
    answered: Answered, ordered: Ordered, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = recorded_machine(str(MACHINES / "mixed-sizes.json"))
    readings = iter([changed])
    monkeypatch.setattr(
        ordered, "machine", lambda: next(readings, recorded_machine(str(MACHINES / "blank-4.json")))
    )
    out = answered("1", "1 4", "none", "raid1", "plan", "confirm", "unequal-sizes", code=2)
    assert ordered.orders == []
    assert "ERASES" in out


def test_a_comparison_is_said_with_the_conclusion_first() -> None:
    said = comparing.said(compare([result("one", SLOW), result("two", FAST)]))
    assert said[1].startswith("two against one")
    assert "A is one, no filesystem, the baseline." in said
    assert any(
        line.startswith("SEQ1M Q8T1 read: A 0.0 MB/s; B 0.0 MB/s, 2.00 times A, faster, best")
        for line in said
    )


def test_progress_is_told_each_so_many_percent_or_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = parse_pace("10%")
    assert [pace.due(share / 100) for share in (0, 1, 9, 10, 19, 35, 36, 100)] == [
        *(True, False, False, True),
        *(False, True, False, True),
    ]
    assert pace.due(0.02), "another sync begins"
    clock = iter([0.0, 30.0, 61.0, 62.0])
    monkeypatch.setattr("raidtui.commands.terminal.pace.time.monotonic", lambda: next(clock))
    minute = Pace(seconds=60)
    assert [minute.due(0.5) for _ in range(4)] == [True, False, True, False]


@pytest.mark.parametrize("text", ["", "10", "0%", "101%", "1.5%", "%", "0s", "25h", "often"])
def test_what_is_no_pace_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_pace(text)


def test_every_belongs_to_plain(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["wizard", "--every", "10%"]) == 2
    assert "--every is the pace of --plain" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("2", 1),
        ("A NEW ARRAY", 0),
        ("new", 0),
        ("benchmark", 1),
        ("compare", 2),
        ("raid10", 3),
        ("Lab-0003", 4),
        ("0003", 4),
        ("lab-0003 ubdc", 4),
    ],
)
def test_an_item_is_named_by_its_number_itself_or_a_word_of_it_alone(answer: str, place: int) -> None:
    items = ["a new array", "a benchmark", "compare results of arrays", "RAID10 n2", "LAB-0003 ubdc: free"]
    assert one_of(answer, items) == place


@pytest.mark.parametrize(
    ("answer", "said"),
    [("a", "'a' fits 2 of them: type a number from 1 to 4")]
    + [(one, f"{one!r} is not a number from 1 to 4") for one in ("0", "5", "arr", "", "results array")],
)
def test_what_names_no_item_or_two_is_not_taken(answer: str, said: str) -> None:
    with pytest.raises(BadInput, match=f"^{said}$"):
        one_of(answer, ["a new array", "a benchmark", "compare results of arrays", "RAID10 n2"])
