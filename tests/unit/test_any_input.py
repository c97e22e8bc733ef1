"""Whatever a file or a tool's answer holds, it ends in a value or in one sentence, at once and in little memory.

A few hundred mutations in the quick tier, a million with ``--long``. A failure prints the number that repeats it:
``RAIDTUI_MUTATION=NUMBER`` runs that mutation alone.
"""

import contextlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui import cli
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.adaptec import tools as arcconf_tools
from raidtui.backends.btrfs.superblock import parse as parse_btrfs
from raidtui.backends.lvm.report import parse as parse_lvm
from raidtui.backends.md.units import unit_of
from raidtui.backends.megaraid import tools as storcli_tools
from raidtui.backends.reading import with_readings
from raidtui.backends.specfile import read_spec
from raidtui.backends.zfs.reading import read_datasets, read_pools
from raidtui.backends.zfs.report import PoolReport
from raidtui.backends.zfs.units import units_in
from raidtui.bench.fio_output import read_eta, read_output, read_series
from raidtui.bench.profile_file import read_profile
from raidtui.commands.inspect import describe
from raidtui.jobs.capsule import INDEX, restore, save
from raidtui.jobs.capsule import folder_of as capsule_of
from raidtui.jobs.journal import FILE, Journal
from raidtui.jobs.store import (
    MACHINE,
    PLAN,
    jobs_folder,
    read_confirmed_machine,
    read_plan,
    state_of,
    write_job,
)
from raidtui.machine import tools as of_all_tools
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.contents.signatures import probe
from raidtui.machine.contents.stored_table import count_stored
from raidtui.machine.history import HistoryFile, read_history
from raidtui.machine.md.mdstat import parse_mdstat
from raidtui.machine.md.superblock import find_superblock
from raidtui.machine.md.superblock_old import parse as parse_old
from raidtui.machine.mounts import parse_mountinfo
from raidtui.machine.self_tests import parse_self_tests
from raidtui.machine.smart import parse_smart
from raidtui.machine.tree import Tree
from raidtui.model.alert_file import read_alert_file
from raidtui.model.history import SmartRow
from raidtui.model.journal import Event, JobKind, JobRequest
from raidtui.model.struct import to_json
from raidtui.model.units import parse_size, parse_time
from raidtui.results.foreign.recognise import read_file
from raidtui.results.store import Store
from raidtui.sweep.file import read_sweep
from tests.unit import test_results_import as foreign
from tests.unit.adaptec_machines import CARD as ADAPTEC
from tests.unit.adaptec_machines import of_smartraid
from tests.unit.card_machines import CARD, nine_two_seventy
from tests.unit.machine_trees import superblock_bytes
from tests.unit.mutation import LONGEST, count_of, ends_well, try_mutations
from tests.unit.plan_machines import machine, plan
from tests.unit.test_jobs_capsule import SIZE, a_disk
from tests.unit.test_jobs_unit_journal import WHOLE as WHOLE_ARRAY
from tests.unit.test_jobs_unit_journal import WITHOUT_B
from tests.unit.test_jobs_unit_journal import journal as unit_journal
from tests.unit.test_machine_superblock_old import old
from tests.unit.test_results_export import result
from tests.unit.test_specfile import WHOLE
from tests.unit.test_sweep import FILE as SWEEP

