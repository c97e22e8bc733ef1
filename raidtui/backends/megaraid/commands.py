"""storcli's commands to create and delete a virtual drive. Pure.

The card chooses the number and WWN of a virtual drive, so commands find it by the name from the plan, or by WWN. Never
use ``force``, ``awb`` or ``set good``.
"""

import posixpath
from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.levels import SPANNED
from raidtui.backends.cards.options import FULL, OFF, WRITE_THROUGH
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.model.plan import Run
from raidtui.model.spec import Spec
from raidtui.model.units import KIB

_ANY: Final = tuple(range(256))  # the exit status means nothing; the conditions check the result
_TIMEOUT: Final = 300
# Print number and WWN of the virtual drive with the name or WWN $3 on controller $2, with the tool $1.
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
# Do not start it again if it is already running. A condition checks the result.
_INITIALIZE: Final = (
    f'found=$({_FIND}) && [ -n "$found" ] || exit 1; vd="/c$2/v${{found%% *}}"; '
    'runs() { "$1" "$2" show init J nolog | grep -q "In progress"; }; '
    'runs "$1" "$vd" || "$1" "$vd" start init ${4:+"$4"} J nolog; '
    'while runs "$1" "$vd"; do sleep 5; done'
)
_INITIALIZATION: Final = 14 * 86400  # seconds: it takes days on the largest drives
_DELETE: Final = f'found=$({_FIND}); [ -z "$found" ] || "$1" "/c$2/v${{found%% *}}" del J nolog'


_MIGRATE: Final = (
    f'found=$({_FIND}) && [ -n "$found" ] || exit 1; vd="/c$2/v${{found%% *}}"; '
    '"$1" "$vd" start migrate "type=raid$4" option=add "drives=$5" J nolog'
)


def create(
    adapter: Adapter, *, spec: Spec, name: str, members: Sequence[Drive], spares: Sequence[Drive], strip: int
) -> tuple[Run, ...]:
    """Create the virtual drive of a completed ``spec``; write-back requires a good battery."""
    level, own = spec.level, spec.options
    drives = len(members)
    spans = drives // 2 if level == "raid10" else int(own.get("spans", "2")) if level in SPANNED else 1
    second = posixpath.basename(adapter.tool).endswith("2")  # has no option for cached I/O
    run = Run(
        argv=(
            adapter.tool,
            f"/c{adapter.number}",
            "add",
            "vd",
            f"r{level.removeprefix('raid')}",
            f"name={name}",
            f"drives={','.join(one.slot for one in members)}",
            *((f"PDperArray={drives // spans}",) if spans > 1 or level == "raid10" else ()),
            f"pdcache={own.get('drive_cache', OFF)}",
            "wt" if own.get("write_policy") == WRITE_THROUGH else "wb",
            "nora" if own.get("read_ahead") == OFF else "ra",
            *(() if second else ("direct",)),
            *((f"strip={strip // KIB}",) if strip else ()),
            *((f"Spares={','.join(one.slot for one in spares)}",) if spares else ()),
            "J",
            "nolog",
        ),
        timeout_seconds=_TIMEOUT,
        ok=_ANY,
    )
    return (run,)


def initialize(adapter: Adapter, key: str, kind: str) -> Run:
    """Initialize the virtual drive with this name, ``fast`` or ``full``, and wait until it is done."""
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


def migrate(adapter: Adapter, key: str, level: str, old: Sequence[Drive], new: Sequence[Drive]) -> Run:
    """Change the virtual drive with this name or WWN to a level, the digits of it, with further drives."""
    slots = ",".join(one.slot for one in new)
    words = ("sh", "-c", _MIGRATE, "sh", adapter.tool, str(adapter.number), key, level, slots)
    return Run(argv=words, timeout_seconds=_TIMEOUT, ok=_ANY)


def link(adapter: Adapter, key: str, path: str) -> Run:
    """Make ``path`` a link to the virtual drive with this name."""
    words = ("sh", "-c", _LINK, "sh", adapter.tool, str(adapter.number), key, path)
    return Run(argv=words, timeout_seconds=_TIMEOUT)


def delete(adapter: Adapter, key: str, spares: Sequence[Drive]) -> tuple[Run, ...]:
    """Delete the virtual drive with this name or WWN; do nothing if it does not exist. The card frees the spares itself."""
    words = ("sh", "-c", _DELETE, "sh", adapter.tool, str(adapter.number), key)
    return (Run(argv=words, timeout_seconds=_TIMEOUT, ok=_ANY),)
