"""The JSON document of fio, of any version, as records.

fio 2 counts ``io_bytes`` in KiB and latencies in microseconds. fio 3 counts bytes, with ``io_kbytes`` beside them, and
nanoseconds; ``bw`` stays in KiB a second, and only since fio 3.2 is there ``bw_bytes`` (axboe/fio, pull request 487).
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from raidtui.model.decode_errors import in_words
from raidtui.model.errors import BadInput
from raidtui.model.struct import decode_json
from raidtui.model.units import GIB, KIB, MIB, TIB
from raidtui.results.foreign.numbers import without_nan

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]

_SIZE: Final = re.compile(r"(\d{1,15})\s*([kmgt]?)i?b?", re.IGNORECASE)
_POWERS: Final = {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": TIB}
_TIME: Final = re.compile(r"(\d{1,15})\s*(us|usec|ms|msec|s|m|h|d|)", re.IGNORECASE)
_SECONDS: Final = {
    **{"us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "": 1.0, "s": 1.0},
    **{"m": 60.0, "h": 3600.0, "d": 86400.0},
}


class Latency(msgspec.Struct, frozen=True):
    """Latency in nanoseconds or microseconds, as the name of its field says."""

    mean: float | None = None
    percentile: dict[str, float | None] = {}


class Way(msgspec.Struct, frozen=True):
    """One direction of a job."""

    io_bytes: _Count = 0  # KiB in fio 2
    io_kbytes: _Count | UnsetType = UNSET  # since fio 3
    bw: float | None = 0.0  # KiB a second
    bw_bytes: float | UnsetType | None = UNSET  # since fio 3.2
    iops: float | None = 0.0
    runtime: float | None = 0.0  # milliseconds
    total_ios: _Count = 0
    lat_ns: Latency = Latency()
    clat_ns: Latency = Latency()
    lat: Latency = Latency()  # microseconds, before fio 3
    clat: Latency = Latency()


class Job(msgspec.Struct):
    """One job, or with ``group_reporting`` all jobs of a group."""

    jobname: str
    groupid: int = 0
    error: int = 0
    usr_cpu: float | None = 0.0  # percent of a processor, the mean of its threads
    sys_cpu: float | None = 0.0
    options: dict[str, str] = msgspec.field(default_factory=dict, name="job options")
    read: Way = Way()
    write: Way = Way()
    mixed: Way = Way()  # both, with unified_rw_reporting
    iodepth_level: dict[str, float | None] = {}  # "32" → percent of the I/Os with 32 to 63 in flight


class FioDocument(msgspec.Struct):
    """All jobs of one fio."""

    version: str = msgspec.field(name="fio version")
    jobs: list[Job]
    timestamp: int = 0
    options: dict[str, str] = msgspec.field(default_factory=dict, name="global options")


def read_document(text: str, origin: str) -> FioDocument:
    """Read the document in ``text``, which may have messages before it.

    Raises:
        BadInput: there is none, or it is truncated.
    """
    begin = re.search(r"^\{", text, re.MULTILINE)
    end = text.rfind("\n}") + 2 if "\n}" in text else len(text)
    if begin is None or begin.start() >= end:
        raise BadInput(f"{origin} has no fio JSON document that starts on its own line")
    whole = text[begin.start() : end]
    try:
        try:
            return decode_json(whole, FioDocument)
        except msgspec.DecodeError:  # fio prints the mean of no samples as nan
            return decode_json(without_nan(whole), FioDocument)
    except (msgspec.DecodeError, RecursionError) as error:
        if text.count('"fio version"') > 1:
            raise BadInput(f"{origin} has several documents of fio; keep one in a file") from error
        raise BadInput(f"{origin} is cut short or is not fio's JSON: {in_words(str(error))}") from error


def bytes_of(way: Way) -> int:
    """Bytes transferred."""
    counts_kib = way.io_kbytes is UNSET and way.bw_bytes is UNSET
    return way.io_bytes * KIB if counts_kib else way.io_bytes


def rate_of(way: Way) -> float:
    """Bytes a second; NaN if fio has no figure."""
    value = way.bw_bytes
    if value is UNSET and way.io_kbytes is not UNSET and way.runtime:
        value = 1000 * way.io_bytes / way.runtime  # as fio computes ``bw``, before truncating it to KiB
    elif value is UNSET:
        value = None if way.bw is None else way.bw * KIB
    return math.nan if value is None else value


def mean_of(way: Way) -> float:
    """The mean latency in nanoseconds, total if known, else of completion; 0 if neither is known."""
    return way.lat_ns.mean or way.clat_ns.mean or 1000 * (way.lat.mean or way.clat.mean or 0.0)


def tail_of(way: Way) -> float | None:
    """The 99th percentile of the latency in nanoseconds."""
    for latency, factor in ((way.lat_ns, 1), (way.clat_ns, 1), (way.lat, 1000), (way.clat, 1000)):
        if (value := latency.percentile.get("99.000000")) is not None:
            return factor * value
    return None


def size_of_option(text: str) -> int:
    """A number of fio's with its suffix, a power of 1024; 0 for anything else, such as a percentage."""
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) * _POWERS[found[2].lower()] if found else 0


def seconds_of_option(text: str) -> float:
    """A time of fio's: seconds, or with a unit (``m`` is minutes); 0 for anything else."""
    found = _TIME.fullmatch(text.strip())
    return int(found[1]) * _SECONDS[found[2].lower()] if found else 0.0


def read_percent_of(options: Mapping[str, str]) -> int:
    """The percentage of reads in a mix; fio's default is 50."""
    written = size_of_option(options.get("rwmixwrite", "50"))
    return size_of_option(options.get("rwmixread", str(100 - written)))
