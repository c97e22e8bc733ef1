"""A bad day of a unit ends well if what care says first is done. CI tries one; `tests/campaign/bad_days.py` any number."""

from pathlib import Path

import pytest

from raidtui.lab.guest import Guest
from tests.campaign.bad_days import KINDS, day, setup


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["lvm-on-md", *sorted(set(KINDS) - {"lvm-on-md"})])
def test_a_bad_day_ends_well(kind: str, tmp_path: Path) -> None:
    with Guest(setup(str(tmp_path))) as guest:
        wrong, log = day(guest, kind, 0)
    assert not wrong, "\n".join(log)
