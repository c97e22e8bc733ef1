"""A virtual drive in the lab grows, or gets another level, with the simulated tools of both families; files stay the same."""

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.units import MIB
from tests.kernel.card_guest import DRIVES, SIZE, Family, change, put, state_of, with_card
from tests.kernel.driving import (
    JOBS,
    apply,
    kill_everywhere,
    killed,
    prepare,
    raidtui,
    spec_text,
    write_something,
)
from tests.kernel.test_adaptec import ADAPTEC
from tests.kernel.test_card import MEGARAID
from tests.kernel.test_card_care import read_again, unit

KEPT = {"megaraid": 0, "adaptec": MIB}


def build(card: Guest, family: Family, level: str, count: int) -> str:
    spec = spec_text(level, DRIVES[:count], backend=family.backend, partition=False)
    done = apply(card, spec, DRIVES[:count])
    assert done.code == 0, done.stderr
    card.shell(f"rm -rf {JOBS}/*")
    if family is ADAPTEC:
        state = state_of(card)
        state["volumes"]["0"]["built"] = 100
        put(card, state)
    return write_something(card)


@pytest.mark.first(0)
@pytest.mark.parametrize("family", [MEGARAID, ADAPTEC], ids=["megaraid", "adaptec"])
def test_a_drive_joins_and_the_filesystem_gets_the_space(guest: Guest, family: Family) -> None:
    with with_card(guest, family) as card:
        written = build(card, family, "raid5", 3)
        name = unit(card, family)["name"]
        table = card.run(["raidtui", "grow", name], check=True).stdout
        assert f"raidtui grow {name} --add {DRIVES[3]} --erase {DRIVES[3]}" in table
        assert f"raidtui grow {name} --add {DRIVES[3]} --level raid6 --erase {DRIVES[3]}" in table
        before = int(card.shell("df -B1 --output=size /srv/tank | tail -1").stdout)
        refused = raidtui(card, "grow", name, "--add", DRIVES[3], "--json")
        assert refused.code == 3, refused.stderr  # not named for erasing
        change(card, seconds=1000)
        job = prepare(card, "grow", name, "--add", DRIVES[3], "--erase", DRIVES[3])
        assert killed(card, "step", "wait", "job", "run", job["folder"])
        assert unit(card, family)["activity"]["what"] == "migration"
        change(card, seconds=1)
        done = raidtui(card, "resume", job["request"]["id"], "--json")
        assert done.code == 0, done.stderr
        found = unit(card, family)
        assert (found["health"], found["level"], len(found["members"])) == ("ok", "raid5", 4)
        assert found["size_bytes"] == 3 * SIZE - KEPT[family.backend]
        assert int(card.shell("df -B1 --output=size /srv/tank | tail -1").stdout) > before + SIZE * 0.9
        assert read_again(card) == written


@pytest.mark.first(0)
@pytest.mark.parametrize("family", [MEGARAID, ADAPTEC], ids=["megaraid", "adaptec"])
def test_another_level_is_reached_though_the_job_is_killed_at_every_step(
    guest: Guest, family: Family
) -> None:
    with with_card(guest, family) as card:
        written = build(card, family, "raid1", 2)
        name = unit(card, family)["name"]
        change(card, seconds=2)
        more = DRIVES[2]
        kill_everywhere(card, prepare(card, "grow", name, "--add", more, "--level", "raid5", "--erase", more))
        found = unit(card, family)
        assert (found["health"], found["level"], len(found["members"])) == ("ok", "raid5", 3)
        assert found["size_bytes"] == 2 * SIZE - KEPT[family.backend]
        assert read_again(card) == written


@pytest.mark.first(0)
def test_what_the_tool_would_refuse_is_refused_before_and_a_card_that_refuses_changes_nothing(
    guest: Guest,
) -> None:
    with with_card(guest, MEGARAID) as card:
        written = build(card, MEGARAID, "raid5", 3)
        name = unit(card)["name"]
        for words, why in (
            (["--add", DRIVES[3], "--level", "raid0"], "cannot become RAID0"),
            (["--size", "max"], "is not enlarged within its drives"),
        ):
            done = raidtui(card, "grow", name, *words, "--erase", DRIVES[3])
            assert (done.code, why in done.stderr) == (3, True), done.stderr
        job = prepare(card, "grow", name, "--add", DRIVES[3], "--erase", DRIVES[3])
        state = state_of(card)
        put(card, state | {"busy": 99})
        done = raidtui(card, "resume", job["request"]["id"], "--json")
        assert done.code == 4, done.stderr
        after = state_of(card)
        assert [one["slots"] for one in after["volumes"].values()] == [
            one["slots"] for one in state["volumes"].values()
        ]
        assert read_again(card) == written
