"""Risk: published and calculated figures, a simulation, and the full chain over every set of failed disks."""

import math
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.risk import (
    HOURS_A_YEAR,
    RiskInputs,
    failure_rate,
    loss_probability,
    risk_of,
    risk_words,
    some_failure,
    unreadable_blocks,
    unreadable_probability,
)
from raidtui.backends.arithmetic.copies import copy_groups
from raidtui.backends.arithmetic.disks import read_in_rebuild
from raidtui.backends.arithmetic.survival import all_survive, surviving_sets
from raidtui.model.chance import one_in, percent

# (level, disks, layout): P(loss) in 1 and 5 years for T = 24, 48 and 72 h at 1.5 % a year. Calculated with an
# independent program from the same chain.
CHAIN = {
    ("raid1", 2, ""): ((1.248e-6, 6.254e-6), (2.489e-6, 1.250e-5), (3.723e-6, 1.874e-5)),
    ("raid5", 3, ""): ((3.744e-6, 1.876e-5), (7.466e-6, 3.749e-5), (1.117e-5, 5.619e-5)),
    ("raid5", 4, ""): ((7.487e-6, 3.752e-5), (1.493e-5, 7.497e-5), (2.232e-5, 1.124e-4)),
    ("raid5", 8, ""): ((3.493e-5, 1.750e-4), (6.962e-5, 3.496e-4), (1.041e-4, 5.237e-4)),
    ("raid6", 4, ""): ((3.096e-10, 1.553e-9), (1.233e-9, 6.206e-9), (2.762e-9, 1.395e-8)),
    ("raid6", 6, ""): ((1.548e-9, 7.765e-9), (6.164e-9, 3.102e-8), (1.381e-8, 6.972e-8)),
    ("raid6", 8, ""): ((4.334e-9, 2.174e-8), (1.725e-8, 8.685e-8), (3.865e-8, 1.952e-7)),
    ("raid10", 4, "n2"): ((2.496e-6, 1.251e-5), (4.978e-6, 2.500e-5), (7.445e-6, 3.747e-5)),
}


@pytest.mark.parametrize("array", CHAIN)
@pytest.mark.parametrize(("place", "hours"), [(0, 24), (1, 48), (2, 72)])
def test_the_chain(array: tuple[str, int, str], place: int, hours: int) -> None:
    level, disks, layout = array

    found = loss_probability(surviving_sets(level, disks, layout), disks, afr=0.015, repair_hours=hours)

    assert found == pytest.approx(CHAIN[array][place], rel=5e-4)


@pytest.mark.parametrize(
    ("level", "disks", "losses"),
    [("raid5", 4, (1.493e-5, 4.476e-5, 1.489e-4)), ("raid6", 6, (6.16e-9, 5.55e-8, 6.15e-7))],
)
def test_correlation_while_degraded(level: str, disks: int, losses: tuple[float, ...]) -> None:
    found = [
        loss_probability(surviving_sets(level, disks), disks, afr=0.015, repair_hours=48, correlation=factor)[
            0
        ]
        for factor in (1, 3, 10)
    ]

    assert found == pytest.approx(losses, rel=2e-3)


@pytest.mark.parametrize(("hours", "loss"), [(15, 4.685e-6), (183, 5.594e-5), (351, 1.050e-4)])
def test_waiting_for_a_disk_is_most_of_the_risk(hours: float, loss: float) -> None:
    assert loss_probability(surviving_sets("raid5", 4), 4, afr=0.015, repair_hours=hours)[0] == pytest.approx(
        loss, rel=2e-3
    )


@pytest.mark.parametrize(
    ("group", "groups", "hours"),
    [
        # Patterson, Gibson, Katz, SIGMOD 1988: disks of 30,000 h, repaired in 1 h, 100 data disks
        (2, 100, 4_500_000),
        (11, 10, 818_182),
        (26, 4, 346_154),
    ],
)
def test_the_first_paper_on_raid(group: int, groups: int, hours: float) -> None:
    afr = -math.expm1(-HOURS_A_YEAR / 30_000)

    one = loss_probability(surviving_sets("raid5", group), group, afr=afr, repair_hours=1.0, years=(1,))[0]
    loss = 1 - (1 - one) ** groups

    assert -HOURS_A_YEAR / math.log1p(-loss) == pytest.approx(hours, rel=0.01)


