"""Conditions of the procedures on virtual drives, read with arcconf, and their shell functions."""

from typing import Final

from raidtui.backends.adaptec.cards import read_adapter
from raidtui.backends.adaptec.conditions import DRIVES_FREE, DRIVES_SERVE, OPTIMAL, OfArcconf
from raidtui.backends.cards.care_conditions import CardWhole, DrivesOnline, Kinds
from raidtui.backends.cards.records import Adapter
from raidtui.machine.ask import ask_patiently


class ArcconfDrivesOnline(OfArcconf, DrivesOnline):
    kind = "adaptec-drives-online"
    shell = "adaptec_drives_online"
    source = r"""
adaptec_drives_online() { card_subject=$1 && shift && adaptec_drives_are "$card_subject" 'Online.*' "$@"; }"""


class ArcconfCardWhole(OfArcconf, CardWhole):
    def read(self, tool: str, number: int) -> Adapter:
        return read_adapter(tool, number, ask_patiently)

    kind = "adaptec-whole"
    shell = "adaptec_is_whole"
    source = r"""
adaptec_is_whole() {
    card_tool=${1%% *} && card_rest=${1#* }
    is_adaptec_optimal "$1" || return 1
    said=$(asked "$card_tool" GETCONFIG "${card_rest%% *}" PD) || :
    case $said in *'ommand completed successfully'*) ;; *) return 1 ;; esac
    unlike "$said" 'State *: *Rebuilding' && unlike "$said" 'stale RIS data *: *true'
}"""


KINDS: Final = Kinds(
    free=DRIVES_FREE,
    serve=DRIVES_SERVE,
    online=ArcconfDrivesOnline(),
    optimal=OPTIMAL,
    whole=ArcconfCardWhole(),
)
