"""What a result tells besides its cells: CrystalDiskMark's own figure, and where caches end."""

from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.results.as_cdm import as_cdm
from raidtui.results.cdm_text import cdm_text
from raidtui.results.knees import knees


def cell(name: str, rate: float, *runs: tuple[float, float]) -> Cell:
    return Cell(
        name=name,
        direction="read",
        bytes_per_second=rate,
        iops=rate / 2**20,
        latency_mean_seconds=0.004,
        block_bytes=2**20,
        queue_depth=8,
        runs=tuple(
            RunValue(bytes_per_second=value, iops=value / 2**20, latency_mean_seconds=wait)
            for value, wait in runs
        ),
    )


def test_crystaldiskmark_takes_the_best_of_each_whichever_run_had_it() -> None:
    score = as_cdm(cell("SEQ1M Q8T1", 5e8, (5e8, 0.003), (7e8, 0.005), (4e8, 0.004)))
    assert score is not None
    assert (score.bytes_per_second, score.latency_mean_seconds) == (7e8, 0.003)
    assert score.iops == 7e8 / 2**20
    assert as_cdm(cell("SEQ1M Q8T1", 5e8)) is None


def test_its_text_has_its_score_and_says_so() -> None:
    result = Result(
        id="a",
        label="tank",
        created="2026-11-21T05:00:00+00:00",
        version="0.1.0",
        profile="cdm",
        context=Context(compat="cdm9", runs=3, size_bytes=2**30, tools={"fio": "3.33"}),
        cells=(cell("SEQ1M Q8T1", 5e8, (5e8, 0.003), (7e8, 0.005), (4e8, 0.004)),),
    )
    text = cdm_text(result)
    assert "  SEQ    1MiB (Q=  8, T= 1):   700.000 MB/s" in text
    assert "Value: as CrystalDiskMark 9: the highest of 3" in text
    assert "raidtui 0.1.0" in text, "it never goes under another name"


def test_a_cache_ends_where_the_speed_falls() -> None:
    cells = [
        cell(f"{size} again", rate)
        for size, rate in (("64M", 6e9), ("128M", 6.3e9), ("1G", 2e9), ("2G", 1.9e9), ("4G", 2e8))
    ]
    assert knees(cells) == (
        "again read: 1G has 0.32x of 128M, a cache ends in between",
        "again read: 4G has 0.10x of 2G, a cache ends in between",
    )
    assert knees([cell("SEQ1M Q8T1", 1e9), cell("SEQ1M Q1T1", 1e8)]) == ()


def test_what_only_grows_or_wavers_has_no_knee() -> None:
    assert knees([cell("64M first", 1e9), cell("128M first", 0.8e9), cell("256M first", 1.1e9)]) == ()
