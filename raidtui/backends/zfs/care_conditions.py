"""Conditions on a pool that is cared for: a device belongs to it or has left it, it takes I/O, it is whole again."""

import os
from typing import Final

from raidtui.backends.zfs.conditions import OfDevice, OfPool
from raidtui.backends.zfs.report import INNER, NEEDED, SPARES, Pool, PoolReport
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.plan import Check
from raidtui.model.text import harmless

_ONLINE: Final = "ONLINE"
_ENDED: Final = ("scrub repaired ", "scrub finished ")  # as text and JSON say it; one may be canceled as well
_CLEAN: Final = "with 0 errors"


class DeviceIn(OfDevice):
    """The device belongs to the pool with the expected GUID: a ``member``, ``replacing``, if it is or becomes one, or a ``spare``."""

    kind = "zfs-device"
    says = "{subject} in the pool {first} is: {rest}"
    shell = "is_zfs_device"
    source = r"""
# The name of the imported pool with the GUID $1; nothing if there is none.
pool_with_guid() { asked zpool list -H -o name,guid | awk -v guid="$1" '$2 == guid { print $1 }'; }
# What zpool says of the imported pool with the GUID $1.
pool_status() {
    zfs_pool=$(pool_with_guid "$1")
    [ -n "$zfs_pool" ] && asked zpool status -P "$zfs_pool"
}
# The state of device $2 in the pool with the GUID $1, or "replacing" while it resilvers; nothing if it is not in it.
zfs_device() {
    zfs_pool=$(pool_with_guid "$1")
    [ -n "$zfs_pool" ] && zfs_node=$(node_of "$2") || return 1
    zfs_status=$(asked zpool status -P -L "$zfs_pool") || return 1
    printf '%s\n' "$zfs_status" | awk -v node="$zfs_node" '
        { depth = match($0, /[^ \t]/) }
        $1 ~ /^replacing-/ { inner = depth; next }
        inner && depth <= inner { inner = 0 }
        $1 == node { print (inner || /resilver/) ? "replacing" : $2 }'
}
is_zfs_device() {
    state=$(zfs_device "$2" "$1") || return 1
    case "$3 $state" in
    "member ONLINE" | "replacing ONLINE" | "replacing replacing" | "spare AVAIL") return 0 ;;
    *) return 1 ;;
    esac
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        wanted = check.expect.partition(" ")[2]
        real = os.path.realpath(check.subject)
        slots = list(pool.status.slots())
        place = next(((vdev, slot) for vdev, slot in slots if vdev.path == real), None)
        if place is None:
            return no(f"{check.subject} is not a device of {pool.name}")
        vdev, slot = place
        if wanted == "spare":
            free = vdev.section == SPARES and vdev.state == "AVAIL"
            return either(holds=free, text=f"{check.subject} is {harmless(vdev.state)} in {pool.name}")
        shared = slot is not None and sum(one == slot for _, one in slots) > 1
        becomes = shared or "resilver" in vdev.note
        text = f"{check.subject} is {vdev.state} in {pool.name}{', being resilvered' if becomes else ''}"
        return either(
            holds=vdev.state == _ONLINE and (wanted == "replacing" or not becomes), text=harmless(text)
        )


class DeviceOut(OfDevice):
    """The device is not one of the imported pool with the expected GUID, or not connected any more."""

    kind = "zfs-device-out"
    says = "{subject} is not a device of the pool {expect}"
    source = r"""
is_zfs_device_out() {
    zfs_pool=$(pool_with_guid "$2")
    [ -n "$zfs_pool" ] || return 1
    is_there "$1" || return 0
    asked zpool status -P -L "$zfs_pool" >/dev/null && [ -z "$(zfs_device "$2" "$1")" ]
}"""

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        real = os.path.realpath(check.subject)
        inside = any(one.path == real for one in pool.status.leaves)
        return either(
            holds=not inside, text=f"{check.subject} is {'' if inside else 'not '}a device of {pool.name}"
        )


class PoolWhole(OfPool):
    """Every device with data is online, none is being replaced, and the last scan is a scrub without errors.

    A log, a cache or a spare that is missing takes no redundancy from the data.
    """

    kind = "pool-whole"
    says = "every device with data of the pool {subject} is online, and a scrub found no errors"
    source = r"""
