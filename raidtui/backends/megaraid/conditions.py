"""Conditions on virtual drives and their drives, read with storcli, and their shell functions."""

from typing import Final

from raidtui.backends.cards.conditions import (
    CardWhole,
    Changing,
    DrivesCopied,
    DrivesFree,
    DrivesOnline,
    DrivesOut,
    DrivesServe,
    Initialized,
    Kinds,
    OfCard,
    VolumeGone,
    VolumeGrown,
    VolumeIs,
    VolumeOptimal,
)
from raidtui.backends.cards.records import Adapter
from raidtui.backends.megaraid.answer import why_not
from raidtui.backends.megaraid.cards import read_changes, read_drives, read_states, read_volumes
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


class OfStorcliDrives(OfStorcli):
    """A condition on drives alone."""

    def read(self, tool: str, number: int) -> Adapter:
        return read_drives(tool, number, ask_patiently)


class StorcliDrivesFree(OfStorcliDrives, DrivesFree):
    kind = "card-drives-free"
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


class StorcliDrivesServe(OfStorcliDrives, DrivesServe):
    kind = "card-drives-serve"
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
    helpers = _SHELL
    source = r"""
is_virtual_drive() {
    card_tool=${1%% *} && card_rest=${1#* }
    volumes_of_card "$card_tool" "${card_rest%% *}" | grep -q "\"Name\" *: *\"${card_rest#* }\""
}"""


class StorcliVolumeGone(OfStorcli, VolumeGone):
    kind = "virtual-drive-gone"
    helpers = _SHELL
    source = r"""
virtual_drive_gone() {
    card_tool=${1%% *} && card_rest=${1#* }
    volumes=$(every_volume_of_card "$card_tool" "${card_rest%% *}") && unlike "$volumes" "\"${card_rest#* }\""
}"""


class StorcliInitialized(OfStorcli, Initialized):
    kind = "virtual-drive-initialized"
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


class StorcliDrivesCopied(OfStorcliDrives, DrivesCopied):
    kind = "card-drives-copied"
    shell = "card_drives_copied"
    source = r"""
# Whether the drives behind the card $1 ("tool number …"), by slot and serial number, are in a state like $2.
storcli_drives_are() {
    card_tool=${1%% *} && card_rest=${1#* } && card=${card_rest%% *} && card_state=$2 && shift 2
    for drive in "$@"; do
        slot=${drive%%=*}
        said=$(asked "$card_tool" "/c$card/e${slot%%:*}/s${slot#*:}" show all J nolog | tr ',{}' '\n\n\n')
        printf '%s\n' "$said" | grep -q "\"${drive#*=} *\"" || return 1
        printf '%s\n' "$said" | grep -q "\"\($card_state\)\"" || return 1
    done
}
card_drives_copied() { card_subject=$1 && shift && storcli_drives_are "$card_subject" 'Cpybck\|Onln' "$@"; }"""


class StorcliDrivesOnline(OfStorcliDrives, DrivesOnline):
    kind = "card-drives-online"
    source = r"""
card_drives_online() { card_subject=$1 && shift && storcli_drives_are "$card_subject" 'Onln\|Conf' "$@"; }"""


class StorcliDrivesOut(OfStorcliDrives, DrivesOut):
    kind = "card-drives-out"
    source = r"""
card_drives_out() {
    card_subject=$1 && shift && storcli_drives_are "$card_subject" 'UGood\|UBad\|[DG]HS\|JBOD' "$@"
}"""


class StorcliCardWhole(OfStorcli, CardWhole):
    def read(self, tool: str, number: int) -> Adapter:
        return read_states(tool, number, ask_patiently)

    kind = "card-whole"
    source = r"""
card_is_whole() {
    card_tool=${1%% *} && card_rest=${1#* }
    is_optimal "$1" || return 1
    said=$(asked "$card_tool" "/c${card_rest%% *}" show all J nolog | tr ',{}' '\n\n\n')
    printf '%s\n' "$said" | grep -q '"EID:Sl' || return 1
    unlike "$said" '"Rbld' && unlike "$said" '"Cpybck' && unlike "$said" '"DG" *: *"F"'
}"""


_CHANGES: Final = r"""
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
    helpers = _CHANGES
    source = r"""
is_changing() { migrations_of "$1" | grep -q '"In progress"' || has_shape "$1" "$2" "$4"; }"""


class StorcliVolumeOnCard(OfMigration, VolumeGrown):
    kind = "virtual-drive-grown-on-card"
    helpers = _CHANGES
    source = r"""
is_grown_on_card() {
    has_shape "$1" "$2" "$4" && is_optimal "$1" && said=$(migrations_of "$1") && unlike "$said" '"In progress"'
}"""
    has_disk = False


class StorcliVolumeGrown(OfMigration, VolumeGrown):
    kind = "virtual-drive-grown"
    source = r"""
is_grown() { is_grown_on_card "$@"; }"""


KINDS: Final = Kinds(
    free=DRIVES_FREE,
    volume=VOLUME,
    gone=VOLUME_GONE,
    serve=StorcliDrivesServe(),
    online=StorcliDrivesOnline(),
    optimal=StorcliVolumeOptimal(),
    whole=StorcliCardWhole(),
    changing=StorcliChanging(),
    on_card=StorcliVolumeOnCard(),
    grown=StorcliVolumeGrown(),
    copied=StorcliDrivesCopied(),
    out=StorcliDrivesOut(),
)
