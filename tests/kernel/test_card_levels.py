"""The levels of RAID cards in the lab: each is built with the size that was calculated, with Btrfs on it, and deleted."""

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.units import MIB
from tests.kernel.card_guest import SIZE, Family, state_of, volume, with_card
from tests.kernel.driving import apply, spec_text, teardown
from tests.kernel.test_adaptec import ADAPTEC
from tests.kernel.test_card import MEGARAID

SERIALS = [f"CARD-000{number}" for number in range(1, 9)]


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("level", "drives", "data"),
    [("raid50", 6, 4), ("raid60", 8, 4), ("raid6", 5, 3), ("raid10", 6, 3), ("raid0", 2, 2)],
)
@pytest.mark.parametrize("family", [MEGARAID, ADAPTEC], ids=lambda one: one.backend)
def test_a_level_is_built_as_calculated(
    guest: Guest, family: Family, level: str, drives: int, data: int
) -> None:
    with with_card(guest, family, serials=SERIALS) as card:
        spec = spec_text(level, SERIALS[:drives], backend=family.backend, partition=False, filesystem="btrfs")
        built = apply(card, spec, SERIALS[:drives])
        assert built.code == 0, built.stderr
        found = volume(card, family)
        assert found is not None
        kept = MIB if family is ADAPTEC else 0
        assert (found["level"], found["raid_disks"]) == (level, drives)
        assert (found["size_bytes"], found["mountpoints"]) == (data * SIZE - kept, ["/srv/tank"])
        removed = teardown(card, "tank", SERIALS[:drives])
        assert removed.code == 0, removed.stderr
        assert state_of(card)["volumes"] == {}
