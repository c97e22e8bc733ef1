"""Files of other benchmarks are known by what is in them, and read right or refused in one sentence."""

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from raidtui.model.errors import BadInput
from raidtui.model.result import Result
from raidtui.model.struct import to_json
from raidtui.model.units import GIB
from raidtui.results.cdm_text import cdm_text
from raidtui.results.compare import compare
from raidtui.results.context_words import how_of
from raidtui.results.exchange import check_result, read_export, write_export
from raidtui.results.foreign.recognise import read_file, read_text

CDM8 = """\
------------------------------------------------------------------------------
CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo
                                  Crystal Dew World: https://crystalmark.info/
------------------------------------------------------------------------------
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]
* KB = 1000 bytes, KiB = 1024 bytes

[Read]
  SEQ    1MiB (Q=  8, T= 1):   524.288 MB/s [    500.0 IOPS] < 15990.11 us>
  RND    4KiB (Q= 32, T=16):   409.600 MB/s [ 100000.0 IOPS] <  5115.20 us>

[Write]
  SEQ    1MiB (Q=  8, T= 1):   314.573 MB/s [    300.0 IOPS] < 26650.40 us>
  RND    4KiB (Q= 32, T=16):    81.920 MB/s [  20000.0 IOPS] < 25590.00 us>

[Mix] Read 70%/Write 30%
  SEQ    1MiB (Q=  8, T= 1):   419.430 MB/s [    400.0 IOPS] < 20000.00 us>

Profile: Default
   Test: 1 GiB (x5) [D: 12% (112/931GiB)]
   Mode: [Admin]
   Time: Measure 5 sec / Interval 5 sec
   Date: 2022/03/04 9:05:06
     OS: Windows 10  [10.0 Build 19044] (x64)
Comment: the old array
"""
CDM5 = """\
CrystalDiskMark 5.2.1 x64 (C) 2007-2017 hiyohiyo

   Sequential Read (Q= 32,T= 1) :   140.500 MB/s
  Random Write 4KiB (Q= 32,T= 1) :    40.960 MB/s [ 10000.0 IOPS]
         Sequential Read (T= 1) :   156.000 MB/s

  Test : 1024 MiB [E: 0.4% (26.4/7167.0 MiB)] (x5)  [Interval=5 sec]
  Date : 2017/11/15 21:52:26
"""
KDISKMARK = """\
                     KDiskMark (2.3.0): https://github.com/JonMagon/KDiskMark
                 Flexible I/O Tester (fio-3.16): https://github.com/axboe/fio
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]

[Read]
Sequential   1 MiB (Q=  8, T= 1):   512.000 MB/s [    500.0 IOPS] < 14415.61 us>
Random       4 KiB (Q= 32, T=16):   400.000 MB/s [ 100000.0 IOPS] <  1955.57 us>

[Mix] Read 70%/Write 30%
Sequential   1 MiB (Q=  8, T= 1):   256.000 MB/s [    250.0 IOPS] < 14415.61 us>

Profile: Default
   Test: 1 GiB (x5) [Measure: 5 sec / Interval: 5 sec]
   Date: 2020/09/05 18:31:47
     OS: debian 12 [linux 6.1.0]
"""
BONNIE = (
    "1.98,2.00a,attic,1,1700000000,16G,,8192,5,,,102400,11,51200,10,,,204800,8,300.5,2,16,,,,,"
    "5200,20,+++++,+++,6000,21,5100,20,+++++,+++,5900,20,,92838us,204ms,,55us,1s,1us,1us,1us,1us,1us,1us"
)
BONNIE_OLD = "attic,1G,,,55236,11,36165,10,,,73514,8,2138.3,2,16,+++++,+++,+++++,+++,25015,99,28712,100,+++++,+++,26846,100"


def fio_job(name: str, rw: str, *, rate: int, ios: int = 20_000, **more: object) -> dict[str, object]:
    way = {
        "io_bytes": 4096 * ios,
        "bw_bytes": rate,
        "iops": rate / 4096,
        "runtime": 5000,
        "total_ios": ios,
        "lat_ns": {"mean": 50_000.0, "percentile": {"50.000000": 40_000, "99.000000": 90_000}},
    }
    direction = "write" if "write" in rw else "read"
    return {
        "jobname": name,
        "groupid": 0,
        "error": 0,
        "job options": {"rw": rw, "iodepth": "32"},
        direction: way,
    } | more


def fio(*jobs: dict[str, object]) -> str:
    options = {"ioengine": "io_uring", "direct": "1", "size": "1g", "bs": "4k"}
    return json.dumps(
        {"fio version": "fio-3.36", "timestamp": 1_700_000_000, "global options": options, "jobs": jobs},
        indent=1,
    )


