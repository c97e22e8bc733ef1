"""The bound on unreadable sectors, by family of models."""

import pytest

from raidtui.advice.risk import RiskInputs
from raidtui.advice.unreadable import mean_unreadable, parse_unreadable, unreadable_of
from raidtui.model.errors import BadInput


@pytest.mark.parametrize(
    ("model", "per_bit", "kind"),
    [
        ("ST4000DM004-2CV104", 1e-14, "desktop"),
        ("ST2000LM015-2E8174", 1e-14, "desktop"),
        ("WDC WD40EZRZ-00GXCB0", 1e-14, "desktop"),
        ("WDC WD10PURX-64E5EY0", 1e-14, "desktop"),
        ("TOSHIBA DT01ACA300", 1e-14, "desktop"),
        ("TOSHIBA HDWD240", 1e-14, "desktop"),
        ("TOSHIBA HDWR480", 1e-14, "desktop"),
        ("TOSHIBA MQ04ABF100", 1e-14, "desktop"),
        ("ST2000DX002-2DV164", 1e-14, "desktop"),
        ("ST500LT012-1DG142", 1e-14, "desktop"),
        ("ST31000528AS", 1e-14, "desktop"),
        ("APPLE HDD ST1000DM003", 1e-14, "desktop"),
        ("WDC WD5000AAKX-00ERMA0", 1e-14, "desktop"),
        ("WDC WD10JPVX-22JC3T0", 1e-14, "desktop"),
        ("WDC WD102KFBX-68M95N0", 1e-14, "NAS"),
        ("WDC WD40EFRX-68N32N0", 1e-14, "NAS"),
        ("WDC WD80EFZX-68UW8N0", 1e-14, "NAS"),
        ("TOSHIBA HDWG480", 1e-14, "NAS"),
        ("ST8000VN004-2M2101", 1e-15, "NAS"),
        ("ST16000NM001G-2KK103", 1e-15, "server"),
        ("WDC  WUH721818ALE6L4", 1e-15, "server"),
        ("HGST HUH721212ALE604", 1e-15, "server"),
        ("WDC WD4003FRYZ-01F0DB0", 1e-15, "server"),
        ("TOSHIBA MG08ACA16TE", 1e-15, "server"),
        ("a disk of nobody", 1e-15, "server"),
    ],
)
def test_families_have_the_bound_of_their_data_sheets(model: str, per_bit: float, kind: str) -> None:
    found = unreadable_of(model)

    assert found.per_bit == per_bit
    assert f"of {kind} drives" in found.source


@pytest.mark.parametrize(
    ("model", "per_bit"),
    [
        ("Samsung SSD 870 EVO 2TB", 1e-15),
        ("CT1000MX500SSD1", 1e-15),
        ("SAMSUNG MZ7L3960HCJR-00A07", 1e-16),
        ("INTEL SSDSC2KB960G8", 1e-16),
        ("Micron_5300_MTFDDAK960TDS", 1e-16),
        ("KIOXIA KCD61LUL1T92", 1e-16),
    ],
)
def test_flash_follows_its_standard(model: str, per_bit: float) -> None:
    assert unreadable_of(model, rotational=False).per_bit == per_bit


def test_a_mixed_array_lies_between() -> None:
    mean = mean_unreadable([unreadable_of("ST4000DM004"), unreadable_of("ST4000NM0035")])

    assert mean.per_bit == pytest.approx(5.5e-15)
    assert mean.source == "data sheets of desktop drives and data sheets of server drives"


def test_without_a_model_it_is_what_the_risk_assumes() -> None:
    assert unreadable_of().per_bit == RiskInputs().unreadable_per_bit
    assert unreadable_of().source == RiskInputs().unreadable_source


def test_a_rate_is_written_either_way() -> None:
    assert parse_unreadable("1e-14") == parse_unreadable(" 1e14 ") == 1e-14


@pytest.mark.parametrize("text", ["", "often", "0", "-1e-14", "0.5", "nan", "inf"])
def test_what_is_not_a_rate_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not a rate of unreadable sectors"):
        parse_unreadable(text)
