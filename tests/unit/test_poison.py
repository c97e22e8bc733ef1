"""Text from disks, tools, files and other computers: whatever it holds, the terminal obeys none of it.

Every string of every document that raidtui reads is poisoned, and the bytes that each command writes to a terminal and
to a pipe are read.
"""

import json
import os
import re
import threading
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui import cli
from raidtui.backends import reading
from raidtui.backends.reading import with_readings
from raidtui.backends.specfile import read_spec
from raidtui.jobs import start
from raidtui.jobs.journal import FILE
from raidtui.jobs.store import jobs_folder, write_job
from raidtui.machine import ask, tools
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.child import Output
from raidtui.model.errors import StepFailed
from raidtui.model.journal import BenchRequest, Entry, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.result import Result
from raidtui.model.struct import from_json, to_json
from raidtui.plan.build import make_plan
from raidtui.results.exchange import write_export
from raidtui.results.store import Store
from raidtui.sweep.file import read_sweep
from tests.unit import test_results_import as foreign
from tests.unit.adaptec_machines import CARD as ARCCONF
from tests.unit.card_machines import CARD as STORCLI
from tests.unit.plan_machines import machine
from tests.unit.poison import MARKUP, OBEYED, document, poisoned
from tests.unit.test_results_export import result
from tests.unit.test_specfile import WHOLE
from tests.unit.test_sweep import FILE as SWEEP

MACHINES: Final = Path(__file__).parent.parent / "machines"
POISON: Final = OBEYED + MARKUP
# What mdadm, the kernel and raidtui itself say, and is compared: with these kept, more of a document is understood.
WORDS: Final = frozenset(
    {"level", "layout", "state", "path", "node", "device", "type", "metadata", "consistency", "id"}
)
PROFILE: Final = Path(cli.__file__).parent / "bench/grids/cdm.toml"
SPEC: Final = """name = "tank"\nlevel = "raid5"\nmembers = ["LAB-0001", "LAB-0002", "LAB-0003"]\n"""


@pytest.fixture(autouse=True)
def tools_say_poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tool is installed, prints the same, and fails; so does the process of every job. Nobody's disks are read."""

    def refuses(folder: Path, mode: str) -> None:
        raise StepFailed(f"mdadm says: {POISON}")

    said = Output(returncode=1, stdout=POISON.encode(), stderr=POISON.encode())
    monkeypatch.setattr(start, "launch", refuses)
    monkeypatch.setattr(
        reading, "read_machine", lambda **_: msgspec.structs.replace(machine(), cards=(STORCLI, ARCCONF))
    )
    for module in (ask, tools):
        monkeypatch.setattr(module, "start", lambda argv: None)
        monkeypatch.setattr(module, "finish", lambda process, seconds: said)


def written(*words: str, terminal: bool) -> str:
    """What the command writes, to a terminal or to a pipe."""
    reading, writing = os.openpty() if terminal else os.pipe()
    got: list[bytes] = []

    def read() -> None:
        try:
            while data := os.read(reading, 65536):
                got.append(data)
        except OSError:  # a terminal ends so
            pass

    thread = threading.Thread(target=read)
    thread.start()
    with os.fdopen(writing, "w", encoding="utf-8") as out, redirect_stdout(out), redirect_stderr(out):
        code = cli.main(words)
    thread.join()
    os.close(reading)
    assert code in {0, 2, 3, 4, 5}, words
    return b"".join(got).decode().replace("\r\n", "\n")


def check(*words: str) -> None:
    for terminal in (True, False):
        text = written(*words, terminal=terminal)
        assert text
        bad = {c for c in text if not c.isprintable() and c not in "\n\t\u00a0"}
        assert not bad, (words, text)
        assert "\nFORGED" not in text, (words, text)


def machine_file(folder: Path, machine: Machine | bytes) -> str:
    path = folder / "machine.json"
    path.write_bytes(machine if isinstance(machine, bytes) else to_json(machine).encode())
    return str(path)