def read(text: str) -> Result:
    (result,) = read_text(text, origin="a.txt", label="a")
    return result


def rates(result: Result) -> dict[str, float]:
    return {f"{c.name} {c.direction}": round(c.bytes_per_second / 1e6, 3) for c in result.cells}


def test_crystaldiskmark_8_with_its_mix_its_date_and_its_comment() -> None:
    result = read(CDM8)
    assert rates(result) == {
        "SEQ1M Q8T1 read": 524.288,
        "RND4K Q32T16 read": 409.6,
        "SEQ1M Q8T1 write": 314.573,
        "RND4K Q32T16 write": 81.92,
        "SEQ1M Q8T1 mix": 419.43,
    }
    assert (result.label, result.created) == ("the old array", "2022-03-04T09:05:06+00:00")
    assert result.context.origin == "CrystalDiskMark 8.0.4, best of 5 runs"
    assert result.context.engine == "diskspd"
    assert (result.context.size_bytes, result.context.seconds, result.context.engine) == (2**30, 5, "diskspd")
    cell = result.cell("SEQ1M Q8T1", "read")
    assert cell is not None
    assert cell.latency_mean_seconds == pytest.approx(0.01599011)


def test_amorphousdiskmark_says_queue_depth_instead_of_threads() -> None:
    result = read(
        "AmorphousDiskMark 4.0.1 (C) 2016-2023 Katsura Shareware\n"
        "  Sequential Read 1MiB (QD=   8) :    524.29 MB/s [    500.0 IOPS]\n"
        "     Random Write 4KiB (QD=1) :     40.96 MB/s [  10000.0 IOPS]\n"
        "    Test : 1 GiB  (x5)  [Interval=3 sec]\n"
    )
    assert rates(result) == {"SEQ1M Q8T1 read": 524.29, "RND4K Q1T1 write": 40.96}
    assert result.context.origin == "AmorphousDiskMark 4.0.1, median of 5 runs"


def test_crystaldiskmark_5_names_the_direction_in_the_line_and_keeps_its_block_to_itself() -> None:
    result = read(CDM5)
    assert rates(result) == {"SEQ Q32T1 read": 140.5, "RND4K Q32T1 write": 40.96, "SEQ Q1T1 read": 156.0}
    assert result.cells[0].iops == 0.0, "without the block nobody knows"
    assert result.created == "2017-11-15T21:52:26+00:00"


CDM3 = """\
-----------------------------------------------------------------------
CrystalDiskMark 3.0.1 x64 (C) 2007-2010 hiyohiyo
                           Crystal Dew World : http://crystalmark.info/
-----------------------------------------------------------------------
* MB/s = 1,000,000 byte/s [SATA/300 = 300,000,000 byte/s]

           Sequential Read :   250.000 MB/s
          Sequential Write :   120.500 MB/s
         Random Read 512KB :   200.000 MB/s
        Random Write 512KB :   110.000 MB/s
    Random Read 4KB (QD=1) :    20.480 MB/s [  5000.0 IOPS]
   Random Write 4KB (QD=1) :    40.960 MB/s [ 10000.0 IOPS]
   Random Read 4KB (QD=32) :   122.880 MB/s [ 30000.0 IOPS]
  Random Write 4KB (QD=32) :    81.920 MB/s [ 20000.0 IOPS]

  Test : 1000 MB [E: 96.0% (894.1/931.5 GB)] (x5)
  Date : 2011/07/01 12:30:00
    OS : Windows 7 SP1 [6.1 Build 7601] (x64)
"""


def test_crystaldiskmark_3_is_read_whole() -> None:
    """Its sequential rows and those of 512 KB have no queue depth in brackets."""
    result = read(CDM3)
    assert rates(result) == {
        "SEQ Q1T1 read": 250.0,
        "SEQ Q1T1 write": 120.5,
        "RND512K Q1T1 read": 200.0,
        "RND512K Q1T1 write": 110.0,
        "RND4K Q1T1 read": 20.48,
        "RND4K Q1T1 write": 40.96,
        "RND4K Q32T1 read": 122.88,
        "RND4K Q32T1 write": 81.92,
    }
    assert result.context.origin == "CrystalDiskMark 3.0.1, best of 5 runs"
    assert result.context.engine == "CrystalDiskMark's own"  # DiskSpd came with version 4
    assert rates(read(cdm_text(result))) == rates(result), "and our own text of it"
    damaged = CDM3.replace("Random Read 512KB :   200.000 MB/s", "Random Read 512?B :   200.000 MB/s")
    with pytest.raises(BadInput, match="cut short or damaged"):
        read(damaged)


