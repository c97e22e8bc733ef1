"""The commands that make and delete a virtual drive. Pure.

A card chooses the number and the WWN of a virtual drive itself, so what works on one finds it by the name that the
plan gave it, or by its WWN. Never ``force``, ``awb`` or ``set good``.
"""

import posixpath
from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.levels import SPANNED
from raidtui.backends.cards.options import FULL, OFF, WRITE_THROUGH
from raidtui.backends.cards.records import Adapter
from raidtui.model.plan import Run
from raidtui.model.spec import Spec
from raidtui.model.units import KIB

_ANY: Final = tuple(range(256))  # the exit status says nothing: what is there afterwards does
_TIMEOUT: Final = 300
# Prints number and WWN of the virtual drive with the name or WWN $3, asking the tool $1 about the controller $2.
_FIND: Final = (
    '"$1" "/c$2/vall" show all J nolog | tr ",{}" "\\n\\n\\n" | awk -F\\" -v key="$3" \''
    '$2 == "DG/VD" { at = $4; hit = 0 } $2 == "Name" && $4 == key { hit = 1 } '
    '$2 == "SCSI NAA Id" && (hit || tolower($4) == key) '
    '{ sub(".*/", "", at); print at, tolower($4); exit }\''
)
_LINK: Final = (
    f'found=$({_FIND}) && [ -n "$found" ] && mkdir -p "${{4%/*}}" && '
    'ln -sfn "/dev/disk/by-id/wwn-0x${found#* }" "$4"'
)
# Where it runs already, it is not started again. What counts is the condition after it.
_INITIALIZE: Final = (
    f'found=$({_FIND}) && [ -n "$found" ] || exit 1; vd="/c$2/v${{found%% *}}"; '
    'runs() { "$1" "$2" show init J nolog | grep -q "In progress"; }; '
    'runs "$1" "$vd" || "$1" "$vd" start init ${4:+"$4"} J nolog; '
    'while runs "$1" "$vd"; do sleep 5; done'
)
_INITIALIZATION: Final = 14 * 86400  # seconds: of the largest drives it takes days
_DELETE: Final = f'found=$({_FIND}); [ -z "$found" ] || "$1" "/c$2/v${{found%% *}}" del J nolog'


def create(
    adapter: Adapter, *, spec: Spec, name: str, slots: Sequence[str], spares: Sequence[str], strip: int
) -> Run:
    """Make the virtual drive of a completed ``spec``; the cache of the card needs its battery."""
    level, own = spec.level, spec.options
    spans = len(slots) // 2 if level == "raid10" else int(own.get("spans", "2")) if level in SPANNED else 1
    second = posixpath.basename(adapter.tool).endswith("2")  # it has no words for cached I/O
    return Run(
        argv=(
            adapter.tool,
            f"/c{adapter.number}",
            "add",
            "vd",
            f"r{level.removeprefix('raid')}",
            f"name={name}",
            f"drives={','.join(slots)}",
            *((f"PDperArray={len(slots) // spans}",) if spans > 1 or level == "raid10" else ()),
            f"pdcache={own.get('drive_cache', OFF)}",
            "wt" if own.get("write_policy") == WRITE_THROUGH else "wb",
            "nora" if own.get("read_ahead") == OFF else "ra",
            *(() if second else ("direct",)),
            *((f"strip={strip // KIB}",) if strip else ()),
            *((f"Spares={','.join(spares)}",) if spares else ()),
            "J",
            "nolog",
        ),
        timeout_seconds=_TIMEOUT,
        ok=_ANY,
    )


def initialize(adapter: Adapter, key: str, kind: str) -> Run:
    """Have the virtual drive with that name initialized, ``fast`` or ``full``, and wait for the end of it."""
    words = (
        "sh",
        "-c",
        _INITIALIZE,
        "sh",
        adapter.tool,
        str(adapter.number),
        key,
        kind if kind == FULL else "",
    )
    return Run(argv=words, timeout_seconds=_INITIALIZATION if kind == FULL else _TIMEOUT)


def link(adapter: Adapter, key: str, path: str) -> Run:
    """Have ``path`` lead to the virtual drive with that name."""
    words = ("sh", "-c", _LINK, "sh", adapter.tool, str(adapter.number), key, path)
    return Run(argv=words, timeout_seconds=_TIMEOUT)


def delete(adapter: Adapter, key: str) -> Run:
    """Delete the virtual drive with that name or WWN; none is there: nothing is done."""
    words = ("sh", "-c", _DELETE, "sh", adapter.tool, str(adapter.number), key)
    return Run(argv=words, timeout_seconds=_TIMEOUT, ok=_ANY)
