"""Conditions on virtual drives and their drives, read with arcconf, and their shell functions."""

from typing import ClassVar, Final

from msgspec.structs import replace

from raidtui.backends.adaptec.answer import why_not
from raidtui.backends.adaptec.cards import read_adapter
from raidtui.backends.cards.asking import placed
from raidtui.backends.cards.conditions import (
    CardWhole,
    Changing,
    DrivesAre,
    DrivesFree,
    DrivesOnline,
    DrivesServe,
    Initialized,
    Kinds,
    OfCard,
    VolumeGone,
    VolumeGrown,
    VolumeIs,
    VolumeOptimal,
)
from raidtui.backends.cards.options import ON
from raidtui.backends.cards.records import Adapter, DriveState
from raidtui.machine.ask import ask_patiently
from raidtui.machine.cards import ADAPTEC, read_cards
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, no, yes
from raidtui.model.plan import Check

_DRIVES: Final = r"""
# Whether the drives behind the card $1 ("tool number …"), by slot and serial number, are in a state like $2.
adaptec_drives_are() {
    card_tool=${1%% *} && card_rest=${1#* } && card=${card_rest%% *} && card_state=$2 && shift 2
    for drive in "$@"; do
        slot=${drive%%=*} && serial=$(printf '%s' "${drive#*=}" | tr _ .)
        said=$(asked "$card_tool" GETCONFIG "$card" PD "${slot%%:*}" "${slot#*:}")
        printf '%s\n' "$said" | grep -q "Serial number *: *$serial *$" || return 1
        printf '%s\n' "$said" | grep -i -q "State *: *$card_state *$" || return 1
        unlike "$said" 'stale RIS data *: *true' || return 1
    done
}"""


class OfArcconf(OfCard):
    """A condition read with arcconf."""

    tasks: ClassVar[bool] = False
    """Whether it needs the tasks of the card, which may take seconds to read."""

    def read(self, tool: str, number: int) -> Adapter:
        cards = [card for card in read_cards(HERE) if card.driver in ADAPTEC]
        (found,) = placed([read_adapter(tool, number, ask_patiently, tasks=self.tasks)], cards)
        return found

    def why(self, printed: str) -> str:
        return why_not(printed)


class OfTasks(OfArcconf):
    """A condition that needs to know what the card does."""

    tasks = True

    def read(self, tool: str, number: int) -> Adapter:
        found = super().read(tool, number)
        no_tasks = next((one for one in found.problems if one.startswith(f"{tool} GETSTATUS")), "")
        return replace(found, unread=found.unread or no_tasks)


class ArcconfDrivesFree(OfArcconf, DrivesFree):
    kind = "adaptec-drives-free"
    helpers = _DRIVES
    source = r"""
adaptec_drives_free() { card_subject=$1 && shift && adaptec_drives_are "$card_subject" Ready "$@"; }"""


class ArcconfSpares(OfArcconf, DrivesAre):
    """The drives of a plan are spares."""

    kind = "adaptec-spares"
    says = "{card} has these hot spares, by slot and serial number: {expect}"
    source = r"""
adaptec_spares() { card_subject=$1 && shift && adaptec_drives_are "$card_subject" '.*Hot.Spare.*' "$@"; }"""
    states = frozenset({DriveState.SPARE})


class ArcconfDrivesServe(OfArcconf, DrivesServe):
    kind = "adaptec-drives-serve"
    source = r"""
adaptec_drives_serve() {
    card_subject=$1 && shift
    adaptec_drives_are "$card_subject" '\(.*Hot.Spare.*\|Rebuilding.*\|Online.*\)' "$@"
}"""


class ArcconfVolumeOptimal(OfArcconf, VolumeOptimal):
    kind = "adaptec-volume-optimal"
    source = r"""
is_adaptec_optimal() {
    card_tool=${1%% *} && card_rest=${1#* }
    asked "$card_tool" GETCONFIG "${card_rest%% *}" LD | awk -v key="${card_rest#* }" '
        { gsub(/^[ \t]+|[ \t\r]+$/, ""); low = tolower($0); value = $0; sub(/^[^:]*:[ \t]*/, "", value) }
        low ~ /^logical (device|drive) number [0-9]+$/ { hit = 0; state = "" }
        low ~ /^logical (device|drive) name *:/ && value == key { hit = 1 }
        low ~ /^(volume )?unique identifier *:/ && tolower(value) == tolower(key) { hit = 1 }
        low ~ /^status of logical (device|drive) *:/ { state = value }
        hit && state == "Optimal" { good = 1 }
        END { exit !good }'
}"""