def check_machine(file: str, folder: Path) -> None:
    (folder / "spec.toml").write_text(SPEC)
    for words in (
        "inspect",
        "inspect --json",
        "status",
        "status --json",
        "doctor",
        "doctor --json",
        "calc {spec}",
        "plan {spec}",
        "plan {spec} --json",
        "plan {spec} --script",
        "sweep levels --on LAB-0001,LAB-0002,LAB-0003",
        "teardown tank",
    ):
        command, *rest = words.format(spec=folder / "spec.toml").split()
        check(command, "--machine", file, *rest)


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in sorted(MACHINES.glob("*.json"))])
def test_a_recorded_machine(name: str, tmp_path: Path) -> None:
    whole = from_json((MACHINES / f"{name}.json").read_bytes(), Machine, origin=name)
    for but in (WORDS, WORDS | {"serial"}):  # with its serials it can be planned
        check_machine(machine_file(tmp_path, poisoned(whole, POISON, but=but)), tmp_path)


def test_a_recorded_machine_in_which_no_word_is_known(tmp_path: Path) -> None:
    for content in (document(Machine, POISON), document(Machine, f"raid5{POISON}")):
        check_machine(machine_file(tmp_path, content), tmp_path)


@pytest.mark.parametrize("code", [0, 1])
def test_what_the_tools_of_every_backend_say(code: int, tmp_path: Path) -> None:
    def says(argv: Sequence[str]) -> ToolAnswer:
        return ToolAnswer(returncode=code, stdout=POISON, stderr=POISON)

    there = msgspec.structs.replace(machine(), cards=(STORCLI, ARCCONF))
    check_machine(machine_file(tmp_path, with_readings(there, says, says, smart=True)), tmp_path)


