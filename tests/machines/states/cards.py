"""Record the states of RAID cards in this folder again: ``python -m tests.machines.states.cards``.

The lab has no such card. Each state is what a tool printed on a real one (tests/unit/data/cards), with the words changed
that a card changes in that state.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.model.machine import Machine
from raidtui.model.struct import to_json
from tests.machines.states.record import shrunk
from tests.unit import adaptec_machines, card_machines
from tests.unit.adaptec_machines import a_volume, with_volume
from tests.unit.card_machines import asks, nine_two_seventy, read_by, recorded

FOLDER: Final = Path(__file__).parent
_DRIVE: Final = "Drive /c0/e252/s"
Json = dict[str, Any]


class Card:
    """The recorded 9270: a RAID5 of the drives in slots 0 to 7, and what is changed of it."""

    def __init__(self) -> None:
        """As it was recorded, with nothing running."""
        self.card, self.volumes, self.drives = (
            json.loads(recorded(f"9270-{name}.json")) for name in ("c0", "vall", "sall")
        )
        self.more: dict[str, str] = {}
        self.properties["Active Operations"] = "None"

    @property
    def about(self) -> Json:
        """What the card says of itself."""
        found: Json = self.card["Controllers"][0]["Response Data"]
        return found

    @property
    def row(self) -> Json:
        """The row of the virtual drive."""
        found: Json = self._volumes["/c0/v0"][0]
        return found

    @property
    def properties(self) -> Json:
        """Its properties."""
        found: Json = self._volumes["VD0 Properties"]
        return found

    @property
    def _volumes(self) -> Json:
        found: Json = self.volumes["Controllers"][0]["Response Data"]
        return found

    @property
    def _drives(self) -> Json:
        found: Json = self.drives["Controllers"][0]["Response Data"]
        return found

    def drive(self, slot: int, **row: Any) -> Json:
        """Change the row of a drive; returns its state, with the error counts."""
        rows = [self._drives[f"{_DRIVE}{slot}"][0], *self._listed(slot)]
        for one in rows:
            one.update(row)
        found: Json = self._drives[f"{_DRIVE}{slot} - Detailed Information"][f"{_DRIVE}{slot} State"]
        return found

    def add(self, slot: int, **row: Any) -> None:
        """Put a further drive into a slot, like that in slot 0."""
        at, own = f"{_DRIVE}0", f"{_DRIVE}{slot}"
        text = json.dumps(
            {
                own: self._drives[at],
                f"{own} - Detailed Information": self._drives[f"{at} - Detailed Information"],
            }
        )
        text = (
            text.replace(at, own)
            .replace("252:0", f"252:{slot}")
            .replace("WD-WM00000001", f"WD-WM0000000{slot + 1}")
        )
        text = text.replace("5000000000000008", f"50000000000001{slot:02}")
        self._drives.update(json.loads(text))
        self.about["PD LIST"].append(json.loads(json.dumps(self._drives[own][0])))
        self.about["Physical Drives"] = len(self.about["PD LIST"])
        self.drive(slot, **({"DG": "-"} | row))

    def lose(self, slot: int) -> None:
        """Take a drive out of the virtual drive, which lists the others alone."""
        rows = self._volumes["PDs for VD 0"]
        self._volumes["PDs for VD 0"] = [one for one in rows if one["EID:Slt"] != f"252:{slot}"]

    def degraded(self, state: str = "Dgrd") -> None:
        """The virtual drive is degraded."""
        self.row["State"] = state
        for one in self.about["VD LIST"]:
            one["State"] = state

    def _listed(self, slot: int) -> list[Json]:
        rows = (*self.about["PD LIST"], *self._volumes["PDs for VD 0"])
        return [one for one in rows if one["EID:Slt"] == f"252:{slot}"]

    def read(self) -> Machine:
        """The computer."""
        answers = nine_two_seventy() | {
            "/c0 show all": json.dumps(self.card),
            "/c0/vall show all": json.dumps(self.volumes),
            "/c0/eall/sall show all": json.dumps(self.drives),
        }
        with patch("raidtui.backends.megaraid.tools.find_tool", lambda name: name == "storcli64"):
            return read_by(
                MEGARAID, asks(answers | self.more), card=card_machines.CARD, disks=(card_machines.VIRTUAL,)
            )


def _progress(word: str, slot: int, percent: int) -> dict[str, str]:
    row = {
        "Drive-ID": f"/c0/e252/s{slot}",
        "Progress%": percent,
        "Status": "In progress",
        "Estimated Time Left": "-",
    }
    return {
        f"/c0/eall/sall show {word}": json.dumps(
            {"Controllers": [{"Command Status": {"Status": "Success"}, "Response Data": [row]}]}
        )
    }


def _well(card: Card) -> None:
    card.add(8, State="UGood")


def _failed_one_free(card: Card) -> None:
    card.degraded()
    card.lose(2)
    card.drive(2, State="UBad", DG="-")
    card.add(8, State="UGood")


def _failed_none_free(card: Card) -> None:
    card.degraded()
    card.lose(2)
    card.drive(2, State="UBad", DG="-")


def _offline(card: Card) -> None:
    card.degraded()
    card.drive(2, State="Offln")
    card.add(8, State="UGood")


def _rebuilding(card: Card) -> None:
    card.degraded()
    card.drive(2, State="Rbld")
    card.more = _progress("rebuild", 2, 38)


def _spare_not_used(card: Card) -> None:
    card.degraded()
    card.drive(2, State="Failed")
    card.add(8, State="GHS")


def _foreign_beside_degraded(card: Card) -> None:
    card.degraded()
    card.lose(2)
    card.drive(2, DG="F", State="UGood")
    card.add(8, State="UGood")


def _foreign_alone(card: Card) -> None:
    card.add(8, State="UGood", DG="F")


def _two_gone(card: Card) -> None:
    card.degraded("OfLn")
    card.lose(2)
    card.lose(3)
    for slot in (2, 3):
        card.drive(slot, State="UBad", DG="-")
    card.add(8, State="UGood")


def _two_gone_with_cached_writes(card: Card) -> None:
    _two_gone(card)
    card.about["Status"]["Any Offline VD Cache Preserved"] = "Yes"


def _predicted(card: Card) -> None:
    card.drive(2)["Predictive Failure Count"] = 1
    card.drive(2)["S.M.A.R.T alert flagged by drive"] = "Yes"
    card.add(8, State="UGood")


def _predicted_none_free(card: Card) -> None:
    card.drive(2)["Predictive Failure Count"] = 1


def _predicted_while_degraded(card: Card) -> None:
    _failed_one_free(card)
    card.drive(3)["Predictive Failure Count"] = 2


def _no_cachevault(card: Card) -> None:
    card.row["Cache"] = "RAWBD"
    card.about["Cachevault_Info"][0]["State"] = "Failed"


def _bad_outside(card: Card) -> None:
    card.add(8, State="UBad")


def _copying(card: Card) -> None:
    card.add(8, State="Cpybck")
    card.more = _progress("copyback", 8, 44)


def _raid6(card: Card) -> None:
    card.degraded("Pdgd")
    card.row["TYPE"] = "RAID6"
    card.drive(2, State="Failed")
    card.add(8, State="UGood")


STATES: Final[dict[str, Callable[[Card], None]]] = {
    "card-well": _well,
    "card-drive-failed": _failed_one_free,
    "card-drive-failed-none-free": _failed_none_free,
    "card-drive-offline": _offline,
    "card-rebuilding": _rebuilding,
    "card-spare-not-used": _spare_not_used,
    "card-foreign-while-degraded": _foreign_beside_degraded,
    "card-foreign": _foreign_alone,
    "card-two-drives-gone": _two_gone,
    "card-two-drives-gone-with-cached-writes": _two_gone_with_cached_writes,
    "card-predicted-failure": _predicted,
    "card-predicted-failure-none-free": _predicted_none_free,
    "card-predicted-failure-while-degraded": _predicted_while_degraded,
    "card-cachevault-failed": _no_cachevault,
    "card-drive-bad-outside": _bad_outside,
    "card-copyback": _copying,
    "card-raid6-one-failed": _raid6,
}


def _arcconf(volume: str, **states: str) -> Machine:
    """A computer with an Adaptec card: a RAID5 of the first three drives; ``states`` are those of drives by ``_SERIAL``."""
    answers = with_volume(volume)
    for serial, state in states.items():
        answers["GETCONFIG 1 PD"] = _with_state(answers["GETCONFIG 1 PD"], serial.removeprefix("_"), state)
    with patch("raidtui.backends.adaptec.tools.find_tool", lambda name: name == "arcconf"):
        return read_by(
            ADAPTEC,
            adaptec_machines.asks(answers),
            card=adaptec_machines.CARD,
            disks=(adaptec_machines.VIRTUAL,),
        )


def _with_state(text: str, serial: str, state: str) -> str:
    """The answer with another state of the drive with this serial number."""
    parts = text.split("      Device #")
    for number, part in enumerate(parts):
        if serial in part:
            lines = [
                f"{one.partition(':')[0]}: {state}" if one.strip().startswith("State ") else one
                for one in part.splitlines()
            ]
            parts[number] = "\n".join(lines) + "\n"
    return "      Device #".join(parts)


def machines() -> Iterator[tuple[str, Machine]]:
    """Every state by its name."""
    for name, change in STATES.items():
        card = Card()
        change(card)
        yield name, card.read()
    failed = adaptec_machines.SERIALS[2]
    yield "adaptec-well", _arcconf(a_volume("tank"))
    yield (
        "adaptec-drive-failed",
        _arcconf(a_volume("tank", status="Degraded", third="Missing"), **{f"_{failed}": "Failed"}),
    )
    yield "adaptec-bad-stripes", _arcconf(a_volume("tank", failed="Yes"))


def main() -> None:
    """Write them."""
    for name, machine in machines():
        (FOLDER / f"{name}.json").write_text(to_json(shrunk(machine), pretty=False) + "\n")
        print(name)


if __name__ == "__main__":
    main()
