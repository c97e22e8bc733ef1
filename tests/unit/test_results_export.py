"""Results leave in every form that people paste, mail and load, and whatever a label holds stays text there."""

import csv
import io
import json
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, MeasuredUnit, Result, RunValue
from raidtui.results.compare import compare
from raidtui.results.export import FORMATS, export_comparison, export_pieces, export_results, format_of

WICKED = "</title><script>alert(1)</script> | `a` *b* \x1b[31m"
ROWS = (("SEQ1M Q8T1", 2**20, 8, False, 500e6), ("RND4K Q1T1", 4096, 1, True, 2e6))


def result(label: str, factor: float = 1.0, *, level: str = "raid5") -> Result:
    cells = tuple(
        Cell(
            name=name,
            direction=direction,
            bytes_per_second=rate * factor,
            iops=rate * factor / block,
            latency_mean_seconds=0.00152,
            block_bytes=block,
            queue_depth=depth,
            random=random,
            runs=tuple(
                RunValue(bytes_per_second=rate * factor * s, iops=1.0, latency_mean_seconds=0.001)
                for s in (0.99, 1.0, 1.01, 1.0, 0.995, 1.005)
            ),
            flags=("V spread 7 %",) if random else (),
        )
        for direction in ("read", "write")
        for name, block, depth, random, rate in ROWS
    )
    return Result(
        id=f"id-{label}",
        label=label,
        created="2026-11-21T04:00:00+00:00",
        version="0.1.0",
        profile="cdm",
        context=Context(
            target="/srv/data",
            filesystem="ext4",
            unit=MeasuredUnit(name="data", level=level, raid_disks=4),
            tools={"fio": "3.33"},
            engine="io_uring",
            size_bytes=2**30,
            seconds=5,
            runs=6,
            job_text="fio --name=cell --rw=read",
        ),
        cells=cells,
    )


FIVE, TEN = result("five"), result("ten", 2.0, level="raid10")


