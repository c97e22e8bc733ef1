"""What fio says, recorded from a real one, whole, cut, in another order, and with numbers that are none."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.bench.fio_output import Eta, read_eta, read_output, read_series, run_value
from raidtui.bench.fio_process import EngineUnavailable, Finished, job_of
from raidtui.model.errors import Refused, StepFailed

DATA = Path(__file__).parent / "data" / "fio"
RANDREAD = (DATA / "randread-q32.json").read_text()
STOPPED = (DATA / "randrw-stopped.json").read_text()


def test_a_run_is_read_in_bytes_and_seconds() -> None:
    series = read_series((DATA / "randread-q32_bw.log").read_text())
    value = run_value(read_output(RANDREAD), "read", series=series)
    raw = json.loads(RANDREAD)["jobs"][0]["read"]
    assert value.bytes_per_second == raw["bw_bytes"]
    assert value.bytes_per_second == pytest.approx(raw["iops"] * 4096, rel=0.001)
    assert value.latency_mean_seconds == pytest.approx(raw["lat_ns"]["mean"] / 1e9)
    assert value.latency_p99_seconds == pytest.approx(raw["lat_ns"]["percentile"]["99.000000"] / 1e9)
    assert value.seconds == pytest.approx(2.0, abs=0.05)
    assert sum(series) / len(series) == pytest.approx(value.bytes_per_second, rel=0.1)


def test_a_percentile_is_known_only_with_a_hundred_slower_ones() -> None:
    text = json.loads(RANDREAD)
    for ios, known in ((9_999, {"50", "90", "95"}), (10_000, {"50", "90", "95", "99"}), (199, set())):
        text["jobs"][0]["read"]["total_ios"] = ios
        value = run_value(read_output(json.dumps(text)), "read")
        assert set(value.percentiles) == known
        assert (value.latency_p99_seconds is not None) == ("99" in known)


def test_text_before_and_after_the_document_does_not_matter() -> None:
    assert STOPPED.lstrip().startswith("fio: terminating on signal 2")
    mixed = read_output(STOPPED + "\nfio: one more word {\n{")
    assert mixed.mixed.total_ios > 0
    assert run_value(mixed, "mix").bytes_per_second == mixed.mixed.bw_bytes


@given(st.integers(0, len(RANDREAD) - 3))
def test_a_cut_document_is_an_error_and_never_a_wrong_number(length: int) -> None:
    with pytest.raises(StepFailed, match="fio ended without a readable result"):
        read_output(RANDREAD[:length])


@given(st.randoms(use_true_random=True))  # only its seed is drawn: thousands of numbers would be slow to draw
def test_the_order_of_the_keys_does_not_matter(chance: random.Random) -> None:
    def shuffled(value: object) -> object:
        if not isinstance(value, dict):
            return [shuffled(one) for one in value] if isinstance(value, list) else value
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key]) for key in keys}

    assert read_output(json.dumps(shuffled(json.loads(RANDREAD)))) == read_output(RANDREAD)


@pytest.mark.parametrize("word", ["nan", "-nan", "inf", "-inf", "NaN", "Infinity", "null"])
def test_numbers_that_are_none_are_not_known(word: str) -> None:
    text = json.loads(RANDREAD)
    text["jobs"][0]["jobname"] = ", nan inf"
    text["jobs"][0]["read"]["lat_ns"]["mean"] = text["jobs"][0]["usr_cpu"] = 0.125
    job = read_output(json.dumps(text).replace("0.125", word))
    assert job.read.lat_ns.mean is None
    assert run_value(job, "read").latency_mean_seconds == 0.0


@pytest.mark.slow
@given(st.text())
def test_any_text_is_a_result_or_an_error_with_a_sentence(text: str) -> None:
    with pytest.raises(StepFailed):
        read_output(text)


def test_no_io_is_no_measurement() -> None:
    with pytest.raises(StepFailed, match="did not complete a single I/O"):
        run_value(read_output(RANDREAD), "write")


def test_directions_and_threads_are_added_up_in_a_series() -> None:
    log = "250, 100, 0, 0, 0\n250, 50, 1, 0, 0\n501, 100, 0, 0, 0\n749, 1"
    assert read_series(log) == (150 * 1024, 100 * 1024, 1024)
    assert read_series(log + "\n1000,\nnonsense, 5\n") == (150 * 1024, 100 * 1024, 1024)


def test_progress_lines_of_a_real_run() -> None:
    lines = (DATA / "randread-q32.eta").read_text().replace("\r", "\n").splitlines()
    told = [eta for line in lines if (eta := read_eta(line)).states]
    assert told[0] == Eta(states="r", percent=75.0, bytes_by={"r": 397 * 2**20}, iops_by={"r": 102_000.0})
    assert {eta.states for eta in told} == {"r"}


@pytest.mark.parametrize(
    ("line", "eta"),
    [
        ("Jobs: 1 (f=1)", Eta()),
        ("Jobs: 1 (f=1): [F(1)][100.0%][eta 00m:00s]", Eta(states="F", percent=100.0)),
        ("Jobs: 4 (f=4): [/(3),_(1)][-.-%][eta 00m:03s]", Eta(states="///_")),
        (
            "Jobs: 1 (f=1): [m(1)][5.0%][r=2MiB/s,w=1024KiB/s][r=1.5k,w=500 IOPS][eta 00m:09s]",
            Eta(
                states="m",
                percent=5.0,
                bytes_by={"r": 2 * 2**20, "w": 2**20},
                iops_by={"r": 1500.0, "w": 500.0},
            ),
        ),
        ("fio: terminating on signal 2", Eta()),
    ],
)
def test_a_progress_line_tells_state_percent_and_rates(line: str, eta: Eta) -> None:
    assert read_eta(line) == eta


def test_a_rate_is_that_of_the_direction_and_of_a_mix_the_sum() -> None:
    eta = read_eta("Jobs: 1 (f=1): [m(1)][5.0%][r=2MiB/s,w=1024KiB/s][r=1.5k,w=500 IOPS][eta 00m:09s]")
    assert (eta.bytes_per_second("read"), eta.iops("write"), eta.iops("mix")) == (2 * 2**20, 500.0, 2000.0)
    assert Eta().iops("read") is None


@given(st.text(alphabet="Jobs: 1(f=)[]%/rwWRF0123456789.,kMGi BIOPS-"))
def test_no_progress_line_can_break_the_reader(text: str) -> None:
    read_eta("Jobs: 1 (f=1): " + text)


def finished(returncode: int, *, error: int = 0, stderr: str = "", output: str | None = None) -> Finished:
    text = json.loads(RANDREAD)
    text["jobs"][0]["error"] = error
    if error:
        text["jobs"][0]["read"] = {"total_ios": 0}
    return Finished(
        argv=("fio",),
        returncode=returncode,
        output=json.dumps(text) if output is None else output,
        log="",
        stderr=stderr,
        seconds=1.0,
    )


@pytest.mark.parametrize(
    ("done", "kind", "sentence"),
    [
        (finished(1, error=28), StepFailed, "/srv is full; free some space"),
        (finished(1, error=5), StepFailed, r"/srv has an I/O error; .*dmesg"),
        (
            finished(1, error=22, stderr="fio: looks like your file system does not support direct=1"),
            Refused,
            "/srv does not support O_DIRECT",
        ),
        (finished(1, error=22), Refused, "sectors may be larger than a row's blocks"),
        (finished(1, error=30), StepFailed, "/srv became read-only"),
        (finished(1, error=122), StepFailed, "disk quota on /srv is used up"),
        (finished(-9, output=""), StepFailed, "fio was killed by SIGKILL"),
        (
            finished(1, output="", stderr="fio: unrecognized option '--x'\n"),
            StepFailed,
            "fio failed on /srv with the engine io_uring: fio: unrecognized option",
        ),
        (finished(0, output=""), StepFailed, "fio ended without a readable result"),
    ],
)
def test_a_failure_is_a_sentence(done: Finished, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        job_of(done, target="/srv", engine="io_uring")


@pytest.mark.parametrize(
    "done",
    [
        finished(1, error=1),
        finished(1, error=38),
        finished(1, output="", stderr="fio: engine io_uring not loadable\nfio: failed to load engine\n"),
    ],
)
def test_an_engine_that_is_not_to_be_had_is_told_apart(done: Finished) -> None:
    with pytest.raises(EngineUnavailable):
        job_of(done, target="/srv", engine="io_uring")