@pytest.mark.parametrize(
    ("text", "target", "percent"),
    [
        (CDM3, "E: 931.5GB", 96.0),
        (CDM8, "D: 931GiB", 12.0),
        (CDM8.replace("[D: 12% (112/931GiB)]", "[E: 96% (894/932GiB)]"), "E: 932GiB", 96.0),
        (KDISKMARK, "", None),
    ],
)
def test_the_drive_of_a_report_is_its_target(text: str, target: str, percent: float | None) -> None:
    context = read(text).context
    assert (context.target, context.fill_percent) == (target, percent)


@pytest.mark.parametrize("text", [CDM3, CDM8, KDISKMARK], ids=["3", "8", "KDiskMark"])
@pytest.mark.parametrize("mark", ["> ", ">> ", "> > ", " > "])
def test_a_report_that_somebody_quoted_is_the_same_report(text: str, mark: str) -> None:
    quoted = "\n".join(mark + line for line in text.splitlines()) + "\n"
    assert read(quoted) == read(text)


def test_a_report_without_a_date_has_none() -> None:
    undated = "\n".join(line for line in CDM8.splitlines() if "Date" not in line)
    assert read(undated).created == ""
    assert read(BONNIE).created == ""
    assert read(FIO_3_1).created == ""


def test_kdiskmarks_megabytes_are_corrected_and_what_it_counted_wrong_is_flagged() -> None:
    result = read(KDISKMARK)
    assert rates(result)["SEQ1M Q8T1 read"] == 524.288
    assert [(cell.name, cell.flags) for cell in result.cells if cell.flags] == [
        ("RND4K Q32T16", ("E KDiskMark before 3.3 left out every second thread",)),
        ("SEQ1M Q8T1", ("E KDiskMark prints a weighted mean here, not what was moved",)),
    ]
    assert result.context.tools == {"fio": "3.16"}
    assert result.context.origin == "KDiskMark 2.3.0, mean of 5 runs"


def test_the_first_kdiskmarks_said_no_version() -> None:
    result = read(KDISKMARK.replace("KDiskMark (2.3.0): ", "KDiskMark: ").replace("fio-3.16", "fio"))
    assert rates(result)["SEQ1M Q8T1 read"] == 524.288
    assert result.cells[1].flags == ("E KDiskMark before 3.3 left out every second thread",)
    assert result.context.origin == "KDiskMark, mean of 5 runs"
    assert result.context.tools == {}


def test_our_own_text_says_whether_it_has_medians_or_the_best() -> None:
    ours = msgspec.structs.replace(read(CDM8), version="0.1.0")
    context = msgspec.structs.replace(ours.context, origin="")
    medians = cdm_text(msgspec.structs.replace(ours, context=context))
    assert read(medians).context.origin == "raidtui 0.1.0, median of 5 runs"
    compat = msgspec.structs.replace(ours, context=msgspec.structs.replace(context, compat="cdm9"))
    assert read(cdm_text(compat)).context.origin == "raidtui 0.1.0, best of 5 runs"
    assert read(cdm_text(read(cdm_text(compat)))).context.origin == "raidtui 0.1.0, best of 5 runs"


def test_a_kdiskmark_whose_own_iops_say_that_it_is_right_is_left_alone() -> None:
    right = (
        KDISKMARK.replace("512.000", "524.288").replace("400.000", "409.600").replace("256.000", "262.144")
    )
    assert rates(read(right))["SEQ1M Q8T1 read"] == 524.288


def test_a_row_that_was_not_run_is_no_measured_zero() -> None:
    zeros = "0.000 MB/s [      0.0 IOPS] <     0.00 us>"
    unread = CDM8.replace("314.573 MB/s [    300.0 IOPS] < 26650.40 us>", zeros)
    assert "SEQ1M Q8T1 write" not in rates(read(unread))
    assert len(read(unread).cells) == len(read(CDM8).cells) - 1
    slow = CDM8.replace("314.573 MB/s [    300.0 IOPS]", "0.000 MB/s [      0.1 IOPS]")
    assert rates(read(slow))["SEQ1M Q8T1 write"] == 0.0, "it was run"


def test_another_mix_is_another_cell_and_comes_back_from_our_own_text() -> None:
    half = CDM8.replace("Read 70%/Write 30%", "Read 50%/Write 50%")
    assert "SEQ1M Q8T1 mix" in rates(read(CDM8))
    assert rates(read(half))["SEQ1M Q8T1 50/50 mix"] == 419.43
    assert rates(read(cdm_text(read(half)))) == rates(read(half))


@pytest.mark.parametrize(
    ("text", "value"), [("524,288", 524.288), ("1.524,288", 1524.288), ("1,524.288", 1524.288)]
)
def test_a_comma_may_be_the_decimal_mark(text: str, value: float) -> None:
    assert rates(read(CDM8.replace("524.288", text)))["SEQ1M Q8T1 read"] == value