is_pool_whole() {
    zfs_status=$(pool_status "$1") || return 1
    printf '%s\n' "$zfs_status" | grep -q '^ *scan: scrub repaired .* with 0 errors' &&
        printf '%s\n' "$zfs_status" | grep -q '^errors: No known data errors' &&
        printf '%s\n' "$zfs_status" | awk '
            $1 == "NAME" && $2 == "STATE" { inside = first = 1; next }
            /^errors:/ { inside = 0 }
            inside && /^\t[^ ]/ { data = first || $1 == "special" || $1 == "dedup"; first = 0; next }
            inside && data && NF > 1 && $2 != "ONLINE" { bad = 1 }
            inside && data && $1 ~ /^(replacing|spare)-/ { bad = 1 }
            inside && NF > 1 { seen = 1 }
            END { exit bad || !seen }'
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        status = pool.status
        if not status.leaves:
            return unknown(f"zpool does not list the devices of {pool.name}")
        bad = [
            one
            for one in status.vdevs
            if one.section in NEEDED and (one.state != _ONLINE or one.name.startswith(INNER))
        ]
        if status.state not in {_ONLINE, "DEGRADED"} or bad:
            words = "".join(f", {one.name} {one.state}" for one in bad)
            return no(harmless(f"the pool {pool.name} is {status.state}{words}"))
        if status.errors:
            return no(harmless(f"the pool {pool.name}: {status.errors}"))
        scan = status.scan
        if scan is None or scan.running or scan.what != "scrub":
            return no(f"the pool {pool.name} was not scrubbed after its last resilver")
        clean = scan.words.startswith(_ENDED) and _CLEAN in scan.words
        return either(holds=clean, text=harmless(f"the pool {pool.name}: {scan.words}"))


class BesideHere(OfPool):
    """No device of the logs, caches and hot spares of the pool with this GUID has failed or is missing."""

    kind = "pool-beside"
    says = "every log, cache and hot spare of the pool {subject} is there"
    source = r"""
is_pool_beside() {
    zfs_status=$(pool_status "$1") || return 1
    printf '%s\n' "$zfs_status" | awk '
        $1 == "NAME" && $2 == "STATE" { inside = 1; next }
        /^errors:/ { inside = 0 }
        inside && /^\t[^ ]/ { beside = $1 ~ /^(logs|cache|spares)$/; next }
        inside && NF > 1 { seen = 1 }
        inside && beside && NF > 1 && $2 !~ /^(ONLINE|AVAIL|INUSE)$/ { bad = 1 }
        END { exit bad || !seen }'
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        leaves = pool.status.leaves
        if not leaves:
            return unknown(f"zpool does not list the devices of {pool.name}")
        bad = [
            one
            for one in leaves
            if one.section not in NEEDED and one.state not in {_ONLINE, "AVAIL", "INUSE"}
        ]
        words = ", ".join(f"{one.name} of {one.section} is {one.state}" for one in bad)
        return either(
            holds=not bad, text=harmless(words or f"nothing beside the data of {pool.name} is missing")
        )


class PoolServes(OfPool):
    """The pool with this GUID is imported and takes I/O, degraded or not."""

    kind = "pool-serves"
    says = "the pool {subject} is imported and takes I/O"
    source = r"""
pool_serves() {
    case $(asked zpool list -H -o guid,health | awk -v guid="$1" '$1 == guid { print $2 }') in
    ONLINE | DEGRADED) ;;
    *) return 1 ;;
    esac
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        text = harmless(f"the pool {pool.name} is {pool.status.state}")
        return either(holds=pool.status.state in {_ONLINE, "DEGRADED"}, text=text)


DEVICE_IN: Final = DeviceIn()
DEVICE_OUT: Final = DeviceOut()
BESIDE_HERE: Final = BesideHere()
POOL_WHOLE: Final = PoolWhole()
POOL_SERVES: Final = PoolServes()
