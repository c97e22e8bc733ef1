"""The rate of unreadable sectors: the limit in the data sheet, by model family.

Vendors state "non-recoverable read errors per bits read" as a maximum for a class of drives, not as a measurement.
Desktop, notebook and surveillance drives and the NAS drives WD Red and N300 are specified with 1 in 10^14 bits,
server drives and IronWolf with 1 in 10^15. Flash follows JEDEC JESD218: 10^-15 for client, 10^-16 for enterprise
drives. A model that is not listed gets the limit of server drives.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.advice.risk import DEFAULT_UNREADABLE, UNREADABLE_SOURCE
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record


class Unreadable(Record, frozen=True, kw_only=True):
    """Unreadable sectors per bit read, and the source of the limit."""

    per_bit: float
    source: str


class _Class(NamedTuple):
    name: str
    per_bit: float
    models: re.Pattern[str]


def _class(name: str, per_bit: float, *models: str) -> _Class:
    return _Class(
        name,
        per_bit,
        re.compile(rf"(?:(?:WDC|WD|TOSHIBA|SEAGATE|HGST|HITACHI|APPLE HDD) )?(?:{'|'.join(models)})"),
    )


_ROTATING: Final = (
    _class(
        "desktop drives",
        1e-14,
        r"ST\d+(?:DM|DL|DX|LM|LX|LT|VX|VM)\d",  # BarraCuda, FireCuda, notebook, SkyHawk
        r"ST\d+AS",  # Barracuda before 2011, Archive
        r"WD\d+(?:EZ|EA|AA|EU|PU|SP|LP|JP|BP|BE)[A-Z]{2}",  # Blue, Green, Purple, notebook
        r"WD\d+(?:FZ|FA)[A-Z]{2}",  # Black
        r"DT0[12][A-Z]",
        r"HDW[DEFRTLJ]|M[QK]\d{2}",  # P300, X300, S300, L200, notebook
        r"HDS\d",  # Deskstar
        r"HTS\d",
    ),
    _class(
        "NAS drives",
        1e-14,
        r"WD\d+(?:EF[A-Z]{2}|FFBX|FFWX|KFBX|KFGX)",  # Red, Red Plus, Red Pro
        r"HDW[GNQ]",  # N300
        r"HDN\d",
    ),
    _class("NAS drives", 1e-15, r"ST\d+(?:VN|NE|NT)\d"),  # IronWolf
    _class(
        "server drives",
        1e-15,
        r"ST\d+NM\d",  # Exos, Constellation
        r"WD\d+[FKV]R?YZ",  # Gold
        r"WD\d+FYYS",
        r"W[UH][HS]\d|HU[HS]\d|HMS\d",  # Ultrastar
        r"M[GN]\d{2}",
    ),
)
_SERVER_FLASH: Final = re.compile(
    r"(?:(?:INTEL|SAMSUNG|MICRON|KIOXIA|TOSHIBA|SOLIDIGM)[ _])*"
    r"(?:SSDSC2[BK][ABGXF]|SSDPE2|SSDPF2|SSD[0-9A-Z]*P4[56]|MZ(?:7L|7K|QL|WL|ILS|ILT)|(?:5[1-4]00|7[345]00|9[34]00)_"
    r"|MTFDDA[KV]|MTFDHB|KPM|KCD|KCM|KXD)"
)


def unreadable_of(model: str = "", *, rotational: bool = True) -> Unreadable:
    """The limit for a disk of this model, from its family if that is known."""
    name = " ".join(model.upper().split())
    if not rotational:
        if _SERVER_FLASH.match(name):
            return Unreadable(per_bit=1e-16, source="JEDEC JESD218 for enterprise flash")
        return Unreadable(per_bit=1e-15, source="JEDEC JESD218 for client flash")
    for one in _ROTATING:
        if one.models.match(name):
            return Unreadable(per_bit=one.per_bit, source=f"data sheets of {one.name}")
    return Unreadable(per_bit=DEFAULT_UNREADABLE, source=UNREADABLE_SOURCE)


def mean_unreadable(disks: Sequence[Unreadable]) -> Unreadable:
    """The mean limit of several disks, as a rebuild reads the same amount from each."""
    return Unreadable(
        per_bit=sum(one.per_bit for one in disks) / len(disks),
        source=" and ".join(dict.fromkeys(one.source for one in disks)),
    )


def parse_unreadable(text: str) -> float:
    """Parse a rate as in data sheets: ``1e-14``, or ``1e14`` for 1 in 10^14 bits.

    Raises:
        BadInput: not a number, or not a plausible rate.
    """
    try:
        rate = float(text.strip())
    except ValueError:
        rate = 0.0
    if rate > 1:
        rate = 1 / rate
    if not 1e-20 <= rate <= 1e-9:
        raise BadInput(
            f"{text.strip()!r} is not a rate of unreadable sectors per bit; write for example 1e-14"
        )
    return rate
