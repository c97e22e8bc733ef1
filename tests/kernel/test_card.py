"""A MegaRAID card in the lab: a simulated storcli over real block devices, from bare drives to a benchmark and back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from raidtui.lab.guest import Guest
from tests.kernel import card_guest
from tests.kernel.card_guest import DRIVES, SIZE, Family, change, state_of, with_card
from tests.kernel.driving import (
    apply,
    bench,
    inspect,
    killed,
    prepare_build,
    raidtui,
    read_something,
    spec_text,
    teardown,
    unit,
    write_something,
)

QUICK: Final = Path(__file__).with_name("quick.toml")  # the guest has the same folders
MEGARAID: Final = Family(
    backend="megaraid",
    driver="megaraid_sas",
    vendor="0x1000",
    device="0x005b",
    board="0x9273",
    tool="storcli64",
    simulator="tests.kernel.storcli",
    names='ENV{ID_WWN}="0x%c", ENV{ID_SERIAL_SHORT}="%c", ENV{ID_MODEL}="SIMULATED_VD", SYMLINK+="disk/by-id/wwn-0x%c"',
    enclosure="252",
    free="UGood",
    well="Optimal",
    foreign={"dg": "F"},
    first=239,
)


@pytest.fixture
def card(guest: Guest) -> Iterator[Guest]:
    """The guest with four of its disks behind a card."""
    with with_card(guest, MEGARAID) as card:
        yield card


def spec(level: str, drives: list[str], **options: Any) -> str:
    return spec_text(level, drives, backend="megaraid", partition=False, **options)


def volume(guest: Guest) -> dict[str, Any] | None:
    """The one virtual drive as raidtui shows it."""
    return card_guest.volume(guest, MEGARAID)


def test_a_virtual_drive_is_built_holds_data_is_measured_and_deleted(card: Guest) -> None:
    before = inspect(card)
    assert [one["slot"] for one in before["disks"] if not one["path"]] == [f"252:{n}" for n in range(4)]
    built = apply(card, spec("raid5", DRIVES[:3], spares=DRIVES[3:]), DRIVES)
    assert built.code == 0, built.stderr
    found = volume(card)
    assert found is not None
    assert (found["level"], found["size_bytes"], found["mountpoints"]) == ("raid5", 2 * SIZE, ["/srv/tank"])
    assert sorted(one["disk"] for one in found["members"]) == DRIVES
    drives = state_of(card)["drives"]
    assert [drives[f"252:{n}"]["state"] for n in range(4)] == ["Onln", "Onln", "Onln", "DHS"]
    written = write_something(card)
    assert read_something(card) == written

    measured = bench(card, "/srv/tank", "--json", "--size", "16MiB", "--seconds", "1", "--runs", "1")
    assert measured.returncode == 0, measured.stderr
    context = json.loads(measured.stdout)["context"]
    assert context["card"].startswith(
        "Simulated MegaRAID, firmware 1.2.3, cache 875 MiB, CacheVault Optimal, write-back"
    )

    assert teardown(card, "tank", DRIVES[:3]).code != 0  # the spare is a drive of it too
    removed = teardown(card, "tank", DRIVES)
    assert removed.code == 0, removed.stderr
    assert volume(card) is None
    state = state_of(card)
    assert state["volumes"] == {}
    assert {one["state"] for one in state["drives"].values()} == {"UGood"}


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("event", "step"),
    [("command", "virtual-drive"), ("command", "link")],
)
def test_a_build_that_is_killed_is_resumed(card: Guest, event: str, step: str) -> None:
    job = prepare_build(card, spec("raid1", DRIVES[:2]), DRIVES[:2])
    assert killed(card, event, step, "job", "run", job["folder"])
    done = raidtui(card, "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    assert len(state_of(card)["volumes"]) == 1
    found = volume(card)
    assert found is not None
    assert found["mountpoints"] == ["/srv/tank"]


@pytest.mark.first(0)
def test_an_initialization_is_waited_for_though_the_tool_and_the_job_are_killed(card: Guest) -> None:
    change(card, seconds=5, killed="after")  # the virtual drive was created, but the tool did not report it
    options = {"initialization": "full", "write_policy": "write-through", "chunk": "64KiB"}
    job = prepare_build(card, spec("raid5", DRIVES[:3], **options), DRIVES[:3])
    assert raidtui(card, "job", "run", job["folder"]).code == 4
    assert len(state_of(card)["volumes"]) == 1
    assert killed(card, "step", "initialize", "job", "run", job["folder"])
    done = raidtui(card, "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    (one,) = state_of(card)["volumes"].values()
    assert (one["operation"], one["consistent"], one["policy"], one["strip"]) == (
        None,
        True,
        "WriteThrough",
        64,
    )
    found = volume(card)
    assert found is not None
    assert (found["state"], found["mountpoints"]) == ("optimal", ["/srv/tank"])


SWEEP: Final = f"""
name = "card"
passes = 1
disks = {json.dumps(DRIVES[:3])}

[matrix]
backend = ["megaraid"]
level = ["raid5"]

[measure]
profile = [{json.dumps(str(QUICK))}]
size = "16MiB"
runs = 1
"""


@pytest.mark.first(0)
def test_a_sweep_builds_measures_and_deletes_its_virtual_drive(card: Guest) -> None:
    card.run(["sh", "-c", "cat >/var/lib/raidtui/card.toml"], stdin=SWEEP)
    done = card.run(["raidtui", "sweep", "/var/lib/raidtui/card.toml", "--erase", ",".join(DRIVES[:3])])
    assert done.returncode == 0, done.stderr
    assert "megaraid raid5 of 3" in done.stdout.lower()
    assert state_of(card)["volumes"] == {}
    assert (
        len(json.loads(card.run(["raidtui", "results", "list", "--json"], check=True).stdout)["results"]) == 1
    )


@pytest.mark.first(0)
def test_what_uses_a_virtual_drive_or_a_drive_stops_the_job(card: Guest) -> None:
    built = apply(card, spec("raid0", DRIVES[:2], filesystem="none"), DRIVES[:2])
    assert built.code == 0, built.stderr
    again = apply(card, spec("raid0", DRIVES[1:3], name="two"), DRIVES[1:3])
    assert again.code == 3
    assert "raidtui teardown tank-" in again.stderr
    card.shell("mkswap -q /dev/mapper/card-*; swapon /dev/mapper/card-*")
    refused = teardown(card, "tank", DRIVES[:2])
    assert refused.code == 3, refused.stderr
    card.shell("swapoff /dev/mapper/card-*")
    removed = teardown(card, "tank", DRIVES[:2])
    assert removed.code == 0, removed.stderr
    assert unit(card) is None
