"""Conditions on ZFS: pools (by the mark of their plan, a property of the root dataset), mounts, and import at boot."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from raidtui.backends.zfs.reading import CACHE, imported, listed_for_import
from raidtui.backends.zfs.report import PLAN, Pool, PoolReport
from raidtui.backends.zfs.units import stored
from raidtui.machine.ask import ask_patiently
from raidtui.machine.mounted import find_mounts
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.plan import Check
from raidtui.model.text import harmless
from raidtui.steps.condition import Condition, Held
from raidtui.steps.filesystems import mount_at

_ONLINE: Final = "ONLINE"
# States for which systemctl(1) is-enabled exits with 0.
_NOT_STARTED: Final = frozenset({"disabled", "linked", "linked-runtime", "masked", "masked-runtime", "bad"})
_STARTED: Final = frozenset(
    {"enabled", "enabled-runtime", "static", "alias", "indirect", "generated", "transient"}
)


class OfZfs(Condition):
    """A condition answered from one reading of ZFS; one reading answers all of a kind."""

    def ask(self, check: Check, held: Held) -> Answer:
        return self.ask_all([check], held)[0]

    def ask_all(self, checks: Sequence[Check], held: Held) -> list[Answer]:
        known = imported(ask_patiently)
        if known is None:
            return [
                unknown(
                    "ZFS does not say which pools there are and what is in them; is its kernel module loaded?"
                )
            ] * len(checks)
        return [self.judge(check, known) for check in checks]

    @abstractmethod
    def judge(self, check: Check, known: PoolReport) -> Answer:
        """Answer ``check`` from a reading."""


class OfPool(OfZfs):
    """A condition on one imported pool: the subject is its GUID."""

    def judge(self, check: Check, known: PoolReport) -> Answer:
        pool = known.with_guid(guid := self.guid(check))
        return no(f"the pool {guid} is not imported") if pool is None else self.judge_pool(check, pool, known)

    def guid(self, check: Check) -> str:
        return check.subject

    @abstractmethod
    def judge_pool(self, check: Check, pool: Pool, known: PoolReport) -> Answer:
        """Answer ``check`` for its pool."""


class OfDevice(OfPool):
    """A condition on a device and an imported pool: the first word that is expected is its GUID."""

    def guid(self, check: Check) -> str:
        return check.expect.partition(" ")[0]


class PoolRuns(OfZfs):
    """The pool with the mark is imported under the expected name, with the expected number of devices, all online."""

    kind = "pool-runs"
    says = "the pool {subject} is imported as {first}, with {rest} devices online"
    shell = "pool_runs"
    source = rf"""
# The name of the pool that a plan knows by the property of its first dataset.
pool_of() {{ asked zfs list -H -d 0 -o name,{PLAN} | awk -v mark="$1" '$2 == mark {{ print $1 }}'; }}
pool_runs() {{
    [ "$(pool_of "$1")" = "$2" ] && [ "$(asked zpool list -H -o health "$2")" = ONLINE ] || return 1
    online=$(asked zpool status -P "$2" | awk '$1 ~ /^[/]/ && ($2 == "ONLINE" || $2 == "AVAIL")' | wc -l)
    [ "$online" -eq "$3" ]
}}"""
    runs_unit = True

    def judge(self, check: Check, known: PoolReport) -> Answer:
        pool = known.marked(check.subject)
        if pool is None:
            return no(f"no imported pool has the mark {check.subject}")
        count = sum(one.state in {_ONLINE, "AVAIL"} for one in pool.status.leaves)
        text = f"the pool {pool.name} is {pool.status.state} with {count} devices online"
        return either(
            holds=f"{pool.name} {count}" == check.expect and pool.status.state == _ONLINE, text=text
        )


class PoolGone(OfZfs):
    """No imported pool has the GUID."""

    kind = "pool-gone"
    says = "there is no pool {subject}"
    source = r"""
pool_gone() { has_no_pool guid GUID "$1"; }
# Does zpool list no pool whose $1 (in its heading $2) is $3?
has_no_pool() {
    pools=$(asked zpool list -o "$1") || return 1
    pools=$(printf '%s\n' "$pools" | sed -e 's/^ *//' -e 's/ *$//')
    case $pools in 'no pools available' | "$2" | "$2$newline"*) ;; *) return 1 ;; esac
    lacks "$pools" "$3"
}"""
    can_be_lost = True

    def judge(self, check: Check, known: PoolReport) -> Answer:
        found = known.with_guid(check.subject)
        return no(f"the pool {found.name} is imported") if found else yes("it is gone")


class PoolNameFree(OfZfs):
    """No imported pool has the name."""

    kind = "pool-name-free"
    says = "no pool is called {subject}"
    source = r"""
is_pool_name_free() { has_no_pool name NAME "$1"; }"""
    may_be_older = True

    def judge(self, check: Check, known: PoolReport) -> Answer:
        taken = any(pool.name == check.subject for pool in known.pools)
        return no(f"a pool is called {check.subject}") if taken else yes("the name is free")


class PoolEmpty(OfZfs):
    """The pool with this name or the expected mark holds no data, or does not exist."""

    kind = "pool-empty"
    says = "nothing is stored in the pool {subject}"
    source = r"""
