"""The studies of hardware RAID on drives behind a card: each is one command, as on disks of md."""

from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.units import MIB
from tests.kernel.card_guest import DRIVES, Family, put, state_of, with_card
from tests.kernel.test_adaptec import ADAPTEC
from tests.kernel.test_card import MEGARAID
from tests.kernel.test_studies import run_study


@pytest.mark.first(0)
@pytest.mark.timeout(2500)  # a tool is a program of its own in the guest, which is started for each answer
@pytest.mark.parametrize("family", [MEGARAID, ADAPTEC], ids=lambda one: one.backend)
@pytest.mark.parametrize(
    ("study", "beside"), [("levels", "  published: MegaRAID RAID6 of 4"), ("chunks", "stripe Q8T1 W")]
)
def test_a_study_of_cards_is_one_command(
    own_guest: Callable[[str], Guest], study: str, beside: str, family: Family
) -> None:
    with with_card(own_guest("4x640MiB"), family, size=640 * MIB) as card:
        put(card, state_of(card) | {"builds": 1})  # seconds
        run_study(card, study, DRIVES, beside, card=True, timeout=2400)
        assert state_of(card)["volumes"] == {}