def test_our_own_text_comes_back_with_the_same_figures() -> None:
    result = read(CDM8)
    assert rates(read(cdm_text(result))) == rates(result)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_report_is_read_in_every_encoding_that_it_was_ever_saved_in(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "report.txt"
    file.write_bytes(CDM8.replace("old", "älte").replace("\n", "\r\n").encode(encoding))
    ((result, document),) = read_file(file)
    assert (result.label, len(result.cells)) == ("the älte array", 5)
    assert json.loads(document)["id"] == result.id


def test_a_report_with_the_line_ends_of_old_macs_keeps_its_date_and_comment() -> None:
    assert read(CDM8.replace("\n", "\r")) == msgspec.structs.replace(
        read(CDM8), id=read(CDM8.replace("\n", "\r")).id
    )


@pytest.mark.parametrize("between", ["\u00a0", "\u202f", "'", "\u2019"])
def test_a_rate_has_what_locales_write_between_thousands(between: str) -> None:
    said = read(CDM8.replace("524.288 MB/s", f"3{between}455,226 MB/s"))
    assert rates(said)["SEQ1M Q8T1 read"] == 3455.226


def test_a_size_of_bonnie_that_is_not_understood_is_unknown() -> None:
    sizes = [
        read(BONNIE.replace(",16G,", f",{size},")).context.size_bytes for size in ("16G", "16G:64k", "16X")
    ]
    assert sizes == [16 * GIB, 16 * GIB, 0]


def test_fios_json_makes_a_cell_of_each_job_and_runs_of_equal_ones() -> None:
    again = {"groupid": 1}
    result = read(
        "note: a message\n"
        + fio(fio_job("a", "randread", rate=100_000), fio_job("a", "randread", rate=300_000, **again))
    )
    (cell,) = result.cells
    assert (cell.name, cell.direction, cell.bytes_per_second) == ("RND4K Q32T1", "read", 200_000.0)
    assert [run.bytes_per_second for run in cell.runs] == [100_000.0, 300_000.0]
    assert cell.latency_p99_seconds == pytest.approx(9e-5)
    assert (result.context.engine, result.context.direct, result.context.origin) == (
        "io_uring",
        True,
        "fio 3.36",
    )


def test_jobs_of_one_name_in_one_group_ran_at_once_and_are_summed() -> None:
    (cell,) = read(fio(*[fio_job("a", "randwrite", rate=100_000, ios=100)] * 4)).cells
    assert (cell.name, cell.direction, cell.bytes_per_second) == ("RND4K Q32T4", "write", 400_000.0)
    assert cell.latency_p99_seconds is None, "percentiles cannot be summed"


def options(rw: str = "read", **more: str) -> dict[str, object]:
    return {"job options": {"rw": rw, "iodepth": "32", **more}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"filename": "/dev/a"}, {"filename": "/dev/b"}),
        ({"directory": "/srv/a"}, {"directory": "/srv/b"}),
        ({"direct": "1"}, {"direct": "0"}),
        ({"size": "1g"}, {"size": "2g"}),
        ({"ioengine": "libaio"}, {"ioengine": "psync"}),
    ],
)
def test_jobs_that_differ_in_more_than_their_access_are_cells_of_their_own_names(
    one: dict[str, str], other: dict[str, str]
) -> None:
    result = read(
        fio(
            fio_job("first", "read", rate=972_000_000) | options(**one),
            fio_job("second", "read", rate=5_592_000_000, groupid=1) | options(**other),
        )
    )
    assert rates(result) == {"first read": 972.0, "second read": 5592.0}
    assert [len(cell.runs) for cell in result.cells] == [1, 1]
    assert result.context.runs == 1


def test_where_only_some_jobs_went_past_the_cache_the_others_say_so() -> None:
    result = read(
        fio(
            fio_job("a", "read", rate=1) | options(direct="1", filename="/dev/a", runtime="5"),
            fio_job("b", "write", rate=1) | options("write", direct="0", filename="/dev/b", runtime="9"),
        )
    )
    assert [cell.flags for cell in result.cells] == [
        (),
        ("C through the page cache, which other jobs bypassed",),
    ]
    assert (result.context.target, result.context.seconds) == ("/dev/a, /dev/b", 0)


def test_two_disks_read_at_once_are_two_cells_and_no_runs() -> None:
    result = read(fio(fio_job("sda", "read", rate=2_000_000), fio_job("sdb", "read", rate=1_000_000)))
    assert rates(result) == {"sda read": 2.0, "sdb read": 1.0}