@pytest.mark.parametrize(
    ("level", "disks", "mean"),
    [
        # mean times to loss for disks of 1,000,000 h repaired in 24 h: ((2n-1)λ+μ)/(n(n-1)λ²) and its like
        ("raid1", 2, 2.08348333e10),
        ("raid5", 4, 3.47281e9),
        ("raid5", 8, 744_315_476),
        ("raid6", 6, 2.89407e13),
    ],
)
def test_mean_times_to_loss(level: str, disks: int, mean: float) -> None:
    afr = -math.expm1(-HOURS_A_YEAR / 1e6)
    one, two = loss_probability(surviving_sets(level, disks), disks, afr=afr, repair_hours=24, years=(1, 2))

    # between the first and the second year the chain has settled
    assert HOURS_A_YEAR / math.log((1 - one) / (1 - two)) == pytest.approx(mean, rel=2e-3)


def test_without_redundancy_the_first_failure_is_the_loss() -> None:
    found = loss_probability(surviving_sets("raid0", 4), 4, afr=0.015, repair_hours=48)

    assert found == pytest.approx((1 - 0.985**4, 1 - 0.985**20), rel=1e-12)
    assert found[0] == pytest.approx(0.05866, rel=1e-3)


@pytest.mark.parametrize("layout", ["n2", "n3", "n4", "n6", "f2", "f3", "o2"])
@pytest.mark.parametrize("disks", [4, 5, 6, 7, 8, 9])
def test_sets_that_survive_are_those_that_hold_no_group(layout: str, disks: int) -> None:
    if int(layout[1:]) > disks:
        return
    groups = copy_groups(layout, disks)
    counted = [
        sum(
            not any(group <= set(failed) for group in groups) for failed in combinations(range(disks), number)
        )
        for number in range(disks + 1)
    ]

    while counted[-1] == 0:
        counted.pop()
    assert surviving_sets("raid10", disks, layout) == tuple(counted)


def simulated(level: str, disks: int, layout: str, afr: float, hours: float, trials: int) -> float:
    """Monte Carlo: each disk fails and is repaired on its own; exponential repairs as in the chain."""
    draw, rate = random.Random(1), failure_rate(afr)
    guaranteed = {"raid5": 1, "raid6": 2}.get(level)
    groups = copy_groups(layout, disks) if level == "raid10" else frozenset()
    lost = 0
    for _ in range(trials):
        now, failed = 0.0, set[int]()
        while True:
            rates = (disks - len(failed)) * rate, len(failed) / hours
            now += draw.expovariate(sum(rates))
            if now > HOURS_A_YEAR:
                break
            if draw.random() * sum(rates) < rates[0]:
                failed.add(draw.choice([disk for disk in range(disks) if disk not in failed]))
                dead = any(group <= failed for group in groups) if groups else len(failed) > (guaranteed or 0)
                if dead:
                    lost += 1
                    break
            else:
                failed.remove(draw.choice(sorted(failed)))
    return lost / trials


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "disks", "layout"),
    [("raid5", 4, ""), ("raid10", 4, "n2"), ("raid10", 4, "f2"), ("raid10", 5, "n2"), ("raid6", 8, "")],
)
def test_a_simulation_agrees(level: str, disks: int, layout: str) -> None:
    trials = 20_000
    chain = loss_probability(surviving_sets(level, disks, layout), disks, afr=0.30, repair_hours=240)[0]

    found = simulated(level, disks, layout, 0.30, 240, trials)

    assert abs(found - chain) < 4 * math.sqrt(chain / trials) + 1e-4