class ArcconfVolumeIs(OfArcconf, VolumeIs):
    kind = "adaptec-volume"
    source = r"""
is_adaptec_volume() {
    card_tool=${1%% *} && card_rest=${1#* }
    asked "$card_tool" GETCONFIG "${card_rest%% *}" LD | grep -q "name *: *${card_rest#* } *$"
}"""
    off_by = 0.02  # the tool rounds to MB, and the card reserves a little that is not reported beforehand


class ArcconfVolumeCreated(ArcconfVolumeIs):
    """The virtual drive of a plan is created; the kernel may not have it while the card zeros it."""

    kind = "adaptec-volume-created"
    says = "{card} has created the virtual drive {about}, by level, bytes and slots: {expect}"
    source = r"""
adaptec_volume_created() { is_adaptec_volume "$@"; }"""
    has_disk = False
    runs_unit = False


class ArcconfInitialized(OfTasks, Initialized):
    kind = "adaptec-initialized"
    source = r"""
is_adaptec_initialized() {
    card_tool=${1%% *} && card_rest=${1#* }
    said=$(asked "$card_tool" GETSTATUS "${card_rest%% *}") || :
    case $said in *'ommand completed successfully'*) unlike "$said" 'Current operation *: *Clear' ;; *) return 1 ;; esac
}"""


class ArcconfDriveCache(OfArcconf):
    """The drive caches are on or off as expected, as far as the card reports them."""

    kind = "adaptec-drive-cache"
    says = "{card} has these drive caches, by slot: {expect}"
    source = r"""
adaptec_drive_cache() {
    card_tool=${1%% *} && card_rest=${1#* } && card=${card_rest%% *} && shift
    for drive in "$@"; do
        slot=${drive%%=*} && wrong=Enabled
        [ "${drive#*=}" = off ] || wrong=Disabled
        said=$(asked "$card_tool" GETCONFIG "$card" PD "${slot%%:*}" "${slot#*:}") || :
        case $said in *'ommand completed successfully'*) ;; *) return 1 ;; esac
        unlike "$said" "Write Cache *: *$wrong" || return 1
    done
}"""

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        for wanted in check.expect.split():
            slot, _, word = wanted.partition("=")
            drive = adapter.drive(slot)
            if drive is None:
                return no(f"there is no drive in slot {slot}")
            if drive.drive_cache is (word != ON):
                return no(f"the drive in slot {slot} keeps its cache {'off' if word == ON else 'on'}")
        return yes("they are")


class ArcconfVolumeGone(OfArcconf, VolumeGone):
    kind = "adaptec-volume-gone"
    source = r"""
adaptec_volume_gone() {
    card_tool=${1%% *} && card_rest=${1#* }
    said=$(asked "$card_tool" GETCONFIG "${card_rest%% *}" LD) || :
    case $said in *'ommand completed successfully'*) ;; *) return 1 ;; esac
    counted=$(asked "$card_tool" GETCONFIG "${card_rest%% *}" AD |
        sed -n -e 's/^ *[Ll]ogical d[a-z]*\/[^:]*: *\([0-9][0-9]*\)\/.*/\1/p' | head -n 1)
    [ -n "$counted" ] && [ "$(printf '%s\n' "$said" | grep -c -i '^ *logical d[a-z]* number [0-9]')" = "$counted" ] &&
        unlike "$said" ": *${card_rest#* } *$"
}"""


DRIVES_FREE: Final = ArcconfDrivesFree()
SPARES: Final = ArcconfSpares()
VOLUME: Final = ArcconfVolumeIs()
VOLUME_CREATED: Final = ArcconfVolumeCreated()
VOLUME_GONE: Final = ArcconfVolumeGone()
INITIALIZED: Final = ArcconfInitialized()
DRIVE_CACHE: Final = ArcconfDriveCache()