def test_jobs_of_one_name_that_differ_are_told_apart() -> None:
    jobs = [fio_job("a", "read", rate=n * 1_000_000, groupid=n) | options(size=f"{n}g") for n in (1, 2)]
    assert rates(read(fio(*jobs))) == {"a read": 1.0, "a 2 read": 2.0}


@pytest.mark.parametrize(
    ("levels", "name", "flags"),
    [
        ({"1": 0.1, "32": 99.9}, "RND4K Q32T1", ()),
        (
            {"1": 100.0, "32": 0.0},
            "RND4K Q1T1",
            ("Q 32 I/Os in flight were requested, but there was never more than one",),
        ),
        (
            {"1": 5.0, "16": 50.0, "32": 45.0},
            "RND4K Q32T1",
            ("Q queue depth 32 only 45 % of the time",),
        ),
    ],
)
def test_the_depth_is_what_was_in_flight(levels: dict[str, float], name: str, flags: tuple[str, ...]) -> None:
    (cell,) = read(fio(fio_job("a", "randread", rate=1_000_000, iodepth_level=levels))).cells
    assert (cell.name, cell.flags) == (name, flags)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 30), ("30s", 30), ("1m", 60), ("2H", 7200), ("90000ms", 90), ("1d", 86400), ("?", 0)],
)
def test_the_times_of_fio_are_no_sizes(text: str, seconds: int) -> None:
    assert read(fio(fio_job("a", "read", rate=1) | options(runtime=text))).context.seconds == seconds


FIO_2 = """{
  "fio version" : "fio-2.2.10",
  "jobs" : [
    {
      "jobname" : "seqread",
      "job options" : {"rw":"read","bs":"1m","iodepth":"8"},
      "read" : {
        "io_bytes" : 1048576, "bw" : 209715, "iops" : 204.80, "runtime" : 5000, "total_ios" : 12000,
        "clat" : {"mean" : 39000.00, "percentile" : {"99.000000" : 50000}},
        "lat" : {"mean" : 39010.00}
      }
    }
  ]
}"""


# As fio 3.0 and 3.1 write it: io_bytes in bytes, and no bw_bytes yet. 4 KiB at 25 I/Os in 2 s.
FIO_3_1 = """{
  "fio version" : "fio-3.1",
  "jobs" : [
    {
      "jobname" : "randread",
      "job options" : {"rw":"randread","bs":"4k","iodepth":"1","direct":"1"},
      "read" : {
        "io_bytes" : 204800000, "io_kbytes" : 200000, "bw" : 99950, "iops" : 24987.5, "runtime" : 2001,
        "total_ios" : 50000,
        "lat_ns" : {"mean" : 39010.00}, "clat_ns" : {"mean" : 39000.0, "percentile" : {"99.000000" : 50000}}
      }
    }
  ]
}"""


@pytest.mark.parametrize("version", ["3.0", "3.1", "2.99-5-gabcd"])
def test_fio_3_counted_bytes_before_it_told_its_rate_in_them(version: str) -> None:
    result = read(FIO_3_1.replace("fio-3.1", f"fio-{version}"))
    (cell,) = result.cells
    assert (cell.name, cell.block_bytes) == ("RND4K Q1T1", 4096)
    assert cell.bytes_per_second == pytest.approx(204_800_000 / 2.001)
    assert cell.latency_mean_seconds == pytest.approx(3.901e-5)
    assert cell.latency_p99_seconds == pytest.approx(5e-5)
    later = FIO_3_1.replace('"iops"', '"bw_bytes" : 102348825, "iops"')
    assert read(later).cells[0].bytes_per_second == 102_348_825, "since 3.2"


def test_without_job_options_nobody_knows_whether_it_went_past_the_cache() -> None:
    bare = FIO_3_1.replace('{"rw":"randread","bs":"4k","iodepth":"1","direct":"1"}', "{}")
    context = read(bare).context
    assert context.direct is None
    assert how_of(context) == "1 run, O_DIRECT or not: unknown"
    assert "O_DIRECT" in how_of(read(FIO_3_1).context)
    buffered = FIO_3_1.replace(',"direct":"1"', "")
    assert how_of(read(buffered).context) == "1 run, through the page cache", (
        "as fio does unless told otherwise"
    )