def simulated_without_error_recovery(
    level: str,
    disks: int,
    layout: str,
    afr: float,
    hours: float,
    hit: float,
    years: int,
    trials: int,
    width: int = 0,
) -> float:
    """Monte Carlo of disks that are dropped for a bad sector: disk by disk, every read of a rebuild drawn.

    ``hit`` is the chance that reading one whole disk meets a bad sector. A rebuild ends at the first. ``width``: the
    disks are consecutive groups of this level, and losing any loses the data.
    """
    wide = width or disks
    draw, rate = random.Random(2), failure_rate(afr)
    spare = {"raid5": 1, "raid6": 2, "raid1": disks - 1}.get(level, 0)
    groups = copy_groups(layout, disks) if level == "raid10" else frozenset()

    def within(disk: int) -> set[int]:
        return set(range(disk // wide * wide, disk // wide * wide + wide))

    def dead(failed: set[int]) -> bool:
        if groups:
            return any(group <= failed for group in groups)
        return any(len(failed & within(disk)) > spare for disk in failed)

    def read_by(rebuilt: int, failed: set[int]) -> list[int]:
        left = [disk for disk in within(rebuilt) if disk not in failed]
        if level == "raid10":
            partners = {disk for group in groups if rebuilt in group for disk in group}
            left = [disk for disk in left if disk in partners]
        return [draw.choice(left)] if level in {"raid1", "raid10"} else left

    lost = 0
    for _ in range(trials):
        now, failed = 0.0, set[int]()
        while True:
            fails, repairs = (disks - len(failed)) * rate, len(failed) / hours
            now += draw.expovariate(fails + repairs)
            if now > years * HOURS_A_YEAR:
                break
            if draw.random() * (fails + repairs) < fails:
                failed.add(draw.choice([disk for disk in range(disks) if disk not in failed]))
            else:
                rebuilt = draw.choice(sorted(failed))
                hits = [disk for disk in read_by(rebuilt, failed) if draw.random() < hit]
                if hits:
                    failed.add(draw.choice(hits))
                else:
                    failed.remove(rebuilt)
            if dead(failed):
                lost += 1
                break
    return lost / trials


@pytest.mark.slow
@pytest.mark.parametrize("per_bit", [1e-15, 1e-14])
@pytest.mark.parametrize(
    ("level", "disks", "layout", "years"),
    [
        ("raid6", 8, "", 30),
        ("raid6", 4, "", 100),
        ("raid5", 4, "", 20),
        ("raid1", 3, "", 400),
        ("raid10", 6, "n3", 200),
        ("raid10", 4, "n2", 30),
    ],
)
def test_a_simulation_agrees_without_error_recovery_control(
    level: str, disks: int, layout: str, years: int, per_bit: float
) -> None:
    size, hours, trials = 4 * 10**12, 192.0, 2500
    sets = surviving_sets(level, disks, layout)
    inputs = RiskInputs(repair_hours=hours, unreadable_per_bit=per_bit)
    risk = risk_of(
        sets,
        disks,
        read_in_rebuild(level, disks, size),
        inputs,
        parity={"raid5": 1, "raid6": 2}.get(level, 0),
    )

    found = simulated_without_error_recovery(
        level, disks, layout, inputs.afr, hours, unreadable_probability(size, per_bit), years, trials
    )

    chain = 1 - (1 - risk.timeout_loss_probability_1y) ** years
    assert abs(found - chain) < 4 * math.sqrt(chain * (1 - chain) / trials) + 0.05 * chain


GROUPS = {
    # Two failed disks are mostly in different groups, where a bad sector loses nothing.
    "raidz2 10x6": ("raid6", 60, "", 6, 20),
    "raid60 10x4": ("raid6", 40, "", 4, 40),
    "raid10 n3 of 30": ("raid10", 30, "n3", 0, 60),
    "raid50 5x4": ("raid5", 20, "", 4, 5),
    "raid10 n2 of 20": ("raid10", 20, "n2", 0, 8),
}


@pytest.mark.slow
@pytest.mark.parametrize("per_bit", [1e-15, 1e-14])
@pytest.mark.parametrize("pool", GROUPS)
def test_a_simulation_of_groups_agrees_without_error_recovery_control(pool: str, per_bit: float) -> None:
    level, disks, layout, width, years = GROUPS[pool]
    size, hours, trials = 4 * 10**12, 192.0, 1500
    sets = (
        all_survive(surviving_sets(level, width), disks // width)
        if width
        else surviving_sets(level, disks, layout)
    )
    inputs = RiskInputs(repair_hours=hours, unreadable_per_bit=per_bit)
    risk = risk_of(
        sets,
        disks,
        read_in_rebuild(level, width or disks, size),
        inputs,
        parity={"raid5": 1, "raid6": 2}.get(level, 0),
        width=width or disks,
    )

    found = simulated_without_error_recovery(
        level, disks, layout, inputs.afr, hours, unreadable_probability(size, per_bit), years, trials, width
    )

    chain = 1 - (1 - risk.timeout_loss_probability_1y) ** years
    assert not risk.timeout_is_bound
    assert abs(found - chain) < 4 * math.sqrt(chain * (1 - chain) / trials) + 0.05 * chain


@pytest.mark.parametrize(("disks", "layout"), [(31, "n3"), (10, "f3"), (8, "o3")])
def test_copies_that_overlap_are_called_a_bound_and_are_one(disks: int, layout: str) -> None:
    size, hours, years, trials = 4 * 10**12, 192.0, 100, 400
    inputs = RiskInputs(repair_hours=hours, unreadable_per_bit=1e-14)
    risk = risk_of(
        surviving_sets("raid10", disks, layout), disks, read_in_rebuild("raid10", disks, size), inputs
    )

    found = simulated_without_error_recovery(
        "raid10", disks, layout, inputs.afr, hours, unreadable_probability(size, 1e-14), years, trials
    )

    chain = 1 - (1 - risk.timeout_loss_probability_1y) ** years
    assert risk.timeout_is_bound
    assert found < chain + 4 * math.sqrt(chain * (1 - chain) / trials)


@given(
    level=st.sampled_from(["raid5", "raid6"]),
    width=st.integers(4, 12),
    groups=st.integers(1, 20),
    per_bit=st.sampled_from([1e-16, 1e-15, 1e-14]),
)
def test_groups_are_as_likely_to_be_lost_as_that_many_alone(
    level: str, width: int, groups: int, per_bit: float
) -> None:
    inputs = RiskInputs(repair_hours=192.0, unreadable_per_bit=per_bit)
    sets, parity = surviving_sets(level, width), 1 if level == "raid5" else 2
    reading = read_in_rebuild(level, width, 10**13)

    alone = risk_of(sets, width, reading, inputs, parity=parity)
    pool = risk_of(all_survive(sets, groups), width * groups, reading, inputs, parity=parity, width=width)

    none_lost = (1 - alone.timeout_loss_probability_1y) ** groups
    assert pool.timeout_loss_probability_1y == pytest.approx(1 - none_lost, rel=1e-6)


def test_a_bad_sector_costs_a_disk_in_every_rebuild() -> None:
    sets, size = surviving_sets("raid6", 8), 4 * 10**12

    risk = risk_of(sets, 8, read_in_rebuild("raid6", 8, size), RiskInputs(repair_hours=192), parity=2)

    # An independent Monte Carlo, which counts a rebuild of two disks as one: 0.43 % a year.
    assert risk.timeout_loss_probability_1y == pytest.approx(0.0043, rel=0.2)


def over_every_set(layout: str, disks: int, afr: float, hours: float) -> float:
    """Loss in a year from the chain whose states are the sets of failed disks themselves (small time steps)."""
    groups, rate = copy_groups(layout, disks), failure_rate(afr)
    alive = [
        frozenset(failed)
        for number in range(disks)
        for failed in combinations(range(disks), number)
        if not any(group <= set(failed) for group in groups)
    ]
    step = hours / 20
    chances = dict.fromkeys(alive, 0.0)
    chances[frozenset()] = 1.0
    for _ in range(round(HOURS_A_YEAR / step)):
        after = dict.fromkeys(alive, 0.0)
        for failed, chance in chances.items():
            stay = chance
            for disk in range(disks):
                flow = chance * step * (1 / hours if disk in failed else rate)
                to = failed ^ {disk}
                stay -= flow
                if to in after:
                    after[to] += flow
            after[failed] += stay
        chances = after
    return 1 - sum(chances.values())


@pytest.mark.parametrize(("layout", "disks"), [("n2", 5), ("f2", 6), ("f3", 6), ("n3", 5)])
def test_equally_likely_sets_come_close_to_the_chain_over_every_set(layout: str, disks: int) -> None:
    afr, hours = 0.05, 200.0

    lumped = loss_probability(
        surviving_sets("raid10", disks, layout), disks, afr=afr, repair_hours=hours, years=(1,)
    )[0]

    assert lumped == pytest.approx(over_every_set(layout, disks, afr, hours), rel=0.02)


def test_small_numbers_keep_their_digits() -> None:
    # rare-event formula for triple parity of 8 disks is out of md's levels; three-way mirrors are not
    rate = failure_rate(0.015)
    found = loss_probability(surviving_sets("raid1", 3), 3, afr=0.015, repair_hours=10, years=(1,))[0]

    assert found == pytest.approx(6 * rate**3 * 100 / 2 * HOURS_A_YEAR, rel=0.01)


@pytest.mark.parametrize(
    ("size", "per_bit", "chance"),
    [
        (3e12, 1e-14, 0.2134),
        (12e12, 1e-14, 0.6171),
        (24e12, 1e-14, 0.8534),
        (24e12, 1e-15, 0.1747),
        (60e12, 1e-15, 0.3812),
        (140e12, 1e-15, 0.6737),
    ],
)
def test_unreadable_sectors_as_data_sheets_bound_them(size: float, per_bit: float, chance: float) -> None:
    assert unreadable_probability(size, per_bit) == pytest.approx(chance, abs=1e-4)


def test_a_rebuild_of_four_large_disks_expects_a_fifth_of_a_block() -> None:
    assert unreadable_blocks(3 * 8e12, 1e-15) == pytest.approx(0.192)


def test_some_disk_fails_far_more_often_than_data_is_lost() -> None:
    assert some_failure(4, 0.015) == pytest.approx(0.0587, abs=1e-4)
    assert some_failure(8, 0.015) == pytest.approx(0.114, abs=1e-3)


def test_everything_about_one_array() -> None:
    risk = risk_of(surviving_sets("raid5", 4), 4, 3 * 8 * 10**12, RiskInputs(rebuild_hours=15))

    assert risk.inputs.repair_hours == 24 + 168 + 15
    assert set(risk.loss_probability_1y) == set(risk.loss_probability_5y) == {"1", "3", "10"}
    assert risk.loss_probability_1y["1"] < risk.loss_probability_1y["3"] < risk.loss_probability_1y["10"]
    assert risk.unreadable_blocks == pytest.approx(0.192)
    assert risk.timeout_loss_probability_1y > 100 * risk.loss_probability_1y["1"]


def test_a_second_parity_makes_bad_sectors_matter_less() -> None:
    inputs = RiskInputs(repair_hours=48)

    one = risk_of(surviving_sets("raid5", 5), 5, read_in_rebuild("raid5", 5, 8 * 10**12), inputs, parity=1)
    two = risk_of(surviving_sets("raid6", 6), 6, read_in_rebuild("raid6", 6, 8 * 10**12), inputs, parity=2)

    # Where a bad sector costs its disk, RAID6 needs two of them; where it does not, two more disks must fail.
    assert two.timeout_loss_probability_1y < one.timeout_loss_probability_1y / 2
    assert two.loss_probability_1y["1"] < one.loss_probability_1y["1"] / 100


def test_a_chosen_repair_time_takes_the_place_of_the_sum() -> None:
    assert risk_of((1, 2), 2, 10**12, RiskInputs(repair_hours=48)).loss_probability_1y["1"] == pytest.approx(
        2.489e-6, rel=1e-3
    )


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0, "<1 in 100,000"),
        (9.9e-6, "<1 in 100,000"),
        (1e-5, "1 in 100,000"),
        (1.05e-5, "1 in 100,000"),
        (1.95e-4, "1 in 5,000"),
        (8.2e-4, "1 in 1,200"),
        (1 / 999.9, "1 in 1,000"),
        (1 / 430, "1 in 400"),
        (1 / 43, "1 in 43"),
        (1 / 99.7, "1 in 100"),
        (0.148, "1 in 7"),
        (0.2, "1 in 5"),
        (2 / 7, "2 in 7"),
        (0.35, "1 in 3"),
        (0.4, "2 in 5"),
        (0.48, "1 in 2"),
        (0.6, "3 in 5"),
        (0.68, "2 in 3"),
        (0.9, "9 in 10"),
        (0.99, ">9 in 10"),
        (1, ">9 in 10"),
    ],
)
def test_a_chance_as_one_in_many(probability: float, words: str) -> None:
    assert one_in(probability) == words