class ArcconfDrivesOnline(OfArcconf, DrivesOnline):
    kind = "adaptec-drives-online"
    source = r"""
adaptec_drives_online() { card_subject=$1 && shift && adaptec_drives_are "$card_subject" 'Online.*' "$@"; }"""


class ArcconfCardWhole(OfArcconf, CardWhole):
    tasks = True
    kind = "adaptec-whole"
    source = r"""
adaptec_is_whole() {
    card_tool=${1%% *} && card_rest=${1#* }
    is_adaptec_optimal "$1" || return 1
    said=$(asked "$card_tool" GETCONFIG "${card_rest%% *}" PD) || :
    case $said in *'ommand completed successfully'*) ;; *) return 1 ;; esac
    unlike "$said" 'State *: *Rebuilding' && unlike "$said" 'stale RIS data *: *true'
}"""


_SHELL: Final = r"""
# Whether the virtual drive of $1 ("tool card name") has the level $2 and as many drives as the list $3 has.
has_adaptec_shape() {
    card_tool=${1%% *} && card_rest=${1#* }
    asked "$card_tool" GETCONFIG "${card_rest%% *}" LD | awk -v key="${card_rest#* }" -v level="${2#raid}" -v slots="$3" '
        { gsub(/^[ \t]+|[ \t\r]+$/, ""); low = tolower($0); value = $0; sub(/^[^:]*:[ \t]*/, "", value) }
        low ~ /^logical (device|drive) number [0-9]+$/ { hit = right = count = 0 }
        low ~ /^logical (device|drive) name *:/ && value == key { hit = 1 }
        low ~ /^(volume )?unique identifier *:/ && tolower(value) == tolower(key) { hit = 1 }
        low ~ /^raid level *:/ { right = value ~ "^" level "( |$)" }
        low ~ /^(group [0-9]+, )?segment [0-9]+ *:/ && low ~ /: *present/ { count++ }
        hit && right && count == split(slots, all, ",") { good = 1 }
        END { exit !good }'
}
# What arcconf says of tasks on the card of $1; fails unless it says all.
adaptec_tasks_of() {
    card_tool=${1%% *} && card_rest=${1#* }
    said=$(asked "$card_tool" GETSTATUS "${card_rest%% *}") || :
    case $said in *'ommand completed successfully'*) printf '%s\n' "$said" ;; *) return 1 ;; esac
}"""


class ArcconfChanging(OfTasks, Changing):
    kind = "adaptec-changing"
    helpers = _SHELL
    source = r"""
is_adaptec_changing() {
    said=$(adaptec_tasks_of "$1") || return 1
    printf '%s\n' "$said" | grep -i -q 'Current operation *: *\(.*reconf\|.*expan\|.*migrat\|.*morph\)' ||
        has_adaptec_shape "$1" "$2" "$4"
}"""


class ArcconfVolumeOnCard(OfTasks, VolumeGrown):
    kind = "adaptec-grown-on-card"
    helpers = _SHELL
    source = r"""
is_adaptec_grown_on_card() {
    said=$(adaptec_tasks_of "$1") && unlike "$said" 'Current operation *: *[^N ]' &&
        has_adaptec_shape "$1" "$2" "$4" && is_adaptec_optimal "$1"
}"""
    has_disk = False
    off_by = 0.02  # the tool rounds to MB, and the card keeps a little that is not reported beforehand


class ArcconfVolumeGrown(ArcconfVolumeOnCard):
    kind = "adaptec-grown"
    source = r"""
is_adaptec_grown() { is_adaptec_grown_on_card "$@"; }"""
    has_disk = True


KINDS: Final = Kinds(
    free=DRIVES_FREE,
    volume=VOLUME,
    gone=VOLUME_GONE,
    serve=ArcconfDrivesServe(),
    online=ArcconfDrivesOnline(),
    optimal=ArcconfVolumeOptimal(),
    whole=ArcconfCardWhole(),
    changing=ArcconfChanging(),
    on_card=ArcconfVolumeOnCard(),
    grown=ArcconfVolumeGrown(),
)