def test_a_group_that_fio_reports_as_one_says_when_the_number_of_its_jobs_is_not_known() -> None:
    """Eight jobs of depth 32 keep 256 I/Os in flight, and the options of the first speak of one."""
    group = options("randread", group_reporting="", iodepth="32")
    one = fio_job("mixed bag", "randread", rate=4096 * 640_000) | group  # 640 000 IOPS of 50 us: 32 in flight
    (known,) = read(fio(one)).cells
    assert (known.name, known.flags) == ("RND4K Q32T1", ())
    many = fio_job("mixed bag", "randread", rate=4096 * 5_120_000) | group
    (unknown,) = read(fio(many)).cells
    assert (unknown.name, unknown.threads) == ("mixed bag", 0)
    assert unknown.flags == ("E fio reported several jobs as one (group_reporting), without their number",)
    named = fio_job("mixed bag", "randread", rate=4096 * 5_120_000) | options(
        "randread", group_reporting="", iodepth="32", numjobs="8"
    )
    (eight,) = read(fio(named)).cells
    assert (eight.name, eight.flags) == ("RND4K Q32T8", ())


def test_fio_2_told_kib_and_microseconds() -> None:
    (cell,) = read(FIO_2.replace("12000", "1024")).cells
    assert (cell.name, cell.bytes_per_second) == ("SEQ1M Q8T1", 209715 * 1024)
    assert cell.latency_mean_seconds == pytest.approx(0.03901)
    assert read(FIO_2).cells[0].latency_p99_seconds == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("rw", "more", "name"),
    [
        ("randrw", {"rwmixread": "70"}, "RND4K Q32T1 mix"),
        ("randrw", {"rwmixwrite": "30"}, "RND4K Q32T1 mix"),
        ("randrw", {}, "RND4K Q32T1 50/50 mix"),
        ("readwrite", {"rwmixread": "90"}, "SEQ4K Q32T1 90/10 mix"),
        ("randwrite", {}, "RND4K Q32T1 write"),
    ],
)
def test_fio_may_report_both_directions_as_one(rw: str, more: dict[str, str], name: str) -> None:
    job = fio_job("a", "read", rate=1_000_000)
    whole = {"jobname": "a", "mixed": job["read"]} | options(rw, **more)
    assert rates(read(fio(whole))) == {name: 1.0}


def test_a_mean_of_nothing_that_fio_prints_as_nan_is_no_fault() -> None:
    text = fio(fio_job("nan, inf", "read", rate=1_000_000, bw_dev=7777.5))
    assert rates(read(text.replace("7777.5", "-nan"))) == {"SEQ4K Q32T1 read": 1.0}
    odd = read(fio(fio_job("[nan]", "read", rate=1) | {"job options": {}}).replace("50000.0", "nan"))
    assert odd.cells[0].name == "[nan]"


def test_the_processors_share_is_that_of_one_thread() -> None:
    busy = fio_job("a", "randread", rate=1, usr_cpu=40.0, sys_cpu=50.0)
    assert read(fio(busy, busy, busy)).cells[0].runs[0].processor_percent == pytest.approx(90.0)


def test_what_is_imported_can_be_imported_again_elsewhere() -> None:
    for text in SAMPLES:
        check_result(read(text), origin="a.txt")
    strange = read(fio(fio_job("\x1b[31m", "read", rate=1) | {"job options": {}}))
    check_result(strange, origin="a.txt")


def test_a_job_of_fio_that_failed_says_so() -> None:
    (cell,) = read(fio(fio_job("a", "read", rate=100_000, error=5))).cells
    assert cell.flags == ("E fio stopped with error 5",)


@pytest.mark.parametrize("line", [BONNIE, BONNIE_OLD])
def test_bonnies_fields_are_found_by_its_version(line: str) -> None:
    result = read(line)
    named = {(cell.name, cell.direction): cell for cell in result.cells}
    written, read_, seeks = named["block", "write"], named["block", "read"], named["seeks", "mix"]
    expected = [102400, 204800, 300.5] if line == BONNIE else [55236, 73514, 2138.3]
    found = [written.bytes_per_second / 1024, read_.bytes_per_second / 1024, seeks.iops]
    assert found == expected
    assert ("stat in order", "read") not in named, "it was over too soon to be known"
    assert result.context.hostname == "attic"
    assert result.context.direct is False


def test_equal_lines_of_bonnie_are_runs() -> None:
    result = read(f"{BONNIE}\n{BONNIE.replace('204800', '204802')}\n")
    cell = result.cell("block", "read")
    assert cell is not None
    assert len(cell.runs) == 2
    assert cell.bytes_per_second == 204801 * 1024


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (BONNIE.replace("2.00a", "1.98"), ("Bonnie++ 2.00a", "Bonnie++ 1.98")),
        (BONNIE.replace("16G,,8192", "16G,64k,8192"), ("", "chunks of 64k")),
        (BONNIE.replace("attic,1,", "attic,4,"), ("1 at once", "4 at once")),
        (BONNIE.replace("16G", "32G"), ("16G", "32G")),
    ],
)
def test_lines_of_bonnie_that_differ_in_how_they_measured_are_results(
    changed: str, words: tuple[str, str]
) -> None:
    text = f"{BONNIE}\n{changed.replace('204800', '409600')}\n"
    found = read_text(text, origin="a.txt", label="a")
    assert len({result.id for result in found}) == 2
    assert [result.label for result in found] == [f"attic ({one})" if one else "attic" for one in words]
    cells = [cell for result in found if (cell := result.cell("block", "read")) is not None]
    assert [cell.bytes_per_second for cell in cells] == [204800 * 1024, 409600 * 1024]


