"""Which backends are asked about the disks that somebody chose."""

import pytest
from msgspec.structs import replace

from raidtui.backends.suited import OF_DISKS, suited_to
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk
from raidtui.model.spec import Backend
from tests.unit.plan_machines import disk
from tests.unit.test_backends_megaraid_build import free


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> tuple[Disk, ...]:
    return tuple(one for one in free(monkeypatch).disks if not one.has_device)


def test_drives_behind_a_card_are_its_backend_s_alone(behind: tuple[Disk, ...]) -> None:
    assert suited_to(behind) == (Backend.MEGARAID,)
    assert suited_to(behind[:1]) == (Backend.MEGARAID,)


def test_other_disks_are_never_a_card_s() -> None:
    assert suited_to((disk(1), disk(2))) == OF_DISKS
    assert not {Backend.MEGARAID, Backend.DISK} & set(OF_DISKS)
    assert OF_DISKS[0] is Backend.MDADM


def test_what_does_not_belong_together_is_named(behind: tuple[Disk, ...]) -> None:
    with pytest.raises(
        BadInput, match=r"WD-WM00000001 \(slot 252:0\) is behind a RAID card and S-0001 .* is not"
    ):
        suited_to((disk(1), behind[0]))
    controller = behind[1].controller
    assert controller is not None
    other = replace(behind[1], controller=replace(controller, address="0000:81:00.0"))
    with pytest.raises(BadInput, match=r"WD-WM00000001 .* and WD-WM00000002 .* are behind two RAID cards"):
        suited_to((behind[0], other))


def test_a_card_that_no_backend_builds_on_is_named_by_its_driver(behind: tuple[Disk, ...]) -> None:
    controller = behind[0].controller
    assert controller is not None
    strange = replace(behind[0], controller=replace(controller, driver="hpsa"))
    with pytest.raises(BadInput, match="driver hpsa"):
        suited_to((strange,))
