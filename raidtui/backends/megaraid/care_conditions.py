"""Conditions of the procedures on virtual drives, read with storcli, and their shell functions."""

from typing import Final

from raidtui.backends.cards.care_conditions import CardWhole, DrivesCopied, DrivesOnline, DrivesOut, Kinds
from raidtui.backends.cards.records import Adapter
from raidtui.backends.megaraid.cards import read_drives, read_states
from raidtui.backends.megaraid.conditions import DRIVES_FREE, DRIVES_SERVE, OPTIMAL, OfStorcli
from raidtui.machine.ask import ask_patiently


class OfStorcliDrives(OfStorcli):
    """A condition on drives alone."""

    def read(self, tool: str, number: int) -> Adapter:
        return read_drives(tool, number, ask_patiently)


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
    shell = "card_drives_online"
    source = r"""
card_drives_online() { card_subject=$1 && shift && storcli_drives_are "$card_subject" 'Onln\|Conf' "$@"; }"""


class StorcliDrivesOut(OfStorcliDrives, DrivesOut):
    kind = "card-drives-out"
    shell = "card_drives_out"
    source = r"""
card_drives_out() {
    card_subject=$1 && shift && storcli_drives_are "$card_subject" 'UGood\|UBad\|[DG]HS\|JBOD' "$@"
}"""


class StorcliCardWhole(OfStorcli, CardWhole):
    def read(self, tool: str, number: int) -> Adapter:
        return read_states(tool, number, ask_patiently)

    kind = "card-whole"
    shell = "card_is_whole"
    source = r"""
card_is_whole() {
    card_tool=${1%% *} && card_rest=${1#* }
    is_optimal "$1" || return 1
    said=$(asked "$card_tool" "/c${card_rest%% *}" show all J nolog | tr ',{}' '\n\n\n')
    printf '%s\n' "$said" | grep -q '"EID:Sl' || return 1
    unlike "$said" '"Rbld' && unlike "$said" '"Cpybck' && unlike "$said" '"DG" *: *"F"'
}"""


KINDS: Final = Kinds(
    free=DRIVES_FREE,
    serve=DRIVES_SERVE,
    online=StorcliDrivesOnline(),
    optimal=OPTIMAL,
    whole=StorcliCardWhole(),
    copied=StorcliDrivesCopied(),
    out=StorcliDrivesOut(),
)
