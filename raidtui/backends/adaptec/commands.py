"""The commands that make and delete a virtual drive. Pure.

A card chooses the number of a virtual drive itself, so what works on one finds it by the name that the plan gave it, or
by its serial number or WWN. Never ``force``, ``SETSTATE … OPTIMAL`` or ``DELETE … ALL``.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.options import METHODS
from raidtui.backends.adaptec.wording import SMARTRAID
from raidtui.backends.cards.options import BACKGROUND, OFF, UNCHANGED, WRITE_THROUGH
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.model.plan import Run
from raidtui.model.spec import Spec
from raidtui.model.units import KIB

_ANY: Final = tuple(range(256))  # the exit status says nothing: what is there afterwards does
_TIMEOUT: Final = 300
# Prints number and serial number or WWN of the virtual drive that $3 calls, asking the tool $1 about the controller $2.
_FIND: Final = (
    '"$1" GETCONFIG "$2" LD | awk -v key="$3" \''
    "function show() { if (hit && !done) { print number, id; done = 1 } } "
    '{ gsub(/^[ \\t]+|[ \\t\\r]+$/, ""); low = tolower($0); value = $0; sub(/^[^:]*:[ \\t]*/, "", value) } '
    'low ~ /^logical (device|drive) number [0-9]+$/ { show(); number = $NF; hit = 0; id = "" } '
    "low ~ /^logical (device|drive) name *:/ && value == key { hit = 1 } "
    "low ~ /^(volume )?unique identifier *:/ { id = value; if (tolower(id) == tolower(key)) hit = 1 } "
    "END { show() }'"
)
_LINK: Final = (
    f'found=$({_FIND}); id=${{found#* }}; [ -n "$id" ] || exit 1; '
    "for disk in /sys/block/*; do disk=${disk##*/}; "
    'if udevadm info --query=property --name="$disk" | grep -i -q -x -e "ID_SCSI_SERIAL=$id" '
    '-e "ID_SERIAL_SHORT=$id" -e "ID_WWN_WITH_EXTENSION=0x$id" -e "ID_WWN=0x$id"; then '
    'mkdir -p "${4%/*}" && ln -sfn "/dev/$disk" "$4"; exit; fi; done; exit 1'
)
_DELETE: Final = (
    f'found=$({_FIND}); [ -z "$found" ] || "$1" DELETE "$2" LOGICALDRIVE "${{found%% *}}" noprompt'
)
_SPARE: Final = (
    f'found=$({_FIND}); [ -n "$found" ] && '
    '"$1" SETSTATE "$2" DEVICE "$4" "$5" HSP LOGICALDRIVE "${found%% *}" noprompt'
)
# Nobody has shown that a task is among the others as soon as CREATE has answered.
_WAIT: Final = (
    f'sleep 5; while found=$({_FIND}) && [ -n "$found" ] || exit 1; '
    '"$1" GETSTATUS "$2" | awk -v number="${found%% *}" \''
    'function word() { sub(/^[^:]*:[ \t]*/, ""); return $0 } '
    '{ gsub(/^[ \t]+|[ \t\r]+$/, ""); low = tolower($0) } '
    "low ~ /^logical (device|drive) task/ { mine = 0 } "
    "low ~ /^logical (device|drive) *:/ { mine = word() == number } "
    "low ~ /^current operation *: *clear/ && mine { runs = 1 } "
    "END { exit !runs }'; do sleep 5; done"
)
_CLEAR: Final = 14 * 86400  # seconds: of the largest drives it takes days
_FREE: Final = (
    '"$1" GETCONFIG "$2" PD "$3" "$4" | grep -i -q "State *:.*Hot.Spare" || exit 0; '
    '"$1" SETSTATE "$2" DEVICE "$3" "$4" RDY noprompt'
)


def create(
    adapter: Adapter, *, spec: Spec, name: str, members: Sequence[Drive], spares: Sequence[Drive], strip: int
) -> tuple[Run, ...]:
    """Make the virtual drive of a completed ``spec`` and give it its spares; the cache of the card needs its battery."""
    level, own = spec.level, spec.options
    # The newest generation has one cache for all and verifies by itself; it has no words for either.
    older = adapter.driver != SMARTRAID
    method = METHODS[own.get("initialization", BACKGROUND)] if level != "raid0" else "QUICK"
    caches = own.get("drive_cache", UNCHANGED)
    read = "ROFF" if own.get("read_ahead") == OFF else "RON"
    write = "WT" if own.get("write_policy") == WRITE_THROUGH else "WBB"
    argv = (
        adapter.tool,
        "CREATE",
        str(adapter.number),
        "LOGICALDRIVE",
        *(("Stripesize", str(strip // KIB)) if strip else ()),
        "Name",
        name,
        *(("Rcache", read, "Wcache", write, "Method", method) if older else ()),
        "MAX",
        level.removeprefix("raid"),
        *(word for drive in members for word in drive.place.split()),
        "noprompt",
    )
    return (
        Run(argv=argv, timeout_seconds=_TIMEOUT, ok=_ANY),
        *(_shell(_SPARE, adapter, name, *drive.place.split()) for drive in spares),
        *(_drive_cache(adapter, drive, caches) for drive in (*members, *spares) if caches != UNCHANGED),
    )


def wait(adapter: Adapter, key: str) -> Run:
    """Wait until the card has zeroed the virtual drive that is called so."""
    argv = ("sh", "-c", _WAIT, "sh", adapter.tool, str(adapter.number), key)
    return Run(argv=argv, timeout_seconds=_CLEAR)


def link(adapter: Adapter, key: str, path: str) -> Run:
    """Have ``path`` lead to the virtual drive that is called so."""
    words = ("sh", "-c", _LINK, "sh", adapter.tool, str(adapter.number), key, path)
    return Run(argv=words, timeout_seconds=_TIMEOUT)


def delete(adapter: Adapter, key: str, spares: Sequence[Drive]) -> tuple[Run, ...]:
    """Delete the virtual drive that is called so, and free its spares; none is there: nothing is done."""
    return (
        _shell(_DELETE, adapter, key),
        *(_shell(_FREE, adapter, *drive.place.split()) for drive in spares),
    )


def _drive_cache(adapter: Adapter, drive: Drive, wanted: str) -> Run:
    """It refuses what is so already: what counts is how the drive is afterwards."""
    mode = "wt" if wanted == OFF else "wb"
    argv = (adapter.tool, "SETCACHE", str(adapter.number), "DEVICE", *drive.place.split(), mode, "noprompt")
    return Run(argv=argv, timeout_seconds=_TIMEOUT, ok=_ANY)


def _shell(script: str, adapter: Adapter, *words: str) -> Run:
    argv = ("sh", "-c", script, "sh", adapter.tool, str(adapter.number), *words)
    return Run(argv=argv, timeout_seconds=_TIMEOUT, ok=_ANY)
