"""The command line: names, exit codes, and what it does not import."""

import subprocess
import sys

import pytest

from raidtui import __version__, cli


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
    assert not {"msgspec", "psutil", "sh", "asyncio"} & imported_by("--version")


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"raidtui {__version__}\n"


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspct"]) == 2
    assert capsys.readouterr().err == "raidtui: there is no command 'inspct'; did you mean 'inspect'?\n"


def test_the_overview_lists_every_command_that_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS if name != "job")
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
        (["calc", "--disks", "4x4TB", "--afr", "-1%"], "--afr needs a value; write one that begins with '-'"),
        (["calc", "--disks", "4x4TB", "--spares", "two"], "--spares: invalid int value: 'two'"),
        (["results", "mislay"], "'raidtui results --help'"),
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
    with pytest.raises(SystemExit) as end:
        cli.main(["--machine"])
    assert end.value.code == 2
    assert "needs a file" in capsys.readouterr().err
