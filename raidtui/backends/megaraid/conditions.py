"""Conditions on virtual drives, read with storcli, and their shell functions."""

from typing import Final

from raidtui.backends.cards.conditions import (
    DrivesFree,
    DrivesServe,
    Initialized,
    OfCard,
    VolumeGone,
    VolumeIs,
    VolumeOptimal,
)
from raidtui.backends.cards.records import Adapter
from raidtui.backends.megaraid.answer import why_not
from raidtui.backends.megaraid.cards import read_drives, read_volumes
from raidtui.machine.ask import ask_patiently

_SHELL: Final = r"""
# What the tool $1 says of the virtual drives of the card $2, a value a line.
volumes_of_card() { asked "$1" "/c$2/vall" show all J nolog | tr ',{}' '\n\n\n'; }
# The same; fails unless it describes as many as the card counts.
every_volume_of_card() {
    shown=$(volumes_of_card "$1" "$2")
    case $shown in *'"Command Status"'*) ;; *) return 1 ;; esac
    counted=$(asked "$1" "/c$2" show all J nolog | tr ',{}' '\n\n\n' |
        sed -n -e 's/.*"Virtual Drives" *: *\([0-9][0-9]*\) *$/\1/p' -e 's/.*"VD Count" *: *\([0-9][0-9]*\) *$/\1/p' |
        head -n 1)
    [ -n "$counted" ] && [ "$(printf '%s\n' "$shown" | grep -c '"DG/VD"')" = "$counted" ] && printf '%s\n' "$shown"
}"""


class OfStorcli(OfCard):
    """A condition read with storcli or one of its relatives."""

    def read(self, tool: str, number: int) -> Adapter:
        return read_volumes(tool, number, ask_patiently)

    def why(self, printed: str) -> str:
        return why_not(printed)


class StorcliDrivesFree(OfStorcli, DrivesFree):
    def read(self, tool: str, number: int) -> Adapter:
        return read_drives(tool, number, ask_patiently)

    kind = "card-drives-free"
    shell = "card_drives_free"
    source = r"""
card_drives_free() {
    card_tool=${1%% *} && card_rest=${1#* } && card=${card_rest%% *} && shift
    for drive in "$@"; do
        slot=${drive%%=*}
        said=$(asked "$card_tool" "/c$card/e${slot%%:*}/s${slot#*:}" show all J nolog | tr ',{}' '\n\n\n')
        printf '%s\n' "$said" | grep -q "\"${drive#*=} *\"" || return 1
        printf '%s\n' "$said" | grep -q -e '"UGood"' -e '"UConf"' || return 1
        printf '%s\n' "$said" | grep -q '"DG" *: *"-"' || return 1
    done
}"""


class StorcliDrivesServe(OfStorcli, DrivesServe):
    def read(self, tool: str, number: int) -> Adapter:
        return read_drives(tool, number, ask_patiently)

    kind = "card-drives-serve"
    shell = "card_drives_serve"
    source = r"""
card_drives_serve() {
    card_tool=${1%% *} && card_rest=${1#* } && card=${card_rest%% *} && shift
    for drive in "$@"; do
        slot=${drive%%=*}
        said=$(asked "$card_tool" "/c$card/e${slot%%:*}/s${slot#*:}" show all J nolog | tr ',{}' '\n\n\n')
        printf '%s\n' "$said" | grep -q "\"${drive#*=} *\"" || return 1
        printf '%s\n' "$said" | grep -q -e '"[DG]HS"' -e '"Rbld"' -e '"Onln"' -e '"Conf"' || return 1
    done
}"""


class StorcliVolumeOptimal(OfStorcli, VolumeOptimal):
    kind = "virtual-drive-optimal"
    shell = "is_optimal"
    helpers = _SHELL
    source = r"""
is_optimal() {
    card_tool=${1%% *} && card_rest=${1#* }
    volumes_of_card "$card_tool" "${card_rest%% *}" | awk -F\" -v key="${card_rest#* }" '
        $2 == "DG/VD" { state = ""; first = 1; hit = 0 }
        $2 == "State" && first { state = $4; first = 0 }
        ($2 == "Name" && $4 == key) || ($2 == "SCSI NAA Id" && tolower($4) == key) { hit = 1 }
        hit && state == "Optl" { good = 1 }
        END { exit !good }'
}"""


class StorcliVolumeIs(OfStorcli, VolumeIs):
    kind = "virtual-drive"
    shell = "is_virtual_drive"
    helpers = _SHELL
    source = r"""
is_virtual_drive() {
    card_tool=${1%% *} && card_rest=${1#* }
    volumes_of_card "$card_tool" "${card_rest%% *}" | grep -q "\"Name\" *: *\"${card_rest#* }\""
}"""


class StorcliVolumeGone(OfStorcli, VolumeGone):
    kind = "virtual-drive-gone"
    shell = "virtual_drive_gone"
    helpers = _SHELL
    source = r"""
virtual_drive_gone() {
    card_tool=${1%% *} && card_rest=${1#* }
    volumes=$(every_volume_of_card "$card_tool" "${card_rest%% *}") && unlike "$volumes" "\"${card_rest#* }\""
}"""


class StorcliInitialized(OfStorcli, Initialized):
    kind = "virtual-drive-initialized"
    shell = "is_initialized"
    helpers = _SHELL
    source = r"""
is_initialized() {
    card_tool=${1%% *} && card_rest=${1#* }
    volumes=$(every_volume_of_card "$card_tool" "${card_rest%% *}") &&
        printf '%s\n' "$volumes" | grep -qi -e "\"${card_rest#* }\"" &&
        unlike "$volumes" 'Active Operations.*Init'
}"""


DRIVES_FREE: Final = StorcliDrivesFree()
VOLUME: Final = StorcliVolumeIs()
VOLUME_GONE: Final = StorcliVolumeGone()
INITIALIZED: Final = StorcliInitialized()
DRIVES_SERVE: Final = StorcliDrivesServe()
OPTIMAL: Final = StorcliVolumeOptimal()
