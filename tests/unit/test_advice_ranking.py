"""Which layout comes first for whom, and what a change of disks or habits changes."""

import pytest
from msgspec.structs import replace

from raidtui.advice.ranking import Wish, five_year_loss, mean_speed, ranked
from raidtui.advice.report import Question, Report, all_reports, one_report
from raidtui.advice.risk import RiskInputs
from raidtui.advice.what_if import Change, change_words, changed, hours, with_inputs
from raidtui.model.errors import CannotBuild
from raidtui.model.spec import Backend

TB = 10**12
FOUR = Question(sizes=(4 * TB,) * 4)


def of_md(question: Question) -> tuple[Report, ...]:
    return tuple(all_reports(question, [Backend.MDADM]))


def names(reports: tuple[Report, ...]) -> list[str]:
    return [f"{one.level} {one.layout}" if one.level == "raid10" else one.level for one in reports]


def test_space_puts_what_holds_most_first_and_what_is_refused_last() -> None:
    found = ranked(of_md(replace(FOUR, sizes=FOUR.sizes[:3])), Wish.SPACE)
    assert names(found)[:2] == ["linear", "raid0"]
    assert [one.level for one in found if one.refused] == [found[-1].level] == ["raid6"]


def test_safety_puts_the_least_chance_of_loss_first() -> None:
    found = ranked(of_md(FOUR), Wish.SAFETY)
    assert names(found)[0] == "raid1"
    assert names(found)[-1] in {"raid0", "linear"}
    losses = [five_year_loss(one) for one in found]
    assert losses == sorted(losses)


def test_speed_lets_no_factor_make_up_for_another() -> None:
    found = ranked(of_md(FOUR), Wish.SPEED)
    assert names(found)[0] == "raid0"
    assert names(found).index("raid10 f2") < names(found).index("raid5") < names(found).index("raid6")
    assert found[0].ideal
    assert mean_speed(found[0].ideal) == pytest.approx(4)


def test_without_a_wish_the_levels_stay_in_their_order() -> None:
    assert ranked(of_md(FOUR), Wish.LEVEL) == of_md(FOUR)


def test_one_more_disk_is_like_the_largest_and_a_bigger_one_takes_the_smallests_place() -> None:
    question = replace(FOUR, sizes=(4 * TB, 2 * TB, 8 * TB))
    assert changed(question, Change.MORE).sizes == (4 * TB, 2 * TB, 8 * TB, 8 * TB)
    assert changed(question, Change.BIGGER).sizes == (4 * TB, 4 * TB, 8 * TB)
    assert changed(question, Change.NOTHING) == question
    assert "2.00 TB" in change_words(question, Change.BIGGER)


def test_a_spare_on_the_shelf_shortens_the_repair_and_lowers_the_risk_and_nothing_else() -> None:
    before = one_report(Backend.MDADM, "raid5", FOUR)
    after = one_report(Backend.MDADM, "raid5", changed(FOUR, Change.SHELF))
    assert before.risk
    assert after.risk
    assert after.risk.inputs.repair_hours < before.risk.inputs.repair_hours / 4
    assert five_year_loss(after) < five_year_loss(before) / 2
    assert after.usable_bytes == before.usable_bytes


def test_a_hot_spare_takes_over_at_once() -> None:
    after = one_report(Backend.MDADM, "raid5", changed(FOUR, Change.HOT))
    assert len(after.spares) == 1
    assert after.risk
    assert after.risk.inputs.notice_hours == after.risk.inputs.obtain_hours == 0


def test_inputs_say_who_gave_the_rate() -> None:
    given = with_inputs(RiskInputs(), afr=0.03, notice_hours=1, obtain_hours=2)
    assert (given.afr, given.afr_source, given.obtain_hours) == (0.03, "entered by you", 2)
    assert with_inputs(
        RiskInputs(), afr=RiskInputs().afr, notice_hours=1, obtain_hours=2
    ).afr_source.startswith("Backblaze")


@pytest.mark.parametrize("text", ["", "soon", "-1", "nan", "1e9"])
def test_hours_that_are_none_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(CannotBuild, match="write hours"):
        hours(text, "a time to notice")