def test_an_import_is_never_mixed_with_our_own_without_a_word() -> None:
    ours = msgspec.structs.replace(read(CDM8), id="ours")
    ours = msgspec.structs.replace(ours, context=msgspec.structs.replace(ours.context, origin=""))
    remarks = compare([ours, read(CDM8)]).remarks
    assert any(r.startswith("not the same: who measured (") and "CrystalDiskMark 8.0.4" in r for r in remarks)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be imported"),
        ("hello, world", "cannot be imported"),
        (CDM8.replace("524.288", "nan"), "a.txt, line 9: nan cannot be a measured speed"),
        (CDM8.replace("524.288", "-5.0"), "line 9: -5.0 cannot be a measured speed"),
        (CDM8.replace("524.288", "1e999"), "line 9: inf cannot be a measured speed"),
        (CDM8.replace("524.288", "fast"), "line 9: 'fast' is not a number"),
        (CDM8.replace(" MB/s [    500.0 IOPS]", " MB"), "line 9: this row is cut short or damaged"),
        (CDM8.replace("(Q=  8, T= 1)", "(Q=  0, T= 1)"), "line 9: a block size, a queue depth"),
        (CDM8.replace("(Q= 32, T=16)", "(Q= 32, T= 0)"), "line 10: a block size, a queue depth"),
        (CDM8.replace("SEQ    1MiB", "SEQ    0MiB"), "line 9: a block size, a queue depth"),
        (CDM8.replace("[Read]", ""), "line 9: it does not say whether this was read or written"),
        (CDM8.replace("[Write]", "[Read]"), "has SEQ1M Q8T1 read twice"),
        (fio(), "has no job of fio that transferred data"),
        (
            fio(fio_job("a", "read", rate=1)).replace('"bw_bytes": 1', '"bw_bytes": NaN'),
            "job 'a': nan cannot be a measured speed",
        ),
        (fio(fio_job("a", "read", rate=-1)), "job 'a': -1.0 cannot be a measured speed"),
        (fio(fio_job("a", "read", rate=1))[:-30], "is cut short or is not fio's JSON"),
        (f"{fio(fio_job('a', 'read', rate=1))}\n" * 2, "has several documents of fio; keep one in a file"),
        (fio().replace('"jobs"', '"works"'), "is not fio's JSON: jobs is missing"),
        (BONNIE[:100], "is truncated, it has"),
        (BONNIE.replace("204800", "nan"), "line 1: nan cannot be a measured speed"),
        ('{"raidtui', "cannot be imported"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(text)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


SAMPLES = [CDM8, CDM5, KDISKMARK, BONNIE, BONNIE_OLD, FIO_2, fio(fio_job("a", "randread", rate=100_000))]
whole = {text: {(c.name, c.direction): c.bytes_per_second for c in read(text).cells} for text in SAMPLES}


@given(st.sampled_from(SAMPLES), st.integers(0, 2000))
@example(KDISKMARK, 272)  # the row is whole but for its IOPS, which tell how KDiskMark counted
def test_a_file_that_was_cut_is_refused_or_gives_only_true_figures(text: str, length: int) -> None:
    try:
        found = read(text[:length])
    except BadInput:
        return
    for cell in found.cells:
        assert cell.bytes_per_second == whole[text][cell.name, cell.direction]


@given(st.permutations(CDM5.splitlines()))
def test_the_order_of_lines_that_say_everything_does_not_matter(lines: list[str]) -> None:
    assert rates(read("\n".join(lines))) == rates(read(CDM5))


@given(st.permutations(range(3)))
def test_the_order_of_sections_does_not_matter(order: list[int]) -> None:
    head, *sections = CDM8.partition("Profile")[0].split("\n[")
    text = "\n[".join([head, *(sections[number] for number in order)])
    assert rates(read(text)) == rates(read(CDM8))


@settings(max_examples=200)
@given(st.sampled_from(SAMPLES), st.data())
def test_a_damaged_file_never_ends_in_anything_but_a_sentence(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    damage = data.draw(
        st.text(max_size=12) | st.sampled_from(["9" * 400, "NaN", "-1", ",", "{", "1e400", "\0"])
    )
    try:
        result = read(text[:place] + damage + text[place + data.draw(st.integers(0, 12)) :])
    except BadInput as error:
        said = str(error)
    else:
        said = "" if all(0 <= cell.bytes_per_second < float("inf") for cell in result.cells) else "\n"
    assert "\n" not in said


@given(st.binary(max_size=300))
@example(b"\xff\xfe\x00")
@example(b"\x00" * 50)
def test_no_bytes_end_in_anything_but_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=r"cannot be imported|is not a file of"):
        list(read_file(file))


def test_a_folder_or_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="it is a directory, not a file"):
        read_file(tmp_path)
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        read_file(tmp_path / "none")


