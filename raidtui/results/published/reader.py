"""Read published figures as results named ``published:NAME``, to compare with own ones."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources

import msgspec

from raidtui import __version__
from raidtui.model.errors import BadInput
from raidtui.model.nearest import hint
from raidtui.model.result import Cell, Context, MeasuredDisk, MeasuredUnit, Result
from raidtui.model.spec import USUAL, Backend
from raidtui.model.struct import Record, to_record
from raidtui.model.units import GIB, MIB, parse_size
from raidtui.results.published import PREFIX


class _Disk(msgspec.Struct, forbid_unknown_fields=True):
    model: str
    size: str
    rotational: bool


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    label: str
    disks: int
    was: str = ""  # a former name, which is still taken
    backend: Backend | None = None
    level: str = ""
    layout: str = ""
    chunk: str = "0B"
    filesystem: str = ""
    card: str = ""
    disk: _Disk | None = None
    mbps: dict[str, list[float]] = {}  # read, write; 0 if not published
    mibps: dict[str, list[tuple[float, float]]] = {}  # IOPS and MiB/s, of read and of write
    seconds_of_1gib: dict[str, float] = {}  # to write it
    ranks: dict[str, tuple[int, int]] = {}  # of read and of write, 1 fastest: some studies have only these


class _Study(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    source: str
    about: str
    year: int
    profile: str
    engine: str
    direct: bool
    runs: int
    disk: _Disk
    cells: dict[str, tuple[str, int, int, bool]]
    result: list[_Entry]
    backend: Backend = USUAL  # for a card too: its levels have the same names
    tools: dict[str, str] = {}
    size: str = "0B"
    seconds: int = 0
    filesystem: str = ""
    card: str = ""
    flag: str = ""


def published(word: str) -> Result:
    """The published result that ``word`` (``published:NAME``) names.

    Raises:
        BadInput: there is none of that name; the message names the nearest.
    """
    known = {result.id: result for result in all_published()}
    former = {
        PREFIX + entry.was: PREFIX + entry.name for study in _studies() for entry in study.result if entry.was
    }
    word = former.get(word, word)
    if word in known:
        return known[word]
    near = hint(word, known, "'raidtui results list --published' names them")
    raise BadInput(f"no published result is called {word.removeprefix(PREFIX)!r}{near}")


class Rank(Record, frozen=True, kw_only=True):
    """The rank of one layout in a study that has no rates; 1 is the fastest."""

    profile: str
    backend: Backend
    level: str  # empty: a single disk
    disks: int
    cell: str
    direction: str
    rank: int


def published_ranks() -> tuple[Rank, ...]:
    return tuple(
        Rank(
            profile=study.profile,
            backend=entry.backend or study.backend,
            level=entry.level,
            disks=entry.disks,
            cell=cell,
            direction=direction,
            rank=rank,
        )
        for study in _studies()
        for entry in study.result
        for cell, ranks in entry.ranks.items()
        for direction, rank in zip(("read", "write"), ranks, strict=True)
    )


def about(word: str) -> str:
    """What to know about the study of a published result."""
    studies = {PREFIX + entry.name: study for study in _studies() for entry in study.result}
    return studies[word].about


def all_published() -> tuple[Result, ...]:
    """Every published result that comes with raidtui, study by study."""
    return tuple(_result(study, entry) for study in _studies() for entry in study.result if not entry.ranks)


@cache
def _studies() -> tuple[_Study, ...]:
    folder = resources.files(__package__)
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name
    )
    return tuple(to_record(tomllib.loads(file.read_text(encoding="utf-8")), _Study) for file in files)


def _result(study: _Study, entry: _Entry) -> Result:
    disk = entry.disk or study.disk
    unit = None
    if entry.level:
        unit = MeasuredUnit(
            backend=entry.backend or study.backend,
            name=entry.name,
            level=entry.level,
            layout=entry.layout,
            raid_disks=entry.disks,
            chunk_bytes=parse_size(entry.chunk),
        )
    return Result(
        id=PREFIX + entry.name,
        label=entry.label,
        created=str(study.year) if study.year else "",
        version=__version__,
        profile=study.profile,
        context=Context(
            filesystem=entry.filesystem or study.filesystem,
            unit=unit,
            disks=tuple(
                MeasuredDisk(
                    identity=f"{entry.name} disk {number}",
                    model=disk.model,
                    size_bytes=parse_size(disk.size),
                    rotational=disk.rotational,
                )
                for number in range(1, entry.disks + 1)
            ),
            tools=study.tools,
            engine=study.engine,
            direct=study.direct,
            size_bytes=parse_size(study.size),
            seconds=study.seconds,
            runs=study.runs,
            card=entry.card or study.card,
            origin=f"published: {study.source}",
        ),
        cells=tuple(sorted(_cells(study, entry), key=lambda cell: cell.direction)),
    )


def _cells(study: _Study, entry: _Entry) -> Iterator[Cell]:
    for name, rates in entry.mbps.items():
        for direction, rate in zip(("read", "write"), rates, strict=False):
            if rate:
                yield _cell(study, name, direction, rate * 1e6, 0.0)
    for name, pairs in entry.mibps.items():
        for direction, (iops, mebibytes) in zip(("read", "write"), pairs, strict=True):
            yield _cell(study, name, direction, mebibytes * MIB, iops)
    for name, seconds in entry.seconds_of_1gib.items():
        yield _cell(study, name, "write", GIB / seconds, 0.0)


def _cell(study: _Study, name: str, direction: str, rate: float, iops: float) -> Cell:
    size, depth, threads, random = study.cells[name]
    block = parse_size(size)
    return Cell(
        name=name,
        direction=direction,
        bytes_per_second=rate,
        iops=iops or (rate / block if block else 0.0),
        latency_mean_seconds=0.0,
        block_bytes=block,
        queue_depth=depth,
        threads=threads,
        random=random,
        flags=(study.flag,) if study.flag else (),
    )