HERE: Final = Path(__file__).parent
MACHINES: Final = sorted(
    path for path in (HERE.parent / "machines").glob("*.json") if path.stat().st_size < 100_000
)
SPEC: Final = b'name = "x"\nlevel = "raid5"\nsizes = ["4TB", "4TB", "4TB"]\nchunk = "64KiB"\n'
MDSTAT: Final = b"""\
Personalities : [raid1] [raid6] [raid5] [raid4]
md127 : active raid5 sdc1[3] sdb1[1] sda1[0](F) sdd[4](S)
      7813772288 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]
      [==>..................]  recovery = 12.6% (492323840/3906886144) finish=297.0min speed=191123K/sec
      bitmap: 2/30 pages [8KB], 65536KB chunk

unused devices: <none>
"""
SMART: Final = b"""{"smartctl": {"exit_status": 0}, "device": {"protocol": "ATA"}, "smart_status": {"passed": true},
"ata_smart_attributes": {"table": [{"id": 5, "value": 100, "worst": 100, "raw": {"value": 8, "string": "8"}}]},
"power_on_time": {"hours": 1234}, "temperature": {"current": 33}, "rotation_rate": 7200,
"ata_smart_self_test_log": {"standard": {"count": 1, "table": [{"type": {"value": 1, "string": "Short offline"},
"status": {"value": 0, "string": "Completed", "passed": true}, "lifetime_hours": 1000}]}}}"""
WIPEFS: Final = (
    b'{"signatures": [{"device": "sda", "offset": "0x438", "type": "ext4", "uuid": "1-2", "label": "a"}]}'
)
ALERTS: Final = b"""program = "/usr/local/bin/page"
urls = ["https://example.org/hook"]
quiet = "22:00-07:00"
[mail]
to = "a@example.org"
smtp = "mail.example.org:587"
user = "u"
password = "p"
"""
SFDISK: Final = (
    b'{"partitiontable": {"label": "gpt", "partitions": [{"node": "/dev/sda1", "start": 2048, "size": 1}]}}'
)


def data(pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((HERE / "data").glob(pattern))]


def text_of(content: bytes) -> str:
    return content.decode(errors="replace")


def answers(content: bytes) -> Callable[[Sequence[str]], ToolAnswer]:
    return lambda argv: ToolAnswer(returncode=0, stdout=text_of(content))