IMPORT = """
import resource, sys
from raidtui.model.errors import BadInput
from raidtui.results.foreign.recognise import read_text
text = eval(sys.argv[1])
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 150 * 2**20,) * 2)
try: print(*(f"{len(one.cells)} cell" for one in read_text(text, origin="a.txt", label="a")))
except BadInput as error: print(error)
"""
MOST = 4 * 2**20
ROW = "CrystalDiskMark 8.0.4\n[Read]\nSEQ 1MiB (Q=8, T=1): 1.0 MB/s\n"


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"('h,2G' + ',1' * 12 + ',16' + ',1' * 12 + chr(10)) * ({MOST} // 60)", "in parts"),
        (f"({BONNIE.strip()!r} + chr(10)) * ({MOST} // {len(BONNIE)})", "more than 1000 lines of Bonnie"),
        (f"'> ' * {MOST // 2}", "cannot be imported"),
        (f"{ROW!r} + chr(10) * {MOST - 200}", "1 cell"),  # this and the next two were quadratic
        (f"{ROW!r} + 'Comment: ' + ('x' + ' ' * 3000) * 1000", "1 cell"),
        (f"{ROW!r} + 'SEQ 1MiB' + ' ' * {MOST // 2} + '(Q='", "cut short or damaged"),
        (f'\'{{"fio version": "\' + chr(92) * {MOST}', "is cut short"),
        (f'\'{{"fio version": "\' + (chr(92) + chr(34)) * {MOST // 2}', "is cut short"),  # was quadratic
    ],
    ids=["old lines", "lines", "mails", "blank lines", "comment", "blanks", "backslashes", "quotes"],
)
def test_a_large_file_of_another_program_takes_little_memory(text: str, sentence: str) -> None:
    argv = [sys.executable, "-c", IMPORT, text]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, sentence in done.stdout) == (0, True), done.stderr[-500:]


def test_many_cells_of_a_report_are_compared_once() -> None:
    rows = "\n".join(f"SEQ {n}KiB (Q=1, T={t}): 1.0 MB/s" for n in range(1, 1000) for t in range(1, 50))
    assert len(read(f"CrystalDiskMark 8.0.4\n[Read]\n{rows}\n").cells) == 999 * 49  # took minutes


@pytest.mark.parametrize("piece", [1, 3, 40, 10**6])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_export_is_read_piece_by_piece(piece: int, encoding: str) -> None:
    ours = [msgspec.structs.replace(read(CDM8), id=f"{n:012x}", label="\U0001f4be ä" * n) for n in range(3)]
    content = "".join(write_export(to_json(one, pretty=False) for one in ours)).encode(encoding)
    begin = content[: max(4, piece)]  # the encoding is known by the first bytes
    rest = (content[at : at + piece] for at in range(len(begin), len(content), piece))
    assert [one for one, _ in read_export(chain([begin], rest), origin="a.json")] == ours
    half = len(content) // 8 * 4
    cut = (content[at : min(at + 40, half)] for at in range(0, half, 40))
    with pytest.raises(BadInput, match=r"is not a file of 'raidtui results export': .+ at character [\d,]+"):
        list(read_export(cut, origin="a.json"))


EXPORT = """
import resource, sys
from itertools import chain, repeat
from raidtui.model.errors import BadInput
from raidtui.results.exchange import read_export, write_export
from tests.unit.test_results_import import CDM8, read
from raidtui.model.struct import to_json
one = to_json(read(CDM8), pretty=False)
pieces = (piece.encode() for piece in write_export(repeat(one, 250 * 2**20 // len(one))))
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 64 * 2**20,) * 2)
print(next(read_export(pieces, origin="a")) is not None)
try: next(read_export(chain([b'{"raidtui_results":1,"results":["'], repeat(b"x" * 2**20, 250)), origin="a"))
except BadInput as error: print(error)
"""


@pytest.mark.processes
def test_of_a_large_export_only_a_piece_is_in_memory() -> None:
    argv = [sys.executable, "-c", EXPORT]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-500:]
    assert "True\na is not a file of 'raidtui results export': Unterminated string" in done.stdout