def test_a_chance_in_words_is_never_further_off_than_its_rounding() -> None:
    for step in range(1, 500):
        probability = 0.95 * 0.978**step
        if probability >= 1e-5:
            few, many = map(int, one_in(probability).replace(",", "").split("in"))
            assert few / many == pytest.approx(probability, rel=0.16)


def test_the_risk_in_words_is_of_five_years() -> None:
    risk = risk_of((1, 4), 4, 3 * 8 * 10**12, RiskInputs(repair_hours=200))

    assert risk.words == f"about {one_in(risk.loss_probability_5y['3'])} over 5 years"
    assert risk_words(2e-4) == "about 1 in 5,000 over 5 years"
    assert risk_words(1e-9) == "less than 1 in 100,000 over 5 years"


def test_percentages() -> None:
    assert [percent(p) for p in (0, 0.5, 0.0587, 0.00132, 0.000056)] == [
        "0 %",
        "50 %",
        "5.9 %",
        "0.13 %",
        "0.0056 %",
    ]


def test_a_spare_and_tiny_disks_are_repaired_within_a_minute() -> None:
    inputs = RiskInputs(notice_hours=0, obtain_hours=0, rebuild_hours=0)

    risk = risk_of((1, 3), 3, 2**30, inputs)

    assert risk.inputs.repair_hours == pytest.approx(1 / 60)
    assert 0 < risk.loss_probability_1y["1"] < 1e-8