def command(*words: str) -> None:
    """Run a command as a person does. What it says is checked as an error's sentence is."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(said):
        code = cli.main(words)
    assert code in {0, 2, 3, 4, 5}
    assert not [c for c in out.getvalue() + said.getvalue() if not (c.isprintable() or c in "\n\t\u00a0")]
    assert all(len(line) < LONGEST for line in said.getvalue().splitlines())


def with_file(*words: str) -> Callable[[bytes, Path], None]:
    """Run commands on a file with the content; ``{}`` in a word stands for its path, a comma starts another one."""

    def run(content: bytes, folder: Path) -> None:
        (folder / "input").write_bytes(content)
        (folder / "spec").write_text('name="x"\nlevel="raid5"\nmembers=["LAB-0001","LAB-0002","LAB-0003"]')
        for one in words:
            command(*(word.format(folder / "input", folder / "spec") for word in one.split()))

    return run


def journal(content: bytes, folder: Path) -> None:
    job = jobs_folder() / "j1"
    if not job.exists():
        write_job(JobRequest(id="j1", kind=JobKind.BUILD, title="Build", created=""))
    (job / FILE).write_bytes(content)
    command("jobs", "--json")


def request(content: bytes, folder: Path) -> None:
    job = jobs_folder() / "j2"
    job.mkdir(parents=True, exist_ok=True)
    (job / "request.json").write_bytes(content)
    command("jobs")


def store(content: bytes, folder: Path) -> None:
    (folder / "state").mkdir(exist_ok=True)
    (folder / "state" / "results.sqlite").write_bytes(content)
    command("results", "list")
    command("results", "show", "a")


def card(content: bytes, which: str) -> None:
    good = nine_two_seventy() if which == "storcli" else of_smartraid()

    def ask(argv: Sequence[str]) -> ToolAnswer:
        words = " ".join(argv[1:]).removesuffix(" J nolog")
        broken = words == list(good)[len(content) % len(good)]
        return ToolAnswer(returncode=0, stdout=text_of(content) if broken else good.get(words, ""))

    there = msgspec.structs.replace(machine(), cards=(CARD if which == "storcli" else ADAPTEC,))
    found = with_readings(there, ask, ask, smart=False)
    assert not [problem for problem in found.problems if " in " in problem.text], found.problems
    list(describe(found))


def zpool(content: bytes, version: str) -> None:
    line = "tank\t1\t100\t50\t50\t0\t50\t12\t-\n"

    def ask(argv: Sequence[str]) -> ToolAnswer:
        return ToolAnswer(returncode=0, stdout=line if argv[1] == "list" else text_of(content))

    units_in(PoolReport(pools=read_pools(ask, version)))


def zfs_lists(content: bytes, folder: Path) -> None:
    units_in(
        PoolReport(pools=read_pools(answers(content), "2.1"), datasets=read_datasets(answers(content), "2.1"))
    )


def a_journal() -> bytes:
    folder = write_job(JobRequest(id="seed", kind=JobKind.BUILD, title="Build", created=""))
    with Journal(folder) as lines:
        lines.append(Event.STARTED, data={"mode": "run", "boot": "b"})
        lines.append(Event.STEP, step="wipe", text="Wipe")
        lines.append(Event.CHECK, text="yes: a", data={"holds": True})
        lines.append(Event.COMMAND, argv=("true",), returncode=0, stdout="x", seconds=0.5)
        lines.append(Event.STEP_FAILED, step="wipe", text="bad")
    return (folder / FILE).read_bytes()


def a_store() -> bytes:
    kept = Store()
    kept.add(result("one"))
    kept.add(result("two"))
    return kept.path.read_bytes()


def history(content: bytes, folder: Path) -> None:
    (folder / "history.sqlite").write_bytes(content)
    whole = msgspec.structs.replace(machine(), history=read_history(HistoryFile(folder / "history.sqlite")))
    diagnose((), whole)


def a_history() -> bytes:
    kept = HistoryFile()
    kept.add([SmartRow(subject="LAB-0001", at="2026-11-24T23:00:00+00:00", power_on_hours=1234)])
    return kept.path.read_bytes()


def an_export(folder: Path) -> bytes:
    Store().add(result("one"))
    command("results", "export", "--all", str(folder / "export.json"))
    return (folder / "export.json").read_bytes()


def a_unit_journal() -> bytes:
    file = jobs_folder().parent / "seed.jsonl"
    for one in (WHOLE_ARRAY, WITHOUT_B):
        unit_journal(file).look([unit_of(one)])
    return file.read_bytes()


def look_at_units(content: bytes, folder: Path) -> None:
    (folder / "arrays.jsonl").write_bytes(content)
    for _ in range(2):  # the second look reads what the first has appended
        unit_journal(folder / "arrays.jsonl").look([unit_of(WITHOUT_B)])


def a_capsule(folder: Path) -> bytes:
    image = folder / "image"
    with image.open("wb") as file:
        file.truncate(SIZE)
    save(folder / "capsule", a_disk(image), [], dict)
    return (capsule_of(folder / "capsule", "LAB-0001") / INDEX).read_bytes()


def restored(content: bytes, folder: Path) -> None:
    (capsule_of(folder / "capsule", "LAB-0001") / INDEX).write_bytes(content)
    restore(folder / "capsule", a_disk(folder / "image"), ours=frozenset())
    assert (folder / "image").stat().st_size == SIZE


def superblock(content: bytes, folder: Path) -> None:
    (folder / "input").write_bytes(content)
    find_superblock(Tree(folder), "/input", len(content))


def of_job(content: bytes, name: str) -> None:
    job = jobs_folder() / "j3"
    if not job.exists():
        write_job(JobRequest(id="j3", kind=JobKind.BUILD, title="Build", created=""))
    (job / name).write_bytes(content)
    if name == PLAN:
        read_plan(state_of(job))
    else:
        read_confirmed_machine(job)


Target = tuple[Callable[[Path], list[bytes]], Callable[[bytes, Path], object]]
TARGETS: Final[dict[str, Target]] = {
    "spec": (lambda _: [WHOLE.encode(), SPEC], lambda c, _: read_spec(text_of(c), origin="input")),
    "calc": (lambda _: [SPEC], with_file("calc {}")),
    "sweep": (lambda _: [SWEEP.encode()], lambda c, _: read_sweep(text_of(c), origin="input")),
    "profile": (
        lambda _: [
            path.read_bytes() for path in sorted((HERE.parent.parent / "raidtui/bench/grids").glob("*.toml"))
        ],
        lambda c, _: read_profile(text_of(c), origin="input"),
    ),
    "size": (lambda _: [b"4TB", b"0.5 TiB", b"7811891200s"], lambda c, _: parse_size(text_of(c))),
    "time": (lambda _: [b"10m", b"1h30m"], lambda c, _: parse_time(text_of(c))),
    "machine": (
        lambda _: [path.read_bytes() for path in MACHINES],
        with_file(
            "--machine {0} inspect",
            "--machine {0} status",
            "--machine {0} care",
            "--machine {0} status --prometheus={0}.prom",
            "--machine {0} health",
            "--machine {0} scrub",
            "--machine {0} plan {1}",
        ),
    ),
    "machine as JSON": (
        lambda _: [path.read_bytes() for path in MACHINES],
        with_file("--machine {} inspect --json"),
    ),
    "journal": (lambda _: [a_journal()], journal),
    "request": (lambda _: [b'{"id":"j2","kind":"build","title":"Build","created":""}'], request),
    "results": (lambda _: [a_store()], store),
    "plan of a job": (lambda _: [to_json(plan()).encode()], lambda c, _: of_job(c, PLAN)),
    "machine of a job": (lambda _: [to_json(machine()).encode()], lambda c, _: of_job(c, MACHINE)),
    "unit journal": (lambda _: [a_unit_journal()], look_at_units),
    "capsule": (lambda folder: [a_capsule(folder)], restored),
    "md superblock": (lambda _: [superblock_bytes(), superblock_bytes(features=4)], superblock),
    "md superblock 0.90": (
        lambda _: [old(), old(">")],
        lambda c, _: parse_old(c, path="/dev/sda", levels={5: "raid5"}, cleared=None),
    ),
    "self-tests": (lambda _: [SMART], lambda c, _: parse_self_tests(text_of(c))),
    "history": (lambda _: [a_history()], history),
    "alerts.toml": (lambda _: [ALERTS], lambda c, _: read_alert_file(text_of(c), origin="input")),
    "import": (
        lambda folder: [
            an_export(folder),
            *(text.encode() for text in (foreign.CDM8, foreign.CDM5, foreign.CDM3, foreign.KDISKMARK)),
            *(text.encode() for text in (foreign.BONNIE, foreign.BONNIE_OLD, foreign.FIO_2, foreign.FIO_3_1)),
            *data("fio/*.json"),
        ],
        lambda c, folder: ((folder / "input").write_bytes(c), list(read_file(folder / "input"))),
    ),
    "storcli": (lambda _: data("cards/9*.json"), lambda c, _: card(c, "storcli")),
    "arcconf": (lambda _: data("cards/arcconf*.txt"), lambda c, _: card(c, "arcconf")),
    "zpool status": (lambda _: data("zfs/*.status"), lambda c, _: zpool(c, "2.1.11")),
    "zpool status -j": (lambda _: data("zfs/*.json"), lambda c, _: zpool(c, "2.3.1")),
    "zfs list": (lambda _: [*data("zfs/*.list"), *data("zfs/*.datasets")], zfs_lists),
    "lvm": (lambda _: data("lvm/*.json"), lambda c, _: parse_lvm(text_of(c))),
    "btrfs superblock": (lambda _: data("btrfs/superblock.bin"), lambda c, _: parse_btrfs(c)),
    "mdstat": (lambda _: [MDSTAT], lambda c, _: parse_mdstat(text_of(c))),
    "mountinfo": (
        lambda _: [b"36 22 9:127 / /srv/my\\040photos rw shared:2 - xfs /dev/md127 rw,noquota\n"],
        lambda c, _: parse_mountinfo(text_of(c)),
    ),
    "smartctl": (lambda _: [SMART], lambda c, _: parse_smart(ToolAnswer(returncode=0, stdout=text_of(c)))),
    "wipefs": (lambda _: [WIPEFS], lambda c, _: probe(["/dev/sda"], ask=answers(c))),
    "sfdisk": (lambda _: [SFDISK], lambda c, _: count_stored("/dev/sda", ask=answers(c))),
    "fio": (lambda _: data("fio/*.json"), lambda c, _: read_output(text_of(c))),
    "fio's log": (lambda _: data("fio/*_bw.log"), lambda c, _: read_series(text_of(c))),
    "fio's progress": (
        lambda _: data("fio/*.eta"),
        lambda c, _: [read_eta(line) for line in text_of(c).splitlines()],
    ),
}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    for of in (storcli_tools, arcconf_tools):
        monkeypatch.setattr(of, "find_tool", lambda name: f"/usr/sbin/{name}")
    monkeypatch.setattr(of_all_tools, "find_tool", lambda name: None)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", TARGETS)
def test_any_input_is_a_value_or_a_sentence(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    make_seeds, target = TARGETS[name]
    try_mutations(name, make_seeds(tmp_path), target, tmp_path, count_of(request, len(TARGETS)))


NINES = "9" * 5000
BAD: Final[dict[str, tuple[str, bytes]]] = {
    "a size without end": ("size", b"0.0.5TB" + b"A" * 4000),
    "a number without end": ("size", NINES.encode() + b"TB"),
    "a time without end": ("time", NINES.encode()),
    "dotted keys": ("spec", b"[" + b"a." * 16_000 + b"a]"),
    "too many dotted keys": ("spec", b"[" + b"a." * 500_000 + b"a]"),
    "brackets": ("spec", b"a=" + b"[" * 16_000),
    "a long word": ("spec", f'name="x"\nlevel="{"A" * 5000}"'.encode()),
    "a level without end": ("sweep", f'name="x"\n[matrix]\nlevel=["raid0 of {NINES}"]'.encode()),
    "levels": (
        "sweep",
        f'name="x"\n[matrix]\nlevel=[{",".join(f"{chr(34)}raid0 of {n}{chr(34)}" for n in range(1_500))}]'.encode(),
    ),
    "two points": ("mdstat", MDSTAT.replace(b"297.0min", b"297.0.5min")),
    "digits in mdstat": ("mdstat", MDSTAT.replace(b"492323840", NINES.encode())),
    "digits in a log": (
        "fio's log",
        f"250, {NINES}, 0, 0, 0\n{NINES}, 1, 0, 0, 0\n{NINES[:400]}, 1, 0, 0\n".encode(),
    ),
    "1024iB": ("import", foreign.CDM5.replace("1024 MiB", "1024iB").encode()),
    "errors of a pool without end": (
        "zpool status -j",
        data("zfs/raidz-2.3.json")[0].replace(b'_errors":0', f'_errors":{2**63 - 1}'.encode()),
    ),
    "brackets in fio's progress": ("fio's progress", b"Jobs: 1 (f=1): [r(1)][100.0%] " + b": [" * 60_000),
    "jobs of fio": (
        "import",
        b'{"fio version":"fio-3.1","jobs":[' + b'{"jobname":""},' * (8_300_000 // 15) + b'{"jobname":""}]}',
    ),
    "results that are none": ("import", b'{"raidtui_results":1,"results":[' + b"1," * 20_000_000 + b"1]}"),
    "a report without end": ("import", foreign.CDM5.encode() + b"x" * 9_000_000),
    "a long line": ("import", foreign.BONNIE_OLD.encode() + b"A" * 5000),
    "a deep machine": ("machine", b'{"x":' + b"[" * 100_000),
    "a time that is none": (
        "machine",
        (HERE.parent / "machines/raid5-clean.json")
        .read_bytes()
        .replace(b'"read_at": "2026-11', b'"read_at": "2026-13'),
    ),
    "a bitmap that the end of the device cuts off": (
        "md superblock",
        superblock_bytes()[: superblock_bytes().index(b"bitm") + 32],
    ),
    "an old store": ("results", b"SQLite format 3\x00" + bytes(5000)),
    "text as a store": ("results", b"no database " * 1000),
}


@pytest.mark.parametrize(("name", "content"), BAD.values(), ids=BAD)
def test_what_once_crashed_hung_or_repeated_its_input(name: str, content: bytes, tmp_path: Path) -> None:
    ends_well(TARGETS[name][1], content, tmp_path)
