"""Which level is recommended for which disks, and with what reason."""

import pytest
from msgspec.structs import replace

from raidtui.advice.recommend import recommend
from raidtui.advice.report import Question, all_reports, one_report
from raidtui.advice.risk import RiskInputs
from raidtui.backends.arithmetic.survival import MOST_COUNTED
from raidtui.model.spec import Backend
from raidtui.ui.widgets.bars import parts_bar

TB = 10**12


def of_md(question: Question) -> tuple[str, str, str]:
    found = recommend(all_reports(question, [Backend.MDADM]))
    assert found
    return f"{found.level} {found.layout}".strip(), found.because, found.otherwise


@pytest.mark.parametrize(
    ("disks", "level"),
    [
        (2, "raid1"),
        (3, "raid5"),
        (4, "raid5"),
        (5, "raid6"),
        (24, "raid6"),
        (256, "raid6"),
        (257, "raid10 n3"),
    ],
)
def test_the_usual_level_for_a_number_of_disks(disks: int, level: str) -> None:
    name, because, otherwise = of_md(Question(sizes=(4 * TB,) * disks))

    assert name == level
    assert because.endswith(".")
    assert otherwise.endswith(".")


def test_where_raid5_is_too_risky_raid6_is_recommended_and_the_risk_is_the_reason() -> None:
    risky = Question(sizes=(20 * TB,) * 4, inputs=RiskInputs(afr=0.08))

    name, because, otherwise = of_md(risky)

    assert name == "raid6"
    assert because.startswith("with RAID5 the chance of losing data over 5 years is 1 in ")
    assert "RAID5 for more space" in otherwise
    assert of_md(replace(risky, sizes=risky.sizes[:3]))[0] == "raid1"


def test_other_backends_are_not_recommended() -> None:
    assert recommend(all_reports(Question(sizes=(4 * TB,) * 4), [Backend.ZFS, Backend.BTRFS])) is None


def test_of_many_disks_an_upper_bound_is_marked_as_one() -> None:
    exact = one_report(Backend.MDADM, "raid10", Question(sizes=(4 * TB,) * 24)).risk
    bound = one_report(Backend.MDADM, "raid1", Question(sizes=(4 * TB,) * 1900)).risk

    assert exact
    assert bound
    assert exact.upper_bounds == ()
    assert exact.words.startswith("about 1 in ")
    assert "3" in bound.upper_bounds
    assert bound.words.startswith("at most 1 in ")
    assert MOST_COUNTED < 1899  # what is counted is less than what the mirrors survive


@pytest.mark.parametrize(
    ("shares", "bar"),
    [
        ((1, 0, 0), "##########"),
        ((3, 1, 0), "########=="),
        ((0.5, 0.3, 0.2), "#####===.."),
        ((96, 2, 2), "########=."),  # what is more than a hundredth is seen
        ((999, 1, 0), "##########"),
    ],
)
def test_a_bar_of_parts_is_as_wide_as_asked_for(shares: tuple[float, ...], bar: str) -> None:
    assert parts_bar(shares, "#=.", 10) == bar