class _Page(HTMLParser):
    """Which elements are open, which there were, and every text and address."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"src", "href", "action", "data"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read_page(page: str) -> _Page:
    found = _Page()
    found.feed(page)
    found.close()
    assert found.open == []
    return found


def test_a_page_has_a_chart_for_each_row_and_asks_the_network_for_nothing() -> None:
    page = export_results([FIVE, TEN], "html")
    found = read_page(page)
    assert found.seen.count("svg") == 4
    assert found.links == []
    assert not {"script", "link", "img", "iframe", "object"} & set(found.seen)
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_the_longest_bar_is_the_fastest_and_the_others_are_in_proportion() -> None:
    page = export_results([FIVE, TEN], "html")
    widths = [float(part.partition('width="')[2].partition('"')[0]) for part in page.split("<rect")[1:3]]
    assert widths[0] == pytest.approx(widths[1] / 2, abs=0.1)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_holds_the_figures_of_every_result(kind: str) -> None:
    text = export_results([FIVE, TEN], kind)
    for word in ("five", "ten", "SEQ", "RND"):
        assert word in text
    if kind in {"markdown", "html"}:
        assert "1,000.00" in text


def test_many_results_have_a_short_title_and_numbers_over_their_columns() -> None:
    many = [result(f"own: raid5 of 3, {chunk}KiB, ext4, pass 1") for chunk in (64, 128, 256, 512)]
    table = [line for line in export_results(many, "markdown").splitlines() if line.startswith("| MB")]
    assert table == ["| MB/s | 1 | 2 | 3 | 4 |"]
    assert "<h1>raidtui: 4 results</h1>" in export_results(many, "html")


def test_what_was_counted_and_not_moved_has_a_spread_and_no_speed() -> None:
    runs = tuple(
        RunValue(bytes_per_second=0.0, iops=iops, latency_mean_seconds=0.0) for iops in (90.0, 110.0)
    )
    seeks = Cell(
        name="seeks", direction="mix", bytes_per_second=0.0, iops=100.0, latency_mean_seconds=0.0, runs=runs
    )
    only = msgspec.structs.replace(FIVE, cells=(seeks,))
    (line,) = (line for line in export_results([only], "markdown").splitlines() if "seeks" in line)
    assert line.split(" | ")[1:4] == ["-", "14.1 %", "100"]


@cache
def _seen_of_plain_labels() -> object:
    return read_page(export_results([FIVE, TEN], "html")).seen


@given(st.text(max_size=60))
def test_no_label_breaks_out_of_a_page_or_a_table(label: str) -> None:
    strange = msgspec.structs.replace(FIVE, label=label)
    found = read_page(export_results([strange, TEN], "html"))
    assert found.seen == _seen_of_plain_labels()
    table = [
        line for line in export_results([strange, TEN], "markdown").splitlines() if line.startswith("| MB")
    ]
    assert table[0].replace("\\|", "").count("|") == 4


def test_a_wicked_label_is_shown_as_text() -> None:
    strange = msgspec.structs.replace(FIVE, label=WICKED)
    assert "<script>" not in export_results([strange], "html")
    assert "&lt;script&gt;alert(1)" in export_results([strange], "html")
    assert "\x1b" not in export_results([strange], "markdown") + export_results([strange], "text")
    assert "\\`a\\` \\*b\\*" in export_results([strange], "markdown")


def test_markdown_of_a_comparison_marks_the_best_and_the_factor() -> None:
    text = export_comparison([FIVE, TEN], compare([FIVE, TEN]), "markdown")
    assert "| SEQ1M Q8T1 read | 500.00 | **1,000.00** (2.00x+) |" in text
    assert "| --- | ---: | ---: |" in text


def test_the_text_is_laid_out_as_crystaldiskmark_does_under_our_own_name() -> None:
    lines = export_results([FIVE], "text").splitlines()
    assert lines[1] == "raidtui 0.1.0 / fio-3.33"
    assert "  SEQ    1MiB (Q=  8, T= 1):   500.000 MB/s [    476.8 IOPS] <  1520.00 us>" in lines
    assert "  RND    4KiB (Q=  1, T= 1):     2.000 MB/s [    488.3 IOPS] <  1520.00 us>" in lines
    assert "  Value: median of 6 (CoV at most 0.7 %)" in lines
    assert "CrystalDiskMark" not in "\n".join(lines)


@pytest.mark.parametrize(
    ("origin", "kernel", "system"),
    [
        ("", "6.1.0", "Linux 6.1.0"),
        ("CrystalDiskMark 8.0.4", "Windows 10 [10.0 Build 19044]", "Windows 10 [10.0 Build 19044]"),
        ("fio 3.36", "", ""),
    ],
)
def test_what_other_programs_measured_was_not_always_under_linux(
    origin: str, kernel: str, system: str
) -> None:
    context = msgspec.structs.replace(FIVE.context, origin=origin, kernel=kernel)
    told = msgspec.structs.replace(FIVE, context=context)
    lines = [line for line in export_results([told], "text").splitlines() if "OS:" in line]
    assert lines == ([f"     OS: {system}"] if system else [])
    assert ("Linux" in export_results([told], "markdown")) == system.startswith("Linux")


def test_json_is_what_import_reads() -> None:
    assert json.loads(export_results([FIVE], "json"))["raidtui_results"] == 1
    assert export_results([FIVE], "json", document=lambda _: '{"kept":1}').count('"kept"') == 1


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("a.md", "markdown"),
        ("a.HTM", "html"),
        ("a.txt", "text"),
        ("a.csv", "csv"),
        ("a", "json"),
        ("-", "json"),
    ],
)
def test_the_ending_of_a_file_chooses_its_format(file: str, kind: str) -> None:
    assert format_of(file) == kind


def test_two_results_of_one_label_are_two_columns_of_a_table() -> None:
    again = msgspec.structs.replace(TEN, label=FIVE.label)
    table = export_comparison([FIVE, again], compare([FIVE, again]), "csv")
    (first, *_) = csv.DictReader(io.StringIO(table))
    assert first["five (id-five) value"] == "500000000.0"
    assert first["five (id-ten) value"] == "1000000000.0"
    alone = export_comparison([FIVE, TEN], compare([FIVE, TEN]), "csv")
    assert "five value" in alone.splitlines()[0].split(",")


def test_what_cannot_be_exported_is_said() -> None:
    with pytest.raises(
        BadInput, match="'pdf' is not a format; choose one of json, csv, markdown, html, text"
    ):
        export_results([FIVE], "pdf")
    with pytest.raises(BadInput, match="a comparison cannot be exported as text"):
        export_comparison([FIVE, TEN], compare([FIVE, TEN]), "text")
    with pytest.raises(BadInput, match="no results to export"):
        export_results([], "html")


@pytest.mark.parametrize("kind", ["csv", "json", "text"])
def test_what_stands_alone_is_written_before_the_next_result_is_read(kind: str) -> None:
    read: list[str] = []

    def stored() -> Iterator[tuple[Result, str]]:
        for n in range(1000):
            read.append(f"result {n}")
            yield result(f"result {n}"), ""

    pieces = export_pieces(stored(), kind)
    text = ""
    while "result 4" not in text:
        text += next(pieces)
    assert len(read) <= 6


@pytest.mark.parametrize("kind", FORMATS)
def test_in_pieces_or_whole_the_text_is_the_same(kind: str) -> None:
    assert "".join(export_pieces(iter([(FIVE, ""), (TEN, "")]), kind)) == export_results([FIVE, TEN], kind)


@pytest.mark.parametrize("kind", ["csv", "json", "text"])
def test_what_shows_no_comparison_makes_none(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("thousands of results would be compared with each other for nothing")

    monkeypatch.setattr("raidtui.results.export.compare", never)
    assert export_results([result("one"), result("two")], kind)
