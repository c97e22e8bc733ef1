"""What goes wrong arrives by mail, HTTP and program: on a real kernel, through real servers, once."""

import contextlib
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import raidtui
from raidtui.lab.command import Command
from raidtui.lab.guest import Guest

ROOT: Final = Path(raidtui.__file__).parent.parent
WAYS: Final = ("smtp", "http", "program")
CREATE: Final = "mdadm -q -C /dev/md/tank --run --homehost=lab -e1.2 --bitmap=internal"
MIRROR: Final = f"{CREATE} -l1 -n2 /dev/ubda /dev/ubdb; mdadm --wait /dev/md/tank || :"
RAID5: Final = f"{CREATE} -l5 -n3 --assume-clean /dev/ubda /dev/ubdb /dev/ubdc"


class Received:
    """What arrives in the guest."""

    def __init__(self, guest: Guest, servers: Command) -> None:
        self.guest = guest
        self.servers = servers
        self._at: dict[str, int] = {}

    def all(self, way: str) -> list[str]:
        """Every message that came this way."""
        if way == "program":
            return self.guest.shell("cat /run/paged 2>/dev/null || :").stdout.split("\0\n")[:-1]
        self.guest.run(["true"])  # takes in what has come meanwhile
        raw = bytes(self.servers.stdout).decode()
        found = [json.loads(line) for line in raw[: raw.rfind("\n") + 1].splitlines()]
        return [one["text"] for one in found if one["by"] == way]

    def new(self, way: str) -> list[str]:
        """What came this way since this was asked last."""
        found = self.all(way)
        begin, self._at[way] = self._at.get(way, 0), len(found)
        return found[begin:]

    def look(self) -> None:
        """Look and send, as the timer does."""
        done = self.guest.run(["raidtui", "status", "--alert"])
        assert done.returncode == 0, done.stdout + done.stderr


@contextlib.contextmanager
def receiving(guest: Guest) -> Iterator[Received]:
    """Alerts set on all three ways, by the plan."""
    servers = guest.start([sys.executable, str(ROOT / "tests/kernel/receiver.py")])
    received = Received(guest, servers)
    try:
        end = time.monotonic() + 60
        while not received.all("ready"):
            assert time.monotonic() < end, bytes(servers.stderr)
            time.sleep(0.1)
        guest.shell(
            'rm -rf /run/paged /etc/raidtui; printf \'#!/bin/sh\\nprintf "%%s|" "$@" >>/run/paged\\n'
            'printf "\\\\0\\\\n" >>/run/paged\\n\' >/root/page; chmod 755 /root/page; echo http://127.0.0.1:8080/x >/root/urls'
        )
        words = "--mail admin@example.org --smtp 127.0.0.1:2525 --security none --program /root/page --urls /root/urls"
        done = guest.run(["raidtui", "alerts", "set", *words.split()], timeout=600)
        assert done.returncode == 0, done.stderr
        yield received
    finally:
        guest.shell(
            "raidtui alerts off; umount /srv/data 2>/dev/null || :; pkill -f '[r]eceiver.py' || :; rm -f /run/paged",
            timeout=600,
        )
    assert guest.run(["ls", "/etc/raidtui/alerts.toml", "/etc/cron.d/raidtui-watch"]).returncode != 0


@pytest.fixture
def received(guest: Guest) -> Iterator[Received]:
    with receiving(guest) as received:
        yield received


def test_a_member_that_is_removed_arrives_on_every_way_within_a_minute_once_and_so_does_its_end(
    received: Received,
) -> None:
    guest = received.guest
    guest.shell(MIRROR)
    tested = guest.run(["raidtui", "alerts", "test", "--json"])
    codes = {one["way"]: one["code"] for one in json.loads(tested.stdout) if one["code"]}
    (letter,) = received.new("smtp")
    assert f"code is {codes['mail to admin@example.org']}" in letter
    assert len(received.new("http")) == len(received.new("program")) == 1
    confirmed = guest.run(["raidtui", "alerts", "confirm", ",".join(codes.values())])
    assert confirmed.stdout.count("proven: ") == 3

    received.look()
    for way in WAYS:
        received.new(way)  # what is wrong with the lab itself: no cron, no sendmail
    begin = time.monotonic()
    guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdb --remove /dev/ubdb")
    received.look()
    for way in WAYS:
        (text,) = received.new(way)
        assert "ONE MORE FAILURE LOSES tank" in re.sub("=\n", "", text)
        assert "LAB-0002" in text
    assert time.monotonic() - begin < 60
    received.look()
    assert not any(received.new(way) for way in WAYS)
    guest.shell("mdadm -q /dev/md/tank --re-add /dev/ubdb; mdadm --wait /dev/md/tank || :")
    received.look()
    for way in WAYS:
        (text,) = received.new(way)
        assert "Ended: ONE MORE FAILURE LOSES tank" in re.sub("=\n", "", text)