is_pool_empty() {
    if has_no_pool name NAME "$1"; then # it may be there, not imported
        exported=$(asked zpool import 2>&1) || :
        case $exported in *"pool: $1$newline"* | *"pool: $1") return 1 ;; *'pool: '* | 'no pools available'*) return ;; esac
        return 1
    fi
    [ "$(asked zpool list -H -o name "$1")" = "$1" ] && [ "$(asked zfs list -H -r -t all -o name "$1")" = "$1" ] &&
        place=$(asked findmnt --noheadings --output TARGET --source "$1") && is_empty_folder "$place"
}"""
    may_be_older = True

    def judge(self, check: Check, known: PoolReport) -> Answer:
        name = check.subject
        pool = known.marked(check.expect) or next((one for one in known.pools if one.name == name), None)
        if pool is not None:
            return _judge_contents(pool, known)
        listed = listed_for_import(ask_patiently)
        if listed is None:
            return no(
                f"whether there is a pool {name} that is not imported is unknown: 'zpool import' failed"
            )
        if any(one.name == name for one in listed):
            return no(
                f"the pool {name} is not imported, so what is in it is unknown; 'zpool import {name}' imports it"
            )
        return yes(f"there is no pool {name}")


class PoolMounted(Condition):
    """The root dataset of the expected pool is mounted at the subject."""

    kind = "pool-mounted"
    says = "the pool {expect} is mounted at {subject}"
    source = r"""
is_pool_mounted() { [ "$(asked findmnt --noheadings --output SOURCE --types zfs --mountpoint "$1" | tail -n 1)" = "$2" ]; }"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        mount = mount_at(check.subject)
        if mount is None:
            return no(f"nothing is mounted at {check.subject}")
        text = f"{mount.source} ({mount.type}) is mounted at {check.subject}"
        return either(holds=(mount.type, mount.source) == ("zfs", check.expect), text=harmless(text))


class PoolCached(OfZfs):
    """The pool is in the cache file, so that it is imported at boot."""

    kind = "pool-cached"
    says = f"the pool {{subject}} is in {CACHE}"
    source = rf"""
is_pool_cached() {{ [ "$(asked zpool get -H -o value cachefile "$1")" = - ] && grep -qaF -e "$1" {CACHE}; }}"""
    may_be_older = True  # written by zpool create

    def judge(self, check: Check, known: PoolReport) -> Answer:
        pool = next((one for one in known.pools if one.name == check.subject), None)
        if pool is None:
            return no(f"there is no pool {check.subject}")
        if pool.cachefile:
            return no(f"its cache file is {pool.cachefile}")
        try:
            kept = check.subject.encode() in Path(CACHE).read_bytes()
        except OSError as error:
            return unknown(f"{CACHE} cannot be read: {error.strerror}")
        return either(holds=kept, text=f"{CACHE} {'has' if kept else 'does not have'} {check.subject}")


class ServiceEnabled(Condition):
    """systemd starts the service at boot."""

    kind = "service-enabled"
    says = "{subject} is enabled"
    source = r"""
is_enabled() {
    case $(asked systemctl is-enabled "$1") in
    enabled | enabled-runtime | static | alias | indirect | generated | transient) ;;
    *) return 1 ;;
    esac
}"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        answer = ask_patiently(["systemctl", "is-enabled", check.subject])
        state = answer.stdout.strip() or answer.stderr.strip()
        text = harmless(f"{check.subject}: {state[:80] or 'no answer'}")
        if answer.returncode == 0 and state in _STARTED:
            return yes(text)
        return no(text) if state in _NOT_STARTED else unknown(text)


POOL_RUNS: Final = PoolRuns()
POOL_GONE: Final = PoolGone()
POOL_NAME_FREE: Final = PoolNameFree()
POOL_EMPTY: Final = PoolEmpty()
POOL_MOUNTED: Final = PoolMounted()
POOL_CACHED: Final = PoolCached()
SERVICE_ENABLED: Final = ServiceEnabled()


def _judge_contents(pool: Pool, known: PoolReport) -> Answer:
    if known.root(pool) is None:
        return unknown(f"what is in the pool {pool.name} is unknown: zfs does not list it")
    if more := stored(pool, known):
        return no(f"the pool {pool.name} has {more}")
    places = [mount.target for mount in find_mounts() if (mount.type, mount.source) == ("zfs", pool.name)]
    if not places:
        return unknown(
            f"the pool {pool.name} is not mounted, so what is in it is unknown; 'zfs mount {pool.name}' mounts it"
        )
    names = sorted(path.name for path in Path(places[-1]).iterdir())
    if names:
        shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
        return no(harmless(f"{places[-1]} holds {shown}"))
    return yes(f"the pool {pool.name} holds nothing")