def toml(value: object) -> str:
    """A value of TOML, in which every character of a text that is not a letter or digit is escaped."""
    match value:
        case str():
            return '"' + "".join(c if c.isalnum() else f"\\u{ord(c):04x}" for c in value) + '"'
        case dict():
            return "{" + ", ".join(f"{toml(key)} = {toml(one)}" for key, one in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
    return str(value).lower()


def each_poisoned(document: dict[str, object], *above: str) -> Iterator[dict[str, object]]:
    """The document with one of its strings or names poisoned, each in turn."""
    for key, value in document.items():
        rest = {name: one for name, one in document.items() if name != key}
        yield rest | {key + POISON: value}
        if isinstance(value, dict):
            yield from (document | {key: one} for one in each_poisoned(value))
        else:
            yield document | {key: poisoned(value, POISON)}


@pytest.mark.parametrize(
    ("words", "content"),
    [("plan", WHOLE), ("calc", WHOLE), ("sweep", SWEEP), ("bench . --profile", PROFILE.read_text())],
)
def test_a_spec_a_sweep_and_a_profile(words: str, content: str, tmp_path: Path) -> None:
    machine = ("--machine", str(MACHINES / "blank-4.json"))
    for changed in each_poisoned(tomllib.loads(content)):
        path = tmp_path / f"file{POISON.replace('/', '').replace(chr(0), '')}.toml"
        path.write_text("\n".join(f"{toml(key)} = {toml(value)}" for key, value in changed.items()))
        check(*words.split(), str(path), *(() if words.startswith("bench") else machine))


def test_words_on_the_command_line() -> None:
    word = POISON.replace("\0", "")
    for command in cli.COMMANDS:
        if command in {"lab", "tour", "wizard", "job"}:
            continue
        for words in ((command, word), (command, f"--{word}"), (command, f"--machine={word}")):
            check(*words)
    check(word)
    for alone in ("inspect", "inspect --json", "status", "doctor", "teardown tank"):
        check(*alone.split())


@pytest.mark.slow
@pytest.mark.parametrize("kind", JobKind)
@pytest.mark.parametrize("but", [WORDS, frozenset({"id"})], ids=["words", "nothing"])
def test_a_job_its_plan_and_its_journal(kind: JobKind, but: frozenset[str]) -> None:
    recorded = from_json((MACHINES / "blank-4.json").read_bytes(), Machine, origin="blank-4")
    spec = read_spec(SPEC, origin="spec")
    plan = make_plan(spec, recorded, seed="11111111-2222-4333-8444-555555555555")
    request = JobRequest(
        id="20261121-040312-tank",
        kind=kind,
        title="Build tank",
        created="2026-11-21T04:03:12Z",
        spec=spec,
        array="tank",
        bench=BenchRequest(target="/srv/tank"),
        sweep=read_sweep(SWEEP, origin="sweep"),
    )
    folder = write_job(poisoned(request, POISON, but=but))
    (folder / "machine.json").write_text(to_json(poisoned(recorded, POISON, but=but)))
    (folder / "plan.json").write_text(to_json(poisoned(plan, POISON, but=but)))
    entries = [
        msgspec.json.decode(document(Entry, f"{plan.steps[0].id if step else ''}{POISON}"))
        | {"event": event, "seq": 0}
        for event in Event
        for step in (True, False)
        if event is not Event.ENDED
    ]
    for end in (None, *Outcome):
        last = (
            []
            if end is None
            else [{"event": "ended", "outcome": end, "seq": 0, "at": POISON, "text": POISON}]
        )
        lines = [
            to_json({**one, "seq": number}, pretty=False) for number, one in enumerate([*entries, *last])
        ]
        (folder / FILE).write_text("".join(f"{line}\n" for line in lines))
        for words in ("jobs", "jobs --json", "status", "status --json", "attach tank", "attach --json tank"):
            check(*words.split())
    for words in ("resume tank", "rollback tank", f"attach tank{MARKUP}"):
        check(*words.split(" ", 1))


def test_a_job_of_which_nothing_is_understood() -> None:
    for number, name in enumerate(("request.json", "machine.json", "plan.json", FILE)):
        folder = jobs_folder() / f"2026112{number}-040312-tank"
        folder.mkdir(parents=True)
        (folder / "request.json").write_bytes(document(JobRequest, POISON))
        (folder / name).write_text(POISON)
        for words in (
            "jobs",
            "status",
            f"attach {folder.name}",
            f"resume {folder.name}",
            f"rollback {folder.name}",
        ):
            check(*words.split())


FORMATS: Final = ("csv", "markdown", "html", "text", "json")


@pytest.mark.parametrize("how", ["stored", "imported", "filled"])
def test_results(how: str, tmp_path: Path) -> None:
    """Stored as an older raidtui did, which looked at nothing, and imported from another computer."""
    whole = [
        poisoned(result(f"tank {number}"), POISON, but=frozenset({"id", "created"})) for number in (1, 2)
    ]
    if how == "stored":
        for one in (*whole, poisoned(result("tank"), POISON)):
            Store().add(one)
    else:
        path = tmp_path / "results.json"
        path.write_bytes(
            "".join(
                write_export([document(Result, POISON).decode()] if how == "filled" else map(to_json, whole))
            ).encode()
        )
        check("results", "import", str(path))
    ids = [one.id for one in Store().list()]
    for words in (["list"], ["list", "--csv"], ["list", "--json"], *(["show", one] for one in ids)):
        check("results", *words)
    for kind in FORMATS:
        check("results", "export", "--all", "-", "--format", kind)
    for words in (["--all"], ["--all", "--bars"], *(["--all", "--format", kind] for kind in FORMATS[:3])):
        check("results", "compare", *words)
    for one in ids:
        check("results", "remove", one)


@pytest.mark.parametrize(
    "content",
    [foreign.CDM8, foreign.CDM3, foreign.KDISKMARK, foreign.BONNIE, foreign.BONNIE_OLD, foreign.FIO_3_1],
)
def test_what_other_programs_measured(content: str, tmp_path: Path) -> None:
    path = tmp_path / f"file{MARKUP.replace('/', '')}"
    text = re.sub(
        r'(?m)(?<=[a-z])(?="|$)',
        lambda _: json.dumps(POISON)[1:-1] if content.startswith("{") else POISON,
        content,
    )
    path.write_text(text)
    check("results", "import", str(path))
    check("results", "list")
