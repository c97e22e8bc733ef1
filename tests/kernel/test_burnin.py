"""A burn-in finds a slow disk, a slow zone and bad sectors, calls good disks good, and writes not one sector."""

from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import journal, killed, only_job, prepare, raidtui, serials

FIVE = serials(5)
SECTORS = 160 * 2048
ZONE = (65_536, 32_768)  # first sector and length: 32 to 48 MiB
BAD = (12_345, 200_000, 200_001)


def layer(guest: Guest, serial: str, table: str) -> None:
    """Put a table of device mapper on a disk; {node} in it is the device below."""
    guest.shell(
        f"""
        [ -e /dev/mapper/raidtui-{serial} ] || lab slow {serial}
        node=$(dmsetup table raidtui-{serial} | tr ' ' '\\n' | grep -m1 :)
        printf '{table.replace("{node}", "%s")}' {" ".join(['"$node"'] * table.count("{node}"))} >/run/table
        dmsetup suspend raidtui-{serial}
        dmsetup reload raidtui-{serial} /run/table
        dmsetup resume raidtui-{serial}
        """
    )


def plain(guest: Guest, disks: list[str]) -> None:
    """The same layer for every disk: what it costs is not a difference between them."""
    for serial in disks:
        layer(guest, serial, f"0 {SECTORS} linear {{node}} 0\\n")


def written(guest: Guest) -> list[str]:
    """Sectors written to each disk, and requests to discard, so far."""
    return guest.shell("awk '{ print $7, $12 }' /sys/block/ubd?/stat").stdout.splitlines()


def results(report: dict[str, Any]) -> dict[str, Any]:
    return {one["disk"]: one for one in report["disks"]}


@pytest.mark.first(0)
def test_what_is_wrong_is_found_though_the_job_is_killed_on_the_way(guest: Guest) -> None:
    plain(guest, FIVE)
    layer(guest, FIVE[1], f"0 {SECTORS} delay {{node}} 0 80\\n")
    first, length = ZONE
    end = first + length
    layer(
        guest,
        FIVE[2],
        f"0 {first} linear {{node}} 0\\n{first} {length} delay {{node}} {first} 200\\n"
        f"{end} {SECTORS - end} linear {{node}} {end}\\n",
    )
    layer(guest, FIVE[3], f"0 {SECTORS} dust {{node}} 0 512\\n")
    for sector in BAD:
        guest.shell(f"dmsetup message raidtui-{FIVE[3]} 0 addbadblock {sector}")
    guest.shell(f"dmsetup message raidtui-{FIVE[3]} 0 enable")
    before = written(guest)

    job = prepare(guest, "burnin", *FIVE)
    assert killed(guest, "cell", "read", "job", "run", job["folder"])
    assert only_job(guest)["outcome"] == "interrupted"
    done = raidtui(guest, "resume", job["request"]["id"], timeout=600)
    assert done.code == 4, done.stderr

    cells = [one for one in journal(guest, job["request"]["id"]) if one["event"] == "cell"]
    read = [
        (one["data"]["disk"], zone) for one in cells if one["step"] == "read" for zone in one["data"]["rates"]
    ]
    assert len(read) == len(set(read)) == 5 * 20, "no zone is read twice because of the kill"
    found = results(raidtui(guest, "burnin", "--json").report)
    assert found[FIVE[0]]["verdict"] == found[FIVE[4]]["verdict"] == "as fast as the others"
    whole, *_ = found[FIVE[1]]["result"]["slow"]
    assert (whole["begin_bytes"], whole["end_bytes"]) == (0, SECTORS * 512)
    assert whole["share"] < 0.5
    (zone,) = found[FIVE[2]]["result"]["slow"]
    assert (zone["begin_bytes"], zone["end_bytes"]) == (first * 512, end * 512)
    assert found[FIVE[3]]["result"]["bad"] == [[12_345, 12_345], [200_000, 200_001]]
    assert written(guest) == before


@pytest.mark.first(0)
def test_good_disks_are_as_their_sisters_and_disks_in_use_are_refused(guest: Guest) -> None:
    before = written(guest)
    done = raidtui(guest, "burnin", *FIVE[:4], "--json", timeout=600)
    assert done.code == 0, done.stderr
    assert {one["verdict"] for one in done.report["disks"]} == {"as fast as the others"}
    assert written(guest) == before
    guest.shell("mkfs.ext4 -q /dev/ubda && mkdir -p /srv/used && mount /dev/ubda /srv/used")
    refused = raidtui(guest, "burnin", *FIVE[:2])
    assert refused.code == 3
    assert "LAB-0001 (/dev/ubda) is in use: ext4 mounted at /srv/used; to free it: umount" in refused.stderr


@pytest.mark.first(0)
def test_a_disk_that_hangs_is_given_up_and_the_others_are_judged(guest: Guest) -> None:
    plain(guest, FIVE[:3])
    job = prepare(guest, "burnin", *FIVE[:3], "--patience", "5s")
    running = guest.start(["raidtui", "job", "run", job["folder"]])
    guest.shell(f"until grep -q '\"cell\"' {job['folder']}/journal.jsonl; do sleep 0.1; done", timeout=60)
    guest.shell(f"dmsetup suspend --noflush --nolockfs raidtui-{FIVE[0]}")
    try:
        assert running.wait(120) == 4
    finally:
        guest.shell(f"dmsetup resume raidtui-{FIVE[0]}")
    found = [one["data"] for one in journal(guest, job["request"]["id"]) if one["event"] == "result"]
    said = {one["subject"]: one["gave_up"] for one in found}
    assert "it completed nothing for 5 s" in said[FIVE[0]]
    assert said[FIVE[1]] == said[FIVE[2]] == ""


@pytest.mark.first(0)
def test_a_written_pass_finds_what_is_not_given_back_and_leaves_the_disks_blank(guest: Guest) -> None:
    one, two = FIVE[:2]
    refused = raidtui(guest, "burnin", one, two, "--erase", one)
    assert (refused.code, "LAB-0002" in refused.stderr) == (3, True)

    job = prepare(guest, "burnin", one, two, "--erase", f"{one},0002")
    run = ("job", "run", job["folder"])
    assert killed(guest, "cell", "write", *run)
    assert killed(guest, "step", "verify", *run)
    place = 100_353 * 512 + 7
    guest.shell(f"printf x | dd of=/dev/ubdb bs=1 seek={place} conv=notrunc,fsync status=none")
    done = raidtui(guest, "resume", job["request"]["id"], timeout=600)
    assert done.code == 4, done.stderr
    found = results(raidtui(guest, "burnin", "--json").report)
    assert found[one]["verdict"] == "as fast as the others"
    assert found[one]["result"]["written"]
    assert found[two]["result"]["differing"] == [[100_353, 100_353]]
    # They are blank again, and so can be built on, or burned in, at once.
    guest.shell("! cmp /dev/ubda /dev/zero 2>&1 | grep -v EOF; ! cmp /dev/ubdb /dev/zero 2>&1 | grep -v EOF")

    guest.shell("mkfs.ext4 -q /dev/ubda")
    refused = raidtui(guest, "burnin", one, "--erase", one)
    assert refused.code == 3
    assert "LAB-0001" in refused.stderr
    assert "is not blank: ext4" in refused.stderr
