"""The command line: names, exit codes, and what it does not import."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui import cli


def imported_by(*words: str) -> set[str]:
    """Run the command in a fresh interpreter and return the modules that it had loaded at its end."""
    code = (
        "import sys, contextlib, io\n"
        "from raidtui import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):\n"
        "    try: cli.main(sys.argv[1:])\n"
        "    except SystemExit: pass\n"
        "print('\\n'.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["inspect", "--json"],
        ["calc", "--disks", "4x4TB"],
        ["plan", "--help"],
        ["plan", "no.toml"],
    ],
    ids=" ".join,
)
@pytest.mark.processes
def test_plain_commands_import_neither_textual_nor_rich(words: list[str]) -> None:
    assert not {"textual", "rich"} & imported_by(*words)


@pytest.mark.processes
def test_the_version_costs_nothing_but_the_command_table() -> None:
    assert not {"msgspec", "psutil", "sh", "asyncio", "pathlib"} & imported_by("--version")


@pytest.mark.processes
def test_calculating_loads_nothing_that_looks_at_disks_or_changes_them() -> None:
    assert not {"raidtui.machine.taken.claims", "raidtui.steps.partitions"} & imported_by(
        "calc", "--disks", "4x4TB"
    )


@pytest.mark.processes
def test_reading_a_computer_without_raid_cards_loads_nothing_of_them_and_nothing_that_builds() -> None:
    loaded = imported_by("inspect", "--json")
    assert not {
        name for name in loaded if name.startswith(("raidtui.backends.cards", "raidtui.backends.megaraid"))
    }
    assert "raidtui.steps.partitions" not in loaded


@pytest.mark.processes
def test_a_document_of_this_computer_loads_nothing_of_its_text_and_of_no_job() -> None:
    loaded = imported_by("inspect", "--json")
    assert not {"psutil", "raidtui.advice.findings.foreign", "raidtui.jobs.store"} & loaded


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspct"]) == 2
    assert capsys.readouterr().err == "raidtui: there is no command 'inspct'; did you mean 'inspect'?\n"


@pytest.mark.parametrize("words", [["--help"], ["--machine", "nas.json", "--help"]])
def test_the_overview_lists_every_command_that_is_for_people(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS if name not in {"job", "complete"})
    assert max(map(len, shown.splitlines())) < 80  # a plain console is 80 wide


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself_and_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"])
    assert end.value.code == 0
    assert f"usage: raidtui {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["calc", "--bogus"], "unrecognized arguments: --bogus; see 'raidtui calc --help'"),
        (["calc", "--disk", "4x4TB"], "unrecognized arguments: --disk; did you mean '--disks'?"),
        (["results", "list", "--jsno"], "unrecognized arguments: --jsno; did you mean '--json'?"),
        (["calc", "--disks", "4x4TB", "--afr", "-1%"], "--afr needs a value; write one that begins with '-'"),
        (["calc", "--disks", "4x4TB", "--spares", "two"], "--spares: 'two' is not a whole number; see"),
        (["calc", "--disks", "4x4TB", "--spares", "1_0"], "--spares: '1_0' is not a whole number; see"),
        (["locate", "a", "--seconds", "9" * 400], "… is too large a number; see 'raidtui locate --help'"),
        (["results", "mislay"], "'raidtui results --help'"),
        (["alerts", "set", "--monthly", "no"], "--monthly: 'no' is not valid; valid values: on, off; see"),
        (["bench", "/", "--compat", "x"], "--compat: 'x' is not valid; valid values: cdm8, cdm9; see"),
        (["calc", "--level", "raid5", "--level", "raid6"], "--level: it is given twice; see"),
        (["--machine", "a", "inspect", "--machine", "b"], "--machine: it is given twice"),
        (["--machine=", "inspect"], "--machine needs a file"),
        (["health", ""], "a word is empty; give it a value, or leave it out"),
        (["status", "--acknowledge", ""], "--acknowledge is empty; give it a value, or leave it out"),
        (["status", "--acknowledge="], "--acknowledge is empty; give it a value, or leave it out"),
        (["recover", "tank", "--mount", "1", "--clean"], "--clean: not allowed with argument --mount; see"),
        (["recover", "tank", "--for-real", "1", "--mount", "1"], "--mount: not allowed with argument"),
        (["grow", "tank", "--erase", "LAB-0004"], "say what it is to become: --add, --size max or --level"),
        (["scrub", "tank", "--hours", "25:00-01:00"], "--hours is two times of the day"),
        (["scrub", "--hours", "01:00-06:00"], "--hours needs the UNIT; 'raidtui scrub' lists them"),
        (
            ["alerts", "set", "me@example.com"],
            "'raidtui alerts set' takes no 'me@example.com'; the ways are --mail",
        ),
        (["alerts", "off", "now"], "'raidtui alerts off' takes no 'now'"),
        (["care", "--do", "check"], "--do needs the FINDING or the UNIT; 'raidtui care' lists what is wrong"),
        (["care", "--explain"], "--explain needs the FINDING or the UNIT"),
        (["care", "--erase", "LAB-0004"], "--erase needs the FINDING or the UNIT"),
        (["calc", "--disks", "4x4TB", "--level", "RAID5"], "did you mean 'raid5'?"),
        (["sweep", "9" * 400], "the studies that come with raidtui are"),
        (["results", "show", "--sideways", "x"], "unrecognized arguments: --sideways"),
    ],
)
def test_a_slip_is_answered_with_one_sentence(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    streams = capsys.readouterr()
    assert reason in streams.err
    assert streams.err.count("\n") == 1
    assert streams.out == ""


def test_machine_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--machine"]) == 2
    assert "needs a file" in capsys.readouterr().err


OUTPUTS = {"/dev/full": (">/dev/full", "No space left on device"), "closed": (">&-", "Bad file descriptor")}
PRINTING = [
    "calc --disks 4x4TB",
    "--version",
    "--help",
    "calc --help",
    "jobs",
    "results list",
    "bench --list",
]


@pytest.mark.parametrize(
    ("encoding", "degrees"), [("utf-8", "°C"), ("latin-1", "°C"), ("ascii", " C"), ("koi8-r", "°C")]
)
def test_what_the_encoding_of_a_stream_lacks_is_written_as_json_does(
    encoding: str, degrees: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "machine.json"
    document = (Path(__file__).parent.parent / "machines/raid5-clean.json").read_text()
    file.write_text(document.replace('"hostname": "lab"', '"hostname": "größe…🙂"'))
    shown = {}
    for words in (["health"], ["inspect", "--json"], ["calc", "--help"]):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        with contextlib.suppress(SystemExit):
            assert cli.main(["--machine", str(file), *words]) == 0
        sys.stdout.flush()
        shown[words[-1]] = raw.getvalue().decode(encoding)
    assert f"at  age  {degrees}" in shown["health"]
    assert json.loads(shown["--json"])["system"]["hostname"] in {"größe…🙂", "größe...🙂"}
    assert "n2, f2, o2 " in shown["--help"]


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(("redirection", "why"), OUTPUTS.values(), ids=OUTPUTS)
def test_output_that_cannot_be_written_is_one_sentence(redirection: str, why: str, tmp_path: Path) -> None:
    """Every command writes through the same stream; one shell runs those that need no machine."""
    raidtui = f"{sys.executable} -m raidtui"
    script = "\n".join(f"{raidtui} {words} {redirection}; echo $? >&2" for words in PRINTING)
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RAIDTUI_STATE": str(tmp_path)},
    )
    assert done.stderr == f"raidtui: standard output cannot be written: {why}\n4\n" * len(PRINTING)


@pytest.mark.processes
def test_closed_standard_streams_are_not_given_to_files(tmp_path: Path) -> None:
    """A database that gets descriptor 2 would get the messages too."""
    code = "import os, sys; from raidtui import cli; cli.main(['jobs']); fd = os.open('/dev/null', os.O_RDONLY); sys.exit(fd)"
    done = subprocess.run(
        ["sh", "-c", f'{sys.executable} -c "{code}" <&- 2>&-'],
        capture_output=True,
        check=False,
        env={**os.environ, "RAIDTUI_STATE": str(tmp_path)},
    )
    assert done.returncode > 2
    assert b"no jobs yet" in done.stdout


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    "words",
    ["plan {}", "calc {}", "sweep {}", "bench / --profile {}", "results import {}", "--machine {} inspect"],
)
def test_a_pipe_a_device_or_a_folder_as_a_file_is_one_sentence(words: str, tmp_path: Path) -> None:
    """A pipe without a writer would block for ever; /dev/zero never ends."""
    os.mkfifo(tmp_path / "a-pipe.toml")
    for file, what in (
        (tmp_path / "a-pipe.toml", "a pipe"),
        ("/dev/zero", "a device"),
        (tmp_path, "a directory"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "raidtui", *words.format(file).split()],
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
            env={**os.environ, "RAIDTUI_STATE": str(tmp_path)},
        )
        assert done.returncode == 2, done.stderr
        assert f"it is {what}, not a file" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.processes
def test_what_a_shell_passes_as_a_file_is_read(tmp_path: Path) -> None:
    text = 'name = "tank"\nlevel = "raid5"\nsizes = ["4TB", "4TB", "4TB"]\n'
    for words in (["calc", "/dev/stdin"], ["calc", "-"]):
        done = subprocess.run(
            [sys.executable, "-m", "raidtui", *words], input=text, capture_output=True, text=True, check=True
        )
        assert "raid5" in done.stdout.lower()


OF_RESULTS = ("list", "show", "compare", "export", "import")


@pytest.mark.parametrize(
    "words", [*([name] for name in cli.COMMANDS), *(["results", name] for name in OF_RESULTS)], ids=" ".join
)
def test_help_fits_80_columns_in_a_terminal_of_any_width(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in ("80", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        with pytest.raises(SystemExit) as ended:
            cli.main([*words, "--help"])
        assert ended.value.code == 0
        long = [line for line in capsys.readouterr().out.splitlines() if len(line) > 80]
        assert long == []


def test_a_sweep_is_shown_without_erase(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["sweep", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "last 4 or more characters; without it the sweep is only shown" in said
    assert "required" not in said


def test_an_empty_target_is_not_the_current_directory(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", ""]) == 2
    assert capsys.readouterr().err == "raidtui: a word is empty; give it a value, or leave it out\n"


def test_a_current_directory_that_is_gone_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert cli.main(["bench", "."]) == 2
    assert "the current directory no longer exists" in capsys.readouterr().err
