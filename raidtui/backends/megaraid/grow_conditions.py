"""Conditions on a virtual drive that storcli changes, and their shell functions."""

from typing import Final

from raidtui.backends.cards.grow_conditions import Changing, VolumeGrown
from raidtui.backends.cards.records import Adapter
from raidtui.backends.megaraid.cards import read_changes
from raidtui.backends.megaraid.conditions import OfStorcli
from raidtui.machine.ask import ask_patiently

_SHELL: Final = r"""
# Level and slots of the virtual drive with the name or WWN $3 on card $2.
shape_of_volume() {
    asked "$1" "/c$2/vall" show all J nolog | tr ',{}' '\n\n\n' | awk -F\" -v key="$3" '
        function ends() { if (hit) { print level, slots; hit = 0 } }
        $2 == "DG/VD" { ends(); level = slots = "" }
        $2 == "TYPE" { level = $4 }
        $2 == "EID:Slt" { gsub(/ /, "", $4); slots = slots (slots == "" ? "" : ",") $4 }
        ($2 == "Name" && $4 == key) || ($2 == "SCSI NAA Id" && tolower($4) == key) { hit = 1 }
        END { ends() }'
}
# Whether it has the level $2 and the slots $3; $1: tool, card and name.
has_shape() {
    card_tool=${1%% *} && card_rest=${1#* }
    found=$(shape_of_volume "$card_tool" "${card_rest%% *}" "${card_rest#* }") && [ -n "$found" ] || return 1
    [ "$(printf %s "${found%% *}" | tr A-Z a-z)" = "$2" ] || return 1
    [ "$(printf %s "${found#* }" | tr , '\n' | sort)" = "$(printf %s "$3" | tr , '\n' | sort)" ]
}
# What storcli says of migrations on the card of $1; fails unless it says something.
migrations_of() {
    card_tool=${1%% *} && card_rest=${1#* }
    said=$(asked "$card_tool" "/c${card_rest%% *}/vall" show migrate J nolog) || :
    case $said in *'"VD Operation Status"'*) printf '%s\n' "$said" ;; *) return 1 ;; esac
}"""


class OfMigration(OfStorcli):
    """A condition that needs to know of migrations."""

    def read(self, tool: str, number: int) -> Adapter:
        return read_changes(tool, number, ask_patiently)


class StorcliChanging(OfMigration, Changing):
    kind = "virtual-drive-changing"
    shell = "is_changing"
    helpers = _SHELL
    source = r"""
is_changing() { migrations_of "$1" | grep -q '"In progress"' || has_shape "$1" "$2" "$4"; }"""


class StorcliVolumeOnCard(OfMigration, VolumeGrown):
    kind = "virtual-drive-grown-on-card"
    shell = "is_grown_on_card"
    helpers = _SHELL
    source = r"""
is_grown_on_card() {
    has_shape "$1" "$2" "$4" && is_optimal "$1" && said=$(migrations_of "$1") && unlike "$said" '"In progress"'
}"""
    has_disk = False


class StorcliVolumeGrown(OfMigration, VolumeGrown):
    kind = "virtual-drive-grown"
    shell = "is_grown"
    source = r"""
is_grown() { is_grown_on_card "$@"; }"""


CHANGING: Final = StorcliChanging()
ON_CARD: Final = StorcliVolumeOnCard()
GROWN: Final = StorcliVolumeGrown()
