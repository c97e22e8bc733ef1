"""arcconf's commands to create and delete a virtual drive. Pure.

The card chooses the number of a virtual drive, so commands find it by the name from the plan, or by serial number or
WWN. Never use ``force``, ``SETSTATE … OPTIMAL`` or ``DELETE … ALL``.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.wording import SMARTRAID
from raidtui.backends.cards.options import BACKGROUND, FAST, FULL, OFF, UNCHANGED, WRITE_THROUGH
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.model.plan import Run
from raidtui.model.spec import Spec
from raidtui.model.units import KIB

# The methods of CREATE. A level without redundancy takes only QUICK: it has nothing to build.
_METHODS: Final = {BACKGROUND: "BUILD", FAST: "QUICK", FULL: "CLEAR"}
_ANY: Final = tuple(range(256))  # the exit status means nothing; the conditions check the result
_TIMEOUT: Final = 300
# Print number and serial number or WWN of the virtual drive $3 on controller $2, with the tool $1.
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
    f'found=$({_FIND}); id=${{found#* }}; [ -n "$found" ] || exit 1; hits=0; '
    # Without an identity by its model: aacraid shows the name there, which the plan's mark makes unique.
    'is_it() { if [ -n "$id" ]; then grep -i -q -x -e "ID_SCSI_SERIAL=$id" -e "ID_SERIAL_SHORT=$id" '
    '-e "ID_WWN_WITH_EXTENSION=0x$id" -e "ID_WWN=0x$id"; else grep -q -x -e "ID_MODEL=$1"; fi; }; '
    "for disk in /sys/block/*; do disk=${disk##*/}; "
    'if udevadm info --query=property --name="$disk" | is_it "$3"; then hit=$disk; hits=$((hits + 1)); fi; done; '
    '[ "$hits" -eq 1 ] && mkdir -p "${4%/*}" && ln -sfn "/dev/$hit" "$4"'
)
_DELETE: Final = (
    f'found=$({_FIND}); [ -z "$found" ] || "$1" DELETE "$2" LOGICALDRIVE "${{found%% *}}" noprompt'
)
_SPARE: Final = (
    f'found=$({_FIND}); [ -n "$found" ] && '
    '"$1" SETSTATE "$2" DEVICE "$4" "$5" HSP LOGICALDRIVE "${found%% *}" noprompt'
)
# Sleep first: it is not known whether the task is listed as soon as CREATE returns.
# All drives of the virtual drive and the further ones: one that is left out would be taken out of it.
_MODIFY: Final = (
    f'found=$({_FIND}); [ -n "$found" ] || exit 1; tool=$1 card=$2 level=$4; shift 4; '
    '"$tool" MODIFY "$card" FROM "${found%% *}" TO MAX "$level" "$@" noprompt'
)
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
_CLEAR: Final = 14 * 86400  # seconds: it takes days on the largest drives
_FREE: Final = (
    '"$1" GETCONFIG "$2" PD "$3" "$4" | grep -i -q "State *:.*Hot.Spare" || exit 0; '
    '"$1" SETSTATE "$2" DEVICE "$3" "$4" RDY noprompt'
)


def create(
    adapter: Adapter, *, spec: Spec, name: str, members: Sequence[Drive], spares: Sequence[Drive], strip: int
) -> tuple[Run, ...]:
    """Create the virtual drive of a completed ``spec`` with its spares; write-back requires a good battery."""
    level, own = spec.level, spec.options
    # SmartRAID keeps its cache as set, and verifies by itself: no options for either.
    older = adapter.driver != SMARTRAID
    method = _METHODS[own.get("initialization", BACKGROUND)] if level != "raid0" else "QUICK"
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


def migrate(adapter: Adapter, key: str, level: str, old: Sequence[Drive], new: Sequence[Drive]) -> Run:
    """Change the virtual drive ``key`` to a level, the digits of it, on its drives and further ones."""
    return _shell(_MODIFY, adapter, key, level, *(word for one in (*old, *new) for word in one.place.split()))


def wait(adapter: Adapter, key: str) -> Run:
    """Wait until the card has zeroed the virtual drive ``key``."""
    argv = ("sh", "-c", _WAIT, "sh", adapter.tool, str(adapter.number), key)
    return Run(argv=argv, timeout_seconds=_CLEAR)


def link(adapter: Adapter, key: str, path: str) -> Run:
    """Make ``path`` a link to the virtual drive ``key``."""
    words = ("sh", "-c", _LINK, "sh", adapter.tool, str(adapter.number), key, path)
    return Run(argv=words, timeout_seconds=_TIMEOUT)


def delete(adapter: Adapter, key: str, spares: Sequence[Drive]) -> tuple[Run, ...]:
    """Delete the virtual drive ``key``, and free its spares; do nothing if it does not exist."""
    return (
        _shell(_DELETE, adapter, key),
        *(_shell(_FREE, adapter, *drive.place.split()) for drive in spares),
    )


def _drive_cache(adapter: Adapter, drive: Drive, wanted: str) -> Run:
    """Set the cache of a drive. arcconf refuses a mode already set, so a condition checks the result."""
    mode = "wt" if wanted == OFF else "wb"
    argv = (adapter.tool, "SETCACHE", str(adapter.number), "DEVICE", *drive.place.split(), mode, "noprompt")
    return Run(argv=argv, timeout_seconds=_TIMEOUT, ok=_ANY)


def _shell(script: str, adapter: Adapter, *words: str) -> Run:
    argv = ("sh", "-c", script, "sh", adapter.tool, str(adapter.number), *words)
    return Run(argv=argv, timeout_seconds=_TIMEOUT, ok=_ANY)
