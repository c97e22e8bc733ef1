"""Conditions on a virtual drive that arcconf changes, and their shell functions."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.adaptec.conditions import OfArcconf
from raidtui.backends.cards.grow_conditions import Changing, VolumeGrown
from raidtui.backends.cards.records import Adapter

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


class OfTasks(OfArcconf):
    """A condition that needs to know what the card does."""

    tasks = True

    def read(self, tool: str, number: int) -> Adapter:
        found = super().read(tool, number)
        no_tasks = next((one for one in found.problems if one.startswith(f"{tool} GETSTATUS")), "")
        return replace(found, unread=found.unread or no_tasks)


class ArcconfChanging(OfTasks, Changing):
    kind = "adaptec-changing"
    shell = "is_adaptec_changing"
    helpers = _SHELL
    source = r"""
is_adaptec_changing() {
    said=$(adaptec_tasks_of "$1") || return 1
    printf '%s\n' "$said" | grep -i -q 'Current operation *: *\(.*reconf\|.*expan\|.*migrat\|.*morph\)' ||
        has_adaptec_shape "$1" "$2" "$4"
}"""


class ArcconfVolumeOnCard(OfTasks, VolumeGrown):
    kind = "adaptec-grown-on-card"
    shell = "is_adaptec_grown_on_card"
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
    shell = "is_adaptec_grown"
    source = r"""
is_adaptec_grown() { is_adaptec_grown_on_card "$@"; }"""
    has_disk = True


CHANGING: Final = ArcconfChanging()
ON_CARD: Final = ArcconfVolumeOnCard()
GROWN: Final = ArcconfVolumeGrown()