LVM: Final = (
    "vgcreate -q vg /dev/ubda /dev/ubdb; lvcreate -qy --type raid1 -m1 -L32M -n data vg; "
    "while lvs --noheadings -o copy_percent vg/data | grep -qv 100; do sleep 0.2; done"
)
BTRFS: Final = (
    "mkfs.btrfs -qf -draid1 -mraid1 /dev/ubda /dev/ubdb; mkdir -p /srv/data; mount /dev/ubda /srv/data"
)
DIES: Final = """
raidtui burnin LAB-0005 --no-self-tests >/dev/null 2>&1 &
until grep -qs '"cell"' /var/lib/raidtui/jobs/*burn-in/journal.jsonl; do sleep 0.1; done
kill -9 "$(grep -o '"pid":[0-9]*' /var/lib/raidtui/jobs/*burn-in/journal.jsonl | head -1 | cut -d: -f2)"
"""
MISMATCH: Final = """
head -c 65536 /dev/urandom | dd of=/dev/ubdb bs=64k seek=1000 conv=notrunc,fsync status=none
echo check >/sys/block/md127/md/sync_action; mdadm --wait /dev/md/tank || :
"""
# The lab has no systemd: this answers for it. tests/vm has the real one.
SYSTEMCTL: Final = r"""
mkdir -p /run/systemd/system
cat >/usr/local/sbin/systemctl <<'END'
#!/bin/sh
for unit in raidtui-watch.timer=active raidtui-watch.service=inactive \
    "mdmonitor.service=$(cat /run/monitor 2>/dev/null || echo active)"; do
    printf 'Id=%s\nLoadState=loaded\nActiveState=%s\n\n' "${unit%=*}" "${unit#*=}"
done
END
chmod 755 /usr/local/sbin/systemctl
"""
EVENTS: Final = {
    # what is there, what happens, what is said
    "failed": (MIRROR, "mdadm -q /dev/md/tank --fail /dev/ubdb", "ONE MORE FAILURE LOSES tank"),
    "removed": (
        MIRROR,
        "mdadm -q /dev/md/tank --fail /dev/ubdb --remove /dev/ubdb",
        "ONE MORE FAILURE LOSES tank",
    ),
    "booted-degraded": (
        MIRROR,
        "mdadm -q --stop /dev/md/tank; wipefs -qaf /dev/ubdb; mdadm -q -A --run /dev/md/tank /dev/ubda",
        "ONE MORE FAILURE LOSES tank",
    ),
    "lost-too-many": (
        RAID5,
        # mdadm 4.3 and newer refuse to fail a member that an array needs.
        "mdadm -q /dev/md/tank --fail /dev/ubda; last=/dev/ubdb; "
        '{ echo faulty >"/sys/block/$(basename "$(readlink -f /dev/md/tank)")/md/dev-${last#/dev/}/state"; } || :',
        "tank HAS FAILED",
    ),
    "stopped": (MIRROR, "mdadm -q --stop /dev/md/tank", "tank"),
    "gone": (
        MIRROR,
        "mdadm -q --stop /dev/md/tank; wipefs -qaf /dev/ubda; wipefs -qaf /dev/ubdb; udevadm settle",
        "tank",
    ),
    "lvm": (
        LVM,
        "wipefs -qaf /dev/ubdb; vgchange -qan vg; vgchange -qay --activationmode degraded vg || :",
        "vg",
    ),
    "btrfs": (
        BTRFS,
        "umount /srv/data; wipefs -qaf /dev/ubdb; mount -o degraded /dev/ubda /srv/data || :",
        "LOSES",
    ),
    "not-mounted": (
        'mkfs.ext4 -qF /dev/ubdd; mkdir -p /srv/data; udevadm settle; echo "UUID=$(blkid -s UUID -o value /dev/ubdd)'
        ' /srv/data ext4 defaults 0 0" >/etc/fstab; mount /srv/data',
        "umount /srv/data",
        "/srv/data is not mounted",
    ),
    "monitor-died": (
        f"{MIRROR}\n{SYSTEMCTL}",
        "echo failed >/run/monitor",
        "mdadm's monitor is failed",
    ),
    "mismatches": (RAID5, MISMATCH, "tank"),
    "burn-in-ended": (
        "true",
        "raidtui burnin LAB-0005 LAB-0006 --no-self-tests",
        "Burn-in of LAB-0005 ended, no faults found",
    ),
    "burn-in-died": ("true", DIES, "Burn-in of LAB-0005 was interrupted: its process is gone"),
    "state-folder": (
        "true",
        "mount --bind /var/lib/raidtui /var/lib/raidtui; mount -o remount,ro,bind /var/lib/raidtui",
        "raidtui cannot record anything",
    ),
}
ENDS: Final = {
    "failed": "mdadm -q /dev/md/tank --remove /dev/ubdb --add /dev/ubdb; mdadm --wait /dev/md/tank || :",
    "not-mounted": "mount /srv/data",
    "monitor-died": "rm /run/monitor",
    "state-folder": "umount /var/lib/raidtui",
}


@pytest.mark.first(0)
@pytest.mark.parametrize("event", EVENTS)
def test_each_kind_of_event_arrives_on_three_ways_within_a_minute_once_and_so_does_its_end(
    received: Received, event: str
) -> None:
    before, happens, said = EVENTS[event]
    guest = received.guest
    guest.shell(before)
    received.look()
    for way in WAYS:
        received.new(way)
    guest.shell(happens)
    begin = time.monotonic()
    try:
        received.look()
        for way in WAYS:
            texts = re.sub("=\n", "", "\n".join(received.new(way)))
            assert said in texts, (way, texts)
        assert time.monotonic() - begin < 60
        received.look()
        assert not any(received.new(way) for way in WAYS)
        if event in ENDS:
            guest.shell(ENDS[event])
            received.look()
            for way in WAYS:
                (text,) = received.new(way)
                assert "Ended: " in text, (way, text)
                assert said in re.sub("=\n", "", text)
            received.look()
            assert not any(received.new(way) for way in WAYS)
    finally:
        guest.shell("rm -rf /run/systemd/system /usr/local/sbin/systemctl /run/monitor")
        guest.shell("[ -w /var/lib/raidtui ] || umount /var/lib/raidtui")
