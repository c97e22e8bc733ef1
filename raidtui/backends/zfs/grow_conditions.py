"""Conditions on a pool that grows: its vdevs, what it holds, and that nothing is copied or moved any more."""

from typing import Final

from raidtui.backends.zfs.conditions import OfPool
from raidtui.backends.zfs.report import DATA, INNER, Pool, PoolReport
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.plan import Check
from raidtui.model.text import harmless

_ONLINE: Final = "ONLINE"
_SLACK: Final = 128  # a part of the size that may lack: what ZFS reserves depends on how it grew


class PoolShape(OfPool):
    """The data vdevs of the pool are of this kind and these widths, and every device of them is online: ``mirror 2 2``."""

    kind = "pool-shape"
    says = "the vdevs of the pool {subject} are online, and of this kind and these widths: {expect}"
    source = r"""
is_pool_shape() {
    zfs_status=$(pool_status "$1") || return 1
    shift
    [ "$*" = "$(printf '%s\n' "$zfs_status" | awk '
        function count() { if (kind != "") { widths = widths " " width; if (!kinds[kind]++) names = names kind } }
        $1 == "NAME" && $2 == "STATE" { inside = 1; next }
        /^errors:/ { inside = 0 }
        !inside || !NF { next }
        { depth = match($0, /[^ \t]/) }
        !base { base = depth; next }
        depth == base { exit }
        $2 != "ONLINE" { names = names "not-online" }
        depth == base + 2 { count(); kind = $1; width = 0; sub(/-[0-9]+$/, "", kind); if ($1 ~ /^[\/]/) { kind = "stripe"; width = 1 } }
        depth == base + 4 { width++ }
        depth > base + 4 { names = names "inner" }
        END { count(); print names widths }')" ]
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        vdevs = [one for one in pool.status.vdevs if one.section == DATA]
        if not vdevs:
            return unknown(f"zpool does not list the devices of {pool.name}")
        if bad := [one for one in vdevs if one.state != _ONLINE or one.name.startswith(INNER)]:
            return no(harmless(f"{bad[0].name} of {pool.name} is {bad[0].state}"))
        widths: list[int] = []
        for one in vdevs:
            if one.depth == 0:
                widths.append(0)
            widths[-1] += one.leaf
        shape = " ".join([pool.status.level, *map(str, widths)])
        return either(holds=shape == check.expect, text=harmless(f"the vdevs of {pool.name} are {shape}"))


class PoolHolds(OfPool):
    """What is used and available in the pool together is at least that much, but for a small part: bytes."""

    kind = "pool-holds"
    says = "zfs list shows as used and available in the pool {subject} together at least, in bytes: {expect}"
    source = r"""
pool_holds() {
    zfs_pool=$(pool_with_guid "$1")
    [ -n "$zfs_pool" ] || return 1
    held=$(asked zfs list -Hp -d 0 -o used,available "$zfs_pool" | awk 'NF == 2 { printf "%.0f\n", $1 + $2 }')
    case $held in '' | *[!0-9]*) return 1 ;; esac
    [ "$held" -gt 0 ] && [ $((held + held / 128)) -ge "$2" ]
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        root = known.root(pool)
        held = root.used_bytes + root.available_bytes if root is not None else 0
        if not held:
            return unknown(f"what is in the pool {pool.name} is unknown: zfs does not list it")
        text = f"the pool {pool.name} has {held:,} bytes used and available"
        return either(holds=held + held // _SLACK >= int(check.expect), text=text)


class PoolSettled(OfPool):
    """The pool resilvers and expands nothing, and nothing waits for that."""

    kind = "pool-settled"
    says = "no resilver and no raidz expansion of the pool {subject} is left to do"
    source = r"""
is_pool_settled() {
    zfs_status=$(pool_status "$1") || return 1
    case $zfs_status in
    *'resilver in progress'* | *'(resilvering)'* | *'(awaiting resilver)'*) return 1 ;;
    *[Ee]xpansion*'in progress'* | *'replacing-'*) return 1 ;;
    *'errors: '*) ;;
    *) return 1 ;;
    esac
}"""
    can_be_lost = True

    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        status = pool.status
        if not status.leaves:
            return unknown(f"zpool does not list the devices of {pool.name}")
        if status.scan is not None and status.scan.running and status.scan.what == "resilver":
            return no(f"the pool {pool.name} resilvers")
        if status.expansion is not None and status.expansion.running:
            return no(f"a raidz of the pool {pool.name} is being expanded")
        left = [one for one in status.vdevs if "resilver" in one.note or one.name.startswith("replacing-")]
        return no(harmless(f"{left[0].name} waits for its resilver")) if left else (
            either(holds=True, text=f"the pool {pool.name} resilvers and expands nothing")
        )  # fmt: skip


POOL_SHAPE: Final = PoolShape()
POOL_HOLDS: Final = PoolHolds()
POOL_SETTLED: Final = PoolSettled()
